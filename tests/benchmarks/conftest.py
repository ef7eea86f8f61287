import types

import jax
import pytest

from benchmarks import _programs
from tests.corridor import Corridor, params


@pytest.fixture(scope="session", autouse=True)
def _devices():
    """JAX begins before a benchmark asks for a device per core, which would reach the other tests of this process."""
    jax.devices()


@pytest.fixture(scope="session")
def corridor():
    """Four corridors on one device, their states under way, and the compiled programs of two tiers."""
    stage = _programs.stage(Corridor(), params(), 4, jax.devices()[:1])
    state = _programs.start(stage)

    def compiled(program, drawn=True):
        return _programs.compile_loop(stage, program, _programs.first(stage, state, drawn))

    return types.SimpleNamespace(
        stage=stage,
        state=state,
        compiled=compiled,
        frames=compiled(_programs.frames(stage)),
        frames_reset=compiled(_programs.frames_reset(stage)),
    )
