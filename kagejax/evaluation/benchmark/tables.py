"""Tables, once for all: of text, as Markdown and as LaTeX; and how figures are written in them."""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from kagejax.evaluation.report import align

from .metrics import Metric
from .published import Number
from .summary import Estimate, Side

NONE = "–"
"""What stands where there is no figure."""


class Cell(NamedTuple):
    """A cell with a look: only the page shows it."""

    text: str
    share: float | None = None  # length of a bar behind the text, in [0, 1]
    tone: str = ""  # good, odd or bad

    def __str__(self) -> str:
        return self.text


class Table(NamedTuple):
    """Rows of cells under a head. The first `texts` columns are words, the others figures."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    texts: int = 1
    note: str = ""
    folded: bool = False  # on the page, opened by a click
    wide: Sequence[int] = ()  # columns of long texts, which get room on the page

    @property
    def cells(self) -> list[list[str]]:
        """Head and rows as text."""
        return [list(self.head), *([str(cell) for cell in row] for row in self.rows)]


def number(value: float, form: str) -> str:
    """A figure in that form."""
    return NONE if math.isnan(value) else form.format(value)


def with_sem(side: Side, metric: Metric) -> str:
    """Mean and standard error: "0.902 ± 0.031"; the mean alone where there is no error."""
    error = "" if math.isnan(side.sem) else f" ± {metric.form.format(side.sem)}"
    return number(side.mean, metric.form) + error


def gap(estimate: Estimate, metric: Metric) -> Cell:
    """A gap and its interval: "53.3 % [48.1, 58.9]"; returns in their own units. A star: some resamples have no gap."""
    factor, form, unit = (100, "{:.1f}", " %") if metric.relative else (1, metric.form, "")
    text = spread(estimate, form, factor, unit)
    share = min(max(estimate.value, 0.0), 1.0) if metric.relative and not math.isnan(estimate.value) else None
    return Cell(text + ("*" if estimate.undefined else ""), share)


def bare_gap(estimate: Estimate, metric: Metric) -> str:
    """A gap without its interval."""
    return gap(Estimate(estimate.value, math.nan, math.nan), metric).text


def spread(estimate: Estimate, form: str, factor: float = 1, unit: str = "") -> str:
    """A figure with its interval in brackets, where it has one."""
    if math.isnan(estimate.value):
        return NONE
    ends = "" if math.isnan(estimate.low) else f" {reach(estimate, form, factor)}"
    return form.format(factor * estimate.value) + unit + ends


def reach(estimate: Estimate, form: str, factor: float = 1) -> str:
    """The interval of a figure: "[48.1, 58.9]"."""
    if math.isnan(estimate.low):
        return NONE
    return f"[{form.format(factor * estimate.low)}, {form.format(factor * estimate.high)}]"


def place(estimate: Estimate) -> str:
    """A rank and its interval: "1 [1, 2]"."""
    return spread(estimate, "{:g}")


def stated(value: Number, form: str = "{:.1f} %") -> str:
    """A published figure: "86.8 %", "3 to 4 %", or nothing known."""
    if value is None:
        return NONE
    if isinstance(value, tuple):
        return f"{value[0]:g} to {form.format(value[1]).replace('.0', '')}"
    return form.format(value)


def without_repeats(rows: Sequence[Sequence[str | Cell]]) -> list[list[str | Cell]]:
    """Rows whose first cell is empty where it says what the one above says."""
    before = [None, *(str(row[0]) for row in rows)]
    return [["" if str(row[0]) == above else row[0], *row[1:]] for row, above in zip(rows, before, strict=False)]


def plain(table: Table) -> str:
    """For a terminal. Columns of words after the first stand to the right, as figures do."""
    return align(table.cells)


def markdown(table: Table) -> str:
    """As Markdown, without its title."""
    head, *rows = [[cell.replace("|", "\\|") for cell in row] for row in table.cells]
    rule = [":---" if place < table.texts else "---:" for place in range(len(head))]
    lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
    return "\n".join(lines) + (f"\n\n{table.note}" if table.note else "")


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "–": "--", "→": r"$\to$", "Δ": r"$\Delta$",
    "|": r"$|$", "†": r"$\dagger$", "<": r"$<$", ">": r"$>$", "−": "$-$", "≥": r"$\ge$", "≤": r"$\le$",
}  # fmt: skip


def latex(text: str) -> str:
    """Text that LaTeX shows as it stands; "->" becomes an arrow, a hyphen before a digit a minus sign."""
    escaped = "".join(_LATEX.get(letter, letter) for letter in text.replace("->", "→"))
    return re.sub(r"(?<!\w)-(?=\d)", "$-$", escaped)


def latex_table(table: Table, label: str) -> str:
    """A `table` environment in the style of booktabs."""
    head, *rows = [[latex(cell) for cell in row] for row in table.cells]
    columns = "l" * table.texts + "r" * (len(head) - table.texts)
    body = "\n".join(f"{' & '.join(row)} \\\\" for row in rows)
    return "\n".join(
        [
            "\\begin{table}\n\\centering\\small",
            f"\\caption{{{latex(table.title)}.{' ' + latex(table.note) if table.note else ''}}}",
            f"\\label{{tab:{label}}}",
            f"\\begin{{tabular}}{{{columns}}}\n\\toprule",
            f"{' & '.join(head)} \\\\\n\\midrule",
            body,
            "\\bottomrule\n\\end{tabular}\n\\end{table}\n",
        ]
    )
