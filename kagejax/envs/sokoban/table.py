"""The exact distance to solved of every board of a level at once, by breadth-first search backwards from the solved boards.

A table has a row for each choice of cells for the boxes and a column for each cell of the player. Boxes stand only on cells
from which one could be brought to a goal were it alone: with a box anywhere else a board is dead, and needs no entry. Needs
numba, which is imported with the first table.

Boards are given as cells (row * columns + column) or, the boxes, as bool [rows, columns]. Boxes that no player can ever touch
and players walled off from the goals are looked up as well as any others. Costs are moves or, with metric="pushes", pushes.
"""

import functools
import math
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import NamedTuple

import numpy as np

MOST_ENTRIES = 2**28  # of a table, a byte or two each for moves and four for pushes
MOST_MOVES = 65_535  # that a table can tell apart
DEAD = -1
MOST_COLUMNS = 63
METRICS = ("moves", "pushes")


class Area(NamedTuple):
    """A rectangle of a board, numbered in reading order, and its sets of cells as the kernels take them, W words each."""

    cells: np.ndarray  # i64 [A], cell of the board
    spot: np.ndarray  # i64 [rows * columns], number in the area; -1 outside
    region: np.ndarray  # u64 [W], cells of it that are looked at
    wide: int  # its columns
    landing: np.ndarray  # u64 [4, W], cells that can be entered in a direction

    def words(self, cells: np.ndarray) -> np.ndarray:
        """A set of cells of the board, bool [rows, columns], as words, u64 [W]; cells outside the area are left out."""
        return packed(cells.reshape(-1)[self.cells])


class Statistics(NamedTuple):
    """Of a level with k boxes and F cells that are no wall."""

    free_cells: int  # F
    index_size: int  # C(F, k) * F: boards, if players might stand in boxes
    solvable_states: int  # boards from which the level can be solved, wherever the player stands
    max_distance: int  # largest cost of those


@functools.cache
def kernels() -> ModuleType:
    """The compiled loops of tables. Raises ImportError, with what to install, where numba is missing."""
    try:
        from . import kernels
    except ImportError as error:
        raise ImportError("Exact Sokoban solutions need numba; install it with: pip install 'kagejax[solver]'") from error
    return kernels


def packed(cells: np.ndarray) -> np.ndarray:
    """Bool [A] as words, u64 [ceil(A / 64)]."""
    whole = np.zeros(-(-cells.size // 64) * 64, bool)
    whole[: cells.size] = cells
    return np.packbits(whole, bitorder="little").view("<u8").astype(np.uint64)


def area_of(region: np.ndarray) -> Area:
    """The smallest rectangle around `region`, bool [rows, columns]; a single cell where that is empty."""
    rows, columns = np.flatnonzero(region.any(1)), np.flatnonzero(region.any(0))
    if not rows.size:
        rows = columns = np.zeros(1, np.int64)
    inside = region[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    high, wide = inside.shape
    cells = (np.arange(rows[0], rows[-1] + 1)[:, None] * region.shape[1] + np.arange(columns[0], columns[-1] + 1)).reshape(-1)
    spot = np.full(region.size, -1)
    spot[cells] = np.arange(cells.size)
    landing = np.repeat(inside[None], 4, 0)
    landing[0, -1], landing[1, 0], landing[2, :, -1], landing[3, :, 0] = False, False, False, False
    landing = np.stack([packed(cells) for cells in landing.reshape(4, -1)])
    return Area(cells, spot, packed(inside.reshape(-1)), wide, landing)


class Survey(NamedTuple):
    """What is known of a level before it is solved."""

    region: np.ndarray  # bool [rows, columns], cells connected to a goal
    alive: np.ndarray  # bool [rows, columns], cells from which a lone box could be brought to a goal
    entries: int  # size of the table


def survey(walls: np.ndarray, goals: np.ndarray) -> Survey:
    """Where boxes have a future, and how large a table would be. Goals in walls are none."""
    region = kernels().spread(~walls, goals, 0)
    alive = kernels().spread(~walls, goals, 2)
    rows, columns = region.any(1).nonzero()[0], region.any(0).nonzero()[0]
    extent = (rows[-1] - rows[0] + 1) * (columns[-1] - columns[0] + 1) if rows.size else 1
    return Survey(region, alive, math.comb(int(alive.sum()), int(goals.sum())) * int(extent))


class Table:
    """Distances of a level.

    level: walls, goals and boxes, bool [rows, columns], and player, a cell: the start. metric: "moves", or "pushes", where of
    the solutions with fewest pushes those with fewest moves count. Raises ValueError for what is no level (`check`) and for a
    table of more than `most_entries`.
    """

    def __init__(self, level, metric: str = "moves", most_entries: int = MOST_ENTRIES):
        if metric not in METRICS:
            raise ValueError(f"The metric is one of {', '.join(METRICS)}, not {metric!r}.")
        check(level)
        self.walls, self.goals, self.metric = level.walls, level.goals, metric
        self.start = cells_of(level.boxes), int(level.player)
        known = survey(self.walls, self.goals)
        if known.entries > most_entries:
            raise ValueError(f"The table would have {known.entries:,} entries, more than {most_entries:,}.")
        self._free = (~self.walls).reshape(-1)
        self._targets = cells_of(self.goals)
        self._area = area_of(known.region)
        self._in_region = known.region.reshape(-1)
        # Which of the cells for boxes a cell is; -1 where boxes are dead.
        self._rank = np.where(known.alive.reshape(-1), np.cumsum(known.alive) - 1, -1)
        self._solve()

    def _solve(self) -> None:
        area, boxes = self._area, len(self._targets)
        homes = np.flatnonzero(self._rank >= 0)
        binomial = [math.comb(n, i + 1) for n in range(homes.size) for i in range(boxes)]
        self._binomial = np.array(binomial, np.int64).reshape(homes.size, boxes)
        sets = np.zeros((math.comb(homes.size, boxes), area.region.size), np.uint64)
        kernels().list_boxes(sets, area.spot[homes], boxes)
        rank, solved, by_pushes = self._rank[area.cells], self._row(self._targets), self.metric == "pushes"
        for dtype in (np.uint32,) if by_pushes else (np.uint8, np.uint16):
            self._unreached = int(np.iinfo(dtype).max)
            self._keys = np.full((len(sets), area.cells.size), self._unreached, dtype)
            fixed = (self._binomial, rank, area.region, area.landing, area.wide, min(self._unreached, MOST_MOVES), by_pushes)
            self._largest = kernels().fill(self._keys, sets, solved, *fixed)
            if self._largest >= 0:
                return
        raise OverflowError(f"The level has optimal solutions of {MOST_MOVES:,} moves and more.")

    def _row(self, boxes: tuple[int, ...]) -> int | None:
        """The row of boxes in ascending order, or None if there is none: one is dead, or they are too many or too few."""
        if len(boxes) != len(self._targets) or not all(0 <= cell < self._rank.size for cell in boxes):
            return None
        ranks = [int(self._rank[cell]) for cell in boxes]
        if any(a >= b for a, b in zip(ranks, ranks[1:], strict=False)) or (ranks and ranks[0] < 0):
            return None
        return sum(math.comb(rank, i + 1) for i, rank in enumerate(ranks))

    def _cost(self, boxes: tuple[int, ...], player: int) -> int | None:
        """What solving costs, as in the table: moves, or pushes * 65536 + moves; None if the board is dead."""
        if not 0 <= player < self._free.size or not self._free[player] or player in boxes:
            return None
        if boxes == self._targets:
            return 0
        row = self._row(boxes)
        if row is None or not self._in_region[player]:
            return None
        cost = int(self._keys[row, self._area.spot[player]])
        return None if cost == self._unreached else cost

    def distance(self, boxes: Iterable[int] | np.ndarray, player: int) -> int | None:
        """Fewest moves or pushes from a board to solved, or None if it is dead or no board at all."""
        cost = self._cost(cells_of(boxes), int(player))
        return cost if cost is None or self.metric == "moves" else cost >> 16

    def is_dead(self, boxes: Iterable[int] | np.ndarray, player: int) -> bool:
        """Whether no actions lead from a board to solved."""
        return self._cost(cells_of(boxes), int(player)) is None

    def distances(self, boxes: np.ndarray, players: np.ndarray) -> np.ndarray:
        """Distances of many boards, i32 [...]: boxes, cells in ascending order [..., k], and players, cells [...]. Dead: -1."""
        boxes, players = np.asarray(boxes, np.int64), np.asarray(players, np.int64)
        found = np.full(players.shape, DEAD, np.int32)
        if boxes.shape[-1] != len(self._targets):
            return found
        standing = self._free[players] & (boxes != players[..., None]).all(-1)
        found[standing & (boxes == np.array(self._targets, np.int64)).all(-1)] = 0
        ranks = self._rank[boxes]
        known = standing & self._in_region[players] & (ranks >= 0).all(-1) & (np.diff(ranks) > 0).all(-1)
        rows = self._binomial[ranks[known], np.arange(ranks.shape[-1])].sum(-1)
        costs = self._keys[rows, self._area.spot[players[known]]].astype(np.int64)
        scale = 0 if self.metric == "moves" else 16
        found[known] = np.where(costs == self._unreached, DEAD, costs >> scale)
        return found

    def optimal_actions(self, boxes: Iterable[int] | np.ndarray, player: int) -> np.ndarray:
        """Which of the four actions begin an optimal solution, bool [4]; none does on a solved or a dead board."""
        best = np.zeros(4, bool)
        best[[action for action, _ in self._descents(cells_of(boxes), int(player))]] = True
        return best

    def _descents(self, boxes: tuple[int, ...], player: int) -> Iterator[tuple[int, tuple[tuple[int, ...], int]]]:
        """The actions that begin an optimal solution and the boards they lead to."""
        cost = self._cost(boxes, player)
        for action in range(4) if cost else ():
            after = played(self.walls, boxes, player, action)
            if after is not None:
                step = 1 + 65536 * (self.metric == "pushes" and after[0] != boxes)
                if self._cost(*after) == cost - step:
                    yield action, after

    @property
    def optimal_length(self) -> int | None:
        """Moves of an optimal solution from the start, or None if it is dead."""
        cost = self._cost(*self.start)
        return cost if cost is None or self.metric == "moves" else cost & 65535

    def solution(self, boxes: Iterable[int] | np.ndarray | None = None, player: int | None = None) -> tuple[int, ...] | None:
        """The actions of an optimal solution from a board or else from the start, or None if that is dead.

        Of several, it is the first in the order up, down, left, right at every step.
        """
        boxes, player = self.start if boxes is None else (cells_of(boxes), int(player))
        if self._cost(boxes, player) is None:
            return None
        actions = []
        while step := next(self._descents(boxes, player), None):
            action, (boxes, player) = step
            actions.append(action)
        return tuple(actions)

    def statistics(self) -> Statistics:
        """Size and reach of the table."""
        free, boxes = int(self._free.sum()), len(self.start[0])
        size = math.comb(free, boxes) * free
        if boxes != len(self._targets):
            return Statistics(free, size, 0, 0)
        walled_off = free - int(self._in_region.sum())  # cells where the player watches the solved boards only
        reached = int(np.count_nonzero(self._keys != self._unreached)) + walled_off
        return Statistics(free, size, reached, self._largest if self.metric == "moves" else self._largest >> 16)


def check(level) -> None:
    """Raises ValueError if walls, goals and boxes are not bool [rows, columns], if a goal, a box or the player is in a wall or
    outside, or the player in a box, and for more than 63 columns. Boxes and goals may differ in number.
    """
    arrays = {name: getattr(level, name) for name in ("walls", "goals", "boxes")}
    if any(a.dtype != bool or a.ndim != 2 or a.shape != level.walls.shape for a in arrays.values()):
        shapes = {name: (str(array.dtype), array.shape) for name, array in arrays.items()}
        raise ValueError(f"Walls, goals and boxes are bool [rows, columns], not {shapes}.")
    if level.walls.shape[1] > MOST_COLUMNS:
        raise ValueError(f"Exact solutions end at {MOST_COLUMNS} columns; the board has {level.walls.shape[1]}.")
    if (level.walls & (level.goals | level.boxes)).any():
        raise ValueError("A goal or a box stands in a wall.")
    blocked = (level.walls | level.boxes).reshape(-1)
    if not 0 <= level.player < blocked.size or blocked[level.player]:
        raise ValueError(f"The player, in cell {level.player}, stands in a wall or a box, or outside.")


def cells_of(boxes: Iterable[int] | np.ndarray) -> tuple[int, ...]:
    """Boxes, bool [rows, columns] or cells in any order, as cells in ascending order."""
    if isinstance(boxes, np.ndarray) and boxes.dtype == bool:
        return tuple(boxes.reshape(-1).nonzero()[0].tolist())
    return tuple(sorted(int(cell) for cell in boxes))


def played(walls: np.ndarray, boxes: tuple[int, ...], player: int, action: int) -> tuple[tuple[int, ...], int] | None:
    """Boxes and player after an action, or None where it moves nothing."""
    there, beyond = ahead(walls, player, action, 1), ahead(walls, player, action, 2)
    if there is None:
        return None
    if there not in boxes:
        return boxes, there
    if beyond is None or beyond in boxes:
        return None
    return tuple(sorted(beyond if cell == there else cell for cell in boxes)), there


def ahead(walls: np.ndarray, cell: int, action: int, steps: int) -> int | None:
    """The cell so many steps from another in the direction of an action, or None if that is a wall or outside."""
    rows, columns = walls.shape
    by_row, by_column = ((-1, 0), (1, 0), (0, -1), (0, 1))[action]
    row, column = cell // columns + steps * by_row, cell % columns + steps * by_column
    inside = 0 <= row < rows and 0 <= column < columns
    return row * columns + column if inside and not walls[row, column] else None
