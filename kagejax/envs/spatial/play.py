"""The environment for one person or model at a time: plain Python in and out, the compiled rules behind it. Host side."""

import dataclasses
import functools
import operator
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from . import build, rules
from .config import SpatialConfig
from .env import GOING_ON, SpatialEnv
from .names import ACTIONS, RULES
from .params import Lattice, Params, State
from .puzzles import Path, Position, Puzzle

LEAST_ROOM = 6
FAR = 2**29
"""Positions farther away than this are taken for this far, so that differences fit into 32 bits."""
PATH_STEP = 256
"""Paths are padded to a multiple of so many positions: few programs serve all lengths."""


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """Where an episode stands."""

    puzzle: Puzzle
    path: Path  # start and head included
    legal: tuple[int, ...]  # actions, ascending
    steps: int
    reward: float  # of the last step; 0 at the start
    terminated: bool
    truncated: bool
    cause: int  # of names.CAUSES
    solved: bool
    state: Any = dataclasses.field(repr=False, compare=False)

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.terminated or self.truncated


class Session:
    """Plays puzzles step by step. Programs are compiled at the first start; snapshots can be kept and gone on from.

    `config` gives everything but the puzzles (rewards, shaping); without one the rewards are the published ones.
    """

    def __init__(
        self, puzzles: Iterable[Puzzle], traceback: bool = False, max_steps: int = 100, config: SpatialConfig | None = None
    ):
        self.puzzles = tuple(puzzles)
        if not self.puzzles:
            raise ValueError("An environment needs a puzzle.")
        if config is None:
            size = {"cells_w": max(p.cells_w for p in self.puzzles), "cells_h": max(p.cells_h for p in self.puzzles)}
            play = {"traceback": traceback, "max_steps": max_steps}
            config = SpatialConfig.model_validate({"lattice": size, "play": play})
        self.env, self.params = build.from_puzzles(self.puzzles, config)

    def start(self, puzzle: int | str) -> Snapshot:
        """The first snapshot of a puzzle, by its index or its id. Raises IndexError or KeyError for one that is not there."""
        state = _start(self.env, jnp.int32(self._index(puzzle)), self.params)
        legal = np.asarray(_legal(self.env, state, self.params))
        return self._snapshot(state, legal, 0.0, False, False, GOING_ON, False)

    def act(self, snapshot: Snapshot, action: int) -> Snapshot:
        """The snapshot after an action (an integer); one that is not legal costs a step.

        Episodes go on past their end if asked to: a step that does not leave the end is judged, and paid, again.
        """
        try:
            action = operator.index(action)
        except TypeError:
            listed = ", ".join(f"{number} {each.name.lower()}" for number, each in enumerate(ACTIONS))
            raise TypeError(f"An action is an integer ({listed}); found {action!r}.") from None
        number = action if 0 <= action < len(ACTIONS) else -1
        state, reward, terminated, truncated, info, legal = _act(self.env, snapshot.state, jnp.int32(number), self.params)
        solved = bool(info["success_once"] > 0)
        return self._snapshot(
            state, np.asarray(legal), float(reward), bool(terminated), bool(truncated), int(info["cause"]), solved
        )

    def check(self, puzzle: int | str, path: Iterable[Position]) -> "Verdict":
        """The verdict on any list of positions on a puzzle, by its index or its id. Raises as `start` and `check` do."""
        return _verdict(self.env, self.params, path, self._index(puzzle))

    def _index(self, puzzle: int | str) -> int:
        index = build.index_of(self.puzzles, puzzle) if isinstance(puzzle, str) else operator.index(puzzle)
        if not 0 <= index < len(self.puzzles):
            raise IndexError(f"There are {len(self.puzzles)} puzzles, 0 to {len(self.puzzles) - 1}; found {puzzle}.")
        return index

    def _snapshot(self, state, legal, reward, terminated, truncated, cause, solved) -> Snapshot:
        puzzle = self.puzzles[int(state.episode.puzzle) - int(self.params.control.first_puzzle)]
        able = tuple(int(action) for action in np.flatnonzero(legal))
        path = path_of(puzzle, moves_of(state))
        return Snapshot(puzzle, path, able, int(state.tick.t), reward, terminated, truncated, cause, solved, state)


def moves_of(state: State) -> tuple[int, ...]:
    """The actions of the line so far."""
    words = np.asarray(state.tick.moves, np.uint32)
    digits = words[:, None] >> np.arange(0, 32, 2, dtype=np.uint32) & 3
    return tuple(int(move) for move in digits.reshape(-1)[: int(state.tick.length)])


def path_of(puzzle: Puzzle, moves: Sequence[int]) -> Path:
    """The positions along some actions."""
    path: list[Position] = [puzzle.start]
    for move in moves:
        path.append((path[-1][0] + ACTIONS[move].dx, path[-1][1] + ACTIONS[move].dy))
    return tuple(path)


class Verdict(NamedTuple):
    """What the rules say of a list of positions."""

    valid: bool
    line: dict[str, bool]  # of `rules.Line`
    rules: dict[str, bool]  # of names.RULES; exact for a complete line, else as its positions stand


def check(puzzle: Puzzle, path: Iterable[Position]) -> Verdict:
    """The verdict on any list of positions, however wrong. A few programs serve all puzzles of up to 6x6 cells.

    Raises ValueError for what is no position.
    """
    lattice = Lattice(max(puzzle.cells_w, LEAST_ROOM), max(puzzle.cells_h, LEAST_ROOM))
    return _verdict(*_board(puzzle, lattice), path)


def _verdict(env: SpatialEnv, params: Params, path: Iterable[Position], index: int = 0) -> Verdict:
    positions = np.array([_near(place) for place in path], np.int32).reshape(-1, 2)
    padded = np.zeros((max(1, -(-len(positions) // PATH_STEP)) * PATH_STEP, 2), np.int32)
    padded[: len(positions)] = positions
    line, marks, valid = _check(env, jnp.asarray(padded), jnp.int32(len(positions)), jnp.int32(index), params)
    line = {name: bool(flag) for name, flag in line._asdict().items()}
    flags = (line["ends_at_end"], line["simple"], line["avoids_gaps"], *(bool(mark) for mark in marks))
    return Verdict(bool(valid), line, dict(zip(RULES, flags, strict=True)))


def _near(place: Position) -> tuple[int, int]:
    try:
        x, y = map(operator.index, place)
    except (TypeError, ValueError):
        raise ValueError(f"A position is a pair of integers (x, y); found {place!r}.") from None
    return min(max(x, -FAR), FAR), min(max(y, -FAR), FAR)


@functools.lru_cache(maxsize=1024)
def _board(puzzle: Puzzle, lattice: Lattice) -> tuple:
    size = {"cells_w": lattice.cells_w, "cells_h": lattice.cells_h}
    config = SpatialConfig.model_validate({"lattice": size, "observation": {"shapes": False}})
    return build.from_puzzles([dataclasses.replace(puzzle, solutions=())], config)


@functools.partial(jax.jit, static_argnums=0)
def _check(env, path, count, index, params):
    lattice, puzzle = env.plan.lattice, params.control.first_puzzle + index
    line, visited = rules.line(path, count, puzzle, params.bank, lattice)
    marks = rules.judge(lattice, env.plan.most_ylops)(puzzle, visited, jnp.bool_(True), params.bank)
    return line, marks, rules.is_valid(line, marks)


@functools.partial(jax.jit, static_argnums=0)
def _start(env, index, params):
    return env.start(index, params)


@functools.partial(jax.jit, static_argnums=0)
def _legal(env, state, params):
    return env.action_mask(state, params)


@functools.partial(jax.jit, static_argnums=0)
def _act(env, state, action, params):
    state, reward, terminated, truncated, info = env.advance(jax.random.key(0), state, action, params)
    return state, reward, terminated, truncated, info, env.action_mask(state, params)
