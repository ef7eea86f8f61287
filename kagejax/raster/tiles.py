"""Boards of tiles: every cell of a grid shows one tile of a sheet. Block copies, no arithmetic.

Two ways, one picture, as for sprites: a CPU copies block after block into the frames, a GPU lets each pixel look up its tile.
"""

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .canvas import stripes


def lay(
    sheet: jax.Array,
    which: jax.Array,
    height: int,
    width: int,
    method: str = "auto",
    at: tuple[int, int] = (0, 0),
    margin: jax.Array | None = None,
) -> jax.Array:
    """u8 frames [batch, height, 3 * width] from a sheet u8 [tiles, th, 3 * tw] and tile indices i32 [batch, rows, columns].

    Cells are th x tw pixels, the first at row and column `at`; what lies beyond `height` and `width` is cut off. Pixels that
    no cell covers have the colour `margin`, u8 [batch, 3] (black without). `method` "push" or "pull" forces one way; "auto"
    picks by the backend that the program is compiled for.
    """
    rows, columns = which.shape[1:]
    covered = at == (0, 0) and rows * sheet.shape[1] >= height and columns * sheet.shape[2] >= 3 * width
    margin = None if covered else margin

    def push(which):
        return _push(sheet, which, height, width, at, margin)

    def pull(which):
        return _pull(sheet, which, height, width, at, margin)

    if method == "auto":
        return jax.lax.platform_dependent(which, cpu=push, default=pull)
    return {"push": push, "pull": pull}[method](which)


def _push(sheet: jax.Array, which: jax.Array, height: int, width: int, at: tuple[int, int], margin: Any) -> jax.Array:
    batch, rows, columns = which.shape
    _, th, flat = sheet.shape
    top, left = at[0], 3 * at[1]
    frames = jnp.zeros((batch, height, 3 * width), jnp.uint8)
    if margin is not None:
        frames = jnp.broadcast_to(stripes(margin, width)[:, None, :], frames.shape)
    # Cells that the border cuts are smaller blocks: at most one more kind of row and one more kind of column.
    for first_row, last_row, tall in _runs(rows, th, height - top):
        for first_column, last_column, wide in _runs(columns, flat, 3 * width - left):
            block = which[:, first_row:last_row, first_column:last_column]
            down, across = block.shape[1:]
            corner = (top + first_row * th, left + first_column * flat)
            tiles = block.reshape(-1)

            def copy(i, frames, down=down, across=across, size=(1, tall, wide), corner=corner, tiles=tiles):
                cell = i % (down * across)
                place = (i // (down * across), corner[0] + cell // across * th, corner[1] + cell % across * flat)
                tile = jax.lax.dynamic_slice(sheet, (tiles[i], jnp.int32(0), jnp.int32(0)), size)
                return jax.lax.dynamic_update_slice(frames, tile, place)

            frames = jax.lax.fori_loop(jnp.int32(0), jnp.int32(tiles.shape[0]), copy, frames)
    return frames


def _runs(cells: int, size: int, extent: int) -> list[tuple[int, int, int]]:
    """Cells that keep their size, and a last one that is cut: (first, end, size) each."""
    whole = min(cells, extent // size)
    runs = [(0, whole, size)] if whole else []
    return runs + ([(whole, whole + 1, extent - whole * size)] if whole < cells and extent > whole * size else [])


def _pull(sheet: jax.Array, which: jax.Array, height: int, width: int, at: tuple[int, int], margin: Any) -> jax.Array:
    _, th, flat = sheet.shape
    row = jnp.arange(height, dtype=jnp.int32)[:, None] - at[0]
    column = jnp.arange(3 * width, dtype=jnp.int32)[None, :] - 3 * at[1]
    rows, columns = which.shape[1:]
    tile = which[:, jnp.clip(row // th, 0, rows - 1), jnp.clip(column // flat, 0, columns - 1)]
    pixels = sheet.at[tile, row % th, column % flat].get(mode="promise_in_bounds")
    inside = (row >= 0) & (row < rows * th) & (column >= 0) & (column < columns * flat)
    around = jnp.uint8(0) if margin is None else stripes(margin, width)[:, None, :]
    return jnp.where(inside, pixels, around)


def lay_tracks(
    sheet: jax.Array,
    which: jax.Array,
    heights: tuple[int, ...],
    widths: tuple[int, ...],
    height: int,
    width: int,
    method: str = "auto",
    at: tuple[int, int] = (0, 0),
    margin: jax.Array | None = None,
) -> jax.Array:
    """As `lay`, for a grid whose rows and columns have sizes of their own, such as lanes between cells.

    Row i is `heights[i]` pixels high and column j `widths[j]` wide; a tile is its top left part of that size. The grid lies
    within the frame. Raises ValueError if it does not, or if a track is larger than a tile.
    """
    if at[0] + sum(heights) > height or at[1] + sum(widths) > width:
        raise ValueError(
            f"A grid of {sum(heights)}x{sum(widths)} px at {at} does not lie within a frame of {height}x{width} px."
        )
    if max(heights) > sheet.shape[1] or 3 * max(widths) > sheet.shape[2]:
        raise ValueError(
            f"Tracks of {max(heights)}x{max(widths)} px are larger than tiles, {sheet.shape[1]}x{sheet.shape[2] // 3}."
        )

    def push(which):
        return _push_tracks(sheet, which, heights, widths, height, width, at, margin)

    def pull(which):
        return _pull_tracks(sheet, which, heights, widths, height, width, at, margin)

    if method == "auto":
        return jax.lax.platform_dependent(which, cpu=push, default=pull)
    return {"push": push, "pull": pull}[method](which)


def _starts(first: int, sizes: tuple[int, ...]) -> np.ndarray:
    return np.array([first, *(first + np.cumsum(sizes[:-1]))], np.int32)


def _push_tracks(sheet, which, heights, widths, height, width, at, margin) -> jax.Array:
    batch, rows, columns = which.shape
    tops, lefts = _starts(at[0], heights), 3 * _starts(at[1], widths)
    frames = jnp.zeros((batch, height, 3 * width), jnp.uint8)
    if margin is not None:
        frames = jnp.broadcast_to(stripes(margin, width)[:, None, :], frames.shape)
    flat = which.reshape(batch, rows * columns)

    def draw(b, frames):
        # Blocks of one size are one loop; all blocks of a frame come before the next frame, which keeps it in the cache.
        for tall, wide in itertools.product(sorted(set(heights)), sorted(set(widths))):
            cells = [(r, c) for r in range(rows) if heights[r] == tall for c in range(columns) if widths[c] == wide]
            places = jnp.asarray([r * columns + c for r, c in cells], jnp.int32)
            corners = jnp.asarray([(tops[r], lefts[c]) for r, c in cells], jnp.int32)

            def copy(i, frames, places=places, corners=corners, size=(1, tall, 3 * wide)):
                tile = jax.lax.dynamic_slice(sheet, (flat[b, places[i]], jnp.int32(0), jnp.int32(0)), size)
                return jax.lax.dynamic_update_slice(frames, tile, (b, corners[i, 0], corners[i, 1]))

            frames = jax.lax.fori_loop(jnp.int32(0), jnp.int32(len(cells)), copy, frames)
        return frames

    return jax.lax.fori_loop(jnp.int32(0), jnp.int32(batch), draw, frames)


def _pull_tracks(sheet, which, heights, widths, height, width, at, margin) -> jax.Array:
    def tracks(first, sizes, extent):
        """Which track each pixel row or column is in (the first one where there is none), where in it, and whether in any."""
        track, offset = np.zeros(extent, np.int32), np.zeros(extent, np.int32)
        inside = np.zeros(extent, bool)
        for i, (start, size) in enumerate(zip(_starts(first, sizes), sizes, strict=True)):
            track[start : start + size], offset[start : start + size] = i, np.arange(size)
            inside[start : start + size] = True
        return track, offset, inside

    row, down, in_rows = tracks(at[0], heights, height)
    column, across, in_columns = tracks(at[1], widths, width)
    channel = np.tile(np.arange(3, dtype=np.int32), width)
    tile = which[:, row[:, None], np.repeat(column, 3)[None]]
    flat = 3 * np.repeat(across, 3) + channel
    pixels = sheet.at[tile, down[:, None], flat[None]].get(mode="promise_in_bounds")
    around = jnp.uint8(0) if margin is None else stripes(margin, width)[:, None, :]
    return jnp.where(jnp.asarray(in_rows[:, None] & np.repeat(in_columns, 3)[None]), pixels, around)
