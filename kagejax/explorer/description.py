"""The settings of a room as the page needs them: groups of fields, each with its control and the range of its slider."""

import functools
import math
from typing import Any

from kagejax.config import registry, suites
from kagejax.config.loader import load
from kagejax.config.parameters import Parameter, defaults, parameters, sections

KINDS = {
    "int": "integer",
    "float": "number",
    "bool": "switch",
    "str": "text",
    "list[str]": "texts",
    "str|list[str]": "texts",
    "list[int]": "integers",
    "[int,int,int]": "colour",
}
"""Controls by the type of a parameter; text with choices is a `select`, texts with choices are `names`."""
NICE = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
BEYOND = 2.5
"""A slider without a greatest value ends this much beyond the greatest that a configuration of kagejax has."""
OUTLIER = 20
"""Values that exceed the others by this factor do not stretch a slider; its number box takes them."""
FEWEST = {"integer": 20, "number": 1}
"""Least extent of an open slider."""
UNKNOWN = 100
"""Extent of an open slider of whole numbers of which nothing but 0 is known, such as a seed."""


@functools.cache
def description(room_id: str) -> dict[str, Any]:
    """Groups of fields of the environment `room_id`, as JSON. Raises ConfigError for an unknown one."""
    room = registry.room(room_id)
    known, used = parameters(room.model), _used(room_id)
    groups = []
    for section in (*sections(room.model), ""):
        found = [
            _field(key, used.get(key.path, []))
            for key in known.values()
            if key.path.rpartition(".")[0] == section and key.affects != "none" and not key.alias_of
        ]
        if found:
            about = (room.model.model_fields[section].annotation.__doc__ or "").strip() if section else ""
            groups.append({"name": section or "general", "about": about, "fields": found})
    usual = {path: plain(value) for path, value in defaults(room.model).items()}
    return {"env": room_id, "about": (room.model.__doc__ or "").strip(), "groups": groups, "defaults": usual}


def plain(value: Any) -> Any:
    """A value of a configuration as JSON has it."""
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def _field(key: Parameter, used: list[float]) -> dict[str, Any]:
    kind, null, _ = key.type.partition("|null")
    control = KINDS[kind]
    if key.choices:
        control = "select" if control == "text" else "names"
    field = {
        "path": key.path,
        "label": key.path.rpartition(".")[2],
        "kind": control,
        "nullable": bool(null),
        "about": key.about,
        "range": _range(key),
        "unit": key.unit,
        "affects": key.affects,
        "default": plain(key.default),
        "choices": list(key.choices) if key.choices else None,
        "asset": key.asset,
    }
    return field | {"slider": slider(key, used)} if control in FEWEST else field


def _range(key: Parameter) -> str:
    """What bounds a number, in words: '1 or more', 'from 0 to 1'; nothing where nothing does."""
    if key.choices or KINDS[key.type.partition("|null")[0]] not in FEWEST:
        return ""
    words = key.shape.removesuffix(" or null").removeprefix("an integer").removeprefix("a number").strip()
    return words.removeprefix("of ")


def slider(key: Parameter, used: list[float]) -> dict[str, float]:
    """First and last value of a slider and its step: the range allowed, or where that is open one around the values in `used`.

    The step of a number is about a two hundredth of the range, that of an integer is 1.
    """
    whole = key.type.startswith("int")
    sizes = sorted({abs(value) for value in (*used, key.default) if value is not None})
    while len(sizes) > 2 and sizes[-1] > OUTLIER * sizes[-2] > 0:
        sizes.pop()
    size = sizes[-1] if sizes else 0
    if whole:
        reach = max(math.ceil(nice(BEYOND * size)), FEWEST["integer"]) if size else UNKNOWN
    else:
        reach = nice(BEYOND * size) if size else FEWEST["number"]
    first = key.minimum if key.minimum is not None else key.above
    last = key.maximum if key.maximum is not None else key.below
    negative, positive = (key.default or 0) < 0 or last == 0, (key.default or 0) > 0
    if first is None:
        first = 0 if positive and (last is None or last > 0) else -reach
    if last is None:
        last = 0 if negative and first < 0 else max(reach, first + 1)
    step = 1 if whole else 10 ** math.floor(math.log10((last - first) / 100))
    if key.above is not None and key.minimum is None:
        first += step
    if key.below is not None and key.maximum is None:
        last -= step
    return {"first": first, "last": last, "step": step}


def nice(value: float) -> float:
    """The least round number that is not below `value` > 0."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * digit for digit in NICE if power * digit >= value * (1 - 1e-9))


@functools.cache
def _used(room_id: str) -> dict[str, list[float]]:
    """The numbers that configurations of kagejax give to each path."""
    found: dict[str, list[float]] = {}
    for name in (room_id, *(name for name in suites.ids() if name.startswith(f"{room_id}/"))):
        for path, value in load(name, {}).flat().items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                found.setdefault(path, []).append(value)
    return found


@functools.cache
def catalogue() -> dict[str, Any]:
    """What can be opened by name: environments, configurations of each, and pairs with their titles, suite by suite."""
    rooms = [room.id for room in registry.rooms()]
    named = [name for name in suites.files() if not name.endswith("/default")]
    pairs = [
        {"suite": suite.id, "title": suite.title, "pairs": [{"id": pair.id, "title": pair.title} for pair in suite.pairs]}
        for suite in suites.suites().values()
    ]
    return {"environments": rooms, "configurations": named, "suites": pairs}
