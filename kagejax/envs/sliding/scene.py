"""How a board looks: pictures of tiles, vectors, tokens. SPEC section 7."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from kagejax.core import batch_aware, batch_size
from kagejax.raster import canvas, filters, tiles

from . import augment, procedural, text
from .params import Params, Plan, State
from .rules import Grid, shares


def raw(board: jax.Array, grid: Grid, blank_value: int) -> jax.Array:
    """The board, i32 [rows, columns], with `blank_value` for the blank."""
    values = board.astype(jnp.int32)
    return jnp.where(values == 0, blank_value, values).reshape(grid)


def onehot(board: jax.Array, grid: Grid) -> jax.Array:
    """For each cell in reading order which of N things it holds, 0 the blank; f32 [N * N]."""
    return (board[:, None] == jnp.arange(grid.cells, dtype=board.dtype)).astype(jnp.float32).reshape(-1)


def normalized(board: jax.Array, grid: Grid, blank_value: int) -> jax.Array:
    """Tiles over the largest one, the blank as it is in `raw`; f32 [rows, columns]."""
    values = board.astype(jnp.int32)
    return jnp.where(values == 0, jnp.float32(blank_value), shares(values, grid.cells - 1)).reshape(grid)


def coordinates(board: jax.Array, grid: Grid, normalize: bool) -> jax.Array:
    """Row and column of place v for each cell, v being what it holds (so one place after the goal of tile v), f32 [2 * N]."""
    values = board.astype(jnp.int32)
    pairs = jnp.stack([values // grid.columns, values % grid.columns], axis=-1).reshape(-1)
    return shares(pairs, max(grid) - 1) if normalize else pairs.astype(jnp.float32)


def observe(state: State, params: Params, plan: Plan, method: str) -> jax.Array:
    """What the agent sees of one state."""
    board, look, grid = state.tick.board, params.look, plan.grid
    if plan.kind in ("image", "board"):
        return drawer(plan, method)(state, params)
    if plan.kind == "raw":
        return raw(board, grid, plan.blank_value)
    if plan.kind == "normalized":
        return normalized(board, grid, plan.blank_value)
    if plan.kind == "onehot":
        return onehot(board, grid)
    if plan.kind == "coordinates":
        return coordinates(board, grid, plan.normalize_coordinates)
    return text.read(board, state.episode.picture, look.text, grid, plan.text_length)


@functools.lru_cache(maxsize=256)
def drawer(plan: Plan, method: str) -> Callable[[State, Params], jax.Array]:
    """`(state, params) -> picture`, which under any `vmap` draws the whole batch at once."""

    def batched(axes, state, params):
        state_axes, params_axes = axes
        size = batch_size(axes, (state, params))

        def spread(tree, tree_axes):
            return jax.tree.map(lambda x, a: x if a == 0 else jnp.broadcast_to(x, (size, *x.shape)), tree, tree_axes)

        state, look = spread(state, state_axes), spread(params.look, params_axes.look)
        certain = state.tick.t[0] >= 0
        if plan.fresh:
            frames = _fresh(state, look, plan, certain)
        else:
            frames = tiles.lay(params.bank.tiles, _which(state, look, plan.grid), *plan.inner, method)
        if plan.augment:
            frames = augment.apply(frames, state.episode.seed, state.tick.t, plan, certain)
        return _finished(frames, plan, certain)

    return batch_aware(batched, shared_argnums=(1,))


def _which(state: State, look: Any, grid: Grid) -> jax.Array:
    """Entry of the bank that each cell shows, i32 [batch, rows, columns]."""
    picture = (look.first_picture + state.episode.picture) * grid.cells
    return picture[:, None, None] + state.tick.board.astype(jnp.int32).reshape(-1, *grid)


def _fresh(state: State, look: Any, plan: Plan, certain: jax.Array) -> jax.Array:
    """Frames of pictures worked out at the places that each cell shows, u8 [batch, height, 3 * width]."""
    (th, tw), (height, width), grid = plan.tile, plan.inner, plan.grid
    recipes = jax.vmap(procedural.recipe)(state.episode.seed, look.difficulty)
    row, column = jnp.arange(height, dtype=jnp.int32)[:, None], jnp.arange(width, dtype=jnp.int32)[None, :]
    cell = (row // th) * grid.columns + column // tw
    tall, wide = plan.canvas

    def draw(made, board, background):
        tile = board.astype(jnp.int32)[cell]
        goal = (tile + (grid.cells - 1)) % grid.cells
        source_row = (goal // grid.columns) * th + row % th
        source_column = (goal % grid.columns) * tw + column % tw
        planes = procedural.paint(
            made, (source_row.astype(jnp.float32) + 0.5) / tall, (source_column.astype(jnp.float32) + 0.5) / wide
        )
        return tuple(jnp.where(tile == 0, background[k], plane.astype(jnp.uint8)) for k, plane in enumerate(planes))

    planes = canvas.separately(certain, jax.vmap(draw), recipes, state.tick.board, look.background)
    return canvas.separately(certain, filters.interleave, planes)


def _finished(frames: jax.Array, plan: Plan, certain: jax.Array) -> jax.Array:
    """Flat frames in the form that the plan asks for."""
    if plan.channels_first:
        frames = canvas.separately(certain, lambda frames: jnp.stack(filters.planes_of(frames), axis=1), frames)
    else:
        frames = canvas.as_pictures(frames)
    return frames.astype(jnp.float32) / jnp.float32(255) if plan.scaled else frames
