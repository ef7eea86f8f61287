"""Figures of sweeps, by hand, and what their intervals know of shared runs and paired sides."""

import math

import numpy as np
import pytest

from kagejax.evaluation.benchmark import comparison, summary
from kagejax.evaluation.benchmark import sweep as sweeps
from kagejax.evaluation.benchmark.analysis import fate
from kagejax.evaluation.benchmark.metrics import METRICS, available
from kagejax.evaluation.benchmark.summary import Bootstrap
from tests.evaluation import benchmark_cases as cases

FEW = Bootstrap(replicates=400, seed=0)


def figures(folder, metric="success_once", value="max", bootstrap=FEW, **options):
    sweep = sweeps.read(cases.make_sweep(folder, **options))
    return summary.summarize(sweep, METRICS[metric], value, bootstrap)


def test_a_pair_has_mean_and_standard_error_over_its_seeds(tmp_path):
    pair = figures(tmp_path / "sweep").pairs[0]
    assert (pair.seeds, pair.trapped) == (3, 0)
    assert pair.train == pytest.approx((0.82, 0.01 / math.sqrt(3)))  # 0.81, 0.82, 0.83
    assert pair.eval == pytest.approx((0.41, 0.005 / math.sqrt(3)))
    assert pair.difference == pytest.approx((0.41, 0.005 / math.sqrt(3)))  # 0.405, 0.41, 0.415
    assert pair.gap.value == pytest.approx(0.5)


@pytest.mark.parametrize(("metric", "gap"), [("passed_distance", 0.25), ("progress", 0.25), ("return", 200.0)])
def test_gaps_are_shares_of_the_train_side_but_for_the_return(tmp_path, metric, gap):
    assert figures(tmp_path / "sweep", metric).pairs[0].gap.value == pytest.approx(gap)


def by_pair(run, seed, step, configuration, train):
    """Eval success of 0.4, 0.2 and 0.6 on the pairs, train success of 0.8 (light) and 0.6 (sound), growing with the seed."""
    evals = {"fake/light/1/eval": 0.4, "fake/light/2/eval": 0.2, "fake/sound/1/eval": 0.6}
    mean = (0.8 if "light" in run else 0.6) if configuration == train else evals[configuration]
    return {"success_once": mean + 0.01 * (seed - 2), "return": 0.0}


def test_an_axis_is_the_mean_of_its_pairs_with_the_error_across_them(tmp_path):
    light, sound = figures(tmp_path / "sweep", values=by_pair).axes
    assert light.axis == "light"
    assert light.eval == pytest.approx((0.3, 0.1))  # of 0.4 and 0.2: deviation 0.1414 over the root of 2
    assert light.gap.value == pytest.approx((0.8 - 0.3) / 0.8)
    assert sound.eval.mean == pytest.approx(0.6)
    assert math.isnan(sound.eval.sem)
    assert [light.rank.value, sound.rank.value] == [1, 2]


def test_the_train_side_of_an_axis_with_one_run_has_no_spread_across_pairs(tmp_path):
    light = figures(tmp_path / "shared", values=by_pair).axes[0]
    assert light.train.mean == pytest.approx(0.8)
    assert math.isnan(light.train.sem)
    apart = figures(tmp_path / "apart", values=by_pair, shared=False).axes[0]
    assert apart.train.sem == pytest.approx(0.0)


@pytest.mark.parametrize("state", ["missing", "bare", "running", "interrupted", "failed"])
def test_what_is_not_finished_is_in_no_mean(tmp_path, state):
    pair = figures(tmp_path / "sweep", unfinished={("fake-light-1", 3): state}).pairs[0]
    assert pair.seeds == 2
    assert pair.train.mean == pytest.approx(0.815)


def test_a_pair_without_a_finished_run_is_named_and_in_no_mean(tmp_path):
    unfinished = {("fake-light-2", seed): "missing" for seed in (1, 2, 3)}
    found = figures(tmp_path / "sweep", values=by_pair, shared=False, unfinished=unfinished)
    assert [pair.id for pair in found.without] == ["fake/light/2"]
    light = found.axes[0]
    assert ([pair.id for pair in light.pairs], [pair.id for pair in light.without]) == (["fake/light/1"], ["fake/light/2"])
    assert light.eval.mean == pytest.approx(0.4)


def test_without_any_finished_run_there_are_no_figures(tmp_path):
    unfinished = {(run, seed): "failed" for run in ("fake-light-1", "fake-sound-1") for seed in (1, 2, 3)}
    found = figures(tmp_path / "sweep", unfinished=unfinished)
    assert (found.pairs, found.axes, len(found.without)) == ((), (), 3)


def test_gaps_are_paired_by_seed(tmp_path):
    """Both sides of a seed are drawn together: here each gap is 50 % exactly, however much the sides vary."""
    pair = figures(tmp_path / "sweep").pairs[0]
    assert (pair.gap.low, pair.gap.high) == pytest.approx((0.5, 0.5))


def by_seed(run, seed, step, configuration, train):
    return {"success_once": {1: 0.2, 2: 0.5, 3: 0.8}[seed], "return": 0.0}


def test_pairs_that_share_a_run_make_the_interval_of_their_axis_no_narrower(tmp_path):
    """Ten pairs on one run know no more than one pair; on runs of their own they do."""
    pairs = [(f"fake/light/{number}", "light", "a -> b") for number in range(1, 11)]
    reach = {}
    for name, shared in (("shared", True), ("apart", False)):
        axis = figures(tmp_path / name, values=by_seed, pairs=pairs, shared=shared, bootstrap=Bootstrap(2000, 0)).axes[0]
        reach[name] = axis.train_spread.high - axis.train_spread.low
    one = figures(tmp_path / "one", values=by_seed, pairs=pairs[:1], bootstrap=Bootstrap(2000, 0)).pairs[0]
    assert one.seeds == 3
    assert reach["shared"] == pytest.approx(0.6, abs=0.01)  # from three draws of the worst seed to three of the best
    assert reach["apart"] < 0.35 * reach["shared"]


def test_one_seed_has_no_interval(tmp_path):
    found = figures(tmp_path / "sweep", seeds=(1,))
    estimates = [found.pairs[0].gap, found.axes[0].gap, found.axes[0].rank, found.overall["train"].iqm]
    assert all(math.isnan(estimate.low) and not math.isnan(estimate.value) for estimate in estimates)
    assert np.isnan(found.profiles["train"].low).all()


def half_learned(run, seed, step, configuration, train):
    return {"success_once": 0.0 if seed < 3 else 1.0 if configuration == train else 0.5, "return": 0.0}


def test_resamples_without_a_gap_are_counted(tmp_path):
    gap = figures(tmp_path / "sweep", values=half_learned, bootstrap=Bootstrap(4000, 0)).pairs[0].gap
    assert gap.undefined == pytest.approx(8 / 27, abs=0.03)  # three draws of the two seeds that learned nothing
    assert (gap.value, gap.low, gap.high) == pytest.approx((0.5, 0.5, 0.5))


def test_aggregates_are_over_runs_or_means_of_pairs(tmp_path):
    overall = figures(tmp_path / "sweep", values=by_pair).overall
    # Train: 0.79, 0.80, 0.81 twice, and 0.59, 0.60, 0.61; of nine values two are cut at each end.
    assert overall["train"].mean.value == pytest.approx(2.2 / 3)
    assert overall["train"].median.value == pytest.approx(0.8)
    assert overall["train"].iqm.value == pytest.approx((0.61 + 0.79 + 0.79 + 0.8 + 0.8) / 5)
    assert overall["train"].optimality_gap.value == pytest.approx(1 - 2.2 / 3)
    assert figures(tmp_path / "return", "return").overall["eval"].optimality_gap is None


def test_a_profile_is_the_share_of_runs_above_each_score(tmp_path):
    profile = figures(tmp_path / "sweep", values=by_pair).profiles["eval"]
    shares = dict(zip(profile.scores.round(2).tolist(), profile.share.tolist(), strict=True))
    assert (shares[0.0], shares[0.3], shares[0.5], shares[0.9]) == pytest.approx((1, 6 / 9, 3 / 9, 0))
    assert (profile.low <= profile.share + 1e-12).all() and (profile.share <= profile.high + 1e-12).all()


def test_the_same_seed_of_the_bootstrap_gives_the_same_intervals(tmp_path):
    sweep = sweeps.read(cases.make_sweep(tmp_path / "sweep", values=by_seed))
    one, two, other = (
        summary.summarize(sweep, METRICS["success_once"], "max", Bootstrap(50, seed)).overall["train"].iqm for seed in (1, 1, 2)
    )
    assert one == two != other


def outcome(train, success_gap, distance_gap):
    nothing = summary.Side(train, math.nan)
    success, distance = (
        summary.PairFigures(None, 3, 0, nothing, nothing, nothing, summary.Estimate(gap, math.nan, math.nan))
        for gap in (success_gap, distance_gap)
    )
    return fate(success, distance)


@pytest.mark.parametrize(
    ("train", "success_gap", "distance_gap", "name"),
    [
        (0.9, 0.05, 0.0, "transfers"),
        (0.9, -0.2, 0.0, "transfers"),
        (0.9, 0.3, 0.1, "suffers"),
        (0.9, 0.87, 0.12, "success lost, distance kept"),
        (0.9, 0.99, 0.85, "success and distance lost"),
        (0.4, 0.9, 0.9, "not learned"),
        (0.0, math.nan, math.nan, "not learned"),
    ],
)
def test_what_becomes_of_a_pair(train, success_gap, distance_gap, name):
    assert outcome(train, success_gap, distance_gap) == name


def test_metrics_that_only_some_runs_measured_are_set_apart():
    whole, partial = available([frozenset({"return", "success_once", "odd"}), frozenset({"return"})])
    assert ([metric.name for metric in whole], [metric.name for metric in partial]) == (["return"], ["success_once"])


def better(run, seed, step, configuration, train):
    return {name: value + 0.1 for name, value in cases.made_up(run, seed, step, configuration, train).items()}


def compared(tmp_path, bootstrap=FEW, **second):
    folders = (cases.make_sweep(tmp_path / "base"), cases.make_sweep(tmp_path / "new", values=better, **second))
    return comparison.compare([sweeps.read(folder) for folder in folders], METRICS["success_once"], "max", bootstrap)


def test_a_later_method_is_compared_with_those_before_it(tmp_path):
    found = compared(tmp_path)
    assert found.methods == ("base", "new")
    told = [(each.first, each.second, each.axis, each.side, each.pairs, each.probability.value) for each in found.improvements]
    assert told == [
        ("new", "base", axis, side, pairs, 1.0)
        for axis, pairs in (("", 3), ("light", 2), ("sound", 1))
        for side in ("train", "eval")
    ]


def test_methods_are_compared_on_common_pairs_and_the_others_are_named(tmp_path):
    found = compared(tmp_path, unfinished={("fake-sound-1", seed): "running" for seed in (1, 2, 3)})
    assert found.common == ("fake/light/1", "fake/light/2")
    assert found.apart == {"base": ("fake/sound/1",), "new": ()}
    assert {each.axis for each in found.improvements} == {"", "light"}
    assert len(found.figures["base"].pairs) == 2


def test_methods_draw_their_seeds_apart(tmp_path):
    folder = cases.make_sweep(tmp_path / "same", values=by_seed)
    both = [sweeps.read(folder, name) for name in ("one", "two")]
    found = comparison.compare(both, METRICS["success_once"], "max", Bootstrap(300, 0))
    one, two = (found.figures[name].overall["train"].mean for name in ("one", "two"))
    assert one.value == two.value
    assert found.improvements[0].probability.value == pytest.approx(0.5)
    low, high = found.improvements[0].probability.low, found.improvements[0].probability.high
    assert low < 0.4 and high > 0.6  # draws in step would leave it at 0.5
