"""What a sweep will cost, from a speed that was given or measured; where the number comes from is always said."""

import pathlib
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from .tasks import FINISHED, Task, finished, last_line, standing


class Speed(NamedTuple):
    """Environment steps per second of a seed, and where that is from."""

    steps_per_s: float
    source: str


class Estimate(NamedTuple):
    """What is left."""

    tasks: int
    steps: int  # environment steps of all seeds together
    hours: float | None  # of a device that works on one task at a time; None without a speed
    speed: Speed | None


def measured(sweep: str | pathlib.Path, given: float = 0.0) -> Speed | None:
    """`given` if that is above 0, else the median over the last lines of metrics in the run directories of a sweep's folder."""
    if given > 0:
        return Speed(given, "--steps-per-s")
    found = [last_line(folder).get("steps_per_s") for folder in sorted(pathlib.Path(sweep).glob("*/seed-*"))]
    known = [value for value in found if isinstance(value, int | float) and value > 0]
    if not known:
        return None
    runs = "a run" if len(known) == 1 else f"{len(known)} runs"
    return Speed(statistics.median(known), f"the metrics of {runs} in this folder")


def estimate(tasks: Sequence[Task], speed: Speed | None) -> Estimate:
    """What the unfinished among `tasks` will take, from where each stands. The seeds of a task are taken to go side by side."""
    unfinished = [[_left(task, folder) for folder in task.folders] for task in tasks if not finished(task)]
    hours = sum(map(max, unfinished)) / speed.steps_per_s / 3600 if speed else None
    return Estimate(len(unfinished), sum(map(sum, unfinished)), hours, speed)


def _left(task: Task, folder: pathlib.Path) -> int:
    now = standing(folder)
    return 0 if now.state == FINISHED else max((task.total_steps or now.total_steps) - now.step, 0)
