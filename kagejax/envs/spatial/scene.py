"""What the agent sees of a puzzle: layers from codes, or a picture from tiles."""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp

from kagejax.core import batch_aware, batch_size
from kagejax.raster import canvas, tiles

from . import rules, strokes
from .layers import CODE, LAYERS, SHAPE_LAYERS
from .names import ACTIONS, DOWN, LEFT, RIGHT, UP
from .params import Bank, Lattice, Params, Plan, State, Tick
from .tracks import BLANK, DOT, EDGES, END, FIRST_LEVEL, FIRST_UPRIGHT, FIRST_VERTEX, GAP, PLAIN, START, VERTICES, sizes, tracks


def observe(state: State, params: Params, plan: Plan, method: str) -> jax.Array:
    """What the agent sees of one state."""
    return drawer(plan, method)(state, params) if plan.kind == "picture" else layers(state, params.bank, plan)


def layers(state: State, bank: Bank, plan: Plan) -> jax.Array:
    """u8 [height, width, layers] of 0 and 1: LAYERS, and with `plan.boxes` SHAPE_LAYERS behind them."""
    tick, puzzle, lattice = state.tick, state.episode.puzzle, plan.lattice
    here = jnp.arange(lattice.positions, dtype=jnp.int32) == tick.position
    code = bank.lines.codes[puzzle]
    code |= tick.visited.astype(jnp.uint32) << CODE["visited"] | here.astype(jnp.uint32) << CODE["agent"]
    layer = jnp.arange(len(LAYERS) + (len(SHAPE_LAYERS) if plan.boxes else 0), dtype=jnp.uint32)
    word = code[:, None]
    if plan.boxes:
        word = jnp.where(layer < len(LAYERS), word, bank.lines.boxes[puzzle][:, None])
    spread = word >> jnp.where(layer < len(LAYERS), layer, layer - len(LAYERS)) & 1
    return spread.astype(jnp.uint8).reshape(lattice.height, lattice.width, -1)


@functools.lru_cache(maxsize=256)
def drawer(plan: Plan, method: str) -> Callable[[State, Params], jax.Array]:
    """`(state, params) -> picture` u8 [height, width, 3]; any `vmap` draws the whole batch at once."""

    def batched(axes, state, params):
        size = batch_size(axes, (state, params))
        state = jax.tree.map(lambda x, a: x if a == 0 else jnp.broadcast_to(x, (size, *x.shape)), state, axes[0])
        return _draw(state, params.bank, plan, method)

    return batch_aware(batched, shared_argnums=(1,))


def _draw(state: State, bank: Bank, plan: Plan, method: str) -> jax.Array:
    def push():
        if bank.pictures.boards is not None:
            return strokes.draw(state, bank, plan)
        return _laid(state, bank, plan, "push")

    def pull():
        return _laid(state, bank, plan, "pull")

    if method == "auto":
        return canvas.as_pictures(jax.lax.platform_dependent(cpu=push, default=pull))
    return canvas.as_pictures({"push": push, "pull": pull}[method]())


def _laid(state: State, bank: Bank, plan: Plan, method: str) -> jax.Array:
    lattice, pictures = plan.lattice, bank.pictures
    place = tracks(lattice, plan.height, plan.width)
    which = jax.vmap(lambda state: shown(state.tick, state.episode.puzzle, bank, lattice))(state)
    margin = jnp.broadcast_to(pictures.ground, (which.shape[0], 3))
    heights, widths = sizes(place, lattice)
    at = (place.top, place.left)
    return tiles.lay_tracks(pictures.tiles, which, heights, widths, plan.height, plan.width, method, at, margin)


def shown(tick: Tick, puzzle: jax.Array, bank: Bank, lattice: Lattice) -> jax.Array:
    """The tile of each position, the puzzle in the middle of the lattice (to a whole cell), i32 [height, width]."""
    code = bank.lines.codes[puzzle].reshape(lattice.height, lattice.width)

    def has(layer: str) -> jax.Array:
        return code >> CODE[layer] & 1 != 0

    places = jnp.arange(lattice.positions, dtype=jnp.int32).reshape(lattice.height, lattice.width)
    head, start = places == tick.position, places == bank.lines.start[puzzle]
    mark = jnp.select([start, has("target"), has("dot"), has("gap")], [START, END, DOT, GAP], PLAIN)
    right, down = connections(tick, bank.lines.start[puzzle], lattice)
    left, up = jnp.pad(right, ((0, 0), (1, 0)))[:, :-1], jnp.pad(down, ((1, 0), (0, 0)))[:-1]
    sides = {RIGHT: right, UP: up, LEFT: left, DOWN: down}
    all_sides = sum(sides[action].astype(jnp.int32) << action for action in range(len(ACTIONS)))

    def tile(first: int, counts: tuple[int, int, int], goes: jax.Array) -> jax.Array:
        return first + (mark * counts[1] + head) * counts[2] + goes

    vertex = tile(FIRST_VERTEX, VERTICES, all_sides)
    upright = tile(FIRST_UPRIGHT, EDGES, sides[UP] + 2 * sides[DOWN])
    level = tile(FIRST_LEVEL, EDGES, sides[LEFT] + 2 * sides[RIGHT])
    cells = bank.pictures.cells[puzzle].astype(jnp.int32).reshape(lattice.cells_h, lattice.cells_w)
    cells = jnp.pad(cells.repeat(2, 0).repeat(2, 1), ((1, 0), (1, 0)))
    odd_row, odd_column = places // lattice.width % 2 == 1, places % lattice.width % 2 == 1
    which = jnp.where(odd_row, jnp.where(odd_column, cells, upright), jnp.where(odd_column, level, vertex))
    which = jnp.where(has("inside"), which, BLANK)
    across, along = (lattice.cells_w - bank.lines.size[puzzle, 0]) // 2, (lattice.cells_h - bank.lines.size[puzzle, 1]) // 2
    return jnp.roll(which, (2 * along, 2 * across), (0, 1)).astype(jnp.int32)


def connections(tick: Tick, start: jax.Array, lattice: Lattice) -> tuple[jax.Array, jax.Array]:
    """Whether the line goes from each position to the one on its right, and to the one below, bool [height, width] each.

    On a line an edge joins both its vertices, if it is passed. Only an edge at an end of the line may lie beside a vertex
    that the line visits at another time; the first and the last move tell which side it goes to.
    """
    plane = tick.visited.reshape(lattice.height, lattice.width)
    places = jnp.arange(lattice.positions, dtype=jnp.int32).reshape(plane.shape)
    begun = tick.length > 0
    step = jnp.asarray([a.dx + a.dy * lattice.width for a in ACTIONS], jnp.int32)
    second = start + step[rules.move_at(tick, jnp.int32(0))]
    before = tick.position - step[rules.last_move(tick)]

    def joins(other: jax.Array, shifted: jax.Array) -> jax.Array:
        """Between `places` and `other`: both visited, and next to each other on the line if one is an end of it."""
        both = plane & shifted & begun
        for end, neighbour in ((start, second), (tick.position, before)):
            both &= ((places != end) | (other == neighbour)) & ((other != end) | (places == neighbour))
        return both

    right = joins(places + 1, jnp.pad(plane, ((0, 0), (0, 1)))[:, 1:])
    down = joins(places + lattice.width, jnp.pad(plane, ((0, 1), (0, 0)))[1:])
    return right, down
