"""Path puzzles: verdicts on complete lines on device against one at a time on the host, and counting all solutions.

    python benchmarks/spatial.py --puzzles puzzles.jsonl --json out.json

Lines are the stored solutions, and random ones that reach the end: about as many of each. A batch is judged by one compiled
program and every verdict is compared with the host's, which has code of its own.
"""

import dataclasses
import json
import pathlib
import sys
import time
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
import tyro

from kagejax.envs.spatial import build, rules, solver
from kagejax.envs.spatial.names import ACTIONS
from kagejax.envs.spatial.puzzles import Path, Puzzle, RecordError, read

TRIES = 400
"""Random lines per puzzle, of which those that reach the end are kept, as many as it has solutions."""
REPEATS = 7


@dataclasses.dataclass(frozen=True)
class Options:
    """What to measure, and where to put it."""

    puzzles: str = "balanced"
    """A set that comes with kagejax, or a file of JSON lines."""
    batch: int = 16_384
    """Lines judged at once."""
    json: Annotated[str, tyro.conf.arg(metavar="FILE")] = ""
    """Where to write the figures."""


def lines_of(puzzles: tuple[Puzzle, ...], seed: int) -> list[tuple[int, Path]]:
    """(puzzle, line): all stored solutions, and random walks to the end."""
    random, found = np.random.default_rng(seed), []
    for index, puzzle in enumerate(puzzles):
        found += [(index, path) for path in puzzle.solutions]
        walks = [walk for _ in range(TRIES) if (walk := _walk(random, puzzle))][: len(puzzle.solutions)]
        found += [(index, walk) for walk in walks]
    return found


def _walk(random: np.random.Generator, puzzle: Puzzle) -> Path | None:
    path, blocked = [puzzle.start], {puzzle.start, *puzzle.gaps}
    while path[-1] != puzzle.end:
        x, y = path[-1]
        near = [(x + a.dx, y + a.dy) for a in ACTIONS]
        free = [
            (i, j) for i, j in near
            if 0 <= i < puzzle.lattice_w and 0 <= j < puzzle.lattice_h and not (i % 2 and j % 2) and (i, j) not in blocked
        ]  # fmt: skip
        if not free:
            return None
        path.append(free[random.integers(len(free))])
        blocked.add(path[-1])
    return tuple(path)


def judge_all(puzzles: tuple[Puzzle, ...], lines: list[tuple[int, Path]], batch: int) -> tuple[np.ndarray, float, float]:
    """Whether each line is valid, lines per second on device (median of REPEATS batches), and seconds of compiling."""
    env, params = build.from_puzzles(puzzles)
    lattice = env.plan.lattice
    visited = np.zeros((len(lines), lattice.positions), bool)
    for row, (_, path) in enumerate(lines):
        visited[row, [y * lattice.width + x for x, y in path]] = True
    puzzle = np.array([index for index, _ in lines], np.int32)
    judge = rules.judge(lattice, env.plan.most_ylops)

    @jax.jit
    def valid(puzzle, visited, bank):
        marks = jax.vmap(judge, (0, 0, None, None))(puzzle, visited, jnp.bool_(True), bank)
        return jnp.stack(marks).all(0)

    order = np.random.default_rng(0).integers(len(lines), size=(REPEATS + 1, batch))
    began = time.perf_counter()
    program = valid.lower(puzzle[order[0]], visited[order[0]], params.bank).compile()
    seconds, rates = time.perf_counter() - began, []
    for rows in order:
        arguments = jax.device_put((puzzle[rows], visited[rows]))
        began = time.perf_counter()
        jax.block_until_ready(program(*arguments, params.bank))
        rates.append(batch / (time.perf_counter() - began))
    everything = np.concatenate(
        [np.asarray(program(puzzle[part], visited[part], params.bank)) for part in _parts(len(lines), batch)]
    )
    return everything[: len(lines)], float(np.median(rates[1:])), seconds


def _parts(count: int, batch: int) -> list[np.ndarray]:
    return [np.minimum(np.arange(first, first + batch), count - 1) for first in range(0, count, batch)]


def main(arguments: list[str] | None = None) -> int:
    """Runs from the command line; gives the exit status."""
    options = tyro.cli(Options, description=__doc__.partition("\n\n")[0], args=arguments)
    try:
        named = pathlib.Path(options.puzzles)
        puzzles = read(named) if named.exists() else build.public(options.puzzles)
    except (OSError, RecordError) as problem:
        print(f"--puzzles: {problem}", file=sys.stderr)
        return 2
    lines = lines_of(puzzles, 0)
    found, rate, compiling = judge_all(puzzles, lines, options.batch)
    solver.valid(puzzles[lines[0][0]], lines[0][1])  # compiled before it is timed
    began = time.perf_counter()
    host = np.array([solver.valid(puzzles[index], path) for index, path in lines])
    host_rate = len(lines) / (time.perf_counter() - began)
    assert (found == host).all(), f"{(found != host).sum()} verdicts differ"

    began, longest, nodes = time.perf_counter(), 0.0, 0
    for puzzle in puzzles:
        start = time.perf_counter()
        listed = solver.solutions(puzzle)
        longest, nodes = max(longest, time.perf_counter() - start), nodes + listed.nodes
        assert listed.paths == puzzle.solutions, f"{puzzle.id}: other solutions than stored"
    enumerating = time.perf_counter() - began
    figures = {
        "puzzles": len(puzzles),
        "lines": len(lines),
        "valid_share": float(found.mean()),
        "device_checks_per_s": rate,
        "host_checks_per_s": host_rate,
        "ratio": rate / host_rate,
        "compile_s": compiling,
        "enumerate_s": enumerating,
        "enumerate_longest_s": longest,
        "nodes": nodes,
    }
    for name, value in figures.items():
        print(f"{name:22} {value:,.3g}" if isinstance(value, float) else f"{name:22} {value:,}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
