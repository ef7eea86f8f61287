"""Figures of a run: accuracy with its interval, by level and by rule, the quality of lines, and what it took. SPEC 10.4.

Every puzzle that was asked for counts in every denominator once per sample, one whose request failed as a failure; these are
told apart in `outcomes`. With several samples of a puzzle, rates are means over all, and their intervals know that samples of
one puzzle are no independent evidence.
"""

import collections
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kagejax.envs.spatial.names import KINDS
from kagejax.evaluation.intervals import wilson

from . import lines
from .episodes import OUTCOMES, Episode
from .settings import Protocol

RULE_KINDS = ("dot", "gap", *KINDS)
LEVELS = (1, 2, 3, 4, 5)


def rate(hits: Mapping[str, Sequence[bool]]) -> dict[str, Any]:
    """A rate over all of `hits`, by puzzle, with an interval at 95 %.

    It is Wilson's, for as many independent trials as the spread between puzzles shows there to be: between the number of
    puzzles and that of episodes.
    """
    means = [statistics.fmean(values) for values in hits.values() if values]
    episodes = sum(map(len, hits.values()))
    successes = sum(map(sum, hits.values()))
    if not episodes:
        return {"rate": None, "interval": [0.0, 1.0], "successes": 0, "episodes": 0, "puzzles": 0}
    share, trials = successes / episodes, float(len(means))
    if episodes > len(means) > 1 and 0 < share < 1:
        spread = statistics.variance(means) / len(means)
        trials = min(max(share * (1 - share) / spread, trials), float(episodes)) if spread else float(episodes)
    interval = wilson(share * trials, trials)
    return {
        "rate": share,
        "interval": list(interval),
        "successes": successes,
        "episodes": episodes,
        "puzzles": len(means),
    }


def grouped(episodes: Iterable[Episode], value: Callable[[Episode], bool]) -> dict[str, list[bool]]:
    """What `value` says of episodes, by puzzle."""
    found: dict[str, list[bool]] = {}
    for episode in episodes:
        found.setdefault(episode.puzzle, []).append(bool(value(episode)))
    return found


def accuracy(episodes: Sequence[Episode]) -> dict[str, Any]:
    """How many were solved, and with several samples how many puzzles were solved at least once."""
    solved = grouped(episodes, lambda episode: episode.solved)
    figures = rate(solved)
    if figures["episodes"] > figures["puzzles"]:
        figures["solved_once"] = rate({puzzle: [any(values)] for puzzle, values in solved.items()})
    return figures


def report(
    settings: Mapping[str, Any],
    protocol: Protocol,
    episodes: Sequence[Episode],
    asked: int,
    choice: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """All figures, ready for JSON. `asked`: how many episodes the run has when it is complete.

    choice: what was evaluated, for `tables.choice`: source, levels, limit, puzzles, samples and what `runs.passed_over` tells.
    """
    levels = sorted({*LEVELS, *(episode.level for episode in episodes)})
    by_level = {str(level): accuracy([e for e in episodes if e.level == level]) for level in levels}
    by_kind = {kind: accuracy([e for e in episodes if kind in e.kinds]) for kind in RULE_KINDS}
    return {
        "settings": dict(settings),
        "choice": None if choice is None else dict(choice),
        "episodes": len(episodes),
        "asked": asked,
        "complete": len(episodes) == asked,
        "accuracy": accuracy(episodes),
        "by_level": by_level,
        "by_kind": by_kind,
        "failed_requests": _failures(episodes),
        "outcomes": {name: sum(episode.outcome == name for episode in episodes) for name in OUTCOMES},
        **(_steps(episodes, protocol) if protocol.stepwise else _answers(episodes)),
        "cost": _cost(episodes),
    }


def _failures(episodes: Sequence[Episode]) -> dict[str, Any]:
    """Episodes whose request failed: how many, why, the most frequent reason first, and the reason of the latest."""
    failed = sorted((e for e in episodes if not e.finished), key=lambda episode: episode.began)
    reasons = [episode.turns[-1].failure if episode.turns else "" for episode in failed]
    return {
        "episodes": len(failed),
        "reasons": dict(collections.Counter(reasons).most_common()),
        "last": reasons[-1] if reasons else None,
    }


def _answers(episodes: Sequence[Episode]) -> dict[str, Any]:
    """Of whole answers: what the lenient parser makes of them, and the quality of lines."""
    quality = {
        name: rate(grouped(episodes, lambda episode, name=name: episode.line[name])) for name in (*lines.PUBLISHED, *lines.OURS)
    }
    return {
        "lenient_accuracy": rate(grouped(episodes, lambda episode: episode.solved_leniently)),
        "reached_end": rate(grouped(episodes, reached_end)),
        "lines": quality,
        "invalid_path_rate": _mean([not episode.line["fully_valid_path"] for episode in episodes]),
        "positions": _spread([len(episode.path) for episode in episodes if episode.path]),
    }


def _steps(episodes: Sequence[Episode], protocol: Protocol) -> dict[str, Any]:
    """Of episodes step by step: how they ended, how long they were, how replies were read."""
    turns = [turn for episode in episodes for turn in episode.turns if not turn.failure]
    ratios = [ratio for episode in episodes if (ratio := backtracking_ratio(episode, protocol.max_steps)) is not None]
    return {
        "reached_end": rate(grouped(episodes, reached_end)),
        "stuck": rate(grouped(episodes, lambda episode: episode.outcome == "stuck")),
        "step_limit": rate(grouped(episodes, lambda episode: episode.outcome == "step limit")),
        "steps": _spread([episode.steps for episode in episodes]),
        "illegal_moves": _mean([episode.illegal for episode in episodes]),
        "backtracks": _mean([episode.backtracks for episode in episodes]),
        "backtracking_ratio": _spread(ratios),
        "replies": len(turns),
        "replies_without_action": sum(turn.action is None for turn in turns),
        "replies_without_action_lenient": sum(turn.lenient_action is None for turn in turns),
        "replies_read_differently": sum(turn.action != turn.lenient_action for turn in turns),
    }


def reached_end(episode: Episode) -> bool:
    """Whether the line came to the end; that of a whole answer may be broken."""
    return episode.line["starts_at_start_ends_at_exit"]


def backtracking_ratio(episode: Episode, max_steps: int = 100) -> float | None:
    """Steps taken for each edge of the path without its loops.

    None for runs to the step limit, as published, and for paths without an edge.
    """
    edges = len(without_loops(episode.walk)) - 1
    return episode.steps / edges if episode.steps < max_steps and edges > 0 else None


def without_loops(walk: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Positions of a walk; one that is come to again cuts off all since it was there first."""
    path: list[tuple[int, int]] = []
    for position in walk:
        if position in path:
            del path[path.index(position) + 1 :]
        else:
            path.append(position)
    return path


def _cost(episodes: Sequence[Episode]) -> dict[str, Any]:
    """Requests, tokens and time of all episodes."""
    turns = [turn for episode in episodes for turn in episode.turns]
    errors = [attempt.error for turn in turns for attempt in turn.attempts]
    return {
        "requests": len(turns) - sum(bool(turn.failure) for turn in turns) + len(errors),
        "failed_attempts": len(errors),
        "errors": {error: errors.count(error) for error in sorted(set(errors))},
        "cut_off_replies": sum(turn.finish == "length" for turn in turns),
        "prompt_tokens": sum(turn.prompt_tokens for turn in turns),
        "completion_tokens": sum(turn.completion_tokens for turn in turns),
        "reasoning_tokens": sum(turn.reasoning_tokens for turn in turns),
        "seconds": _spread([episode.seconds for episode in episodes]),
        "seconds_waited": sum(attempt.waited for turn in turns for attempt in turn.attempts),
    }


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def _spread(values: Sequence[float]) -> dict[str, float] | None:
    if not values:
        return None
    return {"mean": statistics.fmean(values), "median": statistics.median(values), "min": min(values), "max": max(values)}
