"""The log of a run: JSON lines, one for each episode, appended when it is over, so that a run can be broken off and taken up.

The first line says what the run is: a log is only taken up by a run of the same settings. A line "session" tells of each start.
Of several lines on one puzzle and sample, the first that is finished counts; failed requests give way to it.
"""

import contextlib
import json
import os
import pathlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from . import episodes
from .episodes import Episode

FORMAT = 1

Key = tuple[str, int]
"""Puzzle and sample."""


class LogError(ValueError):
    """A log that cannot be read, or is not that of this run."""


class Contents(NamedTuple):
    """What a log holds."""

    settings: dict[str, Any]
    episodes: dict[Key, Episode]  # in the order of the log
    whole: int  # bytes up to the last whole line; what follows was cut off while it was written
    puzzles: set[str]  # ids of all that was ever asked for, also where no episode is over


def read(path: str | os.PathLike[str]) -> Contents:
    """Reads a log. A last line that was only written in part is passed over.

    Raises LogError, with file and line, and OSError.
    """
    path = pathlib.Path(path)
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    settings: dict[str, Any] | None = None
    found: dict[Key, Episode] = {}
    puzzles: set[str] = set()
    for number, line in enumerate(content[:whole].split(b"\n")[:-1], 1):
        fields = _fields(line, f"{path}:{number}")
        kind = fields.pop("kind", None)
        if number == 1:
            settings = _settings(kind, fields, path)
        elif kind == "episode":
            episode = _episode(fields, f"{path}:{number}")
            key = (episode.puzzle, episode.sample)
            if key not in found or not found[key].finished:
                found[key] = episode
            puzzles.add(episode.puzzle)
        elif kind == "session":
            puzzles |= _asked(fields, f"{path}:{number}")
        else:
            raise LogError(f"{path}:{number}: found a line of kind {kind!r}; lines are episodes and sessions.")
    if settings is None:
        raise LogError(f"{path}: there is no whole line in it, so that it is not known what run it belongs to. Delete it.")
    return Contents(settings, found, whole, puzzles)


def _asked(fields: Mapping[str, Any], where: str) -> set[str]:
    """The ids of puzzles that were first asked for in a session."""
    ids = fields.get("puzzles", [])
    if not isinstance(ids, list) or not all(isinstance(name, str) for name in ids):
        raise LogError(f"{where}: the field puzzles of a session must be a list of ids.")
    return set(ids)


def _fields(line: bytes, where: str) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except ValueError as problem:
        raise LogError(f"{where}: this line is broken: {problem}. Lines before the last are never written in part.") from None
    if not isinstance(fields, dict):
        raise LogError(f"{where}: this line is no JSON object.")
    return fields


def _settings(kind: Any, fields: dict[str, Any], path: pathlib.Path) -> dict[str, Any]:
    if kind != "run" or not isinstance(fields.get("settings"), dict):
        raise LogError(f"{path}:1: this is no log of an evaluation; its first line does not say what run it is.")
    if fields.get("format") != FORMAT:
        raise LogError(f"{path}:1: the log has format {fields.get('format')!r}; this version reads format {FORMAT}.")
    return fields["settings"]


def _episode(fields: dict[str, Any], where: str) -> Episode:
    try:
        return episodes.from_json(fields)
    except ValueError as problem:
        raise LogError(f"{where}: this is no episode. {problem}") from None


def differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """The settings in which two runs differ, as 'KEY is A there and B here'."""

    def said(settings: Mapping[str, Any], key: str) -> str:
        return json.dumps(settings[key]) if key in settings else "not set"

    keys = [*there, *(key for key in here if key not in there)]
    return [f"{key} is {a} there and {b} here" for key in keys if (a := said(there, key)) != (b := said(here, key))]


class Log:
    """A log that is being written. Whole lines are appended in one go and are on the disk before `add` returns."""

    def __init__(self, descriptor: int, path: pathlib.Path, found: dict[Key, Episode]):
        self._descriptor, self._path = descriptor, path
        self.episodes = found

    def add(self, episode: Episode) -> None:
        """Appends an episode. Raises ValueError for one that is there and finished."""
        key = (episode.puzzle, episode.sample)
        if key in self.episodes and self.episodes[key].finished:
            raise ValueError(f"{self._path} has puzzle {key[0]}, sample {key[1]}, already; nothing is counted twice.")
        self._append({"kind": "episode"} | episodes.to_json(episode))
        self.episodes[key] = episode

    def _append(self, fields: Mapping[str, Any]) -> None:
        # Surrogates, which a model's JSON may hold, have no UTF-8; escapes have.
        line = (json.dumps(fields, separators=(",", ":")) + "\n").encode()
        while line:
            line = line[os.write(self._descriptor, line) :]
        os.fsync(self._descriptor)


@contextlib.contextmanager
def opened(
    path: str | os.PathLike[str], settings: Mapping[str, Any], session: Mapping[str, Any], puzzles: Collection[str] = ()
) -> Iterator[Log]:
    """A log to append to, new or taken up; closed in the end. `session`: what may differ from start to start, for the record.

    puzzles: ids of those that are asked for; with what was asked for before, one of the two must hold all of the other. A last
    line that was cut off is removed. Raises LogError for a log of other settings or puzzles, or that another process writes.
    """
    path, settings = pathlib.Path(path), json.loads(json.dumps(settings))
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        _lock(descriptor, path)
        found: dict[Key, Episode] = {}
        known: set[str] = set()
        empty = os.fstat(descriptor).st_size == 0
        if not empty:
            contents = read(path)
            different = differences(contents.settings, settings)
            if different:
                raise LogError(
                    f"{path}: this log is of another run: {'; '.join(different)}. Choose another folder, or the same settings."
                )
            known = contents.puzzles
            _require_related(path, known, set(puzzles))
            os.ftruncate(descriptor, contents.whole)
            found = contents.episodes
        log = Log(descriptor, path, found)
        if empty:
            log._append({"kind": "run", "format": FORMAT, "settings": settings})
        added = [name for name in puzzles if name not in known]
        log._append({"kind": "session"} | dict(session) | ({"puzzles": added} if added else {}))
        yield log
    finally:
        os.close(descriptor)


def _require_related(path: pathlib.Path, there: set[str], here: set[str]) -> None:
    """That a choice of puzzles widens or narrows the one before: figures of one folder are about one set of puzzles."""
    if not (here <= there or there <= here):
        raise LogError(
            f"{path}: this log is of other puzzles: {len(there - here)} of its {len(there)} are not among the {len(here)} "
            f"asked for here, and {len(here - there)} of these are not among its own. One choice must hold all of the other; "
            "choose another folder, or other puzzles."
        )


def _lock(descriptor: int, path: pathlib.Path) -> None:
    """Keeps other processes from the log, until it is closed; not where a system has no such locks."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise LogError(f"{path}: another process is writing this log; wait for it, or choose another folder.") from None
    except OSError:  # a file system without locks
        return
