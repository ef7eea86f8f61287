"""How records of path puzzles are written, with the fields that follow from others."""

import json
import math
import statistics
from collections.abc import Mapping
from typing import Any

from .spatial import Position, Puzzle, is_cell, read, solutions

COLORS = {"R": "red", "B": "blue", "G": "green", "Y": "yellow", "W": "white", "O": "orange", "P": "purple", "K": "black"}
FIRST = {"square": "o", "star": "*", "poly": "P", "ylop": "Y"}


def level_and_score(cells: int, occupied: int, kinds: int) -> tuple[int, float]:
    """Difficulty of a board of `cells` rule cells, of which some are occupied by so many kinds of symbols."""
    density = occupied / cells
    z = 120 / 527 * (kinds + 4 * density + kinds * density + occupied / 4 + 25 * cells / 48 - 182 / 15)
    score = 5 * statistics.NormalDist().cdf(z)
    return math.floor(score) + 1, score


def text_visualization(record: Mapping[str, Any]) -> str:
    """The text field of a record, from its array."""
    puzzle = read(record)
    text = ["puzzle:", "  dimensions:", f"    width: {puzzle.columns}", f"    height: {puzzle.rows}"]
    for name, (x, y) in (("start", puzzle.start), ("end", puzzle.end)):
        text += [f"  {name}:", f"    x: {x}", f"    y: {y}"]
    places = sorted({*puzzle.dots, *puzzle.gaps, *puzzle.symbols})
    text.append("  cells:" if places else "  cells: []")
    for x, y in places:
        text += ["    - position:", f"        x: {x}", f"        y: {y}", "      properties:"]
        text += [f"        {entry}" for entry in _properties(puzzle, (x, y))]
    return "\n".join(text) + "\n"


def _properties(puzzle: Puzzle, place: Position) -> list[str]:
    if place in puzzle.dots:
        return ["dot: 1"]
    if place in puzzle.gaps:
        return ["gap: 1"]
    symbol = puzzle.symbols[place]
    entries = [f'type: "{symbol.kind}"']
    if symbol.kind == "triangle":
        entries.append(f"count: {symbol.count}")
    if symbol.shape:
        entries.append(f"polyshape: {symbol.shape}")
    return [*entries, f'color: "{COLORS[symbol.color]}"']


def record_of(puzzle: Puzzle, boxes: Mapping[str, list[list[int]]], name: str) -> dict[str, Any]:
    """The record of a puzzle whose shapes lie in these boxes, box[row][column], without the fields of its solutions."""

    def mark(place: Position) -> str:
        if place in puzzle.symbols:
            symbol = puzzle.symbols[place]
            first = FIRST.get(symbol.kind) or " ABCD"[symbol.count]
            return "-".join(part for part in (first, symbol.color, symbol.shape) if part)
        special = {puzzle.start: "S", puzzle.end: "E"} | dict.fromkeys(puzzle.dots, ".") | dict.fromkeys(puzzle.gaps, "G")
        return special.get(place) or ("N" if is_cell(place) else "+")

    kinds = {symbol.kind for symbol in puzzle.symbols.values()}
    level, score = level_and_score(puzzle.columns * puzzle.rows, len(puzzle.symbols), len(kinds))
    used = {symbol.shape for symbol in puzzle.symbols.values()}
    record = {
        "difficulty_level": level,
        "difficulty_score": score,
        "grid_size": {"height": puzzle.rows, "width": puzzle.columns},
        "id": name,
        "polyshapes": json.dumps({name: box for name, box in boxes.items() if name in used}, separators=(",", ":")),
        "puzzle_array": [[mark((x, y)) for x in range(puzzle.width)] for y in range(puzzle.height)],
    }
    return record | {"text_visualization": text_visualization(record)}


def listed(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a small board with the fields of its solutions."""
    found = [
        {"index": index, "path": [{"x": x, "y": y} for x, y in path], "pathLength": len(path)}
        for index, path in enumerate(solutions(record))
    ]
    return {**record, "solution_count": len(found), "solutions": found}
