import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.learning import augmentations

KEYS = jax.random.split(jax.random.key(3), 400)


@functools.cache
def many(name):
    return jax.jit(jax.vmap(functools.partial(augmentations.augment, name), (0, None)))


def changed(name, frame):
    return np.asarray(many(name)(KEYS, jnp.asarray(frame)))


def test_a_cutout_is_one_rectangle_of_one_colour():
    frame = np.zeros((84, 84, 3), np.uint8)
    sides = []
    for drawn in changed("cutout_color", frame):
        hit = drawn.any(-1)
        if not hit.any():  # the colour may be black
            continue
        rows, columns = np.flatnonzero(hit.any(1)), np.flatnonzero(hit.any(0))
        box = drawn[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        assert (box == box[0, 0]).all()
        sides += [len(rows), len(columns)]
    assert (min(sides), max(sides)) == (10, 30)
    assert 19.0 < np.mean(sides) < 21.0


def test_cutouts_reach_every_row_and_column():
    hit = (changed("cutout_color", np.zeros((32, 32, 3), np.uint8)) > 0).any((0, -1))
    assert hit.any(0).all() and hit.any(1).all()


def test_a_crop_of_one_colour_is_that_colour():
    frame = np.full((32, 32, 3), (10, 200, 77), np.uint8)
    assert (changed("crop_resize", frame) == frame).all()


def test_a_crop_enlarges_a_part_that_lies_inside():
    """Of a ramp from left to right, a crop of side s from place a shows a ramp from about a to a + s."""
    ramp = np.repeat(np.arange(0, 250, 2, dtype=np.uint8)[None, :, None], 125, 0).repeat(3, -1)
    drawn = changed("crop_resize", ramp)[:, 60, :, 0].astype(float)
    span = (drawn[:, -1] - drawn[:, 0]) / (ramp[0, -1, 0] - ramp[0, 0, 0])
    assert 0.58 < span.min() < 0.65
    assert 0.95 < span.max() <= 1.0
    assert (np.diff(drawn, axis=1) >= 0).all()


@pytest.mark.parametrize("name", augmentations.NAMES)
def test_all_frames_of_a_stack_change_alike(name):
    frame = np.random.default_rng(0).integers(0, 256, (16, 16, 3), np.uint8)
    drawn = changed(name, np.concatenate([frame, frame], -1))
    np.testing.assert_array_equal(drawn[..., :3], drawn[..., 3:])
    assert drawn.dtype == np.uint8


def test_no_augmentation_changes_nothing():
    frame = np.random.default_rng(0).integers(0, 256, (16, 16, 3), np.uint8)
    assert (changed("none", frame) == frame).all()


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="augmentation is 'blur'; allowed: 'none', 'cutout_color', 'crop_resize'"):
        augmentations.augment("blur", KEYS[0], jnp.zeros((8, 8, 3), jnp.uint8))
