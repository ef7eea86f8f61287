"""Symbols that agree with a line: the puzzle is made so that the line solves it."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np

from . import generate_laws as laws
from .generate_lines import pick
from .generate_plans import Plan
from .names import SHAPE_SIDE
from .record_types import Path, Position, Shape, Symbol

Cell = tuple[int, int]
"""Column and row among the rule cells."""


class Planted(NamedTuple):
    """Symbols that agree with a line."""

    symbols: tuple[Symbol, ...]  # row by row
    shapes: dict[str, Shape]


def plant(random: np.random.Generator, cells_w: int, cells_h: int, path: Path, plan: Plan) -> Planted | None:
    """Symbols of the planned kinds, about as many as planned; None where a kind found no room."""
    return _Planting(random, cells_w, cells_h, path, plan).planted()


def regions(cells_w: int, cells_h: int, path: Collection[Position]) -> list[list[Cell]]:
    """The regions that a line leaves, in the order of their first cells, each in reading order."""
    cells = [(x, y) for y in range(cells_h) for x in range(cells_w)]
    on_line, left, found = set(path), set(cells), []
    for first in cells:
        if first not in left:
            continue
        left.remove(first)
        frontier = [first]
        found.append(list(frontier))
        while frontier:
            x, y = frontier.pop()
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                beyond = x + dx, y + dy
                if beyond in left and (2 * x + 1 + dx, 2 * y + 1 + dy) not in on_line:
                    left.remove(beyond)
                    frontier.append(beyond)
                    found[-1].append(beyond)
    return [sorted(region, key=_reading) for region in found]


class _Planting:
    """One puzzle while its symbols are chosen."""

    def __init__(self, random: np.random.Generator, cells_w: int, cells_h: int, path: Path, plan: Plan):
        self.random, self.plan = random, plan
        self.board = [(x, y) for y in range(cells_h) for x in range(cells_w)]
        self.regions = regions(cells_w, cells_h, path)
        self.path = set(path)
        self.free = [self.shuffled(region) for region in self.regions]
        self.there: dict[Cell, Symbol] = {}
        self.shapes: dict[str, Shape] = {}
        self.palette = [str(color) for color in random.choice(laws.PALETTE, plan.colors, replace=False)]

    def planted(self) -> Planted | None:
        """All symbols."""
        counts = self.plan.counts
        steps = (
            ("poly", lambda count: self.pieces(count, counts.get("ylop", 0))),
            ("triangle", self.triangles),
            ("square", self.squares),
            ("star", self.stars),
        )
        for kind, step in steps:
            if kind in counts and not step(counts[kind]):
                return None
        symbols = sorted(self.there.values(), key=lambda symbol: (symbol.y, symbol.x))
        return Planted(tuple(symbols), dict(sorted(self.shapes.items())))

    def shuffled(self, items: Iterable) -> list:
        """The items in a random order."""
        items = list(items)
        return [items[place] for place in self.random.permutation(len(items))]

    def color(self) -> str:
        """One of the puzzle's, rather one that was not used yet."""
        used = {symbol.color for symbol in self.there.values()}
        colors = [color for color in self.palette if color not in used]
        if not colors or self.random.random() > laws.FRESH_COLOR_CHANCE:
            colors = self.palette
        return colors[self.random.integers(len(colors))]

    def put(self, region: int, cell: Cell, kind: str, color: str, count: int = 0, shape: str = "") -> None:
        """Puts a symbol into a free cell of a region."""
        self.free[region].remove(cell)
        self.there[cell] = Symbol(2 * cell[0] + 1, 2 * cell[1] + 1, kind, color, count, shape)

    def triangles(self, count: int) -> bool:
        """Triangles with their true counts."""
        touched = [(region, cell, self.touched(cell)) for region, cells in enumerate(self.free) for cell in cells]
        touched = [(region, cell, edges) for region, cell, edges in touched if edges and laws.TRIANGLE_WEIGHTS[edges - 1]]
        if not touched:
            return False
        for _ in range(min(count, len(touched))):
            region, cell, edges = touched.pop(pick(self.random, [laws.TRIANGLE_WEIGHTS[edges - 1] for *_, edges in touched]))
            self.put(region, cell, "triangle", self.color(), count=edges)
        return True

    def touched(self, cell: Cell) -> int:
        """Edges of a cell that are on the line."""
        x, y = 2 * cell[0] + 1, 2 * cell[1] + 1
        return sum(place in self.path for place in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)))

    def squares(self, count: int) -> bool:
        """Squares, of one colour in each region."""
        places = self.shuffled((region, cell) for region, cells in enumerate(self.free) for cell in cells)[:count]
        colors: dict[int, str] = {}
        for region, cell in places:
            self.put(region, cell, "square", colors.setdefault(region, self.color()))
        return bool(places)

    def stars(self, count: int) -> bool:
        """Stars, each with one partner of its colour in its region, and of one colour beyond the palette if that is needed."""
        extra = self.shuffled(color for color in laws.PALETTE if color not in self.palette)[:1]
        left = count
        while left:
            options = self.star_options(self.palette, left) or self.star_options(extra, left)
            if not options:
                break
            region, color, needed = options[pick(self.random, [laws.STAR_WEIGHTS[needed - 1] for *_, needed in options])]
            for cell in self.free[region][:needed]:
                self.put(region, cell, "star", color)
            left -= needed
        return left < count

    def star_options(self, colors: Iterable[str], most: int) -> list[tuple[int, str, int]]:
        """Regions and colours that one star or two are right for, with how many."""
        options = []
        for region, cells in enumerate(self.regions):
            there = [self.there[cell].color for cell in cells if cell in self.there]
            options += [(region, color, 2 - there.count(color)) for color in colors]
        return [option for option in options if 1 <= option[2] <= min(most, len(self.free[option[0]]))]

    def pieces(self, polys: int, ylops: int) -> bool:
        """Polys and ylops: regions in a random order get all that they need, until there are enough."""
        left, taken = polys, ylops
        for region in self.shuffled(range(len(self.regions))):
            if left < 1:
                break
            cells = self.regions[region]
            need, away = Counter(cells), []
            if taken and self.random.random() < laws.CANCELLING_CHANCE:
                need.clear()
            for _ in range(taken):
                away.append(self.grown(self.board[self.random.integers(len(self.board))], set(self.board), laws.YLOP_SIZES))
                need.update(away[-1])
            parts = self.likely_parts(need, left)
            if parts is None or len(parts) + len(away) > len(self.free[region]):
                continue
            for kind, shapes in (("poly", parts), ("ylop", away)):
                for part in shapes:
                    self.put(region, self.free[region][0], kind, self.color(), shape=self.shape(part))
            left, taken = left - len(parts), 0
        return left < polys and not taken

    def likely_parts(self, need: Counter, most: int) -> list[list[Cell]] | None:
        """`parts` in which small polys are as rare as in the public puzzles; None where a few tries gave none."""
        for _ in range(laws.PARTITIONS):
            parts = self.parts(need, most)
            if parts is not None:
                chances = [laws.POLY_CHANCES[len(part) - 1] for part in parts]
                if self.random.random() < np.prod(chances):
                    return parts
        return None

    def parts(self, need: Counter, most: int) -> list[list[Cell]] | None:
        """Polys that cover each cell as often as is needed; None where more than `most` would be."""
        need, found = Counter(need), []
        while need:
            if len(found) == most:
                return None
            found.append(self.grown(min(need, key=_reading), set(need), laws.POLY_SIZES))
            need.subtract(found[-1])
            need = +need
        return found

    def grown(self, first: Cell, ground: set[Cell], sizes: tuple[int, ...]) -> list[Cell]:
        """A shape of a random size that grows from a cell, smaller where it finds no room."""
        size, cells = pick(self.random, sizes) + 1, [first]
        while len(cells) < size:
            beside = {(x + dx, y + dy) for x, y in cells for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))}
            fitting = sorted(cell for cell in beside & ground if cell not in cells and _in_box([*cells, cell]))
            if not fitting:
                break
            cells.append(fitting[self.random.integers(len(fitting))])
        return cells

    def shape(self, cells: list[Cell]) -> str:
        """The id of a shape, which is noted."""
        left, top = min(x for x, _ in cells), min(y for _, y in cells)
        wide = max(x for x, _ in cells) - left + 1
        left -= 1 if wide < SHAPE_SIDE else 0  # as in most public puzzles, the first column stays empty
        place = {(x - left, y - top) for x, y in cells}
        rows = tuple(tuple(int((x, y) in place) for x in range(SHAPE_SIDE)) for y in range(SHAPE_SIDE))
        name = str(sum(1 << SHAPE_SIDE * x + y for x, y in place))
        self.shapes[name] = rows
        return name


def _reading(cell: Cell) -> tuple[int, int]:
    return cell[1], cell[0]


def _in_box(cells: list[Cell]) -> bool:
    columns, rows = zip(*cells, strict=True)
    return max(columns) - min(columns) < SHAPE_SIDE and max(rows) - min(rows) < SHAPE_SIDE
