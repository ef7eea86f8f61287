"""Exact answers about a path puzzle, on the host: all its solutions, one of them, the shortest. SPEC section 3.

Lines are drawn from the start, vertex by vertex, in the order of stored lists. After each move is asked, with sets of places as
words of bits, what may still be reached; which cells are in one region for sure, which may be; and so whether end and dots are
in reach, triangles can have their counts, and regions can come right. A region that nothing can divide any more is judged for
good, polys and ylops by an exact search whose answers are kept. No solution is lost, so a finished search is a proof. Needs
numba, imported at the first search.

`nodes` is what a search may spend: moves of the line tried, and looks for a piece. Without it, a search ends when it is done,
however long that takes.
"""

import dataclasses
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from .record_types import Path, Position, Puzzle, line_flaw
from .solver_problem import Problem, kernels

__all__ = ["Found", "GaveUp", "Outcome", "Solved", "Unsolvable", "first", "shortest", "solutions", "valid"]

NODES_PER_CALL = 1_000_000  # half a second: between calls an interruption is heard
LINES_PER_CALL = 256


class Found(NamedTuple):
    """Solutions, in the order of stored lists."""

    paths: tuple[Path, ...]
    complete: bool  # whether these are all; False where a limit ended the search, even if there were no more
    nodes: int  # spent


@dataclasses.dataclass(frozen=True)
class Solved:
    """A solution."""

    path: Path
    nodes: int


@dataclasses.dataclass(frozen=True)
class Unsolvable:
    """There is no solution: proved."""

    nodes: int


@dataclasses.dataclass(frozen=True)
class GaveUp:
    """The nodes were spent before there was an answer."""

    nodes: int
    best: Path | None = None  # of `shortest`: the shortest solution so far


Outcome = Solved | Unsolvable | GaveUp


def solutions(puzzle: Puzzle, limit: int | None = None, nodes: int | None = None) -> Found:
    """All solutions, or the first `limit`; fewer where `nodes` were spent.

    A board with few symbols has more solutions than memory holds: give a limit where that may be. Raises ValueError for a board
    of more than 128 vertices (10 x 10 cells have 121).
    """
    search = _Search(puzzle, limit, nodes)
    return Found(tuple(search.paths()), search.done, search.nodes)


def first(puzzle: Puzzle, nodes: int | None = None) -> Outcome:
    """The first solution in the order of stored lists. Raises ValueError as `solutions` does."""
    search = _Search(puzzle, 1, nodes)
    for path in search.paths():
        return Solved(path, search.nodes)
    return Unsolvable(search.nodes) if search.done else GaveUp(search.nodes)


def shortest(puzzle: Puzzle, nodes: int | None = None) -> Outcome:
    """A solution with fewest moves, of these the first in the order of stored lists. Raises ValueError as `solutions` does."""
    search, best = _Search(puzzle, None, nodes, shorter=True), None
    for path in search.paths():
        best = path
    if not search.done:
        return GaveUp(search.nodes, best)
    return Unsolvable(search.nodes) if best is None else Solved(best, search.nodes)


def valid(puzzle: Puzzle, path: Iterable[Position]) -> bool:
    """Whether a path solves the puzzle. Any list of positions may be asked about. Raises ValueError as `solutions` does."""
    path = tuple((int(x), int(y)) for x, y in path)
    problem = Problem(puzzle)
    if line_flaw(puzzle, path) is not None:
        return False
    visited, edges = problem.vertices(path), problem.edges(path)
    loops, _, _ = kernels()
    return bool(loops.complete(*problem.arguments, visited, *edges, problem.set_of(())))


class _Search:
    """One search, a part at a time."""

    def __init__(self, puzzle: Puzzle, limit: int | None, nodes: int | None, shorter: bool = False):
        for name, value in (("limit", limit), ("nodes", nodes)):
            if value is not None and value < 0:
                raise ValueError(f"Found {name} = {value}; allowed: 0 or more, or None for no limit.")
        self.problem, self.limit, self.most, self.shorter = Problem(puzzle), limit, nodes, shorter
        self.done = False

    @property
    def nodes(self) -> int:
        """Spent so far."""
        return int(self.problem.progress[kernels()[0].NODES] + self.problem.arguments.scratch.steps[0])

    def paths(self) -> Iterator[Path]:
        """Solutions, one after the other; sets `done` when there are no more."""
        loops, problem, given = kernels()[0], self.problem, 0
        while (self.limit is None or given < self.limit) and (self.most is None or self.nodes < self.most):
            rows = LINES_PER_CALL if self.limit is None else min(LINES_PER_CALL, self.limit - given)
            found, lengths = np.zeros((rows, problem.places + 1), np.int16), np.zeros(rows, np.int64)
            spend = self.nodes + NODES_PER_CALL if self.most is None else min(self.nodes + NODES_PER_CALL, self.most)
            problem.progress[loops.FOUND] = 0
            arguments = (*problem.arguments, problem.stack, problem.progress, found, lengths)
            end = loops.search(*arguments, spend, self.shorter)
            for row in range(problem.progress[loops.FOUND]):
                given += 1
                yield problem.path(found[row, : lengths[row]])
            if end == loops.DONE:
                self.done = True
                return
