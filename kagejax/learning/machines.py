"""Several processes, on one machine or many, that train one network together (`jax.distributed`). One of them writes."""

import atexit
import os
import pathlib
import shutil
import tempfile

import jax
import numpy as np
import rich.console


def join(how: str) -> None:
    """Joins the other processes, before anything else asks JAX for its devices: `auto` where the cluster tells who is there
    (SLURM, TPU, MPI), or `HOST:PORT,PROCESSES,INDEX`; empty: there are no others. Raises ValueError for another text."""
    if not how:
        return
    if how == "auto":
        jax.distributed.initialize()
        return
    try:
        coordinator, count, index = how.split(",")
        host, port = coordinator.rsplit(":", 1)
        numbers = int(port), int(count), int(index)
        if not host or not 0 <= numbers[2] < numbers[1]:
            raise ValueError
    except ValueError:
        raise ValueError(
            f"distributed is {how!r}; allowed: auto, or HOST:PORT,PROCESSES,INDEX such as node1:1234,2,0 (INDEX from 0)"
        ) from None
    jax.distributed.initialize(coordinator, numbers[1], numbers[2])


def first() -> bool:
    """Whether this is the process that writes."""
    return jax.process_index() == 0


def anyone(flag: bool) -> bool:
    """Whether some process says so; every process has to ask."""
    if jax.process_count() == 1:
        return flag
    from jax.experimental import multihost_utils

    return bool(multihost_utils.process_allgather(np.array(flag)).any())


def own(folder: pathlib.Path) -> pathlib.Path:
    """Where this process writes: `folder`, or a scratch folder that nobody reads if another process has it."""
    if first():
        return folder
    scratch = tempfile.mkdtemp(prefix="kagejax-")
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    return pathlib.Path(scratch)


def console() -> rich.console.Console | None:
    """Where progress goes: None for the usual place, a console that shows nothing if another process shows it."""
    return None if first() else rich.console.Console(file=open(os.devnull, "w"))
