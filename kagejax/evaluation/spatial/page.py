"""A page to read transcripts beside the drawn path: one HTML file that needs no network.

Whatever a model wrote stays data: it is embedded as JSON in which no tag can be closed, and shown as text, never as markup.
"""

import html
import importlib.resources
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from kagejax.envs.spatial.puzzles import Puzzle

from . import drawing, tables
from .episodes import Episode, Turn

FLAWS = {
    "starts_at_start_ends_at_exit": "does not lead from start to end",
    "connected_line": "jumps",
    "non_intersecting_line": "visits a position twice",
    "no_rule_crossing": "enters a cell",
    "in_bounds": "leaves the board",
    "avoids_gaps": "passes a gap",
    "all_dots_collected": "misses a dot",
    "square_color_separation": "squares of two colours in a region",
    "star_pairing_exact": "a star without exactly one partner",
    "triangles_edge_count": "a triangle's number is not met",
    "poly_ylop_area": "polys or ylops do not fit",
}
"""What is said of a path for each check that it fails; other checks follow from these."""

_SLOT = re.compile(r"\{\{(\w+)\}\}")

POSITIONS = 300
"""So many positions of a path are drawn; no proper line of a published board has as many."""


def page(report: Mapping[str, Any], episodes: Sequence[Episode], puzzles: Sequence[Puzzle]) -> str:
    """The page of a run, as HTML. Episodes on puzzles that are not among `puzzles` are left out."""
    by_id = {puzzle.id: puzzle for puzzle in puzzles}
    shown = [episode for episode in episodes if episode.puzzle in by_id]
    used = list(dict.fromkeys(episode.puzzle for episode in shown))
    places = {puzzle: place for place, puzzle in enumerate(used)}
    boards = "\n".join(f'<template id="board-{places[name]}">{drawing.board(by_id[name])}</template>' for name in used)
    solutions = [by_id[name].solutions[0] if by_id[name].solutions else None for name in used]
    index = [_entry(episode, places[episode.puzzle]) for episode in shown]
    parser = report["settings"].get("parser", "strict")
    details = "\n".join(_data(f"episode-{number}", _detail(episode, parser)) for number, episode in enumerate(shown))
    slots = {
        "title": html.escape(tables.visible(str(report["settings"].get("model") or report["settings"]["agent"]))),
        "choice": html.escape(tables.choice(report)),
        "trouble": html.escape(tables.trouble(report)),
        "about": _about(report),
        "headline": _headline(report["accuracy"]),
        "tables": "\n".join(_table(table) for table in tables.tables(report)),
        "boards": boards,
        "data": "\n".join([_data("index", index), _data("solutions", solutions), details]),
    }
    template = importlib.resources.files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    return _SLOT.sub(lambda slot: slots[slot[1]], template)


def _headline(accuracy: Mapping[str, Any]) -> str:
    low, high = accuracy["interval"]
    return (
        f"Solved {accuracy['successes']} of {accuracy['episodes']}: {tables.percent(accuracy['rate'])} "
        f"(95 % interval {100 * low:.1f} to {100 * high:.1f})"
    )


def _about(report: Mapping[str, Any]) -> str:
    """Settings, in one paragraph."""
    words = {True: "yes", False: "no"}
    stated = {key: words[value] if isinstance(value, bool) else value for key, value in report["settings"].items()}
    said = [f"{key.replace('_', ' ')}: {value}" for key, value in stated.items() if value not in (None, {}, "")]
    missing = "" if report["complete"] else f"Incomplete. {tables.progress(report)}. "
    return html.escape(tables.visible(missing + ", ".join(said)))


def _table(table: tables.Table) -> str:
    head, *rows = [[html.escape(cell) for cell in row] for row in table.rows]
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<figure><figcaption>{html.escape(table.title)}</figcaption><table><tr>{top}</tr>{body}</table></figure>"


def _entry(episode: Episode, board: int) -> dict[str, Any]:
    """A line of the list."""
    return {
        "puzzle": tables.visible(episode.puzzle),
        "sample": episode.sample,
        "level": episode.level,
        "kinds": list(episode.kinds),
        "outcome": episode.outcome,
        "solved": episode.solved,
        "lenient": episode.solved_leniently,
        "steps": episode.steps,
        "board": board,
    }


def _detail(episode: Episode, parser: str) -> dict[str, Any]:
    """All that is shown of an episode once it is chosen."""
    checks = {} if episode.walk or episode.path is None else episode.line  # step by step the outcome says it
    failed = {name for name, kept in {**checks, **(episode.rules or {})}.items() if not kept}
    return {
        "path": episode.path and episode.path[:POSITIONS],
        "cut": len(episode.path or ()) if len(episode.path or ()) > POSITIONS else None,
        "walk": episode.walk,
        "flaws": [said for name, said in FLAWS.items() if name in failed],
        "illegal": episode.illegal,
        "backtracks": episode.backtracks,
        "seconds": episode.seconds,
        "began": episode.began,
        "system": tables.visible(episode.system),
        "turns": [_turn(turn, parser) for turn in episode.turns],
    }


def _turn(turn: Turn, parser: str) -> dict[str, Any]:
    action = turn.lenient_action if parser == "lenient" else turn.action
    shown = {name: tables.visible(getattr(turn, name)) for name in ("prompt", "reply", "reasoning", "finish", "failure")}
    shown |= {name: getattr(turn, name) for name in ("step", "seconds", "prompt_tokens", "completion_tokens")}
    shown |= {"action": action, "illegal": action is not None and action not in turn.legal}
    return shown | {"attempts": [tables.visible(attempt.error) for attempt in turn.attempts]}


def _data(name: str, content: Any) -> str:
    """A block of data. Without "<" in it, nothing can end it early."""
    text = json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'
