"""Sliding puzzles: the game alone. SPGym, SPEC sections 2 to 5.

A board is i8 or i16 [N], cells in reading order; 0 is the blank, tiles are 1 .. N - 1. Actions are named by the tile: UP
moves the tile below the blank up. Solved: 1, 2, ..., N - 1 and the blank in the last cell.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

UP, DOWN, LEFT, RIGHT, NOOP = range(5)
NAMES = ("up", "down", "left", "right", "noop")
INVERSE = (DOWN, UP, RIGHT, LEFT)
ROW_STEP, COLUMN_STEP = (1, -1, 0, 0, 0), (0, 0, 1, -1, 0)
"""How each action moves the blank."""


class Grid(NamedTuple):
    """Static size."""

    rows: int
    columns: int

    @property
    def cells(self) -> int:
        """N."""
        return self.rows * self.columns

    @property
    def dtype(self) -> type:
        """The narrowest integer that holds a cell's index."""
        return jnp.int8 if self.cells <= 127 else jnp.int16


def goal(grid: Grid) -> np.ndarray:
    """The solved board, NumPy [N]."""
    return ((np.arange(grid.cells) + 1) % grid.cells).astype(grid.dtype)


def solved_board(grid: Grid) -> jax.Array:
    """The solved board, [N]."""
    return jnp.asarray(goal(grid))


def normaliser(grid: Grid) -> int:
    """Z: the sum over all cells of the longest way that something in them could have to go."""

    def longest(size: int) -> int:
        return sum(max(place, size - 1 - place) for place in range(size))

    return grid.columns * longest(grid.rows) + grid.rows * longest(grid.columns)


def cell_distance(tile: jax.Array, cell: jax.Array, grid: Grid) -> jax.Array:
    """Rows plus columns between `cell` and the goal of `tile` (that of the blank is the last cell), i32."""
    return _apart((tile.astype(jnp.int32) + (grid.cells - 1)) % grid.cells, cell, grid)


def _apart(cell: jax.Array, other: jax.Array | int, grid: Grid) -> jax.Array:
    return jnp.abs(cell // grid.columns - other // grid.columns) + jnp.abs(cell % grid.columns - other % grid.columns)


def distance(board: jax.Array, grid: Grid) -> jax.Array:
    """M: the sum of `cell_distance` over all cells, the blank's included; 0 only when solved. i32 []."""
    return cell_distance(board, jnp.arange(grid.cells, dtype=jnp.int32), grid).sum(dtype=jnp.int32)


def shares(count: jax.Array, most: int) -> jax.Array:
    """`count` (i32 in 0 .. `most`) over `most`, f32, correctly rounded.

    By a table: a compiler turns division by a constant into multiplication by its inverse, which differs in the last bit.
    """
    return jnp.asarray((np.arange(most + 1) / most).astype(np.float32)).at[count].get(mode="promise_in_bounds")


def wrong(board: jax.Array, grid: Grid) -> jax.Array:
    """How many of the first N - 1 cells hold something else than they should, i32 []."""
    return (board != solved_board(grid))[:-1].sum(dtype=jnp.int32)


def is_solved(board: jax.Array, grid: Grid) -> jax.Array:
    """Whether every tile is in its place, bool []."""
    return (board == solved_board(grid)).all()


def valid_actions(blank: jax.Array, grid: Grid) -> jax.Array:
    """Which of UP, DOWN, LEFT, RIGHT move a tile without going around the edge, bool [4]."""
    row, column = blank // grid.columns, blank % grid.columns
    return jnp.stack([row < grid.rows - 1, row > 0, column < grid.columns - 1, column > 0])


def target_of(
    blank: jax.Array, action: jax.Array, grid: Grid, circular: bool | jax.Array = False
) -> tuple[jax.Array, jax.Array]:
    """Where `action` (i32) moves the blank: cell i32 [], and whether it moves at all. Actions outside 0 .. 3 move nothing.

    With `circular`, moves off an edge lead to the opposite one.
    """
    row, column = blank // grid.columns, blank % grid.columns
    row = row + (action == UP).astype(jnp.int32) - (action == DOWN).astype(jnp.int32)
    column = column + (action == LEFT).astype(jnp.int32) - (action == RIGHT).astype(jnp.int32)
    inside = (row >= 0) & (row < grid.rows) & (column >= 0) & (column < grid.columns)
    moves = (action >= 0) & (action < NOOP) & (inside | circular)
    return (row % grid.rows) * grid.columns + column % grid.columns, moves


def exchange(board: jax.Array, blank: jax.Array, target: jax.Array, grid: Grid) -> tuple[jax.Array, jax.Array]:
    """The board with the blank and the tile at `target` exchanged, and the change of `distance` (i32 [])."""
    cell = jnp.arange(grid.cells, dtype=jnp.int32)
    tile = jnp.where(cell == target, board, 0).sum(dtype=board.dtype)
    exchanged = jnp.where(cell == target, 0, jnp.where(cell == blank, tile, board)).astype(board.dtype)
    last = grid.cells - 1
    change = cell_distance(tile, blank, grid) - cell_distance(tile, target, grid)
    return exchanged, change + _apart(target, last, grid) - _apart(blank, last, grid)


def slide(
    board: jax.Array, blank: jax.Array, action: jax.Array, grid: Grid, circular: bool | jax.Array = False
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Board, blank cell (i32) and whether a tile moved, after `action`."""
    target, moved = target_of(blank, action, grid, circular)
    target = jnp.where(moved, target, blank)
    return exchange(board, blank, target, grid)[0], target, moved


def inversions(permutation: jax.Array) -> jax.Array:
    """Pairs of entries in the wrong order, i32 []."""
    place = jnp.arange(permutation.shape[0])
    later = place[None, :] > place[:, None]
    return (later & (permutation[:, None] > permutation[None, :])).sum(dtype=jnp.int32)


def has_solution(inverted: jax.Array, blank_row: jax.Array, grid: Grid) -> jax.Array:
    """The parity rule, bool: an odd width asks for an even number of inversions, an even width for an odd sum of inversions
    and rows from the blank's to the bottom edge. Grids of one row or column: see `solvable`."""
    if grid.columns % 2:
        return inverted % 2 == 0
    return (inverted + grid.rows - blank_row) % 2 == 1


def tiles_of(board: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The tiles in reading order without the blank, [N - 1], and the blank's cell, i32 []."""
    blank = jnp.argmin(board).astype(jnp.int32)
    place = jnp.arange(board.shape[0] - 1, dtype=jnp.int32)
    return board[place + (place >= blank)], blank


def solvable(board: jax.Array, grid: Grid) -> jax.Array:
    """Whether moves without going around the edge lead to the goal, bool []."""
    tiles, blank = tiles_of(board)
    if 1 in grid:  # in a line the tiles cannot pass one another
        return (tiles == jnp.arange(1, grid.cells, dtype=tiles.dtype)).all()
    return has_solution(inversions(tiles), blank // grid.columns, grid)


def arrange(permutation: jax.Array, blank: jax.Array, grid: Grid) -> jax.Array:
    """The board with tiles `permutation` [N - 1] in reading order around cell `blank`, made solvable by exchanging the first
    two tiles where it is not. In a grid of one row or column the tiles are put in order."""
    tiles = permutation.astype(grid.dtype)
    if 1 in grid:
        tiles = jnp.sort(tiles)
    else:
        exchanged = tiles.at[jnp.array([0, 1])].set(tiles[jnp.array([1, 0])], unique_indices=True)
        tiles = jnp.where(has_solution(inversions(tiles), blank // grid.columns, grid), tiles, exchanged)
    cell = jnp.arange(grid.cells, dtype=jnp.int32)
    around = tiles[jnp.clip(cell - (cell > blank), 0, grid.cells - 2)]
    return jnp.where(cell == blank, 0, around).astype(grid.dtype)


def random_board(key: jax.Array, grid: Grid) -> jax.Array:
    """A start, uniform over all solvable boards, but that the solved one gives way to its neighbours. SPEC 5.1."""
    tile_key, row_key, column_key, move_key = jax.random.split(key, 4)
    permutation = jax.random.permutation(tile_key, jnp.arange(1, grid.cells, dtype=jnp.int32))
    row = jax.random.randint(row_key, (), 0, grid.rows, jnp.int32)
    column = jax.random.randint(column_key, (), 0, grid.columns, jnp.int32)
    blank = row * grid.columns + column
    board = arrange(permutation, blank, grid)
    moved, *_ = slide(board, blank, random_action(move_key, valid_actions(blank, grid)), grid)
    return jnp.where(is_solved(board, grid), moved, board)


def random_action(key: jax.Array, allowed: jax.Array) -> jax.Array:
    """One of the `allowed` actions (bool [4]), uniformly; i32 []. UP if there is none."""
    which = jax.random.randint(key, (), 0, jnp.maximum(allowed.sum(dtype=jnp.int32), 1), jnp.int32)
    order = jnp.cumsum(allowed.astype(jnp.int32), dtype=jnp.int32) - 1
    return jnp.argmax(allowed & (order == which)).astype(jnp.int32)


def scramble(key: jax.Array, steps: jax.Array, enough: jax.Array, grid: Grid) -> jax.Array:
    """The goal after random moves, none of which undoes the one before. SPEC 5.2.

    Ends after `steps` (i32) moves, or as soon as the distance is `enough` (i32, see `distance_for`) or more, and goes on while
    the board is solved; no steps leave it solved. On a line of cells, where every second move would undo the first, moves go to
    the far end and stop there.
    """
    inverse = jnp.array(INVERSE, jnp.int32)

    def unfinished(walk):
        taken, _, board, *_ = walk
        apart = distance(board, grid)
        wanted = (taken < steps) & (apart < enough)
        return (steps > 0) & (wanted | (apart == 0)) & (walk[5] | (taken == 0))

    def move(walk):
        taken, key, board, blank, previous, _ = walk
        move_key, key = jax.random.split(key)
        allowed = valid_actions(blank, grid) & ((jnp.arange(4) != inverse[previous]) | (taken == 0))
        action = random_action(move_key, allowed)
        board, blank, moved = slide(board, blank, jnp.where(allowed.any(), action, NOOP), grid)
        return taken + 1, key, board, blank, jnp.where(moved, action, previous), moved

    start = (jnp.int32(0), key, solved_board(grid), jnp.int32(grid.cells - 1), jnp.int32(0), jnp.bool_(True))
    return jax.lax.while_loop(unfinished, move, start)[2]


def distance_for(reward: float | None, grid: Grid) -> int:
    """The least distance whose dense reward is `reward` or less, in double precision; host side. None: more than there is."""
    most = normaliser(grid)
    low = np.zeros(most + 1, bool) if reward is None else -np.arange(most + 1) / most <= reward
    return int(low.argmax()) if low.any() else most + 1


def joystick(stick: jax.Array, threshold: jax.Array) -> jax.Array:
    """The action of a stick f32 [2] = (vertical, horizontal), i32 []: NOOP up to `threshold`, else that of the longer part;
    horizontal where both are as long. SPEC 7.8."""
    vertical, horizontal = stick[0], stick[1]
    up_or_down = jnp.where(vertical > 0, UP, DOWN)
    left_or_right = jnp.where(horizontal < 0, LEFT, RIGHT)
    action = jnp.where(jnp.abs(vertical) > jnp.abs(horizontal), up_or_down, left_or_right)
    return jnp.where(jnp.abs(stick).max() <= threshold, NOOP, action).astype(jnp.int32)


def why_unsolvable(board: np.ndarray, grid: Grid) -> str | None:
    """Why no moves lead from `board` (host side) to the goal, or None if some do."""
    cells = [int(v) for v in np.asarray(board).reshape(-1)]
    if sorted(cells) != list(range(grid.cells)):
        return f"It must hold each of 0 (the blank) to {grid.cells - 1} once, {grid.cells} numbers in reading order."
    tiles = [v for v in cells if v]
    inverted = sum(a > b for i, a in enumerate(tiles) for b in tiles[i + 1 :])
    if 1 in grid:
        return "In a single row or column the tiles must be in order." if inverted else None
    row = cells.index(0) // grid.columns
    if bool(has_solution(np.int32(inverted), np.int32(row), grid)):
        return None
    if grid.columns % 2:
        return f"It has {inverted} inversions; with an odd number of columns only an even number can be solved."
    rows = grid.rows - row
    return (
        f"It has {inverted} inversions and the blank in row {rows} from the bottom; with an even number of columns their sum "
        "must be odd."
    )
