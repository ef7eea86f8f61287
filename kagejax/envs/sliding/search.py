"""Shortest solutions on grids too large for a table: iterative deepening (IDA*) with additive pattern databases.

The tiles are split into groups. A database holds, for all places of the tiles of one group, how many moves of these tiles
bring them home when moves of all others are free. Every move is one tile's, so the sum over the groups never exceeds the true
distance (Korf and Felner, Disjoint pattern database heuristics, 2002). On a square grid the board mirrored at its diagonal is
looked up too, and the larger sum counts: two views of one board. Needs numba, which is imported at the first search only.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from . import kernels
from .rules import Grid
from .table import kept, neighbours

LARGEST = 64  # cells
GROUP_SIZE = 6  # tiles
MOST_ENTRIES = 2**26  # of all databases of a grid together, a byte each
NODES_PER_CALL = 5_000_000  # half a second: between calls an interruption is heard
KNOWN_GROUPS = {(4, 4): ((1, 5, 6, 9, 10, 13), (7, 8, 11, 12, 14, 15), (2, 3, 4))}


class Databases(NamedTuple):
    """Pattern databases of a grid, and where to look up a board in them."""

    data: np.ndarray  # u8, all databases one after the other
    starts: np.ndarray  # i64 [groups], offset of each database
    group: np.ndarray  # i64 [views, N], group of each tile
    weight: np.ndarray  # i64 [views, N], what a cell of this tile counts in the code of its group
    place: np.ndarray  # i64 [views, N], cell as this view sees it


class Run(NamedTuple):
    """What a search came to."""

    actions: tuple[int, ...] | None  # a solution of at most the bound, if there is one
    next_bound: int  # no solution has fewer moves than this
    nodes: int  # boards looked at


@functools.cache
def compiled(function: Callable) -> Callable:
    """`function` as machine code. Raises ImportError, with what to install, where numba is missing."""
    try:
        import numba
    except ImportError as error:
        raise ImportError(
            "Exact solutions on grids of more than 9 cells need numba; install it with: pip install 'kagejax[solver]'"
        ) from error
    try:
        return numba.njit(function, cache=True)
    except RuntimeError:  # no folder where numba may keep what it compiled
        return numba.njit(function)


def groups_of(grid: Grid) -> tuple[tuple[int, ...], ...]:
    """Tiles of each database: neighbours, as many together as fit in 64 MB for all. Raises ValueError beyond 64 cells."""
    rows, columns = grid
    cells = rows * columns
    if cells > LARGEST:
        raise ValueError(f"Exact solutions end at {LARGEST} cells; {rows}x{columns} has {cells}.")
    if grid in KNOWN_GROUPS:
        return KNOWN_GROUPS[grid]
    goals = np.arange(cells).reshape(rows, columns)
    along = goals if columns <= rows else goals.T  # lines as short as possible, so that groups are compact
    tiles = [int(goal) + 1 for line in along for goal in line if goal < cells - 1]
    size = max(k for k in range(1, GROUP_SIZE + 1) if k == 1 or -(-len(tiles) // k) * cells**k <= MOST_ENTRIES)
    return tuple(tuple(tiles[first : first + size]) for first in range(0, len(tiles), size))


@functools.lru_cache(maxsize=4)
def databases(grid: Grid, circular: bool = False) -> Databases:
    """The pattern databases of a grid, from the cache on disk or built. Raises ValueError beyond 64 cells."""
    rows, columns = grid
    groups, cells = groups_of(grid), rows * columns
    sizes = [cells ** len(tiles) for tiles in groups]

    def build() -> np.ndarray:
        data = np.full(sum(sizes), 255, np.uint8)
        for tiles, part in zip(groups, np.split(data, np.cumsum(sizes)[:-1]), strict=True):
            compiled(kernels.pattern_distances)(neighbours(grid, circular), np.array(tiles) - 1, part)
        return data

    data = kept(f"sliding-patterns-{rows}x{columns}{'-circular' * circular}", sum(sizes), build)
    group, weight = np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    for which, tiles in enumerate(groups):
        group[list(tiles)], weight[list(tiles)] = which, cells ** np.arange(len(tiles))
    place = np.arange(cells)[None]
    if rows == columns:
        place = np.concatenate([place, place.reshape(rows, columns).T.reshape(1, cells)])
    seen_as = np.stack([(view[np.arange(cells) - 1] + 1) % cells for view in place])  # the blank's goal is its own mirror image
    return Databases(data, np.cumsum([0, *sizes[:-1]]), group[seen_as], weight[seen_as], place)


def within(board: np.ndarray, grid: Grid, circular: bool, bound: int) -> Run:
    """Looks for a solution of at most `bound` moves of a solvable board, i64 [N]."""
    known = databases(grid, circular)
    views, tiles = known.group.shape[0], np.flatnonzero(board)
    code = np.tile(known.starts, (views, 1))
    for view in range(views):
        np.add.at(code[view], known.group[view, board[tiles]], known.weight[view, board[tiles]] * known.place[view, tiles])
    value = known.data[code].astype(np.int64)
    estimate = int(value.sum(1).max())
    if estimate == 0 or estimate > bound:
        return Run(() if estimate == 0 <= bound else None, estimate, 0)
    cell, tried = np.zeros(bound + 1, np.int64), np.zeros(bound + 1, np.int64)
    total, before = np.zeros((bound + 2, views), np.int64), np.zeros((bound + 1, views), np.int64)
    cell[0], total[0] = board.argmin(), value.sum(1)
    progress = np.array([0, np.iinfo(np.int64).max, 0])
    state = (board.copy(), cell, tried, total, before, code, value, progress)
    fixed = (neighbours(grid, circular), known.data, known.group, known.weight, known.place)
    outcome = kernels.PAUSED
    while outcome == kernels.PAUSED:
        outcome = compiled(kernels.deepen)(*state, *fixed, bound, NODES_PER_CALL)
    nodes = int(progress[kernels.NODES])
    if outcome == kernels.EXHAUSTED:
        return Run(None, int(progress[kernels.NEXT_BOUND]), nodes)
    length = int(progress[kernels.DEPTH])
    return Run(tuple((tried[:length] - 1).tolist()), length, nodes)


def shortest(board: np.ndarray, grid: Grid, circular: bool = False) -> Run:
    """A shortest solution of a solvable board, i64 [N]. Never ends on one that is not solvable."""
    nodes, run = 0, Run(None, 0, 0)
    while run.actions is None:
        run = within(board, grid, circular, run.next_bound)
        nodes += run.nodes
    return run._replace(nodes=nodes)
