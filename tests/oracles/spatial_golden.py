"""The golden files of path puzzles, and the public puzzles themselves where they are at hand."""

import functools
import json
import pathlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from .spatial import Path, walk

REPOSITORY = pathlib.Path(__file__).parents[2]
FOLDER = REPOSITORY / "tests" / "golden" / "spatial"
PUBLIC = REPOSITORY.parent / "shared" / "data" / "sparc"  # not part of the repository
HAS_PUBLIC = (PUBLIC / "sparc_all_test_350.jsonl").is_file() and (PUBLIC / "verdicts.jsonl").is_file()
WITHOUT_PUBLIC = "needs the 350 public puzzles of SPaRC and their verdicts in ../shared/data/sparc, beside the repository"
VERDICTS = ("dots", "squares", "stars", "triangles", "polys")


class Candidate(NamedTuple):
    """A well-formed line of a public puzzle, which avoids its gaps, with what is right to say of it."""

    kind: str  # stored, shortest or random_walk
    path: Path
    valid: bool
    rules: Mapping[str, bool]  # by the names in VERDICTS


def _rows(file: pathlib.Path) -> list[Any]:
    return [json.loads(row) for row in file.read_text(encoding="utf-8").splitlines()]


@functools.cache
def document(name: str) -> Any:
    """The contents of one json file: parsing, difficulty_scores, polyshapes_seen, reset_behaviour."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@functools.cache
def entries() -> tuple[Mapping[str, Any], ...]:
    """The 101 constructed puzzles with their `group` and `notes`."""
    return tuple(_rows(FOLDER / "puzzles.jsonl"))


@functools.cache
def puzzles() -> Mapping[str, Mapping[str, Any]]:
    """Records of the constructed puzzles by id."""
    return {entry["puzzle"]["id"]: entry["puzzle"] for entry in entries()}


@functools.cache
def cases() -> tuple[Mapping[str, Any], ...]:
    """The 539 candidate paths of constructed puzzles with their verdicts."""
    return tuple(_rows(FOLDER / "cases.jsonl"))


@functools.cache
def traces() -> tuple[Mapping[str, Any], ...]:
    """The 29 recorded episodes of constructed puzzles."""
    return tuple(_rows(FOLDER / "traces.jsonl"))


@functools.cache
def public_puzzles() -> Mapping[str, Mapping[str, Any]]:
    """Records of the 350 public puzzles by id; only if HAS_PUBLIC."""
    return {record["id"]: record for record in _rows(PUBLIC / "sparc_all_test_350.jsonl")}


@functools.cache
def public_candidates() -> Mapping[str, tuple[Candidate, ...]]:
    """Candidate lines of the public puzzles by id; only if HAS_PUBLIC."""
    return {
        entry["id"]: tuple(
            Candidate(
                kind=candidate["kind"],
                path=walk(tuple(entry["start"]), candidate["moves"]),
                valid=bool(candidate["valid"]),
                rules=dict(zip(VERDICTS, map(bool, candidate["reference"]), strict=True)),
            )
            for candidate in entry["candidates"]
        )
        for entry in _rows(PUBLIC / "verdicts.jsonl")
    }
