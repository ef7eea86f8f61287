"""Whether polys and ylops fit a region, compiled by numba; see `solver.py`. SPEC 3.7.

numba notices changes of this file only: after a change in `mask_kernels.py`, touch this one too.
"""

from typing import NamedTuple

import numpy as np

from .mask_kernels import compiled, hashed, keep, kept, single, size, some

PLACE, SHAPE, SIZE, YLOP = range(4)  # columns of Symbols.pieces
UNKNOWN, FITS, FAILS = range(3)


class Memo(NamedTuple):
    """Regions whose pieces were fitted before. N slots, a power of 2: a region takes the slot of whatever was there."""

    regions: np.ndarray  # u64 [N, W]
    verdicts: np.ndarray  # u8 [N]


class Scratch(NamedTuple):
    """What `fits` works with. P pieces."""

    owed: np.ndarray  # i64 [places], polys that a cell still needs; below 0: it has some too many
    held: np.ndarray  # bool [P], pieces still to be placed
    placed: np.ndarray  # i64 [P, 2], place and piece, one after the other
    steps: np.ndarray  # i64 [1], how often a piece was looked for


@compiled
def inside(symbols, piece, region):
    """Whether a piece stands in a region."""
    return some(single(symbols.pieces[piece, PLACE], region) & region)


@compiled
def area(symbols, region, ylop):
    """Cells of the polys of a region together, or of its ylops."""
    total = 0
    for piece in range(symbols.pieces.shape[0]):
        if symbols.pieces[piece, YLOP] == ylop and inside(symbols, piece, region):
            total += symbols.pieces[piece, SIZE]
    return total


@compiled
def covered(symbols, memo, scratch, region):
    """Whether a region that nothing can divide any more keeps the rule for polys and ylops."""
    net = area(symbols, region, 0) - area(symbols, region, 1)
    if net < 0 or (net > 0 and net != size(region)):
        return False
    slot = hashed(region) & np.uint64(memo.verdicts.shape[0] - 1)
    if memo.verdicts[slot] == UNKNOWN or kept(memo.regions, slot, region) != region:
        keep(memo.regions, slot, region)
        memo.verdicts[slot] = FITS if fits(symbols, scratch, region, net > 0) else FAILS
    return memo.verdicts[slot] == FITS


@compiled
def overdrawn(symbols, owed, piece, anchor):
    """What placing a piece adds to the polys that cells have too many."""
    shape, more = symbols.pieces[piece, SHAPE], 0
    for cell in range(symbols.pieces[piece, SIZE]):
        now = owed[symbols.covers[shape, anchor, cell]]
        if symbols.pieces[piece, YLOP]:
            more -= now < 0
        else:
            more += now <= 0
    return more


@compiled
def place(symbols, owed, piece, anchor, sign):
    """Places a piece (sign 1) or takes it back (-1)."""
    shape = symbols.pieces[piece, SHAPE]
    by = sign if symbols.pieces[piece, YLOP] else -sign
    for cell in range(symbols.pieces[piece, SIZE]):
        owed[symbols.covers[shape, anchor, cell]] += by


@compiled
def fits(symbols, scratch, region, whole):
    """Whether the polys less the ylops of a region, whose areas are right, cover it (whole) or cancel.

    Pieces are placed in the order of their anchors, the first place that a piece covers, and at one anchor in their own order,
    polys first. Past an anchor nothing can change there, so it must be right by then. What cells have too many must be no more
    than the ylops still held can take away. Of equal pieces, the first one held is taken.
    """
    owed, held, placed, pieces = scratch.owed, scratch.held, scratch.placed, symbols.pieces
    count, budget = 0, 0
    for piece in range(pieces.shape[0]):
        held[piece] = inside(symbols, piece, region)
        if held[piece]:
            count += 1
            budget += pieces[piece, SIZE] * pieces[piece, YLOP]
    for each in range(owed.shape[0]):
        owed[each] = whole and some(single(each, region) & region)
    excess, depth, anchor, piece = 0, 0, 0, 0
    while depth < count:
        scratch.steps[0] += 1
        more = 0
        while piece < pieces.shape[0]:
            alike = piece > 0 and held[piece - 1] and (pieces[piece - 1, SHAPE:] == pieces[piece, SHAPE:]).all()
            if held[piece] and not alike and symbols.covers[pieces[piece, SHAPE], anchor, 0] >= 0:
                more = overdrawn(symbols, owed, piece, anchor)
                if excess + more <= budget - pieces[piece, SIZE] * pieces[piece, YLOP]:
                    break
            piece += 1
        if piece < pieces.shape[0]:
            place(symbols, owed, piece, anchor, 1)
            excess += more
            budget -= pieces[piece, SIZE] * pieces[piece, YLOP]
            held[piece] = False
            placed[depth, 0], placed[depth, 1] = anchor, piece
            depth, piece = depth + 1, piece + 1
        elif owed[anchor] == 0 and anchor + 1 < owed.shape[0]:
            anchor, piece = anchor + 1, 0
        elif depth == 0:
            return False
        else:
            depth -= 1
            anchor, piece = placed[depth, 0], placed[depth, 1]
            place(symbols, owed, piece, anchor, -1)
            excess -= overdrawn(symbols, owed, piece, anchor)
            budget += pieces[piece, SIZE] * pieces[piece, YLOP]
            held[piece] = True
            piece += 1
    return True  # nothing is held, so no cell has too many, and by the areas none has too few
