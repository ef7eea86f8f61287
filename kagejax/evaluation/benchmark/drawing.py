"""Charts as files and inside of a page. matplotlib is imported when a chart is drawn, not before.

On the page a chart follows its reader's light or dark mode: it is drawn in stand-in colours, which then become CSS variables.
"""

import io
import os
import pathlib
import re
from collections.abc import Callable
from typing import Any, NamedTuple

Paint = Callable[[Any, "Ink"], None]
"""Draws into a matplotlib figure with the colours given."""


class Ink(NamedTuple):
    """Colours of a chart."""

    text: str
    soft: str  # labels, unimportant lines
    rule: str  # grid
    ground: str
    series: tuple[str, ...]


PAPER = Ink("#1d1f24", "#5d626d", "#dcdcd8", "#ffffff", ("#2563c9", "#d4541a", "#2b8a4b", "#9a45b5", "#b07a00", "#178a94"))
"""For files."""

VARIABLES = Ink("--ink", "--soft", "--rule", "--panel", tuple(f"--series-{place}" for place in range(len(PAPER.series))))
"""For the page: names of its CSS variables."""

_STAND_INS = {f"#0102{number:02x}": name for number, name in enumerate([*VARIABLES[:4], *VARIABLES.series])}
_PAGE = Ink(*list(_STAND_INS)[:4], tuple(list(_STAND_INS)[4:]))

_CLEANING = (
    (r"<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>", ""),  # what it says of lines, the page says of its charts
    (r"(<svg\b[^>]*?) width=\"[^\"]*\"", r"\1"),
    (r"(<svg\b[^>]*?) height=\"[^\"]*\"", r"\1"),
    (r"<g id=\"[^\"]*\"", "<g"),
    (r"font-family: [^;\"]*;? ?", ""),
    (r"(font: [\d.]+px )[^;\"]*", r"\1sans-serif"),  # as older versions of matplotlib write it
    (r" transform=\"rotate\(-?0 [^\"]*\"", ""),
)
"""What is taken out of an SVG of matplotlib, so that it is small, scales, and has the page's type."""

_OPTIONS = {
    "font.size": 9.0,
    "font.family": "sans-serif",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.titlesize": 9.5,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "kagejax",
    "pdf.fonttype": 42,
    "figure.dpi": 100.0,
}


class Chart(NamedTuple):
    """A figure that can be drawn: its name (of files), its size in inches, and how."""

    name: str
    width: float
    height: float
    paint: Paint


def slug(name: str) -> str:
    """A name that a file can have."""
    return re.sub(r"[^A-Za-z0-9_.]+", "-", name).strip("-.") or "unnamed"


def write(chart: Chart, folder: str | pathlib.Path) -> list[pathlib.Path]:
    """Writes `chart` as PNG and PDF; each file appears complete or not at all."""
    paths = []
    for ending, options in (("png", {"dpi": 160}), ("pdf", {"metadata": {"CreationDate": None}})):
        path = pathlib.Path(folder) / f"{chart.name}.{ending}"
        draft = path.with_name(path.name + ".part")
        _draw(chart, PAPER, draft, format=ending, **options)
        os.replace(draft, path)
        paths.append(path)
    return paths


def svg(chart: Chart) -> str:
    """`chart` as an `svg` element for the page: text stays text, colours are variables, its ids are its own."""
    buffer = io.StringIO()
    _draw(chart, _PAGE, buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    for pattern, instead in _CLEANING:
        text = re.sub(pattern, instead, text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{chart.name}-", text)
    for colour, name in _STAND_INS.items():
        text = text.replace(colour, f"var({name})")
    return re.sub(r"\s*\n\s*", "\n", text).strip()


def _draw(chart: Chart, ink: Ink, target: Any, **options: Any) -> None:
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_OPTIONS | _colours(ink)):
        figure = Figure((chart.width, chart.height), layout="constrained")
        FigureCanvasAgg(figure)
        chart.paint(figure, ink)
        figure.savefig(target, **options)


def _colours(ink: Ink) -> dict[str, Any]:
    axes = {name: ink.soft for name in ("axes.edgecolor", "xtick.color", "ytick.color", "axes.labelcolor")}
    return axes | {
        "text.color": ink.text,
        "axes.titlecolor": ink.text,
        "grid.color": ink.rule,
        "figure.facecolor": ink.ground,
        "axes.facecolor": ink.ground,
        "savefig.facecolor": ink.ground,
    }
