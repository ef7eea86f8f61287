"""What is random in every frame: its distribution, and its independence between pixels, frames, episodes and passes."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.kage.build import build, build_batch
from kagejax.envs.kage.config import KageConfig
from tests.oracles import kage_filters, kage_golden, kage_render

from .golden import config_from, state_from

EPISODES, SIDE = 160, 32
ALONE = {"npc": {"enabled": False}, "distractors": {"enabled": False}, "layout": {"base_ground_y": 200, "height_px": 256}}
"""Nothing but the background in the picture: ground and agent lie below it."""

GREY, ORANGE = 128, (255, 140, 0)
CONFIGS = {
    "background": {"background": {"mode": "noise"}},
    "gaussian": {"background": {"mode": "color", "color_names": ["gray"]}, "filters": {"gaussian_noise_std": 20.0}},
    "poisson": {"background": {"mode": "color", "color_names": ["gray"]}, "filters": {"poisson_noise_scale": 0.5}},
    "poisson on orange": {"background": {"mode": "color", "color_names": ["orange"]}, "filters": {"poisson_noise_scale": 0.1}},
}


@pytest.fixture(scope="module")
def films():
    """Two consecutive frames of many episodes by name of the configuration, u8 [2, EPISODES, SIDE, SIDE, 3]."""
    configs = [KageConfig.model_validate({"H": SIDE, "W": SIDE, **ALONE, **config}) for config in CONFIGS.values()]
    env, params = build_batch(configs)

    def film(key, params):
        state = env.init(key, params)
        later = env.advance(key, state, jnp.int32(2), params)[0]
        return jnp.stack([env.observe(state, params), env.observe(later, params)])

    keys = jax.random.split(jax.random.PRNGKey(21), EPISODES)
    both = jax.vmap(jax.vmap(film, (0, None)), (None, env.params_axes(params)))
    frames = np.asarray(jax.jit(both)(keys, params))
    return {name: frames[i].swapaxes(0, 1) for i, name in enumerate(CONFIGS)}


def correlation(first, second) -> float:
    return abs(np.corrcoef(np.ravel(first).astype(float), np.ravel(second).astype(float))[0, 1])


@pytest.mark.parametrize("name", ["background", "gaussian", "poisson"])
def test_noise_is_independent_between_pixels_channels_and_episodes(films, name):
    frames = films[name][0].astype(float)
    pairs = {
        "rows": (frames[:, 1:], frames[:, :-1]),
        "columns": (frames[:, :, 1:], frames[:, :, :-1]),
        "diagonals": (frames[:, 1:, 1:], frames[:, :-1, :-1]),
        "channels": (frames[..., 1:], frames[..., :-1]),
        "episodes": (frames[1:], frames[:-1]),
        "halves": (frames[:, : SIDE // 2], frames[:, SIDE // 2 :]),
    }
    for what, (first, second) in pairs.items():
        assert correlation(first, second) < 0.012, what


@pytest.mark.parametrize("name", ["gaussian", "poisson"])
def test_noise_of_consecutive_frames_is_independent(films, name):
    assert correlation(*films[name]) < 0.012


def test_gaussian_and_poisson_noise_of_one_key_are_independent(films):
    assert correlation(films["gaussian"][0], films["poisson"][0]) < 0.012


def test_a_noise_background_keeps_still(films):
    np.testing.assert_array_equal(*films["background"])


def test_a_noise_background_has_all_levels_equally_often(films):
    counts = np.bincount(films["background"][0].ravel(), minlength=256)
    expected = films["background"][0].size / 256
    assert (((counts - expected) ** 2) / expected).sum() < 255 + 5 * math.sqrt(2 * 255)


def distance(levels: np.ndarray, cumulative: np.ndarray) -> float:
    """Kolmogorov distance of grey levels to a distribution function over 0 .. 255."""
    counts = np.bincount(levels.ravel(), minlength=256)
    return float(np.abs(np.cumsum(counts) / levels.size - cumulative).max())


def test_gaussian_noise_is_normal(films):
    edges = (np.arange(1, 257) - GREY) / 20
    normal = np.array([0.5 * (1 + math.erf(edge / math.sqrt(2))) for edge in edges])
    normal[-1] = 1
    assert distance(films["gaussian"], normal) < 0.006
    assert abs(films["gaussian"].mean() - (GREY - 0.5)) < 0.1
    assert abs(films["gaussian"].std() - 20) < 0.1


def poisson_levels(level: int, scale: float) -> np.ndarray:
    """Distribution function over grey levels of Poisson(level * scale) / scale, cut at 255 and truncated."""
    rate, chance = level * scale, np.zeros(256)
    for count in range(1000):
        probability = math.exp(count * math.log(rate) - rate - math.lgamma(count + 1)) if rate else float(count == 0)
        chance[min(int(count / scale + 1e-6), 255)] += probability
    return np.cumsum(chance)


def test_poisson_noise_is_poisson(films):
    assert distance(films["poisson"], poisson_levels(GREY, 0.5)) < 0.015
    assert abs(films["poisson"].mean() - GREY) < 0.1
    assert abs(films["poisson"].std() - math.sqrt(GREY / 0.5)) < 0.1


@pytest.mark.parametrize("channel", [0, 1])
def test_poisson_noise_of_few_photons_is_poisson(films, channel):
    assert distance(films["poisson on orange"][..., channel], poisson_levels(ORANGE[channel], 0.1)) < 0.03


def test_poisson_noise_leaves_darkness_dark(films):
    assert (films["poisson on orange"][..., 2] == 0).all()


def test_colour_jitter_draws_what_the_reference_draws(asset_folder):
    case = kage_golden.case("stoch_color_jitter_std")
    env, params = build(config_from(case.config, asset_folder))
    observe = jax.jit(env.observe)
    frame = observe(state_from(env, params, case.config, case.state, case.ground_top), params)
    assert np.abs(np.asarray(frame).astype(int) - case.frame).max() <= 1

    other = {**case.state, "filter_key": np.array([1, 2], np.uint32)}
    noise = kage_filters.keyed_noise(other["filter_key"], case.config)
    expected = kage_render.render(other, case.config, case.mask, noise, **case.assets).astype(int)
    frame = observe(state_from(env, params, case.config, other, case.ground_top), params)
    assert np.abs(np.asarray(frame).astype(int) - expected).max() <= 1
