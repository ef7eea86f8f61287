"""What a sweep has to do, and what of it is done: the run directories are the only record of that."""

import dataclasses
import json
import os
import pathlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

FINISHED, FAILED, INTERRUPTED = "finished", "failed", "interrupted"
"""States that `status.json` has from `keeping`, which is not imported here: it loads jax, in every worker of a cluster."""
QUEUE = "queue"
"""Folder of a sweep for what runs print, locks, and what was tried."""
TAIL = 1 << 16
"""Bytes at the end of a file of metrics in which its last line is sought."""


@dataclasses.dataclass(frozen=True)
class Task:
    """One command: a run, trained with one seed or with several at once. Plain values, so that it can go to another machine."""

    sweep: str  # absolute path of the sweep's folder
    run: str
    seeds: tuple[int, ...]
    command: tuple[str, ...]
    total_steps: int = 0  # of each seed; 0: not known
    folder: str | None = None  # working directory of the command; None: that of whoever starts it

    @property
    def name(self) -> str:
        """`kage-background-1 seed 3`."""
        return f"{self.run} {'seed' if len(self.seeds) == 1 else 'seeds'} {', '.join(map(str, self.seeds))}"

    @property
    def folders(self) -> tuple[pathlib.Path, ...]:
        """The run directory of each seed."""
        return tuple(pathlib.Path(self.sweep) / self.run / f"seed-{seed}" for seed in self.seeds)

    @property
    def log(self) -> pathlib.Path:
        """File for what the command prints."""
        return self._beside("log")

    @property
    def locks(self) -> tuple[pathlib.Path, ...]:
        """A file for each seed, locked while a process works in its run directory."""
        return tuple(pathlib.Path(self.sweep) / QUEUE / f"{self.run}.seed-{seed}.lock" for seed in self.seeds)

    def _beside(self, ending: str) -> pathlib.Path:
        return pathlib.Path(self.sweep) / QUEUE / f"{self.run}.seed-{'-'.join(map(str, self.seeds))}.{ending}"


def tasks(
    sweep: str | os.PathLike,
    runs: Iterable[tuple[str, str, Sequence[str]]],
    seeds: Sequence[int],
    command: Sequence[str],
    total_steps: int = 0,
    seeds_per_run: int = 1,
) -> list[Task]:
    """All tasks of a sweep, all runs with the first seeds before those with the next: an early look has every pair in it.

    `runs` are names with the configuration trained on and those evaluated; `command` is an agent's, to which what a run needs
    is added with `--set`.
    """
    sweep = pathlib.Path(sweep).resolve()
    groups = [tuple(seeds[first : first + seeds_per_run]) for first in range(0, len(seeds), seeds_per_run)]
    made = []
    for group in groups:
        for run, train, evaluate in runs:
            # A run with several seeds makes the folder of each itself.
            folder = sweep / run / f"seed-{group[0]}" if len(group) == 1 else sweep / run
            settings = {"train": train, "evaluate": list(evaluate), "seeds": list(group), "run_dir": str(folder)}
            words = [word for key, value in settings.items() for word in ("--set", f"{key}={json.dumps(value)}")]
            made.append(Task(str(sweep), run, group, (*command, *words, "--set", "resume=auto"), total_steps, os.getcwd()))
    return made


class Standing(NamedTuple):
    """How far a run directory has come."""

    state: str | None  # of status.json: running, finished, failed or interrupted; None where there is none
    step: int
    total_steps: int  # 0: not known
    error: str | None


def standing(folder: pathlib.Path) -> Standing:
    """What `status.json` says, with the step of the last line of metrics where that is later. A missing or broken file says
    nothing."""
    try:
        said = json.loads((folder / "status.json").read_text())
        found = Standing(said["state"], int(said["step"] or 0), int(said["total_steps"] or 0), said.get("error"))
    except (OSError, ValueError, TypeError, KeyError):
        found = Standing(None, 0, 0, None)
    return found if found.state == FINISHED else found._replace(step=max(found.step, last_line(folder).get("step", 0)))


def last_line(folder: pathlib.Path) -> dict[str, Any]:
    """The last whole line of `metrics.jsonl`; empty where there is none. Reads the end of the file alone."""
    try:
        with (folder / "metrics.jsonl").open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
            complete, newline, _ = file.read().rpartition(b"\n")
        found = json.loads(complete.rpartition(b"\n")[2]) if newline else {}
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def finished(task: Task) -> bool:
    """Whether every seed of a task is."""
    return all(standing(folder).state == FINISHED for folder in task.folders)


def fail(task: Task, error: str) -> None:
    """Says in `status.json` that the unfinished seeds of a task failed, where the command could not say so itself."""
    from kagejax.learning import keeping

    for folder in task.folders:
        now = standing(folder)
        if now.state not in (FINISHED, FAILED):
            folder.mkdir(parents=True, exist_ok=True)
            keeping.say_status(folder, FAILED, now.step, now.total_steps or task.total_steps, error)
