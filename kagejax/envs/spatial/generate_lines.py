"""Random lines: where they start and end, and how they run."""

import functools
from collections.abc import Sequence

import numpy as np

from . import generate_laws as laws
from .names import ACTIONS
from .record_types import Path, Position, is_cell, is_edge, on_border

STEPS = tuple((action.dx, action.dy) for action in ACTIONS)


def pick(random: np.random.Generator, weights: Sequence[float]) -> int:
    """A place in `weights`, by its weight."""
    mark = random.random() * sum(weights)
    for place, weight in enumerate(weights):
        mark -= weight
        if mark < 0:
            return place
    return max(place for place, weight in enumerate(weights) if weight > 0)


def border(width: int, height: int) -> tuple[list[Position], list[Position], list[Position]]:
    """Positions on the boundary of a lattice: corners, other vertices, edges."""
    around = [(x, y) for y in range(height) for x in range(width) if x in (0, width - 1) or y in (0, height - 1)]
    corners = [(x, y) for x, y in around if x in (0, width - 1) and y in (0, height - 1)]
    edges = [place for place in around if is_edge(*place)]
    return corners, [place for place in around if place not in corners and place not in edges], edges


def terminal(
    random: np.random.Generator, lattice: tuple[int, int], shares: Sequence[float], other: Position | None = None
) -> Position:
    """A place on the border for a start or an end: `shares` for corners, other vertices and edges."""
    places = [[place for place in group if place != other] for group in border(*lattice)]
    group = pick(random, [share if there else 0 for share, there in zip(shares, places, strict=True)])
    return places[group][random.integers(len(places[group]))]


def wrapped(random: np.random.Generator, start: Position) -> Path:
    """From a start on an edge of the border, the way around its cell: all four edges of the cell are on it then."""
    x, y = start
    inwards = (0, 1 if y == 0 else -1) if x % 2 else (1 if x == 0 else -1, 0)
    side = 1 if random.random() < 0.5 else -1
    along = (side, 0) if x % 2 else (0, side)
    path = [start]
    for (dx, dy), steps in ((along, 1), (inwards, 2), ((-along[0], -along[1]), 2), ((-inwards[0], -inwards[1]), 2)):
        for _ in range(steps):
            path.append((path[-1][0] + dx, path[-1][1] + dy))
    return tuple(path)


def line(
    random: np.random.Generator, lattice: tuple[int, int], start: Position, end: Position, beginning: Path = ()
) -> Path | None:
    """A random line from start to end: at each vertex one of the ways on from which the end can still be reached.

    beginning: how the line begins. None where the end cannot be reached from there.
    """
    board = _board(*lattice)
    path = list(beginning or (start,))
    free = board.walkable
    for place in path:
        free &= ~board.bit(place)
    if end in path or not free & board.bit(end):
        return None
    while path[-1] != end:
        x, y = path[-1]
        ways = [(x + dx, y + dy) for dx, dy in STEPS if free & board.bit((x + dx, y + dy))]
        if not is_edge(x, y) or len(path) == 1:
            near = board.reached(end, free)
            ways = [place for place in ways if near & board.bit(place)]
        if not ways:
            return None
        path.append(ways[random.integers(len(ways))])
        free &= ~board.bit(path[-1])
    return tuple(path)


def winding(random: np.random.Generator, lattice: tuple[int, int], triangles: bool) -> Path | None:
    """A line from border to border, the longest of a few: those of the public puzzles wind a lot. None where none was found."""
    start = terminal(random, lattice, laws.START_SHARES)
    end = terminal(random, lattice, laws.END_SHARES, start)
    wrap = [place for place in (start, end) if is_edge(*place)] if triangles and random.random() < laws.WRAPPING_CHANCE else []
    first = wrap[random.integers(len(wrap))] if wrap else start
    beginning = wrapped(random, first) if wrap else ()
    last = end if first == start else start
    lines = [line(random, lattice, first, last, beginning) for _ in range(laws.LINES)]
    longest = max(filter(None, lines), key=len, default=None)
    return longest if longest is None or first == start else longest[::-1]


def dots_on(random: np.random.Generator, path: Path, count: int) -> tuple[Position, ...]:
    """Dots on a line, fewer where it is short."""
    places = path[1:-1]
    chosen = random.permutation(len(places))[:count]
    return tuple(sorted((places[place] for place in chosen), key=lambda place: place[::-1]))


def gaps_beside(random: np.random.Generator, lattice: tuple[int, int], path: Path, count: int) -> tuple[Position, ...]:
    """Gaps that a line does not use, fewer where it leaves few edges."""
    used = set(path)
    places = [(x, y) for y in range(lattice[1]) for x in range(lattice[0]) if is_edge(x, y) and (x, y) not in used]
    weights = [laws.BORDER_GAP_WEIGHT if on_border(*place, *lattice) else 1 for place in places]
    chosen = []
    for _ in range(min(count, len(places))):
        at = pick(random, weights)
        chosen.append(places.pop(at))
        weights.pop(at)
    return tuple(sorted(chosen, key=lambda place: place[::-1]))


@functools.cache
def _board(width: int, height: int) -> "_Board":
    return _Board(width, height)


class _Board:
    """Sets of positions as the bits of a number, with an empty column at each side."""

    def __init__(self, width: int, height: int):
        self.stride = width + 1
        self.walkable = sum(self.bit((x, y)) for y in range(height) for x in range(width) if not is_cell(x, y))

    def bit(self, place: Position) -> int:
        """The set of a position of the lattice or next to it."""
        return 1 << (place[1] + 1) * self.stride + place[0] + 1

    def reached(self, place: Position, free: int) -> int:
        """Positions that a walk over free ones gets to."""
        found, fresh = 0, self.bit(place)
        while fresh:
            found |= fresh
            fresh = (fresh << 1 | fresh >> 1 | fresh << self.stride | fresh >> self.stride) & free & ~found
        return found
