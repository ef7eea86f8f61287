"""What tests of the evaluation of path puzzles share: constructed puzzles, players with a script, episodes made by hand."""

import asyncio
import functools

from kagejax.envs.spatial import puzzles
from kagejax.evaluation.spatial.episodes import Episode, Turn
from kagejax.evaluation.spatial.exchange import Reply
from kagejax.evaluation.spatial.settings import Protocol
from kagejax.evaluation.spatial.stage import Stage
from tests.oracles import spatial_golden

NAMES = ("A01", "A03", "B01", "C01", "F02", "G01")
"""One cell with a dot; dots; gaps; two squares; a poly; a poly and a ylop, with level 2. The others have level 1."""

RIGHT_A01 = ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2))
WRONG_A01 = ((0, 0), (0, 1), (0, 2), (1, 2), (2, 2))  # misses the dot


@functools.cache
def puzzle(name):
    return puzzles.from_record(spatial_golden.puzzles()[name])


def some():
    return tuple(map(puzzle, NAMES))


@functools.cache
def stage(mode="one-shot", view="text", history=False, parser="strict", max_steps=100, invalid_replies=2, picture_size=96):
    """All the puzzles above; one set of programs serves all text protocols."""
    return Stage(some(), Protocol(mode, view, "reference", history, parser, max_steps, invalid_replies, picture_size))


class Scripted:
    """A player that says what it is given, one reply after the other, and keeps the requests."""

    def __init__(self, *replies):
        self.requests, self._replies = [], list(replies)

    async def __call__(self, request):
        self.requests.append(request)
        reply = self._replies.pop(0)
        return reply if isinstance(reply, Reply) else Reply(content=reply, finish="stop")


def play(function, place, name, player, sample=0):
    """An episode of `episodes.one_shot` or `step_by_step` on the puzzle of that name."""
    return asyncio.run(function(place, NAMES.index(name), sample, player))


def answer(path):
    return "#### " + ", ".join(f"({x}, {y})" for x, y in path)


def episode(puzzle="a", sample=0, outcome="solved", **changes):
    """An episode made by hand."""
    fields = {
        "digest": "0",
        "level": 1,
        "kinds": ("dot",),
        "solved_leniently": outcome == "solved",
        "path": RIGHT_A01,
        "lenient_path": None,
        "line": dict.fromkeys(LINE, outcome in ("solved", "rules broken")),
        "rules": None,
        "steps": 4,
        "illegal": 0,
        "backtracks": 0,
        "walk": (),
        "system": "",
        "turns": (Turn(prompt="?", reply="!"),),
        "seconds": 1.0,
        "began": "2026-01-01T00:00:00Z",
    }
    return Episode(puzzle=puzzle, sample=sample, outcome=outcome, solved=outcome == "solved", **fields | changes)


LINE = (
    "starts_at_start_ends_at_exit",
    "connected_line",
    "non_intersecting_line",
    "start_to_exit_connected",
    "no_rule_crossing",
    "fully_valid_path",
    "in_bounds",
    "avoids_gaps",
    "line_valid",
)
