"""Everything as rows of CSV, for those who compute on: all metrics, all kinds of values, all seeds."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any

from . import metrics, published
from .analysis import Analysis, suite_of
from .comparison import Comparison
from .summary import Estimate
from .sweep import Sweep

Record = dict[str, Any]
"""A row, by column."""


def pairs(analysis: Analysis) -> Iterable[Record]:
    """A row per pair, metric and kind of value; gaps of METRICS that are shares are fractions."""
    for (name, value), figures in analysis.figures.items():
        for one in figures.pairs:
            stated = published.SUCCESS_GAPS.get(one.pair.id) if name == "success_once" else None
            yield {
                "pair": one.pair.id,
                "axis": one.pair.axis,
                "title": one.pair.title,
                "run": one.pair.run.name,
                "metric": name,
                "value": value,
                "seeds": one.seeds,
                "seeds_asked": len(one.pair.run.seeds),
                "seeds_trapped": one.trapped,
                **_sides(one),
                "difference_mean": one.difference.mean,
                "difference_sem": one.difference.sem,
                **_estimate("gap", one.gap),
                "gap_undefined": one.gap.undefined,
                "published_gap": None if stated is None else stated / 100,
            }
        for pair in figures.without:
            head = {
                "pair": pair.id,
                "axis": pair.axis,
                "title": pair.title,
                "run": pair.run.name,
                "metric": name,
                "value": value,
            }
            yield head | {"seeds": 0, "seeds_asked": len(pair.run.seeds)}


def axes(analysis: Analysis) -> Iterable[Record]:
    """A row per axis, metric and kind of value."""
    for (name, value), figures in analysis.figures.items():
        for one in figures.axes:
            known = published.AXES.get(suite_of(one))
            low, high = _ends(known.gap(name) if known else None)
            yield {
                "axis": one.axis,
                "metric": name,
                "value": value,
                "pairs": len(one.pairs),
                "pairs_without_figures": len(one.without),
                **_sides(one),
                **_estimate("train", one.train_spread),
                **_estimate("eval", one.eval_spread),
                **_estimate("gap", one.gap),
                "gap_undefined": one.gap.undefined,
                **_estimate("rank", one.rank),
                "published_gap_low": low,
                "published_gap_high": high,
                "published_pairs": known.pairs if known else None,
            }


def overall(analysis: Analysis) -> Iterable[Record]:
    """A row per metric, kind of value, side and aggregate."""
    for (name, value), figures in analysis.figures.items():
        for side, of in figures.overall.items():
            for statistic, estimate in of._asdict().items():
                if estimate is not None:
                    head = {"metric": name, "value": value, "side": side, "statistic": statistic, "pairs": len(figures.pairs)}
                    yield head | _estimate("estimate", estimate)


def seeds(sweeps: Sequence[Sweep], names: Sequence[str]) -> Iterable[Record]:
    """A row per pair, seed and metric with all kinds of values; a seed that does not count has its state and no values."""
    for sweep in sweeps:
        for pair in sweep.pairs:
            values = {(name, value): pair.sides(name, value) for name in names for value in metrics.VALUES}
            place = {seed.seed: index for index, seed in enumerate(pair.run.usable)}
            for seed in pair.run.seeds:
                head = {"sweep": sweep.name, "pair": pair.id, "run": pair.run.name, "seed": seed.seed, "state": seed.state}
                head |= {"note": seed.note, "trapped": seed.trapped, "step": seed.step, "total_steps": seed.total_steps}
                for name in names:
                    found = {
                        f"{value}_{side}": values[name, value][row, place[seed.seed]] if seed.seed in place else None
                        for value in metrics.VALUES
                        for row, side in enumerate(("train", "eval"))
                    }
                    yield head | {"metric": name} | found


def improvements(by_metric: dict[str, Comparison]) -> Iterable[Record]:
    """A row per couple of methods, axis, side and metric."""
    for name, comparison in by_metric.items():
        for one in comparison.improvements:
            head = {"metric": name, "first": one.first, "second": one.second, "axis": one.axis or "all", "side": one.side}
            yield head | {"pairs": one.pairs} | _estimate("probability", one.probability)


def _sides(figures: Any) -> Record:
    sides = {"train": figures.train, "eval": figures.eval}
    return {f"{name}_{part}": getattr(side, part) for name, side in sides.items() for part in ("mean", "sem")}


def _estimate(name: str, estimate: Estimate) -> Record:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _ends(stated: published.Number) -> tuple[float | None, float | None]:
    if stated is None:
        return None, None
    low, high = stated if isinstance(stated, tuple) else (stated, stated)
    return low / 100, high / 100


def to_csv(records: Iterable[Record]) -> str:
    """Rows as CSV under the names of their columns; what is unknown (None, NaN) is empty."""
    records = list(records)
    columns = list(dict.fromkeys(column for record in records for column in record))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({column: _plain(value) for column, value in record.items()})
    return text.getvalue()


def _plain(value: Any) -> Any:
    """A cell. Numbers keep 8 significant digits, which is more than a mean over episodes has."""
    if value is None or isinstance(value, bool | int | str):
        return "" if value is None else value
    return "" if math.isnan(value) else f"{value:.8g}"
