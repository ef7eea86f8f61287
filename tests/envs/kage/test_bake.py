"""Filters baked into pixels give the picture that filtering each frame gives."""

import jax
import numpy as np
import pytest

import kagejax
from kagejax.envs.kage import bake

POINTWISE = {
    "brightness": {"brightness": 0.4},
    "dark": {"brightness": -0.3, "contrast": 1.7},
    "gamma": {"gamma": 0.6},
    "hue": {"hue_shift": 77.0, "color_temp": -0.3},
    "grey": {"saturation": 0.2},
}
SEED = 3


def frames(most_pictures, monkeypatch, source="kage", **overrides):
    """The environment and six of its pictures, with room for `most_pictures` baked ones."""
    monkeypatch.setattr(bake, "MOST_PICTURES", most_pictures)
    env, params = kagejax.make(source, **overrides)
    states = jax.vmap(env.init, (0, None))(jax.random.split(jax.random.key(SEED), 6), params)
    return env, np.asarray(jax.jit(jax.vmap(env.observe, (0, None)))(states, params)).astype(int)


@pytest.mark.parametrize("name", POINTWISE)
def test_pointwise_filters_alone_are_equal_to_the_bit(name, monkeypatch):
    overrides = {f"filters.{key}": value for key, value in POINTWISE[name].items()}
    overrides |= {"distractors.enabled": True, "H": 48, "W": 64, "layout.height_px": 48, "layout.base_ground_y": 40}
    baked_env, baked = frames(bake.MOST_PICTURES, monkeypatch, **overrides)
    env, filtered = frames(0, monkeypatch, **overrides)
    assert baked_env.plan.filters == () and env.plan.filters
    np.testing.assert_array_equal(baked, filtered)


def test_later_filters_read_fractions_of_levels(monkeypatch):
    overrides = {"filters.contrast": 1.7, "filters.gamma": 0.6, "filters.blur_sigma": 1.0, "filters.sharpen_amount": 0.5}
    baked_env, baked = frames(bake.MOST_PICTURES, monkeypatch, **overrides)
    _, filtered = frames(0, monkeypatch, **overrides)
    assert baked_env.plan.fine and baked_env.plan.filters == ("blur", "sharpen")
    assert np.abs(baked - filtered).max() <= 1 and (baked != filtered).mean() < 0.01


def test_black_is_painted_too(monkeypatch):
    _, baked = frames(bake.MOST_PICTURES, monkeypatch, **{"background.mode": "black", "filters.brightness": 0.5})
    assert (baked[:, :10] == 50).all()


def test_what_cannot_be_baked_is_filtered_in_every_frame(monkeypatch):
    for look in ({"background.mode": "noise"}, {"filters.pop_filter": "noir"}):
        env, _ = frames(bake.MOST_PICTURES, monkeypatch, **look, **{"filters.brightness": 0.2})
        assert "brightness" in env.plan.filters
