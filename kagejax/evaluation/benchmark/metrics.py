"""What is read off a run: metrics, and which of its evaluations counts."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kagejax.evaluation.report import COLUMNS, RELATIVE


class Metric(NamedTuple):
    """How a metric is shown. More is better in all of them."""

    name: str
    title: str
    form: str  # of a mean or a standard error
    target: float | None  # what a perfect run reaches, for optimality gaps and profiles; None: no such value

    @property
    def relative(self) -> bool:
        """Whether a gap is a share of the train side; else it is the distance |train - eval|."""
        return self.name in RELATIVE


METRICS = {
    name: Metric(name, COLUMNS[name][0], form, target)
    for name, form, target in (
        ("success_once", "{:.3f}", 1.0),
        ("passed_distance", "{:.1f}", None),
        ("progress", "{:.3f}", 1.0),
        ("return", "{:,.1f}", None),
    )
}
"""Metrics that are reported where an environment has them, in the order of the tables."""

VALUES = {
    "max": "maximum over all evaluations, each side and metric for itself",
    "final": "last evaluation",
    "best": "evaluation with the highest success rate on the train side (the return, where there is no success), the first of "
    "equals, for both sides and all metrics",
}
"""Values of a run: which of its evaluations counts. "best" is that of the checkpoint which agents/ppo.py keeps as its best."""

CHOOSERS = ("success_once", "return")
"""Metrics that "best" goes by: the first of them that a run measured."""


def read_off(train: np.ndarray, evaluation: np.ndarray, chooser: np.ndarray, value: str) -> tuple[float, float]:
    """Train and eval value of a run from what it measured, [evaluations] each, oldest first.

    `chooser` holds what "best" goes by: one of CHOOSERS on the train side. Nothing of the eval side takes part in the choice.
    """
    if value == "max":
        return float(np.max(train)), float(np.max(evaluation))
    place = len(train) - 1 if value == "final" else int(np.argmax(chooser))
    return float(train[place]), float(evaluation[place])


def available(found: Sequence[frozenset[str]]) -> tuple[list[Metric], list[Metric]]:
    """Metrics that all runs have, and those that only some have; `found` has the names that each run measured."""
    everywhere = frozenset.intersection(*found) if found else frozenset()
    anywhere = frozenset().union(*found)
    whole = [metric for name, metric in METRICS.items() if name in everywhere]
    return whole, [metric for name, metric in METRICS.items() if name in anywhere - everywhere]
