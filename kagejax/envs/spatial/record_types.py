"""What a path puzzle is, on the host: plain Python, no arrays. `puzzles.py` is the face of this module."""

import dataclasses
import functools
import re
from collections.abc import Iterable, Iterator, Mapping

from .names import ACTIONS, COLORS, KINDS, MAX_COUNT, SHAPE_SIDE

Position = tuple[int, int]
"""(x, y) on the lattice; (0, 0) is the top left corner, y grows downwards."""
Path = tuple[Position, ...]
"""Positions of a line one after the other, start and end included."""
Shape = tuple[tuple[int, int, int, int], ...]
"""`shape[row][column]`, 4x4: 1 where the shape has a cell, else 0."""

PLAIN, START, END, DOT, GAP, NOTHING = "+SE.GN"
"""What a record writes on the lattice; NOTHING is a rule cell without a symbol."""
MARKS = {"square": "o", "star": "*", "triangle": "ABCD", "poly": "P", "ylop": "Y"}
"""How a record begins a symbol, by kind; a triangle with the letter of its count."""
SHAPED = ("poly", "ylop")
SHAPE_ID = re.compile(r"0|[1-9][0-9]*", re.ASCII)
LETTERS = {action.letter: action for action in ACTIONS}


@dataclasses.dataclass(frozen=True)
class Symbol:
    """What stands in a rule cell."""

    x: int  # lattice, odd
    y: int  # lattice, odd
    kind: str  # one of KINDS
    color: str  # one of COLORS
    count: int = 0  # triangles: how many edges of the cell are on the line
    shape: str = ""  # polys and ylops: the key of their shape

    @property
    def text(self) -> str:
        """As a record has it: `o-R`, `B-K`, `P-Y-112`."""
        mark, color = MARKS[self.kind], COLORS[self.color]
        if self.kind == "triangle":
            return f"{mark[self.count - 1]}-{color}"
        return f"{mark}-{color}-{self.shape}" if self.shape else f"{mark}-{color}"


@dataclasses.dataclass(frozen=True)
class Puzzle:
    """A board with its symbols, and what is known about it. Raises ValueError for one that cannot be."""

    id: str
    cells_w: int
    cells_h: int
    start: Position
    end: Position
    dots: tuple[Position, ...] = ()
    gaps: tuple[Position, ...] = ()
    symbols: tuple[Symbol, ...] = ()  # row by row
    shapes: Mapping[str, Shape] = dataclasses.field(default_factory=dict, hash=False)
    solutions: tuple[Path, ...] = ()  # all of them, in the order of `names.SOLUTION_ORDER`; empty also where none is stored
    level: int = 0  # 1 to 5; 0: not known
    score: float = 0.0

    def __post_init__(self):
        for field, message in _flaws(self):
            raise ValueError(f"{field}: {message}")

    @property
    def lattice_w(self) -> int:
        """Columns of the lattice."""
        return 2 * self.cells_w + 1

    @property
    def lattice_h(self) -> int:
        """Rows of the lattice."""
        return 2 * self.cells_h + 1

    @property
    def cells(self) -> int:
        """How many rule cells there are."""
        return self.cells_w * self.cells_h

    @functools.cached_property
    def kinds(self) -> frozenset[str]:
        """Kinds of rules that occur: of symbols, and "dot" and "gap"."""
        found = {symbol.kind for symbol in self.symbols}
        return frozenset(found | ({"dot"} if self.dots else set()) | ({"gap"} if self.gaps else set()))

    @functools.cached_property
    def grid(self) -> tuple[tuple[str, ...], ...]:
        """The board as a record has it: `grid[y][x]`."""
        rows = [[NOTHING if x % 2 and y % 2 else PLAIN for x in range(self.lattice_w)] for y in range(self.lattice_h)]
        for marked, mark in ((self.dots, DOT), (self.gaps, GAP), ((self.start,), START), ((self.end,), END)):
            for x, y in marked:
                rows[y][x] = mark
        for symbol in self.symbols:
            rows[symbol.y][symbol.x] = symbol.text
        return tuple(map(tuple, rows))


def is_cell(x: int, y: int) -> bool:
    """Whether a position of the lattice is a rule cell."""
    return x % 2 == 1 and y % 2 == 1


def is_edge(x: int, y: int) -> bool:
    """Whether it is the middle of an edge."""
    return x % 2 != y % 2


def on_border(x: int, y: int, lattice_w: int, lattice_h: int) -> bool:
    """Whether a position of the lattice is on its outer boundary."""
    return x in (0, lattice_w - 1) or y in (0, lattice_h - 1)


def letters(path: Iterable[Position]) -> str:
    """The moves of a path, R, U, L or D each. Raises ValueError where two positions are not neighbours."""
    path, found = tuple(path), []
    by_step = {(action.dx, action.dy): action.letter for action in ACTIONS}
    for (x, y), (next_x, next_y) in zip(path, path[1:], strict=False):
        if (next_x - x, next_y - y) not in by_step:
            raise ValueError(f"({x}, {y}) and ({next_x}, {next_y}) are no neighbours.")
        found.append(by_step[next_x - x, next_y - y])
    return "".join(found)


def path_of(start: Position, moves: str) -> Path:
    """The positions that moves lead over, the first included. Raises ValueError for other letters than R, U, L and D."""
    path = [start]
    for letter in moves:
        if letter not in LETTERS:
            raise ValueError(f"Found the letter {letter!r}; moves are {', '.join(LETTERS)}.")
        path.append((path[-1][0] + LETTERS[letter].dx, path[-1][1] + LETTERS[letter].dy))
    return tuple(path)


def line_flaw(puzzle: Puzzle, path: Path) -> tuple[int, str] | None:
    """The first position, by its place, at which a path is no line from start to end, and why: SPEC 3.1 and 3.2."""
    seen: set[Position] = set()
    gaps = set(puzzle.gaps)
    if not path:
        return 0, "the path is empty"
    for place, (x, y) in enumerate(path):
        if not (0 <= x < puzzle.lattice_w and 0 <= y < puzzle.lattice_h):
            return place, f"({x}, {y}) is outside the lattice of {puzzle.lattice_w} x {puzzle.lattice_h}"
        if place == 0 and (x, y) != puzzle.start:
            return place, f"the path begins at ({x}, {y}), not at the start {puzzle.start}"
        if place and abs(x - path[place - 1][0]) + abs(y - path[place - 1][1]) != 1:
            return place, f"({x}, {y}) is no neighbour of {path[place - 1]} before it"
        for wrong, what in ((is_cell(x, y), "a rule cell"), ((x, y) in gaps, "a gap"), ((x, y) in seen, "on the path already")):
            if wrong:
                return place, f"({x}, {y}) is {what}"
        if (x, y) == puzzle.end and place < len(path) - 1:
            return place, f"the path goes on after the end {puzzle.end}"
        seen.add((x, y))
    if path[-1] != puzzle.end:
        return len(path) - 1, f"the path stops at {path[-1]}, not at the end {puzzle.end}"
    return None


def _flaws(puzzle: Puzzle) -> Iterator[tuple[str, str]]:
    """What is wrong with the fields of a puzzle, each with the field's name."""
    width, height = puzzle.lattice_w, puzzle.lattice_h
    for field, size in (("cells_w", puzzle.cells_w), ("cells_h", puzzle.cells_h)):
        if size < 1:
            yield field, f"found {size}; allowed: 1 or more"
            return
    taken: dict[Position, str] = {}
    for field, positions in (("start", (puzzle.start,)), ("end", (puzzle.end,)), ("dots", puzzle.dots), ("gaps", puzzle.gaps)):
        for x, y in positions:
            if not (0 <= x < width and 0 <= y < height):
                yield field, f"({x}, {y}) is outside the lattice of {width} x {height}"
            elif is_cell(x, y):
                yield field, f"({x}, {y}) is a rule cell"
            elif field in ("start", "end") and not on_border(x, y, width, height):
                yield field, f"({x}, {y}) is not on the outer boundary"
            elif field == "gaps" and not is_edge(x, y):
                yield field, f"({x}, {y}) is a vertex; gaps are on edges"
            elif (x, y) in taken:
                yield field, f"({x}, {y}) is among the {taken[x, y]} already"
            taken[x, y] = {"start": "starts", "end": "ends"}.get(field, field)
    for place, symbol in enumerate(puzzle.symbols):
        for message in _flaws_of_symbol(puzzle, symbol):
            yield f"symbols[{place}]", message
    places = [(symbol.y, symbol.x) for symbol in puzzle.symbols]
    if places != sorted(set(places)):
        yield "symbols", "they must be in different cells, in the order of rows and then columns"
    for key, shape in puzzle.shapes.items():
        if not SHAPE_ID.fullmatch(key):
            yield "shapes", f"found the key {key!r}; keys are decimal numbers"
        if [len(row) for row in shape] != [SHAPE_SIDE] * SHAPE_SIDE or not {cell for row in shape for cell in row} <= {0, 1}:
            yield f"shapes[{key}]", "a shape is four rows of four cells, each 0 or 1"
        elif not any(map(any, shape)):
            yield f"shapes[{key}]", "it has no cell"


def _flaws_of_symbol(puzzle: Puzzle, symbol: Symbol) -> Iterator[str]:
    if not (0 <= symbol.x < puzzle.lattice_w and 0 <= symbol.y < puzzle.lattice_h and is_cell(symbol.x, symbol.y)):
        yield f"({symbol.x}, {symbol.y}) is no rule cell; both coordinates must be odd and inside the lattice"
    if symbol.kind not in KINDS:
        yield f"found the kind {symbol.kind!r}; allowed: {', '.join(KINDS)}"
    if symbol.color not in COLORS:
        yield f"found the colour {symbol.color!r}; allowed: {', '.join(COLORS)}"
    if symbol.count not in (range(1, MAX_COUNT + 1) if symbol.kind == "triangle" else (0,)):
        yield f"found the count {symbol.count}; allowed: 1 to {MAX_COUNT} for a triangle, 0 for others"
    if (symbol.shape in puzzle.shapes) != (symbol.kind in SHAPED) or bool(symbol.shape) != (symbol.kind in SHAPED):
        yield f"found the shape {symbol.shape!r}; polys and ylops have one of `shapes`, others have none"
