"""What a person sees while a sweep goes on: bars on a terminal, plain lines elsewhere."""

import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import rich.console
import rich.progress
from rich.markup import escape

from kagejax.learning import running
from kagejax.learning.progress import pace

from .tasks import FINISHED, Task, last_line, standing

if TYPE_CHECKING:
    from .queue import Entry

EVERY, PLAIN_EVERY = 1.0, 30.0
"""Seconds between looks at the run directories on a terminal, and between lines elsewhere."""


class Board:
    """The state of all tasks; used as a context manager."""

    def __init__(self, console: rich.console.Console | None = None):
        self.console = console or rich.console.Console(file=sys.stdout)
        self._bars = rich.progress.Progress(
            rich.progress.TextColumn("{task.description}"),
            rich.progress.BarColumn(bar_width=24),
            rich.progress.TextColumn("{task.percentage:>3.0f}%"),
            rich.progress.TextColumn("{task.fields[note]}"),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        self._all: Any = None
        self._shown: dict[str, Any] = {}
        self._looked = self._printed = time.monotonic()

    def __enter__(self) -> "Board":
        self._bars.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._bars.stop()

    def say(self, text: str) -> None:
        """Prints a line."""
        self.console.print(escape(text), highlight=False, soft_wrap=True)

    def show(self, entries: Sequence["Entry"], last: bool = False) -> None:
        """Looks at the run directories, now and then, and shows how far all is."""
        now = time.monotonic()
        if self.console.is_terminal:
            if last or now - self._looked >= EVERY:
                self._looked = now
                self._draw(entries)
        elif not last and now - self._printed >= PLAIN_EVERY:
            self._printed = now
            self.say(summary(entries))

    def _draw(self, entries: Sequence["Entry"]) -> None:
        total = sum(entry.task.total_steps * len(entry.task.seeds) for entry in entries)
        done = total - sum(_left(entry.task) for entry in entries)
        if not total:  # how long runs are is not known: count them
            total, done = len(entries), sum(entry.state == FINISHED for entry in entries)
        if self._all is None:
            self._all = self._bars.add_task("all runs", total=total, note="")
        self._bars.update(self._all, completed=done, note=escape(summary(entries)))
        going = {entry.task.name: entry.task for entry in entries if entry.state == "going"}
        for name in [name for name in self._shown if name not in going]:
            self._bars.remove_task(self._shown.pop(name))
        for name, task in going.items():
            step, total, note = _far(task)
            if name not in self._shown:
                self._shown[name] = self._bars.add_task(escape(name), total=max(total, 1), note="")
            self._bars.update(self._shown[name], completed=step, total=max(total, 1), note=escape(note))


def summary(entries: Sequence["Entry"]) -> str:
    """`12 done, 2 going, 1 failed, 55 left; 16,200 steps/s, 3:20:00 left`."""
    count = Counter(entry.state for entry in entries)
    parts = [f"{count['finished']} done", f"{count['going']} going"]
    parts += [f"{count['failed']} failed"] if count["failed"] else []
    parts += [f"{count['interrupted']} stopped"] if count["interrupted"] else []
    parts += [f"{count['waiting']} left"]
    going = [entry.task for entry in entries if entry.state == "going"]
    lines = [last_line(folder) for task in going for folder in task.folders]
    speed = sum(line.get("steps_per_s") or 0.0 for line in lines)
    left = sum(_left(entry.task) for entry in entries if entry.state in ("going", "waiting"))
    note = pace(speed, left, 1.0) if speed and left else ""
    return ", ".join(parts) + (f"; {note}" if note else "")


def _left(task: Task) -> int:
    standings = [standing(folder) for folder in task.folders]
    return sum(max((task.total_steps or now.total_steps) - now.step, 0) for now in standings if now.state != FINISHED)


def _far(task: Task) -> tuple[int, int, str]:
    standings, lines = [standing(folder) for folder in task.folders], [last_line(folder) for folder in task.folders]
    step = min(now.step for now in standings)
    total = task.total_steps or max(now.total_steps for now in standings)
    speed = sum(line.get("steps_per_s") or 0.0 for line in lines)
    if not step:
        return 0, total, "compiling"
    return step, total, f"{pace(speed, len(lines) * (total - step), 1.0)}  {running.note(lines[0])}".strip()
