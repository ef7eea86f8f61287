"""How far a run is, for the person who waits: a bar on a terminal, elsewhere a line now and then."""

import sys
import time
from collections.abc import Iterable

from .episodes import Episode
from .tables import counted

PLAIN_INTERVAL = 10.0
"""Seconds between lines of progress where there is no terminal."""


class Progress:
    """A bar on a terminal, elsewhere a line now and then; with the number of puzzles solved and of requests that failed."""

    def __init__(self, total: int, before: Iterable[Episode]):
        from rich import progress

        before = list(before)
        self._total, self._done = total, len(before)
        self._solved = sum(episode.solved for episode in before)
        self._failed = sum(not episode.finished for episode in before)
        self._printed = time.monotonic()
        note, left = progress.TextColumn("{task.fields[note]}"), progress.TimeRemainingColumn()
        columns = (progress.BarColumn(), progress.MofNCompleteColumn(), note, left)
        self._bar = progress.Progress(*columns, transient=True, disable=not sys.stdout.isatty())
        self._task = self._bar.add_task("episodes", total=total, completed=self._done, note="")

    def __enter__(self) -> "Progress":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def say(self, episode: Episode) -> None:
        """An episode is over."""
        self._done = min(self._done + 1, self._total)
        self._solved += episode.solved
        self._failed += not episode.finished
        note = f"{self._solved} solved" + (f", {counted(self._failed, 'request')} failed" if self._failed else "")
        self._bar.update(self._task, completed=self._done, note=note)
        now = time.monotonic()
        if self._bar.disable and now - self._printed >= PLAIN_INTERVAL:
            self._printed = now
            print(f"{self._done} of {self._total} episodes, {note}", flush=True)
