"""Pictures on a CPU: the finished board of the puzzle, and the line drawn over it, tile by tile along its moves.

A board is one copy of the whole picture, so a frame costs little more than writing it; the line of an average episode is a
dozen tiles. The boards of all puzzles must be in memory for that: `art` keeps them if they are not too many.
"""

import jax
import jax.numpy as jnp
import numpy as np

from . import rules
from .layers import CODE
from .names import ACTIONS, DOWN, RIGHT
from .params import Bank, Plan, State
from .tracks import DOT, EDGES, END, FIRST_LEVEL, FIRST_UPRIGHT, FIRST_VERTEX, PLAIN, START, VERTICES, starts, tracks

TILE_BITS, SIDE_BITS = 8, 8
"""A stroke is one word, tile | column << 8 | row << 16: results of several arrays would be computed several times over."""


def strokes(state: State, bank: Bank, plan: Plan) -> jax.Array:
    """Tile and place of each position that a line can have, u32 [longest + 1]; those past the head say nothing."""
    lattice, tick, puzzle = plan.lattice, state.tick, state.episode.puzzle
    count = lattice.longest
    place = jnp.arange(count + 1, dtype=jnp.int32)
    x, y = positions(tick.moves, bank.lines.start[puzzle], plan)
    moves = jax.vmap(lambda i: rules.move_at(tick, i))(place)
    came, goes = (place > 0) & (place <= tick.length), place < tick.length
    back = jnp.roll(moves, 1) ^ 2  # the side the line came in by
    code = bank.lines.codes[puzzle, jnp.clip(y * lattice.width + x, 0, lattice.positions - 1)]
    mark = jnp.where(place == 0, START, jnp.where(code >> CODE["target"] & 1 != 0, END, PLAIN))
    mark = jnp.where((mark == PLAIN) & (code >> CODE["dot"] & 1 != 0), DOT, mark)
    head = (place == tick.length).astype(jnp.int32)
    sides = jnp.where(came, 1 << back, 0) | jnp.where(goes, 1 << moves, 0)
    upright = y % 2 == 1
    low, high = (sides >> 1 & 1, sides >> DOWN & 1), (sides >> 2 & 1, sides >> RIGHT & 1)
    ends = jnp.where(upright, low[0] + 2 * low[1], high[0] + 2 * high[1])
    vertex = FIRST_VERTEX + (mark * VERTICES[1] + head) * VERTICES[2] + sides
    edge = jnp.where(upright, FIRST_UPRIGHT, FIRST_LEVEL) + (mark * EDGES[1] + head) * EDGES[2] + ends
    size = bank.lines.size[puzzle]
    row = y + 2 * ((lattice.cells_h - size[1]) // 2)
    column = x + 2 * ((lattice.cells_w - size[0]) // 2)
    tile = jnp.where(upright | (x % 2 == 1), edge, vertex)
    return (tile | column << TILE_BITS | row << TILE_BITS + SIDE_BITS).astype(jnp.uint32)


def positions(words: jax.Array, start: jax.Array, plan: Plan) -> tuple[jax.Array, jax.Array]:
    """Column and row of each position of a line, i32 [longest + 1] each, from its moves (u32 [words]).

    Of a move's two bits the low one says up or down, the high one left or down, so counting bits takes the place of a sum
    along the line.
    """
    lattice, per_word = plan.lattice, rules.MOVES_IN_WORD
    place = np.arange(lattice.longest + 1)
    before = jnp.asarray((np.uint64(1) << (2 * (place % per_word)).astype(np.uint64)) - np.uint64(1), jnp.uint32)
    low = words & jnp.uint32(0x55555555)
    high = words >> 1 & jnp.uint32(0x55555555)

    def count(bits: jax.Array) -> jax.Array:
        """How many of the moves before each position have the bit."""
        whole = jax.lax.population_count(bits).astype(jnp.int32)
        sums = [jnp.int32(0)]
        for k in range(words.shape[0]):
            sums.append(sums[-1] + whole[k])
        each = np.minimum(place // per_word, words.shape[0] - 1)
        return jnp.stack(sums)[place // per_word] + jax.lax.population_count(bits[each] & before).astype(jnp.int32)

    vertical, left, down = count(low), count(high & ~low), count(high & low)
    across = jnp.asarray(place, jnp.int32) - vertical
    return start % lattice.width + across - 2 * left, start // lattice.width + 2 * down - vertical


def draw(state: State, bank: Bank, plan: Plan) -> jax.Array:
    """Flat frames u8 [batch, height, 3 * width] of a batch of states."""
    drawn = jax.vmap(lambda state: strokes(state, bank, plan))(state)
    boards, sheet = bank.pictures.boards, bank.pictures.tiles
    place = tracks(plan.lattice, plan.height, plan.width)
    lane, rest = place.lane, place.cell - place.lane
    tops, lefts = (jnp.asarray(each, jnp.int32) for each in starts(place, plan.lattice))
    puzzle, length = state.episode.puzzle, state.tick.length
    first = bank.lines.start[puzzle]
    on_edge = ((first % plan.lattice.width + first // plan.lattice.width) % 2).astype(jnp.int32)
    zero = jnp.int32(0)

    def look_up(b, i):
        word = drawn[b, i].astype(jnp.int32)
        tile, column, row = word & 0xFF, word >> TILE_BITS & 0xFF, word >> TILE_BITS + SIDE_BITS
        return tile, row % 2, tops[row], lefts[column]

    def copy(frames, b, tile, top, left, down, across):
        block = jax.lax.dynamic_slice(sheet, (tile, down, 3 * across), (1, lane, 3 * lane))
        return jax.lax.dynamic_update_slice(frames, block, (b, top + down, 3 * (left + across)))

    def one(b, frames):
        board = jax.lax.dynamic_slice(boards, (puzzle[b], zero, zero), (1, *boards.shape[1:]))
        frames = jax.lax.dynamic_update_slice(frames, board, (b, zero, zero))

        # Vertices and edges take turns along a line. An edge, upright or level, is three squares that may overlap, so that
        # all blocks have one size and no choice is made in the loop.
        def vertex(k, frames):
            tile, _, top, left = look_up(b, 2 * k + on_edge[b])
            return copy(frames, b, tile, top, left, zero, zero)

        def edge(k, frames):
            tile, upright, top, left = look_up(b, 2 * k + 1 - on_edge[b])
            for off in (0, rest // 2, rest):
                frames = copy(frames, b, tile, top, left, off * upright, off * (1 - upright))
            return frames

        frames = jax.lax.fori_loop(zero, (length[b] + 2 - on_edge[b]) // 2, vertex, frames)
        return jax.lax.fori_loop(zero, (length[b] + 1 + on_edge[b]) // 2, edge, frames)

    frames = jnp.zeros((puzzle.shape[0], *boards.shape[1:]), jnp.uint8)
    return jax.lax.fori_loop(zero, jnp.int32(puzzle.shape[0]), one, frames)


assert [(a.dx, a.dy) for a in ACTIONS] == [(1, 0), (0, -1), (-1, 0), (0, 1)]  # what the arithmetic on moves relies on
