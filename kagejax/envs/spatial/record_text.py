"""The YAML text that a record carries beside its grid: written as upstream writes it, and compared with the grid. SPEC 2.2."""

from typing import Any

from .record_types import SHAPED, Puzzle, Symbol


def text_of(puzzle: Puzzle) -> str:
    """The field `text_visualization` of a puzzle's record."""
    lines = ["puzzle:", "  dimensions:", f"    width: {puzzle.cells_w}", f"    height: {puzzle.cells_h}"]
    for name, (x, y) in (("start", puzzle.start), ("end", puzzle.end)):
        lines += [f"  {name}:", f"    x: {x}", f"    y: {y}"]
    entries = _entries(puzzle)
    lines.append("  cells:" if entries else "  cells: []")
    for (x, y), properties in sorted(entries.items()):
        lines += ["    - position:", f"        x: {x}", f"        y: {y}", "      properties:"]
        lines += [
            f'        {key}: "{value}"' if isinstance(value, str) else f"        {key}: {value}"
            for key, value in properties.items()
        ]
    return "\n".join(lines) + "\n"


def text_flaw(puzzle: Puzzle, text: str) -> str | None:
    """Where the text of a record and its grid disagree; None where they say the same in whatever layout.

    The grid is what counts; the text says everything a second time.
    """
    if text == text_of(puzzle):  # nearly always, and far quicker than reading YAML
        return None
    import yaml

    try:
        content = yaml.safe_load(text)
        told = content["puzzle"]
        sizes = {"width": puzzle.cells_w, "height": puzzle.cells_h}
        for key, expected in (("dimensions", sizes), ("start", _point(puzzle.start)), ("end", _point(puzzle.end))):
            if told[key] != expected:
                return f"its {key} is {told[key]}, but the grid has {expected}"
        cells = {(cell["position"]["x"], cell["position"]["y"]): cell["properties"] for cell in told["cells"] or ()}
    except (yaml.YAMLError, KeyError, TypeError) as problem:
        return f"it cannot be read as a puzzle ({type(problem).__name__}: {' '.join(str(problem).split())})"
    expected = _entries(puzzle)
    for place in sorted(cells.keys() | expected.keys()):
        if cells.get(place) != expected.get(place):
            return f"at {place} it has {cells.get(place, 'nothing')}, but the grid has {expected.get(place, 'nothing')}"
    return None


def _point(position: tuple[int, int]) -> dict[str, int]:
    return {"x": position[0], "y": position[1]}


def _entries(puzzle: Puzzle) -> dict[tuple[int, int], dict[str, Any]]:
    """Properties of everything that stands on the lattice, by position."""
    entries: dict[tuple[int, int], dict[str, Any]] = {place: {"dot": 1} for place in puzzle.dots}
    entries |= {place: {"gap": 1} for place in puzzle.gaps}
    return entries | {(symbol.x, symbol.y): _properties(symbol) for symbol in puzzle.symbols}


def _properties(symbol: Symbol) -> dict[str, Any]:
    if symbol.kind in SHAPED:
        return {"type": symbol.kind, "polyshape": int(symbol.shape), "color": symbol.color}
    if symbol.kind == "triangle":
        return {"type": symbol.kind, "count": symbol.count, "color": symbol.color}
    return {"type": symbol.kind, "color": symbol.color}
