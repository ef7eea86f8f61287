"""Whether a path is a proper line, symbols aside. SPEC section 4, ISSUES I30."""

from collections.abc import Sequence
from itertools import islice, pairwise

from kagejax.envs.spatial.puzzles import Position, Puzzle, line_flaw

PUBLISHED = (
    "starts_at_start_ends_at_exit",
    "connected_line",
    "non_intersecting_line",
    "start_to_exit_connected",
    "no_rule_crossing",
    "fully_valid_path",
)
"""The booleans of the published figures; they look neither at gaps nor at the bounds of the board."""

OURS = ("in_bounds", "avoids_gaps", "line_valid")
"""What they leave out, and whether the line keeps all of the rules of lines."""


def analyze(path: Sequence[Position] | None, puzzle: Puzzle) -> dict[str, bool]:
    """All of PUBLISHED and OURS; all false for no path."""
    if not path:
        return dict.fromkeys((*PUBLISHED, *OURS), False)
    path = tuple((x, y) for x, y in path)
    ends = path[0] == puzzle.start and path[-1] == puzzle.end
    connected = all(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in pairwise(path))
    simple = len(set(path)) == len(path)
    inside = [0 <= x < puzzle.lattice_w and 0 <= y < puzzle.lattice_h for x, y in path]
    # The published check looks at neither end, and a position off the board is no rule cell.
    clear = not any(x % 2 and y % 2 and within for (x, y), within in islice(zip(path, inside, strict=True), 1, len(path) - 1))
    published = (ends, connected, simple, ends and connected, clear, ends and connected and simple and clear)
    ours = (all(inside), not set(path) & set(puzzle.gaps), line_flaw(puzzle, path) is None)
    return dict(zip((*PUBLISHED, *OURS), (*published, *ours), strict=True))
