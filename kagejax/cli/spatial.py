"""`kagejax spatial`: generate, solve, check, show, stats; eval is in `_spatial_eval.py`."""

import collections
import dataclasses
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Annotated, Any

import tyro

from kagejax.config.problems import ConfigError, Problem, Where

from ._arguments import new_file, require
from ._spatial_eval import evaluate
from ._spatial_puzzles import chosen_of, facts, pairs, plural, puzzles_of, span, words

Source = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE|FOLDER|SET|hub")]
MOST_PUZZLES = 100_000
INTERRUPTED = 130
"""Exit status after Ctrl-C."""
PLAIN_INTERVAL = 10.0
"""Seconds between lines of progress where there is no terminal."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `kagejax spatial ARGUMENTS` and gives the exit status. Raises ConfigError for a user's mistake."""
    from ._spatial_check import check

    commands = {"generate": generate, "solve": solve, "check": check, "show": show, "stats": stats, "eval": evaluate}
    try:
        return tyro.extras.subcommand_cli_from_dict(commands, prog="kagejax spatial", args=arguments, use_underscores=False)
    except ImportError as problem:
        if "kagejax[solver]" not in str(problem):
            raise
        raise ConfigError(Problem(Where("kagejax spatial"), "", str(problem))) from None


def generate(
    out: str,
    *,
    count: int = 100,
    seed: int = 0,
    rules: str = "",
    sizes: str = "",
    levels: str = "",
    solutions: str = "1:50",
    force: bool = False,
) -> int:
    """Draw new puzzles, each with all its solutions, and write them as the records of the public data set.

    Puzzle i depends on the seed, on the options and on those before it, not on the count. What was found before Ctrl-C is
    kept in FILE.part.

    For example:
      kagejax spatial generate --out puzzles.jsonl --count 500 --seed 7
      kagejax spatial generate --out squares.jsonl --rules square,star --sizes 3x3,4x4
      kagejax spatial generate --out hard.jsonl --levels 5 --solutions 1

    Args:
        out: Where to, JSON lines (.jsonl).
        count: How many puzzles.
        seed: Of the draw.
        rules: Exactly these rules in every puzzle, with commas: dot, gap, square, star, triangle, poly, ylop; nothing: a
            mixture like that of the public puzzles.
        sizes: Boards, cells across and down, such as 2x3,4x4; nothing: 2x2 to 6x6 as in the public puzzles.
        levels: Difficulty levels, such as 1,2; nothing: all, as in the public puzzles.
        solutions: How many a puzzle has, such as 1 or 1:50.
        force: Write over a file that is there.
    """
    from kagejax.envs.spatial import generate as laws
    from kagejax.envs.spatial import puzzles

    require(1 <= count <= MOST_PUZZLES, "--count", f"Found {count}; allowed: 1 to {MOST_PUZZLES:,}.")
    require(seed >= 0, "--seed", f"Found {seed}; allowed: 0 or more.")
    path = new_file(out, (".jsonl",))
    require(
        force or not path.exists(), "--out", f"{out!r} is there already; write over it with --force, or choose another name."
    )
    chosen = words(rules, "--rules", laws.RULE_KINDS), pairs(sizes, "--sizes"), words(levels, "--levels", list("12345"))
    wanted = *chosen[:2], chosen[2] and [int(level) for level in chosen[2]], span(solutions, "--solutions")
    found: list[Any] = []

    def gather(say: Any) -> None:
        for puzzle in laws.each(count, seed, *wanted):
            found.append(puzzle)
            say(len(found))

    try:
        with_progress("puzzles", count, gather)
    except laws.GenerateError as problem:
        raise ConfigError(Problem(Where("kagejax spatial generate"), "", str(problem))) from None
    except KeyboardInterrupt:
        kept = "nothing was written"
        if found:
            puzzles.write(f"{out}.part", found)
            kept = f"{len(found):,} of {plural(count, 'puzzle')} kept in {out}.part"
        print(f"kagejax spatial generate: interrupted; {kept}.", file=sys.stderr)
        return INTERRUPTED
    puzzles.write(path, found)
    by_level = collections.Counter(puzzle.level for puzzle in found)
    shares = ", ".join(f"{by_level[level]} of level {level}" for level in sorted(by_level))
    median = statistics.median(len(puzzle.solutions) for puzzle in found)
    print(f"{out}: {plural(count, 'puzzle')}, {shares}; median {median:g} solutions")
    return 0


def solve(
    source: Source, *, index: int = -1, id: str = "", all: bool = False, limit: int = 0, nodes: int = 0, out: str = ""
) -> int:
    """Find all solutions of puzzles: how many there are, and the shortest, as moves R, U, L, D.

    The status is 1 if a puzzle has none, or if a search gave up.

    For example:
      kagejax spatial solve puzzles.jsonl
      kagejax spatial solve puzzles.jsonl --index 3 --all
      kagejax spatial solve puzzles.jsonl --out solved.jsonl

    Args:
        source: JSON lines, a folder of them, a set that comes with kagejax, or hub for the public test puzzles.
        index: Which puzzle, counted from 0; -1: all.
        id: Or the puzzle with this id.
        all: Print every solution, in the order of stored lists.
        limit: Stop after so many solutions of a puzzle; 0: never.
        nodes: Give up a search after so many nodes; 0: never.
        out: Write the puzzles with these solutions, JSON lines (.jsonl).
    """
    from kagejax.envs.spatial import puzzles, solver

    require(limit >= 0, "--limit", f"Found {limit}; allowed: 0 or more.")
    require(nodes >= 0, "--nodes", f"Found {nodes}; allowed: 0 or more.")
    found = puzzles_of(source)
    places = chosen_of(found, index, id)
    require(not out or not (limit or nodes), "--out", "Records hold all solutions: give neither --limit nor --nodes.")
    path = new_file(out, (".jsonl",)) if out else None
    solved, worst = [], 0
    for place in places:
        puzzle = found[place]
        try:
            answer = solver.solutions(puzzle, limit or None, nodes or None)
        except ValueError as problem:  # a board that is too large
            raise ConfigError(Problem(Where(source), "", f"Puzzle {place} ({puzzle.id}): {problem}")) from None
        solved.append(dataclasses.replace(puzzle, solutions=answer.paths))
        stopped = bool(limit) and len(answer.paths) == limit
        worst = max(worst, int(not answer.paths or not (answer.complete or stopped)))
        print(f"{place} {puzzle.id}: {_answer(answer, stopped)}", flush=True)
        for path_ in answer.paths if all else ():
            print(f"  {len(path_) - 1} {puzzles.letters(path_)}")
    if path is not None:
        puzzles.write(path, solved)
        print(f"{out}: {plural(len(solved), 'puzzle')}")
    return worst


def _answer(answer: Any, stopped: bool) -> str:
    """What was found, in a line."""
    from kagejax.envs.spatial.puzzles import letters

    if not answer.paths:
        return "no solution" if answer.complete else f"gave up after {answer.nodes:,} nodes; it may have solutions"
    best = min(answer.paths, key=len)
    more = "" if answer.complete else " or more" if stopped else f" so far; gave up after {answer.nodes:,} nodes"
    return f"{plural(len(answer.paths), 'solution')}{more}, shortest {len(best) - 1} moves  {letters(best)}"


def show(
    source: Source, *, index: int = -1, id: str = "", out: str = "", solution: bool = False, size: int = 192, columns: int = 0
) -> int:
    """Show puzzles: as text with their facts, or as a picture of many.

    For example:
      kagejax spatial show puzzles.jsonl --index 3
      kagejax spatial show puzzles.jsonl --out puzzles.png --solution

    Args:
        source: JSON lines, a folder of them, a set that comes with kagejax, or hub for the public test puzzles.
        index: Which puzzle, counted from 0; -1: all.
        id: Or the puzzle with this id.
        out: Where to, .png; nothing: print the text.
        solution: Draw the first solution; in a picture a teal centre marks its start.
        size: Height and width of each board in the picture, px.
        columns: Boards in a row of the picture; 0: about as many as rows.
    """
    found = puzzles_of(source)
    places = chosen_of(found, index, id)
    require(16 <= size <= 4096, "--size", f"Found {size}; allowed: 16 to 4096.")
    require(columns >= 0, "--columns", f"Found {columns}; allowed: 0 or more.")
    if out:
        path = new_file(out, (".png",))
        from . import _spatial_pictures

        _spatial_pictures.write_sheet(path, found, places, solution, size, columns)
        print(f"{out}: {plural(len(places), 'puzzle')}")
        return 0
    from kagejax.envs.spatial import text

    for place in places:
        puzzle = found[place]
        line = first_solution(puzzle) if solution else ()
        print(f"{place} {facts(puzzle)}\n{text.shown(text.grid(puzzle, line))}")
        for key, rows in puzzle.shapes.items():
            print(f"shape {key}: " + " / ".join("".join(".#"[cell] for cell in row) for row in rows))
        print()
    print(text.LEGEND)
    return 0


def first_solution(puzzle: Any) -> Any:
    """The first stored solution, or the first that is found; nothing where there is none."""
    from kagejax.envs.spatial import solver

    if puzzle.solutions:
        return puzzle.solutions[0]
    answer = solver.first(puzzle)
    return answer.path if isinstance(answer, solver.Solved) else ()


def stats(source: Source) -> int:
    """Count what the puzzles are like, beside the same figures of the public test puzzles.

    For example:
      kagejax spatial stats puzzles.jsonl

    Args:
        source: JSON lines, a folder of them, a set that comes with kagejax, or hub for the public test puzzles.
    """
    from kagejax.envs.spatial import census

    found = puzzles_of(source)
    rows = census.compare(found)
    wide = max(len(row.name) for row in rows)
    print(f"{'':{wide}}   public    here   ({plural(len(found), 'puzzle')}; shares in per cent)")
    for row in rows:
        here = "-" if row.found is None else f"{row.found:.2f}"
        print(f"{row.name:{wide}} {row.public:8.2f}{here:>8}")
    return 0


def with_progress(label: str, total: int, work: Any) -> Any:
    """`work(say)` with a bar on a terminal, elsewhere a line now and then, on stderr; `say(done)`."""
    if not sys.stderr.isatty():
        return work(_Lines(label, total))
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, transient=True, console=Console(stderr=True)) as progress:
        task = progress.add_task(label, total=total)
        return work(lambda done: progress.update(task, completed=done))


class _Lines:
    """Progress where there is no terminal."""

    def __init__(self, label: str, total: int):
        self.label, self.total, self.last = label, total, time.monotonic()

    def __call__(self, done: int) -> None:
        if time.monotonic() - self.last >= PLAIN_INTERVAL and done < self.total:
            self.last = time.monotonic()
            print(f"{self.label}: {done:,} of {self.total:,}", file=sys.stderr, flush=True)
