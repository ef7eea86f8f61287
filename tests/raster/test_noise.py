"""Random pixels: moments, distributions, and independence of pixels, frames, environments and passes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from kagejax.core.pixel_rng import seed_of
from kagejax.raster import noise

SIZE = (128, 128)


def seed(number, stream=0):
    return seed_of(jax.random.key_data(jax.random.key(number)), stream)[None]


@pytest.fixture(scope="module")
def places():
    return noise.positions(*SIZE)


@pytest.fixture(scope="module")
def normals(places):
    draw = jax.jit(lambda plane, seed: noise.normal(places[plane], seed), static_argnums=0)
    return lambda plane, number, stream=0: np.asarray(draw(plane, seed(number, stream))[0])


def correlation(a, b):
    return abs(np.corrcoef(a.ravel(), b.ravel())[0, 1])


def test_normals_have_the_moments_and_quantiles_of_a_normal(normals):
    draws = np.concatenate([normals(plane, number).ravel() for plane in range(3) for number in range(4)])
    assert abs(draws.mean()) < 0.01
    assert abs(draws.std() - 1) < 0.01
    assert abs(stats.skew(draws)) < 0.03
    assert abs(stats.kurtosis(draws)) < 0.12  # a binomial of 32 trials is a little flat: -1/16
    assert stats.kstest(draws, "norm").statistic < 0.008
    assert np.abs(draws).max() > 3.9


def test_normals_are_independent_of_neighbours_planes_frames_and_passes(normals):
    one = normals(0, 1)
    limit = 0.035  # 4.5 standard errors of a correlation of 16,384 pairs
    assert correlation(one[:, 1:], one[:, :-1]) < limit
    assert correlation(one[1:], one[:-1]) < limit
    assert correlation(one, normals(1, 1)) < limit
    assert correlation(one, normals(0, 2)) < limit
    assert correlation(one, normals(0, 1, stream=3)) < limit
    assert correlation(np.abs(one), np.abs(normals(0, 1, stream=3))) < limit


def test_two_environments_of_a_batch_draw_apart(places):
    both = np.asarray(noise.normal(places[0], jnp.concatenate([seed(1), seed(2)])))
    assert correlation(both[0], both[1]) < 0.035


@pytest.mark.parametrize(
    ("rate", "mean_error", "cdf_error"), [(1, 0.06, 0.02), (3, 0.06, 0.015), (20, 0.15, 0.01), (200, 0.5, 0.01)]
)
def test_poisson_counts_have_their_distribution(normals, rate, mean_error, cdf_error):
    draws = np.concatenate([normals(plane, number).ravel() for plane in range(3) for number in range(4)])
    counts = np.asarray(noise.poisson(jnp.float32(rate), jnp.asarray(draws)))
    assert (counts == np.round(counts)).all() and counts.min() >= 0
    assert abs(counts.mean() - rate) < mean_error
    assert abs(counts.var() - rate) < 0.12 + 0.02 * rate
    values = np.arange(int(rate + 8 * rate**0.5 + 10))
    found = np.searchsorted(np.sort(counts), values, side="right") / len(counts)
    assert np.abs(found - stats.poisson.cdf(values, rate)).max() < cdf_error


def test_nothing_comes_from_a_rate_of_zero(normals):
    assert not np.asarray(noise.poisson(jnp.float32(0), jnp.asarray(normals(0, 1)))).any()


@pytest.mark.parametrize("width", [128, 127, 6])
def test_uniform_levels_are_uniform_and_independent(width):
    levels = np.asarray(noise.uniform_levels(jnp.concatenate([seed(1), seed(2)]), 200, 3 * width))
    assert levels.shape == (2, 200, 3 * width) and levels.dtype == np.uint8
    counts = np.bincount(levels.ravel(), minlength=256)
    assert stats.chisquare(counts).pvalue > 1e-4
    limit = 4.5 / np.sqrt(levels[0].size)
    assert correlation(levels[0], levels[1]) < limit
    assert correlation(levels[0][:, 1:], levels[0][:, :-1]) < limit
    assert correlation(levels[0][:, 3:], levels[0][:, :-3]) < limit
    assert correlation(levels[0][1:], levels[0][:-1]) < limit
