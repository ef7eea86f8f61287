"""Shortest solutions of levels whose table would be large.

`shortest` searches breadth-first from both ends: forward from the start, and backward, by pulls, from all solved boards. Where
the two meet, the way is as short as any; when one side has nothing left to visit, there is none. Boxes keep to cells from which
a lone box could be brought to a goal, boxes pulled to cells where some box of the start can be pushed, and boxes that can never
move again must be on goals: no solution is lost so.

Boards are given as in `table.py`. Needs numba, which is imported at the first search.
"""

import dataclasses
import functools
import time
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

import numpy as np

from .table import Area, ahead, area_of, cells_of, check, kernels, packed, played

BOARDS_PER_CALL = 2_000_000  # a tenth of a second: between calls an interruption is heard
FIRST_NODES = 1 << 12


@dataclasses.dataclass(frozen=True)
class Solved:
    """A shortest solution."""

    length: int  # moves
    actions: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Unsolvable:
    """There is no solution: proved."""

    reason: str


@dataclasses.dataclass(frozen=True)
class GaveUp:
    """The budget was spent before there was an answer."""

    nodes: int  # boards visited, a board being boxes and player
    seconds: float


class Budget(NamedTuple):
    """What a search may spend; None: no limit."""

    nodes: int | None = None  # boards to visit, give or take a few
    seconds: float | None = None


Outcome = Solved | Unsolvable | GaveUp


@functools.cache
def loops() -> ModuleType:
    """The compiled loops of the searches. Raises ImportError, with what to install, where numba is missing."""
    kernels()
    from . import search_kernels

    return search_kernels


class Problem(NamedTuple):
    """What of a level a player can change: the cells it might get to, with the boxes and goals there."""

    walls: np.ndarray  # bool [rows, columns], here also all cells that are out of reach
    goals: np.ndarray  # bool [rows, columns]
    boxes: tuple[int, ...]
    player: int
    area: Area


def shortest(level, budget: Budget | None = None) -> Outcome:
    """A solution of `level` with fewest moves. `level`: as for `table.Table`.

    Without a budget it is never GaveUp, but may take very long. Raises ValueError for what is no level (`table.check`).
    """
    started, budget = time.monotonic(), budget or Budget()
    problem = problem_of(level)
    if isinstance(problem, Unsolvable):
        return problem
    hopes = hopes_of(problem)
    if isinstance(hopes, Unsolvable):
        return hopes
    search = _Search(problem, *hopes)
    side = None
    while True:
        side = search.next_side() if side is None else side
        if side is None:
            return Unsolvable("no actions lead from the start to a solved board")
        left = BOARDS_PER_CALL if budget.nodes is None else min(BOARDS_PER_CALL, budget.nodes - search.nodes)
        if left <= 0 or (budget.seconds is not None and time.monotonic() - started >= budget.seconds):
            return GaveUp(search.nodes, time.monotonic() - started)
        outcome = search.expand(side, left)
        if outcome == loops().FOUND:
            actions = search.solution()
            return Solved(len(actions), actions)
        if outcome == loops().DONE:
            side = None


def problem_of(level) -> Problem | Unsolvable:
    """The part of a level that can change, or why it cannot be solved. Raises ValueError for what is no level."""
    check(level)
    walls, goals, boxes, player = level.walls, level.goals, cells_of(level.boxes), int(level.player)
    standing = np.zeros(walls.shape, bool)
    standing.reshape(-1)[player] = True
    within = kernels().spread(~walls, standing, 0)
    inside = within.reshape(-1)
    if {cell for cell in boxes if not inside[cell]} != set(cells_of(goals & ~within)):
        return Unsolvable("boxes or goals that the player can never get to do not match")
    moving = tuple(cell for cell in boxes if inside[cell])
    if len(moving) != (goals & within).sum():
        return Unsolvable(f"there are {len(boxes)} boxes for {int(goals.sum())} goals")
    return Problem(~within, goals & within, moving, player, area_of(within))


def hopes_of(problem: Problem) -> tuple[np.ndarray, np.ndarray] | Unsolvable:
    """Cells from which a lone box can be brought to a goal, and those where a lone box of the start can be pushed."""
    starts = np.zeros(problem.walls.shape, bool)
    starts.reshape(-1)[list(problem.boxes)] = True
    alive = kernels().spread(~problem.walls, problem.goals, 2)
    pushable = kernels().spread(~problem.walls, starts, -1)
    if (starts & ~alive).any():
        return Unsolvable("a box stands where it cannot be brought to any goal")
    if (problem.goals & ~pushable).any():
        return Unsolvable("no box can be brought to one of the goals")
    return alive, pushable


class _Search:
    """The two-sided search of one problem, a part at a time."""

    def __init__(self, problem: Problem, alive: np.ndarray, pushable: np.ndarray):
        area = problem.area
        self.problem = problem
        self.field = field_of(problem, alive, pushable)
        self.store = empty_store(FIRST_NODES, area.region.size)
        self.work = work_for(area)
        start, solved = area.spot[list(problem.boxes)], area.spot[list(cells_of(problem.goals))]
        open_after = self.field.region & ~words_of(area, solved)
        for side, boxes, players in ((0, start, words_of(area, area.spot[[problem.player]])), (1, solved, open_after)):
            self._show(boxes)
            node = loops().add(self.store, self.work, kernels().MOVED)
            self.store.frontier[side, 0, node] = players
            self.store.queue[side, 0, 0] = node
            self.store.lengths[side, 0] = 1

    @property
    def nodes(self) -> int:
        return int(self.store.counts[loops().COUNTED])

    def next_side(self) -> int | None:
        """The side with less to visit in its next round, or None where one has nothing left: there is no solution then."""
        phase, depth = self.store.progress[:, loops().PHASE], self.store.progress[:, loops().DEPTH]
        if not depth.all():
            return int(depth.argmin())  # first the start and the solved boards, for the other side to meet
        waiting = self.store.lengths[np.arange(2), phase]
        return int(waiting.argmin()) if waiting.all() else None

    def expand(self, side: int, most: int) -> int:
        """Goes on with a round of a side: what `search_kernels.expand` returns, but never FULL."""
        room = 4 * len(self.problem.boxes)
        while True:
            outcome = loops().expand(self.field, self.store, self.work, side, room, most)
            if outcome != loops().FULL:
                return outcome
            self.store = grown(self.store, room)

    def solution(self) -> tuple[int, ...]:
        """The actions from the start over the board where the sides met to a solved one."""
        area, counts, walls = self.problem.area, self.store.counts, self.problem.walls
        words = self.store.boxes[counts[loops().NODE]]
        members = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")[: area.cells.size].astype(bool)
        meeting = tuple(area.cells[members].tolist()), int(area.cells[counts[loops().CELL]])
        actions, board = [], meeting
        for level in range(self._level(0, *meeting) - 1, -1, -1):
            action, board = next(
                (action, before) for action, before in _before(walls, *board) if self._level(0, *before) == level
            )
            actions.append(action)
        actions.reverse()
        board = meeting
        for level in range(self._level(1, *meeting) - 1, -1, -1):
            after = ((action, played(walls, *board, action)) for action in range(4))
            action, board = next((action, board) for action, board in after if board and self._level(1, *board) == level)
            actions.append(action)
        return tuple(actions)

    def _show(self, boxes: np.ndarray) -> None:
        self.work[kernels().MOVED, 1:-1] = words_of(self.problem.area, boxes)

    def _level(self, side: int, boxes: tuple[int, ...], player: int) -> int | None:
        """The round in which a side visited a board, or None if it did not."""
        area, store = self.problem.area, self.store
        self._show(area.spot[list(boxes)])
        node = loops().find(store, self.work, kernels().MOVED)
        word, one = kernels().bit(int(area.spot[player]))
        record = store.last[side, node] if node >= 0 else 0
        while record and not store.masks[record - 1, word] & one:
            record = store.earlier[record - 1]
        return int(store.levels[record - 1]) if record else None


def _before(walls: np.ndarray, boxes: tuple[int, ...], player: int) -> Iterator[tuple[int, tuple[tuple[int, ...], int]]]:
    """All boards from which one action, which comes with them, leads to this one."""
    for action in range(4):
        back = played(walls, boxes, player, action ^ 1)
        if back is None or back[0] != boxes:
            continue
        yield action, back
        box = ahead(walls, player, action, 1)
        if box in boxes:
            pulled = tuple(sorted(player if cell == box else cell for cell in boxes))
            yield action, (pulled, back[1])


def words_of(area: Area, cells: np.ndarray) -> np.ndarray:
    """A set of cells by their numbers in the area as words, u64 [W]."""
    members = np.zeros(area.cells.size, bool)
    members[cells] = True
    return packed(members)


def field_of(problem: Problem, alive: np.ndarray, pushable: np.ndarray):
    """The `search_kernels.Field` of a problem."""
    area = problem.area
    beside = np.pad(alive, 1)
    vertical, horizontal = beside[:-2, 1:-1] | beside[2:, 1:-1], beside[1:-1, :-2] | beside[1:-1, 2:]
    sets = [area.words(cells) for cells in (problem.goals, alive, pushable, vertical, horizontal)]
    return loops().Field(area.region, area.landing, area.wide, sets[0], np.stack(sets[1:3]), np.stack(sets[3:]))


def work_for(area: Area) -> np.ndarray:
    """Scratch for the loops."""
    return np.zeros((kernels().ROWS, area.region.size + 2), np.uint64)


def empty_store(nodes: int, words: int):
    """A `search_kernels.Store` with room for so many nodes and as many records."""
    return loops().Store(
        slots=np.zeros(1 << (2 * nodes - 1).bit_length(), np.int64),
        boxes=np.zeros((nodes, words), np.uint64),
        seen=np.zeros((2, nodes, words), np.uint64),
        frontier=np.zeros((2, 2, nodes, words), np.uint64),
        queue=np.zeros((2, 2, nodes), np.int64),
        last=np.zeros((2, nodes), np.int64),
        levels=np.zeros(nodes, np.int64),
        earlier=np.zeros(nodes, np.int64),
        masks=np.zeros((nodes, words), np.uint64),
        counts=np.zeros(5, np.int64),
        lengths=np.zeros((2, 2), np.int64),
        progress=np.zeros((2, 3), np.int64),
    )


def grown(store, room: int):
    """A `search_kernels.Store` with twice the nodes or records of this one, or both: whatever has no room for `room` more."""
    larger = {}
    if store.counts[loops().NODES] + room > len(store.boxes):
        for name, axis in {"boxes": 0, "seen": 1, "frontier": 2, "queue": 2, "last": 1}.items():
            larger[name] = doubled(getattr(store, name), axis)
        larger["slots"] = np.zeros(2 * store.slots.size, np.int64)
        loops().put_in_slots(larger["slots"], larger["boxes"], store.counts[loops().NODES])
    if store.counts[loops().RECORDS] == len(store.levels):
        larger |= {name: doubled(getattr(store, name), 0) for name in ("levels", "earlier", "masks")}
    return store._replace(**larger)


def doubled(array: np.ndarray, axis: int) -> np.ndarray:
    """An array with zeros of its own shape after it."""
    return np.concatenate([array, np.zeros_like(array)], axis)
