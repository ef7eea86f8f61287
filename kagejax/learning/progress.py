"""Progress of training: bars on a terminal, plain lines elsewhere."""

import sys
import time
from typing import Any

import rich.console
import rich.progress

PLAIN_INTERVAL = 10.0
"""Seconds between plain lines of one task."""


class Progress:
    """One bar per task with steps/s, time left and a note; used as a context manager.

    Off a terminal (a log file, a pipe) each task prints a line at most every `PLAIN_INTERVAL` seconds, and one at its end.
    """

    def __init__(self, totals: dict[str, int], console: rich.console.Console | None = None):
        self.console = console or rich.console.Console(file=sys.stdout)
        self._totals = totals
        self._begun = dict.fromkeys(totals, (time.monotonic(), 0))
        self._printed = dict.fromkeys(totals, (time.monotonic(), 0))
        self._bars = rich.progress.Progress(
            rich.progress.TextColumn("{task.description}"),
            rich.progress.BarColumn(bar_width=24),
            rich.progress.TextColumn("{task.completed:,}/{task.total:,}"),
            rich.progress.TextColumn("{task.fields[note]}"),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        self._tasks = {name: self._bars.add_task(name, total=total, note="compiling") for name, total in totals.items()}

    def __enter__(self) -> "Progress":
        self._bars.start()
        if not self.console.is_terminal:
            self.say(f"{', '.join(self._totals)}: compiling")
        return self

    def __exit__(self, *_: Any) -> None:
        self._bars.stop()

    def update(self, name: str, step: int, note: str = "") -> None:
        """Sets task `name` to `step` of its total. The first call starts the clock: what came before was compilation."""
        now, total = time.monotonic(), self._totals[name]
        since, first = self._begun[name]
        if first == 0:
            since, first = self._begun[name] = (now, step)
        text = f"{pace(step - first, total - step, now - since)}  {note}"
        self._bars.update(self._tasks[name], completed=step, note=text)
        printed, last = self._printed[name]
        due = step > last and (now - printed >= PLAIN_INTERVAL or step >= total)
        if not self.console.is_terminal and due:
            self._printed[name] = (now, step)
            self.say(f"{name}  {step:,}/{total:,}  {text}")

    def say(self, text: str) -> None:
        """Prints a line above the bars."""
        self.console.print(text, highlight=False, soft_wrap=True)


def pace(done: int, left: int, seconds: float) -> str:
    """Speed and time left, e.g. `8,400 steps/s, 3:05 left`; empty while nothing is known."""
    if done <= 0 or seconds <= 0:
        return ""
    remaining = round(max(left, 0) * seconds / done)
    hours, minutes, rest = remaining // 3600, remaining // 60 % 60, remaining % 60
    clock = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
    return f"{done / seconds:,.0f} steps/s, {clock} left"
