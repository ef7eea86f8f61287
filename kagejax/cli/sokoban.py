"""`kagejax sokoban`: generate, solve, show, stats, commit, reveal; evaluate and submit are in `_entries.py`."""

import collections
import pathlib
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import tyro

from kagejax.config.problems import ConfigError, Problem, Where, listing

from ._arguments import chosen_of, json_of, levels_of, new_file, require, require_split
from ._entries import evaluate, submit

File = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE|SPLIT")]
PERCENTILES = (5, 25, 50, 75, 95)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `kagejax sokoban ARGUMENTS` and gives the exit status. Raises ConfigError for a user's mistake."""
    commands = {
        "generate": generate,
        "solve": solve,
        "show": show,
        "stats": stats,
        "evaluate": evaluate,
        "submit": submit,
        "commit": commit,
        "reveal": reveal,
    }
    try:
        return tyro.extras.subcommand_cli_from_dict(commands, prog="kagejax sokoban", args=arguments, use_underscores=False)
    except ImportError as problem:
        if "kagejax[solver]" not in str(problem):
            raise
        raise ConfigError(Problem(Where("kagejax sokoban"), "", str(problem))) from None


def generate(split: Annotated[str, tyro.conf.Positional], out: str, *, seed: int = 1001, count: int = 100) -> int:
    """Draw the levels of a split and write them with their exact optimal lengths.

    Level i depends on the seed, the split and i alone; in S and hidden-style, where lengths rise, also on the count.

    For example:
      kagejax sokoban generate A --out my_split.json --seed 7
      kagejax sokoban generate hidden-style --out ramp.json --seed 4242
      kagejax sokoban generate C --out levels.txt --count 20

    Args:
        split: W, S, A, B, C, D, E, D-hard, B-plus, C-compat, dataset or hidden-style.
        out: Where to: a split file (.json) or level text (.txt).
        seed: Master seed.
        count: How many levels.
    """
    from kagejax.envs.sokoban import generate as laws
    from kagejax.envs.sokoban import levels, text

    require_split(split, count)
    require(seed >= 0, "--seed", f"Found {seed}; allowed: 0 or more.")
    path = new_file(out, (".json", ".txt"))
    made = _with_progress(f"split {split}", count, lambda say: laws.split(split, seed, count, say))
    if path.suffix == ".json":
        levels.write_split(path, made)
    else:
        path.write_text("\n\n".join(f"; {i}\n{text.write(entry.level)}" for i, entry in enumerate(made.entries)) + "\n")
    lengths = [entry.optimal_length for entry in made.entries]
    print(f"{out}: {count} levels, {min(lengths)} to {max(lengths)} moves")
    return 0


def solve(source: File, *, level: int = -1, pushes: bool = False, nodes: int = 0) -> int:
    """Solve levels: optimal length and one optimal solution each.

    For example:
      kagejax sokoban solve A --level 3
      kagejax sokoban solve levels.txt --pushes

    Args:
        source: A public split, a split file (.json) or level text (.txt, .sok, .xsb).
        level: Which level, counted from 0; -1: all.
        pushes: Fewest pushes instead of fewest moves.
        nodes: Give up a search after so many boards; 0: never. Levels with a table are always answered.
    """
    from kagejax.envs.sokoban import rules, solver

    require(nodes >= 0, "--nodes", f"Found {nodes}; allowed: 0 or more.")
    split = levels_of(source)
    chosen = chosen_of(split, level)
    budget = solver.Budget(nodes=nodes) if nodes else None
    worst = 0
    for index in chosen:
        try:
            found = solver.solve(split.entries[index].level, budget, "pushes" if pushes else "moves")
        except ValueError as problem:  # too large, or only for fewest pushes
            raise ConfigError(Problem(Where(source), "", f"Level {index}: {problem}")) from None
        if isinstance(found, solver.Solved):
            letters = "".join(rules.LETTERS[action] for action in found.actions)
            print(f"{index}: {len(found.actions)} moves  {letters}", flush=True)
        elif isinstance(found, solver.Unsolvable):
            print(f"{index}: unsolvable: {found.reason}", flush=True)
            worst = 1
        else:
            print(f"{index}: gave up after {found.nodes:,} boards; it may have a solution", flush=True)
            worst = 1
    return worst


def show(
    source: File, *, out: str = "", level: int = -1, solution: bool = False, scale: int = 2, columns: int = 10, fps: float = 3.0
) -> int:
    """Show levels: as text, or as a picture of many, or the solution of one as a strip or a film.

    For example:
      kagejax sokoban show A --level 3
      kagejax sokoban show B --out split_b.png
      kagejax sokoban show all --out splits.png
      kagejax sokoban show A --level 3 --solution --out solution.gif

    Args:
        source: A public split, a split file (.json) or level text (.txt, .sok, .xsb); all: a row of each public split.
        out: Where to, .png or .gif; nothing: print the text.
        level: Which level, counted from 0; -1: all.
        solution: Play an optimal solution, with the goal beside it.
        scale: Magnification, a whole number.
        columns: Pictures in a row of a sheet.
        fps: Pictures per second of a GIF.
    """
    from kagejax.envs.sokoban import text

    if source == "all":
        return _show_all(out, scale, columns)
    split = levels_of(source)
    chosen = chosen_of(split, level)
    require(not solution or len(chosen) == 1, "--level", "A solution is that of one level; choose it with --level.")
    require(bool(out) or not solution, "--solution", "It is shown as pictures: give --out, ending in .png or .gif.")
    require(scale >= 1, "--scale", f"Found {scale}; allowed: 1 or more.")
    require(columns >= 1, "--columns", f"Found {columns}; allowed: 1 or more.")
    require(0 < fps <= 100, "--fps", f"Found {fps:g}; allowed: above 0, to 100.")
    if not out:
        for index in chosen:
            entry = split.entries[index]
            length = "" if entry.optimal_length is None else f", {entry.optimal_length} moves"
            print(f"; {index}{length}\n{text.write(entry.level)}\n")
        return 0
    path = new_file(out, (".png", ".gif") if solution else (".png",))
    from kagejax.envs.sokoban import build

    from . import _boards

    for index in chosen:
        complaint = build.unfit(split._replace(entries=(split.entries[index],)))
        require(not complaint, source, f"Level {index}: {complaint}")
    if solution:
        count = _boards.write_solution(path, split.entries[chosen[0]], scale, columns, fps)
        print(f"{out}: {count} moves")
    else:
        _boards.write_sheet(path, [split.entries[index] for index in chosen], list(chosen), scale, columns)
        print(f"{out}: {len(chosen)} levels")
    return 0


def _show_all(out: str, scale: int, columns: int) -> int:
    from kagejax.envs.sokoban import build

    from . import _boards

    require(bool(out), "--out", "All splits are shown as a picture; say where to.")
    entries = [entry for name in build.PUBLIC for entry in build.public(name).entries[:columns]]
    names = [f"{name} {i}" for name in build.PUBLIC for i in range(columns)]
    _boards.write_sheet(new_file(out, (".png",)), entries, names, scale, columns)
    print(f"{out}: {len(build.PUBLIC)} splits")
    return 0


def stats(split: Annotated[str, tyro.conf.Positional], *, layouts: int = 2000, seed: int = 0) -> int:
    """What share of layouts of a law can be solved, and how long their optimal solutions are, by exact search.

    For example:
      kagejax sokoban stats A
      kagejax sokoban stats C --layouts 500

    Args:
        split: A split with a law of its own: W, S, A, B, C, D or dataset.
        layouts: How many to draw.
        seed: Of the draw.
    """
    from kagejax.envs.sokoban import generate as laws
    from kagejax.envs.sokoban import solver

    require(split in laws.LAWS, "split", f"Found {split!r}; allowed: {listing(list(laws.LAWS))}.")
    require(layouts >= 1, "--layouts", f"Found {layouts}; allowed: 1 or more.")
    require(seed >= 0, "--seed", f"Found {seed}; allowed: 0 or more.")
    law, random = laws.LAWS[split], np.random.default_rng(seed)
    counts: collections.Counter[str] = collections.Counter()
    lengths: list[int] = []

    def draw(say: Any) -> None:
        for index in range(layouts):
            level = laws.layout(random, law)
            if level is not None:
                counts["corner"] += bool(solver.corner_dead(level.walls, level.goals, level.boxes))
                found = solver.solve(level, solver.Budget(nodes=2_000_000))
                counts["gave up"] += isinstance(found, solver.GaveUp)
                if isinstance(found, solver.Solved):
                    lengths.append(found.length)
            say(index + 1)

    _with_progress(f"law {split}", layouts, draw)
    share = len(lengths) / layouts
    spread = "/".join(f"{np.percentile(lengths, p):.0f}" for p in PERCENTILES) if lengths else "-"
    print(f"law {split}: {law.size}x{law.size}, {law.boxes} boxes, density {law.density}, {layouts:,} layouts")
    print(f"  corner box at start   {counts['corner'] / layouts:.1%}")
    print(f"  solvable              {share:.1%}  (standard error {np.sqrt(share * (1 - share) / layouts):.1%})")
    print(f"  optimal length        {'/'.join(f'p{p}' for p in PERCENTILES)}  {spread}")
    print(f"  mean optimal length   {np.mean(lengths) if lengths else float('nan'):.2f}")
    if counts["gave up"]:
        print(f"  search given up       {counts['gave up'] / layouts:.1%}; these count as neither")
    return 0


def commit(split: Annotated[str, tyro.conf.Positional], out: str, *, secret: str, count: int = 100) -> int:
    """Draw a secret seed for a round and write a commitment to it that can be published before.

    For example:
      kagejax sokoban commit hidden-style --out commitment.json --secret secret.json

    Args:
        split: What the seed will generate.
        out: The commitment, to publish.
        secret: Seed and nonce, to keep until the round is over.
        count: How many levels.
    """
    import kagejax
    from kagejax.envs.sokoban import secrets

    require_split(split, count)
    for option, name in (("--out", out), ("--secret", secret)):
        exists = new_file(name, (".json",), option).exists()
        require(not exists, option, f"Found {name!r}; there is such a file, and it is not written over.")
    require(pathlib.Path(out).resolve() != pathlib.Path(secret).resolve(), "--secret", "It needs a file of its own.")
    public, private = secrets.commit(split, count, f"kagejax {kagejax.__version__}")
    secrets.write(secret, private, private=True)
    secrets.write(out, public)
    print(f"{out}: SHA-256 {public['sha256']}; keep {secret} until the round is over.")
    return 0


def reveal(commitment: Annotated[str, tyro.conf.Positional], secret: str, *, out: str = "") -> int:
    """Check that a secret belongs to a commitment, and write the levels that it gives.

    For example:
      kagejax sokoban reveal commitment.json --secret secret.json --out levels.json

    Args:
        commitment: The published file.
        secret: The file that was kept.
        out: Where to write the levels; nothing: only check.
    """
    import kagejax
    from kagejax.envs.sokoban import secrets

    contents = [json_of(name) for name in (commitment, secret)]
    try:
        seed = secrets.verify(*contents)
    except ValueError as problem:
        raise ConfigError(Problem(Where(secret), "", str(problem))) from None
    print(f"The commitment holds: seed {seed}.")
    here = f"kagejax {kagejax.__version__}"
    if contents[0]["generator"] != here:
        print(f"warning: it was made with {contents[0]['generator']}; {here} may draw other levels", file=sys.stderr)
    return generate(contents[0]["split"], out, seed=seed, count=contents[0]["levels"]) if out else 0


def _with_progress(label: str, total: int, work: Any) -> Any:
    """`work(say)` with a bar on a terminal; `say(done)`."""
    from rich.progress import Progress

    with Progress(transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task(label, total=total)
        return work(lambda done: progress.update(task, completed=done))
