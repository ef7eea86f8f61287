"""Regions of a complete line, and the rules that each of them must keep on its own: squares, stars, area. SPEC 3.4 to 3.7.

One loop takes the regions in turn: it lets a region grow over its borders until nothing changes, judges it, and seeds the
next one. Everything is bit masks, so that a `vmap` over lines is plain arithmetic along the batch.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from . import bits
from .bits import Bits
from .params import Symbols

GROWTH = 4
"""Growth steps between two judgements: most regions need few, and a judgement costs about as much as four."""


class Covers(NamedTuple):
    """Regions with polys or ylops of fitting area, left to the search of `polys`. N slots, of which few are used."""

    members: jax.Array  # u32 [N], the slots of the region's polys and ylops, at its first one; 0 elsewhere
    need: jax.Array  # u32 [N, K], cells that polys less ylops must cover once; none where the areas cancel


class Survey(NamedTuple):
    """What the regions of a line say, but for the search."""

    squares: jax.Array  # bool, each region's squares have one colour
    stars: jax.Array  # bool, each star has exactly one partner
    areas: jax.Array  # bool, each region's polys and ylops could fit by their area
    covers: Covers


def walls(vertical: Bits, horizontal: Bits, board: Bits, stride: int) -> tuple[Bits, Bits]:
    """Cells with a free way to the right, and down: the neighbour exists and the edge between is not on the line."""
    right = (board & board.moved(-1)) - vertical.moved(-1)
    down = (board & board.moved(-stride)) - horizontal.moved(-stride)
    return right, down


def grown(region: Bits, right: Bits, down: Bits, stride: int) -> Bits:
    """The region and the cells one free way from it."""
    across = (region & right).moved(1) | (region.moved(-1) & right)
    along = (region & down).moved(stride) | (region.moved(-stride) & down)
    return region | across | along


def survey(symbols: Symbols, vertical: Bits, horizontal: Bits, stride: int) -> Survey:
    """The verdicts for one line on one puzzle. `symbols` is one entry of the bank; edges are those on the line."""
    board = Bits.of(symbols.board)
    right, down = walls(vertical, horizontal, board, stride)
    colors = [Bits.of(symbols.colors[k]) for k in range(symbols.colors.shape[0])]
    squares, stars = Bits.of(symbols.squares), Bits.of(symbols.stars)
    slots = symbols.piece_sizes.shape[0]
    cells = [Bits.of(symbols.piece_cells[i]) for i in range(slots)]
    signed = [jnp.where(symbols.ylops >> i & 1 != 0, -symbols.piece_sizes[i], symbols.piece_sizes[i]) for i in range(slots)]
    full = colors[0]
    for color in colors[1:]:
        full = full | color

    def judge(region: Bits) -> tuple:
        one_color = sum((region & squares).meets(color).astype(jnp.int32) for color in colors) <= 1
        paired = jnp.bool_(True)
        for color in colors:
            paired &= ~(region & stars).meets(color) | ((region & color).count() == 2)
        inside = [region.meets(cell) for cell in cells]
        net = sum(jnp.where(there, size, 0) for there, size in zip(inside, signed, strict=True))
        members = sum((there.astype(jnp.uint32) << i for i, there in enumerate(inside)), jnp.uint32(0))
        fits = (members == 0) | (net == 0) | (net == region.count())
        return one_color, paired, fits, members, net

    def step(carry: tuple) -> tuple:
        rest, region, verdict, covers = carry
        larger = region
        for _ in range(GROWTH):
            before, larger = larger, grown(larger, right, down, stride)
        stable = ~(larger ^ before).any()
        one_color, paired, fits, members, net = judge(larger)
        verdict = tuple(old & (new | ~stable) for old, new in zip(verdict, (one_color, paired, fits), strict=True))
        searched = stable & fits & (members != 0)
        lead = members & (~members + 1)
        need = bits.where(net == 0, larger ^ larger, larger)
        found = []
        for i, (old_members, old_need) in enumerate(covers):
            here = searched & (lead == jnp.uint32(1 << i))
            found.append((jnp.where(here, members, old_members), bits.where(here, need, old_need)))
        rest = bits.where(stable, rest - larger, rest)
        return rest, bits.where(stable, rest.first(), larger), verdict, found

    rest = full & board  # a region without a symbol has nothing to say
    yes, none = full.words[0] == full.words[0], full ^ full
    carry = (rest, rest.first(), (yes, yes, yes), [(none.words[0], none) for _ in range(slots)])
    *_, (one_color, paired, fits), covers = jax.lax.while_loop(lambda carry: carry[0].any(), step, carry)
    need = [jnp.stack(need.words) for _, need in covers]
    return Survey(
        squares=one_color,
        stars=paired,
        areas=fits,
        covers=Covers(
            members=jnp.stack([members for members, _ in covers]) if slots else jnp.zeros((0,), jnp.uint32),
            need=jnp.stack(need) if slots else jnp.zeros((0, len(full.words)), jnp.uint32),
        ),
    )
