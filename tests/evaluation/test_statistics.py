"""Statistics against rliable.metrics 1.2.0 (its values, recorded), scipy.stats, and hand counts."""

import doctest
import itertools
import math

import numpy as np
import pytest
import scipy.stats

from kagejax.evaluation import statistics

FIRST = np.array([[0.10, 0.95, 0.50], [0.40, 1.20, 0.55], [0.35, 0.90, 0.00], [0.80, 1.05, 0.65], [0.20, 0.99, 0.60]])
SECOND = np.array([[0.05, 0.95, 0.70], [0.40, 0.80, 0.75], [0.30, 1.00, 0.10], [0.15, 0.85, 0.50]])
"""Scores [runs, tasks] as rliable takes them; ours are per task."""


@pytest.mark.parametrize(
    ("statistic", "first", "second"),
    [
        (statistics.mean, 0.616, 0.5458333333333333),
        (statistics.median, 0.46, 0.5125),
        (statistics.iqm, 0.6333333333333333, 0.575),
        (statistics.optimality_gap, 0.4006666666666666, 0.4541666666666667),
    ],
)
def test_aggregates_are_those_of_rliable(statistic, first, second):
    assert statistic(list(FIRST.T)) == pytest.approx(first, abs=1e-12)
    assert statistic(list(SECOND.T)) == pytest.approx(second, abs=1e-12)


def test_the_optimality_gap_takes_another_target():
    assert statistics.optimality_gap(list(FIRST.T), 0.5) == pytest.approx(0.09666666666666668, abs=1e-12)


def test_the_probability_of_improvement_is_that_of_rliable():
    first, second = list(FIRST.T), list(SECOND.T)
    assert statistics.probability_of_improvement(first, second) == pytest.approx(0.6083333333333334, abs=1e-12)
    assert statistics.probability_of_improvement(second, first) == pytest.approx(0.39166666666666666, abs=1e-12)


def test_the_profile_is_the_run_score_distribution_of_rliable():
    profile = statistics.performance_profile(list(FIRST.T), np.array([0.0, 0.5, 0.95, 1.0]))
    assert profile == pytest.approx([0.9333333333333333, 0.6, 0.2, 0.13333333333333333], abs=1e-12)


@pytest.mark.parametrize("runs", [1, 2, 3, 4, 5, 7, 8, 11, 40])
def test_the_interquartile_mean_is_scipys_trimmed_mean(runs):
    scores = np.random.default_rng(runs).normal(size=runs)
    assert statistics.iqm([scores]) == pytest.approx(scipy.stats.trim_mean(scores, 0.25), abs=1e-12)


def test_the_standard_error_is_scipys():
    assert statistics.sem(FIRST.T) == pytest.approx(scipy.stats.sem(FIRST, axis=0), abs=1e-12)


def test_one_run_has_no_standard_error():
    assert math.isnan(statistics.sem(np.array([0.5])))


def test_the_probability_of_improvement_is_the_mann_whitney_u():
    generator = np.random.default_rng(0)
    ours, theirs = generator.integers(0, 5, 9).astype(float), generator.integers(0, 5, 6).astype(float)
    u = scipy.stats.mannwhitneyu(ours, theirs).statistic
    assert statistics.probability_of_improvement([ours], [theirs]) == pytest.approx(u / (9 * 6), abs=1e-12)


def test_draws_count_half():
    assert statistics.probability_of_improvement([np.array([1.0, 1.0])], [np.array([1.0])]) == 0.5


def test_methods_are_compared_on_the_same_tasks_only():
    with pytest.raises(ValueError, match="3 tasks of the first method stand against 2 of the second"):
        statistics.probability_of_improvement(list(FIRST.T), list(SECOND.T)[:2])


def test_tasks_may_have_different_numbers_of_runs():
    scores = [np.array([0.0, 1.0, 2.0]), np.array([10.0])]
    assert statistics.mean(scores) == 5.5  # of 1 and 10
    assert statistics.iqm(scores) == 1.5  # of 0, 1, 2, 10 without the ends
    assert statistics.performance_profile(scores, np.array([1.5])).tolist() == [0.5]


@pytest.mark.parametrize("statistic", [statistics.mean, statistics.median, statistics.iqm, statistics.optimality_gap])
def test_a_statistic_of_resamples_is_that_of_each_by_itself(statistic):
    replicates = statistics.resample(list(FIRST.T), replicates=7, seed=3)
    one_by_one = [statistic([task[r] for task in replicates]) for r in range(7)]
    assert statistic(replicates) == pytest.approx(one_by_one, abs=1e-12)


def test_profiles_of_resamples_are_those_of_each_by_itself():
    replicates = statistics.resample(list(FIRST.T), replicates=5, seed=3)
    thresholds = np.linspace(0, 1.2, 7)
    expected = [[np.mean(np.concatenate([task[r] for task in replicates]) > tau) for tau in thresholds] for r in range(5)]
    assert statistics.performance_profile(replicates, thresholds) == pytest.approx(np.array(expected), abs=1e-12)


def test_the_bootstrap_interval_is_scipys():
    scores = FIRST[:, 0]
    theirs = scipy.stats.bootstrap((scores,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1))
    ours = statistics.interval(statistics.mean(statistics.resample([scores], replicates=20_000, seed=2)))
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=0.01)


def test_the_bootstrap_of_three_runs_is_the_law_of_its_27_resamples():
    scores = np.array([0.0, 0.3, 1.0])
    exact = np.mean([np.mean(draw) <= 0.35 for draw in itertools.product(scores, repeat=3)])
    means = statistics.mean(statistics.resample([scores], replicates=50_000, seed=0))
    assert np.mean(means <= 0.35) == pytest.approx(exact, abs=0.01)


def test_tasks_of_one_stratum_draw_the_same_runs():
    scores = [np.array([1.0, 2.0, 3.0, 4.0]), np.array([10.0, 20.0, 30.0, 40.0]), np.array([1.0, 2.0, 3.0, 4.0])]
    one, two, three = statistics.resample(scores, ["a", "a", "b"], replicates=200, seed=5)
    assert (two == 10 * one).all()
    assert (three != one).any()


def test_shared_runs_make_a_wider_interval_than_runs_apart():
    scores = [np.array([0.0, 0.5, 1.0])] * 10
    reach = {}
    for name, strata in {"shared": ["a"] * 10, "apart": None}.items():
        low, high = statistics.interval(statistics.mean(statistics.resample(scores, strata, replicates=4000, seed=0)))
        reach[name] = high - low
    assert reach["shared"] > 2.5 * reach["apart"]  # of independent tasks: the root of 10


def test_two_sides_of_a_run_keep_together():
    sides = np.array([[1.0, 2.0, 3.0], [0.9, 1.9, 2.9]])
    (replicates,) = statistics.resample([sides], replicates=50, seed=0)
    assert replicates.shape == (50, 2, 3)
    assert replicates[:, 0] - replicates[:, 1] == pytest.approx(0.1)


def test_the_same_seed_draws_the_same_runs_whatever_the_scores():
    one = statistics.resample([FIRST[:, 0]], replicates=20, seed=7)[0]
    two = statistics.resample([10 * FIRST[:, 0]], replicates=20, seed=7)[0]
    other = statistics.resample([FIRST[:, 0]], replicates=20, seed=8)[0]
    assert two == pytest.approx(10 * one)
    assert (other != one).any()


def test_strata_of_unequal_sizes_and_tasks_without_runs_are_refused():
    with pytest.raises(ValueError, match="tasks of stratum 'a' have 2 runs and 3: they cannot share draws"):
        statistics.resample([np.zeros(2), np.zeros(3)], ["a", "a"], replicates=2, seed=0)
    with pytest.raises(ValueError, match="a task of stratum 0 has no run"):
        statistics.resample([np.zeros(0)], replicates=2, seed=0)


def test_a_gap_is_a_share_of_the_train_side():
    assert statistics.relative_gap(0.9, 0.42) == pytest.approx(0.5333333333333333)  # 53.3 %, as published
    assert statistics.relative_gap(0.5, 0.6) == pytest.approx(-0.2)
    assert np.isnan(statistics.relative_gap(np.array([0.0, -3.0]), 0.5)).all()


def test_an_interval_passes_over_replicates_that_are_undefined():
    values = np.array([[0.0, np.nan], [1.0, np.nan], [np.nan, np.nan]])
    low, high = statistics.interval(values, level=1.0)
    assert (low[0], high[0]) == (0.0, 1.0)
    assert np.isnan([low[1], high[1]]).all()
    assert statistics.undefined(values) == pytest.approx([1 / 3, 1.0])


def test_the_largest_comes_first_and_equals_share_their_places():
    ranks = statistics.ranks(np.array([0.5, 0.9, np.nan, 0.5]))
    assert ranks[[0, 1, 3]].tolist() == [2.5, 1.0, 2.5]
    assert math.isnan(ranks[2])


def test_the_example_in_its_description_holds():
    assert doctest.testmod(statistics).failed == 0
