"""Metrics as JSON lines: one object a line, readable while a run goes on and after it was killed."""

import json
import math
import os
import pathlib
from typing import Any

import numpy as np


class JsonLines:
    """Appends one line per `write` to a file; used as a context manager.

    A line is handed to the system in one piece, so a killed process leaves none half written (a full disk or a power cut may
    still cut the last one, which `read` then leaves out). A disk that is full raises OSError.
    """

    def __init__(self, path: str | pathlib.Path):
        self.path = pathlib.Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def write(self, step: int, metrics: dict[str, Any]) -> None:
        """One line: `step` (environment steps so far) and `metrics` (numbers, texts, arrays). NaN becomes null."""
        line = json.dumps({"step": int(step), **{name: plain(value) for name, value in metrics.items()}}, allow_nan=False)
        left = line.encode() + b"\n"
        while left:  # a disk that fills up takes a part and raises nothing until it is asked again
            left = left[os.write(self._file, left) :]

    def __enter__(self) -> "JsonLines":
        return self

    def __exit__(self, *_: Any) -> None:
        os.close(self._file)


class Tail:
    """The lines of a metrics file that are new since one last asked."""

    def __init__(self, path: str | pathlib.Path):
        self.path = pathlib.Path(path)
        self._seen = 0  # bytes

    def new(self) -> list[dict[str, Any]]:
        """New lines, oldest first; an unfinished last line waits for the next time. A missing file has none."""
        if not self.path.exists():
            return []
        with self.path.open("rb") as file:
            file.seek(self._seen)
            complete = file.read().rpartition(b"\n")
        self._seen += len(complete[0]) + len(complete[1])
        return [json.loads(line) for line in complete[0].splitlines()]


def read(path: str | pathlib.Path) -> list[dict[str, Any]]:
    """The lines of a metrics file, oldest first; an unfinished last line is left out. A missing file has none."""
    path = pathlib.Path(path)
    if not path.exists():
        return []
    complete = path.read_text().rpartition("\n")[0]
    return [json.loads(line) for line in complete.splitlines()]


def plain(value: Any) -> Any:
    """`value` as JSON can hold it: arrays as lists, NaN and infinity as None."""
    if isinstance(value, dict):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic) or hasattr(value, "__array__"):
        return plain(np.asarray(value).tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
