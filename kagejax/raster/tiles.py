"""Boards of tiles: every cell of a grid shows one tile of a sheet. Block copies, no arithmetic.

Two ways, one picture, as for sprites: a CPU copies block after block into the frames, a GPU lets each pixel look up its tile.
"""

from typing import Any

import jax
import jax.numpy as jnp

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
