"""Boards as SVG, for the page: crisp at any size, in the look of `envs.spatial.art`."""

import math
from collections.abc import Iterator

from kagejax.envs.spatial.puzzles import Position, Puzzle, Shape, Symbol

LANE, CELL, MARGIN = 18, 52, 20
"""Widths in units of the drawing. The page's script knows them from the drawing itself."""

INK = {
    "red": "#d0282d",
    "blue": "#2454d6",
    "yellow": "#ffdd40",
    "green": "#1c843e",
    "black": "#16161a",
    "purple": "#8c34b0",
    "orange": "#f3861c",
    "white": "#fcfcfc",
}
GROUND, PLATE, TRACK, DARK, FAINT = "#242730", "#9ea3ac", "#464b58", "#121318", "#9aa0ac"


def board(puzzle: Puzzle) -> str:
    """The board without a line, with coordinates along its sides: one `svg` element.

    Lines are drawn into its empty group of class "line". What must stay visible beside a line comes after that.
    """
    width, height = (part + LANE / 2 + MARGIN / 2 for part in _place((puzzle.lattice_w - 1, puzzle.lattice_h - 1)))
    parts = [_rect(0, 0, width, height, GROUND, 8), *_tracks(puzzle), *_coordinates(puzzle)]
    for symbol in puzzle.symbols:
        parts += _symbol(puzzle, symbol)
    parts += ['<g class="line"></g>', *(_hexagon(dot) for dot in puzzle.dots), *_ends(puzzle)]
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" data-lane="{LANE}" data-cell="{CELL}" data-margin="{MARGIN}" '
        f'xmlns="http://www.w3.org/2000/svg" role="img">{"".join(parts)}</svg>'
    )


def _place(position: Position) -> tuple[float, float]:
    """The middle of a lattice position."""
    return tuple(MARGIN + LANE / 2 + (LANE + CELL) / 2 * part for part in position)


def _tracks(puzzle: Puzzle) -> Iterator[str]:
    """Lanes with their gaps, and cells."""
    left, top = (part - LANE / 2 for part in _place((0, 0)))
    right, bottom = (part + LANE / 2 for part in _place((puzzle.lattice_w - 1, puzzle.lattice_h - 1)))
    yield _rect(left, top, right - left, bottom - top, TRACK, LANE / 3)
    for y in range(1, puzzle.lattice_h, 2):
        for x in range(1, puzzle.lattice_w, 2):
            middle_x, middle_y = _place((x, y))
            yield _rect(middle_x - CELL / 2, middle_y - CELL / 2, CELL, CELL, PLATE, 2)
    for x, y in puzzle.gaps:
        middle_x, middle_y = _place((x, y))
        wide, tall = (CELL / 3, LANE) if x % 2 else (LANE, CELL / 3)
        yield _rect(middle_x - wide / 2, middle_y - tall / 2, wide, tall, GROUND)


def _coordinates(puzzle: Puzzle) -> Iterator[str]:
    for x in range(puzzle.lattice_w):
        yield _text(_place((x, 0))[0], 0.6 * MARGIN, str(x), FAINT)
    for y in range(puzzle.lattice_h):
        yield _text(0.55 * MARGIN, _place((0, y))[1] + 3, str(y), FAINT)


def _ends(puzzle: Puzzle) -> Iterator[str]:
    """Start and end, with their letters."""
    for (x, y), letter, fill, ink in ((puzzle.start, "S", "#fff", DARK), (puzzle.end, "E", DARK, "#fff")):
        x, y = _place((x, y))
        yield f'<circle cx="{x:g}" cy="{y:g}" r="{0.5 * LANE:g}" fill="{fill}" stroke="{ink}" stroke-width="1.5"/>'
        yield _text(x, y + 4, letter, ink, 11)


def _symbol(puzzle: Puzzle, symbol: Symbol) -> Iterator[str]:
    x, y = _place((symbol.x, symbol.y))
    ink = INK[symbol.color]
    if symbol.kind == "square":
        yield _rect(x - 0.26 * CELL, y - 0.26 * CELL, 0.52 * CELL, 0.52 * CELL, ink, 4)
    elif symbol.kind == "star":
        radii = (0.4 * CELL, 0.2 * CELL)
        spikes = [(radii[k % 2], (k - 4) * math.pi / 8) for k in range(16)]
        yield _polygon([(x + r * math.cos(a), y + r * math.sin(a)) for r, a in spikes], ink)
    elif symbol.kind == "triangle":
        yield from _triangles(x, y, symbol.count, ink)
    else:
        yield from _blocks(x, y, puzzle.shapes[symbol.shape], ink, hollow=symbol.kind == "ylop")


def _triangles(x: float, y: float, count: int, ink: str) -> Iterator[str]:
    """As many as the count: one or two in a row, three as a pyramid, four in two rows."""
    size, rows = 0.3 * CELL, {1: (1,), 2: (2,), 3: (1, 2), 4: (2, 2)}[count]
    for row, number in enumerate(rows):
        middle_y = y + (row - (len(rows) - 1) / 2) * 1.2 * size
        for place in range(number):
            middle_x = x + (place - (number - 1) / 2) * 1.2 * size
            corners = [(-0.5, 0.5), (0.5, 0.5), (0, -0.5)]
            yield _polygon([(middle_x + across * size, middle_y + down * size) for across, down in corners], ink)


def _blocks(x: float, y: float, shape: Shape, ink: str, hollow: bool) -> Iterator[str]:
    """The used part of a shape, in the middle of its cell."""
    cells = [(row, column) for row, line in enumerate(shape) for column, full in enumerate(line) if full]
    rows, columns = [row for row, _ in cells], [column for _, column in cells]
    down, across = max(rows) - min(rows) + 1, max(columns) - min(columns) + 1
    unit = CELL * min(0.86 / max(down, across), 0.24)
    for row, column in cells:
        left, top = x + (column - min(columns) - across / 2) * unit, y + (row - min(rows) - down / 2) * unit
        rim = (0.2 if hollow else 0.08) * unit
        style = f'fill="none" stroke="{ink}" stroke-width="{0.22 * unit:.3g}"' if hollow else f'fill="{ink}"'
        side = unit - 2 * rim
        yield f'<rect x="{left + rim:.4g}" y="{top + rim:.4g}" width="{side:.4g}" height="{side:.4g}" {style}/>'


def _hexagon(dot: Position) -> str:
    x, y = _place(dot)
    angles = [k * math.pi / 3 for k in range(6)]
    return _polygon([(x + 0.36 * LANE * math.cos(a), y + 0.36 * LANE * math.sin(a)) for a in angles], DARK)


def _text(x: float, y: float, text: str, fill: str, size: float = 9) -> str:
    style = f'font-family="system-ui, sans-serif" font-size="{size:g}" font-weight="600" text-anchor="middle"'
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}" {style}>{text}</text>'


def _rect(x: float, y: float, width: float, height: float, fill: str, radius: float = 0) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{fill}"/>'


def _polygon(points: list[tuple[float, float]], fill: str) -> str:
    return f'<polygon points="{" ".join(f"{x:.4g},{y:.4g}" for x, y in points)}" fill="{fill}"/>'
