"""`kagejax report`: tables, statistics and figures of sweeps."""

import importlib.util
import pathlib
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import tyro

from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean, listing

from ._arguments import require

MOST_REPLICATES = 1_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `kagejax report ARGUMENTS` and gives the exit status. Raises ConfigError for a user's mistake."""
    return tyro.cli(report, prog="kagejax report", args=arguments, use_underscores=False)


def report(
    sweeps: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="SWEEP|NAME=SWEEP")],
    *,
    out: str = "",
    metric: Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="NAME")] = (),
    value: str = "max",
    plots: bool = True,
    replicates: int = 5000,
    seed: int = 0,
) -> int:
    """Report what a sweep found: tables per pair and axis, intervals, profiles, learning curves, and a page with all of it.

    Writes report.html (one file, no network), report.md, tables.tex, CSV files and figures. Runs that are missing, unfinished
    or failed are shown as such and count nowhere; the exit status is then 1. Two or more sweeps are compared as methods, each
    with those named before it, on the pairs that all of them finished.

    For example:
      kagejax report runs/kage
      kagejax report runs/kage --value final --metric return --out paper
      kagejax report ppo=runs/kage rad=runs/kage-rad --out comparison

    Args:
        sweeps: Folders that `kagejax sweep` made; NAME= says what the report calls them.
        out: Folder to write into; nothing: SWEEP/report (of several sweeps it must be given).
        metric: What to report, the first ranks the axes; may be given several times: success_once, passed_distance, progress,
            return. Nothing: all that were measured.
        value: Which evaluation of a run counts: max (the largest, as in the paper), final (the last) or best (that with the
            highest success rate on the train side). The report of one sweep has a table of all three.
        plots: Draw figures, which needs matplotlib.
        replicates: Of the bootstrap.
        seed: Of the bootstrap, a whole number.
    """
    from kagejax.evaluation.benchmark import metrics, summary
    from kagejax.evaluation.benchmark import report as reports

    kinds = metrics.VALUES
    require(bool(sweeps), "sweeps", "Name the folder of a sweep, such as runs/kage.")
    require(value in kinds, "--value", f"Found {value!r}; allowed: {listing(list(kinds))}.{did_you_mean(value, kinds)}")
    require(100 <= replicates <= MOST_REPLICATES, "--replicates", f"Found {replicates}; allowed: 100 to {MOST_REPLICATES:,}.")
    require(seed >= 0, "--seed", f"Found {seed}; allowed: 0 or more.")
    require(bool(out) or len(sweeps) == 1, "--out", "Say where the comparison of several sweeps is to be written.")
    if plots and importlib.util.find_spec("matplotlib") is None:
        message = "Figures need matplotlib, which is not installed: pip install 'kagejax[plot]'. Or give --no-plots."
        raise ConfigError(Problem(Where("--plots"), "", message))
    found = _read(sweeps)
    folder = pathlib.Path(out) if out else _folder(sweeps[0])[1] / "report"
    require(not folder.exists() or folder.is_dir(), "--out", f"Found {str(folder)!r}, which is a file; name a folder.")
    bootstrap = summary.Bootstrap(replicates, seed)
    document = _with_progress(lambda say: reports.write(found, folder, metric, value, bootstrap, draw=plots, say=say), plots)
    _tell(document, folder)
    return int(any(sweep.unusable for sweep in found))


def _read(names: Sequence[str]) -> list[Any]:
    """The sweeps, each with a name of its own."""
    from kagejax.evaluation.benchmark import sweep

    found = []
    for text in names:
        name, folder = _folder(text)
        require(folder.is_dir(), "sweeps", f"Found {text!r}; there is no folder {str(folder)!r}.")
        found.append(sweep.read(folder, name))
    called = [each.name for each in found]
    twice = sorted({name for name in called if called.count(name) > 1})
    if twice:
        message = f"Two sweeps are called {twice[0]!r}; name them apart, as NAME=FOLDER."
        raise ConfigError(Problem(Where("sweeps"), "", message))
    return found


def _folder(text: str) -> tuple[str, pathlib.Path]:
    """Name (empty: that of the folder) and folder of SWEEP or NAME=SWEEP."""
    name, equals, folder = text.partition("=")
    if not equals or pathlib.Path(text).is_dir():
        return "", pathlib.Path(text)
    return name, pathlib.Path(folder)


def _with_progress(work: Any, plots: bool) -> Any:
    """`work(say)` with a bar of the figures on a terminal."""
    from rich.progress import Progress

    with Progress(transient=True, disable=not (plots and sys.stderr.isatty())) as progress:
        task = progress.add_task("figures", total=None)
        return work(lambda done, total: progress.update(task, completed=done, total=total))


def _tell(document: Any, folder: pathlib.Path) -> None:
    """The gist on a terminal: what is missing, the first table, and where the rest is."""
    from kagejax.evaluation.benchmark import tables

    parts = [document.title, *document.lead[:1], *(f"{notice.title} {notice.text}" for notice in document.notices)]
    if document.latex:
        table = document.latex[0]
        parts += [f"{table.title}\n\n{tables.plain(table)}"]
    print("\n\n".join([*parts, f"{folder / 'report.html'}"]))
