"""A report as tables: for a terminal, and as Markdown."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kagejax.evaluation.report import align

from . import lines

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
"""Characters that are not seen and may change how others are: all but the ends of lines and the tabulator."""


class Table(NamedTuple):
    """A title, and rows of cells under a head."""

    title: str
    rows: list[list[str]]


def tables(report: Mapping[str, Any]) -> list[Table]:
    """Everything that a reader wants first, as tables."""
    stepwise = report["settings"]["mode"] != "one-shot"
    found = [Table("Accuracy", _accuracy(report)), Table("How episodes ended", _outcomes(report))]
    found.append(Table("Steps", _steps(report)) if stepwise else Table("Lines", _lines(report)))
    return [*found, Table("Cost", _cost(report["cost"]))]


def _accuracy(report: Mapping[str, Any]) -> list[list[str]]:
    several = "solved_once" in report["accuracy"]
    head = ["", "puzzles", "solved", "accuracy", "95 % interval", *(["solved at least once"] if several else [])]
    named = {"all": report["accuracy"]}
    named |= {f"level {level}": figures for level, figures in report["by_level"].items() if figures["episodes"]}
    named |= {f"with {kind}": figures for kind, figures in report["by_kind"].items() if figures["episodes"]}
    rows = []
    for name, figures in named.items():
        solved = f"{figures['successes']} of {figures['episodes']}"
        rows.append([name, str(figures["puzzles"]), solved, percent(figures["rate"]), _interval(figures)])
        if several:
            rows[-1].append(percent(figures["solved_once"]["rate"]) if "solved_once" in figures else "-")
    return [head, *rows]


def _outcomes(report: Mapping[str, Any]) -> list[list[str]]:
    total = report["episodes"]
    rows = [[name, str(count), percent(count / total)] for name, count in report["outcomes"].items() if count]
    missing = report["asked"] - total
    rows += [["not played yet", str(missing), "-"]] if missing else []
    return [["outcome", "episodes", "share"], *rows]


def _lines(report: Mapping[str, Any]) -> list[list[str]]:
    rated = {
        "accuracy, lenient parser": report["lenient_accuracy"],
        **{_said(name): report["lines"][name] for name in (*lines.PUBLISHED, *lines.OURS)},
    }
    rows = [[name, percent(figures["rate"]), _interval(figures)] for name, figures in rated.items()]
    return [["rate of", "", "95 % interval"], *rows, ["positions of a path, mean", _number(report["positions"]), ""]]


def _steps(report: Mapping[str, Any]) -> list[list[str]]:
    rows = [
        [_said(name), percent(report[name]["rate"]), _interval(report[name])] for name in ("reached_end", "stuck", "step_limit")
    ]
    rows += [[f"{_said(name)}, mean", _number(report[name]), ""] for name in ("steps", "illegal_moves")]
    if report["settings"]["mode"] == "traceback":
        rows += [["moves back, mean", _number(report["backtracks"]), ""]]
        rows += [["steps for an edge of the path, median", _number(report["backtracking_ratio"], "median"), ""]]
    rows += [["replies without a move", f"{report['replies_without_action']:,} of {report['replies']:,}", ""]]
    rows += [["the same, lenient parser", f"{report['replies_without_action_lenient']:,} of {report['replies']:,}", ""]]
    return [["", "", "95 % interval"], *rows]


def _cost(cost: Mapping[str, Any]) -> list[list[str]]:
    rows = [
        [_said(name), f"{cost[name]:,}"]
        for name in ("requests", "failed_attempts", "cut_off_replies", "prompt_tokens", "completion_tokens", "reasoning_tokens")
    ]
    return [["", ""], *rows, ["seconds for an episode, mean", _number(cost["seconds"])]]


def _said(name: str) -> str:
    return name.replace("_", " ")


def percent(share: float | None) -> str:
    """A rate with one decimal."""
    return "-" if share is None else f"{100 * share:.1f} %"


def _interval(figures: Mapping[str, Any]) -> str:
    low, high = figures["interval"]
    return f"{100 * low:.1f} to {100 * high:.1f}"


def _number(figures: Any, which: str = "mean") -> str:
    value = figures[which] if isinstance(figures, Mapping) else figures
    return "-" if value is None else f"{value:.2f}"


def visible(text: str) -> str:
    """A text with its control characters written out, such as <U+202E>: what is read must be what was said."""
    return _CONTROLS.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def _said_by_others(text: str) -> str:
    """A text from elsewhere on one line, not too long, without what a terminal would obey or a file could not hold."""
    line = visible(" ".join(text.split())).encode("utf-8", "replace").decode()
    return line if len(line) <= 300 else f"{line[:300]}..."


def choice(report: Mapping[str, Any]) -> str:
    """What was evaluated, in a sentence or two; empty where a report does not say it."""
    chosen = report["choice"]
    if not chosen:
        return ""
    parts = [_said_by_others(chosen["source"])]
    parts += [f"{'levels' if ',' in chosen['levels'] else 'level'} {chosen['levels']}"] if chosen["levels"] else []
    parts += [f"limit {chosen['limit']}"] if chosen["limit"] else []
    samples = f", {chosen['samples']} samples of each" if chosen["samples"] > 1 else ""
    said = f"Evaluated: {', '.join(parts)}: {counted(chosen['puzzles'], 'puzzle')}{samples}."
    left_out = [("other_puzzles", "of other puzzles"), ("further_samples", "of further samples")]
    beside = [f"{counted(chosen[key], 'episode')} {of_what}" for key, of_what in left_out if chosen[key]]
    return said + (f" The log also holds {' and '.join(beside)}, not counted here." if beside else "")


def trouble(report: Mapping[str, Any]) -> str:
    """How many episodes failed for their request, why, and what to do; empty where none did."""
    failed, total = report["failed_requests"], report["episodes"]
    if not failed["episodes"]:
        return ""
    reason, times = next(iter(failed["reasons"].items()))
    reason, last = _said_by_others(reason).rstrip("."), _said_by_others(failed["last"]).rstrip(".")
    if failed["episodes"] == total:
        said = f"No episode could be played: all requests failed ({counted(total, 'episode')}). The last error: {last}."
    else:
        often = "" if len(failed["reasons"]) == 1 else f"most often ({times}) "
        said = f"{counted(failed['episodes'], 'episode')} of {total} failed for the request, {often}with: {reason}."
    return f"{said} They count as not solved; the same command with --retry-failed plays them again."


def progress(report: Mapping[str, Any]) -> str:
    """How much of a run there is; empty for all of it."""
    return "" if report["complete"] else f"Played so far: {report['episodes']} of {counted(report['asked'], 'episode')}"


def counted(count: int, name: str) -> str:
    """'1 puzzle', '2 puzzles'."""
    return f"{count:,} {name}" if count == 1 else f"{count:,} {name}s"


def plain(report: Mapping[str, Any]) -> str:
    """For a terminal."""
    return "\n\n".join(align([[table.title, *table.rows[0][1:]], *table.rows[1:]]) for table in tables(report))


def markdown(report: Mapping[str, Any]) -> str:
    """As a Markdown document."""
    settings = ", ".join(f"{key} {value}" for key, value in report["settings"].items() if value not in (None, {}))
    parts = [f"# Path puzzles: {report['settings'].get('model') or report['settings']['agent']}", settings]
    parts += [said for said in (choice(report), trouble(report).replace("<", "&lt;")) if said]
    if not report["complete"]:
        parts.append(f"**Incomplete.** {progress(report)}.")
    parts += [f"## {table.title}\n\n{_rows(table.rows)}" for table in tables(report)]
    return "\n\n".join(parts) + "\n"


def _rows(rows: Sequence[Sequence[str]]) -> str:
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    rule = ["---", *["---:"] * (len(rows[0]) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [cells[0], rule, *cells[1:]])
