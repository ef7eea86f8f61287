"""What `kagejax sweep` plans and tells."""

import contextlib
import pathlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kagejax.config.problems import ConfigError, Problem, Where, found
from kagejax.config.rendering import yaml_value
from kagejax.evaluation import planning, report
from kagejax.learning import settings as agent_settings
from kagejax.learning.sweeps.estimate import Estimate, estimate, measured
from kagejax.learning.sweeps.queue import Entry, Result
from kagejax.learning.sweeps.tasks import Task
from kagejax.learning.sweeps.tasks import tasks as tasks_of

from . import _sweep_folder, _sweep_words


class Agent(NamedTuple):
    """An agent's command, and what of its settings a sweep needs."""

    command: tuple[str, ...]
    values: Mapping[str, Any]  # of its file, with those given on top
    overrides: Mapping[str, Any]  # of all environments
    total_steps: int  # of a seed; 0: not known


def read_agent(asked: _sweep_words.Words, on_top: Mapping[str, Any]) -> Agent:
    """The agent with its settings, checked if it is agents/ppo.py. Raises ConfigError for settings that it will not take."""
    words = [f"{key}={yaml_value(value)}" for key, value in on_top.items()]
    values, places = agent_settings.read(asked.agent)
    values |= on_top
    if asked.program is None:
        program = _sweep_words.standard_program()
        config = _checked(values, {**places, **dict.fromkeys(on_top, Where("--set"))})
        total, given = config.total_updates * config.batch_size, config.overrides
    else:
        program, total, given = asked.program, values.get("total_steps", 0), values.get("overrides") or ()
        if not isinstance(total, int) or isinstance(total, bool) or total < 0:
            where = places.get("total_steps", Where("--set"))
            raise ConfigError(Problem(where, "total_steps", f"Found {found(total)}; allowed: a whole number of steps."))
    extra = [word for text in words for word in ("--set", text)]
    command = (sys.executable, str(program), "--config", str(asked.agent.resolve()), *extra)
    values = {key: value for key, value in values.items() if key not in _sweep_words.RESERVED}
    return Agent(command, values, agent_settings.assignments(given), total)


def _checked(values: Mapping[str, Any], places: Mapping[str, Where]) -> Any:
    import importlib

    package = "kagejax.agents" if importlib.util.find_spec("kagejax.agents") else "agents"
    config = importlib.import_module(f"{package}.ppo").Config
    return agent_settings.checked(config, dict(values), dict(places))


def make(pairs: Sequence[tuple[Any, Any]], overrides: Mapping[str, Any], share: bool, prove: bool) -> planning.Plan:
    """The plan, its sharing proven on a CPU: a GPU's memory is for the runs."""
    from rich.console import Console

    if not (share and prove):
        return planning.plan(pairs, overrides, share, prove=False)
    import jax

    jax.config.update("jax_platforms", "cpu")
    console = Console(stderr=True)
    with console.status("comparing what pairs train on") if console.is_terminal else contextlib.nullcontext() as status:

        def say(text: str) -> None:
            if status:
                status.update(text)

        return planning.plan(pairs, overrides, share, say=say)


def tasks(asked: _sweep_words.Words, content: Mapping[str, Any], agent: Agent, seeds_per_run: int) -> list[Task]:
    """The tasks of the seeds that were asked for."""
    return tasks_of(asked.out, _sweep_folder.runs(content), asked.seeds, agent.command, agent.total_steps, seeds_per_run)


def told(
    asked: _sweep_words.Words,
    content: Mapping[str, Any],
    todo: Sequence[Task],
    steps_per_s: float,
    engine: str,
    fraction: float | None,
    jobs: int,
    seeds_per_run: int,
) -> str:
    """The plan for a person: runs, what is done, what the rest will cost."""
    rows = [[run["run"], run["train"], str(len(run["pairs"]))] for run in content["runs"]]
    pairs, runs, seeds = len(content["pairs"]), len(content["runs"]), len(asked.seeds)
    lines = [report.align([["run", "trains on", "pairs"], *rows]), ""]
    shown = ", ".join(map(str, asked.seeds)) if seeds <= 12 else f"{asked.seeds[0]} to {asked.seeds[-1]}"
    lines.append(f"Folder {asked.out}; {_count(seeds, 'seed')}: {shown}.")
    counts = f"{_count(runs, 'training configuration')} x {_count(seeds, 'seed')} = {_count(runs * seeds, 'run')}"
    text = f"{_count(pairs, 'pair')} through {counts}" + (f", {seeds_per_run} seeds together" if seeds_per_run > 1 else "")
    if pairs > runs:
        text += f"; without sharing it would be {pairs * seeds}, {pairs / runs:.1f} times as many"
    lines.append(f"{text}.")
    if pairs > runs and not content["proofs"]:
        lines.append("That what is shared trains alike is proven, by comparing frames and games, before the first run begins.")
    cost = estimate(todo, measured(asked.out, steps_per_s))
    done = len(todo) - cost.tasks
    steps = f", {cost.steps:,} environment steps" if cost.steps else ""
    lines.append(f"{done} of {len(todo)} finished; {cost.tasks} left{steps}.")
    return "\n".join([*lines, *_cost(cost, engine, fraction, jobs)])


def _cost(cost: Estimate, engine: str, fraction: float | None, jobs: int) -> list[str]:
    if not cost.tasks or not cost.steps:
        return []
    if cost.speed is None:
        advice = "give --steps-per-s NUMBER, or run this with one seed first: what it measures is used from then on."
        return [f"How long that takes is not known; {advice}"]
    device, share, room = _devices(engine, fraction, jobs)
    needed = _time(cost.hours * share, f"{device}-")
    text = f"At {cost.speed.steps_per_s:,.0f} steps/s a seed ({cost.speed.source}): {needed}"
    if room:
        rounds = -(-cost.tasks // room)
        text += f", about {_time(cost.hours / cost.tasks * rounds)} with {min(room, cost.tasks)} at a time"
    return [f"{text}. Evaluations and compilation come on top."]


def _time(hours: float, of: str = "") -> str:
    return f"{hours:,.1f} {of}hours" if hours >= 1 else f"{60 * hours:,.1f} {of}minutes"


def _devices(engine: str, fraction: float | None, jobs: int) -> tuple[str, float, int]:
    """Name of a device, how much of one a run takes, and how many go at once (0: not known)."""
    if engine != "local":
        return ("core", 1.0, jobs) if fraction == 0 else ("GPU", 1.0 if fraction is None else fraction, jobs)
    from kagejax.learning.sweeps.local import slots

    room = slots(jobs, fraction)
    gpu = room[0].core is None if room else True
    return "GPU" if gpu else "core", (fraction or 1.0) if gpu else 1.0, len(room)


def conclusion(out: pathlib.Path, result: Result) -> str:
    """How a sweep ended, what failed and why, and how to go on."""
    finished, count = result.of("finished"), len(result.entries)
    lines = [f"{len(finished)} of {_count(count, 'run')} finished in {out}."]
    lines += [_failure(entry) for entry in result.of("failed")]
    if result.gave_up:
        lines.append("Gave up, since too many attempts in a row failed.")
    if len(finished) < count:
        lines.append("The same command goes on with what is not finished; finished runs are not repeated.")
    else:
        lines.append(f"`kagejax report {out}` makes tables and figures of it.")
    return "\n".join(lines)


def _failure(entry: Entry) -> str:
    first = (entry.error or "").partition("\n")[0]
    last = (entry.error or "").rstrip().rpartition("\n")[2]
    error = first if last in ("", first) else f"{first}: {last}"
    return f"  {entry.task.name} failed after {_count(entry.attempts, 'attempt')}: {error} (see {entry.task.log})"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
