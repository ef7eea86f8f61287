"""Tables of exact distances made on the accelerator, for many small levels of one size and number of boxes at once.

The index of a board is the place of its boxes among all choices of inner cells, in colexicographic order, times the number of
inner cells, and the player's added; the border of a level is wall. Where each action leads, were there no other walls, is the
same for all levels: `successors`. Then D <- min(D, 1 + min over the actions of D[successors]), from 0 on solved boards and far
elsewhere, until nothing changes, gives the distances by gathers alone. Boards with something in a wall stay far. 8x8 with three
boxes has 257,040 boards of 16 bits a level. For single levels on a processor `table.Table` is quicker by far.
"""

import functools
import itertools
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

MOST_BOARDS = 2**22
DEAD = -1
FAR = 30_000  # more than any distance


class Boards(NamedTuple):
    """All boards of a size, C choices for the boxes on N inner cells."""

    occupied: jax.Array  # bool [C, N]
    successors: jax.Array  # i32 [4, C * N], by action; C * N where the action moves nothing


@functools.lru_cache(maxsize=8)
def boards(rows: int, columns: int, boxes: int) -> Boards:
    """The boards of rows x columns with so many boxes, for `distances`.

    Raises ValueError if there are more than 2**22 of them.
    """
    cells = max(rows - 2, 0) * max(columns - 2, 0)
    choices = math.comb(cells, boxes)
    if not 0 < choices * cells <= MOST_BOARDS:
        raise ValueError(
            f"{rows}x{columns} with {boxes} boxes has {choices * cells:,} boards; tables hold 1 to {MOST_BOARDS:,}."
        )
    chosen = np.array(list(itertools.combinations(range(cells), boxes)), np.int64).reshape(choices, boxes)
    occupied = np.zeros((choices, cells), bool)
    occupied[np.arange(choices)[:, None], chosen] = True
    occupied = occupied[np.argsort(_rank(occupied, boxes))]
    successors = np.stack([_successors(occupied, boxes, columns - 2, action) for action in range(4)])
    with jax.ensure_compile_time_eval():  # the cache must not keep what belongs to one trace
        return Boards(jnp.asarray(occupied), jnp.asarray(successors))


def _successors(occupied: np.ndarray, boxes: int, wide: int, action: int) -> np.ndarray:
    """Where an action leads from each board, i32 [C * N]."""
    choices, cells = occupied.shape
    row, column = np.divmod(np.arange(cells), wide)
    by_row, by_column = ((-1, 0), (1, 0), (0, -1), (0, 1))[action]
    row, column = row + by_row, column + by_column
    there = np.where((row >= 0) & (row < cells // wide) & (column >= 0) & (column < wide), row * wide + column, -1)
    beyond = np.where(there >= 0, there[there], -1)
    choice = np.arange(choices)[:, None]
    pushes = (there >= 0) & occupied[:, there]
    can_push = pushes & (beyond >= 0) & ~occupied[:, beyond]
    which, player = can_push.nonzero()
    pushed = occupied[which]
    pushed[np.arange(which.size), there[player]] = False
    pushed[np.arange(which.size), beyond[player]] = True
    target = np.where((there >= 0) & ~pushes, choice * cells + there, choices * cells)
    target[which, player] = _rank(pushed, boxes) * cells + there[player]
    target[occupied] = choices * cells
    return target.reshape(-1).astype(np.int32)


def _rank(occupied: np.ndarray | jax.Array, boxes: int) -> np.ndarray | jax.Array:
    """Place of choices of cells, bool [..., N] with so many True, in colexicographic order, i32 [...]."""
    cells = occupied.shape[-1]
    binomial = np.array([[math.comb(cell, i) for i in range(boxes + 1)] for cell in range(cells)], np.int32)
    counts = jnp.asarray(binomial) if isinstance(occupied, jax.Array) else binomial
    return (counts[np.arange(cells), occupied.cumsum(-1).clip(0, boxes)] * occupied).sum(-1, dtype=np.int32)


@jax.jit
def distances(boards: Boards, walls: jax.Array, goals: jax.Array) -> jax.Array:
    """Fewest moves to solved from each board of each level, i16 [..., C * N]; -1 where it is dead, or none.

    `walls` and `goals` bool [..., rows, columns] of the size of `boards`, with as many goals as boxes, all of them on inner
    cells that are no wall; what the border holds is not read.
    """
    choices, cells = boards.occupied.shape
    inner_walls, inner_goals = _inner(walls), _inner(goals)
    legal = ~(boards.occupied & inner_walls[..., None, :]).any(-1)
    standing = ~(boards.occupied | inner_walls[..., None, :]) & legal[..., None]
    solved = standing & (boards.occupied == inner_goals[..., None, :]).all(-1)[..., None]
    standing, solved = (each.reshape(*each.shape[:-2], choices * cells) for each in (standing, solved))
    far = jnp.full((*standing.shape[:-1], 1), FAR, jnp.int16)

    def sweep(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        before, _ = carry
        ahead = jnp.concatenate([before, far], -1)
        nearest = functools.reduce(jnp.minimum, [ahead[..., boards.successors[action]] for action in range(4)])
        after = jnp.where(standing, jnp.minimum(before, nearest + 1), FAR)
        return after, (after != before).any()

    start = jnp.where(solved, 0, FAR).astype(jnp.int16)
    found, _ = jax.lax.while_loop(lambda carry: carry[1], sweep, (start, jnp.bool_(True)))
    return jnp.where(found == FAR, DEAD, found).astype(jnp.int16)


def look_up(table: jax.Array, count: int, boxes: jax.Array, player: jax.Array) -> jax.Array:
    """Distances of boards by a table of `distances` for `count` boxes, i16 [...]; -1 where a board is dead, or none.

    table: i16 [..., C * N]. boxes: bool [..., rows, columns]. player: cell, i32 [...].
    """
    rows, columns = boxes.shape[-2:]
    inner = _inner(boxes)
    row, column = player // columns - 1, player % columns - 1
    place = _rank(inner, count) * inner.shape[-1] + row * (columns - 2) + column
    inside = (row >= 0) & (row < rows - 2) & (column >= 0) & (column < columns - 2)
    fits = inside & (inner.sum(-1) == count) & (boxes.sum((-2, -1)) == count)
    found = jnp.take_along_axis(table, jnp.where(fits, place, 0)[..., None], -1)[..., 0]
    return jnp.where(fits, found, jnp.int16(DEAD))


def _inner(cells: jax.Array) -> jax.Array:
    """The inner cells of boards, [..., N]."""
    inner = cells[..., 1:-1, 1:-1]
    return inner.reshape(*inner.shape[:-2], -1)
