"""Whether polys, less ylops, cover a region exactly: a complete search, many regions at once. SPEC 3.7.

Pieces are placed in the order of their anchors, the first cell in reading order that a piece covers, and at one anchor in
the order of their slots. At anchor c nothing before c can change any more, so every cell before c must be right already.
Each cell owes a number of polys or has some to spare, which ylops must take back; a search may never have more to spare than
the ylops still in hand cover. Equal pieces are tried once.

Worst case: of n pieces on a board of C cells each is unused or has one of at most C anchors, so a search visits at most
(C + 1)^n placements; without ylops the anchor is forced, and there are at most n! orders. Every search ends with an answer. On
4,104 lines of real puzzles the longest took 491 steps, and the mean of those without ylops is 4 (benchmarks/README.md).

LANES searches run side by side, and a lane whose search has ended takes the next one at once: the cost follows the sum of all
searches and not the number of regions times the longest.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from kagejax.raster import canvas

from . import bits
from .bits import Bits
from .params import Bank, Lattice

LANES = 256
BURST = 8
"""Steps between two looks at which lanes are free."""


class Lane(NamedTuple):
    """One search. Leaves have an axis of lanes; lists run over binary digits or depths."""

    task: jax.Array  # i32, -1: idle
    row: jax.Array  # i32
    puzzle: jax.Array  # i32
    members: jax.Array  # u32, slots to place
    used: jax.Array  # u32, slots placed
    untried: jax.Array  # u32, slots that may still be tried at this anchor
    anchor: jax.Array  # i32, place
    budget: jax.Array  # i32, cells of the ylops in hand
    owed: list[Bits]  # per cell, polys still to come, in binary
    spare: list[Bits]  # per cell, polys too many, in binary
    depth: jax.Array  # i32
    stack: list[jax.Array]  # i32 each, anchor * 32 + slot
    won: jax.Array  # bool
    lost: jax.Array  # bool


ALL = 0xFFFFFFFF


def digits(most_ylops: int) -> int:
    """Binary digits of what a cell may owe or have to spare: at most one more than there are ylops."""
    return (most_ylops + 1).bit_length()


class Tasks(NamedTuple):
    """Regions whose pieces agree with them in area. Leaves have an axis of tasks."""

    row: jax.Array  # i32, whose region it is: an element of the batch
    puzzle: jax.Array  # i32, entry of the bank
    members: jax.Array  # u32, slots of its pieces, not 0
    need: jax.Array  # u32 [K], cells that polys less ylops must cover once


def uncovered(tasks: Tasks, count: jax.Array, rows: int, bank: Bank, lattice: Lattice, most_ylops: int) -> jax.Array:
    """Which rows have a region without a cover among the first `count` tasks, bool [rows]. Gives up never."""
    lanes = min(LANES, tasks.row.shape[0])
    symbols = bank.symbols
    slots = symbols.piece_sizes.shape[1]
    table = _Table(symbols, bank.shapes.covers, lattice)

    def empty() -> Lane:
        none = Bits(tuple(jnp.zeros((lanes,), jnp.uint32) for _ in range(lattice.words)))
        zero, word = jnp.zeros((lanes,), jnp.int32), jnp.zeros((lanes,), jnp.uint32)
        planes = [none] * digits(most_ylops)
        no = jnp.zeros((lanes,), bool)
        return Lane(zero - 1, zero, zero, word, word, word, zero, zero, planes, planes, zero, [zero] * slots, no, no)

    def refill(carry: tuple) -> tuple:
        lane, following, failed = carry
        free = (lane.task < 0) | lane.won | lane.lost
        failed = failed.at[jnp.where(lane.lost, lane.row, rows)].set(True, mode="drop")
        rank = following + jnp.cumsum(free, dtype=jnp.int32) - 1
        task = jnp.where(free, jnp.where(rank < count, rank, -1), lane.task)
        fresh = _begin(empty(), task, jax.tree.map(lambda x: x[jnp.maximum(task, 0)], tasks), table)
        lane = jax.tree.map(lambda old, new: jnp.where(free, new, old), lane, fresh)
        return lane, jnp.minimum(following + free.sum(dtype=jnp.int32), count), failed

    def turn(carry: tuple) -> tuple:
        lane, following, failed = carry
        lane = jax.lax.fori_loop(0, BURST, lambda _, lane: _step(lane, table), lane)
        return refill((lane, following, failed))

    start = refill((empty(), jnp.int32(0), jnp.zeros((rows,), bool)))
    return jax.lax.while_loop(lambda carry: (carry[0].task >= 0).any(), turn, start)[2]


class _Table:
    """Look-ups by puzzle, slot and place, on flat arrays."""

    def __init__(self, symbols, covers: jax.Array, lattice: Lattice):
        self.slots, self.places = symbols.piece_sizes.shape[1], lattice.places
        self.shapes, self.sizes = symbols.piece_shapes.reshape(-1), symbols.piece_sizes.reshape(-1)
        self.after, self.ylops = symbols.piece_after.reshape(-1), symbols.ylops
        self.board = symbols.board
        self.covers = [covers[..., k].reshape(-1) for k in range(lattice.words)]

    def ylop_area(self, puzzle: jax.Array, members: jax.Array) -> jax.Array:
        area = jnp.zeros_like(puzzle)
        ylops = members & self.ylops[puzzle]
        for i in range(self.slots):
            area += jnp.where(ylops >> i & 1 != 0, self.sizes[puzzle * self.slots + i], 0)
        return area

    def cover(self, puzzle: jax.Array, slot: jax.Array, anchor: jax.Array) -> Bits:
        """Cells under the piece; none where it would stick out of the board."""
        place = self.shapes[puzzle * self.slots + slot] * self.places + anchor
        cover = Bits(tuple(words[place] for words in self.covers))
        fits = ~(cover - Bits.of(self.board[puzzle])).any()
        return bits.where(fits, cover, cover ^ cover)


def _begin(blank: Lane, task: jax.Array, found: Tasks, table: _Table) -> Lane:
    need, budget = Bits.of(found.need), table.ylop_area(found.puzzle, found.members)
    first = jnp.where(budget > 0, Bits.of(table.board[found.puzzle]).lowest(), need.lowest())
    return blank._replace(
        task=task,
        row=found.row,
        puzzle=found.puzzle,
        members=found.members,
        untried=blank.untried | jnp.uint32(ALL),
        anchor=first,
        budget=budget,
        owed=[need, *blank.owed[1:]],
    )


def _step(lane: Lane, table: _Table) -> Lane:
    """Tries one piece at the anchor, or goes to the next anchor, or takes the last piece back.

    In three kernels' worth of stages on a CPU: fused into one, each of the forty results would compute all others again.
    """
    certain = lane.task[0] >= -1
    choice = canvas.separately(certain, lambda lane: _choice(lane, table), lane)
    sight = canvas.separately(certain, lambda lane, choice: _sight(lane, choice, table), lane, choice)
    planes = canvas.separately(certain, _balance, lane, choice, sight)
    return _after(lane, choice, sight, *planes)


class Choice(NamedTuple):
    """What a step does."""

    act: jax.Array  # i32: RESTS, TRIES, GOES_ON, UNDOES, LOSES
    slot: jax.Array  # i32
    anchor: jax.Array  # i32, of the piece; for GOES_ON the next anchor


class Sight(NamedTuple):
    """What is looked up about the piece in question."""

    cover: Bits  # none where it would stick out of the board
    is_ylop: jax.Array  # bool
    size: jax.Array  # i32
    after: jax.Array  # u32
    ylops: jax.Array  # u32, slots of the puzzle that hold one


RESTS, TRIES, GOES_ON, UNDOES, LOSES = range(5)


def _choice(lane: Lane, table: _Table) -> Choice:
    running = (lane.task >= 0) & ~lane.won & ~lane.lost
    unused = lane.members & ~lane.used
    open_slots = unused & lane.untried
    owing, sparing = _any(lane.owed), _any(lane.spare)
    settled = ~Bits.single(lane.anchor, len(owing.words)).meets(owing | sparing)
    ylops_left = unused & table.ylops[lane.puzzle] != 0
    ahead = bits.where(ylops_left, Bits.of(table.board[lane.puzzle]), owing).above(lane.anchor)
    top = _at(lane.stack, jnp.maximum(lane.depth - 1, 0))
    back = jnp.where(lane.depth == 0, LOSES, UNDOES)
    act = jnp.where(open_slots != 0, TRIES, jnp.where(settled & ahead.any(), GOES_ON, back))
    first = jnp.minimum(bits.trailing_zeros(open_slots | jnp.uint32(1 << 31)), table.slots - 1)
    return Choice(
        act=jnp.where(running, act, RESTS),
        slot=jnp.where(act == UNDOES, top % 32, first),
        anchor=jnp.where(act == UNDOES, top // 32, jnp.where(act == GOES_ON, ahead.lowest(), lane.anchor)),
    )


def _sight(lane: Lane, choice: Choice, table: _Table) -> Sight:
    entry = lane.puzzle * table.slots + choice.slot
    return Sight(
        cover=table.cover(lane.puzzle, choice.slot, choice.anchor),
        is_ylop=table.ylops[lane.puzzle] >> choice.slot.astype(jnp.uint32) & 1 != 0,
        size=table.sizes[entry],
        after=table.after[entry],
        ylops=table.ylops[lane.puzzle],
    )


def _balance(lane: Lane, choice: Choice, sight: Sight) -> tuple[list[Bits], list[Bits]]:
    return _added(lane.owed, lane.spare, sight.cover, sight.is_ylop ^ (choice.act == UNDOES))


def _after(lane: Lane, choice: Choice, sight: Sight, owed: list[Bits], spare: list[Bits]) -> Lane:
    act, slot, anchor = choice
    bit = jnp.uint32(1) << slot.astype(jnp.uint32)
    undone = act == UNDOES
    budget = jnp.where(sight.is_ylop, lane.budget + jnp.where(undone, sight.size, -sight.size), lane.budget)
    in_hand = jax.lax.population_count(lane.members & ~lane.used & ~bit & sight.ylops)
    placed = (act == TRIES) & sight.cover.any() & (_total(spare) <= budget) & ~_exceeds(spare, in_hand).any()
    changed = placed | undone
    used = jnp.where(placed, lane.used | bit, jnp.where(undone, lane.used & ~bit, lane.used))
    fresh = jnp.where(placed, ~(bit | (bit - 1)), jnp.where(act == GOES_ON, jnp.uint32(ALL), sight.after))
    return lane._replace(
        used=used,
        untried=fresh,
        anchor=anchor,
        budget=jnp.where(changed, budget, lane.budget),
        owed=[bits.where(changed, new, old) for new, old in zip(owed, lane.owed, strict=True)],
        spare=[bits.where(changed, new, old) for new, old in zip(spare, lane.spare, strict=True)],
        depth=lane.depth + placed.astype(jnp.int32) - undone.astype(jnp.int32),
        stack=[jnp.where(placed & (lane.depth == d), anchor * 32 + slot, old) for d, old in enumerate(lane.stack)],
        won=lane.won | (placed & (used == lane.members)),
        lost=lane.lost | (act == LOSES),
    )


def _at(stack: list[jax.Array], depth: jax.Array) -> jax.Array:
    found = stack[0]
    for d, value in enumerate(stack[1:], start=1):
        found = jnp.where(depth == d, value, found)
    return found


def _any(planes: list[Bits]) -> Bits:
    found = planes[0]
    for plane in planes[1:]:
        found = found | plane
    return found


def _total(planes: list[Bits]) -> jax.Array:
    return sum(plane.count() << k for k, plane in enumerate(planes))


def _exceeds(planes: list[Bits], limit: jax.Array) -> Bits:
    """Cells with more than `limit` (u32): one ylop takes back one at a cell."""
    more = planes[0] ^ planes[0]
    level = Bits(tuple(~word for word in more.words))
    for k, plane in reversed(list(enumerate(planes))):
        digit = -(limit >> k & 1)  # all ones or none
        digit = Bits(tuple(digit for _ in plane.words))
        more = more | (level & (plane - digit))
        level = level - (plane ^ digit)
    return more


def _added(owed: list[Bits], spare: list[Bits], cover: Bits, more: jax.Array) -> tuple[list[Bits], list[Bits]]:
    """One poly more (or less) owed at each cell of `cover`: of what is to spare first, then owed; and the other way round."""
    source = [bits.where(more, a, b) for a, b in zip(spare, owed, strict=True)]
    sink = [bits.where(more, b, a) for a, b in zip(spare, owed, strict=True)]
    hit = cover & _any(source)
    source, sink = _less(source, hit), _plus(sink, cover - hit)
    return (
        [bits.where(more, b, a) for a, b in zip(source, sink, strict=True)],
        [bits.where(more, a, b) for a, b in zip(source, sink, strict=True)],
    )


def _plus(planes: list[Bits], carry: Bits) -> list[Bits]:
    out = []
    for plane in planes:
        out.append(plane ^ carry)
        carry = plane & carry
    return out


def _less(planes: list[Bits], borrow: Bits) -> list[Bits]:
    out = []
    for plane in planes:
        out.append(plane ^ borrow)
        borrow = borrow - plane
    return out
