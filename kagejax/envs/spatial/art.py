"""The tiles of path puzzles, drawn once per bank. Host side; our own look: light cells, dark lanes, a white line.

Polys are filled blocks and ylops hollow ones, so that they can be told apart; triangles show their count as so many; the
start is a disc, the end a ring, a dot a dark hexagon, a gap an opening in the lane.
"""

import functools
import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from .names import ACTIONS, COLORS, DOWN, LEFT, RIGHT, UP
from .params import Lattice, Pictures
from .puzzles import Puzzle
from .tracks import (
    BLANK,
    DOT,
    EDGES,
    END,
    FIRST_CELL,
    FIRST_LEVEL,
    FIRST_UPRIGHT,
    FIRST_VERTEX,
    GAP,
    PLAIN,
    START,
    VERTICES,
    sizes,
    starts,
    tracks,
)

FINE = 8  # sub-pixels a side
TILE_STEP = 64  # tiles of a sheet come in multiples of this, so that one program serves sheets that differ little
GROUND, CELL, LANE, LINE = (36, 39, 48), (158, 163, 172), (70, 75, 88), (255, 255, 255)
INK = {
    "red": (208, 40, 45),
    "blue": (36, 84, 214),
    "yellow": (255, 221, 64),
    "green": (28, 132, 62),
    "black": (22, 22, 26),
    "purple": (140, 52, 176),
    "orange": (243, 134, 28),
    "white": (252, 252, 252),
}
DARK = (18, 19, 24)
MOST_BYTES = 2**29
"""Boards of a bank are kept whole up to this; beyond, pictures are laid tile by tile, at a third of the speed."""
SIDES = {RIGHT: (1, 0.5), UP: (0.5, 0), LEFT: (0, 0.5), DOWN: (0.5, 1)}
"""Where the line leaves a tile, in parts of its width and height."""


class _Pen:
    """Draws on a tile in units of its pixels, smoothly."""

    def __init__(self, height: int, width: int, color: tuple[int, int, int]):
        self.image = Image.new("RGB", (width * FINE, height * FINE), color)
        self.draw = ImageDraw.Draw(self.image)

    def polygon(self, points, color) -> None:
        self.draw.polygon([(x * FINE, y * FINE) for x, y in points], fill=color)

    def box(self, left, top, right, bottom, color) -> None:
        if right > left and bottom > top:
            self.draw.rectangle((left * FINE, top * FINE, right * FINE - 1, bottom * FINE - 1), fill=color)

    def disc(self, x, y, radius, color) -> None:
        corners = (x - radius) * FINE, (y - radius) * FINE, (x + radius) * FINE - 1, (y + radius) * FINE - 1
        self.draw.ellipse(corners, fill=color)

    def done(self) -> np.ndarray:
        width, height = self.image.size
        return np.asarray(self.image.resize((width // FINE, height // FINE), Image.Resampling.BOX))


def pictures(puzzles: Sequence[Puzzle], lattice: Lattice, height: int, width: int) -> Pictures:
    """The sheet for some puzzles, with each symbol that they hold, and what each of their cells shows."""
    lane, side = tracks(lattice, height, width)[:2]
    numbers: dict[tuple, int] = {("empty",): FIRST_CELL}
    cells = np.full((len(puzzles), lattice.cells_h, lattice.cells_w), FIRST_CELL, np.uint16)
    for index, puzzle in enumerate(puzzles):
        for symbol in puzzle.symbols:
            shape = tuple(map(tuple, puzzle.shapes[symbol.shape])) if symbol.shape else None
            look = (symbol.kind, symbol.color, symbol.count, shape)
            cells[index, symbol.y // 2, symbol.x // 2] = numbers.setdefault(look, FIRST_CELL + len(numbers))
    sheet = np.zeros((-(-(FIRST_CELL + len(numbers)) // TILE_STEP) * TILE_STEP, side, side, 3), np.uint8)
    lanes = _lanes(lane, side)
    for number, tile in enumerate(lanes):
        sheet[number, : tile.shape[0], : tile.shape[1]] = tile
    for look, number in numbers.items():
        sheet[number] = _cell(side, look)
    kept = len(puzzles) * height * width * 3 <= MOST_BYTES
    return Pictures(
        tiles=sheet.reshape(len(sheet), side, 3 * side),
        cells=cells.reshape(len(puzzles), -1),
        boards=_boards(puzzles, lattice, sheet, cells, height, width) if kept else None,
        ground=np.array(GROUND, np.uint8),
    )


def _boards(
    puzzles: Sequence[Puzzle], lattice: Lattice, sheet: np.ndarray, cells: np.ndarray, height: int, width: int
) -> np.ndarray:
    """Every puzzle without a line, u8 [puzzles, height, 3 * width]."""
    place = tracks(lattice, height, width)
    (heights, widths), (tops, lefts) = sizes(place, lattice), starts(place, lattice)
    boards = np.empty((len(puzzles), height, width, 3), np.uint8)
    boards[:] = GROUND
    for index, puzzle in enumerate(puzzles):
        marks = {place: DOT for place in puzzle.dots} | {place: GAP for place in puzzle.gaps}
        marks |= {puzzle.start: START, puzzle.end: END}
        along, across = 2 * ((lattice.cells_h - puzzle.cells_h) // 2), 2 * ((lattice.cells_w - puzzle.cells_w) // 2)
        for y, x in np.ndindex(puzzle.lattice_h, puzzle.lattice_w):
            mark, row, column = marks.get((x, y), PLAIN), y + along, x + across
            first, counts = ((FIRST_UPRIGHT if y % 2 else FIRST_LEVEL), EDGES) if x % 2 != y % 2 else (FIRST_VERTEX, VERTICES)
            number = cells[index, y // 2, x // 2] if x % 2 and y % 2 else first + mark * counts[1] * counts[2]
            top, left, tall, wide = tops[row], lefts[column], heights[row], widths[column]
            boards[index, top : top + tall, left : left + wide] = sheet[number, :tall, :wide]
    return boards.reshape(len(puzzles), height, 3 * width)


@functools.lru_cache(maxsize=16)
def _lanes(lane: int, cell: int) -> tuple[np.ndarray, ...]:
    """Vertices, upright edges, level edges and the blank, in the order of `scene`."""
    found = []
    for marks, heads, goes in np.ndindex(*VERTICES):
        found.append(_lane(lane, lane, lane, marks, bool(heads), [a for a in range(len(ACTIONS)) if goes >> a & 1]))
    for first, second, height, width in ((UP, DOWN, cell, lane), (LEFT, RIGHT, lane, cell)):
        for marks, heads, goes in np.ndindex(*EDGES):
            sides = [side for bit, side in enumerate((first, second)) if goes >> bit & 1]
            found.append(_lane(height, width, lane, marks, bool(heads), sides))
    blank = np.empty((cell, cell, 3), np.uint8)
    blank[:] = GROUND
    assert len(found) == BLANK
    return (*found, blank)


def _lane(height: int, width: int, lane: int, mark: int, head: bool, sides: Sequence[int]) -> np.ndarray:
    pen = _Pen(height, width, LANE)
    x, y = width / 2, height / 2
    if mark == GAP:
        third = max(width, height) / 3
        pen.box(*((third, 0, width - third, height) if width > height else (0, third, width, height - third)), GROUND)
    half = 0.28 * lane
    if mark == START:
        pen.disc(x, y, 0.5 * lane, LINE)
    if mark == END:
        pen.disc(x, y, 0.5 * lane, LINE)
        pen.disc(x, y, 0.3 * lane, LANE if not (sides or head) else LINE)
    for side in sides:
        across, down = SIDES[side]
        ends = sorted((x, across * width)), sorted((y, down * height))
        (left, right), (top, bottom) = ends
        pen.box(left - half * (left == right), top - half * (top == bottom), right + half * (left == right),
                bottom + half * (top == bottom), LINE)  # fmt: skip
    if sides or head:
        pen.disc(x, y, 0.42 * lane if head and mark == PLAIN else half, LINE)
    if mark == DOT:
        if head:
            pen.disc(x, y, 0.5 * lane, LINE)
        points = [(x + 0.34 * lane * math.cos(k * math.pi / 3), y + 0.34 * lane * math.sin(k * math.pi / 3)) for k in range(6)]
        pen.polygon(points, DARK)
    return pen.done()


def _cell(side: int, look: tuple) -> np.ndarray:
    pen = _Pen(side, side, CELL)
    if look[0] == "empty":
        return pen.done()
    kind, color, count, shape = look
    ink, middle = INK[color], side / 2
    if kind == "square":
        pen.box(0.24 * side, 0.24 * side, 0.76 * side, 0.76 * side, ink)
    elif kind == "star":
        radii = (0.4, 0.2)
        spikes = [(radii[k % 2] * side, (k - 4) * math.pi / 8) for k in range(16)]
        pen.polygon([(middle + r * math.cos(a), middle + r * math.sin(a)) for r, a in spikes], ink)
    elif kind == "triangle":
        _triangles(pen, side, count, ink)
    else:
        _blocks(pen, side, shape, ink, hollow=kind == "ylop")
    return pen.done()


def _triangles(pen: _Pen, side: int, count: int, ink: tuple[int, int, int]) -> None:
    size = 0.34 * side
    rows = {1: (1,), 2: (2,), 3: (1, 2), 4: (2, 2)}[count]
    for row, number in enumerate(rows):
        y = side / 2 + (row - (len(rows) - 1) / 2) * 1.2 * size
        for place in range(number):
            x = side / 2 + (place - (number - 1) / 2) * 1.2 * size
            pen.polygon([(x - size / 2, y + size / 2), (x + size / 2, y + size / 2), (x, y - size / 2)], ink)


def _blocks(pen: _Pen, side: int, shape: Sequence[Sequence[int]], ink: tuple[int, int, int], hollow: bool) -> None:
    """The used part of the box in the middle of the cell; unit size is that of four blocks across."""
    cells = [(row, column) for row, line in enumerate(shape) for column, full in enumerate(line) if full]
    top, left = min(row for row, _ in cells), min(column for _, column in cells)
    down, across = max(row for row, _ in cells) - top + 1, max(column for _, column in cells) - left + 1
    unit = side * min(0.86 / max(down, across), 0.24)
    gap = 0.08 * unit
    for row, column in cells:
        x, y = side / 2 + (column - left - across / 2) * unit, side / 2 + (row - top - down / 2) * unit
        pen.box(x + gap, y + gap, x + unit - gap, y + unit - gap, ink)
        if hollow:
            rim = 0.28 * unit
            pen.box(x + rim, y + rim, x + unit - rim, y + unit - rim, CELL)


assert set(INK) == set(COLORS)
