"""Sweeps of `kagejax render`: `key=first:last:count` or `key=value,value`, one or two, as a grid of configurations."""

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

import yaml

from kagejax.config.problems import ConfigError, Problem, Where

MOST = 400
"""Pictures in a sheet."""


@dataclasses.dataclass(frozen=True)
class Sweep:
    """Values of one key."""

    key: str
    values: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The last part of the key."""
        return self.key.rpartition(".")[2]


def parse(texts: Sequence[str]) -> list[Sweep]:
    """One or two sweeps. Raises ConfigError for what cannot be read, more than two, and too many pictures."""
    sweeps = [_sweep(text) for text in texts]
    if len(sweeps) > 2:
        raise ConfigError(Problem(Where("--sweep"), "", f"Found {len(sweeps)} sweeps; a sheet has two directions at most."))
    if len(sweeps) == 2 and sweeps[0].key == sweeps[1].key:
        raise ConfigError(Problem(Where("--sweep"), sweeps[0].key, "This key is swept twice. Keep one."))
    count = 1
    for sweep in sweeps:
        count *= len(sweep.values)
    if count > MOST:
        raise ConfigError(Problem(Where("--sweep"), "", f"That makes {count:,} pictures; a sheet has {MOST} at most."))
    return sweeps


def grid(sweeps: Sequence[Sweep]) -> list[dict[str, Any]]:
    """Overrides for each picture, row by row: the first sweep goes across, the second down."""
    rows = itertools.product(*(sweep.values for sweep in reversed(sweeps)))
    return [{sweep.key: value for sweep, value in zip(reversed(sweeps), row, strict=True)} for row in rows]


def _sweep(text: str) -> Sweep:
    key, equals, values = text.partition("=")
    if not equals or not key.strip() or not values.strip():
        message = f"Found {text!r}; allowed: KEY=FIRST:LAST:COUNT, such as filters.hue_shift=-180:180:13, or KEY=VALUE,VALUE."
        raise ConfigError(Problem(Where("--sweep"), "", message))
    parts = values.split(":")  # looked at before YAML is, to which 1:20 is a number of base 60
    found = _range(key.strip(), parts) if len(parts) > 1 and "," not in values else _list(key.strip(), values)
    return Sweep(key.strip(), found)


def _range(key: str, parts: Sequence[str]) -> tuple[float, ...]:
    try:
        first, last, count = (kind(part) for kind, part in zip((float, float, int), parts, strict=True))
    except ValueError:
        first, last, count = 0.0, 0.0, 0
    if count < 2 or not math.isfinite(first - last):
        message = f"Found {':'.join(parts)!r}; allowed: FIRST:LAST:COUNT, two numbers and a count of at least 2."
        raise ConfigError(Problem(Where("--sweep"), key, message))
    values = (first + (last - first) * step / (count - 1) for step in range(count))
    return tuple(int(value) if value.is_integer() else round(value, 6) for value in values)


def _list(key: str, text: str) -> tuple[Any, ...]:
    try:
        values = yaml.safe_load(f"[{text}]")
    except yaml.YAMLError:
        raise ConfigError(Problem(Where("--sweep"), key, f"{text!r} is not a list of values in YAML.")) from None
    return tuple(values)
