"""The report of one sweep."""

from . import metrics, published, tables, wording
from .analysis import FATES, Analysis, fate, suite_of
from .document import Document, Gallery, Key, Picture, Section
from .drawing import slug
from .metrics import Metric
from .summary import AxisFigures, PairFigures
from .sweep import Sweep
from .tables import NONE, Cell, Table


def document(analysis: Analysis) -> Document:
    """The whole report."""
    sweep = analysis.sweep
    notices = wording.notices(sweep)
    trouble = wording.trouble_table(sweep, "Runs that do not count")
    runs = Section("Runs", [wording.runs_table(sweep, "What became of them"), *([trouble] if trouble else [])])
    how = Section("How it was computed", [*_method(analysis), *_sharing(sweep)])
    title = f"Report of {sweep.name}" + (f": {', '.join(sweep.suite)}" if sweep.suite else "")
    lead = [wording.scope(sweep), wording.protocol(sweep)]
    if not analysis.main.pairs:
        return Document(title, lead, notices, [runs, how], [])
    lead.append(_headline(analysis))
    axes, pairs = axes_table(analysis), pairs_table(analysis)
    sections = [
        Section("Axes", [axes, Picture("axes", _bars_caption(analysis)), *_axes_details(analysis)]),
        Section(
            "Pairs",
            [
                pairs,
                Picture("pairs", "Train and eval side of each pair, mean and standard error over seeds"),
                *_details(analysis),
            ],
        ),
        *_fates(analysis),
        Section("All pairs together", [*_overall(analysis)]),
        Section("Maximum, final and best", [*_values(analysis)]),
        Section("Learning curves", [*_curves(analysis)]),
        runs,
        how,
    ]
    return Document(title, lead, notices, sections, [axes, pairs])


def _headline(analysis: Analysis) -> str:
    """The finding in a sentence."""
    metric = analysis.metrics[0]
    order = ", ".join(f"{_name(axis.axis)} {tables.gap(axis.gap, metric)}" for axis in analysis.ranked)
    return f"Gap in {metric.title} by axis ({analysis.value}): {order}."


def _name(axis: str) -> str:
    return axis.replace("_", " ")


def _method(analysis: Analysis) -> list[str]:
    by = wording.method([analysis.sweep], analysis.value, analysis.metrics, analysis.partial, analysis.bootstrap)
    shown = any(pair.suite in published.AXES for pair in analysis.sweep.pairs)
    return [*by, *([wording.published_note()] if shown else [])]


def _sharing(sweep: Sweep) -> list[Table]:
    return [wording.sharing_table(sweep, "Pairs by run")] if sweep.shared else []


def _count(axis: AxisFigures) -> Cell:
    if axis.without:
        return Cell(f"{len(axis.pairs)} of {len(axis.pairs) + len(axis.without)}", tone="bad")
    return Cell(str(len(axis.pairs)))


def seeds(pair: PairFigures) -> Cell:
    """How many seeds count, and what is to be known of them."""
    asked = len(pair.pair.run.seeds)
    text = str(pair.seeds) if pair.seeds == asked else f"{pair.seeds} of {asked}"
    stuck = f", {pair.trapped} trapped" if pair.trapped else ""
    return Cell(text + stuck, tone="bad" if pair.seeds < asked else "odd" if stuck else "")


def axes_table(analysis: Analysis) -> Table:
    """Axes, the largest gap first, with what was published."""
    first, others = analysis.metrics[0], analysis.beside
    known = any(suite_of(axis) in published.AXES for axis in analysis.main.axes) and first.relative
    by_name = {metric.name: {axis.axis: axis for axis in analysis.of(metric).axes} for metric in others}
    head = ["axis", "pairs", f"{first.title}, train", "eval", "gap", "place", *(f"{metric.title} gap" for metric in others)]
    head += ["published gap", "published place"] if known else []
    rows = []
    for axis in analysis.ranked:
        gaps = [tables.bare_gap(by_name[metric.name][axis.axis].gap, metric) for metric in others]
        sides = [tables.with_sem(side, first) for side in (axis.train, axis.eval)]
        row = [_name(axis.axis), _count(axis), *sides, tables.gap(axis.gap, first), tables.place(axis.rank), *gaps]
        rows.append([*row, *(_published(axis, first) if known else [])])
    note = "Means over pairs ± standard error across them; 95 % intervals over seeds in brackets."
    return Table(f"Axes by their gap in {first.title} ({analysis.value})", head, rows, note=note + _fewer(analysis, known))


def _published(axis: AxisFigures, metric: Metric) -> list[str]:
    suite = suite_of(axis)
    if suite not in published.AXES:
        return [NONE, NONE]
    whole = len(axis.pairs) == published.AXES[suite].pairs
    rank = str(published.rank(suite)) if metric.name == "success_once" else NONE
    return [tables.stated(published.AXES[suite].gap(metric.name)) + ("" if whole else "†"), rank]


def _fewer(analysis: Analysis, known: bool) -> str:
    fewer = known and any(
        suite_of(axis) in published.AXES and len(axis.pairs) != published.AXES[suite_of(axis)].pairs
        for axis in analysis.main.axes
    )
    return " † Published over all pairs of the axis, of which only some are here." if fewer else ""


def _axes_details(analysis: Analysis) -> list[Table]:
    """A table for each metric, with intervals of both sides."""
    found = []
    for metric in analysis.metrics:
        rows = [
            [
                _name(axis.axis),
                _count(axis),
                tables.with_sem(axis.train, metric),
                tables.reach(axis.train_spread, metric.form),
                tables.with_sem(axis.eval, metric),
                tables.reach(axis.eval_spread, metric.form),
                tables.gap(axis.gap, metric),
            ]
            for axis in analysis.of(metric).axes
        ]
        head = ["axis", "pairs", "train", "95 %", "eval", "95 %", "gap"]
        title = f"{metric.title.capitalize()} by axis ({analysis.value})"
        note = "Where all pairs of an axis share a training run, there is no spread of the train side across them."
        found.append(Table(title, head, rows, note=note, folded=True))
    return found


def pairs_table(analysis: Analysis) -> Table:
    """All pairs, with the gaps in every metric."""
    first, others = analysis.metrics[0], analysis.beside
    known = any(pair.pair.id in published.SUCCESS_GAPS for pair in analysis.main.pairs) and first.name == "success_once"
    by_id = {metric.name: {pair.pair.id: pair for pair in analysis.of(metric).pairs} for metric in others}
    head = ["axis", "pair", "train -> eval", "seeds", f"{first.title}, train", "eval", "gap"]
    head += [*(f"{metric.title} gap" for metric in others), *(["published"] if known else [])]
    found = {pair.pair.id: pair for pair in analysis.main.pairs}
    rows: list[list[str | Cell]] = []
    for pair in analysis.sweep.pairs:
        words = [_name(pair.axis), pair.id.rpartition("/")[2], pair.title]
        if pair.id not in found:
            empty = [NONE] * (len(head) - 4)
            rows.append([*words, Cell(f"0 of {len(pair.run.seeds)}", tone="bad"), *empty])
            continue
        figures = found[pair.id]
        sides = [tables.with_sem(side, first) for side in (figures.train, figures.eval)]
        gaps = [
            tables.gap(figures.gap, first),
            *(tables.bare_gap(by_id[metric.name][pair.id].gap, metric) for metric in others),
        ]
        rows.append(
            [*words, seeds(figures), *sides, *gaps, *([tables.stated(published.SUCCESS_GAPS.get(pair.id))] if known else [])]
        )
    note = "Means over seeds ± standard error; 95 % intervals over seeds, paired, in brackets."
    return Table(f"Pairs ({analysis.value})", head, tables.without_repeats(rows), texts=3, note=note, wide=(2,))


def _details(analysis: Analysis) -> list[Table]:
    """A table for each metric, with both sides and their difference seed by seed."""
    found = []
    for metric in analysis.metrics:
        rows = [
            [
                figures.pair.id,
                seeds(figures),
                *(tables.with_sem(side, metric) for side in (figures.train, figures.eval, figures.difference)),
                tables.gap(figures.gap, metric),
            ]
            for figures in analysis.of(metric).pairs
        ]
        head = ["pair", "seeds", "train", "eval", "train - eval by seed", "gap"]
        found.append(Table(f"{metric.title.capitalize()} of each pair ({analysis.value})", head, rows, folded=True))
    return found


def _fates(analysis: Analysis) -> list[Section]:
    """Which pairs transfer; nothing where success and distance were not both measured."""
    names = [metric.name for metric in analysis.metrics]
    if "success_once" not in names or "passed_distance" not in names:
        return []
    both = zip(analysis.of("success_once").pairs, analysis.of("passed_distance").pairs, strict=True)
    told = [(success.pair, fate(success, distance)) for success, distance in both]
    rows = []
    for name, about in FATES.items():
        of = [pair for pair, what in told if what == name]
        axes = {
            axis: [pair.id.rpartition("/")[2] for pair in of if pair.axis == axis] for axis in dict.fromkeys(p.axis for p in of)
        }
        listed = "; ".join(f"{_name(axis)} {', '.join(numbers)}" for axis, numbers in axes.items())
        rows.append([name, about, listed or NONE, str(len(of))])
    table = Table("What becomes of the pairs", ["", "when", "which", "pairs"], rows, texts=3, wide=(1, 2))
    return [Section("What transfers", [table, Picture("fates", "Gap in success against gap in distance, one mark per pair")])]


def _overall(analysis: Analysis) -> list[Table | Picture]:
    """Aggregates over all runs of all pairs, and profiles."""
    rows, pictures = [], []
    for metric in analysis.metrics:
        figures = analysis.of(metric)
        form = metric.form
        for side, overall in figures.overall.items():
            gap = overall.optimality_gap
            shown = [tables.spread(each, form) for each in (overall.mean, overall.median, overall.iqm)]
            rows.append([metric.title, side, *shown, NONE if gap is None else tables.spread(gap, form)])
        if figures.profiles:
            caption = f"Share of runs whose {metric.title} ({analysis.value}) is above each value, with 95 % bands"
            pictures.append(Picture(f"profile-{metric.name}", caption))
    count = len(analysis.main.pairs)
    note = (
        f"Over {wording.plural(count, 'pair')}. Mean and median are over the means of pairs, IQM and optimality gap over runs."
    )
    head = ["metric", "side", "mean", "median", "IQM", "optimality gap"]
    return [Table(f"Aggregates ({analysis.value})", head, tables.without_repeats(rows), texts=2, note=note), *pictures]


def _values(analysis: Analysis) -> list[str | Table]:
    """The three kinds of value side by side."""
    metric = analysis.metrics[0]
    by_value = {value: {axis.axis: axis for axis in analysis.of(metric, value).axes} for value in metrics.VALUES}
    rows = []
    for axis in analysis.ranked:
        row: list[str | Cell] = [_name(axis.axis)]
        for of in by_value.values():
            one = of[axis.axis]
            row += [tables.number(side.mean, metric.form) for side in (one.train, one.eval)]
            row.append(tables.bare_gap(one.gap, metric))
        rows.append(row)
    head = ["axis", *(f"{value} {what}" for value in metrics.VALUES for what in ("train", "eval", "gap"))]
    means = {
        value: [analysis.of(metric, value).overall[side].mean.value for side in ("train", "eval")] for value in metrics.VALUES
    }
    excess = [metric.form.format(most - last) for most, last in zip(means["max"], means["final"], strict=True)]
    said = (
        f"Over all pairs the maximum is {excess[0]} above the last evaluation on the train side and {excess[1]} on the eval "
        f"side ({metric.title}). The best evaluation is chosen by the train side alone."
    )
    return [said, Table(f"{metric.title.capitalize()} by kind of value", head, rows)]


def _curves(analysis: Analysis) -> list[str | Gallery]:
    metric = analysis.metrics[0].title
    small = tuple(Picture(f"curve-{slug(pair.id)}", f"{pair.id}: {pair.title}") for pair in analysis.sweep.pairs)
    axes = dict.fromkeys(pair.axis for pair in analysis.sweep.pairs)
    key = (Key(0, "train"), Key(1, "eval"))
    return [
        wording.CURVES,
        Gallery(key, small, tuple(Picture(f"curves-{slug(axis)}", f"{_name(axis)}: {metric} while training") for axis in axes)),
    ]


def _bars_caption(analysis: Analysis) -> str:
    known = any(suite_of(axis) in published.AXES for axis in analysis.main.axes)
    return f"Gaps by axis ({analysis.value}) with 95 % intervals over seeds" + ("; diamonds: published" if known else "")
