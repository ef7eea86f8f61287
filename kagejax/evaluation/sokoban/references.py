"""Agents to compare with: random moves, greedy moves, and perfect play. Only the first may be entered.

Greedy and perfect play see the symbols of a board, and so take an arena of kind "symbolic": for the analysis of levels.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.envs.sokoban import rules
from kagejax.envs.sokoban.rules import Board, Position, Puzzle
from kagejax.envs.sokoban.text import Level

from .agents import Agent, Weights
from .arena import Arena
from .metering import Model

SEES_SYMBOLS = "it sees the symbols of the board, and knows the rules"
KNOWS_SOLUTIONS = "it plays the solutions of an exact solver"
FAR = 1 << 20


class RandomAgent:
    """Uniform moves, by the published protocol."""

    name = "random"

    def __init__(self):
        self.seed(0)

    def seed(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def reset(self) -> None:
        pass

    def act(self, obs: np.ndarray, goal: np.ndarray, history: list[int]) -> int:
        return int(self._random.integers(4))


class SolverAgent:
    """Shortest solutions, by the published protocol, on symbols u8 [rows, columns, 4]. Needs numba."""

    name, observes, forbidden = "solver", "symbolic", KNOWS_SOLUTIONS

    def reset(self) -> None:
        self._left: list[int] | None = None

    def act(self, obs: np.ndarray, goal: Any, history: list[int]) -> int:
        if self._left is None:
            walls, goals, boxes, player = np.moveaxis(np.asarray(obs, bool), -1, 0)
            self._left = list(solution(Level(walls, goals, boxes, int(player.argmax()))))
        return self._left.pop(0) if self._left else 0


def solution(level: Level) -> tuple[int, ...]:
    """A shortest solution of a level, empty if there is none. Needs numba."""
    from kagejax.envs.sokoban import solver

    found = solver.solve(level)
    return found.actions if isinstance(found, solver.Solved) else ()


def _remembers_nothing(key: jax.Array, weights: Any) -> tuple:
    return ()


def _random_act(key: jax.Array, memory: tuple, observation: Any, model: Model) -> tuple[jax.Array, tuple]:
    return jax.random.randint(key, (), 0, 4, jnp.int32), memory


RANDOM = Agent("random", _remembers_nothing, _random_act)
"""Uniform moves."""


def _true_dynamics(weights: Any, boards: jax.Array, actions: jax.Array) -> jax.Array:
    """The rules themselves on symbols u8 [B, rows, columns, 4]."""
    return jax.vmap(_moved)(boards, actions)


def _moved(planes: jax.Array, action: jax.Array) -> jax.Array:
    board = Board(*planes.shape[:2])
    walls, goals, boxes = (_mask(planes[..., i], board) for i in range(3))
    player = planes[..., 3].reshape(-1).argmax().astype(jnp.int32)
    move = rules.step(Position(boxes, player), action, Puzzle(walls, goals), board)
    after = [rules.spread(mask, board) for mask in (move.position.boxes, rules.single(move.position.player, board.words))]
    return planes.at[..., 2:].set(jnp.stack(after, -1).astype(planes.dtype))


def _mask(plane: jax.Array, board: Board) -> jax.Array:
    cells = jnp.zeros(32 * board.words, jnp.uint32).at[: board.cells].set(plane.reshape(-1).astype(jnp.uint32))
    return (cells.reshape(board.words, 32) << jnp.arange(32, dtype=jnp.uint32)).sum(1, dtype=jnp.uint32)


def _greedy_act(key: jax.Array, memory: tuple, observation: jax.Array, model: Model) -> tuple[jax.Array, tuple]:
    actions = jnp.arange(4, dtype=jnp.int32)
    after = model(jnp.broadcast_to(observation, (4, *observation.shape)), actions)
    stays = (after == observation).all((1, 2, 3))
    costs = jnp.where(stays, FAR, jax.vmap(_cost)(after))
    chances = jnp.where(costs == costs.min(), 0.0, -jnp.inf)
    return jax.random.categorical(key, chances).astype(jnp.int32), memory


def _cost(planes: jax.Array) -> jax.Array:
    """How far a board looks from solved, i32 []: cells from each box to the nearest goal, walls not minded, and between equals
    those from the player to the nearest box on no goal."""
    rows, columns = planes.shape[:2]
    row, column = np.divmod(np.arange(rows * columns), columns)
    apart = jnp.asarray(abs(row[:, None] - row) + abs(column[:, None] - column), jnp.int32)
    _, goals, boxes, player = jnp.moveaxis(planes.reshape(-1, 4) != 0, -1, 0)
    to_goal = jnp.where(goals, apart, FAR).min(1)
    to_box = jnp.where(boxes & ~goals, apart[player.argmax()], FAR).min()
    return 2 * rows * columns * jnp.where(boxes, to_goal, 0).sum(dtype=jnp.int32) + jnp.minimum(to_box, 2 * rows * columns - 1)


GREEDY = Agent("greedy", _remembers_nothing, _greedy_act, _true_dynamics, observes="symbolic", forbidden=SEES_SYMBOLS)
"""The move after which boxes are nearest to goals, drawn among equals; one that moves nothing last of all."""


class Solutions(NamedTuple):
    """Levels with what to do in each."""

    starts: jax.Array  # u8 [levels, rows, columns, 4], symbols of first states
    actions: jax.Array  # i32 [levels, longest], -1 after the end


class Playing(NamedTuple):
    """Where in which solution an episode is."""

    level: jax.Array  # i32, -1 before the first step, or if its start is not known
    t: jax.Array  # i32


def _opens_the_book(key: jax.Array, weights: Solutions) -> Playing:
    return Playing(jnp.int32(-1), jnp.int32(0))


def _reads_on(key: jax.Array, memory: Playing, observation: jax.Array, model: Model) -> tuple[jax.Array, Playing]:
    starts, actions = model.weights
    same = (starts == observation).all((1, 2, 3))
    level = jnp.where(memory.t > 0, memory.level, jnp.where(same.any(), same.argmax(), -1).astype(jnp.int32))
    return jnp.where(level >= 0, actions[level, memory.t], -1), Playing(level, memory.t + 1)


SOLVER = Agent("solver", _opens_the_book, _reads_on, observes="symbolic", forbidden=KNOWS_SOLUTIONS)
"""Shortest solutions, with the weights of `solutions`. Where there is none it gives up, with an action that is none."""


def solutions(arena: Arena) -> Weights:
    """The weights with which SOLVER plays the levels of `arena`. Needs numba."""
    levels = [entry.level for entry in arena.split.entries]
    return book(levels, [solution(level) for level in levels])


def book(levels: Sequence[Level], actions: Sequence[Sequence[int]]) -> Weights:
    """The weights with which SOLVER plays `actions` on `levels`, all of one size."""
    starts = np.zeros((len(levels), *levels[0].walls.shape, 4), np.uint8)
    found = np.full((len(levels), 1 + max(map(len, actions))), -1, np.int32)
    for i, level in enumerate(levels):
        starts[i, ..., :3] = np.stack(level[:3], -1)
        starts[i, ..., 3].reshape(-1)[level.player] = 1
        found[i, : len(actions[i])] = actions[i]
    return Weights(Solutions(jnp.asarray(starts), jnp.asarray(found)))
