"""Oracle of path puzzles: records, the rules of a complete path, and all solutions of a small board, in plain Python.

A position is (x, y) on the lattice, from the top left, y downwards. A rule cell is one with two odd coordinates. Shapes lie on
a board whose cells are the rule cells: there (x, y) counts rule cells.
"""

import functools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Position = tuple[int, int]
Path = tuple[Position, ...]
Shape = tuple[Position, ...]  # cells (x, y) relative to the first of them in reading order

RIGHT, UP, LEFT, DOWN = range(4)
LETTERS = "RULD"
STEPS = {RIGHT: (1, 0), UP: (0, -1), LEFT: (-1, 0), DOWN: (0, 1)}
LISTED = (LEFT, RIGHT, UP, DOWN)  # preference of direction in the order of stored solutions
TRIANGLES = {"A": 1, "B": 2, "C": 3, "D": 4}
KINDS = {"o": "square", "*": "star", "P": "poly", "Y": "ylop"} | dict.fromkeys(TRIANGLES, "triangle")


class Symbol(NamedTuple):
    """What stands on a rule cell."""

    kind: str
    color: str  # a letter of RBGYWOPK
    count: int = 0  # of a triangle
    shape: str = ""  # of a poly or ylop: a name in `Puzzle.shapes`


class Puzzle(NamedTuple):
    """A record, read."""

    columns: int  # of rule cells
    rows: int
    start: Position
    end: Position
    dots: frozenset[Position]
    gaps: frozenset[Position]
    symbols: Mapping[Position, Symbol]  # in reading order
    shapes: Mapping[str, Shape]
    solutions: tuple[Path, ...]  # none of an unsolvable puzzle, and of a record without a list
    grid: tuple[tuple[str, ...], ...]  # symbols as they are written, grid[y][x]

    @property
    def width(self) -> int:
        """Positions of a lattice row."""
        return 2 * self.columns + 1

    @property
    def height(self) -> int:
        return 2 * self.rows + 1

    def holds(self, place: Position) -> bool:
        return 0 <= place[0] < self.width and 0 <= place[1] < self.height

    @property
    def cells(self) -> list[Position]:
        """Rule cells in reading order."""
        return [(x, y) for y in range(1, self.height, 2) for x in range(1, self.width, 2)]


def read(record: Mapping[str, Any] | Puzzle) -> Puzzle:
    """A record as it is stored, already parsed from JSON. Believes what it reads."""
    if isinstance(record, Puzzle):
        return record
    marks = {(x, y): mark for y, row in enumerate(record["puzzle_array"]) for x, mark in enumerate(row)}
    (start,) = (place for place, mark in marks.items() if mark == "S")
    (end,) = (place for place, mark in marks.items() if mark == "E")
    return Puzzle(
        columns=record["grid_size"]["width"],
        rows=record["grid_size"]["height"],
        start=start,
        end=end,
        dots=frozenset(place for place, mark in marks.items() if mark == "."),
        gaps=frozenset(place for place, mark in marks.items() if mark == "G"),
        symbols={place: _symbol(mark) for place, mark in marks.items() if "-" in mark},
        shapes={name: _shape(box) for name, box in json.loads(record["polyshapes"]).items()},
        solutions=tuple(
            tuple((place["x"], place["y"]) for place in solution["path"]) for solution in record.get("solutions", ())
        ),
        grid=tuple(map(tuple, record["puzzle_array"])),
    )


def _symbol(mark: str) -> Symbol:
    first, color, *name = mark.split("-")
    return Symbol(KINDS[first], color, TRIANGLES.get(first, 0), *name)


def _shape(box: list[list[int]]) -> Shape:
    """The cells of box[row][column], where a row is y."""
    cells = [(x, y) for y, row in enumerate(box) for x, mark in enumerate(row) if mark]
    return tuple((x - cells[0][0], y - cells[0][1]) for x, y in cells)


def is_cell(place: Position) -> bool:
    return place[0] % 2 == 1 and place[1] % 2 == 1


def ahead(place: Position, action: int) -> Position:
    right, down = STEPS[action]
    return place[0] + right, place[1] + down


def walk(start: Position, letters: str) -> Path:
    """The path of a string over R, U, L, D."""
    path = [start]
    for letter in letters:
        path.append(ahead(path[-1], LETTERS.index(letter)))
    return tuple(path)


def moves(path: Path) -> tuple[int, ...]:
    """The actions of a connected path."""
    names = {step: action for action, step in STEPS.items()}
    return tuple(names[c - a, d - b] for (a, b), (c, d) in zip(path, path[1:], strict=False))


def line(puzzle: Puzzle, path: Path) -> dict[str, bool]:
    """The seven verdicts on the line alone."""
    return {
        "starts_at_start": path[:1] == (puzzle.start,),
        "ends_at_end": path[-1:] == (puzzle.end,),
        "in_bounds": all(map(puzzle.holds, path)),
        "connected": all(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in zip(path, path[1:], strict=False)),
        "simple": len(set(path)) == len(path),
        "avoids_rule_cells": not any(puzzle.holds(place) and is_cell(place) for place in path),
        "end_only_last": puzzle.end not in path[:-1],
    }


def regions(puzzle: Puzzle, path: Iterable[Position]) -> list[list[Position]]:
    """Rule cells that hang together where the path does not use the edge between two; in reading order of first cells."""
    used, left, found = set(path), list(puzzle.cells), []
    while left:
        region = [left.pop(0)]
        for x, y in region:  # grows while it is read
            for right, down in STEPS.values():
                beyond = (x + 2 * right, y + 2 * down)
                if beyond in left and (x + right, y + down) not in used:
                    left.remove(beyond)
                    region.append(beyond)
        found.append(sorted(region))
    return found


def touched(path: Iterable[Position], cell: Position) -> int:
    """How many of the four edges of a rule cell are on the path."""
    return len({ahead(cell, action) for action in STEPS} & set(path))


def judge(record: Mapping[str, Any] | Puzzle, path: Iterable[Position]) -> dict[str, Any]:
    """All that is to be said of a path, in the words of the golden cases; no verdict on symbols if it leaves the board."""
    puzzle, path = read(record), tuple((int(x), int(y)) for x, y in path)
    structure = line(puzzle, path)
    gaps = sorted(puzzle.gaps & set(path))
    missing = sorted(puzzle.dots - set(path))
    verdict: dict[str, Any] = {
        "structure": structure,
        "gaps": {"ok": not gaps, "violations": gaps},
        "dots": {"ok": not missing, "missing": missing},
    }
    if structure["in_bounds"]:
        found = regions(puzzle, path)
        inside = [[puzzle.symbols[cell] for cell in region if cell in puzzle.symbols] for region in found]
        verdict |= {
            "squares": _squares(inside),
            "stars": _stars(inside),
            "triangles": _triangles(puzzle, path),
            "polys": _polys(puzzle, found, inside),
            "regions": found,
        }
    else:
        verdict |= dict.fromkeys(("squares", "stars", "triangles", "polys", "regions"))
    rules = ("gaps", "dots", "squares", "stars", "triangles", "polys")
    verdict["valid"] = all(structure.values()) and all(verdict[rule]["ok"] for rule in rules)
    return verdict


def _squares(inside: list[list[Symbol]]) -> dict[str, Any]:
    wrong = [
        index
        for index, symbols in enumerate(inside)
        if len({symbol.color for symbol in symbols if symbol.kind == "square"}) > 1
    ]
    return {"ok": not wrong, "violating_regions": wrong}


def _stars(inside: list[list[Symbol]]) -> dict[str, Any]:
    wrong = []
    for index, symbols in enumerate(inside):
        counts = Counter(symbol.color for symbol in symbols)
        for color in sorted({symbol.color for symbol in symbols if symbol.kind == "star"}):
            if counts[color] != 2:
                wrong.append({"region": index, "color": color, "count": counts[color]})
    return {"ok": not wrong, "violations": wrong}


def _triangles(puzzle: Puzzle, path: Path) -> dict[str, Any]:
    wrong = [
        {"cell": cell, "required": symbol.count, "touched": touched(path, cell)}
        for cell, symbol in sorted(puzzle.symbols.items())
        if symbol.kind == "triangle" and symbol.count != touched(path, cell)
    ]
    return {"ok": not wrong, "mismatches": wrong}


def _polys(puzzle: Puzzle, found: list[list[Position]], inside: list[list[Symbol]]) -> dict[str, Any]:
    detail = []
    for index, (region, symbols) in enumerate(zip(found, inside, strict=True)):
        polys, ylops = (
            tuple(sorted(puzzle.shapes[symbol.shape] for symbol in symbols if symbol.kind == kind)) for kind in ("poly", "ylop")
        )
        if not polys and not ylops:
            continue
        poly_area, ylop_area = sum(map(len, polys)), sum(map(len, ylops))
        net, why = poly_area - ylop_area, None
        if net < 0:
            why = "net<0"
        elif net > 0 and net != len(region):
            why = "area"
        else:
            target = frozenset((x // 2, y // 2) for x, y in region) if net > 0 else frozenset()
            if not covers(puzzle.columns, puzzle.rows, target, polys, ylops):
                why = "fit"
        areas = {"area": len(region), "poly_area": poly_area, "ylop_area": ylop_area, "net": net}
        detail.append({"region": index, **areas, "ok": why is None, "why": why})
    wrong = [entry["region"] for entry in detail if not entry["ok"]]
    return {"ok": not wrong, "violating_regions": wrong, "detail": detail}


@functools.lru_cache(maxsize=100_000)
def covers(columns: int, rows: int, target: frozenset[Position], polys: tuple[Shape, ...], ylops: tuple[Shape, ...]) -> bool:
    """Whether all shapes can lie on the board so that polys less ylops are 1 on each cell of the target and 0 elsewhere.

    Cells are settled in reading order. A shape whose first cell is the one at hand touches this cell and later ones only: what
    is missing here must be laid now. Every arrangement is met, because the shapes that share a first cell can be laid in this
    order: those that make up what is missing, then pairs of a ylop and a poly. Only what has already failed is left out.
    """
    hopeless = set()

    def search(cell: int, need: tuple[int, ...], polys: tuple[Shape, ...], ylops: tuple[Shape, ...]) -> bool:
        if cell == columns * rows:
            return not polys and not ylops
        position = (cell, need, polys, ylops)
        if position in hopeless:
            return False
        if need[cell] == 0 and search(cell + 1, need, polys, ylops):
            return True
        if need[cell] > 0:
            nexts = ((lay(shape, cell, need, -1), without(polys, shape), ylops) for shape in set(polys))
        else:
            nexts = ((lay(shape, cell, need, 1), polys, without(ylops, shape)) for shape in set(ylops))
        for after, polys_left, ylops_left in nexts:
            if after is not None and search(cell, after, polys_left, ylops_left):
                return True
        hopeless.add(position)
        return False

    def lay(shape: Shape, cell: int, need: tuple[int, ...], change: int) -> tuple[int, ...] | None:
        after = list(need)
        for x, y in shape:
            x, y = cell % columns + x, cell // columns + y
            if not (0 <= x < columns and 0 <= y < rows):
                return None
            after[y * columns + x] += change
        return tuple(after)

    def without(shapes: tuple[Shape, ...], shape: Shape) -> tuple[Shape, ...]:
        place = shapes.index(shape)
        return shapes[:place] + shapes[place + 1 :]

    wanted = tuple(int((x, y) in target) for y in range(rows) for x in range(columns))
    return search(0, wanted, polys, ylops)


def lines(record: Mapping[str, Any] | Puzzle) -> Iterator[Path]:
    """All simple lines from start to end that use no gap, in the order of stored lists. For small boards."""
    puzzle = read(record)

    def extend(path: Path) -> Iterator[Path]:
        if path[-1] == puzzle.end:
            yield path
            return
        for action in LISTED:
            place = ahead(path[-1], action)
            if puzzle.holds(place) and not is_cell(place) and place not in puzzle.gaps and place not in path:
                yield from extend((*path, place))

    yield from extend((puzzle.start,))


def solutions(record: Mapping[str, Any] | Puzzle) -> list[Path]:
    """All valid paths of a small board, in the order of stored lists."""
    puzzle = read(record)
    return [path for path in lines(puzzle) if judge(puzzle, path)["valid"]]
