"""Small pictures drawn onto a batch of frames: sprites from a bank, and shapes from row words.

Two ways, one picture. *Push* walks a flat list of all visible pieces of the batch and updates a small slice per piece, in
place: best on a CPU, where it touches only the pixels that change. *Pull* lets each pixel ask every slot: one fused kernel
without serial steps, for a GPU. `method` "auto" picks by the backend that the program is compiled for.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from .canvas import FINE, as_fine, stripes
from .shapes import WORD


class Sheet(NamedTuple):
    """A bank of sprites, each padded with transparent pixels: by its own box height above and below, its width beside it."""

    rgb: jax.Array  # u8 or u16 [K, 3 * rows, 3 * 3 * columns]
    alpha: jax.Array  # u8, same shape, repeated per channel


class Blits(NamedTuple):
    """Sprites to draw, [batch, slots], in drawing order."""

    sprite: jax.Array  # i32, entry of the sheet
    row: jax.Array  # i32, of the box's top
    column: jax.Array  # i32, of the box's left
    visible: jax.Array  # bool


class Stamps(NamedTuple):
    """One-colour pieces to draw, [batch, slots], in drawing order."""

    words: jax.Array  # u32 [batch, slots, rows], see shapes.row_words
    row: jax.Array  # i32, of the first word
    column: jax.Array  # i32, of bit 0
    color: jax.Array  # u8 or u16 [batch, slots, 3]
    visible: jax.Array  # bool


class Ground(NamedTuple):
    """Solid rows per flat column, [batch, 3 * width], u8 or i16: `(row - first) < length` in that unsigned type."""

    first: jax.Array
    length: jax.Array


def on_screen(row: jax.Array, column: jax.Array, rows: int, columns: int, height: int, width: int) -> jax.Array:
    """Whether a box of rows x columns at (row, column) overlaps the screen (bool)."""
    return (row > -rows) & (row < height) & (column > -columns) & (column < width)


def draw_sprites(frames: jax.Array, blits: Blits, sheet: Sheet, box: tuple[int, int], soft: bool, method: str) -> jax.Array:
    """Frames with `blits` drawn over them. `box`: rows and columns of a sprite; `soft`: some alpha is neither 0 nor 255."""
    push = lambda frames: _push_sprites(frames, blits, sheet, box, soft)  # noqa: E731
    pull = lambda frames: _pull_sprites(frames, blits, sheet, box, soft)  # noqa: E731
    return _choose(method, push, pull, frames)


def draw_stamps(frames: jax.Array, stamps: Stamps, method: str, ground: Ground | None = None) -> jax.Array:
    """Frames with `stamps` drawn over them, or behind `ground` where one is given."""
    push = lambda frames: _push_stamps(frames, stamps, ground)  # noqa: E731
    pull = lambda frames: _pull_stamps(frames, stamps, ground)  # noqa: E731
    return _choose(method, push, pull, frames)


def blend(alpha: jax.Array, above: jax.Array, below: jax.Array, soft: bool) -> jax.Array:
    """`above` over `below`, u8: truncated after mixing in f32, or a plain choice where alpha is only 0 or 255.

    u16 levels in steps of 1 / FINE are chosen as they are where alpha is 0 or 255, and mixed as whole levels elsewhere.
    """
    hard = jnp.where(alpha > 0, above, below)
    if not soft:
        return hard
    if above.dtype == jnp.uint16:
        mixed = blend(alpha, (above // FINE).astype(jnp.uint8), (below // FINE).astype(jnp.uint8), soft)
        return jnp.where((alpha == 0) | (alpha == 255), hard, as_fine(mixed))
    weight = alpha.astype(jnp.float32) * jnp.float32(1 / 255)
    # As in the reference's compiled code, the first product goes into the sum unrounded. The second cannot exceed 255; its
    # bound keeps compilers from choosing to contract that one instead.
    bottom = jnp.minimum((1.0 - weight) * below.astype(jnp.float32), 255.0)
    return (weight * above.astype(jnp.float32) + bottom).astype(jnp.uint8)


def _choose(method: str, push: Callable, pull: Callable, frames: jax.Array) -> jax.Array:
    if method == "auto":
        return jax.lax.platform_dependent(frames, cpu=push, default=pull)
    return {"push": push, "pull": pull}[method](frames)


def _flat_list(visible: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Visible slots of the whole batch in order: how many, and their batch and slot indices (i32)."""
    batch, slots = visible.shape
    (place,) = jnp.nonzero(visible.reshape(-1), size=batch * slots, fill_value=0)
    place = place.astype(jnp.int32)
    return visible.sum(dtype=jnp.int32), place // slots, place % slots


def _push_sprites(frames: jax.Array, blits: Blits, sheet: Sheet, box: tuple[int, int], soft: bool) -> jax.Array:
    _, height, flat = frames.shape
    rows, columns = box
    patch = (1, min(rows, height), 3 * min(columns, flat // 3))
    total, where_env, where_slot = _flat_list(blits.visible)
    row, column, sprite = (x[where_env, where_slot] for x in (blits.row, blits.column, blits.sprite))
    at_row = jnp.clip(row, 0, height - patch[1])
    at_flat = 3 * jnp.clip(column, 0, (flat - patch[2]) // 3)
    from_row, from_flat = rows + at_row - row, 3 * columns + at_flat - 3 * column

    def push(i, frames):
        target = (where_env[i], at_row[i], at_flat[i])
        source = (sprite[i], from_row[i], from_flat[i])
        below = jax.lax.dynamic_slice(frames, target, patch)
        above, alpha = (jax.lax.dynamic_slice(x, source, patch) for x in sheet)
        return jax.lax.dynamic_update_slice(frames, blend(alpha, above, below, soft), target)

    return jax.lax.fori_loop(jnp.int32(0), total, push, frames)


def _pull_sprites(frames: jax.Array, blits: Blits, sheet: Sheet, box: tuple[int, int], soft: bool) -> jax.Array:
    _, height, flat = frames.shape
    rows, columns = box
    row = jnp.arange(height, dtype=jnp.int32)[None, :, None]
    at = jnp.arange(flat, dtype=jnp.int32)[None, None, :]
    for slot in range(blits.sprite.shape[1]):
        sprite, top, left, visible = (x[:, slot, None, None] for x in blits)
        dy, dx = row - top, at - 3 * left
        inside = visible & (dy >= 0) & (dy < rows) & (dx >= 0) & (dx < 3 * columns)
        source = (sprite, jnp.where(inside, rows + dy, 0), jnp.where(inside, 3 * columns + dx, 0))
        above, alpha = (x.at[source].get(mode="promise_in_bounds") for x in sheet)
        frames = jnp.where(inside, blend(alpha, above, frames, soft), frames)
    return frames


def _push_stamps(frames: jax.Array, stamps: Stamps, ground: Ground | None) -> jax.Array:
    _, height, flat = frames.shape
    rows, columns = stamps.words.shape[2], min(WORD, flat // 3)
    patch = (1, min(rows, height), 3 * columns)
    total, where_env, where_slot = _flat_list(stamps.visible)
    row, column = (x[where_env, where_slot] for x in (stamps.row, stamps.column))
    at_row = jnp.clip(row, 0, height - patch[1])
    at_column = jnp.clip(column, 0, flat // 3 - columns)
    from_row = rows + at_row - row
    words = jnp.pad(_shift_columns(stamps.words[where_env, where_slot], at_column - column), ((0, 0), (rows, rows)))
    colors = stripes(stamps.color[where_env, where_slot], columns)
    pixel = np.arange(patch[2]) // 3
    in_byte, bit = (pixel // 8).astype(np.uint8), (1 << pixel % 8).astype(np.uint8)

    def push(i, frames):
        target = (where_env[i], at_row[i], 3 * at_column[i])
        below = jax.lax.dynamic_slice(frames, target, patch)
        word = jax.lax.dynamic_slice(words, (i, from_row[i]), patch[:2])[:, :, None]
        # Byte by byte: the test then has the pixels' own width, and four times as many fit a vector register.
        byte = jnp.uint8(0)
        for k in range(WORD // 8):
            byte = jnp.where(in_byte == k, (word >> (8 * k)).astype(jnp.uint8), byte)
        painted = (byte & bit) != 0
        if ground is not None:
            first, length = (jax.lax.dynamic_slice(x, (where_env[i], target[2]), (1, patch[2])) for x in ground)
            lines = (at_row[i] + jnp.arange(patch[1], dtype=jnp.int32)).astype(first.dtype)
            painted &= lines[None, :, None] - first[:, None, :] >= length[:, None, :]
        color = jax.lax.dynamic_slice(colors, (i, jnp.int32(0)), (1, patch[2]))
        return jax.lax.dynamic_update_slice(frames, jnp.where(painted, color[:, None, :], below), target)

    return jax.lax.fori_loop(jnp.int32(0), total, push, frames)


def _shift_columns(words: jax.Array, by: jax.Array) -> jax.Array:
    """Bit j of the result is bit j + by of `words` [n, rows], `by` i32 [n] of either sign."""
    right = jnp.clip(by, 0, WORD).astype(jnp.uint32)[:, None]
    left = jnp.clip(-by, 0, WORD).astype(jnp.uint32)[:, None]
    shifted = (words >> jnp.minimum(right, WORD - 1)) << jnp.minimum(left, WORD - 1)
    return jnp.where((right < WORD) & (left < WORD), shifted, jnp.uint32(0))


def _pull_stamps(frames: jax.Array, stamps: Stamps, ground: Ground | None) -> jax.Array:
    _, height, flat = frames.shape
    rows = stamps.words.shape[2]
    line = jnp.arange(height, dtype=jnp.int32)[None, :]
    at = jnp.arange(flat, dtype=jnp.int32)[None, None, :] // 3
    free = jnp.bool_(True)
    if ground is not None:
        free = line.astype(ground.first.dtype)[:, :, None] - ground.first[:, None, :] >= ground.length[:, None, :]
    for slot in range(stamps.words.shape[1]):
        dy = line - stamps.row[:, slot, None]
        word = jnp.take_along_axis(stamps.words[:, slot], jnp.clip(dy, 0, rows - 1), axis=1)
        word = jnp.where((dy >= 0) & (dy < rows) & stamps.visible[:, slot, None], word, jnp.uint32(0))[:, :, None]
        bit = at - stamps.column[:, slot, None, None]
        painted = (bit >= 0) & (bit < WORD) & ((word >> jnp.clip(bit, 0, WORD - 1).astype(jnp.uint32)) & 1 != 0)
        color = stripes(stamps.color[:, slot], flat // 3)[:, None, :]
        frames = jnp.where(painted & free, color, frames)
    return frames
