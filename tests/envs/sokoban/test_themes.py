"""Themes of Sokoban: how they are drawn, kept and shared."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.sokoban import themes
from kagejax.envs.sokoban.build import build, public

from .games import KEY, config_of


def test_drawn_themes_keep_the_published_law():
    drawn = [themes.drawn("classic", 3, i) for i in range(3000)]
    reach = {"floor": 70, "wall": 70, "wall_edge": 30, "goal": 45, "box": 45, "box_edge": 30, "box_on_goal": 45, "player": 45}
    for name, most in reach.items():
        base, levels = np.array(getattr(themes.DEFAULT, name)), np.array([getattr(theme, name) for theme in drawn])
        low, high = np.clip(base - most, 20, 235), np.clip(base + most, 20, 235)
        assert (levels.min(0) == low).all() and (levels.max(0) == high).all()
        inner = np.clip(base[:, None] + np.arange(-most, most + 1), 20, 235).mean(1)
        np.testing.assert_allclose(levels.mean(0), inner, atol=5 * most / 3**0.5 / 3000**0.5)
    near = np.array([np.subtract(theme.floor_alt, theme.floor) for theme in drawn])
    assert (np.abs(near) <= 18).all()
    assert abs(np.mean([theme.checker for theme in drawn]) - 0.5) < 0.05
    noise = np.array([theme.noise_std for theme in drawn])
    assert noise.min() >= 0 and noise.max() < 6 and abs(noise.mean() - 3) < 0.16
    alike = [np.linalg.norm(np.subtract(theme.box, theme.box_on_goal)) < 30 for theme in drawn]
    assert np.mean(alike) == pytest.approx(0.048, abs=0.015)


def test_themes_of_law_plus_can_be_told_apart_and_show_all_that_they_have():
    drawn = [themes.drawn("plus", 3, i) for i in range(60)]
    assert min(themes.contrast(theme) for theme in drawn) >= 30
    assert {theme.sprite for theme in drawn} == set(themes.SPRITES)
    assert all(theme.texture and theme.specks and theme.light != (0.0, 0.0) for theme in drawn)
    plain = themes.tiles(themes.DEFAULT, 8)
    for change in ({"texture": 5}, {"sprite": "rounded"}, {"sprite": "cross"}, {"specks": 9}):
        assert (themes.tiles(themes.from_json(themes.to_json(themes.DEFAULT) | change), 8) != plain).any()


def test_a_drawn_theme_depends_on_law_seed_and_number_alone():
    env, params = build(config_of({"levels.split": "A", "theme.law": "classic", "theme.seed": 8, "theme.count": 3}))
    tiles = np.asarray(params.bank.tiles).reshape(3, -1, 8, 8, 3)
    for i in range(3):
        expected = themes.tiles(themes.drawn("classic", 8, i), 8)
        np.testing.assert_array_equal(tiles[i], expected.reshape(-1, 8, 8, 3))
    state = jax.vmap(env.start, (0, None, None))(jnp.arange(7), KEY, params)
    assert state.episode.theme.tolist() == [0, 1, 2, 0, 1, 2, 0]


def test_themes_survive_a_split_file():
    for entry in public("B-plus").entries[:10]:
        assert json.loads(json.dumps(themes.to_json(themes.from_json(entry.theme)))) == entry.theme
    assert themes.from_json(themes.to_json(themes.DEFAULT)) == themes.DEFAULT
