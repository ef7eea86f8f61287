"""The padded board and its numbering. Loads no array library."""

from typing import NamedTuple

WORD = 32
"""Bits of a word of a set."""


class Lattice(NamedTuple):
    """The padded board. Puzzles stand at its top left; positions are numbered in reading order, y * width + x.

    Cells, and separately the vertical and the horizontal edges, share one numbering of places: those in column i and row j
    are place j * (cells_w + 1) + i. So the edge right of a cell is one place on, the edge below it one row on.
    """

    cells_w: int
    cells_h: int

    @property
    def width(self) -> int:
        """Lattice columns."""
        return 2 * self.cells_w + 1

    @property
    def height(self) -> int:
        """Lattice rows."""
        return 2 * self.cells_h + 1

    @property
    def positions(self) -> int:
        """How many the lattice has."""
        return self.width * self.height

    @property
    def stride(self) -> int:
        """Places in a row."""
        return self.cells_w + 1

    @property
    def places(self) -> int:
        """How many there are, edges of the last row and column included."""
        return self.stride * (self.cells_h + 1)

    @property
    def words(self) -> int:
        """u32 words of a set of places."""
        return -(-self.places // WORD)

    @property
    def longest(self) -> int:
        """Moves of the longest line there can be: every vertex and edge but one."""
        return self.positions - self.cells_w * self.cells_h - 1
