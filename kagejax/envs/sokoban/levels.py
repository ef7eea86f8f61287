"""Levels with what is known of them, and splits: levels that belong together, in a file. Host side. SPEC 5.3.

A split is a JSON object {name, seed, max_steps, levels}; each of its levels is {ascii, optimal_len, max_steps, theme}. All but
`levels` and `ascii` may be missing; what else an object holds is kept.
"""

import json
import os
import pathlib
from typing import Any, NamedTuple

from . import themes
from .text import Level, LevelError, parse, write

DEFAULT_MAX_STEPS = 40
MOST = 2**31 - 1
"""Of the numbers of a level: they go into 32 bits."""


class Entry(NamedTuple):
    """One level of a split."""

    level: Level
    optimal_length: int | None  # fewest moves that solve it
    max_steps: int | None  # its own time limit
    theme: dict[str, Any] | None  # colours by name, `checker`, `noise_std`; None: the default
    extra: dict[str, Any]  # everything else of its object in the file


class Split(NamedTuple):
    """Levels that belong together."""

    name: str | None  # such as "split_A"
    seed: int | None  # that it was drawn with
    max_steps: int | None  # time limit of levels without their own
    entries: tuple[Entry, ...]
    extra: dict[str, Any]  # everything else of the file

    def limit(self, entry: Entry) -> int:
        """The time limit of a level: its own, else the split's, else 40 steps."""
        limits = (entry.max_steps, self.max_steps, DEFAULT_MAX_STEPS)
        return next(limit for limit in limits if limit is not None)


def read_split(path: str | pathlib.Path, lenient: bool = False) -> Split:
    """The split in a file; `lenient` goes to `text.parse`.

    Raises LevelError that names the file and, where it can, the level (counted from 0) with line and column of its text, for
    what is no split, and for one without levels; OSError if the file cannot be read.
    """
    try:
        content = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise LevelError(f"{path}: this is no text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise LevelError(f"{path}:{error.lineno}:{error.colno}: this is no JSON: {error.msg}") from None
    if not isinstance(content, dict) or not isinstance(content.get("levels"), list):
        raise LevelError(f"{path}:1:1: a split is an object with a list `levels`")
    levels = content.pop("levels")
    if not levels:
        raise LevelError(f"{path}: there is no level")
    return Split(
        name=content.pop("name", None),
        seed=content.pop("seed", None),
        max_steps=_whole(content, "max_steps", 1, str(path)),
        entries=tuple(_entry(fields, f"{path}: level {index}", lenient) for index, fields in enumerate(levels)),
        extra=content,
    )


def _entry(fields: Any, name: str, lenient: bool) -> Entry:
    if not isinstance(fields, dict) or not isinstance(fields.get("ascii"), str):
        raise LevelError(f"{name}: a level is an object with a text `ascii`")
    level = parse(fields.pop("ascii"), name, lenient)
    theme = fields.pop("theme", None)
    try:
        themes.from_json({} if theme is None else theme)
    except ValueError as error:
        raise LevelError(f"{name}: {error}") from None
    return Entry(
        level=level._replace(title=fields.pop("title", level.title)),
        optimal_length=_whole(fields, "optimal_len", 0, name),
        max_steps=_whole(fields, "max_steps", 1, name),
        theme=theme,
        extra=fields,
    )


def _whole(fields: dict[str, Any], key: str, least: int, name: str) -> int | None:
    """Takes a whole number out of `fields`, None if it is missing or null."""
    value = fields.pop(key, None)
    if value is not None and (type(value) is not int or not least <= value <= MOST):
        raise LevelError(f"{name}: {key} is {value!r}; it is a whole number from {least} to {MOST:,}")
    return value


def write_split(path: str | pathlib.Path, split: Split) -> None:
    """Writes a split, one level a line; what is None is left out. The file appears complete or not at all."""
    head = _given(name=split.name, seed=split.seed, max_steps=split.max_steps) | split.extra
    parts = [f"{_json(key)}: {_json(value)}" for key, value in head.items()]
    levels = ",\n".join(_json(_fields(entry)) for entry in split.entries)
    parts.append(f'"levels": [\n{levels}\n]')
    path = pathlib.Path(path)
    draft = path.with_name(path.name + ".part")
    draft.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")
    os.replace(draft, path)


def _fields(entry: Entry) -> dict[str, Any]:
    known = _given(
        title=entry.level.title or None, optimal_len=entry.optimal_length, max_steps=entry.max_steps, theme=entry.theme
    )
    return {"ascii": write(entry.level)} | known | entry.extra


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _json(value: Any) -> str:
    return json.dumps(value, default=_plain)


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} cannot be written as JSON")
