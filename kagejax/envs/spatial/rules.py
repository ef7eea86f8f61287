"""Path puzzles: the game alone. SPEC sections 3 and 5; no picture, no wrapper, no YAML."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from kagejax.core import batch_aware, batch_size

from . import polys, regions
from .bits import Bits
from .layers import CODE, WALKABLE
from .names import ACTIONS
from .params import Bank, Lattice, Solutions, Symbols, Tick

MOVES_IN_WORD = 16  # of 2 bits
DX, DY = tuple(a.dx for a in ACTIONS), tuple(a.dy for a in ACTIONS)
BACK = tuple(ACTIONS.index(next(b for b in ACTIONS if (b.dx, b.dy) == (-a.dx, -a.dy))) for a in ACTIONS)
"""The action that undoes each action."""
LEAST_TURN, MOST_TURN, TURNS = 64, 512, 32
"""A batch judges its complete lines in turns of a 32nd of it, within these bounds: on most steps one turn is enough."""


class Marks(NamedTuple):
    """Verdicts on the symbols of a complete line."""

    dots: jax.Array  # bool
    squares: jax.Array  # bool
    stars: jax.Array  # bool
    triangles: jax.Array  # bool
    polys: jax.Array  # bool


class Line(NamedTuple):
    """Verdicts on a list of positions as a line. SPEC 3.1 and 3.2."""

    starts_at_start: jax.Array  # bool
    ends_at_end: jax.Array  # bool
    in_bounds: jax.Array  # bool
    connected: jax.Array  # bool, unit steps alone
    simple: jax.Array  # bool, no position twice
    avoids_rule_cells: jax.Array  # bool
    end_only_last: jax.Array  # bool
    avoids_gaps: jax.Array  # bool


def start(puzzle: jax.Array, bank: Bank, lattice: Lattice) -> Tick:
    """The state before the first move."""
    position, zero = bank.lines.start[puzzle], jnp.int32(0)
    return Tick(
        position=position,
        visited=jnp.arange(lattice.positions, dtype=jnp.int32) == position,
        moves=jnp.zeros((-(-lattice.longest // MOVES_IN_WORD),), jnp.uint32),
        length=zero,
        node=bank.solutions.root[puzzle],
        matched=zero,
        t=zero,
        backtracks=zero,
        invalid=zero,
    )


def last_move(tick: Tick) -> jax.Array:
    """The action on top of the stack, i32; 0 for an empty one."""
    return move_at(tick, jnp.maximum(tick.length - 1, 0))


def move_at(tick: Tick, index: jax.Array) -> jax.Array:
    """Move `index` of the line (i32), i32."""
    words = tick.moves.shape[0]
    word = tick.moves[0]
    for k in range(1, words):
        word = jnp.where(index // MOVES_IN_WORD == k, tick.moves[k], word)
    return (word >> (2 * (index % MOVES_IN_WORD)).astype(jnp.uint32) & 3).astype(jnp.int32)


def targets(position: jax.Array, lattice: Lattice) -> tuple[list[jax.Array], list[jax.Array]]:
    """Where each action leads (i32, clipped to the lattice) and whether that is on the lattice (bool)."""
    x, y = position % lattice.width, position // lattice.width
    there, inside = [], []
    for dx, dy in zip(DX, DY, strict=True):
        inside.append((x + dx >= 0) & (x + dx < lattice.width) & (y + dy >= 0) & (y + dy < lattice.height))
        there.append(jnp.clip(position + dx + dy * lattice.width, 0, lattice.positions - 1))
    return there, inside


def legal(tick: Tick, puzzle: jax.Array, traceback: jax.Array, bank: Bank, lattice: Lattice) -> jax.Array:
    """Which actions move, bool [4]: to a free position, or, with traceback, back to the one before."""
    there, inside = targets(tick.position, lattice)
    back = jnp.asarray(BACK, jnp.int32)[last_move(tick)]
    flags = []
    for action, (position, on_lattice) in enumerate(zip(there, inside, strict=True)):
        walkable = bank.lines.codes[puzzle, position] >> WALKABLE != 0
        returns = traceback & (tick.length > 0) & (back == action)
        flags.append(on_lattice & walkable & (~tick.visited[position] | returns))
    return jnp.stack(flags)


def move(tick: Tick, action: jax.Array, puzzle: jax.Array, traceback: jax.Array, bank: Bank, lattice: Lattice) -> Tick:
    """One step: forward, back, or nothing for an action that is not legal (any integer)."""
    able = legal(tick, puzzle, traceback, bank, lattice)
    moved = (action >= 0) & (action < len(ACTIONS)) & able[jnp.clip(action, 0, len(ACTIONS) - 1)]
    action = jnp.clip(action, 0, len(ACTIONS) - 1)
    there = jnp.stack(targets(tick.position, lattice)[0])[action]
    back = moved & tick.visited[there]
    forward = moved & ~back
    places = jnp.arange(lattice.positions, dtype=jnp.int32)
    visited = (tick.visited | (forward & (places == there))) & ~(back & (places == tick.position))
    solutions = bank.solutions
    child = solutions.children[tick.node, action]
    on_solution = tick.matched == tick.length
    advances, retreats = forward & on_solution & (child >= 0), back & on_solution
    parent = solutions.parent[tick.node]
    return Tick(
        position=jnp.where(moved, there, tick.position),
        visited=visited,
        moves=jnp.where(forward, _pushed(tick, action), tick.moves),
        length=tick.length + forward.astype(jnp.int32) - back.astype(jnp.int32),
        node=jnp.where(advances, child, jnp.where(retreats, parent, tick.node)),
        matched=tick.matched + advances.astype(jnp.int32) - retreats.astype(jnp.int32),
        t=tick.t + 1,
        backtracks=tick.backtracks + back.astype(jnp.int32),
        invalid=tick.invalid + (~moved).astype(jnp.int32),
    )


def _pushed(tick: Tick, action: jax.Array) -> jax.Array:
    word = jnp.arange(tick.moves.shape[0], dtype=jnp.int32) == tick.length // MOVES_IN_WORD
    shift = (2 * (tick.length % MOVES_IN_WORD)).astype(jnp.uint32)
    cleared = tick.moves & ~(jnp.uint32(3) << shift)
    return jnp.where(word, cleared | action.astype(jnp.uint32) << shift, tick.moves)


def edges(visited: jax.Array, lattice: Lattice) -> tuple[Bits, Bits]:
    """The vertical and the horizontal edges among the visited positions (bool [positions])."""
    plane = visited.reshape(lattice.height, lattice.width)
    vertical = jnp.pad(plane[1::2, 0::2], ((0, 1), (0, 0)))
    horizontal = jnp.pad(plane[0::2, 1::2], ((0, 0), (0, 1)))
    return _packed(vertical, lattice), _packed(horizontal, lattice)


def _packed(places: jax.Array, lattice: Lattice) -> Bits:
    flat = jnp.pad(places.reshape(-1), (0, lattice.words * 32 - lattice.places)).reshape(lattice.words, 32)
    return Bits.of((flat.astype(jnp.uint32) << jnp.arange(32, dtype=jnp.uint32)).sum(axis=1, dtype=jnp.uint32))


def triangles(symbols: Symbols, vertical: Bits, horizontal: Bits, stride: int) -> jax.Array:
    """Whether each triangle has as many edges on the line as it counts, bool. SPEC 3.8."""
    left, right = vertical, vertical.moved(-1)
    top, bottom = horizontal, horizontal.moved(-stride)
    ones, carry = left ^ right, left & right
    ones, carries = ones ^ top, (ones & top, carry)
    ones, last = ones ^ bottom, ones & bottom
    twos = carries[0] ^ carries[1] ^ last
    fours = (carries[0] & carries[1]) | (carries[0] & last) | (carries[1] & last)
    one, two, three, four = (Bits.of(symbols.triangles[k]) for k in range(4))
    wrong = (one - ones) | (one & twos) | (two - twos) | (two & ones) | (three - (ones & twos)) | (four - fours)
    return ~wrong.any()


def judge(lattice: Lattice, most_ylops: int) -> Callable[[jax.Array, jax.Array, jax.Array, Bank], Marks]:
    """`(puzzle i32, visited bool [positions], asked bool, bank) -> Marks`: exact for complete lines, all False where not asked.

    Under `vmap` only the elements that are asked for are judged, a few together.
    """
    return _judge(lattice, most_ylops)


@functools.lru_cache(maxsize=64)
def _judge(lattice: Lattice, most_ylops: int) -> Callable[..., Marks]:
    def batched(axes, puzzle, visited, asked, bank):
        size = batch_size(axes, (puzzle, visited, asked, bank))
        puzzle, visited, asked = (
            x if axis == 0 else jnp.broadcast_to(x, (size, *x.shape))
            for x, axis in zip((puzzle, visited, asked), axes, strict=False)
        )
        return jax.lax.cond(
            asked.any(),
            lambda: _marks(puzzle, visited, asked, bank, lattice, most_ylops),
            lambda: Marks(*[jnp.zeros((size,), bool)] * len(Marks._fields)),
        )

    return batch_aware(batched, shared_argnums=(3,))


def _marks(puzzle, visited, asked, bank: Bank, lattice: Lattice, most_ylops: int) -> Marks:
    """First every rule but the search, in turns; then the searches of all of them together."""
    size, slots = puzzle.shape[0], bank.symbols.piece_sizes.shape[1]
    chunk = min(size, max(LEAST_TURN, min(MOST_TURN, size // TURNS)))
    turns = -(-size // chunk)
    chosen = jnp.nonzero(asked, size=turns * chunk, fill_value=size)[0].astype(jnp.int32)

    def one(puzzle, visited):
        symbols = jax.tree.map(lambda x: x[puzzle], bank.symbols)
        vertical, horizontal = edges(visited, lattice)
        dots = bank.lines.codes[puzzle] >> CODE["dot"] & 1 != 0
        survey = regions.survey(symbols, vertical, horizontal, lattice.stride)
        counts = triangles(symbols, vertical, horizontal, lattice.stride)
        return Marks((~dots | visited).all(), survey.squares, survey.stars, counts, survey.areas), survey.covers

    def turn(i, carry):
        marks, tasks, count = carry
        rows = jax.lax.dynamic_slice(chosen, (i * chunk,), (chunk,))
        found, covers = jax.vmap(one)(*(x.at[rows].get(mode="clip") for x in (puzzle, visited)))
        marks = jax.tree.map(lambda old, new: old.at[rows].set(new, mode="drop"), marks, found)
        members = jnp.where((rows < size)[:, None], covers.members, 0).reshape(-1)
        order = jnp.nonzero(members, size=chunk * slots, fill_value=0)[0].astype(jnp.int32)
        row = jnp.minimum(rows, size - 1)[order // slots]
        new = polys.Tasks(row, puzzle[row], members[order], covers.need.reshape(-1, lattice.words)[order])
        # What lies behind the new ones is written over by the next turn.
        tasks = jax.tree.map(lambda old, new: jax.lax.dynamic_update_slice_in_dim(old, new, count, 0), tasks, new)
        return marks, tasks, count + (members != 0).sum(dtype=jnp.int32)

    room = turns * chunk * slots
    word = jnp.zeros((room,), jnp.uint32)
    none = polys.Tasks(word.astype(jnp.int32), word.astype(jnp.int32), word, jnp.zeros((room, lattice.words), jnp.uint32))
    carry = Marks(*[jnp.zeros((size,), bool)] * len(Marks._fields)), none, jnp.int32(0)
    marks, tasks, count = jax.lax.fori_loop(0, -(-asked.sum(dtype=jnp.int32) // chunk), turn, carry)
    failed = polys.uncovered(tasks, count, size, bank, lattice, most_ylops)
    return marks._replace(polys=marks.polys & ~failed)


def line(path: jax.Array, count: jax.Array, puzzle: jax.Array, bank: Bank, lattice: Lattice) -> tuple[Line, jax.Array]:
    """Verdicts on the first `count` of some positions as a line, and the positions visited (bool [positions]).

    `path` is i32 [n, 2] of (x, y), any integers. Without a position every verdict is False but those that speak of all.
    """
    lines = bank.lines
    index = jnp.arange(path.shape[0], dtype=jnp.int32)
    real = index < count
    x, y = path[:, 0], path[:, 1]
    size = 2 * lines.size[puzzle] + 1
    inside = (x >= 0) & (x < size[0]) & (y >= 0) & (y < size[1])
    place = jnp.where(real & inside, y * lattice.width + x, lattice.positions)
    times = jnp.zeros((lattice.positions,), jnp.int32).at[place].add(1, mode="drop")
    code = lines.codes[puzzle, jnp.minimum(place, lattice.positions - 1)]
    steps = jnp.abs(x[1:] - x[:-1]) + jnp.abs(y[1:] - y[:-1])
    same = (x[:, None] == x[None]) & (y[:, None] == y[None]) & real[:, None] & real[None] & (index[:, None] < index[None])
    first, last = place[0], place[jnp.maximum(count - 1, 0)]
    end = lines.end[puzzle]
    return Line(
        starts_at_start=(count > 0) & (first == lines.start[puzzle]),
        ends_at_end=(count > 0) & (last == end),
        in_bounds=(inside | ~real).all(),
        connected=((steps == 1) | ~real[1:]).all(),
        simple=~same.any(),
        avoids_rule_cells=~(real & inside & (x % 2 == 1) & (y % 2 == 1)).any(),
        end_only_last=~(real & (place == end) & (index != count - 1)).any(),
        avoids_gaps=~(real & inside & (code >> CODE["gap"] & 1 != 0)).any(),
    ), times > 0


def is_valid(line: Line, marks: Marks) -> jax.Array:
    """Whether a line solves its puzzle, bool."""
    return functools.reduce(jnp.logical_and, [*line, *marks])


def stored(tick: Tick, solutions: Solutions, puzzle: jax.Array) -> jax.Array:
    """Whether the line is the beginning of a stored solution, bool; False where none is stored."""
    return (tick.matched == tick.length) & (solutions.count[puzzle] > 0)
