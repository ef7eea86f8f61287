"""Requests to a model, as text: the whole puzzle at once, or one step of it. SPEC sections 10.1 and 10.2."""

import json
from collections.abc import Sequence

from kagejax.envs.spatial.names import ACTIONS
from kagejax.envs.spatial.puzzles import Path, Puzzle, Symbol

from . import wording
from .parsing import MARKER
from .settings import Protocol

EXAMPLE = Puzzle(
    id="example",
    cells_w=3,
    cells_h=3,
    start=(0, 4),
    end=(5, 6),
    dots=((4, 3),),
    gaps=((6, 1),),
    symbols=(
        Symbol(1, 1, "poly", "yellow", shape="48"),
        Symbol(3, 1, "square", "blue"),
        Symbol(5, 3, "star", "red"),
        Symbol(3, 5, "triangle", "blue", count=1),
        Symbol(5, 5, "square", "red"),
    ),
    shapes={"48": ((0, 1, 0, 0), (0, 1, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))},
    solutions=(
        ((0, 4), (1, 4), (2, 4), (2, 3), (2, 2), (2, 1), (2, 0), (3, 0), (4, 0), (4, 1), (4, 2), (4, 3), (4, 4), (4, 5), (4, 6))
        + ((5, 6),),
    ),
)
"""The worked example. It has one solution."""

EXPLANATION = """\
The line goes up between the first and the second column of cells and down between the second and the third. It makes \
three regions: (1, 1) and (1, 3); then (3, 1), (3, 3), (1, 5) and (3, 5); then (5, 1), (5, 3) and (5, 5). The poly's shape, \
two cells one above the other, covers the first region exactly. The star and the square in the third region are its only red \
symbols. No region has squares of two colours. Next to the triangle with number 1 only (4, 5) is on the line. The dot at \
(4, 3) is on the line, and the gap at (6, 1) is not."""

REMINDER = "Your reply named no move. Finish with a line of the form\nFinal: <move>\nwhere <move> is a number or a direction."


def system(puzzle: Puzzle, protocol: Protocol) -> str:
    """The system message: one sentence for a whole answer, all that stays the same for steps."""
    if not protocol.stepwise:
        return wording.EXPERT
    parts = [wording.EXPERT, *_told(puzzle, protocol)]
    parts.append(
        f"You move the head of the line one position at a time. {wording.moves()} A move that is not among the legal ones "
        f"changes nothing, but counts as a step. {_endings(protocol)}"
    )
    return "\n\n".join(parts)


def question(puzzle: Puzzle, protocol: Protocol) -> str:
    """The user message that asks for a whole path."""
    parts = _told(puzzle, protocol)
    if protocol.view == "text":
        parts.append(f"An example.\n{_given(EXAMPLE)}\n{EXPLANATION}\n{MARKER}\n{positions(EXAMPLE.solutions[0])}")
        parts.append(f"Now your puzzle.\n{_given(puzzle)}")
    else:
        parts.append("The picture shows your puzzle.")
    parts.append(
        f"First work it out in words. Then write the marker {MARKER}, once and on a line of its own, and after it nothing but "
        "all positions of the line in order, from the start to the end, leaving none out, each as (x, y)."
    )
    return "\n\n".join(parts)


def step(puzzle: Puzzle, protocol: Protocol, path: Path, legal: Sequence[int], number: int) -> str:
    """The user message that asks for a step, the `number`-th counted from 1."""
    head, told = path[-1], [f"{action}={ACTIONS[action].name}" for action in legal]
    lines = [f"Step: {number}", f"Position: ({head[0]}, {head[1]})", f"Legal moves: [{', '.join(told)}]"]
    if protocol.view == "text":
        lines += ["", "Grid:", *rows(grid_of(puzzle, path))]
    lines += ["", "Think as much as you need, then finish with a line of the form", "Final: <move>"]
    lines.append("where <move> is the number of a legal move or its direction.")
    return "\n".join(lines)


def _told(puzzle: Puzzle, protocol: Protocol) -> list[str]:
    """All that a puzzle's own board does not say."""
    parts = [wording.board(puzzle), wording.line(protocol), f"Rules:\n{wording.rules(protocol)}"]
    parts.append(f"How the board is shown:\n{wording.legend(protocol)}")
    if protocol.stepwise and protocol.view == "text" and puzzle.shapes:
        parts.append(f"Shapes of this puzzle:\n{wording.shapes(puzzle)}")
    return parts


def _given(puzzle: Puzzle) -> str:
    """A puzzle in symbols."""
    (start_x, start_y), (end_x, end_y) = puzzle.start, puzzle.end
    lines = [f"Start: ({start_x}, {start_y})", f"End: ({end_x}, {end_y})", "Grid:", *rows(puzzle.grid)]
    return "\n".join([*lines, *filter(None, [wording.shapes(puzzle)])])


def _endings(protocol: Protocol) -> str:
    stuck = "" if protocol.traceback else " when no move is legal any more,"
    return f"It is over when the line reaches the end,{stuck} or after {protocol.max_steps} steps; only a finished line counts."


def rows(grid: Sequence[Sequence[str]]) -> list[str]:
    """Rows of symbols, each as a bracketed list of quoted symbols."""
    return [json.dumps(list(row)) for row in grid]


def positions(path: Path) -> str:
    """A path as an answer has it."""
    return ", ".join(f"({x}, {y})" for x, y in path)


def grid_of(puzzle: Puzzle, path: Path) -> Sequence[Sequence[str]]:
    """The board in symbols, with the line on it."""
    from kagejax.envs.spatial import text

    return text.grid(puzzle, path)
