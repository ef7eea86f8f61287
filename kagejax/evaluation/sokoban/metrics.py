"""Figures of episodes, over seeds, the profile score, and the order of entries. Host side. SPEC 9.3 to 9.5 and 10.5.

With `compat` the figures are those that the published harness gives: means over nothing are 0, not None, a board counts as dead
if a bounded search finds no solution, and nothing else is reported.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kagejax.evaluation.intervals import wilson

from .episodes import Episode, Limits

MEANS = ("success_rate", "move_efficiency", "avg_plan_time_ms", "avg_model_calls", "deadlock_rate", "avg_steps_solved")
"""Figures whose mean over seeds is reported, with their spread."""
SUMS = ("call_violations", "time_violations", "illegal_actions", "deadlocks_unknown")
SPEED_TIERS = ((50, 1.0), (100, 0.8), (200, 0.6), (500, 0.4))
"""Milliseconds per act below which an agent earns so much."""
PROFILE_SPLITS = ("split_A", "split_B", "split_C", "split_D")
WEIGHTS = {"S": 45, "G": 20, "M": 10, "P": 10, "D": 10, "R": 5}


def summary(split: str, episodes: Sequence[Episode], compat: bool = False) -> dict[str, Any]:
    """Figures of a split in one run.

    move_efficiency: mean of optimal / steps of the solved episodes whose optimal length is known. deadlock_rate: over the
    episodes of which it is known; `deadlocks_unknown` are the others. success_interval: see `wilson`. None where there is
    nothing to average. Raises ValueError if `compat` meets episodes that were not judged by the bounded search.
    """
    if compat and any(episode.deadlocked_bounded is None for episode in episodes):
        raise ValueError('The published deadlock rate needs episodes played with the notion "bounded".')
    solved = [episode for episode in episodes if episode.solved]
    efficiency = [episode.optimal / max(episode.steps, 1) for episode in solved if episode.optimal is not None]
    calls = [count for episode in episodes for count in episode.model_calls]
    dead = [episode.deadlocked_bounded if compat else episode.deadlocked for episode in episodes]
    figures = {
        "split": split,
        "episodes": len(episodes),
        "success_rate": _mean([episode.solved for episode in episodes]),
        "move_efficiency": _mean(efficiency),
        "avg_plan_time_ms": _mean([time for episode in episodes for time in episode.plan_times_ms]),
        "avg_model_calls": _mean(calls),
        "max_model_calls": max(calls, default=0),
        "call_violations": sum(episode.call_violation for episode in episodes),
        "deadlock_rate": _mean([flag for flag in dead if flag is not None]),
        "avg_steps_solved": _mean([episode.steps for episode in solved]),
    }
    if compat:
        return {name: 0.0 if value is None else value for name, value in figures.items()}
    return figures | {
        "solved": len(solved),
        "success_interval": list(wilson(len(solved), len(episodes))),
        "time_violations": sum(episode.time_violation for episode in episodes),
        "illegal_actions": sum(episode.illegal_action for episode in episodes),
        "deadlocks_unknown": sum(flag is None for flag in dead),
    }


def over_seeds(summaries: Sequence[Mapping[str, Any]], compat: bool = False) -> dict[str, Any]:
    """One split's figures over several seeds: means with their spread (population deviation), the most predictions, sums.

    A mean is over the seeds that have the figure; `seeds_with_a_solution` are those that have an efficiency and steps. The
    success interval is that of the mean rate over the levels of one run: other seeds play the same levels, so they are no more
    evidence of what happens on new ones.
    """
    first = summaries[0]
    figures = {"split": first["split"], "episodes": first["episodes"]}
    for name in MEANS:
        values = [entry[name] for entry in summaries if entry[name] is not None]
        figures |= {name: _mean(values), f"{name}_std": float(np.std(values)) if values else None}
    figures["max_model_calls"] = max(entry["max_model_calls"] for entry in summaries)
    for name in SUMS[:1] if compat else SUMS:
        figures[name] = sum(entry[name] for entry in summaries)
    if compat:
        return figures
    figures["seeds_with_a_solution"] = sum(entry["solved"] > 0 for entry in summaries)
    rate = figures["success_rate"] or 0.0
    return figures | {"success_interval": list(wilson(rate * first["episodes"], first["episodes"]))}


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None


def report(
    name: str,
    forbidden: str | None,
    seeds: Sequence[int],
    limits: Limits,
    played: Mapping[str, Sequence[Sequence[Episode]]],
    compat: bool = False,
) -> dict[str, Any]:
    """What an evaluation says of an agent; `played` holds, by the name of a split, the episodes of each seed.

    `forbidden`: why the agent cannot be an entry. Without `compat`, `by_seed` holds the figures of each run.
    """
    runs = {split: [summary(split, episodes, compat) for episodes in runs] for split, runs in played.items()}
    head = {"agent": name, "seeds": list(seeds), "call_cap": limits.calls, "strict_calls": limits.strict}
    splits = {split: over_seeds(entries, compat) for split, entries in runs.items()}
    if compat:
        return head | {"splits": splits}
    return head | {"time_cap_ms": limits.milliseconds, "forbidden": forbidden, "splits": splits, "by_seed": runs}


def speed_tier(milliseconds: float) -> float:
    """What an agent earns for its mean time per act."""
    return next((tier for limit, tier in SPEED_TIERS if milliseconds < limit), 0.0)


def profile(report: Mapping[str, Any], reproducible: bool, compat: bool = False) -> dict[str, Any]:
    """The profile score of 0 to 100 of a report with the splits A to D. An efficiency of None earns nothing.

    The tie break is that of the rules, larger is better: success, efficiency, deadlocks; with `compat`, that of the published
    program. Raises ValueError if one of the splits is missing.
    """
    missing = [name for name in PROFILE_SPLITS if name not in report["splits"]]
    if missing:
        raise ValueError(f"A profile needs the splits A to D; the report lacks {', '.join(missing)}.")
    splits = [report["splits"][name] for name in PROFILE_SPLITS]
    success = [split["success_rate"] for split in splits]
    milliseconds = float(np.mean([split["avg_plan_time_ms"] or 0.0 for split in splits]))
    parts = {
        "S": success[0],
        "G": (success[1] + success[2]) / 2,
        "M": splits[0]["move_efficiency"] or 0.0,
        "P": speed_tier(milliseconds),
        "D": success[3],
        "R": float(reproducible),
    }
    dead = -sum(split["deadlock_rate"] or 0.0 for split in splits)
    tie_break = {"total_success": sum(success)}
    if compat:
        tie_break |= {"structural_generalization": success[2], "deadlock_rate": dead, "plan_time": -milliseconds}
    else:
        tie_break |= {"move_efficiency": sum(split["move_efficiency"] or 0.0 for split in splits), "deadlock_rate": dead}
    return {
        "agent": report["agent"],
        "components": parts,
        "mean_plan_time_ms": milliseconds,
        "call_violations": sum(split["call_violations"] for split in splits),
        "final_score": round(sum(WEIGHTS[name] * part for name, part in parts.items()), 2),
        "tie_break": tie_break,
    }


def standing(figures: Mapping[str, Any], submitted: float) -> tuple[float, ...]:
    """The place of an entry among others, to sort by, best first: success, then efficiency, then fewer deadlocks, then earlier.

    `figures`: those of one split, as from `over_seeds`; `submitted`: when, in seconds or anything that grows.
    """
    efficiency, dead = figures["move_efficiency"] or 0.0, figures["deadlock_rate"]
    return -figures["success_rate"], -efficiency, 1.0 if dead is None else dead, submitted
