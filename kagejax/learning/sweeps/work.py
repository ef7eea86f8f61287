"""A task as a process: started under a lock, looked after, asked to stop. The same wherever it runs."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kagejax.learning import running

from .tasks import FAILED, FINISHED, INTERRUPTED, Task, fail, finished, standing

try:
    import fcntl
except ImportError:  # not on this system; nothing then keeps two sweeps out of one folder
    fcntl = None

STOPPED = 130
"""Exit status of a command that was interrupted, and saved."""
POLL = 0.1
"""Seconds between looks at processes."""
GRACE = 60.0
"""Seconds that runs get to save when a cluster takes their machine away."""
PATIENCE = 600.0
"""Seconds to wait for a process of an earlier attempt that is still at work in the same run directory."""


class Outcome(NamedTuple):
    """How an attempt ended."""

    state: str  # finished, failed or interrupted
    error: str | None = None


class Lock:
    """A lock on files that lasts as long as any process has them open: it outlives us in a child that goes on without us."""

    def __init__(self, paths: Sequence[pathlib.Path]):
        self._paths, self.held = tuple(paths), []

    def take(self) -> bool:
        """Takes the lock on all files, or on none; whether it did."""
        for path in self._paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.held.append(os.open(path, os.O_RDWR | os.O_CREAT, 0o644))
            try:
                if fcntl:
                    fcntl.flock(self.held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.release()
                return False
            except OSError:  # a file system without locks
                pass
        return True

    def release(self) -> None:
        """Gives up our hold."""
        for descriptor in self.held:
            os.close(descriptor)
        self.held = []


class Working:
    """A task under way. `core` and `environment` are those of `running.spawn`."""

    def __init__(self, task: Task, attempt: int = 1, core: int | None = None, environment: Mapping[str, str] | None = None):
        self.task, self._attempt, self._core, self._environment = task, attempt, core, environment or {}
        self._lock, self._since = Lock(task.locks), time.monotonic()
        self._process: subprocess.Popen | None = None
        self._asked, self._outcome = False, None
        self._start()

    def poll(self) -> Outcome | None:
        """How it ended; None while it goes on."""
        if self._outcome is None and self._process is None:
            self._start()
        if self._outcome is None and self._process is not None and self._process.poll() is not None:
            self._outcome = self._judged(self._process.returncode)
            self._lock.release()
        return self._outcome

    def interrupt(self) -> None:
        """Asks it to save and end."""
        self._asked = True
        if self._process is None and self._outcome is None:
            self._outcome = Outcome(INTERRUPTED)
        elif self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def _start(self) -> None:
        if not self._lock.take():
            if time.monotonic() - self._since > PATIENCE:
                where = self.task.folders[0]
                self._outcome = Outcome(
                    FAILED, f"another process has been at work in {where} for {PATIENCE:.0f} s; end it first"
                )
            return
        if finished(self.task):  # by whoever held the lock
            self._outcome = Outcome(FINISHED)
            self._lock.release()
            return
        try:
            with self.task.log.open("a") as log:
                log.write(f"--- {time.strftime('%Y-%m-%d %H:%M:%S')}, attempt {self._attempt}: {' '.join(self.task.command)}\n")
            self._process = running.spawn(
                self.task.command,
                self.task.log,
                self._core,
                single=not on_gpu(self._environment),
                environment=self._environment,
                folder=self.task.folder,
                held=self._lock.held,
                append=True,
            )
        except OSError as problem:
            self._outcome = Outcome(FAILED, f"it could not be started: {problem}")
            self._lock.release()

    def _judged(self, status: int) -> Outcome:
        if status == 0 and finished(self.task):
            return Outcome(FINISHED)
        if self._asked and not finished(self.task):
            return Outcome(INTERRUPTED)
        if status == STOPPED:
            return Outcome(FAILED, "something interrupted it")
        error = f"exit status {status}" if status > 0 else f"killed by signal {_signal(-status)}"
        if status == 0:
            states = ", ".join(f"{folder.name} {standing(folder).state}" for folder in self.task.folders)
            error = f"it ended well, but its status.json does not say finished ({states})"
        said = _said(self.task.log)
        fail(self.task, f"{error}{f': {said[-1]}' if said else ''}")
        return Outcome(FAILED, "\n".join([error, *said]))


def _signal(number: int) -> str:
    with contextlib.suppress(ValueError):
        return f"{number} ({signal.Signals(number).name})"
    return str(number)


def _said(log: pathlib.Path) -> list[str]:
    """The end of what the last attempt printed."""
    lines = running.tail(log).splitlines() if log.exists() else []
    starts = [place for place, line in enumerate(lines) if line.startswith("--- ")]
    return [line for line in lines[starts[-1] + 1 if starts else 0 :] if line.strip()]


def on_gpu(environment: Mapping[str, str]) -> bool:
    """Whether a process with `environment` over ours has been given a GPU by name."""
    return {**os.environ, **environment}.get("CUDA_VISIBLE_DEVICES", "-1") not in ("", "-1", "NoDevFiles")


class Perform:
    """Tasks side by side, as another machine runs them: called, it gives their outcomes when all have ended.

    When the file `stop` appears, or on an interrupt, they are asked to save and end. On a CPU each is pinned to a core of its
    own if there are enough.
    """

    def __init__(self, tasks: Sequence[Task], attempts: Sequence[int], environment: Mapping[str, str], stop: str):
        self.tasks, self.attempts, self.environment, self.stop = tuple(tasks), tuple(attempts), dict(environment), stop
        self._works: list[Working] = []

    def __call__(self) -> list[Outcome]:
        """Runs them."""
        cores = running.cores()
        pinned = len(cores) >= len(self.tasks) > 1 and not on_gpu(self.environment)
        self._works = [
            Working(task, attempt, cores[place] if pinned else None, self.environment)
            for place, (task, attempt) in enumerate(zip(self.tasks, self.attempts, strict=True))
        ]
        stop, asked = pathlib.Path(self.stop), False
        with running.Interrupt() as interrupt:
            while self._going():
                if not asked and (interrupt.asked or stop.exists()):
                    asked = True
                    self._interrupt()
                time.sleep(POLL)
        return [work.poll() for work in self._works]

    def checkpoint(self, *_: object):
        """What submitit queues again when SLURM takes the machine away: the same tasks, once they have saved."""
        import submitit

        self._interrupt()
        until = time.monotonic() + GRACE
        while self._going() and time.monotonic() < until:
            time.sleep(POLL)
        return submitit.helpers.DelayedSubmission(Perform(self.tasks, self.attempts, self.environment, self.stop))

    def _going(self) -> bool:
        return any([work.poll() is None for work in self._works])  # a list: each has to be looked at

    def _interrupt(self) -> None:
        for work in self._works:
            work.interrupt()
