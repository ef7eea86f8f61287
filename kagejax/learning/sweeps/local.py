"""Tasks as processes of this machine: on CPUs one per core, on GPUs one or more per device."""

import importlib.util
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kagejax.learning import running

from .tasks import Task
from .work import Outcome, Working

MEMORY = 0.9
"""Share of a GPU's memory that its runs may use together."""


class Slot(NamedTuple):
    """Room for one task."""

    core: int | None = None
    environment: Mapping[str, str] = {}


def slots(jobs: int = 0, gpu_fraction: float | None = None) -> list[Slot]:
    """Room on this machine: `1 / gpu_fraction` tasks per GPU if there are GPUs that JAX can use (a fraction above 1: so many
    GPUs per task), else one per core. `jobs`: so many at most, 0: all. A fraction of 0 leaves the GPUs alone; no
    room is found for another where there are none."""
    gpus = visible_gpus() if gpu_fraction != 0 else []
    if gpu_fraction and not gpus:
        return []
    found = _on_gpus(gpus, gpu_fraction or 1.0) if gpus else [Slot(core, share(0)) for core in running.cores()]
    return found[: jobs or None]


def _on_gpus(gpus: Sequence[str], fraction: float) -> list[Slot]:
    if fraction > 1:
        each = round(fraction)
        groups = [",".join(gpus[first : first + each]) for first in range(0, len(gpus) - each + 1, each)]
        return [Slot(None, {"CUDA_VISIBLE_DEVICES": group}) for group in groups]
    return [Slot(None, {"CUDA_VISIBLE_DEVICES": gpu, **share(fraction)}) for _ in range(per_gpu(fraction)) for gpu in gpus]


def per_gpu(fraction: float) -> int:
    """Tasks that fit a GPU."""
    return int(1 / fraction + 1e-6) if 0 < fraction <= 1 else 1


def share(fraction: float) -> dict[str, str]:
    """What tells JAX how much of a GPU's memory a task may take; for a fraction of 0, to leave GPUs alone."""
    if fraction == 0:
        return {"CUDA_VISIBLE_DEVICES": ""}
    return {"XLA_PYTHON_CLIENT_MEM_FRACTION": f"{MEMORY * fraction:.3f}"} if fraction < 1 else {}


def visible_gpus() -> list[str]:
    """The GPUs that JAX would use in a new process, found without asking JAX: asking takes memory of each."""
    platforms = os.environ.get("JAX_PLATFORMS") or "cuda"
    plugin = any(importlib.util.find_spec(f"jax_{name}_plugin") for name in ("cuda12", "cuda13"))
    if not plugin or not {"cuda", "gpu"} & set(platforms.split(",")):
        return []
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is not None:
        return [gpu for gpu in chosen.split(",") if gpu and gpu != "-1"]
    command = ["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.split()
    except (OSError, subprocess.SubprocessError):
        return []


class LocalJob:
    """A task in a slot."""

    def __init__(self, working: Working, slot: Slot, free: list[Slot]):
        self._working, self._slot, self._free = working, slot, free

    def poll(self) -> Sequence[Outcome] | None:
        """The task's outcome; its slot is free from then on."""
        outcome = self._working.poll()
        if outcome is None:
            return None
        self._free.append(self._slot)
        return [outcome]

    def interrupt(self) -> None:
        """Ctrl-C for the task."""
        self._working.interrupt()

    def record(self) -> None:
        """Nothing: its process ends with ours."""


class LocalEngine:
    """Processes of this machine."""

    name, width = "local", 1

    def __init__(self, room: Sequence[Slot]):
        self._free = list(room)

    def room(self, going: int) -> bool:
        """Whether a slot is free."""
        return bool(self._free)

    def start(self, tasks: Sequence[Task], attempts: Sequence[int]) -> LocalJob:
        """Starts a task in a free slot."""
        slot = self._free.pop(0)
        return LocalJob(Working(tasks[0], attempts[0], slot.core, slot.environment), slot, self._free)

    def adopt(self, record: Any, tasks: Sequence[Task]) -> None:
        """Nothing of an earlier process goes on."""

    def close(self) -> None:
        """Nothing is held."""
