"""`kagejax sokoban evaluate` and `submit`: agents on splits, and the folder of an entry."""

import json
import pathlib
import time
import traceback
from typing import Annotated, Any

import tyro

from kagejax.config.problems import ConfigError, Problem, Where, listing

from ._arguments import new_file, require

SHOWN = {
    "success_rate": ("success", "{:.1%}"),
    "move_efficiency": ("efficiency", "{:.3f}"),
    "deadlock_rate": ("deadlocks", "{:.1%}"),
    "avg_steps_solved": ("steps", "{:.1f}"),
    "avg_model_calls": ("calls", "{:.1f}"),
    "max_model_calls": ("most calls", "{:.0f}"),
    "avg_plan_time_ms": ("ms", "{:.2f}"),
}


def evaluate(
    agent: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME|MODULE:CLASS")],
    *,
    splits: str = "A,B,C,D",
    seeds: str = "0,1,2",
    calls: int = 256,
    lenient: bool = False,
    milliseconds: float = 0.0,
    compat: bool = False,
    out: str = "",
) -> int:
    """Play whole splits with an agent and report exact metrics.

    An agent is a class with `reset()` and `act(obs, goal, history)`, made anew for each split and seed, which counts its
    predictions in a `call_meter`; or random, and for analysis greedy (by box distance) and solver, which entries may not use.

    For example:
      kagejax sokoban evaluate random
      kagejax sokoban evaluate my_agent:Agent --splits A --seeds 0 --out report.json

    Args:
        agent: random, greedy, solver, or module:Class from the working directory.
        splits: Public splits, with commas.
        seeds: Evaluation seeds, with commas.
        calls: Predictions per action.
        lenient: Execute actions over that cap too, and only count them.
        milliseconds: Time per action; 0: as long as it takes.
        compat: Count as published: dead boards by bounded search, zeros where nothing was solved.
        out: Where to write the report (.json).
    """
    from kagejax.envs.sokoban import build
    from kagejax.evaluation.sokoban import arena, episodes, harness, metrics, protocol, references, submission

    names = [name.strip() for name in splits.split(",") if name.strip()]
    unknown = [name for name in names if name not in build.PUBLIC]
    require(bool(names) and not unknown, "--splits", f"Found {splits!r}; allowed: {listing(list(build.PUBLIC))}, with commas.")
    require(calls >= 0, "--calls", f"Found {calls}; allowed: 0 or more.")
    try:
        chosen = [int(seed) for seed in seeds.split(",")]
    except ValueError:
        chosen = []
    require(bool(chosen), "--seeds", f"Found {seeds!r}; allowed: whole numbers with commas.")
    if out:
        new_file(out, (".json",))
    limits = episodes.Limits(calls, not lenient, milliseconds or None)
    references_by_name = {"random": references.RANDOM, "greedy": references.GREEDY, "solver": references.SOLVER}
    reports, began = [], time.monotonic()
    factory = None if agent in references_by_name else _factory(agent)
    for name in names:
        print(f"split {name} ...", flush=True)
        if factory is None:
            reference = references_by_name[agent]
            place = arena.public_arena(name, reference.observes)
            weights = references.solutions(place) if agent == "solver" else harness.Weights((), ())
            reports.append(harness.evaluate(reference, weights, [place], chosen, limits, compat))
        else:
            try:
                reports.append(protocol.evaluate(factory, [arena.public_arena(name)], chosen, limits, compat))
            except Exception as problem:  # the agent's own: said with its place, not with ours
                raise ConfigError(Problem(Where(agent), "", _told(problem))) from problem
    report = reports[0] | {"splits": {split: figures for part in reports for split, figures in part["splits"].items()}}
    print(_table(report["splits"]))
    illegal = sum(figures.get("illegal_actions", 0) for figures in report["splits"].values())
    if illegal:
        print(f"{illegal:,.0f} episodes ended with an action that is none of 0 to 3.")
    if set(metrics.PROFILE_SPLITS) <= set(report["splits"]):
        score = metrics.profile(report, False, compat)["final_score"]
        print(f"Profile without the mark for reproducibility: {score} of 95.")
    print(f"{time.monotonic() - began:.1f} s")
    if out:
        submission.write_json(pathlib.Path(out), report)
    return 0


def submit(
    folder: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FOLDER")], *, check: bool = True, as_json: bool = False
) -> int:
    """Check the folder of an entry: what is missing, and what does not say what it must.

    For example:
      kagejax sokoban submit my_entry --check

    Args:
        folder: The entry.
        check: Check it; there is nothing else to do with it.
        as_json: Print the problems as JSON.
    """
    from kagejax.evaluation.sokoban import checking

    require(pathlib.Path(folder).is_dir(), "folder", f"There is no folder {folder!r}.")
    problems = checking.check_submission(folder) if check else []
    if as_json:
        print(json.dumps([problem._asdict() for problem in problems], indent=2))
    else:
        print("\n".join(map(str, problems)) or f"{folder}: complete")
    return 1 if problems else 0


def _factory(agent: str) -> Any:
    """The class that "module:Class" names."""
    from kagejax.evaluation.sokoban import protocol

    try:
        return protocol.load_agent(agent)
    except ValueError as problem:
        raise ConfigError(Problem(Where(agent), "", str(problem))) from None
    except Exception as problem:  # the module's own
        raise ConfigError(Problem(Where(agent), "", _told(problem))) from problem


def _told(problem: Exception) -> str:
    """What an exception of a user's code says, and in which line of it."""
    last = traceback.extract_tb(problem.__traceback__)[-1]
    return f"The agent failed with {type(problem).__name__}: {problem}\n({last.filename}, line {last.lineno})"


def _table(splits: dict[str, dict[str, Any]]) -> str:
    from kagejax.evaluation.report import align

    rows = [["split", *(heading for heading, _ in SHOWN.values())]]
    for name, figures in splits.items():
        rows.append([name, *(_shown(figures.get(key), form) for key, (_, form) in SHOWN.items())])
    return align(rows)


def _shown(value: Any, form: str) -> str:
    return "-" if value is None else form.format(value)
