"""Puzzles as text grids: the rows of a record with the line drawn in. Host side, plain Python."""

import json
from collections.abc import Sequence

from .names import COLORS
from .puzzles import Position, Puzzle

VISITED, HEAD, FREE = "V", "L", "+"
LEGEND = (
    "S start, E end, + free, . dot, G gap, V line, L head of the line, N empty cell,\n"
    "o square, * star, A-D triangle of 1-4, P poly, Y ylop (then its colour and shape),\n"
    f"colours: {', '.join(f'{letter} {color}' for color, letter in COLORS.items())}"
)
"""What the rows of a grid say, for people."""


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
