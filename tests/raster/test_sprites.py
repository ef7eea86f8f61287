"""Push and pull draw the same picture, and both draw what a plain loop over pixels draws."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.raster import sprites
from kagejax.raster.canvas import stripes

HEIGHT, WIDTH, BATCH, SLOTS = 20, 36, 3, 5
BOX = (7, 6)


def random_sheet(rng, soft):
    rows, columns = BOX
    rgb = np.zeros((4, 3 * rows, 3 * columns, 3), np.uint8)
    alpha = np.zeros((4, 3 * rows, 3 * columns, 1), np.uint8)
    inside = np.s_[:, rows : 2 * rows, columns : 2 * columns]
    rgb[inside] = rng.integers(0, 256, rgb[inside].shape)
    alpha[inside] = rng.integers(0, 256, alpha[inside].shape) if soft else rng.integers(0, 2, alpha[inside].shape) * 255
    flat = (4, 3 * rows, 9 * columns)
    return rgb, alpha, sprites.Sheet(jnp.asarray(rgb.reshape(flat)), jnp.asarray(np.repeat(alpha, 3, -1).reshape(flat)))


def random_places(rng, rows, columns):
    """Places all around the screen, many of them cut by a border, some wholly outside."""
    row = rng.integers(-rows - 2, HEIGHT + 2, (BATCH, SLOTS)).astype(np.int32)
    column = rng.integers(-columns - 2, WIDTH + 2, (BATCH, SLOTS)).astype(np.int32)
    wanted = rng.random((BATCH, SLOTS)) < 0.8
    return row, column, wanted & np.asarray(sprites.on_screen(row, column, rows, columns, HEIGHT, WIDTH))


def random_frames(rng):
    return rng.integers(0, 256, (BATCH, HEIGHT, 3 * WIDTH)).astype(np.uint8)


def paint(frames, env, row, column, rgb):
    if 0 <= row < HEIGHT and 0 <= column < WIDTH:
        frames[env, row, 3 * column : 3 * column + 3] = rgb


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_sprites_in_order_with_clipping(soft, seed):
    rng = np.random.default_rng(seed)
    rgb, alpha, sheet = random_sheet(rng, soft)
    row, column, visible = random_places(rng, *BOX)
    which = rng.integers(0, 4, (BATCH, SLOTS)).astype(np.int32)
    frames = random_frames(rng)
    expected = frames.copy()
    for env, slot in zip(*np.nonzero(visible), strict=True):
        for dy in range(BOX[0]):
            for dx in range(BOX[1]):
                r, c = row[env, slot] + dy, column[env, slot] + dx
                if 0 <= r < HEIGHT and 0 <= c < WIDTH:
                    source = (which[env, slot], BOX[0] + dy, BOX[1] + dx)
                    weight = alpha[source].astype(np.float32) * np.float32(1 / 255)
                    below = expected[env, r, 3 * c : 3 * c + 3].astype(np.float32)
                    paint(expected, env, r, c, (weight * rgb[source] + (np.float32(1) - weight) * below).astype(np.uint8))
    blits = sprites.Blits(*map(jnp.asarray, (which, row, column, visible)))
    for way in ("push", "pull"):
        drawn = np.asarray(sprites.draw_sprites(jnp.asarray(frames), blits, sheet, BOX, soft, way)).astype(int)
        # A compiler may contract a product into the sum. Where a soft edge mixes to a whole level, truncation then shows either
        # that level or the one below; opaque and transparent pixels are exact.
        assert np.abs(drawn - expected).max() <= (1 if soft else 0)
        assert (drawn != expected).mean() < 0.01


@pytest.mark.parametrize("behind_ground", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_stamps_in_order_with_clipping(behind_ground, seed):
    rng = np.random.default_rng(seed)
    rows = 8
    row, column, visible = random_places(rng, rows, 32)
    words = rng.integers(0, 2**32, (BATCH, SLOTS, rows), dtype=np.uint32)
    color = rng.integers(0, 256, (BATCH, SLOTS, 3)).astype(np.uint8)
    frames = random_frames(rng)
    first = rng.integers(5, 15, (BATCH, WIDTH)).astype(np.uint8)
    length = rng.integers(0, 6, (BATCH, WIDTH)).astype(np.uint8)
    expected = frames.copy()
    for env, slot in zip(*np.nonzero(visible), strict=True):
        for dy in range(rows):
            for bit in range(32):
                r, c = row[env, slot] + dy, column[env, slot] + bit
                if not words[env, slot, dy] >> bit & 1 or not 0 <= c < WIDTH:
                    continue
                solid = first[env, c] <= r < int(first[env, c]) + int(length[env, c])
                if not (behind_ground and solid):
                    paint(expected, env, r, c, color[env, slot])
    stamps = sprites.Stamps(*map(jnp.asarray, (words, row, column, color, visible)))
    ground = sprites.Ground(*(jnp.repeat(jnp.asarray(x), 3, axis=1) for x in (first, length))) if behind_ground else None
    pushed, pulled = (sprites.draw_stamps(jnp.asarray(frames), stamps, way, ground) for way in ("push", "pull"))
    np.testing.assert_array_equal(pushed, pulled)
    np.testing.assert_array_equal(pushed, expected)


def test_nothing_visible_changes_nothing():
    rng = np.random.default_rng(0)
    _, _, sheet = random_sheet(rng, False)
    zeros = jnp.zeros((BATCH, SLOTS), jnp.int32)
    blits = sprites.Blits(zeros, zeros, zeros, zeros != 0)
    frames = random_frames(rng)
    for way in ("push", "pull", "auto"):
        np.testing.assert_array_equal(sprites.draw_sprites(jnp.asarray(frames), blits, sheet, BOX, False, way), frames)


def test_stripes_repeat_a_color():
    row = stripes(jnp.array([[1, 2, 3]], jnp.uint8), 4)
    np.testing.assert_array_equal(row, [[1, 2, 3] * 4])
    assert jax.eval_shape(lambda c: stripes(c, 4), jnp.zeros((2, 5, 3), jnp.uint8)).shape == (2, 5, 12)
