"""The Sokoban oracle's harness and data set against recorded cases of the reference."""

import itertools

import numpy as np
import pytest

from . import sokoban, sokoban_dataset, sokoban_evaluation, sokoban_golden, sokoban_search
from .sokoban_dataset import Episode
from .sokoban_evaluation import Act, Result

CASES = sokoban_golden.cases()
RECORDED = sokoban_golden.document("eval_cases")
DEAD = {"bounded": sokoban_search.bounded_dead, "exact": sokoban_search.exactly_dead}
SHARD = sokoban_golden.archive("shard_small")
SIDECAR = sokoban_golden.document("shard_small")
TUNNEL = "######\n#@$ .#\n######"


def run(case, mode, dead) -> Result:
    cap = RECORDED["call_cap"]
    return sokoban_evaluation.run(case.text, case.optimal_length, case.max_steps, case.acts, cap, mode == "strict", dead)


def assert_same_figures(summary, recorded):
    """Whether all figures but the time, which was not recorded, are those of a recorded summary."""
    assert summary.keys() == recorded.keys() | {"avg_plan_time_ms"}
    assert summary["split"] == recorded["split"]
    names = recorded.keys() - {"split"}
    assert {name: summary[name] for name in names} == pytest.approx({name: recorded[name] for name in names}, rel=1e-12)


@pytest.mark.parametrize("notion", DEAD)
@pytest.mark.parametrize("mode", ["strict", "lenient"])
def test_recorded_episodes_of_the_harness_come_out_again(mode, notion):
    results = [run(case, mode, DEAD[notion]) for case in CASES]
    for case, result in zip(CASES, results, strict=True):
        assert case.episodes[mode] == {
            "solved": result.solved,
            "steps": result.steps,
            "optimal": result.optimal,
            "deadlocked": result.deadlocked,
            "model_calls": [min(result.model_calls), max(result.model_calls)],
            "call_violation": result.call_violation,
            "n_actions_requested": len(result.model_calls),
        }
    summary = sokoban_evaluation.summary("golden_eval", results)
    assert_same_figures(summary, RECORDED["results"][mode]["summary"])


@pytest.mark.parametrize("notion", DEAD)
@pytest.mark.parametrize("split", ["W", "S", "A", "D"])
def test_recorded_summaries_of_the_random_agent_come_out_again(split, notion):
    rng = np.random.default_rng(0)
    agent = (Act(int(rng.integers(4))) for _ in itertools.count())
    levels = [level for level in sokoban_golden.levels().values() if level.split == split]
    results = [
        sokoban_evaluation.run(level.text, level.optimal_length, level.max_steps, agent, dead=DEAD[notion]) for level in levels
    ]
    summary = sokoban_evaluation.summary(f"split_{split}", results)
    assert_same_figures(summary, RECORDED["random_agent_numpy_seed0"][split])


@pytest.mark.parametrize("case", RECORDED["score_cases"])
def test_recorded_profiles_come_out_again(case):
    profile = sokoban_evaluation.profile(case["results"], case["reproducible"])
    for part in ("components", "tie_break"):
        assert profile.pop(part) == pytest.approx(case["score"][part], rel=1e-12)
    assert profile == {key: value for key, value in case["score"].items() if key not in ("components", "tie_break")}


def test_a_profile_needs_all_its_splits():
    with pytest.raises(ValueError, match="the report lacks split_B, split_D"):
        sokoban_evaluation.profile({"agent": "x", "splits": {"split_A": {}, "split_C": {}}}, True)


@pytest.mark.parametrize(("milliseconds", "tier"), RECORDED["speed_tiers"])
def test_recorded_speed_tiers_are_the_same(milliseconds, tier):
    assert sokoban_evaluation.speed_tier(milliseconds) == tier


def test_an_episode_that_starts_solved_takes_no_step():
    result = sokoban_evaluation.run("####\n#@*#\n####", 0, 40, [])
    assert result == Result(True, 0, 0, False, (), (), False)


def test_exactly_the_cap_is_no_violation():
    result = sokoban_evaluation.run(TUNNEL, 2, 40, [Act(sokoban.RIGHT, 256)] * 2)
    assert (result.solved, result.call_violation) == (True, False)


def test_without_a_cap_nothing_is_a_violation():
    result = sokoban_evaluation.run(TUNNEL, 2, 40, [Act(sokoban.RIGHT, 10_000)] * 2, cap=None)
    assert (result.solved, result.call_violation) == (True, False)


def test_an_act_above_the_cap_is_charged_but_not_executed():
    result = sokoban_evaluation.run(TUNNEL, 2, 40, [Act(sokoban.RIGHT, 1, 5.0), Act(sokoban.RIGHT, 257, 7.0)])
    assert result == Result(False, 1, 2, False, (5.0, 7.0), (1, 257), True)


def test_an_action_that_is_none_is_an_error():
    with pytest.raises(ValueError, match="no action 4"):
        sokoban_evaluation.run(TUNNEL, 2, 40, [Act(4)])


def test_figures_over_seeds_are_means_with_their_spread():
    solved, lost = Result(True, 4, 2, False, (10.0,), (5,), False), Result(False, 80, 2, True, (30.0,), (9,), True)
    report = sokoban_evaluation.over_seeds([sokoban_evaluation.summary("split_W", [result]) for result in (solved, lost)])
    assert report == {
        "split": "split_W",
        "episodes": 1,
        "success_rate": 0.5,
        "success_rate_std": 0.5,
        "move_efficiency": 0.25,
        "move_efficiency_std": 0.25,
        "avg_plan_time_ms": 20.0,
        "avg_plan_time_ms_std": 10.0,
        "avg_model_calls": 7.0,
        "avg_model_calls_std": 2.0,
        "deadlock_rate": 0.5,
        "deadlock_rate_std": 0.5,
        "avg_steps_solved": 2.0,
        "avg_steps_solved_std": 2.0,
        "max_model_calls": 9,
        "call_violations": 1,
    }


def recorded_episodes() -> list[Episode]:
    """The episodes of the recorded shard."""
    ends = SHARD["episode_starts"] + SHARD["episode_lens"] - 1
    return [
        Episode(str(text), SHARD["actions"][start:end].tolist(), int(kind))
        for text, start, end, kind in zip(SHARD["levels"], SHARD["episode_starts"], ends, SHARD["kind"], strict=True)
    ]


def test_the_recorded_shard_is_made_again():
    arrays = sokoban_dataset.shard(recorded_episodes())
    assert arrays.keys() == SHARD.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, SHARD[name], err_msg=name)
        assert array.dtype == SHARD[name].dtype, name
    assert sokoban_dataset.sidecar(arrays, 11, 0, 8, 3, (0.5, 0.3, 0.2)) == SIDECAR


def test_the_last_picture_of_each_recorded_episode_has_no_action():
    ends = SHARD["episode_starts"] + SHARD["episode_lens"] - 1
    np.testing.assert_array_equal(np.flatnonzero(SHARD["actions"] == sokoban_dataset.NO_ACTION), ends)


def test_recorded_episodes_have_the_actions_of_their_kind():
    for episode, solved in zip(recorded_episodes(), SHARD["solved"], strict=True):
        solution = sokoban_search.solution(*sokoban.parse(episode.text))
        assert 2 <= len(solution) <= 30
        if episode.kind == sokoban_dataset.SOLVER:
            assert episode.actions == solution
        elif episode.kind == sokoban_dataset.PERTURBED:
            rest = iter(episode.actions)
            assert solved or len(episode.actions) == len(solution) + sokoban_dataset.INSERTED
            assert solved or all(action in rest for action in solution)
        else:
            assert solved or len(episode.actions) == 80


def test_drawn_episodes_have_the_actions_of_their_kind():
    solution, rng = [0, 1, 2, 3], np.random.default_rng(0)
    assert sokoban_dataset.actions_of(sokoban_dataset.SOLVER, rng, solution, 80) == solution
    assert len(sokoban_dataset.actions_of(sokoban_dataset.RANDOM, rng, solution, 80)) == 80
    perturbed = sokoban_dataset.actions_of(sokoban_dataset.PERTURBED, rng, solution, 80)
    rest = iter(perturbed)
    assert len(perturbed) == 7
    assert all(action in rest for action in solution)
