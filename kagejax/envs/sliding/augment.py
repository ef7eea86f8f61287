"""Changes to finished pictures, for tests of generalisation: drawn anew at each step from the episode's seed and t.

As the published agents have them: a crop of a larger picture, a shift by up to 4 px with repeated edges, one order of the
channels, grey with chance 0.2, and inverted levels with chance 0.2.
"""

import itertools

import jax
import jax.numpy as jnp

from kagejax.core.pixel_rng import bits
from kagejax.raster.canvas import separately

from .params import Plan

SHIFT = 4
CHANCE = 0.2
ORDERS = tuple(itertools.permutations(range(3)))
_STREAMS = {name: i for i, name in enumerate(("crop", "shift", "channel_shuffle", "grayscale", "inversion"))}


def apply(frames: jax.Array, seed: jax.Array, t: jax.Array, plan: Plan, certain: jax.Array) -> jax.Array:
    """u8 frames [batch, inner height, 3 * inner width] changed in the order of `plan.augment`, [batch, height, 3 * width].

    `seed` is u32 [batch, 2], `t` i32 [batch].
    """
    for name in plan.augment:
        draws = bits(
            seed[:, None, :], (t[:, None] * 8 + _STREAMS[name]).astype(jnp.uint32) * 2 + jnp.arange(2, dtype=jnp.uint32)
        )
        frames = separately(certain, lambda frames, draws, name=name: _CHANGES[name](frames, draws, plan), frames, draws)
    return frames


def _below(word: jax.Array, count: int) -> jax.Array:
    return (word % jnp.uint32(count)).astype(jnp.int32)


def _happens(word: jax.Array) -> jax.Array:
    return (word < jnp.uint32(int(CHANCE * 2**32)))[:, None, None]


def _crop(frames: jax.Array, draws: jax.Array, plan: Plan) -> jax.Array:
    rows, columns = frames.shape[1] - plan.height, frames.shape[2] // 3 - plan.width

    def cut(frame, draw):
        place = (_below(draw[0], rows + 1), 3 * _below(draw[1], columns + 1))
        return jax.lax.dynamic_slice(frame, place, (plan.height, 3 * plan.width))

    return jax.vmap(cut)(frames, draws)


def _shift(frames: jax.Array, draws: jax.Array, plan: Plan) -> jax.Array:
    _, height, flat = frames.shape
    row, at = jnp.arange(height, dtype=jnp.int32), jnp.arange(flat, dtype=jnp.int32)

    def moved(frame, draw):
        down, right = (_below(word, 2 * SHIFT + 1) - SHIFT for word in draw)
        rows = jnp.clip(row + down, 0, height - 1)
        columns = jnp.clip(at // 3 + right, 0, flat // 3 - 1) * 3 + at % 3
        return frame.at[rows[:, None], columns[None, :]].get(mode="promise_in_bounds")

    return jax.vmap(moved)(frames, draws)


def _channel_shuffle(frames: jax.Array, draws: jax.Array, plan: Plan) -> jax.Array:
    order = jnp.array(ORDERS, jnp.int32)[_below(draws[:, 0], len(ORDERS))]
    pixels = frames.reshape(*frames.shape[:2], -1, 3)
    return jnp.take_along_axis(pixels, order[:, None, None, :], axis=-1).reshape(frames.shape)


def _grayscale(frames: jax.Array, draws: jax.Array, plan: Plan) -> jax.Array:
    pixels = frames.reshape(*frames.shape[:2], -1, 3)
    grey = (pixels.astype(jnp.int32).sum(-1, keepdims=True) // 3).astype(jnp.uint8)
    return jnp.where(_happens(draws[:, 0]), jnp.broadcast_to(grey, pixels.shape).reshape(frames.shape), frames)


def _inversion(frames: jax.Array, draws: jax.Array, plan: Plan) -> jax.Array:
    return jnp.where(_happens(draws[:, 0]), 255 - frames, frames)


_CHANGES = {
    "crop": _crop,
    "shift": _shift,
    "channel_shuffle": _channel_shuffle,
    "grayscale": _grayscale,
    "inversion": _inversion,
}
