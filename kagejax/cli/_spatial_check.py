"""`kagejax spatial check`: records against the rules, the solver and the formula of difficulty."""

import contextlib
import gzip
import json
import pathlib
from collections.abc import Iterator
from typing import Annotated, Any

import tyro

from kagejax.config.problems import ConfigError, Problem, Where

from ._arguments import require
from ._spatial_puzzles import HUB, plural, puzzles_of, require_source, sets

SHOWN = 3
"""Paths of a list that are named."""
TOLERANCE = 1e-6
"""Of a difficulty score."""
FIELDS = {"difficulty": "difficulty_score", "solutions": "solutions"}
"""What is checked, and the field of a record that tells it."""


def check(
    source: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE|FOLDER|SET|hub")],
    *,
    solutions: str = "",
    nodes: int = 0,
) -> int:
    """Check puzzles: every field of their records, their lists of solutions against an exact search, their difficulty.

    What differs is listed, and the status is 1 then. What a record does not tell is not checked, which the last line says.

    For example:
      kagejax spatial check puzzles.jsonl
      kagejax spatial check puzzles.jsonl --solutions answers.jsonl

    Args:
        source: JSON lines, a folder of them, a set that comes with kagejax, or hub for the public test puzzles.
        solutions: Check these answers instead: JSON lines with the id of a puzzle and moves (such as RRDD) or path (a list of
            [x, y]); where a line has valid, true or false, the verdict is compared with it.
        nodes: Give up a search after so many nodes, which counts as a difference; 0: never.
    """
    require(nodes >= 0, "--nodes", f"Found {nodes}; allowed: 0 or more.")
    found, wrong = _scanned(source)
    absent = {} if solutions else _absent(source, {puzzle.id for puzzle in found})
    for complaint in wrong:
        print(complaint)
    what = plural(len(found) + len(wrong), "puzzle")
    try:
        if solutions:
            verdicts = list(_answers(found, solutions))
            what += f", {plural(len(verdicts), 'answer')}"
            complaints = filter(None, verdicts)
        else:
            complaints = (complaint for puzzle in found for complaint in _differences(puzzle, nodes, absent))
        for complaint in complaints:
            wrong.append(complaint)
            print(complaint, flush=True)
    except ValueError as problem:
        raise ConfigError(Problem(Where(solutions or source), "", str(problem))) from None
    print(f"{source}: {what}, {plural(len(wrong), 'difference') if wrong else 'all right'}{_unchecked(absent)}")
    return int(bool(wrong))


def _scanned(source: str) -> tuple[list[Any], list[str]]:
    """The puzzles of a source, and what is wrong with the records that are none."""
    from kagejax.envs.spatial import puzzles

    if source in (*sets(), HUB) and not pathlib.Path(source).exists():
        return list(puzzles_of(source)), []
    require_source(source)
    try:
        scanned = list(puzzles.scan(source))
    except (OSError, puzzles.RecordError) as problem:
        raise ConfigError(Problem(Where(source), "", str(problem))) from None
    broken = [str(each) for each in scanned if isinstance(each, puzzles.RecordError)]
    return [each for each in scanned if isinstance(each, puzzles.Puzzle)], broken


def _absent(source: str, ids: set[str]) -> dict[str, set[str]]:
    """Which puzzles of a source have no such field, by what would be checked there. A puzzle does not tell: it has defaults."""

    if source in (*sets(), HUB) and not pathlib.Path(source).exists():
        return {}
    absent: dict[str, set[str]] = {what: set() for what in FIELDS}
    for record in _records(pathlib.Path(source)):
        for what, field in FIELDS.items():
            if record["id"] in ids and field not in record:
                absent[what].add(record["id"])
    return absent


def _records(path: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Records as they stand in a file or folder that `scan` has read, those without an id aside."""
    for file in sorted(path.glob("*.jsonl")) if path.is_dir() else [path]:
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for line in content.decode("utf-8-sig").split("\n"):
            with contextlib.suppress(ValueError):  # no JSON: told by `scan`
                record = json.loads(line)
                if isinstance(record, dict) and isinstance(record.get("id"), str):
                    yield record


def _unchecked(absent: dict[str, set[str]]) -> str:
    """The end of the last line, where something was not checked."""
    told = [f"the {what} of {plural(len(ids), 'puzzle')} without {FIELDS[what]}" for what, ids in absent.items() if ids]
    return f"; not checked: {' and '.join(told)}" if told else ""


def _differences(puzzle: Any, nodes: int, absent: dict[str, set[str]]) -> Iterator[str]:
    """What is not as the record says."""
    from kagejax.envs.spatial import difficulty, solver

    score = difficulty.score(puzzle.cells, len(puzzle.symbols), len({symbol.kind for symbol in puzzle.symbols}))
    if abs(score - puzzle.score) > TOLERANCE:
        yield f"{puzzle.id}: difficulty_score: found {puzzle.score:.6f}; the formula gives {score:.6f}"
    if puzzle.id in absent.get("solutions", ()):
        return
    stored = puzzle.solutions
    answer = solver.solutions(puzzle, max(1000, 2 * len(stored)), nodes or None)
    wrong = [path for path in stored if not solver.valid(puzzle, path)]
    if wrong:
        yield f"{puzzle.id}: solutions: {len(wrong)} of {len(stored)} break a rule: {_some(wrong)}"
    missing = [path for path in answer.paths if path not in set(stored)]
    if missing:
        more = "" if answer.complete else " at least"
        yield f"{puzzle.id}: solutions:{more} {len(missing)} not stored: {_some(missing)}"
    elif not answer.complete:
        yield f"{puzzle.id}: solutions: the search gave up after {answer.nodes:,} nodes; {len(answer.paths)} were found"
    elif not wrong and stored != answer.paths:
        place = next(i for i, (one, other) in enumerate(zip(stored, answer.paths, strict=True)) if one != other)
        yield f"{puzzle.id}: solutions: wrong order from solution {place} on, which is {_some(answer.paths[place : place + 1])}"


def _some(paths: list) -> str:
    from kagejax.envs.spatial.puzzles import letters

    return ", ".join(map(letters, paths[:SHOWN])) + (", ..." if len(paths) > SHOWN else "")


def _answers(found: list, file: str) -> Iterator[str]:
    """For each answer of a file what is wrong with it, or nothing. Raises ValueError for a line that is none."""
    from kagejax.envs.spatial import puzzles, solver

    by_id = {puzzle.id: puzzle for puzzle in found}
    try:
        lines = pathlib.Path(file).read_text(encoding="utf-8-sig").split("\n")
    except OSError as problem:
        raise ValueError(f"It cannot be read: {problem}.") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        try:
            answer = json.loads(line)
            id = answer["id"]
            told = answer["moves"] if "moves" in answer else answer["path"]
        except KeyError as problem:
            missing = "'id'" if str(problem) == "'id'" else "'moves' or 'path'"
            raise ValueError(f"{where}: there is no {missing}, which an answer has.") from None
        except (TypeError, ValueError) as problem:
            raise ValueError(f"{where}: this is no answer ({problem}).") from None
        if id not in by_id:
            raise ValueError(f"{where}: no puzzle has the id {id!r}.")
        puzzle = by_id[id]
        try:
            path = puzzles.path_of(puzzle.start, told) if isinstance(told, str) else tuple(map(_position, told))
        except (KeyError, TypeError, ValueError) as problem:
            raise ValueError(f"{where}: this is no answer ({problem}).") from None
        valid = solver.valid(puzzle, path)
        expected = answer.get("valid", True)
        verdict = "a solution" if valid else "no solution"
        yield "" if valid == expected else f"{where}: {id}: this is {verdict}: {' '.join(map(str, path))}"


def _position(point: Any) -> tuple[int, int]:
    x, y = (point["x"], point["y"]) if isinstance(point, dict) else point
    return int(x), int(y)
