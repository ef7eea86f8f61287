"""From host records to the arrays of the bank. Host side, NumPy."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .bits import packed
from .layers import ALL_KINDS, CODE, WALKABLE
from .names import ACTIONS, COLORS, KINDS, MAX_COUNT
from .params import Lattice, Lines, Shapes, Solutions, Symbols
from .puzzles import Position, Puzzle

MOST_PIECES = 31
"""Polys and ylops of one puzzle: the search keeps its slots in one word."""
SLOT_STEP, SHAPE_STEP = 4, 8
"""Slots and shapes of a bank come in multiples of these, so that one program serves banks that differ little."""
NUMBER = {action[1:]: k for k, action in enumerate(ACTIONS)}
"""Which action makes a step (dx, dy)."""


class Cells(NamedTuple):
    """A shape as the search sees it: cells (row, column) from its first one in reading order; rows downwards."""

    offsets: tuple[tuple[int, int], ...]


def cells_of(shape: Sequence[Sequence[int]]) -> Cells:
    """The cells of a 4x4 box; where they stand in the box does not matter."""
    found = [(row, column) for row, line in enumerate(shape) for column, full in enumerate(line) if full]
    first_row, first_column = found[0]
    return Cells(tuple((row - first_row, column - first_column) for row, column in found))


def complaint(puzzle: Puzzle, lattice: Lattice) -> str:
    """Why a puzzle does not fit; nothing if it does."""
    if puzzle.cells_w > lattice.cells_w or puzzle.cells_h > lattice.cells_h:
        return (
            f"It has {puzzle.cells_w}x{puzzle.cells_h} cells; lattice.cells_w and lattice.cells_h leave room for "
            f"{lattice.cells_w}x{lattice.cells_h}. Raise them."
        )
    pieces = sum(symbol.kind in ("poly", "ylop") for symbol in puzzle.symbols)
    return f"It has {pieces} polys and ylops; allowed: up to {MOST_PIECES}." if pieces > MOST_PIECES else ""


def moves_of(path: Sequence[Position]) -> tuple[int, ...]:
    """The actions along a path of unit steps."""
    return tuple(NUMBER[bx - ax, by - ay] for (ax, ay), (bx, by) in zip(path, path[1:], strict=False))


def position_of(place: Position, lattice: Lattice) -> int:
    """Number of a lattice position."""
    return place[1] * lattice.width + place[0]


def shapes_of(puzzles: Sequence[Puzzle]) -> dict[Cells, int]:
    """The distinct shapes in use, numbered in the order of their first use."""
    numbers: dict[Cells, int] = {}
    for puzzle in puzzles:
        for symbol in puzzle.symbols:
            if symbol.shape:
                numbers.setdefault(cells_of(puzzle.shapes[symbol.shape]), len(numbers))
    return numbers or {Cells(((0, 0),)): 0}


def shape_bank(numbers: dict[Cells, int], lattice: Lattice) -> Shapes:
    """Every shape at every place."""
    room = -(-len(numbers) // SHAPE_STEP) * SHAPE_STEP
    covers = np.zeros((room, lattice.places, lattice.words), np.uint32)
    for cells, number in numbers.items():
        for row in range(lattice.cells_h):
            for column in range(lattice.cells_w):
                under = [(row + down, column + across) for down, across in cells.offsets]
                if all(0 <= r < lattice.cells_h and 0 <= c < lattice.cells_w for r, c in under):
                    places = [r * lattice.stride + c for r, c in under]
                    covers[number, row * lattice.stride + column] = packed(np.array(places), lattice.words)
    return Shapes(covers)


def symbol_bank(puzzles: Sequence[Puzzle], numbers: dict[Cells, int], lattice: Lattice) -> Symbols:
    """What the rules read."""
    most = max(sum(s.kind in ("poly", "ylop") for s in puzzle.symbols) for puzzle in puzzles)
    slots = min(-(-most // SLOT_STEP) * SLOT_STEP or 1, MOST_PIECES)
    entries = [_symbols(puzzle, numbers, lattice, slots) for puzzle in puzzles]
    return Symbols(*(np.stack(leaves) for leaves in zip(*entries, strict=True)))


def _symbols(puzzle: Puzzle, numbers: dict[Cells, int], lattice: Lattice, slots: int) -> Symbols:
    def mask(symbols) -> np.ndarray:
        return packed(np.array([s.y // 2 * lattice.stride + s.x // 2 for s in symbols], np.int64), lattice.words)

    board = [r * lattice.stride + c for r in range(puzzle.cells_h) for c in range(puzzle.cells_w)]
    of_kind = {kind: [s for s in puzzle.symbols if s.kind == kind] for kind in KINDS}
    pieces = sorted(
        (kind == "ylop", numbers[cells_of(puzzle.shapes[s.shape])], place, s)
        for kind in ("poly", "ylop")
        for place, s in enumerate(of_kind[kind])
    )
    sorts = [piece[:2] for piece in pieces]
    cells = np.zeros((slots, lattice.words), np.uint32)
    shapes, sizes, after = np.zeros(slots, np.int32), np.zeros(slots, np.int32), np.zeros(slots, np.uint32)
    sides = {number: len(shape.offsets) for shape, number in numbers.items()}
    for slot, (_, number, _, symbol) in enumerate(pieces):
        cells[slot], shapes[slot], sizes[slot] = mask([symbol]), number, sides[number]
        last = max(k for k, sort in enumerate(sorts) if sort == sorts[slot])
        after[slot] = (0xFFFFFFFF << (last + 1)) & 0xFFFFFFFF
    return Symbols(
        board=packed(np.array(board), lattice.words),
        colors=np.stack([mask([s for s in puzzle.symbols if s.color == color]) for color in COLORS]),
        squares=mask(of_kind["square"]),
        stars=mask(of_kind["star"]),
        triangles=np.stack([mask([s for s in of_kind["triangle"] if s.count == k + 1]) for k in range(MAX_COUNT)]),
        piece_cells=cells,
        piece_shapes=shapes,
        piece_sizes=sizes,
        piece_after=after,
        ylops=np.uint32(sum(1 << k for k, (negative, *_) in enumerate(pieces) if negative)),
    )


def line_bank(puzzles: Sequence[Puzzle], lattice: Lattice, boxes: bool) -> Lines:
    """What the line and the observation read."""
    codes = np.stack([_codes(puzzle, lattice) for puzzle in puzzles])
    kinds = [sum(1 << k for k, kind in enumerate(ALL_KINDS) if kind in puzzle.kinds) for puzzle in puzzles]
    return Lines(
        codes=codes,
        boxes=np.stack([_boxes(puzzle, lattice) for puzzle in puzzles]) if boxes else None,
        start=np.array([position_of(puzzle.start, lattice) for puzzle in puzzles], np.int32),
        end=np.array([position_of(puzzle.end, lattice) for puzzle in puzzles], np.int32),
        size=np.array([(puzzle.cells_w, puzzle.cells_h) for puzzle in puzzles], np.int32),
        level=np.array([puzzle.level for puzzle in puzzles], np.int32),
        kinds=np.array(kinds, np.int32),
    )


def _codes(puzzle: Puzzle, lattice: Lattice) -> np.ndarray:
    plane = np.zeros((lattice.height, lattice.width), np.uint32)

    def mark(places, layer: int) -> None:
        for x, y in places:
            plane[y, x] |= np.uint32(1 << layer)

    board = plane[: 2 * puzzle.cells_h + 1, : 2 * puzzle.cells_w + 1]
    board |= np.uint32(1 << CODE["inside"] | 1 << WALKABLE)
    board[1::2, 1::2] &= np.uint32((1 << WALKABLE) - 1)
    for x, y in puzzle.gaps:
        plane[y, x] &= np.uint32((1 << WALKABLE) - 1)
    mark(puzzle.gaps, CODE["gap"])
    mark(puzzle.dots, CODE["dot"])
    mark([puzzle.end], CODE["target"])
    for symbol in puzzle.symbols:
        mark([(symbol.x, symbol.y)], CODE[symbol.kind])
        mark([(symbol.x, symbol.y)], CODE[symbol.color])
        if symbol.count:
            mark([(symbol.x, symbol.y)], CODE[f"count {symbol.count}"])
    return plane.reshape(-1)


def _boxes(puzzle: Puzzle, lattice: Lattice) -> np.ndarray:
    plane = np.zeros(lattice.positions, np.uint32)
    for symbol in puzzle.symbols:
        if symbol.shape:
            flat = np.array(puzzle.shapes[symbol.shape]).reshape(-1)
            plane[position_of((symbol.x, symbol.y), lattice)] = packed(np.flatnonzero(flat), 1)[0]
    return plane


def solution_bank(puzzles: Sequence[Puzzle]) -> Solutions:
    """All stored solutions as one tree, each puzzle's from a root of its own."""
    children: list[list[int]] = []
    parents: list[int] = []

    def node(parent: int) -> int:
        children.append([-1] * len(ACTIONS))
        parents.append(parent)
        return len(parents) - 1

    roots = []
    for puzzle in puzzles:
        roots.append(node(-1))
        for path in puzzle.solutions:
            here = roots[-1]
            for action in moves_of(path):
                if children[here][action] < 0:
                    children[here][action] = node(here)
                here = children[here][action]
    return Solutions(
        root=np.array(roots, np.int32),
        count=np.array([len(puzzle.solutions) for puzzle in puzzles], np.int32),
        shortest=np.array([min((len(path) - 1 for path in puzzle.solutions), default=0) for puzzle in puzzles], np.int32),
        children=np.array(children, np.int32),
        parent=np.array(parents, np.int32),
    )
