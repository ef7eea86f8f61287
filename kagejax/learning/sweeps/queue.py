"""The loop of a sweep: starts what is not finished, looks after it, tries again what failed, and stops when asked."""

import collections
import dataclasses
import os
import pathlib
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from kagejax.learning import run, running

from .board import Board
from .tasks import FAILED, FINISHED, INTERRUPTED, QUEUE, Task, finished
from .work import Outcome

POLL = 0.2
"""Seconds between looks at the jobs."""


class Job(Protocol):
    """Tasks that an engine has started together."""

    def poll(self) -> Sequence[Outcome] | None:
        """The outcome of each task, in order; None while any goes on."""

    def interrupt(self) -> None:
        """Asks all to save and end, or takes them from a queue that they wait in."""

    def record(self) -> Any:
        """What `Engine.adopt` needs to find the job again, as JSON; None if it cannot outlive us."""


class Engine(Protocol):
    """Where tasks run."""

    name: str
    width: int
    """Tasks of a job."""

    def room(self, going: int) -> bool:
        """Whether another job may be started beside `going` ones."""

    def start(self, tasks: Sequence[Task], attempts: Sequence[int]) -> Job:
        """Starts tasks."""

    def adopt(self, record: Any, tasks: Sequence[Task]) -> Job | None:
        """The job of an earlier sweep process, if it is still waiting or at work."""

    def close(self) -> None:
        """Lets go of what the engine holds, when no job is left."""


@dataclasses.dataclass
class Entry:
    """A task and what was tried."""

    task: Task
    state: str = "waiting"  # or going, finished, failed, interrupted
    attempts: int = 0
    seconds: float = 0.0  # at work, all attempts together
    error: str | None = None


@dataclasses.dataclass(frozen=True)
class Result:
    """How a sweep ended, or was stopped."""

    entries: tuple[Entry, ...]
    interrupted: bool
    gave_up: bool = False

    def of(self, state: str) -> list[Entry]:
        """The entries in a state."""
        return [entry for entry in self.entries if entry.state == state]

    @property
    def status(self) -> int:
        """An exit status: 0 if all is finished, 130 if it was interrupted, else 1."""
        if self.interrupted:
            return 130
        return 0 if len(self.of(FINISHED)) == len(self.entries) else 1


class Queue:
    """A sweep's tasks on an engine. `retries`: attempts beyond the first; `stop_after`: gives up when so many attempts in a row
    failed, 0: never."""

    def __init__(self, tasks: Sequence[Task], engine: Engine, board: Board, retries: int = 2, stop_after: int = 10):
        self.entries = [Entry(task, FINISHED if finished(task) else "waiting") for task in tasks]
        self._engine, self._board, self._retries, self._stop_after = engine, board, retries, stop_after
        self._waiting = collections.deque(entry for entry in self.entries if entry.state == "waiting")
        self._going: list[tuple[Job, list[Entry], float]] = []
        self._failures = 0
        self._file = pathlib.Path(tasks[0].sweep) / QUEUE / "state.json" if tasks else None

    def run(self) -> Result:
        """Works until nothing is left, or until an interrupt (Ctrl-C): then what runs is asked to save, and waited for."""
        stopping = gave_up = False
        with running.Interrupt() as interrupt, self._board:
            try:
                self._adopt()
                while self._going or (self._waiting and not stopping):
                    if not stopping and (interrupt.asked or self._hopeless()):
                        stopping, gave_up = True, not interrupt.asked
                        self._board.say(self._stopping(gave_up))
                        self._stop()
                    while not stopping and self._waiting and self._engine.room(len(self._going)):
                        self._start()
                    changed = self._look(stopping)
                    self._board.show(self.entries)
                    if not changed:
                        time.sleep(POLL)
            except KeyboardInterrupt:  # the second one
                stopping = True
                self._stop()
            finally:
                self._board.show(self.entries, last=True)
                self._save()
        if not self._going:
            self._engine.close()
        return Result(tuple(self.entries), stopping and not gave_up, gave_up)

    def _adopt(self) -> None:
        """Takes up jobs that an earlier process of this sweep left at work on a cluster."""
        for record in read(self._file).get("jobs", []) if self._file else []:
            by_name = {entry.task.name: entry for entry in self._waiting}
            entries = [by_name[name] for name in record["tasks"] if name in by_name]
            if entries and len(entries) == len(record["tasks"]):
                job = self._engine.adopt(record["job"], [entry.task for entry in entries])
                if job is not None:
                    self._begin(job, entries, "is at work already")

    def _start(self) -> None:
        entries = [self._waiting.popleft() for _ in range(min(self._engine.width, len(self._waiting)))]
        attempts = [entry.attempts + 1 for entry in entries]
        self._begin(self._engine.start([entry.task for entry in entries], attempts), entries, "started")

    def _begin(self, job: Job, entries: list[Entry], word: str) -> None:
        for entry in entries:
            if entry in self._waiting:
                self._waiting.remove(entry)
            entry.state, entry.attempts = "going", entry.attempts + 1
            self._board.say(f"{entry.task.name} {word}" + (f", attempt {entry.attempts}" if entry.attempts > 1 else ""))
        self._going.append((job, entries, time.monotonic()))
        self._save()

    def _look(self, stopping: bool) -> bool:
        """Takes in the jobs that ended; whether any did."""
        going = []
        for job, entries, began in self._going:
            outcomes = job.poll()
            if outcomes is None:
                going.append((job, entries, began))
                continue
            for entry, outcome in zip(entries, outcomes, strict=True):
                entry.seconds += time.monotonic() - began
                self._end(entry, outcome, stopping)
        changed = len(going) < len(self._going)
        self._going = going
        if changed:
            self._save()
        return changed

    def _end(self, entry: Entry, outcome: Outcome, stopping: bool) -> None:
        entry.error = outcome.error
        if outcome.state == FINISHED:
            entry.state, self._failures = FINISHED, 0
            self._board.say(f"{entry.task.name} finished in {clock(entry.seconds)}")
            return
        if outcome.state == INTERRUPTED and stopping:
            entry.state = INTERRUPTED
            self._board.say(f"{entry.task.name} stopped and saved")
            return
        self._failures += 1
        again = entry.attempts <= self._retries and not stopping
        entry.state = "waiting" if again else FAILED
        if again:
            self._waiting.append(entry)
        tries = f"attempt {entry.attempts} of {self._retries + 1}" + (", will be tried again" if again else "")
        self._board.say(f"{entry.task.name} failed ({tries}): {outcome.error or 'interrupted from outside'}")

    def _hopeless(self) -> bool:
        return bool(self._stop_after) and self._failures >= self._stop_after

    def _stopping(self, gave_up: bool) -> str:
        if gave_up:
            return f"{self._failures} attempts in a row failed: giving up. What is at work is asked to save and end."
        going = sum(len(entries) for _, entries, _ in self._going)
        return f"Stopping: {going} {'run is' if going == 1 else 'runs are'} asked to save and end."

    def _stop(self) -> None:
        for job, _, _ in self._going:
            job.interrupt()

    def _save(self) -> None:
        if self._file is None:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        facts = {entry.task.name: {k: v for k, v in vars(entry).items() if k != "task"} for entry in self.entries}
        records = [(job.record(), [entry.task.name for entry in entries]) for job, entries, _ in self._going]
        jobs = [{"job": record, "tasks": names} for record, names in records if record is not None]
        updated = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        run.write_json(self._file, {"updated": updated, "engine": self._engine.name, "jobs": jobs, "tasks": facts})


def read(path: str | os.PathLike) -> Mapping[str, Any]:
    """The JSON object in a file; empty where there is none that can be read."""
    import json

    try:
        found = json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def clock(seconds: float) -> str:
    """`1:02:03`, `2:03`, or `1.5 s` for what is short."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
