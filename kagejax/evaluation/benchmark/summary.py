"""Figures of a sweep: per pair, per axis and over all pairs, with intervals that know which pairs share runs.

Means and standard errors are those of the benchmark's paper: per pair over seeds, per axis over the means of its pairs; gaps
are computed from means. Intervals are percentile bootstraps that draw the seeds of each training run anew, once for all pairs
which that run serves and for both of their sides: what shares runs moves together, and gaps are paired by seed.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from kagejax.evaluation import statistics

from .metrics import Metric
from .sweep import Pair, Sweep

THRESHOLDS = np.linspace(0.0, 1.0, 101)
"""Of performance profiles, as shares of the target."""
FEWEST = 2
"""Seeds without which there is no interval."""


class Bootstrap(NamedTuple):
    """How intervals are drawn."""

    replicates: int = 5000
    seed: int | Sequence[int] = 0


class Side(NamedTuple):
    """Mean and standard error; NaN where a single value has none."""

    mean: float
    sem: float


class Estimate(NamedTuple):
    """A figure with the ends of its 95 % interval, NaN where there is none."""

    value: float
    low: float
    high: float
    undefined: float = 0.0  # share of the bootstrap's replicates in which there is no such figure: the train side was 0


class PairFigures(NamedTuple):
    """One pair."""

    pair: Pair
    seeds: int  # that count
    trapped: int  # of these
    train: Side
    eval: Side
    difference: Side  # train - eval, seed by seed
    gap: Estimate


class AxisFigures(NamedTuple):
    """One axis: means over its pairs, with the standard error across pairs (none on the train side if all share a run), and
    with intervals over seeds."""

    axis: str
    pairs: tuple[Pair, ...]  # that have a seed which counts
    without: tuple[Pair, ...]  # that have none, and are in no mean
    train: Side
    eval: Side
    train_spread: Estimate
    eval_spread: Estimate
    gap: Estimate
    rank: Estimate  # place by gap among the axes, 1 for the largest


class Overall(NamedTuple):
    """All pairs together, for one side."""

    mean: Estimate
    median: Estimate
    iqm: Estimate
    optimality_gap: Estimate | None  # None without a target


class Profile(NamedTuple):
    """Shares of runs above each of THRESHOLDS x target."""

    scores: np.ndarray  # the thresholds
    share: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Figures(NamedTuple):
    """Everything about one metric, for one choice of value."""

    metric: Metric
    value: str
    pairs: tuple[PairFigures, ...]
    without: tuple[Pair, ...]  # pairs no seed of which counts
    axes: tuple[AxisFigures, ...]
    overall: dict[str, Overall]  # by side
    profiles: dict[str, Profile]  # by side; empty without a target


def summarize(sweep: Sweep, metric: Metric, value: str, bootstrap: Bootstrap) -> Figures:
    """All figures of `metric`. Pairs no seed of which counts are in `without`."""
    pairs = tuple(pair for pair in sweep.pairs if pair.run.usable)
    without = tuple(pair for pair in sweep.pairs if not pair.run.usable)
    if not pairs:
        return Figures(metric, value, (), without, (), {}, {})
    samples, replicates = drawn(pairs, metric, value, bootstrap)
    sure = [pair.run for pair in pairs if len(pair.run.usable) >= FEWEST] == [pair.run for pair in pairs]
    sides = {}
    for place, side in enumerate(("train", "eval")):
        sides[side] = [task[place] for task in samples], [task[:, place] for task in replicates]
    return Figures(
        metric=metric,
        value=value,
        pairs=tuple(_pair(*parts, metric) for parts in zip(pairs, samples, replicates, strict=True)),
        without=without,
        axes=_axes(pairs, without, samples, replicates, metric),
        overall={side: _overall(*both, metric, sure) for side, both in sides.items()},
        profiles={} if metric.target is None else {side: profile(*both, metric.target, sure) for side, both in sides.items()},
    )


def drawn(pairs: Sequence[Pair], metric: Metric, value: str, bootstrap: Bootstrap) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Scores of pairs, [2, seeds] each, and their resamples, [replicates, 2, seeds], drawn jointly where pairs share a run."""
    samples = [pair.sides(metric.name, value) for pair in pairs]
    runs = [pair.run.name for pair in pairs]
    return samples, statistics.resample(samples, runs, replicates=bootstrap.replicates, seed=bootstrap.seed)


def estimate(value: float, replicates: np.ndarray, sure: bool) -> Estimate:
    """A figure with the interval of its replicates; without one unless `sure`, since one seed says nothing of another."""
    if not sure or np.isnan(value):
        return Estimate(float(value), np.nan, np.nan)
    low, high = statistics.interval(replicates)
    return Estimate(float(value), float(low), float(high), float(statistics.undefined(replicates)))


def _gap(metric: Metric, train: np.ndarray, evaluation: np.ndarray) -> np.ndarray:
    return statistics.relative_gap(train, evaluation) if metric.relative else np.abs(train - evaluation)


def _pair(pair: Pair, sample: np.ndarray, replicates: np.ndarray, metric: Metric) -> PairFigures:
    train, evaluation = sample
    resampled = replicates.mean(axis=-1)
    sure = sample.shape[-1] >= FEWEST
    return PairFigures(
        pair=pair,
        seeds=sample.shape[-1],
        trapped=sum(seed.trapped for seed in pair.run.usable),
        train=_side(train),
        eval=_side(evaluation),
        difference=_side(train - evaluation),
        gap=estimate(_gap(metric, train.mean(), evaluation.mean()), _gap(metric, *resampled.T), sure),
    )


def _side(values: np.ndarray) -> Side:
    return Side(float(values.mean()), float(statistics.sem(values)))


def _axes(
    pairs: Sequence[Pair],
    without: Sequence[Pair],
    samples: Sequence[np.ndarray],
    replicates: Sequence[np.ndarray],
    metric: Metric,
) -> tuple[AxisFigures, ...]:
    """By axis, in the order in which their pairs come. One that has no figures at all is not among them."""
    names = list(dict.fromkeys(pair.axis for pair in pairs))
    means = statistics.task_means(samples)  # [2, pairs]
    resampled = statistics.task_means(replicates)  # [replicates, 2, pairs]
    of = {name: [place for place, pair in enumerate(pairs) if pair.axis == name] for name in names}
    sure = {name: all(len(pairs[place].run.usable) >= FEWEST for place in places) for name, places in of.items()}
    gaps = np.array([_gap(metric, *means[:, places].mean(axis=-1)) for places in of.values()])
    drawn_gaps = np.stack([_gap(metric, *resampled[..., places].mean(axis=-1).T) for places in of.values()], axis=-1)
    ranks, drawn_ranks = statistics.ranks(gaps), statistics.ranks(drawn_gaps)
    found = []
    for place, (name, places) in enumerate(of.items()):
        train, evaluation = means[:, places]
        drawn_train, drawn_eval = resampled[..., places].mean(axis=-1).T
        one_run = len({pairs[index].run.name for index in places}) == 1
        found.append(
            AxisFigures(
                axis=name,
                pairs=tuple(pairs[index] for index in places),
                without=tuple(pair for pair in without if pair.axis == name),
                train=Side(float(train.mean()), np.nan) if one_run else _side(train),
                eval=_side(evaluation),
                train_spread=estimate(train.mean(), drawn_train, sure[name]),
                eval_spread=estimate(evaluation.mean(), drawn_eval, sure[name]),
                gap=estimate(gaps[place], drawn_gaps[:, place], sure[name]),
                rank=estimate(ranks[place], drawn_ranks[:, place], all(sure.values())),
            )
        )
    return tuple(found)


def _overall(samples: list[np.ndarray], replicates: list[np.ndarray], metric: Metric, sure: bool) -> Overall:
    def of(statistic: Callable[[Sequence[np.ndarray]], np.ndarray]) -> Estimate:
        return estimate(float(statistic(samples)), statistic(replicates), sure)

    target = metric.target
    gap = None if target is None else of(lambda tasks: statistics.optimality_gap(tasks, target))
    return Overall(of(statistics.mean), of(statistics.median), of(statistics.iqm), gap)


def profile(samples: list[np.ndarray], replicates: list[np.ndarray], target: float, sure: bool) -> Profile:
    """Performance profile of one score per pair and seed, with its band (NaN unless `sure`)."""
    scores = THRESHOLDS * target
    share = statistics.performance_profile(samples, scores)
    none = np.full(share.shape, np.nan)
    band = statistics.interval(statistics.performance_profile(replicates, scores)) if sure else (none, none)
    return Profile(scores, share, *band)
