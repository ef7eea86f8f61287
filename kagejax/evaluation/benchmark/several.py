"""The report of several sweeps: methods on the pairs that all of them finished."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from . import comparison, tables, wording
from .comparison import SIDES, Comparison
from .document import Document, Gallery, Key, Notice, Picture, Section
from .drawing import slug
from .metrics import Metric
from .summary import Bootstrap
from .sweep import Sweep
from .tables import NONE, Cell, Table


class Contest(NamedTuple):
    """Sweeps with their comparison in every metric."""

    sweeps: tuple[Sweep, ...]
    metrics: tuple[Metric, ...]
    partial: tuple[Metric, ...]
    value: str
    bootstrap: Bootstrap
    by_metric: Mapping[str, Comparison]

    @property
    def main(self) -> Comparison:
        """The comparison in the first metric."""
        return self.by_metric[self.metrics[0].name]


def analyze(
    sweeps: Sequence[Sweep], chosen: Sequence[Metric], partial: Sequence[Metric], value: str, bootstrap: Bootstrap
) -> Contest:
    """Compares `sweeps` in all metrics of `chosen`."""
    found = {metric.name: comparison.compare(sweeps, metric, value, bootstrap) for metric in chosen}
    return Contest(tuple(sweeps), tuple(chosen), tuple(partial), value, bootstrap, found)


def document(contest: Contest) -> Document:
    """The whole report."""
    main, metric = contest.main, contest.metrics[0]
    title = "Comparison of " + ", ".join(main.methods)
    lead = [f"{sweep.name}: {wording.scope(sweep)} {wording.protocol(sweep)}" for sweep in contest.sweeps]
    notices = [notice for sweep in contest.sweeps for notice in wording.notices(sweep, f"{sweep.name}: ")]
    notices += [*_apart(main), *_unlike(contest.sweeps)]
    runs: list[Table] = []
    for sweep in contest.sweeps:
        trouble = wording.trouble_table(sweep, f"{sweep.name}: runs that do not count")
        runs += [wording.runs_table(sweep, f"{sweep.name}: what became of them"), *([trouble] if trouble else [])]
    how = wording.method(contest.sweeps, contest.value, contest.metrics, contest.partial, contest.bootstrap)
    apart = "Runs of two methods are taken as independent, also those of one seed: their seeds are drawn apart."
    ends = [Section("Runs", runs), Section("How it was computed", [*how, apart])]
    if not main.common:
        return Document(title, lead, notices, ends, [])
    lead.append(f"All figures are over the {wording.plural(len(main.common), 'pair')} that every method has finished runs on.")
    aggregates, improvements, axes, pairs = _aggregates(contest), _improvements(contest), _axes(contest), _pairs(contest)
    profiles = (
        []
        if metric.target is None
        else [
            Picture(f"profile-{side}", f"Share of runs whose {metric.title} is above each value, {side} side") for side in SIDES
        ]
    )
    sections = [
        Section(
            "Methods", [aggregates, Picture("aggregates", f"Interquartile mean of {metric.title}, 95 % intervals"), *profiles]
        ),
        Section("Probability of improvement", [_reading(), improvements]),
        Section("Axes", [axes, Picture("axes", f"Gap in {metric.title} by axis and method, 95 % intervals")]),
        Section("Pairs", [pairs]),
        Section("Learning curves", [wording.CURVES, _curves(contest)]),
        *ends,
    ]
    return Document(title, lead, notices, sections, [aggregates, improvements, axes, pairs])


def _apart(main: Comparison) -> list[Notice]:
    """Pairs that a method has and another lacks."""
    return [
        Notice("odd", "Not compared.", f"{name} also has {', '.join(ids)}, where another method has no finished run.")
        for name, ids in main.apart.items()
        if ids
    ]


def _unlike(sweeps: Sequence[Sweep]) -> list[Notice]:
    """That methods were trained or evaluated in different ways."""
    if len({wording.evaluations(sweep) for sweep in sweeps}) < 2:
        return []
    told = "; ".join(f"{sweep.name}: {wording.evaluations(sweep) or 'no finished run'}" for sweep in sweeps)
    return [Notice("odd", "Different protocols.", f"{told}. Maxima over different numbers of evaluations do not compare.")]


def _aggregates(contest: Contest) -> Table:
    rows = []
    for metric in contest.metrics:
        for side in SIDES:
            for name, figures in contest.by_metric[metric.name].figures.items():
                overall = figures.overall[side]
                gap = overall.optimality_gap
                shown = [tables.spread(each, metric.form) for each in (overall.mean, overall.median, overall.iqm)]
                last = NONE if gap is None else tables.spread(gap, metric.form)
                rows.append([f"{metric.title}, {side}", name, *shown, last])
    head = ["metric", "method", "mean", "median", "IQM", "optimality gap"]
    note = "Mean and median are over the means of pairs, IQM and optimality gap over runs; 95 % intervals over seeds."
    return Table(f"Aggregates ({contest.value})", head, tables.without_repeats(rows), texts=2, note=note)


def _reading() -> str:
    return (
        "How likely a run of the first method is better than one of the second on the same pair, averaged over pairs; a draw "
        "counts half. 0.5 is no difference. It tells how often, not by how much."
    )


def _improvements(contest: Contest) -> Table:
    metric = contest.metrics[0]
    found = contest.main.improvements
    by_key = {(each.first, each.second, each.axis, each.side): each for each in found}
    rows = []
    for first, second, axis in dict.fromkeys((each.first, each.second, each.axis) for each in found):
        sides = [by_key[first, second, axis, side] for side in SIDES]
        shown = [_probability(each.probability) for each in sides]
        rows.append([f"{first} over {second}", axis.replace("_", " ") or "all", str(sides[0].pairs), *shown])
    head = ["", "axis", "pairs", *(f"{metric.title}, {side}" for side in SIDES)]
    note = "A star: the interval does not hold 0.5."
    return Table(f"Probability of improvement ({contest.value})", head, tables.without_repeats(rows), texts=2, note=note)


def _probability(estimate: comparison.Estimate) -> Cell:
    decided = estimate.low > 0.5 or estimate.high < 0.5
    return Cell(tables.spread(estimate, "{:.2f}") + (" *" if decided else ""), tone="sure" if decided else "")


def _axes(contest: Contest) -> Table:
    metric = contest.metrics[0]
    figures = contest.main.figures
    by_axis = {name: {axis.axis: axis for axis in of.axes} for name, of in figures.items()}
    rows = []
    for axis in by_axis[contest.main.methods[0]]:
        for name in figures:
            one = by_axis[name][axis]
            sides = [tables.with_sem(side, metric) for side in (one.train, one.eval)]
            rows.append([axis.replace("_", " "), name, str(len(one.pairs)), *sides, tables.gap(one.gap, metric)])
    head = ["axis", "method", "pairs", f"{metric.title}, train", "eval", "gap"]
    note = "Means over pairs ± standard error across them; 95 % intervals over seeds in brackets."
    return Table(f"Axes ({contest.value})", head, tables.without_repeats(rows), texts=2, note=note)


def _pairs(contest: Contest) -> Table:
    metric = contest.metrics[0]
    of = {name: {one.pair.id: one for one in figures.pairs} for name, figures in contest.main.figures.items()}
    titles = {pair.id: pair.title for pair in contest.sweeps[0].pairs}
    rows = []
    for id in contest.main.common:
        evals = [tables.with_sem(pairs[id].eval, metric) for pairs in of.values()]
        gaps = [tables.gap(pairs[id].gap, metric) for pairs in of.values()]
        rows.append([id, titles[id], *evals, *gaps])
    head = ["pair", "train -> eval", *(f"{name}, eval" for name in of), *(f"{name}, gap" for name in of)]
    return Table(f"{metric.title.capitalize()} of each pair ({contest.value})", head, rows, texts=2, wide=(1,))


def _curves(contest: Contest) -> Gallery:
    title = contest.metrics[0].title
    pairs = contest.sweeps[0].pairs
    small = tuple(Picture(f"curve-{slug(pair.id)}", f"{pair.id}: {pair.title}") for pair in pairs)
    axes = dict.fromkeys(pair.axis for pair in pairs)
    methods = list(enumerate(contest.main.methods))
    key = tuple(Key(place, f"{name}, {side}", dashed=side == "train") for place, name in methods for side in SIDES)
    sheets = tuple(Picture(f"curves-{slug(axis)}", f"{axis.replace('_', ' ')}: {title} while training") for axis in axes)
    return Gallery(key, small, sheets)
