"""Oracle of episodes: steps and rewards as the public environment pays them, from clean starts, and what it shows of them.

Nothing ends an episode here: who steps after the end goes on, as there.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .spatial import STEPS, Path, Position, Puzzle, ahead, is_cell, judge

COLOR_CODES = {"R": 1, "B": 2, "Y": 3, "G": 4, "K": 5, "P": 6, "O": 7, "W": 8}
SHARE = 0.01


class Game(NamedTuple):
    """A running episode."""

    path: Path
    steps: int
    text: tuple[tuple[str, ...], ...]  # text[y][x]: what the text shows depends on more than the path

    @property
    def place(self) -> Position:
        return self.path[-1]


class Outcome(NamedTuple):
    """What a step gives besides the next game."""

    reward: float
    outcome: int  # +1 or -1 on steps that end an episode, else 0
    terminated: bool
    truncated: bool
    moved: bool
    stuck: bool  # no action is legal now


def start(puzzle: Puzzle) -> Game:
    return Game((puzzle.start,), 0, puzzle.grid)


def legal(puzzle: Puzzle, path: Path, traceback: bool = False) -> list[int]:
    """Legal actions after a path, in ascending order."""

    def allowed(place: Position) -> bool:
        if not puzzle.holds(place) or is_cell(place) or place in puzzle.gaps:
            return False
        return place not in path or (traceback and len(path) >= 2 and place == path[-2])

    return [action for action in STEPS if allowed(ahead(path[-1], action))]


def is_solved(puzzle: Puzzle, path: Path) -> bool:
    """Membership in the stored list, or the rules where none is stored; both agree on complete lists."""
    return path in puzzle.solutions if puzzle.solutions else judge(puzzle, path)["valid"]


def is_prefix(puzzle: Puzzle, path: Path) -> bool:
    """Whether a stored solution begins with the whole path."""
    return any(solution[: len(path)] == path for solution in puzzle.solutions)


def matched(puzzle: Puzzle, path: Path) -> int:
    """Moves of the longest beginning that the path shares with a stored solution; 0 without a list."""

    def shared(solution: Path) -> int:
        same = 0
        while same < min(len(path), len(solution)) and path[same] == solution[same]:
            same += 1
        return same - 1

    return max(map(shared, puzzle.solutions), default=0)


def potential(puzzle: Puzzle, before: Path, after: Path, gamma: float = 1.0) -> float:
    """Shaping that oscillation cannot farm."""
    return SHARE * (gamma * matched(puzzle, after) - matched(puzzle, before))


def shaped(puzzle: Puzzle, before: Path, after: Path, shaping: str) -> float:
    """What a step within an episode pays: by "upstream", "potential" or "none"."""
    if shaping == "none" or before == after or not puzzle.solutions:
        return 0.0
    if shaping == "potential":
        return potential(puzzle, before, after)
    return SHARE if is_prefix(puzzle, after) else -SHARE


def step(
    puzzle: Puzzle, game: Game, action: int, traceback: bool = False, max_steps: int = 2000, shaping: str = "upstream"
) -> tuple[Game, Outcome]:
    """One step. What is no legal action, or no action at all, stays and counts. The end of an episode pays +1 or -1 alone."""
    path, text, steps = game.path, game.text, game.steps + 1
    if action in legal(puzzle, path, traceback):
        place = ahead(path[-1], action)
        if place in path:
            text = _written(_written(text, path[-1], "+"), place, "L")
            path = path[:-1]
        else:
            text = _written(_written(text, path[-1], "V"), place, "L")
            path = (*path, place)
    stuck = not legal(puzzle, path, traceback)
    terminated = path[-1] == puzzle.end
    truncated = not terminated and (steps >= max_steps or stuck)
    outcome = 0
    if terminated or truncated:
        outcome = 1 if is_solved(puzzle, path) else -1
    reward = float(outcome) if outcome else shaped(puzzle, game.path, path, shaping)
    return Game(path, steps, text), Outcome(reward, outcome, terminated, truncated, path != game.path, stuck)


def _written(text: tuple[tuple[str, ...], ...], place: Position, mark: str) -> tuple[tuple[str, ...], ...]:
    x, y = place
    row = (*text[y][:x], mark, *text[y][x + 1 :])
    return (*text[:y], row, *text[y + 1 :])


def text_observation(game: Game) -> str:
    """The string of the public environment, with its losses: a dot traced back over is gone, the start too."""
    return json.dumps(game.text, separators=(",", ":"))


def tensor_observation(puzzle: Puzzle, path: Path) -> dict[str, dict[str, np.ndarray] | np.ndarray]:
    """The dictionary of the public environment: i32 layers indexed [x, y], those of symbols only where the kind occurs."""
    shape = (puzzle.width, puzzle.height)

    def layer(places) -> np.ndarray:
        filled = np.zeros(shape, np.int32)
        for place in places:
            filled[place] = 1
        return filled

    base = {
        "visited": layer(path),
        "gaps": layer([*puzzle.gaps, *puzzle.cells]),
        "agent_location": layer(path[-1:]),
        "target_location": layer([puzzle.end]),
    }
    color, additional = np.zeros(shape, np.int32), np.zeros(shape, np.int64)
    for place in sorted({*puzzle.dots, *puzzle.symbols}):  # the order of the text record, by x, then y
        kind = "dot"
        if place in puzzle.symbols:
            symbol = puzzle.symbols[place]
            kind = symbol.kind
            color[place] = COLOR_CODES[symbol.color]
            additional[place] = int(symbol.shape or symbol.count)
        base.setdefault(kind, np.zeros(shape, np.int32))[place] = 1
    return {"base": base, "color": color, "additional_info": additional}


def selected(current: int, ids: Sequence[str], seed: int | None = None, options: dict | None = None) -> int:
    """Which puzzle a reset of the public environment loads: by id, else by seed, else the next one."""
    if options is not None:
        name = options.get("puzzle_id")
        return ids.index(name) if name in ids else current
    if seed is not None:
        return int(np.random.default_rng(seed).integers(len(ids)))
    return (current + 1) % len(ids)
