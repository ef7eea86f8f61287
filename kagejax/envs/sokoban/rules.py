"""Sokoban: the game alone. SPEC section 3.

Cells are numbered in reading order. A set of cells is a bit mask u32 [words]: bit c % 32 of word c // 32 is cell c. What lies
outside the board is wall. Boxes cannot be told apart.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

UP, DOWN, LEFT, RIGHT = range(4)
LETTERS = "UDLR"
ROW_STEP, COLUMN_STEP = (-1, 1, 0, 0), (0, 0, -1, 1)


class Board(NamedTuple):
    """Static size."""

    rows: int
    columns: int

    @property
    def cells(self) -> int:
        """How many there are."""
        return self.rows * self.columns

    @property
    def words(self) -> int:
        """u32 words of a mask."""
        return -(-self.cells // 32)


class Puzzle(NamedTuple):
    """What is fixed for an episode."""

    walls: jax.Array  # u32 [words]
    goals: jax.Array  # u32 [words]


class Position(NamedTuple):
    """What moves."""

    boxes: jax.Array  # u32 [words]
    player: jax.Array  # i32, cell


class Move(NamedTuple):
    """What an action did."""

    position: Position
    moved: jax.Array  # bool, the player changed its cell
    pushed: jax.Array  # bool, and a box with it


def holds(mask: jax.Array, cell: jax.Array) -> jax.Array:
    """Whether `cell` (i32) is in the mask; nothing is known of cells outside the board. bool []."""
    word = mask[0]
    for i in range(1, mask.shape[0]):
        word = jnp.where(cell // 32 == i, mask[i], word)
    return (word >> (cell % 32).astype(jnp.uint32)) & 1 != 0


def single(cell: jax.Array, words: int) -> jax.Array:
    """The mask of one cell, u32 [words]."""
    bit = jnp.uint32(1) << (cell % 32).astype(jnp.uint32)
    return jnp.stack([jnp.where(cell // 32 == i, bit, jnp.uint32(0)) for i in range(words)])


def step(position: Position, action: jax.Array, puzzle: Puzzle, board: Board) -> Move:
    """The player goes one cell up, down, left or right, pushing a box if the cell behind it is free. Else, and for
    other actions, nothing moves."""
    down = (action == DOWN).astype(jnp.int32) - (action == UP).astype(jnp.int32)
    right = (action == RIGHT).astype(jnp.int32) - (action == LEFT).astype(jnp.int32)
    row, column = position.player // board.columns, position.player % board.columns
    offset = down * board.columns + right
    to, beyond = position.player + offset, position.player + 2 * offset
    to_wall = _outside(row + down, column + right, board) | holds(puzzle.walls, to)
    to_box = holds(position.boxes, to)
    full = _outside(row + 2 * down, column + 2 * right, board) | holds(puzzle.walls, beyond) | holds(position.boxes, beyond)
    moved = (action >= 0) & (action < 4) & ~to_wall & ~(to_box & full)
    pushed = moved & to_box
    words = position.boxes.shape[0]
    boxes = jnp.where(pushed, position.boxes ^ single(to, words) ^ single(beyond, words), position.boxes)
    return Move(Position(boxes, jnp.where(moved, to, position.player)), moved, pushed)


def _outside(row: jax.Array, column: jax.Array, board: Board) -> jax.Array:
    return (row < 0) | (row >= board.rows) | (column < 0) | (column >= board.columns)


def is_solved(boxes: jax.Array, goals: jax.Array) -> jax.Array:
    """Whether the boxes are on the goals, bool []."""
    return (boxes == goals).all()


def on_goals(boxes: jax.Array, goals: jax.Array) -> jax.Array:
    """How many boxes are on goals, i32 []."""
    return jax.lax.population_count(boxes & goals).sum(dtype=jnp.int32)


def spread(mask: jax.Array, board: Board) -> jax.Array:
    """A mask as bool [rows, columns]."""
    cell = np.arange(board.cells)
    bits = (mask[cell // 32] >> jnp.asarray(cell % 32, jnp.uint32)) & 1
    return (bits != 0).reshape(board)


def mask_of(cells: np.ndarray) -> np.ndarray:
    """bool [rows, columns] as a mask, NumPy u32 [words]."""
    flat = np.asarray(cells, bool).reshape(-1)
    padded = np.zeros(-(-len(flat) // 32) * 32, bool)
    padded[: len(flat)] = flat
    return np.packbits(padded, bitorder="little").view("<u4").astype(np.uint32)
