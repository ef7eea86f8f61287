"""What a set of path puzzles is like, counted as the public test split was, to be laid beside it."""

import itertools
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .difficulty import LEVELS
from .generate_symbols import regions
from .record_types import Position, Puzzle, is_edge, on_border

KINDS = ("square", "gap", "poly", "dot", "triangle", "star", "ylop")


class Row(NamedTuple):
    """One figure. Shares are in per cent."""

    name: str
    public: float
    found: float | None  # None: there is nothing to count


PUBLIC = {
    "level 1, share": 17.2, "level 2, share": 23.6, "level 3, share": 24.2, "level 4, share": 17.2, "level 5, share": 17.8,
    "level 1, rule cells": 6.27, "level 2, rule cells": 9.05, "level 3, rule cells": 10.02, "level 4, rule cells": 13.91,
    "level 5, rule cells": 19.25,
    "level 1, symbols": 1.48, "level 2, symbols": 3.24, "level 3, symbols": 4.55, "level 4, symbols": 5.84,
    "level 5, symbols": 7.98,
    "level 1, kinds": 1.05, "level 2, kinds": 1.77, "level 3, kinds": 2.26, "level 4, kinds": 2.86, "level 5, kinds": 3.47,
    "level 1, dots": 1.86, "level 2, dots": 1.32, "level 3, dots": 1.02, "level 4, dots": 1.23, "level 5, dots": 1.17,
    "level 1, gaps": 1.34, "level 2, gaps": 1.50, "level 3, gaps": 1.06, "level 4, gaps": 1.35, "level 5, gaps": 1.53,
    "level 1, shortest solution": 16.0, "level 2, shortest solution": 20.2, "level 3, shortest solution": 22.9,
    "level 4, shortest solution": 29.6, "level 5, shortest solution": 40.0,
    "solutions, median": 2, "solutions, mean": 6.4, "solutions, most": 48, "one solution, share": 30.6,
    "two solutions, share": 21.6,
    "kind combinations": 77, "with squares, share": 71.0, "with gaps, share": 62.6, "with polys, share": 61.0,
    "with dots, share": 58.4, "with triangles, share": 46.6, "with stars, share": 42.0, "with ylops, share": 5.0,
    "no symbol, share": 1.8, "occupied rule cells, share of cells": 43.0, "occupied rule cells, most": 13,
    "dots, most": 7, "gaps, most": 7, "polys, most": 8, "ylops, most": 3, "distinct shapes, most": 6,
    "colours, most": 7, "one colour, share": 40.8, "two colours, share": 33.0,
    "squares each": 1.684, "polys each": 1.260, "stars each": 0.790, "triangles each": 0.750, "ylops each": 0.058,
    "triangles of count 1, share": 58.9, "triangles of count 2, share": 30.1, "triangles of count 3, share": 0.0,
    "triangles of count 4, share": 10.9,
    "polys of 1 cell, share": 10.2, "polys of 2 cells, share": 17.6, "polys of 3 cells, share": 26.8,
    "polys of 4 cells, share": 32.1, "polys of 5 cells, share": 13.3,
    "ylops of 2 cells, share": 69.0, "ylops of 3 cells, share": 13.8, "ylops of 4 cells, share": 17.2,
    "dots on edges, share": 51.5, "dots on the border, share": 56.8, "gaps on the border, share": 52.4,
    "starts at corners, share": 29.2, "starts on edges, share": 43.2, "ends at corners, share": 26.4,
    "ends on edges, share": 47.0,
    "1 region, share": 2.8, "2 regions, share": 32.0, "3 regions, share": 38.0, "4 regions, share": 21.4,
    "5 or more regions, share": 5.8,
    "stars with a star, share": 40.0, "stars with a square, share": 28.0, "stars with a poly, share": 14.0,
    "stars with a triangle, share": 18.0,
}  # fmt: skip
"""Figures of the 500 public test puzzles. Regions are those of the first solution, star partners those of all solutions, the
rest is counted over puzzles or symbols; shortest solutions are in positions."""


def compare(puzzles: Sequence[Puzzle]) -> tuple[Row, ...]:
    """Every figure of PUBLIC, and the same of these puzzles."""
    found = measure(puzzles)
    return tuple(Row(name, public, found.get(name)) for name, public in PUBLIC.items())


def measure(puzzles: Sequence[Puzzle]) -> dict[str, float]:
    """The figures of PUBLIC for these puzzles, those left out for which there is nothing to count."""
    return dict(
        itertools.chain(
            _levels(puzzles), _solutions(puzzles), _kinds(puzzles), _symbols(puzzles), _places(puzzles), _lines(puzzles)
        )
    )


def _levels(puzzles: Sequence[Puzzle]) -> Iterable[tuple[str, float]]:
    for level in LEVELS:
        chosen = [puzzle for puzzle in puzzles if puzzle.level == level]
        yield from _shares({f"level {level}, share": len(chosen)}, len(puzzles))
        yield from _mean(f"level {level}, rule cells", [puzzle.cells for puzzle in chosen])
        yield from _mean(f"level {level}, symbols", [len(puzzle.symbols) for puzzle in chosen])
        yield from _mean(f"level {level}, kinds", [len(puzzle.kinds - {"dot", "gap"}) for puzzle in chosen])
        yield from _mean(f"level {level}, dots", [len(puzzle.dots) for puzzle in chosen])
        yield from _mean(f"level {level}, gaps", [len(puzzle.gaps) for puzzle in chosen])
        shortest = [min(map(len, puzzle.solutions)) for puzzle in chosen if puzzle.solutions]
        yield from _mean(f"level {level}, shortest solution", shortest)


def _solutions(puzzles: Sequence[Puzzle]) -> Iterable[tuple[str, float]]:
    counts = [len(puzzle.solutions) for puzzle in puzzles]
    if counts:
        yield "solutions, median", statistics.median(counts)
        yield "solutions, most", max(counts)
    yield from _mean("solutions, mean", counts)
    yield from _shares({"one solution, share": counts.count(1), "two solutions, share": counts.count(2)}, len(counts))


def _kinds(puzzles: Sequence[Puzzle]) -> Iterable[tuple[str, float]]:
    yield "kind combinations", len({puzzle.kinds for puzzle in puzzles})
    holding = {f"with {kind}s, share": sum(kind in puzzle.kinds for puzzle in puzzles) for kind in KINDS}
    colors = [len({symbol.color for symbol in puzzle.symbols}) for puzzle in puzzles]
    yield from _shares(holding, len(puzzles))
    yield from _shares({"no symbol, share": sum(not puzzle.symbols for puzzle in puzzles)}, len(puzzles))
    yield from _shares({"one colour, share": colors.count(1), "two colours, share": colors.count(2)}, len(puzzles))
    yield from _mean("occupied rule cells, share of cells", [100 * len(puzzle.symbols) / puzzle.cells for puzzle in puzzles])
    for name, counts in (
        ("occupied rule cells", [len(puzzle.symbols) for puzzle in puzzles]),
        ("dots", [len(puzzle.dots) for puzzle in puzzles]),
        ("gaps", [len(puzzle.gaps) for puzzle in puzzles]),
        ("polys", [_count(puzzle, "poly") for puzzle in puzzles]),
        ("ylops", [_count(puzzle, "ylop") for puzzle in puzzles]),
        ("distinct shapes", [len(puzzle.shapes) for puzzle in puzzles]),
        ("colours", colors),
    ):
        yield f"{name}, most", max(counts, default=0)


def _symbols(puzzles: Sequence[Puzzle]) -> Iterable[tuple[str, float]]:
    for kind in ("square", "poly", "star", "triangle", "ylop"):
        yield from _mean(f"{kind}s each", [_count(puzzle, kind) for puzzle in puzzles])
    counts = Counter(symbol.count for puzzle in puzzles for symbol in puzzle.symbols if symbol.kind == "triangle")
    yield from _shares({f"triangles of count {count}, share": counts[count] for count in range(1, 5)}, counts.total())
    for kind, least in (("poly", 1), ("ylop", 2)):
        sizes = Counter(
            sum(map(sum, puzzle.shapes[symbol.shape])) for puzzle in puzzles for symbol in puzzle.symbols if symbol.kind == kind
        )
        names = {
            size: f"{kind}s of {size} cell{'s' if size > 1 else ''}, share" for size in range(least, 6 if least == 1 else 5)
        }
        yield from _shares({name: sizes[size] for size, name in names.items()}, sizes.total())


def _places(puzzles: Sequence[Puzzle]) -> Iterable[tuple[str, float]]:
    dots = [(puzzle, *place) for puzzle in puzzles for place in puzzle.dots]
    gaps = [(puzzle, *place) for puzzle in puzzles for place in puzzle.gaps]
    bordering = {"dots on the border, share": dots, "gaps on the border, share": gaps}
    yield from _shares({"dots on edges, share": sum(is_edge(x, y) for _, x, y in dots)}, len(dots))
    for name, places in bordering.items():
        outside = sum(on_border(x, y, puzzle.lattice_w, puzzle.lattice_h) for puzzle, x, y in places)
        yield from _shares({name: outside}, len(places))
    for name in ("start", "end"):
        places = [(puzzle, getattr(puzzle, name)) for puzzle in puzzles]
        corners = sum(_is_corner(puzzle, place) for puzzle, place in places)
        edges = sum(is_edge(*place) for _, place in places)
        yield from _shares({f"{name}s at corners, share": corners, f"{name}s on edges, share": edges}, len(places))


def _lines(puzzles: Sequence[Puzzle]) -> Iterable[tuple[str, float]]:
    solved = [puzzle for puzzle in puzzles if puzzle.solutions]
    counts = Counter(len(regions(puzzle.cells_w, puzzle.cells_h, puzzle.solutions[0])) for puzzle in solved)
    more = {f"{number} region{'s' if number > 1 else ''}, share": counts[number] for number in range(1, 5)}
    more["5 or more regions, share"] = sum(count for number, count in counts.items() if number >= 5)
    yield from _shares(more, counts.total())
    partners: Counter[str] = Counter()
    for puzzle in solved:
        if any(symbol.kind == "star" for symbol in puzzle.symbols):
            for path in puzzle.solutions:
                partners.update(_partners(puzzle, path))
    shares = {f"stars with a {kind}, share": partners[kind] for kind in ("star", "square", "poly", "triangle")}
    yield from _shares(shares, partners.total())


def _partners(puzzle: Puzzle, path: Iterable[Position]) -> Iterable[str]:
    """Kinds of the partners of all stars, those of two stars told once for each."""
    there = {((symbol.x - 1) // 2, (symbol.y - 1) // 2): symbol for symbol in puzzle.symbols}
    for region in regions(puzzle.cells_w, puzzle.cells_h, tuple(path)):
        inside = [there[cell] for cell in region if cell in there]
        for star in inside:
            if star.kind == "star":
                yield from (other.kind for other in inside if other is not star and other.color == star.color)


def _count(puzzle: Puzzle, kind: str) -> int:
    return sum(symbol.kind == kind for symbol in puzzle.symbols)


def _is_corner(puzzle: Puzzle, place: Position) -> bool:
    return place[0] in (0, puzzle.lattice_w - 1) and place[1] in (0, puzzle.lattice_h - 1)


def _mean(name: str, values: Sequence[float]) -> Iterable[tuple[str, float]]:
    if values:
        yield name, statistics.fmean(values)


def _shares(counts: dict[str, int], total: int) -> Iterable[tuple[str, float]]:
    """In per cent."""
    if total:
        yield from ((name, 100 * count / total) for name, count in counts.items())
