"""The files of a run, beside its log."""

import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from kagejax.envs.spatial.puzzles import Puzzle

from . import page, tables
from .episodes import Episode

LOG, REPORT, TABLES, PAGE = "episodes.jsonl", "report.json", "report.md", "page.html"


def write(
    folder: str | os.PathLike[str], report: Mapping[str, Any], episodes: Sequence[Episode], puzzles: Sequence[Puzzle]
) -> None:
    """Writes the report as JSON and Markdown and the page to read transcripts; each file appears complete or not at all."""
    folder = pathlib.Path(folder)
    texts = {REPORT: json.dumps(report, indent=2) + "\n", TABLES: tables.markdown(report)}
    texts[PAGE] = page.page(report, episodes, puzzles)
    for name, text in texts.items():
        draft = folder / f".{name}.part"
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, folder / name)
