"""A puzzle as the arrays that the kernels of the solver take, with numbers and sets as in `region_kernels.py`. Needs numba."""

import functools
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import NamedTuple

import numpy as np

from .names import ACTIONS, MAX_COUNT, SOLUTION_ORDER
from .record_types import SHAPED, Path, Position, Puzzle, Symbol, is_edge

WORD_BITS = 64
MOST_VERTICES, MOST_COLUMNS = 128, 62
MEMO_SLOTS = 2**14
MOST_SHAPE_CELLS = 16


@functools.cache
def kernels() -> tuple[ModuleType, ModuleType, ModuleType]:
    """The compiled loops: of the search, of regions and of pieces. Raises ImportError, with what to install, without numba."""
    try:
        from . import piece_kernels, region_kernels, solver_kernels
    except ImportError as error:
        raise ImportError(
            "Exact solutions of path puzzles need numba; install it with: pip install 'kagejax[solver]'"
        ) from error
    return solver_kernels, region_kernels, piece_kernels


class Arguments(NamedTuple):
    """What all kernels of the search take first."""

    lattice: NamedTuple
    symbols: NamedTuple
    memo: NamedTuple
    scratch: NamedTuple


class Problem:
    """One puzzle while it is searched. Raises ValueError for a board that is too large.

    words: how many each set has; by default as many as are needed.
    """

    def __init__(self, puzzle: Puzzle, words: int | None = None):
        self.puzzle, self.stride = puzzle, puzzle.cells_w + 1
        self.places = self.stride * (puzzle.cells_h + 1)
        if self.places > MOST_VERTICES or puzzle.cells_w > MOST_COLUMNS:
            raise ValueError(
                f"The board has {puzzle.cells_w} x {puzzle.cells_h} cells; exact answers are for boards with up to "
                f"{MOST_VERTICES} vertices, such as 10 x 10 cells, and up to {MOST_COLUMNS} columns."
            )
        self.words = words or -(-self.places // WORD_BITS)
        pieces = self._pieces()
        self.arguments = Arguments(self._lattice(), self._symbols(pieces), self._memo(), self._scratch(len(pieces)))
        self.stack = self._stack()
        self.progress = np.array([0, 0, 0, self.places + 1], np.int64)

    def set_of(self, numbers: Iterable[int]):
        """A set as the kernels take it."""
        bits = sum({1 << int(number) for number in numbers})
        words = tuple(np.uint64(bits >> WORD_BITS * word & 2**WORD_BITS - 1) for word in range(self.words))
        return words if len(words) > 1 else words[0]

    def number(self, x: int, y: int) -> int:
        """Of a vertex, an edge or a cell."""
        return y // 2 * self.stride + x // 2

    def position(self, vertex: int) -> Position:
        """Of a vertex, on the lattice."""
        return vertex % self.stride * 2, vertex // self.stride * 2

    def path(self, vertices: Iterable[int]) -> Path:
        """The positions of a line over these vertices, with start and end where they are on edges."""
        puzzle, path = self.puzzle, []
        corners = [self.position(int(vertex)) for vertex in vertices]
        ends = [place for place in (puzzle.start, puzzle.end) if is_edge(*place)]
        for x, y in corners:
            if path:
                path.append(((path[-1][0] + x) // 2, (path[-1][1] + y) // 2))
            path.append((x, y))
        first = [puzzle.start] if puzzle.start in ends else []
        return (*first, *path, *([puzzle.end] if puzzle.end in ends else []))

    def edges(self, positions: Iterable[Position]) -> tuple:
        """The sets of edges across and down among positions."""
        across, down = [], []
        for x, y in positions:
            if is_edge(x, y):
                (across if x % 2 else down).append(self.number(x, y))
        return self.set_of(across), self.set_of(down)

    def vertices(self, positions: Iterable[Position]):
        """The set of vertices among positions."""
        return self.set_of(self.number(x, y) for x, y in positions if not is_edge(x, y))

    def _lattice(self) -> NamedTuple:
        puzzle = self.puzzle
        passed = {puzzle.start, puzzle.end, *puzzle.gaps}
        ways = np.full((self.places, len(SOLUTION_ORDER)), -1)
        leaves = np.full(self.places, -1)
        usable = []
        for vertex in range(self.places):
            x, y = self.position(vertex)
            for turn, action in enumerate(SOLUTION_ORDER):
                step = ACTIONS[action]
                edge = x + step.dx, y + step.dy
                if not (0 <= edge[0] < puzzle.lattice_w and 0 <= edge[1] < puzzle.lattice_h):
                    continue
                if edge == puzzle.end:
                    leaves[vertex] = turn
                if edge not in passed:
                    ways[vertex, turn] = self.number(x + 2 * step.dx, y + 2 * step.dy)
                    usable.append(edge)
        gates = np.flatnonzero(leaves >= 0)
        goal = [] if is_edge(*puzzle.end) else [self.number(*puzzle.end)]
        numbers = np.arange(self.places)
        far = [
            np.abs(numbers % self.stride - end % self.stride) + np.abs(numbers // self.stride - end // self.stride)
            for end in (*gates, *goal)
        ]
        return kernels()[0].Lattice(
            ways,
            leaves,
            np.array(self._roots(), np.int64),
            self.set_of(goal),
            self.set_of(gates),
            np.min(far, axis=0),
            self.set_of(range(self.places)),
            *self.edges(usable),
            *self.edges([puzzle.start, puzzle.end]),
            self.vertices(puzzle.dots),
            *self.edges(puzzle.dots),
        )

    def _roots(self) -> list[int]:
        """Vertices that a line may have first, in the order of solutions."""
        x, y = self.puzzle.start
        if not is_edge(x, y):
            return [self.number(x, y)]
        steps = [ACTIONS[action] for action in SOLUTION_ORDER]
        return [self.number(x + step.dx, y + step.dy) for step in steps if (x + step.dx) % 2 == 0 == (y + step.dy) % 2]

    def _pieces(self) -> list[Symbol]:
        shaped = [symbol for symbol in self.puzzle.symbols if symbol.kind in SHAPED]
        return sorted(shaped, key=lambda symbol: (symbol.kind != "poly", int(symbol.shape)))

    def _symbols(self, pieces: list[Symbol]) -> NamedTuple:
        puzzle = self.puzzle
        colors = sorted({symbol.color for symbol in puzzle.symbols})

        def chosen(which: Callable[[Symbol], bool]):
            return self.set_of(self.number(symbol.x, symbol.y) for symbol in puzzle.symbols if which(symbol))

        def by_color(*kinds: str) -> np.ndarray:
            sets = [chosen(lambda symbol, color=color: symbol.kind in kinds and symbol.color == color) for color in colors]
            return self._rows(sets)

        shapes = sorted({piece.shape for piece in pieces}, key=int)
        covers = np.array([self._covers(shape) for shape in shapes], np.int64).reshape(-1, self.places, MOST_SHAPE_CELLS)
        rows = [
            (self.number(piece.x, piece.y), shapes.index(piece.shape), len(self._cells(piece.shape)), piece.kind == "ylop")
            for piece in pieces
        ]
        return kernels()[1].Symbols(
            np.uint64(self.stride),
            self.set_of(self.number(2 * x + 1, 2 * y + 1) for x in range(puzzle.cells_w) for y in range(puzzle.cells_h)),
            chosen(lambda symbol: symbol.kind != "triangle"),
            chosen(lambda symbol: symbol.kind in ("star", "poly")),
            by_color("square"),
            by_color("star"),
            by_color("square", "star", "triangle", *SHAPED),
            self._rows([chosen(lambda symbol, count=count: symbol.count == count) for count in range(1, MAX_COUNT + 1)]),
            chosen(lambda symbol: symbol.kind == "poly"),
            chosen(lambda symbol: symbol.kind == "ylop"),
            np.array(rows, np.int64).reshape(-1, 4),
            covers,
        )

    def _cells(self, shape: str) -> list[tuple[int, int]]:
        """Column and row of each cell of a shape, in reading order."""
        return [(x, y) for y, row in enumerate(self.puzzle.shapes[shape]) for x, cell in enumerate(row) if cell]

    def _covers(self, shape: str) -> np.ndarray:
        cells = self._cells(shape)
        covers = np.full((self.places, MOST_SHAPE_CELLS), -1)
        for y in range(self.puzzle.cells_h):
            for x in range(self.puzzle.cells_w):
                there = [(x + column - cells[0][0], y + row - cells[0][1]) for column, row in cells]
                if all(0 <= column < self.puzzle.cells_w and 0 <= row < self.puzzle.cells_h for column, row in there):
                    numbers = [row * self.stride + column for column, row in there]
                    covers[y * self.stride + x, : len(numbers)] = numbers
        return covers

    def _rows(self, sets: list) -> np.ndarray:
        return np.array(sets, np.uint64).reshape(len(sets), self.words)

    def _memo(self) -> NamedTuple:
        return kernels()[2].Memo(np.zeros((MEMO_SLOTS, self.words), np.uint64), np.zeros(MEMO_SLOTS, np.uint8))

    def _scratch(self, pieces: int) -> NamedTuple:
        placed = np.zeros((pieces, 2), np.int64)
        return kernels()[2].Scratch(np.zeros(self.places, np.int64), np.zeros(pieces, bool), placed, np.zeros(1, np.int64))

    def _stack(self) -> NamedTuple:
        depths = self.places + 1
        sets = [np.zeros((depths, self.words), np.uint64) for _ in range(4)]
        stack = kernels()[0].Stack(np.zeros(depths, np.int64), np.zeros(depths, np.int64), *sets)
        lattice = self.arguments.lattice
        stack.across[0], stack.down[0] = self._rows([lattice.first_across]), self._rows([lattice.first_down])
        return stack
