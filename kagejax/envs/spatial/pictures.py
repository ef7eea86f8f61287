"""Pictures of puzzles for people, reports and models that see: the scene of the environment, from the host."""

import dataclasses
import functools
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
import pydantic

from . import build
from .bank import moves_of
from .config import SpatialConfig
from .env import SpatialEnv
from .params import Params, State
from .puzzles import Position, Puzzle
from .rules import MOVES_IN_WORD


def picture(puzzle: Puzzle, path: Sequence[Position] = (), height: int = 128, width: int = 128) -> np.ndarray:
    """A puzzle with a line of unit steps from its start (nothing: the start alone), u8 [height, width, 3].

    The board fills the picture. Raises ValueError for a line that is none and for a picture too small for its cells.
    """
    env, params = _board(puzzle, height, width)
    return np.asarray(_observe(env, state_of(env, params, puzzle, path), params))


def state_of(env: SpatialEnv, params: Params, puzzle: Puzzle, path: Sequence[Position]) -> State:
    """The state of the only puzzle of `env` with a line drawn on it."""
    path = tuple(path) or (puzzle.start,)
    lattice, state = env.plan.lattice, env.start(jnp.int32(0), params)
    unit = all(abs(ax - bx) + abs(ay - by) == 1 for (ax, ay), (bx, by) in zip(path, path[1:], strict=False))
    inside = all(0 <= x <= 2 * puzzle.cells_w and 0 <= y <= 2 * puzzle.cells_h and not (x % 2 and y % 2) for x, y in path)
    if path[0] != puzzle.start or not unit or not inside or len(set(path)) < len(path):
        raise ValueError(f"A line must go from {puzzle.start} in unit steps on the board, nowhere twice; found {path}.")
    moves = moves_of(path)
    words = np.zeros(state.tick.moves.shape, np.uint32)
    for index, move in enumerate(moves):
        words[index // MOVES_IN_WORD] |= np.uint32(move << 2 * (index % MOVES_IN_WORD))
    visited = np.zeros(lattice.positions, bool)
    places = [y * lattice.width + x for x, y in path]
    visited[places] = True
    tick = state.tick._replace(
        position=jnp.int32(places[-1]), visited=jnp.asarray(visited), moves=jnp.asarray(words), length=jnp.int32(len(moves))
    )
    return State(state.episode, tick)


@functools.lru_cache(maxsize=256)
def _board(puzzle: Puzzle, height: int, width: int) -> tuple[SpatialEnv, Params]:
    size = {"cells_w": puzzle.cells_w, "cells_h": puzzle.cells_h}
    seen = {"kind": "picture", "height": height, "width": width}
    try:
        config = SpatialConfig.model_validate({"lattice": size, "observation": seen})
    except pydantic.ValidationError:
        shown = f"A picture of {height}x{width} px cannot show {puzzle.cells_w}x{puzzle.cells_h} cells"
        least = [max(16, 3 * (3 * cells + 2)) for cells in (puzzle.cells_h, puzzle.cells_w)]
        raise ValueError(f"{shown}: sides are whole numbers, {least[0]}x{least[1]} to 4096x4096 px.") from None
    return build.from_puzzles([dataclasses.replace(puzzle, solutions=())], config)


@functools.partial(jax.jit, static_argnums=0)
def _observe(env: SpatialEnv, state: State, params: Params) -> jax.Array:
    return env.observe(state, params)
