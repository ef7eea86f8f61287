"""The sets of puzzles that come with kagejax: how each is drawn, and writing them again. Host side; needs numba.

python -m kagejax.envs.spatial.generate_sets FOLDER
"""

import gzip
import itertools
import json
import os
import pathlib
import sys
from collections.abc import Sequence

from . import generate
from .puzzles import Puzzle, to_record

FIRST_RULES = ("dot", "gap", "square")
FIRST_SIZES = ((2, 2), (2, 3), (3, 2), (3, 3))
BALANCED, FIRST = 500, 1400
"""Puzzles of a set; a test set of first steps has a fifth."""
SEEDS = {"balanced": 1001, "balanced-test": 2002, "first-steps": 1003, "first-steps-test": 2004}


def drawn(name: str) -> tuple[Puzzle, ...]:
    """A set by its name. No puzzle of a test set is in the set that it tests."""
    trained = {puzzle.id for puzzle in drawn(name.removesuffix("-test"))} if name.endswith("-test") else set()
    seed = SEEDS[name]
    if name.startswith("balanced"):
        return _new(generate.draw(BALANCED + len(trained) // 10, seed), trained, BALANCED)
    count = FIRST // 5 if trained else FIRST
    subsets = [set(rules) for k in (1, 2, 3) for rules in itertools.combinations(FIRST_RULES, k)]
    parts = [
        _new(generate.draw(2 * count // len(subsets), seed + k, rules, FIRST_SIZES), trained, count // len(subsets))
        for k, rules in enumerate(subsets)
    ]
    return tuple(puzzle for row in zip(*parts, strict=True) for puzzle in row)


def _new(found: Sequence[Puzzle], known: set[str], count: int) -> tuple[Puzzle, ...]:
    """The first `count` of the puzzles that are not known."""
    fresh = [puzzle for puzzle in found if puzzle.id not in known][:count]
    if len(fresh) < count:
        raise generate.GenerateError(f"Only {len(fresh)} of {count} puzzles are new; draw more.")
    return tuple(fresh)


def write(name: str, folder: pathlib.Path) -> pathlib.Path:
    """Writes a set as compressed JSON lines, the same bytes each time."""
    lines = "".join(json.dumps(to_record(puzzle), separators=(",", ":")) + "\n" for puzzle in drawn(name))
    path = folder / f"{name}.jsonl.gz"
    draft = path.with_name(path.name + ".part")
    draft.write_bytes(gzip.compress(lines.encode(), mtime=0))
    os.replace(draft, path)
    return path


if __name__ == "__main__":
    for each in SEEDS:
        print(write(each, pathlib.Path(sys.argv[1])))
