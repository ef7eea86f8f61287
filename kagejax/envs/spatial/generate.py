"""New path puzzles, like the public ones: by rules, size, level and number of solutions. Host side.

A random line is drawn, symbols are chosen that agree with it, and the solver counts all solutions: every puzzle is kept with
the complete list. Puzzle i depends on the seed, on what is asked for and on the puzzles before it, which it must not repeat,
but not on how many there are. Needs numba (`solver.py`).
"""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from . import difficulty, solver
from . import generate_laws as laws
from .generate_lines import dots_on, gaps_beside, pick, winding
from .generate_plans import amounts, plan, possible_levels
from .generate_symbols import plant
from .names import KINDS
from .record_fields import to_record
from .record_types import Puzzle

RULE_KINDS = ("dot", "gap", *KINDS)
"""What rule sets are made of."""
MOST_SIDE = 10
TRIES, TRIES_PER_SIZE = 20_000, 500
NODES, ALL_NODES = 300_000, 500_000_000
"""What the solver may spend on one board, which is not kept if it takes more, and on all that are tried for one puzzle."""


class GenerateError(ValueError):
    """What is asked for cannot be had, or was not found."""


class Wish(NamedTuple):
    """What is asked for, checked."""

    rules: frozenset[str] | None  # exactly these; None: a mixture like the public one
    sizes: tuple[tuple[int, int], ...]
    weights: Mapping[int | None, tuple[float, ...]]  # of each size, by level; the level None stands for any
    shares: Mapping[int | None, float]  # of the levels
    solutions: tuple[int, int]  # least and most


def draw(
    count: int,
    seed: int,
    rules: Collection[str] | None = None,
    sizes: Iterable[tuple[int, int]] | None = None,
    levels: Iterable[int] | None = None,
    solutions: tuple[int, int] = laws.SOLUTION_COUNTS,
    say: Callable[[int], None] = lambda done: None,
) -> tuple[Puzzle, ...]:
    """`count` puzzles with all their solutions.

    rules: kinds of RULE_KINDS that every puzzle has, and no others; None: mixed as in the public puzzles. sizes: boards, cells
    across and down, up to 10x10; None: as there. levels: 1 to 5, each with its public share; None: the public shares, by what
    the sizes permit, or with rules whatever level comes. solutions: least and most that a puzzle has. `say(puzzles found)` is
    called after each.

    Raises GenerateError for what cannot be (before anything is drawn), and for what many tries did not find.
    """
    found = []
    for puzzle in each(count, seed, rules, sizes, levels, solutions):
        found.append(puzzle)
        say(len(found))
    return tuple(found)


def each(
    count: int,
    seed: int,
    rules: Collection[str] | None = None,
    sizes: Iterable[tuple[int, int]] | None = None,
    levels: Iterable[int] | None = None,
    solutions: tuple[int, int] = laws.SOLUTION_COUNTS,
) -> Iterator[Puzzle]:
    """The puzzles of `draw`, one after the other as they are found. Raises what it raises, at the first one."""
    if count < 0 or seed < 0:
        raise GenerateError(f"Found count {count} and seed {seed}; allowed: 0 or more.")
    wish = wish_for(rules, sizes, levels, solutions)
    ids: set[str] = set()
    for index, level in enumerate(turns(wish.shares, count)):
        puzzle = _find(np.random.default_rng([seed, index]), wish, level, ids)
        ids.add(puzzle.id)
        yield puzzle


def wish_for(
    rules: Collection[str] | None,
    sizes: Iterable[tuple[int, int]] | None,
    levels: Iterable[int] | None,
    solutions: tuple[int, int],
) -> Wish:
    """What is asked for, if it can be. Raises GenerateError."""
    rules = None if rules is None else frozenset(rules)
    for rule in sorted(rules or ()):
        if rule not in RULE_KINDS:
            raise GenerateError(f"Found the rule {rule!r}; allowed: {', '.join(RULE_KINDS)}.")
    if rules is not None and "ylop" in rules and "poly" not in rules:
        raise GenerateError("A ylop takes cells away from polys: the rule ylop needs the rule poly.")
    least, most = solutions
    if not 1 <= least <= most:
        raise GenerateError(f"Found {least} to {most} solutions; allowed: 1 or more, the least first.")
    boards = tuple(laws.SIZES) if sizes is None else tuple(dict.fromkeys(sizes))
    if not boards or not all(1 <= side <= MOST_SIDE for board in boards for side in board):
        listed = ", ".join(f"{width}x{height}" for width, height in boards) or "none"
        raise GenerateError(f"Found the sizes {listed}; allowed: 1x1 to {MOST_SIDE}x{MOST_SIDE}.")
    if levels is None and rules is not None:
        symbols = len(rules & set(KINDS)) * (2 if rules & set(KINDS) == {"star"} else 1)
        weights = {None: tuple(laws.SIZES.get(board, 1) * (board[0] * board[1] >= symbols) for board in boards)}
        if not any(weights[None]):
            raise GenerateError(f"The rules {', '.join(sorted(rules))} need {symbols} cells; none of the boards has as many.")
        return Wish(rules, boards, weights, {None: 1}, (least, most))
    asked = tuple(difficulty.LEVELS if levels is None else dict.fromkeys(levels))
    if not asked or not set(asked) <= set(difficulty.LEVELS):
        raise GenerateError(f"Found the levels {', '.join(map(str, asked)) or 'none'}; allowed: 1 to 5.")
    weights = {level: tuple(_weight(rules, board, level, levels is None) for board in boards) for level in asked}
    for level in asked if levels is not None else ():
        if not any(weights[level]):
            raise GenerateError(_impossible(rules, boards, level))
    by_size = levels is None and sizes is not None
    shares = {level: sum(weights[level]) if by_size else laws.LEVEL_SHARES[level - 1] for level in asked}
    return Wish(rules, boards, weights, {level: share for level, share in shares.items() if share}, (least, most))


def turns(shares: Mapping[int | None, float], count: int) -> list[int | None]:
    """The level of each of `count` puzzles: every beginning of the list has the shares, as nearly as can be."""
    given, order = dict.fromkeys(shares, 0), []
    for index in range(count):
        due = {level: share * (index + 1) / sum(shares.values()) - given[level] for level, share in shares.items()}
        level = max(due, key=due.get)
        given[level] += 1
        order.append(level)
    return order


def name_of(puzzle: Puzzle) -> str:
    """An id that depends on the board and its symbols alone: a hash in hexadecimal, leading zeros dropped."""
    record = to_record(puzzle)
    content = json.dumps([record[field] for field in ("grid_size", "polyshapes", "puzzle_array")], separators=(",", ":"))
    return f"{int.from_bytes(hashlib.sha256(content.encode()).digest()[:8], 'big'):x}"


def _weight(rules: frozenset[str] | None, board: tuple[int, int], level: int, usual: bool) -> float:
    """Of a board for puzzles of a level: as in the public puzzles, for other boards as for those of nearly the same area.

    0 where the level is impossible; only if `usual` also where there is no public one.
    """
    cells = board[0] * board[1]
    area = min(laws.AREA_LEVELS, key=lambda area: abs(area - cells))
    boards = sum(number for (width, height), number in laws.SIZES.items() if width * height == area)
    weight = laws.SIZES.get(board, 1) * laws.AREA_LEVELS[area][level - 1] / boards
    if not usual:
        weight += 0.01 * laws.SIZES.get(board, 1)
    return weight if amounts(cells, rules, level) else 0.0


def _impossible(rules: frozenset[str] | None, boards: Sequence[tuple[int, int]], level: int) -> str:
    """Why there is no puzzle of a level."""
    levels = [" ".join(map(str, possible_levels(width * height, rules))) or "none" for width, height in boards[:8]]
    listed = ", ".join(f"{width}x{height}: {known}" for (width, height), known in zip(boards, levels, strict=False))
    more = ", ..." if len(boards) > 8 else ""
    ruled = "" if rules is None else f" with the rules {', '.join(sorted(rules)) or 'none'}"
    return f"There is no puzzle of level {level}{ruled} on these boards. Levels that they can have: {listed}{more}."


def _find(random: np.random.Generator, wish: Wish, level: int | None, others: Collection[str]) -> Puzzle:
    """A puzzle of a level that is not among the others."""
    tries = spent = 0
    while tries < TRIES and spent < ALL_NODES:
        if level is None or tries % TRIES_PER_SIZE == 0:
            size = wish.sizes[pick(random, wish.weights[level])]
        puzzle = _board(random, wish, level, *size)
        tries += 1
        if puzzle is not None:
            found = solver.solutions(puzzle, wish.solutions[1] + 1, NODES)
            spent += found.nodes
            if _welcome(random, wish, found):
                puzzle = dataclasses.replace(puzzle, id=name_of(puzzle), solutions=found.paths)
                if puzzle.id not in others:
                    return puzzle
    rules = "any rules" if wish.rules is None else f"the rules {', '.join(sorted(wish.rules)) or 'none'}"
    asked = "any level" if level is None else f"level {level}"
    raise GenerateError(
        f"None of {tries:,} boards gave one more puzzle of {asked} with {rules} and {wish.solutions[0]} to "
        f"{wish.solutions[1]} solutions; {len(others)} puzzles were found before. Ask for fewer puzzles, or for other levels, "
        "sizes, rules or solutions."
    )


def _board(random: np.random.Generator, wish: Wish, level: int | None, width: int, height: int) -> Puzzle | None:
    """One puzzle of a level, not yet solved; None where it did not come out right."""
    planned = plan(random, width * height, level, wish.rules)
    lattice = 2 * width + 1, 2 * height + 1
    path = None if planned is None else winding(random, lattice, "triangle" in planned.counts)
    planted = None if path is None else plant(random, width, height, path, planned)
    if planted is None:
        return None
    dots, gaps = dots_on(random, path, planned.dots), gaps_beside(random, lattice, path, planned.gaps)
    kinds = {symbol.kind for symbol in planted.symbols}
    score = difficulty.score(width * height, len(planted.symbols), len(kinds))
    reached = difficulty.level(score)
    if kinds != set(planned.counts) or level not in (None, reached) or (len(dots), len(gaps)) != (planned.dots, planned.gaps):
        return None
    return Puzzle("", width, height, path[0], path[-1], dots, gaps, *planted, level=reached, score=score)


def _welcome(random: np.random.Generator, wish: Wish, found: solver.Found) -> bool:
    """Whether a puzzle with these solutions is kept."""
    count = len(found.paths)
    if not found.complete or not wish.solutions[0] <= count <= wish.solutions[1]:
        return False
    if wish.solutions != laws.SOLUTION_COUNTS:
        return True
    return random.random() < next(chance for most, chance in laws.SOLUTION_CHANCES if count <= most)
