"""Seeds of a run: one process per core on a CPU, in turn elsewhere."""

import contextlib
import os
import pathlib
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import loggers
from .progress import Progress

POLL = 0.5
"""Seconds between looks at the processes."""
PARENT = "KAGEJAX_PARENT"
"""Environment variable that tells a seed's process whose child it is."""
SINGLE_THREAD = "--xla_cpu_multi_thread_eigen=false"
"""One thread and one seed per core beats one process over two: small kernels do not split well."""


class Interrupt:
    """Turns the first interrupt (Ctrl-C) or SIGTERM into a request to end, so that the work at hand is finished and saved; the
    second has its usual effect. A seed whose parent process died is asked to end too. A context manager; outside the main
    thread it leaves signals alone."""

    def __init__(self):
        self._asked = False
        self._before: dict[int, Any] = {}
        self._parent = int(os.environ.get(PARENT, 0))

    @property
    def asked(self) -> bool:
        """Whether it is time to end."""
        return self._asked or bool(self._parent and os.getppid() != self._parent)

    def __enter__(self) -> "Interrupt":
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._ask) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: Any) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _ask(self, *_: Any) -> None:
        self._asked = True
        self.__exit__()


class RunFailed(RuntimeError):
    """A process ended with an error; the message has the end of what it said."""


def cores() -> list[int]:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def one_per_core(commands: dict[str, Sequence[str]], folders: dict[str, pathlib.Path], total: int) -> None:
    """Runs `commands` (by label), each pinned to a core of its own, as many at a time as there are cores.

    Each writes `metrics.jsonl` into its folder, from which the progress of all is shown, up to `total` steps; what it prints
    goes to `log.txt` there. Raises RunFailed if one fails, after the others were asked to end. An interrupt is passed on,
    and the processes get the time to save.
    """
    waiting, running, free = list(commands), {}, cores()
    try:
        with Progress(dict.fromkeys(commands, total)) as progress:
            while waiting or running:
                while waiting and free:
                    label, core = waiting.pop(0), free.pop(0)
                    running[label] = (spawn(commands[label], folders[label] / "log.txt", core), core)
                for label, (process, core) in list(running.items()):
                    _show(progress, label, folders[label])
                    if process.poll() is None:
                        continue
                    if process.returncode:
                        raise RunFailed(f"{label} failed:\n{tail(folders[label] / 'log.txt')}")
                    del running[label]
                    free.append(core)
                time.sleep(POLL)
    finally:
        for process, _ in running.values():
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process, _ in running.values():
            process.wait()


def spawn(
    command: Sequence[str],
    log: pathlib.Path,
    core: int | None = None,
    *,
    single: bool = True,
    environment: Mapping[str, str] | None = None,
    folder: str | None = None,
    held: Sequence[int] = (),
    append: bool = False,
) -> subprocess.Popen:
    """`command` as a process that knows whose child it is, what it prints in the file `log`.

    `core` pins it to a core; `single` has XLA use one thread on a CPU. `environment` is laid over ours, `folder` is its
    working directory (ours unless said), `held` are file descriptors that it keeps open (and so their locks), `append` goes on
    with the log.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    if single and SINGLE_THREAD not in flags:
        flags = f"{flags} {SINGLE_THREAD}".strip()
    with log.open("a" if append else "w") as out, _heard(signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **({"XLA_FLAGS": flags} if flags else {}), PARENT: str(os.getpid()), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that Ctrl-C reaches it once, through the parent
            pass_fds=held,
        )
    if core is not None and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(process.pid, {core})  # long before the process has imported JAX and started threads
    return process


@contextlib.contextmanager
def _heard(*signals: signal.Signals) -> Iterator[None]:
    """Unblocks signals meanwhile: a process inherits what is blocked, and Ray's workers block the interrupt."""
    before = signal.pthread_sigmask(signal.SIG_UNBLOCK, signals) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _show(progress: Progress, label: str, folder: pathlib.Path) -> None:
    lines = loggers.read(folder / "metrics.jsonl")
    if lines:
        progress.update(label, lines[-1]["step"], note(lines[-1]))


def note(metrics: dict) -> str:
    """The part of a line of metrics that progress shows."""
    shown = {"return": "return {:,.1f}", "success_once": "success {:.0%}"}
    return "  ".join(text.format(metrics[name]) for name, text in shown.items() if metrics.get(name) is not None)


def tail(path: pathlib.Path, lines: int = 20) -> str:
    """The last lines of a text file."""
    return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])
