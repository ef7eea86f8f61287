"""What the figures of a report show. Each function gives a chart that is drawn later, as a file or inside of the page."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from kagejax.evaluation import statistics

from .drawing import Chart, Ink, slug
from .metrics import Metric
from .summary import Estimate, PairFigures, Profile
from .sweep import Pair

BAND = 0.18
"""Opacity of bands."""
TITLE = 36
"""Letters of a small chart's title in a line."""


class Bar(NamedTuple):
    """A bar of a chart of gaps."""

    label: str
    estimates: Sequence[Estimate]  # one per method
    published: tuple[float, float] | None = None  # both ends of what was published


def bars(name: str, panels: Mapping[str, Sequence[Bar]], relative: Sequence[bool], methods: Sequence[str] = ("",)) -> Chart:
    """Horizontal bars with intervals, a panel for each metric; gaps that are shares are in per cent."""
    labels = [bar.label for bar in next(iter(panels.values()))]
    thick = 0.34 + 0.2 * (len(methods) - 1)

    def paint(figure: Any, ink: Ink) -> None:
        axes = np.atleast_1d(figure.subplots(1, len(panels), sharey=True))
        for axis, (title, rows), share in zip(axes, panels.items(), relative, strict=True):
            factor = 100 if share else 1
            for place in range(len(methods)):
                offset = 0.8 * ((place + 0.5) / len(methods) - 0.5)
                found = [bar.estimates[place] for bar in rows]
                values = factor * np.array([each.value for each in found])
                where = np.arange(len(rows)) + offset
                colour = ink.series[place % len(ink.series)]
                axis.barh(where, np.nan_to_num(values), 0.7 / len(methods), color=colour, alpha=0.85, label=methods[place])
                _whiskers(axis, values, where, found, factor, ink.text)
            _diamonds(axis, rows, factor, ink)
            axis.set_title(title, loc="left")
            axis.grid(axis="x")
            axis.axvline(0, color=ink.soft, linewidth=0.8)
            axis.set_xlabel("per cent" if share else "")
            axis.tick_params(axis="y", length=0)
            if share:
                axis.set_xlim(min(0, axis.get_xlim()[0]), max(100, axis.get_xlim()[1]))
        axes[0].set_yticks(np.arange(len(labels)), labels, color=ink.text)
        axes[0].invert_yaxis()
        if len(methods) > 1:
            figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=4)

    return Chart(slug(name), 2.9 * len(panels) + 1.2, 0.9 + thick * len(labels) + 0.25 * (len(methods) > 1), paint)


def _whiskers(axis: Any, values: np.ndarray, where: np.ndarray, found: Sequence[Estimate], factor: float, colour: str) -> None:
    low, high = (factor * np.array([getattr(each, end) for each in found]) for end in ("low", "high"))
    known = np.isfinite(low)
    if known.any():
        axis.hlines(where[known], low[known], high[known], color=colour, linewidth=1.2)


def _diamonds(axis: Any, rows: Sequence[Bar], factor: float, ink: Ink) -> None:
    stated = [(place, bar.published) for place, bar in enumerate(rows) if bar.published]
    if stated:
        middles = [sum(ends) / 2 for _, ends in stated]
        axis.plot(middles, [place for place, _ in stated], "D", color=ink.text, markerfacecolor=ink.ground, markersize=5)


def dumbbells(name: str, pairs: Sequence[PairFigures], metric: Metric) -> Chart:
    """Train and eval side of every pair, a row each, grouped by axis."""
    axes_of = [figures.pair.axis for figures in pairs]
    breaks = [place for place in range(1, len(pairs)) if axes_of[place] != axes_of[place - 1]]
    rows = np.arange(len(pairs)) + 0.6 * np.searchsorted(breaks, np.arange(len(pairs)), side="right")

    def paint(figure: Any, ink: Ink) -> None:
        axis = figure.subplots()
        sides = [(np.array([getattr(one, side) for one in pairs]), side) for side in ("train", "eval")]
        axis.hlines(rows, *(values[:, 0] for values, _ in sides), color=ink.soft, linewidth=1.2, alpha=0.6)
        for place, (values, side) in enumerate(sides):
            error = np.nan_to_num(values[:, 1])
            style = {"fmt": "o", "markersize": 4.5, "elinewidth": 1.2, "color": ink.series[place]}
            axis.errorbar(values[:, 0], rows, xerr=error, label=side, **style)
        axis.set_yticks(rows, [_label(one.pair) for one in pairs], color=ink.text)
        axis.set_ylim(rows[-1] + 0.7, -0.7)
        axis.tick_params(axis="y", length=0)
        axis.set_xlabel(metric.title)
        if metric.target:
            axis.set_xlim(-0.03 * metric.target, max(1.03 * metric.target, axis.get_xlim()[1]))
        axis.grid(axis="x")
        figure.legend(*axis.get_legend_handles_labels(), loc="outside upper right", ncols=2)

    return Chart(slug(name), 7.6, 0.9 + 0.2 * (rows[-1] + 1), paint)


def _label(pair: Pair) -> str:
    return f"{pair.axis.replace('_', ' ')} {pair.id.rpartition('/')[2]}:  {_arrows(pair.title)}"


def _arrows(title: str) -> str:
    return title.replace("->", "→")


def fates(name: str, success: Sequence[PairFigures], distance: Sequence[PairFigures], lines: tuple[float, ...]) -> Chart:
    """Gap in success against gap in distance, a mark per pair, a colour per axis; `lines` are drawn at such gaps. Marks that
    stand apart have the number of their pair."""
    axes = list(dict.fromkeys(figures.pair.axis for figures in success))
    everywhere = 100 * np.array([(far.gap.value, near.gap.value) for near, far in zip(success, distance, strict=True)])

    def paint(figure: Any, ink: Ink) -> None:
        axis = figure.subplots()
        for line in lines:
            axis.axhline(100 * line, color=ink.soft, linewidth=0.8, linestyle=(0, (2, 3)))
        for place, name in enumerate(axes):
            colour = ink.series[place % len(ink.series)]
            of = [both for both in zip(success, distance, strict=True) if both[0].pair.axis == name]
            points = [(100 * far.gap.value, 100 * near.gap.value, near.pair.id.rpartition("/")[2]) for near, far in of]
            axis.plot([], [], "o", color=colour, label=name.replace("_", " "))
            axis.plot(*(np.array([point[side] for point in points]) for side in (0, 1)), "o", color=colour, alpha=0.55)
            for x, y, number in points:
                if _alone((x, y), everywhere):
                    axis.annotate(number, (x, y), (4, 3), textcoords="offset points", color=colour, fontsize=8)
        axis.set_xlabel("gap in distance, per cent")
        axis.set_ylabel("gap in success, per cent")
        axis.set_xlim(min(-5, axis.get_xlim()[0]), max(105, axis.get_xlim()[1]))
        axis.set_ylim(min(-5, axis.get_ylim()[0]), max(105, axis.get_ylim()[1]))
        axis.grid()
        figure.legend(*axis.get_legend_handles_labels(), loc="outside right upper")

    return Chart(slug(name), 6.4, 4.2, paint)


def _alone(point: tuple[float, float], points: np.ndarray) -> bool:
    """Whether there is room for a number beside a mark: no other is near it. False for what has no place."""
    return int((np.abs(points - point) < 4.5).all(axis=-1).sum()) == 1


def profiles(name: str, curves: Mapping[str, Profile], metric: Metric) -> Chart:
    """Performance profiles with their bands."""

    def paint(figure: Any, ink: Ink) -> None:
        axis = figure.subplots()
        for place, (label, curve) in enumerate(curves.items()):
            colour = ink.series[place % len(ink.series)]
            axis.plot(curve.scores, curve.share, color=colour, label=label, drawstyle="steps-post")
            if np.isfinite(curve.low).all():
                axis.fill_between(curve.scores, curve.low, curve.high, step="post", color=colour, alpha=BAND, linewidth=0)
        axis.set_xlabel(metric.title)
        axis.set_ylabel("share of runs above")
        axis.set_xlim(0, metric.target)
        axis.set_ylim(-0.02, 1.02)
        axis.grid()
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))

    return Chart(slug(name), 5.2, 2.9, paint)


class Line(NamedTuple):
    """What is drawn of one method under one configuration."""

    label: str
    finished: Sequence[tuple[np.ndarray, np.ndarray]]  # steps and values, a seed each
    unfinished: Sequence[tuple[np.ndarray, np.ndarray]] = ()
    colour: int = 0
    dashed: bool = False


def curve(name: str, title: str, lines: Sequence[Line], metric: Metric) -> Chart:
    """Learning curves of one pair."""

    def paint(figure: Any, ink: Ink) -> None:
        _curves(figure.subplots(), title, lines, metric, ink)

    return Chart(slug(name), 3.2, 2.05, paint)


def sheet(name: str, panels: Mapping[str, Sequence[Line]], metric: Metric, columns: int = 4) -> Chart:
    """Learning curves of several pairs, one small panel each, under a legend for all."""
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)

    def paint(figure: Any, ink: Ink) -> None:
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for axis, (title, lines) in zip(axes, panels.items(), strict=False):
            _curves(axis, title, lines, metric, ink)
        for axis in axes[len(panels) :]:
            axis.set_axis_off()
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=6)

    return Chart(slug(name), 2.7 * columns + 0.3, 2.0 * rows + 0.4, paint)


def _curves(axis: Any, title: str, lines: Sequence[Line], metric: Metric, ink: Ink) -> None:
    """Mean over the finished seeds with a band of one standard error; each seed behind it; dotted what is not finished."""
    for line in lines:
        colour, dash = ink.series[line.colour % len(ink.series)], "--" if line.dashed else "-"
        for steps, values in line.finished:
            axis.plot(steps / 1e6, values, color=colour, alpha=0.3, linewidth=0.7, linestyle=dash)
        for steps, values in line.unfinished:
            axis.plot(steps / 1e6, values, color=colour, alpha=0.8, linewidth=0.9, linestyle=":")
        steps, values = together(line.finished)
        axis.plot(steps / 1e6, values.mean(axis=0) if len(values) else [], color=colour, linestyle=dash, label=line.label)
        if len(values) > 1:
            mean, error = values.mean(axis=0), statistics.sem(values.T)
            axis.fill_between(steps / 1e6, mean - error, mean + error, color=colour, alpha=BAND, linewidth=0)
    axis.set_title(textwrap.fill(_arrows(title), TITLE), loc="left", fontsize=8.5)
    if metric.target:
        axis.set_ylim(-0.04 * metric.target, 1.06 * metric.target)
    axis.tick_params(labelsize=8)
    axis.set_xlabel("million steps", fontsize=8)
    axis.grid()
    if not any(len(line.finished) for line in lines):
        axis.text(0.5, 0.5, "no finished seed", transform=axis.transAxes, ha="center", color=ink.soft)


def together(seeds: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """The steps at which all seeds were evaluated, and their values there, [seeds, steps]."""
    if not seeds:
        return np.zeros(0), np.zeros((0, 0))
    common = sorted(set.intersection(*(set(steps.tolist()) for steps, _ in seeds)))
    return np.array(common), np.array(
        [[dict(zip(steps.tolist(), values, strict=True))[at] for at in common] for steps, values in seeds]
    )


def estimates(name: str, rows: Mapping[str, Mapping[str, Estimate]], label: str, middle: float | None = None) -> Chart:
    """Figures with intervals, as points: a row for each key of `rows`, a colour for each of their entries."""
    kinds = list(dict.fromkeys(kind for entries in rows.values() for kind in entries))

    def paint(figure: Any, ink: Ink) -> None:
        axis = figure.subplots()
        if middle is not None:
            axis.axvline(middle, color=ink.soft, linewidth=0.9, linestyle=(0, (3, 3)))
        for place, kind in enumerate(kinds):
            colour = ink.series[place % len(ink.series)]
            where = np.arange(len(rows)) + 0.5 * ((place + 0.5) / len(kinds) - 0.5)
            found = [entries.get(kind, Estimate(np.nan, np.nan, np.nan)) for entries in rows.values()]
            values = np.array([each.value for each in found])
            _whiskers(axis, values, where, found, 1, colour)
            axis.plot(values, where, "o", color=colour, label=kind, markersize=5)
        axis.set_yticks(np.arange(len(rows)), list(rows), color=ink.text)
        axis.set_ylim(len(rows) - 0.5, -0.5)
        axis.tick_params(axis="y", length=0)
        axis.set_xlabel(label)
        axis.grid(axis="x")
        if middle is not None:
            axis.set_xlim(-0.03, 1.03)
        figure.legend(*axis.get_legend_handles_labels(), loc="outside upper right", ncols=4)

    return Chart(slug(name), 7.2, 0.9 + (0.22 + 0.12 * len(kinds)) * len(rows), paint)
