"""What a reply says: a path, or a step. SPEC sections 4 and 10.2.

The strict readings are those of the published figures, and alone decide what counts as solved. The lenient ones also take what
a person would take: they tell how much of a score is lost to the form of answers, and are always reported apart.
"""

import re
from collections.abc import Sequence

from kagejax.envs.spatial.names import ACTIONS
from kagejax.envs.spatial.puzzles import Path, Position

MARKER = "####"
FAR = 999_999
"""A coordinate of more than six digits reads as this, which is on no board either."""

_WORDS = "|".join(action.name for action in ACTIONS)
_NUMBERS = f"[0-{len(ACTIONS) - 1}]"
_BY_WORD = {action.name: number for number, action in enumerate(ACTIONS)}

_COORDINATES = re.compile(r"\((\d+),\s*(\d+)\)")
_LOOSE_COORDINATES = re.compile(r"[(\[]\s*(\d+)\s*,\s*(\d+)\s*[)\]]")

_STRICT_STEPS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"Final:\s*({_NUMBERS})\b",
        rf"Final:\s*({_WORDS})\b",
        rf"\b({_NUMBERS})\s*\Z",
        rf"\b({_WORDS})\s*\Z",
    )
)
_STEP = rf"(?<![-.\w])({_NUMBERS}|(?:{_WORDS})(?:WARDS?)?)(?!\w|\.\d)"
_LOOSE_FINAL = re.compile(
    rf"\bfinal\b[^\w\n]*(?:(?:answer|action|move|step)\b[^\w\n]*)?(?:is\b[^\w\n]*)?{_STEP}", re.IGNORECASE
)
_LOOSE_END = re.compile(rf"(?<!,)(?<!,\s){_STEP}\W*\Z", re.IGNORECASE)  # no half of a coordinate


def path(text: str, end: Position | None = None) -> Path | None:
    """The path of an answer, or None if it holds no coordinates.

    What counts is the text after the last `####`, or all of it if there is none; in it every "(x,y)" of digits, with white
    space only after the comma. With `end`, reading stops at the first coordinate that equals it.
    """
    _, marker, tail = text.rpartition(MARKER)
    found = _coordinates(_COORDINATES, tail if marker else text)
    return _until(found, end) or None


def lenient_path(text: str, start: Position, end: Position) -> Path | None:
    """As `path`, but blanks and square brackets are allowed in coordinates, markers with no path behind them are passed over,
    and a path that is told after other coordinates is found: the last list that begins at `start` and reaches `end`.

    A list begins where a coordinate is no neighbour of the one before, so that a path is never mended by cutting it.
    """
    parts = text.split(MARKER)
    told = next((found for part in reversed(parts[1:]) if (found := _coordinates(_LOOSE_COORDINATES, part))), None)
    found = told or _coordinates(_LOOSE_COORDINATES, text)
    last_end = max((i for i, position in enumerate(found) if position == end), default=-1)
    for i in reversed(range(last_end + 1)):
        if found[i] == start and (i == 0 or not _neighbours(found[i - 1], found[i])):
            return _until(found[i:], end)
    return _until(found, end) or None


def step(text: str) -> int | None:
    """The action of a reply, by number, or None if there is none.

    Read after the last closing think tag: the first "Final:" with a digit, else the first with a direction, else a digit at the
    very end, else a direction there; upper and lower case alike.
    """
    said = text.rpartition("</think>")[2]
    for pattern in _STRICT_STEPS:
        match = pattern.search(said)
        if match:
            return _action(match[1])
    return None


def lenient_step(text: str) -> int | None:
    """As `step`, but the last "Final:" counts, marks such as quotes, stars and brackets may stand around the action, "final"
    may be followed by words such as "answer is", and punctuation may follow an action at the very end."""
    said = text.rpartition("</think>")[2]
    finals = _LOOSE_FINAL.findall(said)
    if finals:
        return _action(finals[-1])
    match = _LOOSE_END.search(said)
    return _action(match[1]) if match else None


def _action(said: str) -> int:
    return int(said) if said.isdigit() else _BY_WORD[re.sub("WARDS?$", "", said.upper())]


def _coordinates(pattern: re.Pattern, text: str) -> list[Position]:
    return [(_number(x), _number(y)) for x, y in pattern.findall(text)]


def _number(digits: str) -> int:
    """Bounded: Python refuses to convert some thousand digits, and a model may repeat one for ever."""
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= 6 else FAR


def _until(found: Sequence[Position], end: Position | None) -> Path:
    return tuple(found[: found.index(end) + 1] if end in found else found)


def _neighbours(one: Position, other: Position) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1
