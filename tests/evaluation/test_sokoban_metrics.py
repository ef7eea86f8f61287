"""Figures of episodes against the oracle's, and what is reported where there is nothing to average."""

import numpy as np
import pytest

from kagejax.evaluation import intervals
from kagejax.evaluation.sokoban import metrics
from kagejax.evaluation.sokoban.episodes import Episode, Limits
from tests.oracles import sokoban_evaluation, sokoban_golden

RECORDED = sokoban_golden.document("eval_cases")
SOLVED = Episode(True, 4, 2, False, (10.0, 20.0), (5, 9), False, False)
LOST = Episode(False, 80, 2, True, (30.0,), (300,), True, True)


def drawn(random):
    """An episode and the same in the oracle's form."""
    acts, solved = int(random.integers(1, 6)), bool(random.integers(2))
    times, calls = tuple(random.uniform(0, 90, acts)), tuple(random.integers(0, 300, acts).tolist())
    steps, optimal, dead, violation = (
        acts,
        int(random.integers(1, 4)),
        not solved and bool(random.integers(2)),
        max(calls) > 256,
    )
    ours = Episode(solved, steps, optimal, not dead, times, calls, violation, deadlocked_bounded=dead)
    return ours, sokoban_evaluation.Result(solved, steps, optimal, dead, times, calls, violation)


@pytest.mark.parametrize("seed", range(5))
def test_published_figures_are_those_of_the_oracle(seed):
    random = np.random.default_rng(seed)
    runs = [[drawn(random) for _ in range(random.integers(1, 8))] for _ in range(3)]
    ours = [metrics.summary("x", [episode for episode, _ in run], compat=True) for run in runs]
    theirs = [sokoban_evaluation.summary("x", [result for _, result in run]) for run in runs]
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.pop("split") == other.pop("split")
        assert mine == pytest.approx(other, rel=1e-12)
    named = [[{"split": "x", **entry} for entry in side] for side in (ours, theirs)]
    mine, other = metrics.over_seeds(named[0], compat=True), sokoban_evaluation.over_seeds(named[1])
    assert mine.pop("split") == other.pop("split")
    assert mine == pytest.approx(other, rel=1e-12)


def test_figures_of_a_split():
    summary = metrics.summary("split_A", [SOLVED, LOST])
    low, high = summary.pop("success_interval")
    assert (low, high) == (pytest.approx(0.0945312, abs=1e-6), pytest.approx(0.9054688, abs=1e-6))
    assert summary == {
        "split": "split_A",
        "episodes": 2,
        "success_rate": 0.5,
        "move_efficiency": 0.5,
        "avg_plan_time_ms": 20.0,
        "avg_model_calls": pytest.approx(314 / 3),
        "max_model_calls": 300,
        "call_violations": 1,
        "deadlock_rate": 0.5,
        "avg_steps_solved": 4.0,
        "solved": 1,
        "time_violations": 0,
        "illegal_actions": 0,
        "deadlocks_unknown": 0,
    }


def test_nothing_solved_has_no_efficiency():
    summary = metrics.summary("split_A", [LOST, LOST])
    assert (summary["move_efficiency"], summary["avg_steps_solved"], summary["success_rate"]) == (None, None, 0.0)
    published = metrics.summary("split_A", [LOST, LOST], compat=True)
    assert (published["move_efficiency"], published["avg_steps_solved"]) == (0.0, 0.0)


def test_seeds_without_a_solution_do_not_pull_the_efficiency_down():
    runs = [[SOLVED], [LOST], [LOST]]
    report = metrics.over_seeds([metrics.summary("split_A", run) for run in runs])
    assert (report["move_efficiency"], report["move_efficiency_std"], report["seeds_with_a_solution"]) == (0.5, 0.0, 1)
    assert (report["success_rate"], report["call_violations"]) == (pytest.approx(1 / 3), 2)
    nowhere = metrics.over_seeds([metrics.summary("split_A", run) for run in runs[1:]])
    assert (nowhere["move_efficiency"], nowhere["move_efficiency_std"], nowhere["seeds_with_a_solution"]) == (None, None, 0)
    published = metrics.over_seeds([metrics.summary("split_A", run, compat=True) for run in runs], compat=True)
    assert published["move_efficiency"] == pytest.approx(1 / 6)


def test_boards_that_may_be_dead_are_counted_apart():
    summary = metrics.summary("split_E", [SOLVED, LOST, LOST._replace(deadlocked=None)])
    assert (summary["deadlock_rate"], summary["deadlocks_unknown"]) == (0.5, 1)


def test_levels_of_unknown_length_have_no_efficiency():
    assert metrics.summary("x", [SOLVED, SOLVED._replace(optimal=None, steps=9)])["move_efficiency"] == 0.5


def test_the_published_deadlock_rate_needs_the_published_search():
    with pytest.raises(ValueError, match='played with the notion "bounded"'):
        metrics.summary("x", [SOLVED._replace(deadlocked_bounded=None)], compat=True)


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    [
        (14, 50, (0.1747, 0.4167)),
        (0, 20, (0.0, 0.1611)),
        (100, 100, (0.9630, 1.0)),
        (47, 100, (0.3751, 0.5671)),
        (0, 0, (0, 1)),
    ],
)
def test_wilson_intervals(successes, trials, expected):
    assert intervals.wilson(successes, trials) == pytest.approx(expected, abs=1e-4)


def test_more_seeds_on_the_same_levels_do_not_narrow_the_interval():
    one = metrics.summary("x", [SOLVED, LOST, LOST, LOST])
    assert metrics.over_seeds([one] * 5)["success_interval"] == one["success_interval"]


@pytest.mark.parametrize(("milliseconds", "tier"), RECORDED["speed_tiers"])
def test_recorded_speed_tiers_are_the_same(milliseconds, tier):
    assert metrics.speed_tier(milliseconds) == tier


@pytest.mark.parametrize("case", RECORDED["score_cases"])
def test_recorded_profiles_come_out_again(case):
    profile = metrics.profile(case["results"], case["reproducible"], compat=True)
    assert profile["final_score"] == {True: 69.0, False: 64.0}[case["reproducible"]]
    for part in ("components", "tie_break"):
        assert profile.pop(part) == pytest.approx(case["score"][part], rel=1e-12)
    assert profile == {key: value for key, value in case["score"].items() if key not in ("components", "tie_break")}


def test_the_tie_break_is_that_of_the_rules():
    case = RECORDED["score_cases"][0]["results"]
    tie_break = metrics.profile(case, True)["tie_break"]
    assert list(tie_break) == ["total_success", "move_efficiency", "deadlock_rate"]
    assert tie_break == pytest.approx({"total_success": 2.3, "move_efficiency": 2.0, "deadlock_rate": -1.0})


def test_a_profile_without_solutions_is_a_number():
    split = metrics.over_seeds([metrics.summary("x", [LOST])])
    report = {"agent": "x", "splits": dict.fromkeys(metrics.PROFILE_SPLITS, split)}
    assert metrics.profile(report, False)["final_score"] == 10.0  # for 30 ms an act


def test_a_profile_needs_all_its_splits():
    with pytest.raises(ValueError, match="lacks split_B, split_D"):
        metrics.profile({"agent": "x", "splits": {"split_A": {}, "split_C": {}}}, True)


def test_entries_stand_by_success_then_efficiency_then_deadlocks_then_date():
    figures = {"success_rate": 0.5, "move_efficiency": 0.5, "deadlock_rate": 0.5}
    order = [
        ({**figures, "success_rate": 0.6, "move_efficiency": 0.1}, 9),
        ({**figures, "move_efficiency": 0.6, "deadlock_rate": 0.9}, 8),
        ({**figures, "deadlock_rate": 0.1}, 7),
        (figures, 5),
        (figures, 6),
        ({**figures, "deadlock_rate": None}, 1),
        ({**figures, "success_rate": 0.0, "move_efficiency": None}, 0),
    ]
    places = [metrics.standing(*entry) for entry in order]
    assert places == sorted(places)


def test_a_report_keeps_the_runs_of_each_seed():
    played = {"split_A": [[SOLVED], [LOST]]}
    report = metrics.report("mine", None, (0, 1), Limits(milliseconds=500.0), played)
    assert [run["success_rate"] for run in report["by_seed"]["split_A"]] == [1.0, 0.0]
    assert (report["call_cap"], report["time_cap_ms"], report["forbidden"]) == (256, 500.0, None)


def test_a_published_report_has_the_published_keys_alone():
    report = metrics.report("mine", None, (0,), Limits(), {"split_A": [[SOLVED]]}, compat=True)
    assert list(report) == ["agent", "seeds", "call_cap", "strict_calls", "splits"]
    assert {"success_interval", "solved", "deadlocks_unknown"}.isdisjoint(report["splits"]["split_A"])
