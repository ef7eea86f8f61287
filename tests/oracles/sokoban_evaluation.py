"""Oracle of the evaluation harness of Sokoban: episodes with a cap on predictions, and the figures that come of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import sokoban, sokoban_search
from .sokoban import Board, Game

CALL_CAP = 256
SPEED_TIERS = ((50, 1.0), (100, 0.8), (200, 0.6), (500, 0.4))  # milliseconds below which an agent earns so much
PROFILE_SPLITS = ("split_A", "split_B", "split_C", "split_D")
MEANS = ("success_rate", "move_efficiency", "avg_plan_time_ms", "avg_model_calls", "deadlock_rate", "avg_steps_solved")


class Act(NamedTuple):
    """What an agent does in one step, and what it took."""

    action: int
    calls: int = 0  # predictions
    milliseconds: float = 0.0


class Result(NamedTuple):
    """What an episode came to."""

    solved: bool
    steps: int  # executed
    optimal: int
    deadlocked: bool
    plan_times_ms: tuple[float, ...]  # one for each act, executed or not
    model_calls: tuple[int, ...]
    call_violation: bool


def run(
    text: str,
    optimal_length: int,
    max_steps: int,
    acts: Iterable[Act],
    cap: int | None = CALL_CAP,
    strict: bool = True,
    dead: Callable[[Board, Game], bool] = sokoban_search.bounded_dead,
) -> Result:
    """One episode. An act above the cap counts as a violation; if `strict` it is not executed and ends the episode unsolved.

    `dead` is asked after each push until it says yes once.
    """
    board, game = sokoban.parse(text)
    agent, taken = iter(acts), []
    solved, done = (sokoban.is_solved(board, game.boxes),) * 2
    deadlocked = violation = False
    while not done:
        taken.append(next(agent))
        if cap is not None and taken[-1].calls > cap:
            violation = True
            if strict:
                break
        game, outcome = sokoban.step(board, game, taken[-1].action, max_steps)
        solved, done = outcome.solved, outcome.done
        if outcome.pushed and not deadlocked:
            deadlocked = dead(board, game)
    return Result(
        solved=solved,
        steps=game.t,
        optimal=optimal_length,
        deadlocked=deadlocked,
        plan_times_ms=tuple(act.milliseconds for act in taken),
        model_calls=tuple(act.calls for act in taken),
        call_violation=violation,
    )


def summary(split: str, results: Sequence[Result]) -> dict[str, Any]:
    """Figures of a split; means over nothing are 0."""
    solved = [result for result in results if result.solved]
    calls = [count for result in results for count in result.model_calls]
    return {
        "split": split,
        "episodes": len(results),
        "success_rate": _mean([result.solved for result in results]),
        "move_efficiency": _mean([result.optimal / max(result.steps, 1) for result in solved]),
        "avg_plan_time_ms": _mean([time for result in results for time in result.plan_times_ms]),
        "avg_model_calls": _mean(calls),
        "max_model_calls": max(calls, default=0),
        "call_violations": sum(result.call_violation for result in results),
        "deadlock_rate": _mean([result.deadlocked for result in results]),
        "avg_steps_solved": _mean([result.steps for result in solved]),
    }


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0


def over_seeds(summaries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One split's figures over several seeds: means with their spread, the most predictions, all violations."""
    report = {name: summaries[0][name] for name in ("split", "episodes")}
    for name in MEANS:
        values = [summary[name] for summary in summaries]
        report |= {name: float(np.mean(values)), f"{name}_std": float(np.std(values))}
    report["max_model_calls"] = max(summary["max_model_calls"] for summary in summaries)
    report["call_violations"] = sum(summary["call_violations"] for summary in summaries)
    return report


def speed_tier(milliseconds: float) -> float:
    return next((tier for limit, tier in SPEED_TIERS if milliseconds < limit), 0.0)


def profile(report: Mapping[str, Any], reproducible: bool) -> dict[str, Any]:
    """The profile score of 0 to 100 of a report {agent, splits}. Raises ValueError if it lacks one of the splits A to D."""
    missing = [name for name in PROFILE_SPLITS if name not in report["splits"]]
    if missing:
        raise ValueError(f"the report lacks {', '.join(missing)}")
    splits = [report["splits"][name] for name in PROFILE_SPLITS]
    success = [split["success_rate"] for split in splits]
    milliseconds = float(np.mean([split["avg_plan_time_ms"] for split in splits]))
    parts = {
        "S": success[0],
        "G": (success[1] + success[2]) / 2,
        "M": splits[0]["move_efficiency"],
        "P": speed_tier(milliseconds),
        "D": success[3],
        "R": float(reproducible),
    }
    weights = {"S": 45, "G": 20, "M": 10, "P": 10, "D": 10, "R": 5}
    return {
        "agent": report["agent"],
        "components": parts,
        "mean_plan_time_ms": milliseconds,
        "call_violations": sum(split["call_violations"] for split in splits),
        "final_score": round(sum(weights[name] * part for name, part in parts.items()), 2),
        "tie_break": {
            "total_success": sum(success),
            "structural_generalization": success[2],
            "deadlock_rate": -sum(split["deadlock_rate"] for split in splits),
            "plan_time": -milliseconds,
        },
    }
