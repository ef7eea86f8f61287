"""New levels by the laws of the splits: layouts, acceptance, order. Host side. SPEC section 5.

Level i of a split depends on the master seed, the split and i alone: it is found with a random generator of its own. Where
length bands rise from the first level to the last (S and hidden-style), its band depends on how many there are, too.
"""

import dataclasses
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from . import solver, themes
from .levels import Entry, Split
from .text import Level

MOST_TRIES = 200_000
"""Layouts drawn for one level before its length band is widened."""
WIDER_BELOW, WIDER_ABOVE, WIDENINGS = 3, 4, 3
LEAST_LENGTH, LEAST_STEPS, STEPS_PER_MOVE = 2, 30, 3
BOUNDED = 200_000
"""Expansions of the published search, by which "compat" laws take a level for solvable."""


@dataclasses.dataclass(frozen=True)
class Law:
    """How levels of a split are drawn and which are kept."""

    size: int  # cells a side, border included
    boxes: int
    density: float  # chance of a wall in each inner cell
    band: tuple[int, int]  # optimal length, of the first level where `last_band` is given
    last_band: tuple[int, int] | None = None  # of the last level; bands between are interpolated
    max_steps: int | None = None  # None: three times the optimal length, at least 30
    trap: float | None = None  # least share of the first pushes that must be fatal, and at least one; None: no such test
    theme: str = "default"  # law of themes.LAWS, drawn for each level
    rooms: int = 0  # rectangles that the floor is made of; 0: the whole inside
    search: str = "exact"  # or "bounded": solved within BOUNDED expansions, as published


TIERS = (
    (25, Law(8, 1, 0.10, (4, 8), (14, 20))),
    (25, Law(8, 2, 0.12, (9, 14), (22, 30))),
    (30, Law(8, 3, 0.14, (13, 18), (28, 38))),
    (20, Law(8, 4, 0.18, (17, 23), (34, 46))),
)
"""The ramp of a hidden set: how many levels, by which law."""
LAWS = {
    "W": Law(6, 1, 0.12, (4, 25), max_steps=40),
    "S": Law(8, 1, 0.10, (4, 8), (14, 20)),
    "A": Law(8, 3, 0.10, (10, 50), max_steps=80),
    "B": Law(8, 3, 0.10, (10, 50), max_steps=80, theme="classic"),
    "C": Law(10, 3, 0.10, (15, 70), max_steps=120),
    "D": Law(8, 3, 0.14, (8, 50), max_steps=80, trap=0.0),
    "E": Law(10, 5, 0.08, (15, 90), max_steps=160),
    "B-plus": Law(8, 3, 0.10, (10, 50), max_steps=80, theme="plus"),
    "C-compat": Law(10, 3, 0.10, (15, 70), max_steps=120, search="bounded"),
    "D-hard": Law(8, 3, 0.14, (8, 50), max_steps=80, trap=0.5),
    "C-plus": Law(10, 3, 0.05, (15, 70), max_steps=120, rooms=3),
    "dataset": Law(8, 3, 0.12, (2, 30), max_steps=80),
    **{f"T{number}": law for number, (_, law) in enumerate(TIERS, 1)},
}
"""Splits of one law. B-plus, C-plus (rooms of other shapes), D-hard and C (by exact search) are beside the published ones; T1
to T4 are the tiers of the ramp by themselves."""
RAMP = "hidden-style"


class Found(NamedTuple):
    """A level that was kept."""

    level: Level
    length: int  # fewest moves
    band: tuple[int, int]  # that it was asked for, widened if it had to be
    layouts: int  # drawn until it was found


def layout(random: np.random.Generator, law: Law) -> Level | None:
    """One layout by the common sampler, or None where too few cells are free."""
    inner = law.size - 2
    walls = np.ones((law.size, law.size), bool)
    walls[1:-1, 1:-1] = random.random((inner, inner)) < law.density
    if law.rooms:
        walls |= ~rooms(random, law)
    free = np.flatnonzero(~walls)
    if len(free) < 2 * law.boxes + 1:
        return None
    cells = random.permutation(free)[: 2 * law.boxes + 1]
    boxes, goals = np.zeros((2, law.size, law.size), bool)
    boxes.reshape(-1)[cells[: law.boxes]] = True
    goals.reshape(-1)[cells[law.boxes : -1]] = True
    return Level(walls, goals, boxes, int(cells[-1]))


def rooms(random: np.random.Generator, law: Law) -> np.ndarray:
    """The floor of a board, bool [size, size]: overlapping rectangles, each reaching into what is there already."""
    floor = np.zeros((law.size, law.size), bool)
    row, column = random.integers(2, law.size - 2, 2)
    for _ in range(law.rooms):
        height, width = random.integers(3, max(4, law.size // 2 + 1), 2)
        top = int(np.clip(row - random.integers(height), 1, law.size - 1 - height))
        left = int(np.clip(column - random.integers(width), 1, law.size - 1 - width))
        floor[top : top + height, left : left + width] = True
        row, column = random.permutation(np.argwhere(floor))[0]
    return floor


def band(law: Law, index: int, count: int) -> tuple[int, int]:
    """Length band of level `index` of `count`: interpolated, halves rounded to even, at least 2 wide where it is."""
    if law.last_band is None:
        return law.band
    share = index / (count - 1) if count > 1 else 0.0
    low, high = (round(first + share * (last - first)) for first, last in zip(law.band, law.last_band, strict=True))
    return low, max(high, low + 2)


def accepted(level: Level, law: Law, wanted: tuple[int, int]) -> int | None:
    """The optimal length of a level that is kept, else None."""
    if solver.corner_dead(level.walls, level.goals, level.boxes):
        return None  # half of all layouts, and far cheaper to see than to search
    if law.search == "bounded" and not isinstance(solver.breadth_first(level, BOUNDED), solver.Solved):
        return None
    found = solver.solve(level)
    if not isinstance(found, solver.Solved) or not wanted[0] <= found.length <= wanted[1]:
        return None
    if law.trap is not None:
        fatal = [dead for *_, dead in solver.first_pushes(level)]
        if not any(fatal) or sum(fatal) < law.trap * len(fatal):
            return None
    return found.length


def find(law: Law, wanted: tuple[int, int], random: np.random.Generator, most_tries: int = MOST_TRIES) -> Found:
    """The first accepted level of the layouts that `random` gives. Where `most_tries` of them hold none, the band is widened,
    up to three times. Raises RuntimeError if that does not help either."""
    drawn = 0
    for widened in range(WIDENINGS + 1):
        if widened:
            wanted = max(LEAST_LENGTH, wanted[0] - WIDER_BELOW), wanted[1] + WIDER_ABOVE
        for _ in range(most_tries):
            drawn += 1
            level = layout(random, law)
            length = None if level is None else accepted(level, law, wanted)
            if length is not None:
                return Found(level, length, wanted, drawn)
    raise RuntimeError(f"None of {drawn:,} layouts gave a level with {wanted[0]} to {wanted[1]} moves.")


def entry(name: str, law: Law, seed: int, index: int, place: int, count: int) -> Entry:
    """Level `index` of split `name`, the one at `place` of the `count` of its law (a tier of the ramp begins anew)."""
    random = np.random.default_rng([seed, index, *name.encode()])
    found = find(law, band(law, place, count), random)
    theme = None
    if law.theme in themes.LAWS:
        theme = themes.to_json(themes.LAWS[law.theme](np.random.default_rng([seed, index, 1, *name.encode()])))
    steps = law.max_steps or max(LEAST_STEPS, STEPS_PER_MOVE * found.length)
    extra = {"n_crates": law.boxes, "band": list(found.band)}
    return Entry(found.level, found.length, steps, theme, extra)


def plan(name: str, count: int) -> list[tuple[Law, int, int]]:
    """For each level of a split of `count` its law, its place in the run of that law, and the run's length.

    Raises ValueError for a split that there is not.
    """
    if name in LAWS:
        return [(LAWS[name], i, count) for i in range(count)]
    if name != RAMP:
        raise ValueError(f"There is no split {name!r}; there are {', '.join(LAWS)} and {RAMP}.")
    total = sum(levels for levels, _ in TIERS)
    ends = np.cumsum([0, *(levels for levels, _ in TIERS)]) * count // total
    runs = [(law, int(end - first)) for (_, law), first, end in zip(TIERS, ends, ends[1:], strict=False)]
    return [(law, i, length) for law, length in runs for i in range(length)]


def generate(name: str, seed: int, count: int) -> Iterator[Entry]:
    """The `count` levels of split `name`, one after the other."""
    for index, (law, place, run) in enumerate(plan(name, count)):
        yield entry(name, law, seed, index, place, run)


def split(name: str, seed: int, count: int, progress: Callable[[int], None] = lambda done: None) -> Split:
    """A whole split; `progress(levels found)` is called after each."""
    entries = []
    for found in generate(name, seed, count):
        entries.append(found)
        progress(len(entries))
    return Split(f"split_{name}", seed, None, tuple(entries), {"solver": "exact"})
