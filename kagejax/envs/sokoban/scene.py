"""How a board looks: tiles from an atlas, the goal beside it, noise and light. SPEC section 4."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.core import batch_aware, batch_size
from kagejax.core.pixel_rng import mix
from kagejax.raster import canvas, filters, noise, tiles

from . import rules
from .params import Bank, Params, Plan, State
from .rules import Board
from .themes import KINDS, SIZE, geometry

FLOOR, WALL, GOAL, BOX, BOX_ON_GOAL, PLAYER, PLAYER_ON_GOAL = range(len(KINDS))
GOAL_STEP = -1
"""Stands for the step in the seed of the noise of a goal picture, which is the same all through an episode."""


def kinds(state: State, board: Board) -> jax.Array:
    """Which of KINDS each cell is, i32 [rows, columns]."""
    puzzle, position = state.episode.puzzle, state.tick.position
    walls, goals, boxes = (rules.spread(mask, board) for mask in (puzzle.walls, puzzle.goals, position.boxes))
    player = jnp.arange(board.cells, dtype=jnp.int32).reshape(board) == position.player
    standing = jnp.where(goals, PLAYER_ON_GOAL, PLAYER)
    free = jnp.where(boxes, jnp.where(goals, BOX_ON_GOAL, BOX), jnp.where(player, standing, jnp.where(goals, GOAL, FLOOR)))
    return jnp.where(walls, WALL, free)


def goal_kinds(state: State, board: Board) -> jax.Array:
    """Those of the goal: every box on a goal, no player. i32 [rows, columns]."""
    walls, goals = (rules.spread(mask, board) for mask in state.episode.puzzle)
    return jnp.where(walls, WALL, jnp.where(goals, BOX_ON_GOAL, FLOOR))


def symbols(state: State, board: Board) -> jax.Array:
    """Walls, goals, boxes, player as u8 planes [rows, columns, 4]."""
    puzzle, position = state.episode.puzzle, state.tick.position
    planes = [rules.spread(mask, board) for mask in (puzzle.walls, puzzle.goals, position.boxes)]
    player = jnp.arange(board.cells, dtype=jnp.int32).reshape(board) == position.player
    return jnp.stack([*planes, player], axis=-1).astype(jnp.uint8)


def observe(state: State, params: Params, plan: Plan, method: str) -> Any:
    """What the agent sees of one state."""
    if plan.kind == "symbolic":
        return symbols(state, plan.board)
    board = drawer(plan, method, False)(state, params)
    return {"board": board, "goal": drawer(plan, method, True)(state, params)} if plan.kind == "pictures" else board


@functools.lru_cache(maxsize=256)
def drawer(plan: Plan, method: str, goal: bool) -> Callable[[State, Params], jax.Array]:
    """`(state, params) -> picture` u8 [64, 64, 3] of the board or its goal; any `vmap` draws the whole batch at once."""

    def batched(axes, state, params):
        size = batch_size(axes, (state, params))
        state = jax.tree.map(lambda x, a: x if a == 0 else jnp.broadcast_to(x, (size, *x.shape)), state, axes[0])
        return _draw(state, params.bank, plan, method, goal)

    return batch_aware(batched, shared_argnums=(1,))


def _draw(state: State, bank: Bank, plan: Plan, method: str, goal: bool) -> jax.Array:
    board, theme = plan.board, state.episode.theme
    cell, top, left = geometry(*board)
    kind = jax.vmap(lambda state: (goal_kinds if goal else kinds)(state, board))(state)
    parity = np.add.outer(np.arange(board.rows), np.arange(board.columns)) % 2
    which = (theme[:, None, None] * len(KINDS) + kind) * 2 + jnp.asarray(parity, jnp.int32)
    frames = tiles.lay(bank.tiles, which, SIZE, SIZE, method, (top, left), bank.margin[theme])
    certain = state.tick.t[0] >= 0
    if plan.lit:
        frames = canvas.separately(certain, lambda frames, gain: _lit(frames, gain), frames, bank.light[theme])
    if plan.noisy:
        step = jnp.full_like(state.tick.t, GOAL_STEP) if goal else state.tick.t
        frames = canvas.separately(certain, _noised, frames, state.episode.seed, step, bank.noise_std[theme])
    return canvas.as_pictures(frames)


def _lit(frames: jax.Array, gain: jax.Array) -> jax.Array:
    return jnp.minimum((frames.astype(jnp.uint32) * gain) // 256, 255).astype(jnp.uint8)


def _noised(frames: jax.Array, seed: jax.Array, step: jax.Array, std: jax.Array) -> jax.Array:
    """Normal noise per pixel and channel, cut to 0 .. 255 and truncated. Its seed is that of the episode and the step."""
    seed = jnp.stack([seed[:, 0] ^ mix(step.astype(jnp.uint32)), seed[:, 1]], axis=-1)
    places = noise.positions(SIZE, SIZE)
    planes = filters.planes_of(frames)
    noisy = []
    for plane, place in zip(planes, places, strict=True):
        level = plane.astype(jnp.float32) + std[:, None, None] * noise.normal(place, seed)
        noisy.append(jnp.where(std[:, None, None] > 0, canvas.quantise(level), plane))
    return filters.interleave(tuple(noisy))
