"""What an evaluation says: means, generalisation gaps, and a table of both."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

COLUMNS = {
    "return": ("return", "{:,.1f}"),
    "success_once": ("success", "{:.1%}"),
    "progress": ("progress", "{:.3f}"),
    "passed_distance": ("distance", "{:.1f}"),
    "jump_count": ("jumps", "{:.1f}"),
    "episode_steps": ("steps", "{:.1f}"),
    "optimality": ("optimality", "{:.2f}"),
}
"""Metrics that a table shows where an environment has them: heading and format."""

RELATIVE = ("success_once", "progress", "passed_distance")
"""Metrics whose gap is a percentage of the training side; that of the return is an absolute difference."""

Summary = dict[str, dict[str, dict[str, float]]]
"""Configuration name -> metric -> {mean, sem}."""


def summarize(names: Sequence[str], metrics: Mapping[str, Any]) -> Summary:
    """Means and standard errors over episodes of metrics [configurations, episodes], by configuration and metric.

    The standard error uses the sample deviation (n - 1); it is 0 for one episode.
    """
    arrays = {metric: np.asarray(values, np.float64) for metric, values in metrics.items()}

    def entry(values: np.ndarray) -> dict[str, float]:
        spread = values.std(ddof=1) / np.sqrt(values.size) if values.size > 1 else 0.0
        return {"mean": float(values.mean()), "sem": float(spread)}

    return {name: {metric: entry(values[i]) for metric, values in arrays.items()} for i, name in enumerate(names)}


def across_seeds(summaries: Sequence[Summary]) -> Summary:
    """Mean of the seeds' means, with the standard error across seeds."""
    names, first = list(summaries[0]), summaries[0]
    means = {metric: np.array([[s[name][metric]["mean"] for s in summaries] for name in names]) for metric in first[names[0]]}
    return summarize(names, means)


def gaps(summary: Summary, train: str) -> dict[str, dict[str, float | None]]:
    """By configuration other than `train`: (train - evaluation) / train for the metrics in `RELATIVE` (a fraction, None where
    the training side is 0), and |train - evaluation| for the return."""

    def gap(metric: str, ours: float, theirs: float) -> float | None:
        if metric == "return":
            return abs(ours - theirs)
        return (ours - theirs) / ours if ours else None

    measured = [metric for metric in ("return", *RELATIVE) if metric in summary[train]]
    return {
        name: {metric: gap(metric, summary[train][metric]["mean"], entry[metric]["mean"]) for metric in measured}
        for name, entry in summary.items()
        if name != train
    }


def same_figures(summaries: Sequence[Summary]) -> list[list[str]]:
    """Configurations in which all seeds did the same, to the last digit of each metric: groups of two or more."""
    groups: list[list[str]] = []
    for name in summaries[0]:
        same = (group for group in groups if all(summary[name] == summary[group[0]] for summary in summaries))
        group = next(same, None)
        if group is None:
            groups.append([name])
        else:
            group.append(name)
    return [group for group in groups if len(group) > 1]


def table(summaries: Mapping[str, Summary], train: str) -> str:
    """A table in plain text: per configuration a line for each of `summaries` (seeds, by label) and, where there are several,
    one for their mean; then the generalisation gaps of the mean."""
    overall = across_seeds(list(summaries.values()))
    shown = [metric for metric in COLUMNS if metric in overall[train]]
    lines = {**summaries, "mean": overall} if len(summaries) > 1 else summaries
    head = ["configuration", "seed", *(COLUMNS[metric][0] for metric in shown)]
    rows = []
    for name in overall:
        for label, summary in lines.items():
            values = [COLUMNS[metric][1].format(summary[name][metric]["mean"]) for metric in shown]
            rows.append([name if not rows or rows[-1][0] != name else name, label, *values])
    text = align([head, *_without_repeats(rows)])
    differences = gaps(overall, train)
    if differences:
        measured = [metric for metric in shown if metric in ("return", *RELATIVE)]
        head = ["generalisation gap", "", *(COLUMNS[metric][0] for metric in measured)]
        rows = [[name, "", *(_gap(metric, entry[metric]) for metric in measured)] for name, entry in differences.items()]
        text += "\n\n" + align([head, *rows])
    return text


def _gap(metric: str, value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.1f}" if metric == "return" else f"{value:.1%}"


def _without_repeats(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    previous = [None, *(row[0] for row in rows)]
    return [["" if row[0] == before else row[0], *row[1:]] for row, before in zip(rows, previous, strict=False)]


def align(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as text: the first column to the left, the others to the right, a rule under the first row."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return "\n".join([lines[0].rstrip(), "-" * len(lines[0]), *(line.rstrip() for line in lines[1:])])
