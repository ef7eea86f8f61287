"""Path puzzles on the host: what one is, and the files they come in. SPEC section 2.

A file holds one record a line (JSON lines), with the nine fields of the public data set; reading and writing again gives the
same values. Nothing here loads an array library.
"""

import gzip
import json
import os
import pathlib
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from .record_fields import RecordError, from_record, to_record
from .record_types import Path, Position, Puzzle, Shape, Symbol, letters, line_flaw, path_of

__all__ = [
    "HUB_REVISION", "Path", "Position", "Puzzle", "RecordError", "Shape", "Symbol", "from_record", "hub", "letters",
    "line_flaw", "path_of", "read", "read_lines", "scan", "to_record", "write",
]  # fmt: skip

HUB_REVISION = "e2d908363190e9a244f931df2654a501facc90a7"
"""The state of the public data set that others pin, too."""


def read(path: str | os.PathLike[str]) -> tuple[Puzzle, ...]:
    """All puzzles of a file of JSON lines (compressed, if its name ends in .gz), or of all files `*.jsonl` of a folder, in the
    order of their names.

    Raises RecordError, also for an id that occurs twice and where there is no puzzle, and OSError if a file cannot be read.
    """
    puzzles = []
    for found in scan(path):
        if isinstance(found, RecordError):
            raise found
        puzzles.append(found)
    if not puzzles:
        raise RecordError(str(path), "", "there is no puzzle.")
    return tuple(puzzles)


def scan(path: str | os.PathLike[str]) -> Iterator[Puzzle | RecordError]:
    """For each record of a file or folder its puzzle, or what is wrong with it. Raises as `read` does, but for records."""
    path = pathlib.Path(path)
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise RecordError(str(path), "", "there is no file *.jsonl in this folder.")
    seen: dict[str, str] = {}
    for file in files:
        yield from _scan(_text(file).split("\n"), str(file), seen)


def read_lines(lines: Iterable[str], where: str = "text") -> tuple[Puzzle, ...]:
    """The puzzles of lines of JSON, empty lines aside; `where` stands for the file in messages. Raises RecordError."""
    puzzles = []
    for found in _scan(lines, where, {}):
        if isinstance(found, RecordError):
            raise found
        puzzles.append(found)
    return tuple(puzzles)


def _text(file: pathlib.Path) -> str:
    try:
        content = file.read_bytes()
        return (gzip.decompress(content) if file.suffix == ".gz" else content).decode("utf-8-sig")
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise RecordError(str(file), "", "it is no whole gzip file.") from None
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is no UTF-8; a file of puzzles is text, one record a line."
        raise RecordError(str(file), "", message) from None


def write(path: str | os.PathLike[str], puzzles: Iterable[Puzzle]) -> None:
    """Writes one record a line. The file appears complete or not at all."""
    path = pathlib.Path(path)
    draft = path.with_name(path.name + ".part")
    with draft.open("w", encoding="utf-8", newline="\n") as file:
        for puzzle in puzzles:
            file.write(json.dumps(to_record(puzzle), separators=(",", ":")) + "\n")
    os.replace(draft, path)


def hub(
    name: str = "lkaesberg/SPaRC", config: str = "all", split: str = "test", revision: str | None = HUB_REVISION
) -> tuple[Puzzle, ...]:
    """The puzzles of a data set on the Hugging Face hub, downloaded and kept by the package `datasets`.

    revision: a commit, or None for the newest. Raises ImportError where the package is missing, and RecordError.
    """
    try:
        import datasets
    except ImportError as error:
        raise ImportError("Puzzles from the hub need datasets; install it with: pip install 'kagejax[hub]'") from error
    where, seen = f"{name}/{config}/{split}", {}
    rows = datasets.load_dataset(name, config, split=split, revision=revision)
    return tuple(_new(from_record(row, f"{where}:{number}"), f"{where}:{number}", seen) for number, row in enumerate(rows))


def _scan(lines: Iterable[str], where: str, seen: dict[str, str]) -> Iterator[Puzzle | RecordError]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            place = f"{where}:{number}"
            try:
                yield _new(from_record(_json(line, place), place), place, seen)
            except RecordError as error:
                yield error


def _json(line: str, where: str) -> Any:
    try:
        return json.loads(line)
    except ValueError as problem:
        column = getattr(problem, "colno", 1)
        raise RecordError(where, "", f"column {column} is no JSON: {getattr(problem, 'msg', problem)}.") from None


def _new(puzzle: Puzzle, where: str, seen: dict[str, str]) -> Puzzle:
    """The puzzle, unless its id was there before."""
    if puzzle.id in seen:
        raise RecordError(where, "id", f"found {puzzle.id!r}, the id of the puzzle at {seen[puzzle.id]}; ids must differ.")
    seen[puzzle.id] = where
    return puzzle
