"""Statistics of few runs on many tasks, after Agarwal et al., "Deep Reinforcement Learning at the Edge of the Statistical
Precipice" (NeurIPS 2021), in NumPy alone.

A task is whatever has one score per run (seed): here a pair of configurations. All functions take one array per task, whose
last axis is that of the runs: tasks may have different numbers of them, and the axes before it (replicates of a bootstrap) are
alike in all tasks. So each statistic serves the scores and their resamples in one call:

>>> import numpy as np
>>> scores = [np.array([0.9, 0.7, 0.8]), np.array([0.1, 0.3, 0.2])]
>>> round(float(iqm(scores)), 3)
0.5
>>> low, high = interval(iqm(resample(scores, replicates=2000, seed=0)))
>>> bool(low < 0.5 < high)
True
"""

from collections.abc import Hashable, Sequence

import numpy as np

Samples = Sequence[np.ndarray]
"""One array per task, float [..., runs]."""

LEVEL = 0.95
"""Of intervals, unless said."""


def sem(values: np.ndarray) -> np.ndarray:
    """Standard error of the mean over the last axis: sample deviation (n - 1) over the root of n. NaN for one value."""
    values = np.asarray(values, np.float64)
    if values.shape[-1] < 2:
        return np.full(values.shape[:-1], np.nan)
    return values.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1])


def task_means(samples: Samples) -> np.ndarray:
    """Mean over the runs of each task, [..., tasks]."""
    return np.stack([np.mean(task, axis=-1) for task in samples], axis=-1)


def mean(samples: Samples) -> np.ndarray:
    """Mean over tasks of their means over runs, [...]."""
    return task_means(samples).mean(axis=-1)


def median(samples: Samples) -> np.ndarray:
    """Median over tasks of their means over runs, [...]."""
    return np.median(task_means(samples), axis=-1)


def iqm(samples: Samples) -> np.ndarray:
    """Interquartile mean of all runs of all tasks, [...]: the mean of what is left when the floor of a quarter of them is cut
    off at each end (a trimmed mean of 25 %; section 4.2 of the paper)."""
    pooled = np.sort(_pooled(samples), axis=-1)
    cut = pooled.shape[-1] // 4
    return pooled[..., cut : pooled.shape[-1] - cut].mean(axis=-1)


def optimality_gap(samples: Samples, target: float = 1.0) -> np.ndarray:
    """By how much runs miss `target` on average, [...]: target - mean of min(score, target) (section 4.3 of the paper). What
    is above the target makes up for nothing below it."""
    return target - np.minimum(_pooled(samples), target).mean(axis=-1)


def performance_profile(samples: Samples, thresholds: np.ndarray) -> np.ndarray:
    """Share of all runs of all tasks whose score is above each threshold, [..., thresholds] (the run-score distribution,
    section 4.1 of the paper). Every run counts the same."""
    pooled = np.sort(_pooled(samples), axis=-1)
    runs = pooled.shape[-1]
    rows = pooled.reshape(-1, runs)
    counts = np.stack([runs - np.searchsorted(row, thresholds, side="right") for row in rows])
    return (counts / runs).reshape(*pooled.shape[:-1], len(thresholds))


def probability_of_improvement(first: Samples, second: Samples) -> np.ndarray:
    """How likely a run of the first method beats one of the second on the same task, a draw counting half, averaged over tasks,
    [...] (the Mann-Whitney U over the number of couples; section 4.3 of the paper).

    Raises ValueError unless both have the same tasks.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} tasks of the first method stand against {len(second)} of the second.")
    won = [_wins(np.asarray(ours), np.asarray(theirs)) for ours, theirs in zip(first, second, strict=True)]
    return np.mean(won, axis=0)


def _wins(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    difference = ours[..., :, None] - theirs[..., None, :]
    return ((difference > 0) + 0.5 * (difference == 0)).mean(axis=(-2, -1))


def relative_gap(train: np.ndarray, evaluation: np.ndarray) -> np.ndarray:
    """(train - evaluation) / train of two means, as a fraction; NaN where the train side is not above 0, since a share of
    nothing says nothing."""
    train, evaluation = np.broadcast_arrays(np.asarray(train, np.float64), np.asarray(evaluation, np.float64))
    learned = train > 0
    return np.where(learned, (train - evaluation) / np.where(learned, train, 1.0), np.nan)


def resample(
    samples: Samples, strata: Sequence[Hashable] | None = None, *, replicates: int, seed: int | Sequence[int]
) -> list[np.ndarray]:
    """Stratified bootstrap: `replicates` times, as many runs as a task has are drawn from its own with replacement. Gives the
    tasks again, [replicates, ..., runs].

    `strata` has a label per task. Tasks of one label draw the same runs, as must be where one training run was evaluated on
    several tasks: their scores rise and fall together. Without labels each task draws for itself (section 3 of the paper).
    Axes before that of the runs (two sides of a pair, say) keep together: what is paired stays paired. The same seed and
    strata of the same sizes draw the same runs, whatever the scores. Raises ValueError if tasks of one label have different
    numbers of runs, or a task has none.
    """
    labels = list(range(len(samples))) if strata is None else list(strata)
    generator = np.random.default_rng(seed)
    drawn: dict[Hashable, np.ndarray] = {}
    found = []
    for label, task in zip(labels, samples, strict=True):
        task = np.asarray(task, np.float64)
        runs = task.shape[-1]
        if not runs:
            raise ValueError(f"a task of stratum {label!r} has no run; leave it out, and say so")
        if label not in drawn:
            drawn[label] = generator.integers(runs, size=(replicates, runs))
        elif drawn[label].shape[1] != runs:
            raise ValueError(
                f"tasks of stratum {label!r} have {drawn[label].shape[1]} runs and {runs}: they cannot share draws"
            )
        found.append(np.moveaxis(task[..., drawn[label]], -2, 0))
    return found


def interval(replicates: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """Percentile interval over the first axis: lower and upper end, [...] each.

    Replicates in which the statistic is undefined (NaN: a gap relative to nothing) are left out; `undefined` says how many.
    """
    replicates = np.asarray(replicates, np.float64)
    known = np.isfinite(replicates).any(axis=0)
    cleaned = np.where(known, replicates, 0.0)  # a column of NaN alone has no quantile: taken out here, put back below
    low, high = np.nanquantile(cleaned, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def undefined(replicates: np.ndarray) -> np.ndarray:
    """Share of the replicates (first axis) in which the statistic is undefined, [...]."""
    return np.isnan(np.asarray(replicates, np.float64)).mean(axis=0)


def ranks(values: np.ndarray) -> np.ndarray:
    """Places along the last axis, 1 for the largest; equal values share the mean of their places, and NaN has none (NaN)."""
    values = np.asarray(values, np.float64)
    above = (values[..., None, :] > values[..., :, None]).sum(axis=-1)
    level = (values[..., None, :] == values[..., :, None]).sum(axis=-1)
    return np.where(np.isnan(values), np.nan, above + (level + 1) / 2)


def _pooled(samples: Samples) -> np.ndarray:
    """The runs of all tasks side by side, [..., runs of all]."""
    return np.concatenate([np.asarray(task, np.float64) for task in samples], axis=-1)
