"""The report of one or several sweeps, written as a folder: a page, Markdown, LaTeX, CSV and figures."""

import os
import pathlib
from collections.abc import Callable, Iterable, Sequence

from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean, listing

from . import analysis as analyses
from . import drawing, metrics, page, pictures, records, several, single
from .document import Document, to_latex, to_markdown
from .drawing import Chart
from .metrics import METRICS, Metric
from .summary import Bootstrap
from .sweep import Sweep

DEFAULT_BOOTSTRAP = Bootstrap()
FIGURES = "figures"
"""Folder of the figures, beside the texts."""


def choose(sweeps: Sequence[Sweep], asked: Sequence[str] = ()) -> tuple[list[Metric], list[Metric]]:
    """The metrics to report, in the order asked for, and those that only some runs measured. Raises ConfigError for one that
    is unknown or that not all finished runs have, and where no run is finished and none is asked for, gives the first."""
    unknown = [name for name in asked if name not in METRICS]
    if unknown:
        near = did_you_mean(unknown[0], METRICS)
        raise ConfigError(Problem(Where("--metric"), "", f"Found {unknown[0]!r}; allowed: {listing(list(METRICS))}.{near}"))
    runs = [seed.measured() for sweep in sweeps for run in sweep.runs for seed in run.usable]
    whole, partial = metrics.available(runs)
    if not runs:
        return [METRICS[name] for name in asked] or list(METRICS.values())[:1], []
    lacking = [name for name in asked if METRICS[name] not in whole]
    if lacking:
        names = listing([metric.name for metric in whole])
        message = f"Found {lacking[0]!r}, which not all finished runs measured; allowed: {names}."
        raise ConfigError(Problem(Where("--metric"), "", message))
    return [METRICS[name] for name in dict.fromkeys(asked)] or whole, partial


def write(
    sweeps: Sequence[Sweep],
    folder: str | pathlib.Path,
    asked: Sequence[str] = (),
    value: str = "max",
    bootstrap: Bootstrap = DEFAULT_BOOTSTRAP,
    draw: bool = True,
    say: Callable[[int, int], None] = lambda done, total: None,
) -> Document:
    """Writes the report of `sweeps` into `folder` (made where it is missing) and gives it: of one sweep by itself, of several
    their comparison. `say` hears how many of the figures are drawn."""
    folder = pathlib.Path(folder)
    chosen, partial = choose(sweeps, asked)
    if len(sweeps) == 1:
        analysis = analyses.analyze(sweeps[0], chosen, partial, value, bootstrap)
        document, charts = single.document(analysis), pictures.of_sweep(analysis)
        rows = {"pairs": records.pairs(analysis), "axes": records.axes(analysis), "overall": records.overall(analysis)}
    else:
        contest = several.analyze(sweeps, chosen, partial, value, bootstrap)
        document = several.document(contest)
        charts = pictures.of_comparison(sweeps, contest.main.figures, chosen[0])
        rows = {"improvements": records.improvements(contest.by_metric)}
    rows["seeds"] = records.seeds(sweeps, [metric.name for metric in chosen])
    folder.mkdir(parents=True, exist_ok=True)
    svgs = _draw(charts, folder / FIGURES, say) if draw else {}
    shown = document if draw else document.without_pictures()
    _write_all(folder, shown, svgs, rows)
    return document


def _draw(charts: dict[str, Chart], folder: pathlib.Path, say: Callable[[int, int], None]) -> dict[str, str]:
    """Writes the charts as files, but for the small ones of the gallery; gives all as SVG, but for its sheets."""
    folder.mkdir(exist_ok=True)
    svgs = {}
    for done, (name, chart) in enumerate(charts.items()):
        say(done, len(charts))
        if not name.startswith("curve-"):
            drawing.write(chart, folder)
        if not name.startswith("curves-"):
            svgs[name] = drawing.svg(chart)
    say(len(charts), len(charts))
    return svgs


def _write_all(
    folder: pathlib.Path, document: Document, svgs: dict[str, str], rows: dict[str, Iterable[records.Record]]
) -> None:
    texts = {"report.html": page.page(document, svgs), "report.md": to_markdown(document, FIGURES)}
    texts |= {"tables.tex": to_latex(document)} if document.latex else {}
    texts |= {f"{name}.csv": records.to_csv(of) for name, of in rows.items()}
    for name, text in texts.items():
        draft = folder / f"{name}.part"
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, folder / name)
