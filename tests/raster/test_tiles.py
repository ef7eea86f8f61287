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


TRACKS = {
    "lanes between cells": ((3, 8, 3, 8, 3), (3, 9, 3), 32, 20, (4, 2)),
    "no margin": ((2, 5, 2), (2, 5, 2, 5, 2), 9, 16, (0, 0)),
    "all of one size": ((6, 6), (6, 6, 6), 14, 20, (1, 1)),
    "all of different sizes": ((1, 7, 2, 4), (5, 3, 8), 20, 17, (6, 0)),
    "one tile": ((8,), (9,), 8, 9, (0, 0)),
    "a row of single pixels": ((1,), (1, 1, 1, 1), 3, 6, (2, 2)),
}
"""Heights, widths, size of the frame, top left corner; tiles are 8x9 px."""


def plain_tracks(sheet, which, heights, widths, height, width, at, margin):
    batch = which.shape[0]
    canvas = np.zeros((batch, height, width, 3), np.uint8)
    canvas[:] = margin[:, None, None, :]
    for b in range(batch):
        y = at[0]
        for r, tall in enumerate(heights):
            x = at[1]
            for c, wide in enumerate(widths):
                canvas[b, y : y + tall, x : x + wide] = sheet[which[b, r, c]].reshape(8, 9, 3)[:tall, :wide]
                x += wide
            y += tall
    return canvas.reshape(batch, height, 3 * width)


lay_tracks = jax.jit(tiles.lay_tracks, static_argnums=(2, 3, 4, 5, 6, 7))


@pytest.mark.parametrize("method", ["push", "pull", "auto"])
@pytest.mark.parametrize("name", TRACKS)
def test_tracks_of_uneven_sizes_are_plain_copies_both_ways(name, method):
    heights, widths, height, width, at = TRACKS[name]
    random = np.random.default_rng(0)
    sheet = random.integers(0, 256, (11, 8, 27), np.uint8)
    which = random.integers(0, 11, (3, len(heights), len(widths)), np.int32)
    margin = random.integers(0, 256, (3, 3), np.uint8)
    drawn = lay_tracks(jnp.asarray(sheet), which, heights, widths, height, width, method, at, margin)
    np.testing.assert_array_equal(drawn, plain_tracks(sheet, which, heights, widths, height, width, at, margin))
    assert (drawn.dtype, drawn.shape) == (jnp.uint8, (3, height, 3 * width))


@pytest.mark.parametrize("method", ["push", "pull"])
def test_without_a_margin_the_ground_around_tracks_is_black(method):
    heights, widths, height, width, at = TRACKS["lanes between cells"]
    random = np.random.default_rng(1)
    sheet, which = random.integers(1, 256, (5, 8, 27), np.uint8), random.integers(0, 5, (2, 5, 3), np.int32)
    drawn = lay_tracks(jnp.asarray(sheet), which, heights, widths, height, width, method, at)
    black = np.zeros((2, 3), np.uint8)
    np.testing.assert_array_equal(drawn, plain_tracks(sheet, which, heights, widths, height, width, at, black))


def test_tracks_of_one_size_are_laid_as_tiles_are():
    random = np.random.default_rng(2)
    sheet, margin = (jnp.asarray(random.integers(0, 256, shape, np.uint8)) for shape in ((7, 8, 27), (2, 3)))
    which = jnp.asarray(random.integers(0, 7, (2, 3, 4), np.int32))
    for method in ("push", "pull"):
        drawn = lay_tracks(sheet, which, (8,) * 3, (9,) * 4, 30, 40, method, (2, 1), margin)
        np.testing.assert_array_equal(drawn, tiles.lay(sheet, which, 30, 40, method, (2, 1), margin))


@pytest.mark.parametrize(
    ("heights", "widths", "size", "at", "message"),
    [
        ((3, 8), (3, 9), (10, 12), (0, 0), "A grid of 11x12 px at (0, 0) does not lie within a frame of 10x12 px."),
        ((3, 8), (3, 9), (11, 12), (0, 1), "A grid of 11x12 px at (0, 1) does not lie within a frame of 11x12 px."),
        ((3, 9), (3, 9), (12, 12), (0, 0), "Tracks of 9x9 px are larger than tiles, 8x9."),
        ((3, 8), (3, 10), (20, 20), (0, 0), "Tracks of 8x10 px are larger than tiles, 8x9."),
    ],
)
def test_tracks_that_do_not_fit_are_refused(heights, widths, size, at, message):
    sheet, which = jnp.zeros((1, 8, 27), jnp.uint8), jnp.zeros((1, 2, 2), jnp.int32)
    with pytest.raises(ValueError) as caught:
        tiles.lay_tracks(sheet, which, heights, widths, *size, at=at)
    assert str(caught.value) == message
