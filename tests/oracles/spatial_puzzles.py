"""Random path puzzles for tests of properties, as records, and random lines across them.

Nothing here imitates the public puzzles: what is rare there, ylops above all, is common here. Counts are at most theirs.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .spatial import KINDS, STEPS, Path, Position, Puzzle, Shape, Symbol, ahead, is_cell, read, regions, touched
from .spatial_records import COLORS, record_of

MOST = {"poly": 8, "ylop": 3}  # in a puzzle
MOST_SHAPES = 6
MOST_DOTS = MOST_GAPS = 7
MOST_SHAPE_CELLS = 5
BOX = 4


class _Shapes:
    """The shapes of a puzzle in the making: names them, and counts what is still allowed."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.boxes: dict[str, list[list[int]]] = {}
        self.used = Counter()

    def name(self, shape: Shape) -> str:
        """A name for the shape: usually one that it has, else that of a random place in the box."""
        known = [name for name, box in self.boxes.items() if _cells(box) == shape]
        if known and (len(self.boxes) == MOST_SHAPES or self.rng.random() < 0.8):
            return known[0]
        left, width, height = min(x for x, _ in shape), *_extent(shape)
        right, down = self.rng.integers(BOX + 1 - width) - left, self.rng.integers(BOX + 1 - height)
        box = [[0] * BOX for _ in range(BOX)]
        for x, y in shape:
            box[y + down][x + right] = 1
        name = str(sum(1 << (4 * column + row) for row in range(BOX) for column in range(BOX) if box[row][column]))
        self.boxes[name] = box
        return name

    def allow(self, polys: Sequence[Shape], ylops: Sequence[Shape]) -> bool:
        """Whether these may come in addition to all so far."""
        shapes = {_cells(box) for box in self.boxes.values()} | {*polys, *ylops}
        new = len(shapes) - len({_cells(box) for box in self.boxes.values()})
        counts = {"poly": len(polys), "ylop": len(ylops)}
        return len(self.boxes) + new <= MOST_SHAPES and all(self.used[kind] + counts[kind] <= MOST[kind] for kind in MOST)


def _cells(box: list[list[int]]) -> Shape:
    return _anchored((x, y) for y in range(BOX) for x in range(BOX) if box[y][x])


def _anchored(cells: Iterable[Position]) -> Shape:
    """Cells in reading order, relative to the first of them."""
    ordered = sorted(cells, key=lambda cell: (cell[1], cell[0]))
    return tuple((x - ordered[0][0], y - ordered[0][1]) for x, y in ordered)


def _extent(cells: Iterable[Position]) -> tuple[int, int]:
    columns, rows = zip(*cells, strict=True)
    return max(columns) - min(columns) + 1, max(rows) - min(rows) + 1


def _grown(rng: np.random.Generator, first: Position, free: set[Position]) -> list[Position]:
    """Connected cells around the first one, all of them free, that fit the box."""
    cells, wanted = [first], rng.integers(1, MOST_SHAPE_CELLS + 1)
    while len(cells) < wanted:
        edge = sorted({ahead(cell, action) for cell in cells for action in STEPS} & free - {*cells})
        edge = [cell for cell in edge if max(_extent([*cells, cell])) <= BOX]
        if not edge:
            break
        cells.append(edge[rng.integers(len(edge))])
    return cells


def random_shape(rng: np.random.Generator) -> Shape:
    """One to five cells of the box, usually connected."""
    box = [(x, y) for y in range(BOX) for x in range(BOX)]
    if rng.random() < 0.2:
        return _anchored(box[index] for index in rng.choice(len(box), rng.integers(1, MOST_SHAPE_CELLS + 1), replace=False))
    return _anchored(_grown(rng, box[rng.integers(len(box))], set(box)))


def _bare(rng: np.random.Generator, columns: int, rows: int) -> Puzzle:
    """A board with nothing but a start and an end on its border."""
    width, height = 2 * columns + 1, 2 * rows + 1
    border = [(x, y) for y in range(height) for x in range(width) if x in (0, width - 1) or y in (0, height - 1)]
    start, end = (border[index] for index in rng.choice(len(border), 2, replace=False))
    return Puzzle(columns, rows, start, end, frozenset(), frozenset(), {}, {}, (), ())


def _walkable(puzzle: Puzzle) -> list[Position]:
    """Where a dot may be: off rule cells, start and end."""
    places = [(x, y) for y in range(puzzle.height) for x in range(puzzle.width)]
    return [place for place in places if not is_cell(place) and place not in (puzzle.start, puzzle.end)]


def _some(rng: np.random.Generator, places: Sequence[Position], share: float, most: int) -> frozenset[Position]:
    chosen = [place for place in places if rng.random() < share]
    return frozenset(chosen[index] for index in rng.permutation(len(chosen))[:most])


def _written(rng: np.random.Generator, puzzle: Puzzle, boxes: Mapping[str, list[list[int]]]) -> dict[str, Any]:
    """A record under a random id."""
    return record_of(puzzle, boxes, f"{rng.integers(1 << 56, 1 << 63):x}")


def random_record(rng: np.random.Generator, columns: int, rows: int) -> dict[str, Any]:
    """A puzzle of arbitrary symbols, which need not have a solution."""
    puzzle = _bare(rng, columns, rows)
    walkable = _walkable(puzzle)
    gaps = _some(rng, [(x, y) for x, y in walkable if (x + y) % 2], 0.12 * rng.random(), MOST_GAPS)
    dots = _some(rng, [place for place in walkable if place not in gaps], 0.08 * rng.random(), MOST_DOTS)
    palette, share, shapes, symbols = rng.choice([*COLORS], rng.integers(1, 9), replace=False), rng.random(), _Shapes(rng), {}
    for cell in puzzle.cells:
        if rng.random() > share:
            continue
        kind, color = str(rng.choice([*sorted(set(KINDS.values()))])), str(rng.choice(palette))
        if kind not in MOST:
            symbols[cell] = Symbol(kind, color, int(rng.integers(1, 5)) if kind == "triangle" else 0)
            continue
        shape = random_shape(rng)
        if shapes.allow(*(([shape], []) if kind == "poly" else ([], [shape]))):
            shapes.used[kind] += 1
            symbols[cell] = Symbol(kind, color, shape=shapes.name(shape))
    return _written(rng, puzzle._replace(dots=dots, gaps=gaps, symbols=symbols), shapes.boxes)


def random_line(rng: np.random.Generator, record: Mapping[str, Any] | Puzzle) -> Path | None:
    """A random simple line from start to end that uses no gap; None where gaps leave none."""
    puzzle = read(record)

    def free(place: Position) -> bool:
        return puzzle.holds(place) and not is_cell(place) and place not in puzzle.gaps

    def open_to_the_end(taken: set[Position]) -> set[Position]:
        """Positions from which the end can be reached without what is taken."""
        seen, frontier = {puzzle.end}, [puzzle.end]
        while frontier:
            place = frontier.pop()
            for beyond in (ahead(place, action) for action in STEPS):
                if beyond not in seen and beyond not in taken and free(beyond):
                    seen.add(beyond)
                    frontier.append(beyond)
        return seen

    path = [puzzle.start]
    while path[-1] != puzzle.end:
        ways = [beyond for beyond in (ahead(path[-1], action) for action in STEPS) if free(beyond) and beyond not in path]
        if len(ways) != 1 or len(path) == 1:
            reached = open_to_the_end({*path})
            ways = [beyond for beyond in ways if beyond in reached]
        if not ways:
            return None
        path.append(ways[rng.integers(len(ways))])
    return tuple(path)


def planted_record(rng: np.random.Generator, columns: int, rows: int) -> tuple[dict[str, Any], Path]:
    """A puzzle all of whose symbols agree with a random line, and this line."""
    puzzle = _bare(rng, columns, rows)
    path = random_line(rng, puzzle)
    walkable = _walkable(puzzle)
    dots = _some(rng, [place for place in walkable if place in path], 0.1 * rng.random(), MOST_DOTS)
    gaps = _some(rng, [(x, y) for x, y in walkable if (x + y) % 2 and (x, y) not in path], 0.15 * rng.random(), MOST_GAPS)
    palette, share, shapes, symbols = rng.choice([*COLORS], rng.integers(1, 9), replace=False), rng.random(), _Shapes(rng), {}
    for region in regions(puzzle, path):
        free = [region[index] for index in rng.permutation(len(region))]
        inside = _planted_polys(rng, puzzle, region, free, shapes, palette) if rng.random() < 0.7 else {}
        square = str(rng.choice(palette))
        while free and rng.random() < share:
            cell = free.pop()
            count = touched(path, cell)
            if count and rng.random() < 0.5:
                inside[cell] = Symbol("triangle", str(rng.choice(palette)), count)
            else:
                inside[cell] = Symbol("square", square)
        for color in map(str, palette):
            alike = sum(symbol.color == color for symbol in inside.values())
            if alike < 2 and len(free) >= 2 - alike and rng.random() < 0.5:
                inside |= {free.pop(): Symbol("star", color) for _ in range(2 - alike)}
        symbols |= inside
    return _written(rng, puzzle._replace(dots=dots, gaps=gaps, symbols=symbols), shapes.boxes), path


def _planted_polys(
    rng: np.random.Generator,
    puzzle: Puzzle,
    region: Sequence[Position],
    free: list[Position],
    shapes: _Shapes,
    palette: Sequence[str],
) -> dict[Position, Symbol]:
    """Polys and ylops that suit a region, on cells taken from the free ones; none where too much would be needed."""
    need = Counter((x // 2, y // 2) for x, y in region) if rng.random() < 0.75 else Counter()
    board = [(x, y) for y in range(puzzle.rows) for x in range(puzzle.columns)]
    ylops = []
    for _ in range(rng.integers(1, 4) if not need else rng.choice(4, p=(0.5, 0.25, 0.15, 0.1))):
        elsewhere = [cell for cell in board if not need[cell]]
        ground = elsewhere if elsewhere and rng.random() < 0.3 else board
        cells = _grown(rng, ground[rng.integers(len(ground))], set(board))
        ylops.append(_anchored(cells))
        need.update(cells)
    polys = []
    while +need:
        cells = _grown(rng, min(+need, key=lambda cell: (cell[1], cell[0])), set(+need))
        polys.append(_anchored(cells))
        need.subtract(cells)
    if len(polys) + len(ylops) > len(free) or not shapes.allow(polys, ylops):
        return {}
    inside = {}
    for kind, several in (("poly", polys), ("ylop", ylops)):
        for shape in several:
            shapes.used[kind] += 1
            inside[free.pop()] = Symbol(kind, str(rng.choice(palette)), shape=shapes.name(shape))
    return inside


def spoiled_record(rng: np.random.Generator, record: Mapping[str, Any]) -> dict[str, Any]:
    """The puzzle with one symbol changed a little, most often a shape for another of its size; the same one if none can be."""
    puzzle, boxes = read(record), json.loads(record["polyshapes"])
    shaped = [cell for cell, symbol in puzzle.symbols.items() if symbol.shape]
    cells = shaped if shaped and rng.random() < 0.8 else [*puzzle.symbols]
    if not cells:
        return {**record}
    cell = cells[rng.integers(len(cells))]
    symbol = puzzle.symbols[cell]
    if symbol.kind == "triangle":
        symbol = symbol._replace(count=symbol.count % 4 + 1)
    elif not symbol.shape:
        symbol = symbol._replace(color=str(rng.choice([*COLORS])))
    else:
        shape = _anchored((y, x) for x, y in puzzle.shapes[symbol.shape])  # as if its rows were columns
        while len(shape) > 1 and shape == puzzle.shapes[symbol.shape]:
            other = random_shape(rng)
            shape = other if len(other) == len(shape) else shape
        shapes = _Shapes(rng)
        shapes.boxes = boxes
        if not shapes.allow([shape], []):
            return {**record}
        symbol = symbol._replace(shape=shapes.name(shape))
    return _written(rng, puzzle._replace(symbols={**puzzle.symbols, cell: symbol}), boxes)
