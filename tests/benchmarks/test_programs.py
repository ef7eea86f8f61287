import pathlib
import subprocess
import sys

import jax
import numpy as np

from benchmarks import _programs
from kagejax.core import Environment
from tests.corridor import Corridor, params

ONE_OR_TWO_DEVICES = """
import jax
jax.config.update("jax_num_cpu_devices", 2)
import numpy as np
from benchmarks import _programs
from tests.corridor import Corridor, params

def played(devices):
    stage = _programs.stage(Corridor(), params(), 6, devices)
    assert stage.devices == len(devices)
    carry = _programs.first(stage, _programs.start(stage), True)
    program = _programs.compile_loop(stage, _programs.frames_reset(stage), carry)
    return jax.device_get(program.call(25, carry))

one, two = played(jax.devices()[:1]), played(jax.devices())
same = jax.tree.map(np.array_equal, one, two)
assert all(jax.tree.leaves(same)), same
assert _programs.stage(Corridor(), params(), 5, jax.devices()).devices == 1
"""


def test_environment_i_plays_the_same_on_one_device_and_on_two():
    root = pathlib.Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", ONE_OR_TWO_DEVICES], cwd=root, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_what_is_left_in_the_buffer_is_the_picture_of_the_last_state(corridor):
    carry = corridor.frames_reset.call(7, _programs.first(corridor.stage, corridor.state, True))
    pictures = jax.vmap(Corridor().observe, (0, None))(carry.state, corridor.stage.params)
    np.testing.assert_array_equal(carry.frames, pictures)


def test_the_tier_with_resets_plays_as_step_does(corridor):
    env, stage = Corridor(), corridor.stage
    carry = corridor.frames_reset.call(30, _programs.first(stage, corridor.state, True))
    state, finished = corridor.state, 0
    step = jax.jit(jax.vmap(env.step, (0, 0, 0, None)))
    for t in range(_programs.AGES, _programs.AGES + 30):
        t = np.uint32(t)
        keys = _programs._keys(jax.random.fold_in(jax.random.fold_in(stage.key, _programs.STEPS), t), stage.ids)
        action = stage.actions[_programs.mix(stage.ids ^ _programs.mix(jax.numpy.uint32(t))) % _programs.ACTIONS]
        _, state, _, terminated, truncated, _ = step(keys, state, action, stage.params)
        finished += int((terminated | truncated).sum())
    assert all(jax.tree.leaves(jax.tree.map(lambda a, b: bool((a == b).all()), carry.state, state)))
    assert int(carry.finished.sum()) == finished > 0


def test_episodes_begin_at_different_ages(corridor):
    stage = _programs.stage(Corridor(), params(max_length=2**20, time_limit=2**20), 64, jax.devices()[:1])
    ages = np.asarray(_programs.start(stage).t)
    assert ages.min() < 64 and ages.max() > 448
    assert len(np.unique(ages)) > 48


def test_a_state_is_counted_in_bytes(corridor):
    assert corridor.stage.state_bytes == 12
    assert _programs.nbytes(corridor.stage.frame) == 8 * 8 * 3
    assert isinstance(corridor.stage.env, Environment)
