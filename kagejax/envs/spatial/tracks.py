"""Where things are in a picture and in its sheet of tiles. Host side, static."""

from typing import NamedTuple

from .lattice import Lattice

PLAIN, DOT, START, END, GAP = range(5)
"""What stands on a position of the lanes; a vertex has no gap."""
VERTICES, EDGES = (4, 2, 16), (5, 2, 4)
"""Tiles of a vertex and of an edge, by what stands there, whether the head is there, and to which sides the line goes on."""
FIRST_VERTEX, FIRST_UPRIGHT, FIRST_LEVEL, BLANK, FIRST_CELL = 0, 128, 168, 208, 209
"""Where each sort begins in the sheet. Upright edges are crossed from top to bottom, level ones from left to right."""


class Tracks(NamedTuple):
    """Where a lattice lies in a picture, px."""

    lane: int
    cell: int
    top: int
    left: int


def tracks(lattice: Lattice, height: int, width: int) -> Tracks:
    """The largest lattice that fits, lanes about half as wide as cells. `cell` is below 3 where nothing can be seen."""
    lane = min(width // (3 * lattice.cells_w + 2), height // (3 * lattice.cells_h + 2))
    cell = min(
        (width - lane * (lattice.cells_w + 2)) // lattice.cells_w, (height - lane * (lattice.cells_h + 2)) // lattice.cells_h
    )
    cell = min(cell, 3 * lane)  # what `strokes` relies on
    wide = lane * (lattice.cells_w + 1) + cell * lattice.cells_w
    tall = lane * (lattice.cells_h + 1) + cell * lattice.cells_h
    return Tracks(lane, cell, (height - tall) // 2, (width - wide) // 2)


def sizes(place: Tracks, lattice: Lattice) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Heights of the rows and widths of the columns of the lattice, px."""

    def each(count: int) -> tuple[int, ...]:
        return tuple(place.lane if i % 2 == 0 else place.cell for i in range(count))

    return each(lattice.height), each(lattice.width)


def starts(place: Tracks, lattice: Lattice) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """First pixel rows of the rows and first pixel columns of the columns of the lattice."""

    def each(first: int, count: int) -> tuple[int, ...]:
        return tuple(first + (i + 1) // 2 * place.lane + i // 2 * place.cell for i in range(count))

    return each(place.top, lattice.height), each(place.left, lattice.width)
