"""Exact answers about a level, on the host: its shortest solutions, and which boards are dead. SPEC 3.3, 5.4 and 6.

Small levels, among them all of 8x8 with up to four boxes and of 10x10 with up to three, have a table of all their boards
(`table.py`), made in milliseconds and kept for the next question about the same walls and goals. A solution for which a table
would not be tiny, and all else about larger levels, is searched for (`search.py`). A board is dead if no actions, however many,
lead from it to solved; `corner_dead` and `bounded_dead` are two other notions that go by this name, kept for comparison with
published figures. All of this needs numba.

Levels and boards are as in `table.py`: `level` has walls, goals and boxes, bool [rows, columns], and player, a cell. All
functions raise ValueError for what is no level or no board.
"""

import dataclasses
import functools
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .search import (
    Budget,
    GaveUp,
    Outcome,
    Problem,
    Solved,
    Unsolvable,
    empty_store,
    field_of,
    loops,
    problem_of,
    shortest,
    words_of,
    work_for,
)
from .table import Table, ahead, cells_of, check, kernels, played, survey

__all__ = [
    "Budget", "GaveUp", "Outcome", "Push", "Solved", "Unsolvable", "bounded_dead", "breadth_first", "corner_dead", "dead",
    "first_pushes", "is_solvable", "solve",
]  # fmt: skip

SOLVE_ENTRIES = 2**17  # with a larger table, a search is quicker for a single solution
TABLE_ENTRIES = 2**22  # and here for a question about a single board
KEPT_TABLES = 4
EXPANSIONS = 200_000  # of the plain search when levels are made
FEW_EXPANSIONS = 2_000
DEAD_EXPANSIONS = 50_000  # and when boards are called dead


class Push(NamedTuple):
    """A first push of a level."""

    player: int  # cell from which it is made
    action: int
    dead: bool  # whether it leads to a dead board


class Board(NamedTuple):
    """A level with other boxes and player."""

    walls: np.ndarray  # bool [rows, columns]
    goals: np.ndarray  # bool [rows, columns]
    boxes: np.ndarray  # bool [rows, columns]
    player: int


def solve(level, budget: Budget | None = None, metric: str = "moves", most_entries: int = SOLVE_ENTRIES) -> Outcome:
    """An optimal solution: Solved, or Unsolvable where that is proved, or GaveUp where the budget is spent.

    metric: "moves", or "pushes", where of the solutions with fewest pushes one with fewest moves is taken. A level whose table
    would have more than `most_entries` is searched, and only a search minds the budget. Fewest pushes are not searched for:
    they take a table of whatever size up to 2**28 entries, and beyond raise ValueError. From a table comes, of all optimal
    solutions, the first in the order up, down, left, right at every step.
    """
    check(level)
    if level.boxes.sum() != level.goals.sum():
        return Unsolvable(f"there are {level.boxes.sum()} boxes for {level.goals.sum()} goals")
    known = survey(level.walls, level.goals)
    touchable = kernels().spread(~level.walls, _mask(level.walls, [level.player]), 0)
    if (level.boxes & touchable & ~known.alive).any():
        return Unsolvable("a box stands where it cannot be brought to any goal")
    if metric == "moves" and known.entries > most_entries:
        return shortest(level, budget)
    actions = _table(_Key.of(level, metric)).solution(level.boxes, level.player)
    if actions is None:
        return Unsolvable("no actions lead from the start to a solved board")
    return Solved(len(actions), actions)


def is_solvable(level, most_entries: int = SOLVE_ENTRIES) -> bool:
    """Whether some actions solve the level."""
    return isinstance(solve(level, most_entries=most_entries), Solved)


def dead(level, boxes: Iterable[int] | np.ndarray, player: int, most_entries: int = TABLE_ENTRIES) -> bool:
    """Whether no actions lead from a board of the level to solved. Levels with a larger table than that are searched."""
    board = _board(level, boxes, player)
    if survey(level.walls, level.goals).entries > most_entries:
        return isinstance(shortest(board), Unsolvable)
    return _table(_Key.of(board, "moves")).is_dead(board.boxes, board.player)


def first_pushes(level, most_entries: int = TABLE_ENTRIES) -> list[Push]:
    """All pushes that can be made first, by the player's cell and then the action: where a level has traps (SPEC 5.4)."""
    check(level)
    boxes = cells_of(level.boxes)
    reached = kernels().spread(~(level.walls | level.boxes), _mask(level.walls, [level.player]), 0)
    found = []
    for player in cells_of(reached):
        for action in range(4):
            if ahead(level.walls, player, action, 1) in boxes and (after := played(level.walls, boxes, player, action)):
                found.append(Push(player, action, dead(level, *after, most_entries)))
    return found


def corner_dead(walls: np.ndarray, goals: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Whether a box on no goal has a wall above or below and one to the left or right, bool [...]; takes [..., rows, columns].

    All such boards are dead, but most dead boards are not such.
    """
    return (boxes & ~goals & _corners(walls)).any((-2, -1))


def _corners(walls: np.ndarray) -> np.ndarray:
    """Cells with a wall above or below and one to the left or right, bool [..., rows, columns]; outside there are walls."""
    beside = np.pad(walls, [(0, 0)] * (walls.ndim - 2) + [(1, 1), (1, 1)], constant_values=True)
    vertical = beside[..., :-2, 1:-1] | beside[..., 2:, 1:-1]
    horizontal = beside[..., 1:-1, :-2] | beside[..., 1:-1, 2:]
    return vertical & horizontal


def breadth_first(level, expansions: int = EXPANSIONS) -> Outcome:
    """The plain forward search of SPEC 6.1: GaveUp once more than `expansions` boards would have to be expanded.

    Actions are tried in the order up, down, left, right and boards expanded in the order they were met in; boards that are
    `corner_dead` are not expanded, but for the start. So it finds or gives up on what others do that search by these rules.
    """
    started = time.monotonic()
    problem = problem_of(level)
    if isinstance(problem, Unsolvable):
        return problem
    if problem.boxes == cells_of(problem.goals):
        return Solved(0, ())
    for most in (min(FEW_EXPANSIONS, expansions), expansions):  # most searches are short and need not ask for much memory
        outcome = _breadth_first(problem, most)
        if outcome != loops().GAVE_UP:
            break
    if outcome == loops().GAVE_UP:
        return GaveUp(expansions, time.monotonic() - started)
    if outcome == loops().EXHAUSTED:
        return Unsolvable("no actions lead from the start to a solved board")
    return Solved(len(outcome), outcome)


def _breadth_first(problem: Problem, expansions: int) -> tuple[int, ...] | int:
    """The actions of a solution, or else what `search_kernels.breadth_first` says."""
    area, nothing = problem.area, np.zeros(problem.walls.shape, bool)
    stuck = _corners(problem.walls) & ~problem.goals
    store, work = empty_store(4 * expansions + 2, area.region.size), work_for(area)
    queue = np.zeros((4 * expansions + 2, 4), np.int64)
    work[kernels().MOVED, 1:-1] = words_of(area, area.spot[list(problem.boxes)])
    queue[0, 0], queue[0, 1] = loops().add(store, work, kernels().MOVED), area.spot[problem.player]
    store.seen[0, 0] = words_of(area, area.spot[[problem.player]])
    end = loops().breadth_first(field_of(problem, nothing, nothing), store, work, area.words(stuck), queue, expansions)
    if end < 0:
        return end
    actions = []
    while end:
        actions.append(int(queue[end, 3]))
        end = queue[end, 2]
    return tuple(reversed(actions))


def bounded_dead(level, boxes: Iterable[int] | np.ndarray, player: int, expansions: int = DEAD_EXPANSIONS) -> bool:
    """Whether `breadth_first` finds no solution from a board of the level: it is dead, or it only asks for a longer search."""
    return not isinstance(breadth_first(_board(level, boxes, player), expansions), Solved)


def _board(level, boxes: Iterable[int] | np.ndarray, player: int) -> Board:
    board = Board(level.walls, level.goals, _mask(level.walls, cells_of(boxes)), int(player))
    check(board)
    return board


def _mask(walls: np.ndarray, cells: Iterable[int]) -> np.ndarray:
    mask, cells = np.zeros(walls.shape, bool), list(cells)
    if any(not 0 <= cell < walls.size for cell in cells):
        raise ValueError(f"Cells {cells} are not all on a board of {walls.size} cells.")
    mask.reshape(-1)[cells] = True
    return mask


@dataclasses.dataclass(frozen=True)
class _Key:
    """What a table depends on."""

    level: Any = dataclasses.field(compare=False)
    walls: bytes
    goals: bytes
    shape: tuple[int, int]
    metric: str

    @classmethod
    def of(cls, level, metric: str) -> "_Key":
        return cls(level, level.walls.tobytes(), level.goals.tobytes(), level.walls.shape, metric)


@functools.lru_cache(maxsize=KEPT_TABLES)
def _table(key: _Key) -> Table:
    return Table(key.level, key.metric)
