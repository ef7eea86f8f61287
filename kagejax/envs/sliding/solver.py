"""Shortest solutions, on the host: how many moves a board needs, one way to do it, and which actions begin such a way.

Grids of at most 9 cells are looked up in a table of all boards (`table.py`); larger ones are searched (`search.py`, which
needs numba): a random 4x4 board takes a fraction of a second, a random 5x5 board may take days. Boards are integers [N] in
reading order, 0 the blank. Actions are those of `rules.py`, named by the tile. `circular`: moves may go around the edges.
"""

from typing import NamedTuple

import numpy as np

from . import search
from .rules import Grid, why_unsolvable
from .table import UNREACHABLE, distance_table, has_table, look_up, neighbours, rank


class Solution(NamedTuple):
    """One of the shortest ways to the goal."""

    length: int
    actions: tuple[int, ...]


def solve(board: np.ndarray, grid: Grid, circular: bool = False) -> Solution:
    """A shortest solution of `board`.

    Raises ValueError, with the reason, for a board that is not a permutation or has no solution, or for more than 64 cells;
    ImportError where numba is needed and missing.
    """
    grid = Grid(*grid)
    board = _checked(board, grid, circular)
    if not has_table(grid):
        actions = search.shortest(board, grid, circular).actions
        return Solution(len(actions), actions)
    actions = []
    while (best := _descents(board, grid, circular)).any():
        actions.append(int(best.argmax()))
        board = _moved(board, actions[-1], grid, circular)
    return Solution(len(actions), tuple(actions))


def optimal_actions(board: np.ndarray, grid: Grid, circular: bool = False) -> np.ndarray:
    """Which of the four actions begin a shortest solution, bool [4]; none does where the board is solved. Raises as `solve`."""
    grid = Grid(*grid)
    board = _checked(board, grid, circular)
    if has_table(grid):
        return _descents(board, grid, circular)
    found = search.shortest(board, grid, circular).actions
    best = np.zeros(4, bool)
    if found:
        for action in np.flatnonzero(neighbours(grid, circular)[board.argmin()] >= 0):
            after = _moved(board, action, grid, circular)
            best[action] = action == found[0] or search.within(after, grid, circular, len(found) - 1).actions is not None
    return best


def optimal_lengths(boards: np.ndarray, grid: Grid, circular: bool = False) -> np.ndarray:
    """Fewest moves to the goal from each of `boards` [..., N], i32 [...]. Raises as `solve`, naming the first such board."""
    boards = np.asarray(boards)
    grid, flat = Grid(*grid), boards.reshape(-1, boards.shape[-1])
    if not has_table(grid):
        return np.array([solve(board, grid, circular).length for board in flat], np.int32).reshape(boards.shape[:-1])
    lengths = np.full(len(flat), UNREACHABLE, np.int32)
    whole = np.zeros(len(flat), bool)
    if flat.shape[1] == grid.cells:
        whole = (np.sort(flat, axis=1) == np.arange(grid.cells)).all(1)
        lengths[whole] = look_up(distance_table(grid, circular), flat[whole])
    for index in np.flatnonzero(lengths == UNREACHABLE)[:1]:
        _checked(flat[index], grid, circular)
    return lengths.reshape(boards.shape[:-1])


def why_stuck(board: np.ndarray, grid: Grid, circular: bool = False) -> str | None:
    """Why no moves lead from `board` to the goal, or None if some do."""
    reason = why_unsolvable(board, grid)
    if reason is None or not circular or sorted(board) != list(range(grid.cells)):
        return reason
    if 1 in grid:
        tiles = [int(tile) for tile in board if tile]
        first = tiles.index(1)
        around = tiles[first:] + tiles[:first] == sorted(tiles)
        return None if around else "Around a single row or column the tiles must follow one another in order."
    # An odd way around the edges brings the blank back after an odd number of moves: there parity rules nothing out.
    return None if grid.rows % 2 or grid.columns % 2 else reason


def _checked(board: np.ndarray, grid: Grid, circular: bool) -> np.ndarray:
    board = np.asarray(board).reshape(-1)
    if reason := why_stuck(board, grid, circular):
        raise ValueError(f"The {grid.rows}x{grid.columns} board {board.tolist()} cannot be solved. {reason}")
    return board.astype(np.int64)


def _moved(board: np.ndarray, action: int, grid: Grid, circular: bool) -> np.ndarray:
    blank = board.argmin()
    target, moved = neighbours(grid, circular)[blank, action], board.copy()
    moved[blank], moved[target] = board[target], 0
    return moved


def _descents(board: np.ndarray, grid: Grid, circular: bool) -> np.ndarray:
    """Which actions lead one move nearer to the goal by the table, bool [4]."""
    table = distance_table(grid, circular)
    nearer = int(table[rank(board)]) - 1
    legal = neighbours(grid, circular)[board.argmin()] >= 0
    return np.array([ok and table[rank(_moved(board, action, grid, circular))] == nearer for action, ok in enumerate(legal)])
