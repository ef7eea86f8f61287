"""What can still become of the regions of a line that is being drawn, compiled by numba; see `solver.py`.

A cell has the number of the vertex at its top left. The edge right of a vertex and the edge below it have the number of the
vertex, too, and are in sets of their own, `across` and `down`. numba notices changes of this file only: after a change in
`mask_kernels.py` or `piece_kernels.py`, touch this one too.
"""

from typing import NamedTuple

import numpy as np

from .mask_kernels import ONE, compiled, earlier, first, kept, later, single, size, some
from .piece_kernels import area, covered


class Symbols(NamedTuple):
    """What stands in the cells. C colours that occur, P polys and ylops, F distinct shapes. Sets are words: u64, or a pair."""

    stride: np.uint64
    cells: np.ndarray  # set of all cells of the board
    telling: np.ndarray  # set of those with a square, star, poly or ylop
    needy: np.ndarray  # set of those with a star or poly, which a region can be too small for
    squares: np.ndarray  # u64 [C, W], sets by colour
    stars: np.ndarray  # u64 [C, W]
    colored: np.ndarray  # u64 [C, W], symbols of any kind
    triangles: np.ndarray  # u64 [4, W], sets by count
    polys: np.ndarray  # set
    ylops: np.ndarray  # set
    pieces: np.ndarray  # i64 [P, 4], PLACE, SHAPE, SIZE, YLOP; polys first, equal ones adjoining
    covers: np.ndarray  # i64 [F, places, 16], cells of a shape with its first one at a place; -1: it sticks out, or no more


class Edges(NamedTuple):
    """Edges on the line, and those that may still come onto it. All are sets."""

    across: np.ndarray
    down: np.ndarray
    open_across: np.ndarray
    open_down: np.ndarray


@compiled
def grown(places, right, down, stride):
    """A set and all places next to it: `right` are the places with a way to the next one, `down` those with one below."""
    beside = later(places & right, ONE) | (earlier(places, ONE) & right)
    return places | beside | later(places & down, stride) | (earlier(places, stride) & down)


@compiled
def spread(places, right, down, stride):
    """All places that open ways lead to."""
    while True:
        larger = grown(grown(places, right, down, stride), right, down, stride)
        if larger == places:
            return places
        places = larger


@compiled
def tally(across, down, stride):
    """Cells with at least 1, 2, 3 and 4 of their edges in the sets."""
    bottom, right = earlier(across, stride), earlier(down, ONE)
    both, either = across & down, across | down
    both_too, either_too = bottom & right, bottom | right
    two = both | both_too | (either & either_too)
    three = (both & either_too) | (both_too & either)
    return either | either_too, two, three, both & both_too


@compiled
def counted(symbols, edges):
    """Whether each triangle has no more edges on the line than its count, and can still have as many."""
    empty = symbols.cells ^ symbols.cells
    wanted_1, wanted_2 = kept(symbols.triangles, 0, empty), kept(symbols.triangles, 1, empty)
    wanted_3, wanted_4 = kept(symbols.triangles, 2, empty), kept(symbols.triangles, 3, empty)
    if not some(wanted_1 | wanted_2 | wanted_3 | wanted_4):
        return True
    _, two, three, four = tally(edges.across, edges.down, symbols.stride)
    if some((wanted_1 & two) | (wanted_2 & three) | (wanted_3 & four)):
        return False
    one, two, three, four = tally(edges.across | edges.open_across, edges.down | edges.open_down, symbols.stride)
    return not some((wanted_1 & ~one) | (wanted_2 & ~two) | (wanted_3 & ~three) | (wanted_4 & ~four))


@compiled
def settled(symbols, memo, scratch, region):
    """Whether a region that nothing can divide any more keeps the rules for squares, stars, polys and ylops."""
    colors = 0
    for color in range(symbols.squares.shape[0]):
        colors += some(kept(symbols.squares, color, region) & region)
        if some(kept(symbols.stars, color, region) & region) and size(kept(symbols.colored, color, region) & region) != 2:
            return False
    if colors > 1:
        return False
    return not some((symbols.polys | symbols.ylops) & region) or covered(symbols, memo, scratch, region)


@compiled
def growing(symbols, region, most):
    """Whether a region may come right that has `region` in it and lies in `most`, which matters where something is needy."""
    colors = 0
    for color in range(symbols.squares.shape[0]):
        colors += some(kept(symbols.squares, color, region) & region)
        if some(kept(symbols.stars, color, region) & region):
            colored = kept(symbols.colored, color, region)
            if size(colored & region) > 2 or size(colored & most) < 2:
                return False
    if colors > 1:
        return False
    if some(symbols.polys & region):
        if size(most) < area(symbols, region, 0) - area(symbols, most, 1):
            return False
        if not some(symbols.ylops & most) and size(region) > area(symbols, most, 0):  # with ylops, areas might cancel
            return False
    return True


@compiled
def hopeful(symbols, memo, scratch, edges, closed):
    """Whether all regions may come right, and the set of cells of regions that are closed off and right.

    Cells are in one region for sure where no edge between them is on the line or open, and may be in one where none is on it.
    """
    cells, stride = symbols.cells, symbols.stride
    open_across, open_down = edges.open_across & cells & later(cells, stride), edges.open_down & cells & later(cells, ONE)
    may_right = cells & earlier(cells, ONE) & ~earlier(edges.down, ONE)
    may_down = cells & earlier(cells, stride) & ~earlier(edges.across, stride)
    right, down = may_right & ~earlier(open_down, ONE), may_down & ~earlier(open_across, stride)
    rest = symbols.telling & ~closed
    while some(rest):
        region = spread(single(first(rest), rest), right, down, stride)
        rest = rest & ~region
        if some((open_down & (region | later(region, ONE))) | (open_across & (region | later(region, stride)))):
            most = spread(region, may_right, may_down, stride) if some(region & symbols.needy) else region
            if not growing(symbols, region, most):
                return False, closed
        else:
            if not settled(symbols, memo, scratch, region):
                return False, closed
            closed = closed | region
    return True, closed
