"""Which charts a report has: those of one sweep, and those of several side by side. Their names are those of the documents."""

from collections.abc import Sequence

import numpy as np

from . import charts, published
from .analysis import LARGE, SMALL, Analysis, suite_of
from .charts import Bar, Line
from .drawing import Chart, slug
from .metrics import Metric
from .summary import AxisFigures, Figures
from .sweep import Pair, Seed, Sweep


def of_sweep(analysis: Analysis) -> dict[str, Chart]:
    """Charts of one sweep by name."""
    main = analysis.main
    found = _curves([analysis.sweep], analysis.metrics[0])
    if not main.pairs:
        return found
    found["axes"] = _bars(analysis)
    found["pairs"] = charts.dumbbells("pairs", main.pairs, main.metric)
    names = [metric.name for metric in analysis.metrics]
    if "success_once" in names and "passed_distance" in names:
        both = [analysis.of(name).pairs for name in ("success_once", "passed_distance")]
        found["fates"] = charts.fates("fates", *both, (SMALL, LARGE))
    for metric in analysis.metrics:
        figures = analysis.of(metric)
        if figures.profiles:
            name = f"profile-{metric.name}"
            found[name] = charts.profiles(name, figures.profiles, metric)
    return found


def _bars(analysis: Analysis) -> Chart:
    """Gaps by axis."""
    shown = [analysis.metrics[0], *analysis.beside]
    order = [axis.axis for axis in analysis.ranked]
    panels = {}
    for metric in shown:
        by_name = {axis.axis: axis for axis in analysis.of(metric).axes}
        panels[f"{metric.title} gap"] = [_bar(by_name[name], metric) for name in order]
    return charts.bars("axes", panels, [metric.relative for metric in shown])


def _bar(axis: AxisFigures, metric: Metric) -> Bar:
    known = published.AXES.get(suite_of(axis))
    stated = known.gap(metric.name) if known else None
    ends = None if stated is None else tuple(np.broadcast_to(stated, 2).tolist())
    return Bar(axis.axis.replace("_", " "), [axis.gap], ends)


def of_comparison(sweeps: Sequence[Sweep], figures: dict[str, Figures], metric: Metric) -> dict[str, Chart]:
    """Charts of several methods by name; `figures` are on their common pairs."""
    found = _curves(sweeps, metric)
    methods = list(figures)
    if not figures[methods[0]].pairs:
        return found
    by_axis = {name: {axis.axis: axis for axis in of.axes} for name, of in figures.items()}
    rows = [Bar(axis.replace("_", " "), [by_axis[name][axis].gap for name in methods]) for axis in by_axis[methods[0]]]
    found["axes"] = charts.bars("axes", {f"{metric.title} gap": rows}, [metric.relative], methods)
    iqms = {side: {name: of.overall[side].iqm for name, of in figures.items()} for side in ("train", "eval")}
    found["aggregates"] = charts.estimates("aggregates", iqms, f"IQM of {metric.title}")
    if metric.target is not None:
        for side in ("train", "eval"):
            curves = {name: of.profiles[side] for name, of in figures.items()}
            found[f"profile-{side}"] = charts.profiles(f"profile-{side}", curves, metric)
    return found


def _curves(sweeps: Sequence[Sweep], metric: Metric) -> dict[str, Chart]:
    """Learning curves: a small chart per pair of the first sweep, and a sheet per axis."""
    found, sheets = {}, {}
    for pair in sweeps[0].pairs:
        lines = _lines(sweeps, pair.id, metric.name)
        name = f"curve-{slug(pair.id)}"
        found[name] = charts.curve(name, "", lines, metric)
        sheets.setdefault(pair.axis, {})[f"{pair.id.rpartition('/')[2]}: {pair.title}"] = lines
    for axis, panels in sheets.items():
        name = f"curves-{slug(axis)}"
        found[name] = charts.sheet(name, panels, metric)
    return found


def _lines(sweeps: Sequence[Sweep], id: str, metric: str) -> list[Line]:
    """Train and eval side of a pair; of several methods, the eval side of each, and dashed the train side."""
    lines = []
    for place, sweep in enumerate(sweeps):
        pair = next((pair for pair in sweep.pairs if pair.id == id), None)
        for side, which in enumerate(("train", "eval") if pair else ()):
            several = len(sweeps) > 1
            label = f"{sweep.name}, {which}" if several else which
            finished, unfinished = (_seeds(pair, which, metric, usable) for usable in (True, False))
            colour = place if several else side
            lines.append(Line(label, finished, unfinished, colour, dashed=several and which == "train"))
    return lines


def _seeds(pair: Pair, side: str, metric: str, usable: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    def one(seed: Seed) -> tuple[np.ndarray, np.ndarray]:
        return seed.steps, seed.curve(getattr(pair, side), metric)

    return [one(seed) for seed in pair.run.seeds if seed.usable == usable and seed.evaluations and metric in seed.measured()]
