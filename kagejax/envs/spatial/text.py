"""Puzzles as text grids: the rows of a record with the line drawn in. Host side, plain Python."""

import json
from collections.abc import Sequence

from .puzzles import Position, Puzzle

VISITED, HEAD, FREE = "V", "L", "+"


def grid(puzzle: Puzzle, path: Sequence[Position] = ()) -> tuple[tuple[str, ...], ...]:
    """Rows of symbols (SPEC section 2.1), with V where the line went and L at its head once it has left the start.

    Nothing is lost: what the line has left shows its own symbol again.
    """
    rows = [list(row) for row in puzzle.grid]
    if len(path) > 1:
        for x, y in path:
            rows[y][x] = VISITED
        x, y = path[-1]
        rows[y][x] = HEAD
    return tuple(map(tuple, rows))


def shown(rows: Sequence[Sequence[str]]) -> str:
    """Rows for people: columns of one width."""
    wide = max(len(symbol) for row in rows for symbol in row)
    return "\n".join(" ".join(symbol.ljust(wide) for symbol in row).rstrip() for row in rows)


def compact(rows: Sequence[Sequence[str]]) -> str:
    """Rows as one JSON string without blanks, as the published text observation has them."""
    return json.dumps(rows, separators=(",", ":"))
