"""A puzzle from the fields of a record, and back: everything checked, every complaint with its place. SPEC section 2."""

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from kagejax.config.problems import found

from . import difficulty
from .names import COLORS, KINDS, SHAPE_SIDE
from .record_text import text_flaw, text_of
from .record_types import (
    DOT,
    END,
    GAP,
    MARKS,
    NOTHING,
    PLAIN,
    SHAPE_ID,
    SHAPED,
    START,
    Path,
    Position,
    Puzzle,
    Shape,
    Symbol,
    is_cell,
    is_edge,
    line_flaw,
    on_border,
)

COLOR_NAMES = {letter: name for name, letter in COLORS.items()}
SYMBOL_FORMS = "N, o-C, *-C, A-C to D-C, P-C-ID, Y-C-ID"


class RecordError(ValueError):
    """What is no record of a puzzle. The message begins with the place: FILE:LINE, and the field, dotted."""

    def __init__(self, where: str, field: str, message: str):
        self.where, self.field, self.message = where, field, message
        super().__init__(f"{where}: {field}: {message}" if field else f"{where}: {message}")

    def __reduce__(self):
        return RecordError, (self.where, self.field, self.message)


def from_record(record: Mapping[str, Any], where: str = "record") -> Puzzle:
    """The puzzle of a record, a mapping with the fields of SPEC 2; `where` is named in messages. Raises RecordError.

    `id`, `grid_size` and `puzzle_array` are needed, and `polyshapes` where there are polys or ylops. Without `solutions` none
    are stored, without difficulty fields they are computed, without `text_visualization` there is nothing to compare; where
    these fields are there, they must fit. Other fields are passed over.
    """
    return _Record(record, where).puzzle()


def to_record(puzzle: Puzzle) -> dict[str, Any]:
    """All nine fields, as upstream has them. A puzzle of unknown level gets that of the formula."""
    kinds = len({symbol.kind for symbol in puzzle.symbols})
    score = puzzle.score if puzzle.level else difficulty.score(puzzle.cells, len(puzzle.symbols), kinds)
    return {
        "difficulty_level": puzzle.level or difficulty.level(score),
        "difficulty_score": score,
        "grid_size": {"height": puzzle.cells_h, "width": puzzle.cells_w},
        "id": puzzle.id,
        "polyshapes": json.dumps(dict(puzzle.shapes), separators=(",", ":")),
        "puzzle_array": [list(row) for row in puzzle.grid],
        "solution_count": len(puzzle.solutions),
        "solutions": [
            {"index": index, "path": [{"x": x, "y": y} for x, y in path], "pathLength": len(path)}
            for index, path in enumerate(puzzle.solutions)
        ],
        "text_visualization": text_of(puzzle),
    }


class _Record:
    """One record while it is read."""

    def __init__(self, record: Mapping[str, Any], where: str):
        self.record, self.where = record, where
        if not isinstance(record, Mapping):
            self.fail("", f"a record is an object with fields; found {found(record)}")

    def fail(self, field: str, message: str) -> NoReturn:
        raise RecordError(self.where, field, f"{message}.")

    def value(self, field: str, kind: type | tuple[type, ...], what: str, held: Any = None, default: Any = None) -> Any:
        """The value of a field, dotted in messages, that has to be of a kind. `held`: where it is, if not in the record."""
        key = field.rpartition(".")[2]
        held = self.record if held is None else held
        if key not in held:
            return default if default is not None else self.fail(field, f"it is missing; needed: {what}")
        if not isinstance(held[key], kind) or isinstance(held[key], bool):
            self.fail(field, f"found {found(held[key])}; allowed: {what}")
        return held[key]

    def puzzle(self) -> Puzzle:
        """All of it."""
        name = self.value("id", str, "text, different for each puzzle")
        if not name:
            self.fail("id", "it is empty")
        size = self.value("grid_size", Mapping, "an object with height and width, in rule cells")
        cells_h, cells_w = (self.value(f"grid_size.{key}", int, "1 or more", size) for key in ("height", "width"))
        for key, cells in (("height", cells_h), ("width", cells_w)):
            if cells < 1:
                self.fail(f"grid_size.{key}", f"found {cells}; allowed: 1 or more")
        rows = self.rows(2 * cells_w + 1, 2 * cells_h + 1)
        shapes = self.shapes()
        marked: dict[str, list[Position]] = {mark: [] for mark in (START, END, DOT, GAP)}
        symbols = []
        for y, row in enumerate(rows):
            for x, text in enumerate(row):
                if is_cell(x, y):
                    symbols += [] if text == NOTHING else [self.symbol(text, x, y, shapes)]
                elif text != PLAIN:
                    marked[self.mark(text, x, y, len(row), len(rows))].append((x, y))
        for mark, what in ((START, "start"), (END, "end")):
            if len(marked[mark]) != 1:
                places = ", ".join(map(str, marked[mark])) or "none"
                self.fail("puzzle_array", f"there must be one {what} ({mark}); found {places}")
        puzzle = Puzzle(
            id=name,
            cells_w=cells_w,
            cells_h=cells_h,
            start=marked[START][0],
            end=marked[END][0],
            dots=tuple(marked[DOT]),
            gaps=tuple(marked[GAP]),
            symbols=tuple(symbols),
            shapes=shapes,
        )
        text = self.value("text_visualization", str, "YAML text", default="")
        flaw = text and text_flaw(puzzle, text)
        if flaw:
            self.fail("text_visualization", flaw)
        level, score = self.difficulty(puzzle)
        return dataclasses.replace(puzzle, solutions=self.solutions(puzzle), level=level, score=score)

    def rows(self, width: int, height: int) -> list[list[str]]:
        """The grid, of the right size."""
        rows = self.value("puzzle_array", (list, tuple), "a list of rows")
        sizes = f"a lattice of {(width - 1) // 2} x {(height - 1) // 2} cells has {height} rows of {width}"
        if len(rows) != height:
            self.fail("puzzle_array", f"found {len(rows)} rows; {sizes}")
        for y, row in enumerate(rows):
            if not isinstance(row, (list, tuple)) or len(row) != width:
                self.fail(f"puzzle_array[{y}]", f"found {found(row)}; {sizes}")
            for x, text in enumerate(row):
                if not isinstance(text, str):
                    self.fail(f"puzzle_array[{y}][{x}]", f"found {found(text)}; allowed: text")
        return rows

    def shapes(self) -> dict[str, Shape]:
        """The shapes, in the order of the record."""
        text = self.value("polyshapes", str, "text that holds a JSON object", default="{}")
        try:
            content = json.loads(text)
        except ValueError as problem:
            self.fail("polyshapes", f"the text is no JSON ({problem})")
        if not isinstance(content, dict):
            self.fail("polyshapes", f"found {found(content)} in the text; allowed: an object of shapes by their ids")
        for key, shape in content.items():
            if not SHAPE_ID.fullmatch(key):
                self.fail("polyshapes", f"found the id {key!r}; ids are decimal numbers")
            rows = shape if isinstance(shape, list) else []
            if [len(row) if isinstance(row, list) else 0 for row in rows] != [SHAPE_SIDE] * SHAPE_SIDE:
                self.fail(f"polyshapes.{key}", f"found {found(shape)}; allowed: four rows of four cells")
            cells = [cell for row in rows for cell in row]
            if not all(type(cell) is int and cell in (0, 1) for cell in cells) or not any(cells):
                self.fail(f"polyshapes.{key}", f"found {found(shape)}; cells are 0 or 1, and one at least is 1")
        return {key: tuple(map(tuple, shape)) for key, shape in content.items()}

    def mark(self, text: str, x: int, y: int, width: int, height: int) -> str:
        """What stands on a vertex or an edge."""
        field = f"puzzle_array[{y}][{x}]"
        allowed = "+, S, E, . and, on edges, G" if is_edge(x, y) else "+, S, E and ."
        if text not in (START, END, DOT, GAP) or (text == GAP and not is_edge(x, y)):
            self.fail(field, f"found {text!r} on {'an edge' if is_edge(x, y) else 'a vertex'}; allowed there: {allowed}")
        if text in (START, END) and not on_border(x, y, width, height):
            self.fail(field, f"found {text!r} inside the board; start and end are on its outer boundary")
        return text

    def symbol(self, text: str, x: int, y: int, shapes: Mapping[str, Shape]) -> Symbol:
        """What stands in a rule cell."""
        field = f"puzzle_array[{y}][{x}]"
        mark, *rest = text.split("-")
        kind = next((kind for kind in KINDS if len(mark) == 1 and mark in MARKS[kind]), None)
        if kind is None or len(rest) != 1 + (kind in SHAPED):
            self.fail(field, f"found {text!r} in a rule cell; allowed there: {SYMBOL_FORMS}")
        if rest[0] not in COLOR_NAMES:
            self.fail(field, f"found the colour {rest[0]!r} in {text!r}; allowed: {', '.join(COLOR_NAMES)}")
        shape = rest[1] if kind in SHAPED else ""
        if kind in SHAPED and shape not in shapes:
            known = f"it has {', '.join(shapes)}" if shapes else "it has none"
            self.fail(field, f"found {text!r}, but `polyshapes` has no shape {shape!r}; {known}")
        count = MARKS[kind].index(mark) + 1 if kind == "triangle" else 0
        return Symbol(x, y, kind, COLOR_NAMES[rest[0]], count, shape)

    def difficulty(self, puzzle: Puzzle) -> tuple[int, float]:
        """Level and score, as they are told or by the formula."""
        formula = difficulty.score(puzzle.cells, len(puzzle.symbols), len({symbol.kind for symbol in puzzle.symbols}))
        score = float(self.value("difficulty_score", (int, float), "a number from 0 to 5", default=formula))
        if not (math.isfinite(score) and 0 <= score <= 5):
            self.fail("difficulty_score", f"found {score}; allowed: 0 to 5")
        level = self.value("difficulty_level", int, "1 to 5", default=difficulty.level(score))
        if level != difficulty.level(score):
            self.fail("difficulty_level", f"found {level}; a score of {score:g} is level {difficulty.level(score)}")
        return level, score

    def solutions(self, puzzle: Puzzle) -> tuple[Path, ...]:
        """The stored solutions: lines from start to end over all dots, each one once."""
        entries = self.value("solutions", (list, tuple), "a list", default=())
        count = self.value("solution_count", int, "how many solutions follow", default=len(entries))
        if count != len(entries):
            self.fail("solution_count", f"found {count}; `solutions` has {len(entries)}")
        paths: dict[Path, int] = {}
        for index, entry in enumerate(entries):
            path = self.solution(puzzle, index, entry)
            if path in paths:
                self.fail(f"solutions[{index}].path", f"it is that of solution {paths[path]} again")
            paths[path] = index
        return tuple(paths)

    def solution(self, puzzle: Puzzle, index: int, entry: Any) -> Path:
        """The path of one."""
        field = f"solutions[{index}]"
        if not isinstance(entry, Mapping):
            self.fail(field, f"found {found(entry)}; allowed: an object with index, path and pathLength")
        points = self.value(f"{field}.path", (list, tuple), "a list of objects with x and y", entry)
        path = []
        for place, point in enumerate(points):
            if not isinstance(point, Mapping):
                self.fail(f"{field}.path[{place}]", f"found {found(point)}; allowed: an object with x and y")
            path.append(tuple(self.value(f"{field}.path[{place}].{key}", int, "an integer", point) for key in "xy"))
        for key, expected in (("index", index), ("pathLength", len(path))):
            told = self.value(f"{field}.{key}", int, str(expected), entry, default=expected)
            if told != expected:
                self.fail(f"{field}.{key}", f"found {told}; expected {expected}")
        flaw = line_flaw(puzzle, tuple(path))
        if flaw:
            self.fail(f"{field}.path[{flaw[0]}]", flaw[1])
        missed = [dot for dot in puzzle.dots if dot not in path]
        if missed:
            self.fail(f"{field}.path", f"the dot {missed[0]} is not on it")
        return tuple(path)
