"""Exact distances of every board of a small grid, by breadth-first search from the goal; kept on disk and in memory.

A table holds one byte for each permutation of the N cells, at its lexicographic rank: 362,880 for 3x3. It is NumPy on the
host; `rank` and `look_up` work on NumPy and on JAX arrays alike, so that an environment may hold the table in its params.
"""

import functools
import hashlib
import itertools
import math
import pathlib
from collections.abc import Callable

import jax
import numpy as np

from kagejax.assets import cache

from .rules import COLUMN_STEP, ROW_STEP, Grid

LARGEST = 9  # cells; 10 would ask for 3.6 million entries and a minute
UNREACHABLE = 255
SOURCES = ("table.py", "search.py", "kernels.py")

Array = np.ndarray | jax.Array


def has_table(grid: Grid) -> bool:
    """Whether the grid is small enough for a table: at most 9 cells."""
    return grid.rows * grid.columns <= LARGEST


def rank(boards: Array) -> Array:
    """Place of each board [..., N] among all permutations of 0 .. N - 1 in lexicographic order, i32 [...]; N is at most 12."""
    cells = boards.shape[-1]
    later = np.triu(np.ones((cells, cells), bool), 1)
    smaller = (boards[..., None, :] < boards[..., :, None]) & later
    factorials = np.array([math.factorial(cells - 1 - place) for place in range(cells)], np.int32)
    return (smaller.sum(-1, dtype=np.int32) * factorials).sum(-1, dtype=np.int32)


def look_up(table: Array, boards: Array) -> Array:
    """Fewest moves from each board [..., N] to the goal by its grid's table (u8 [N!]), u8 [...]; 255: no moves lead there."""
    return table[rank(boards)]


@functools.cache
def neighbours(grid: Grid, circular: bool = False) -> np.ndarray:
    """Where each action moves the blank from each cell, i64 [N, 4], read-only; -1 where it moves nothing."""
    cell = np.arange(grid.rows * grid.columns)[:, None]
    row = cell // grid.columns + np.array(ROW_STEP[:4])
    column = cell % grid.columns + np.array(COLUMN_STEP[:4])
    inside = (row >= 0) & (row < grid.rows) & (column >= 0) & (column < grid.columns)
    target = row % grid.rows * grid.columns + column % grid.columns
    # Around a ring of one cell the blank only meets itself.
    target = np.where((inside | circular) & (target != cell), target, -1)
    target.setflags(write=False)
    return target


@functools.cache
def distance_table(grid: Grid, circular: bool = False) -> np.ndarray:
    """Fewest moves to the goal from every board, u8 [N!] by `rank`, read-only; 255 where no moves lead there.

    `circular`: moves may go around the edges. Raises ValueError for grids of more than 9 cells.
    """
    rows, columns = grid
    if not has_table(grid):
        raise ValueError(f"There are too many boards of {rows}x{columns} for a table; tables end at {LARGEST} cells.")
    grid = Grid(rows, columns)
    name = f"sliding-distances-{rows}x{columns}{'-circular' * circular}"
    return kept(name, math.factorial(grid.cells), lambda: breadth_first(grid, circular))


def breadth_first(grid: Grid, circular: bool) -> np.ndarray:
    """The table of `distance_table`, worked out."""
    targets = neighbours(grid, circular)
    frontier = ((np.arange(grid.cells, dtype=np.int8) + 1) % grid.cells)[None]
    distances = np.full(math.factorial(grid.cells), UNREACHABLE, np.uint8)
    distances[rank(frontier)] = 0
    for moves in itertools.count(1):
        found = _successors(frontier, targets)
        ranks, first = np.unique(rank(found), return_index=True)
        new = distances[ranks] == UNREACHABLE
        if not new.any():
            return distances
        distances[ranks[new]] = moves
        frontier = found[first[new]]


def _successors(boards: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """All boards one move from any of `boards` [M, N], with repetitions."""
    blank = boards.argmin(-1)
    which, action = np.nonzero(targets[blank] >= 0)
    blank, moved, each = blank[which], boards[which], np.arange(which.size)
    target = targets[blank, action]
    moved[each, blank] = moved[each, target]
    moved[each, target] = 0
    return moved


def kept(name: str, size: int, build: Callable[[], np.ndarray]) -> np.ndarray:
    """The u8 [size] array that `build` gives, read-only, from the cache on disk if this very code put it there before."""
    digest = hashlib.sha256()
    for source in SOURCES:
        digest.update((pathlib.Path(__file__).parent / source).read_bytes())
    name = f"{name}-{digest.hexdigest()[:16]}"
    array = cache.load(name, (size,))
    if array is None:
        array = build()
        cache.store(name, array)
    array.setflags(write=False)
    return array
