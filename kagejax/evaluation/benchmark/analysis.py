"""All figures of one sweep, and what they say of each pair."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from . import metrics, summary
from .metrics import Metric
from .summary import AxisFigures, Bootstrap, Figures, PairFigures
from .sweep import Sweep

LEARNED, SMALL, LARGE, KEPT = 0.5, 0.1, 0.5, 0.25
"""What counts as learned (success on the train side), and as a small or large gap in success, and as distance kept."""

FATES = {
    "transfers": f"gap in success of at most {SMALL:.0%}".replace("%", " %"),
    "suffers": f"gap in success between {SMALL:.0%} and {LARGE:.0%}".replace("%", " %"),
    "success lost, distance kept": f"gap in success of at least {LARGE:.0%}, in distance of at most {KEPT:.0%}".replace(
        "%", " %"
    ),
    "success and distance lost": f"gap in success of at least {LARGE:.0%}, in distance above {KEPT:.0%}".replace("%", " %"),
    "not learned": f"success on the train side below {LEARNED:g}: a gap says little",
}
"""What becomes of a pair, and when that is said."""


class Analysis(NamedTuple):
    """A sweep with all of its figures."""

    sweep: Sweep
    metrics: tuple[Metric, ...]  # the first is the one that axes are ranked by
    partial: tuple[Metric, ...]  # that only some runs measured
    value: str
    bootstrap: Bootstrap
    figures: Mapping[tuple[str, str], Figures]  # by metric and value

    def of(self, metric: Metric | str, value: str = "") -> Figures:
        """The figures of a metric, for the chosen kind of value unless said."""
        return self.figures[metric if isinstance(metric, str) else metric.name, value or self.value]

    @property
    def main(self) -> Figures:
        """The figures that axes are ranked by."""
        return self.of(self.metrics[0])

    @property
    def beside(self) -> list[Metric]:
        """What overviews show beside the first metric: the others, but for progress where the distance is there."""
        names = [metric.name for metric in self.metrics]
        return [metric for metric in self.metrics[1:] if metric.name != "progress" or "passed_distance" not in names]

    @property
    def ranked(self) -> list[AxisFigures]:
        """Axes, the largest gap first; those without one last."""
        return sorted(self.main.axes, key=lambda axis: (np.isnan(axis.gap.value), -axis.gap.value))


def analyze(sweep: Sweep, chosen: Sequence[Metric], partial: Sequence[Metric], value: str, bootstrap: Bootstrap) -> Analysis:
    """All figures of a sweep: every metric of `chosen`, for every kind of value."""
    figures = {
        (metric.name, kind): summary.summarize(sweep, metric, kind, bootstrap) for metric in chosen for kind in metrics.VALUES
    }
    return Analysis(sweep, tuple(chosen), tuple(partial), value, bootstrap, figures)


def suite_of(axis: AxisFigures) -> str:
    """The suite of an axis, if all of its pairs are of one; else nothing."""
    suites = {pair.suite for pair in (*axis.pairs, *axis.without)}
    return suites.pop() if len(suites) == 1 else ""


def fate(success: PairFigures, distance: PairFigures) -> str:
    """What becomes of a pair: a key of FATES."""
    if success.train.mean < LEARNED:
        return "not learned"
    if success.gap.value <= SMALL:
        return "transfers"
    if success.gap.value < LARGE:
        return "suffers"
    return "success lost, distance kept" if distance.gap.value <= KEPT else "success and distance lost"
