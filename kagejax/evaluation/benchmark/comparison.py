"""Several sweeps side by side: methods compared on the pairs that all of them finished.

Runs of two methods are taken as independent, also those of the same seed: their draws of the bootstrap are apart.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kagejax.evaluation import statistics

from . import summary
from .metrics import Metric
from .summary import FEWEST, Bootstrap, Estimate, Figures
from .sweep import Pair, Sweep

SIDES = ("train", "eval")


class Improvement(NamedTuple):
    """How likely a run of `first` beats one of `second` on the same pair."""

    first: str
    second: str
    side: str
    axis: str  # empty for all axes
    pairs: int
    probability: Estimate


class Comparison(NamedTuple):
    """Methods on their common pairs, for one metric and one choice of value."""

    methods: tuple[str, ...]
    common: tuple[str, ...]  # ids of pairs
    apart: dict[str, tuple[str, ...]]  # by method, pairs of it that are left out since another method has no figures on them
    figures: dict[str, Figures]  # by method, on the common pairs
    improvements: tuple[Improvement, ...]


def compare(sweeps: Sequence[Sweep], metric: Metric, value: str, bootstrap: Bootstrap) -> Comparison:
    """Compares each method with each that comes before it, per axis and over all pairs, on both sides."""
    usable = {sweep.name: {pair.id: pair for pair in sweep.pairs if pair.run.usable} for sweep in sweeps}
    common = [id for id in usable[sweeps[0].name] if all(id in pairs for pairs in usable.values())]
    seeds = {sweep.name: _apart(bootstrap, place) for place, sweep in enumerate(sweeps)}
    shared = {sweep.name: sweep._replace(pairs=tuple(usable[sweep.name][id] for id in common)) for sweep in sweeps}
    improvements: list[Improvement] = []
    if common:
        drawn = {name: summary.drawn(of.pairs, metric, value, seeds[name]) for name, of in shared.items()}
        for second, first in itertools.combinations(shared, 2):
            pairs = (shared[first].pairs, shared[second].pairs)
            improvements += _improvements((first, second), pairs, (drawn[first], drawn[second]))
    return Comparison(
        methods=tuple(usable),
        common=tuple(common),
        apart={name: tuple(id for id in pairs if id not in common) for name, pairs in usable.items()},
        figures={name: summary.summarize(of, metric, value, seeds[name]) for name, of in shared.items()},
        improvements=tuple(improvements),
    )


def _apart(bootstrap: Bootstrap, place: int) -> Bootstrap:
    """The bootstrap of the method at `place`: with draws of its own."""
    return bootstrap._replace(seed=[*np.atleast_1d(bootstrap.seed).tolist(), place])


def _improvements(
    names: tuple[str, str],
    pairs: tuple[Sequence[Pair], Sequence[Pair]],
    drawn: tuple[tuple[list[np.ndarray], list[np.ndarray]], tuple[list[np.ndarray], list[np.ndarray]]],
) -> list[Improvement]:
    """Of the first method over the second: over all pairs, then per axis."""
    axes = ["", *dict.fromkeys(pair.axis for pair in pairs[0])]
    found = []
    for axis, (place, side) in itertools.product(axes, enumerate(SIDES)):
        chosen = [index for index, pair in enumerate(pairs[0]) if axis in ("", pair.axis)]
        samples = [[method[0][index][place] for index in chosen] for method in drawn]
        replicates = [[method[1][index][:, place] for index in chosen] for method in drawn]
        sure = all(task.shape[-1] >= FEWEST for method in samples for task in method)
        probability = summary.estimate(
            float(statistics.probability_of_improvement(*samples)), statistics.probability_of_improvement(*replicates), sure
        )
        found.append(Improvement(*names, side, axis, len(chosen), probability))
    return found
