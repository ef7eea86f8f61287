"""Figures of KAGE-Bench that its paper states in its text (arXiv 2601.14232), to be shown beside ours.

They are of the full protocol (PPO-CNN, 128x128 frames, 25 M steps, 10 seeds, maximum over evaluations). The cells of the
paper's tables were not at hand: what is None is not known here, which does not mean that it was not published.
"""

from typing import NamedTuple

SOURCE = "KAGE-Bench (arXiv 2601.14232), as far as its text states them"

Number = float | tuple[float, float] | None
"""A figure, the ends of "about 3 to 4", or unknown."""


class Axis(NamedTuple):
    """A suite: success rates, and gaps in per cent."""

    pairs: int
    train_success: Number
    eval_success: Number
    success_gap: Number
    distance_gap: Number
    progress_gap: Number

    def gap(self, metric: str) -> Number:
        """The gap in a metric, in per cent."""
        gaps = {"success_once": self.success_gap, "passed_distance": self.distance_gap, "progress": self.progress_gap}
        return gaps.get(metric)


AXES = {
    "kage/filters": Axis(9, 0.83, 0.11, 86.8, 11.7, None),
    "kage/effects": Axis(3, 0.82, 0.16, 80.5, 20.8, None),
    "kage/layout": Axis(1, None, None, 62.8, (3, 4), (3, 4)),
    "kage/background": Axis(10, 0.90, 0.42, 53.3, 30.5, 30.5),
    "kage/distractors": Axis(6, None, None, 30.9, (3, 4), (3, 4)),
    "kage/agent_appearance": Axis(5, None, None, 21.1, None, None),
}

SUCCESS_GAPS = {
    "kage/background/1": 98.9,
    "kage/filters/4": 98.8,
    "kage/effects/3": 95.5,
    "kage/distractors/5": 92.0,
}
"""By pair, in per cent."""


def rank(suite: str) -> int | None:
    """The place of a suite among the six by its published gap in success, 1 for the largest."""
    order = sorted(AXES, key=lambda name: -AXES[name].success_gap)
    return order.index(suite) + 1 if suite in AXES else None
