"""Levels and agents that several tests of the Sokoban harness play."""

import json

import numpy as np

from kagejax.envs.sokoban import text
from kagejax.evaluation.sokoban import arena as arenas
from tests.oracles import sokoban_golden

TUNNEL = "######\n#@$ .#\n######"
OPEN = "######\n#    #\n#  $ #\n#@  .#\n######"  # right, right and up make it dead
CAP = sokoban_golden.document("eval_cases")["call_cap"]


def arena(folder, *levels, kind="symbolic", name="split_X", **section):
    """An arena of `levels`, objects as in a split file or texts alone."""
    entries = [{"ascii": level} if isinstance(level, str) else level for level in levels]
    path = folder / f"{name}-{kind}.json"
    path.write_text(json.dumps({"name": name, "max_steps": 40, "levels": entries}))
    return arenas.file_arena(path, kind, **section)


def golden_arenas(folder, kind="symbolic"):
    """The recorded cases as arenas of one size of board each, with the cases in each."""
    cases = sokoban_golden.cases()
    for size in (6, 8):
        chosen = [case for case in cases if len(case.text.split("\n")) == size]
        levels = [{"ascii": c.text, "optimal_len": c.optimal_length, "max_steps": c.max_steps} for c in chosen]
        yield arena(folder, *levels, kind=kind, name=f"golden_{size}"), chosen


def recorded(episode):
    """An episode as the golden file has it."""
    return {
        "solved": episode.solved,
        "steps": episode.steps,
        "optimal": episode.optimal,
        "deadlocked": episode.deadlocked,
        "model_calls": [min(episode.model_calls), max(episode.model_calls)],
        "call_violation": episode.call_violation,
        "n_actions_requested": len(episode.model_calls),
    }


def without_times(episodes):
    return [episode._replace(plan_times_ms=()) for episode in episodes]


def levels_of(*texts):
    return [text.parse(level) for level in texts]


def scripts(rows, width):
    """Sequences as one array, i32 [rows, width], -1 after their ends."""
    table = np.full((len(rows), width), -1, np.int32)
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table
