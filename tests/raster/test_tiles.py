"""Boards of tiles: both ways give the picture that plain NumPy gives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.raster import tiles

SIZES = [
    (3, 3, 28, 28, 84, 84, (0, 0)),
    (5, 5, 17, 17, 84, 84, (0, 0)),
    (2, 3, 10, 9, 18, 30, (0, 0)),
    (6, 6, 10, 10, 64, 64, (2, 2)),
    (4, 10, 6, 6, 64, 64, (20, 2)),
    (7, 7, 9, 9, 64, 64, (0, 0)),
]


def plain(sheet, which, height, width, at, margin):
    batch, rows, columns = which.shape
    _, th, flat = sheet.shape
    tw = flat // 3
    canvas = np.zeros((batch, max(height, at[0] + rows * th), max(width, at[1] + columns * tw), 3), np.uint8)
    canvas[:] = margin[:, None, None, :]
    for b in range(batch):
        for r in range(rows):
            for c in range(columns):
                y, x = at[0] + r * th, at[1] + c * tw
                canvas[b, y : y + th, x : x + tw] = sheet[which[b, r, c]].reshape(th, tw, 3)
    return canvas[:, :height, :width].reshape(batch, height, 3 * width)


@pytest.mark.parametrize("method", ["push", "pull"])
@pytest.mark.parametrize(("rows", "columns", "th", "tw", "height", "width", "at"), SIZES)
def test_both_ways_are_plain_copies(rows, columns, th, tw, height, width, at, method):
    random = np.random.default_rng(0)
    sheet = random.integers(0, 256, (11, th, 3 * tw), np.uint8)
    which = random.integers(0, 11, (3, rows, columns), np.int32)
    margin = random.integers(0, 256, (3, 3), np.uint8)
    drawn = jax.jit(tiles.lay, static_argnums=(2, 3, 4, 5))(jnp.asarray(sheet), which, height, width, method, at, margin)
    np.testing.assert_array_equal(drawn, plain(sheet, which, height, width, at, margin))
