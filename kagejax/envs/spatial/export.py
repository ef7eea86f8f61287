"""Observations as the published environment gives them, for those who compare with it. SPEC section 6. Host side, NumPy.

`tensors` is its observation "new". `Record` keeps its text observation "SPaRC", which depends on what was drawn before: with
`compatible` it forgets as the original does (a dot or the start that was stepped back from becomes a plain position).
"""

from collections.abc import Sequence

import numpy as np

from .names import COLORS
from .puzzles import Position, Puzzle
from .text import FREE, HEAD, VISITED, compact, grid

CODES = {color: code for code, color in enumerate(COLORS, start=1)}


def tensors(puzzle: Puzzle, path: Sequence[Position] = ()) -> dict:
    """`{"base": {layer: i32}, "color": i32, "additional_info": i64}`, arrays [lattice columns, lattice rows] indexed [x, y].

    Layers of kinds that the puzzle lacks are missing; `gaps` marks all that a line cannot enter, rule cells too.
    """
    size = puzzle.lattice_w, puzzle.lattice_h
    path = tuple(path) or (puzzle.start,)

    def layer(places: Sequence[Position]) -> np.ndarray:
        plane = np.zeros(size, np.int32)
        for x, y in places:
            plane[x, y] = 1
        return plane

    rule_cells = [(x, y) for x in range(1, size[0], 2) for y in range(1, size[1], 2)]
    base = {
        "visited": layer(path),
        "gaps": layer([*puzzle.gaps, *rule_cells]),
        "agent_location": layer(path[-1:]),
        "target_location": layer([puzzle.end]),
    }
    color, info = np.zeros(size, np.int32), np.zeros(size, np.int64)
    marks = [(place, "dot") for place in puzzle.dots] + [((s.x, s.y), s.kind) for s in puzzle.symbols]
    for place, kind in sorted(marks):  # by x, then y: the order of the record's list of symbols
        base.setdefault(kind, np.zeros(size, np.int32))[place] = 1
    for symbol in puzzle.symbols:
        color[symbol.x, symbol.y] = CODES[symbol.color]
        info[symbol.x, symbol.y] = symbol.count or int(symbol.shape or 0)
    return {"base": base, "color": color, "additional_info": info}


class Record:
    """The text observation of one episode: `move` along it, read `text`."""

    def __init__(self, puzzle: Puzzle, compatible: bool = False):
        self._puzzle, self._compatible = puzzle, compatible
        self._path = [puzzle.start]
        self._rows = [list(row) for row in puzzle.grid]

    def move(self, place: Position) -> None:
        """The head goes to `place`: forward, back to the position before, or nowhere (the same place)."""
        x, y = self._path[-1]
        if place == (x, y):
            return
        back = len(self._path) > 1 and place == self._path[-2]
        self._rows[y][x] = FREE if back else VISITED
        if back:
            self._path.pop()
        else:
            self._path.append(place)
        self._rows[place[1]][place[0]] = HEAD

    @property
    def text(self) -> str:
        """JSON of the rows, without blanks."""
        return compact(self._rows if self._compatible else grid(self._puzzle, self._path))
