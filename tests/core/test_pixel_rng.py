"""The pixel hash: uniform, independent between pixels, frames and environments."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.core.pixel_rng import bits, mix, seed_of


def words(key, stream=0, count=1 << 16):
    return np.asarray(bits(seed_of(jax.random.key_data(jax.random.key(key)), stream), jnp.arange(count, dtype=jnp.uint32)))


def test_mix_is_a_bijection_on_a_sample():
    sample = np.asarray(mix(jnp.arange(1 << 18, dtype=jnp.uint32)))
    assert len(np.unique(sample)) == 1 << 18


def test_each_input_bit_flips_half_of_the_output_bits():
    x = jax.random.bits(jax.random.key(0), (4096,), jnp.uint32)
    for bit in range(32):
        flipped = np.asarray(mix(x) ^ mix(x ^ jnp.uint32(1 << bit)))
        assert abs(np.unpackbits(flipped.view(np.uint8)).mean() - 0.5) < 0.01


def test_every_bit_is_fair():
    ones = np.unpackbits(words(1).view(np.uint8)).reshape(-1, 32).mean(axis=0)
    assert np.abs(ones - 0.5).max() < 0.01


def correlation(a, b):
    return abs(np.corrcoef(a.astype(np.float64), b.astype(np.float64))[0, 1])


def test_neighbours_frames_and_streams_are_uncorrelated():
    one = words(1)
    assert correlation(one[:-1], one[1:]) < 0.015
    assert correlation(one, words(2)) < 0.015
    assert correlation(one, words(1, stream=1)) < 0.015
    chained = jax.random.split(jax.random.key(1))[0]
    later = np.asarray(bits(seed_of(jax.random.key_data(chained), 0), jnp.arange(1 << 16, dtype=jnp.uint32)))
    assert correlation(one, later) < 0.015


def test_typed_and_raw_keys_give_one_seed():
    key = jax.random.key(3)
    np.testing.assert_array_equal(seed_of(key, 1), seed_of(jax.random.key_data(key), 1))


@pytest.mark.parametrize("stream", [0, 1, 7])
def test_seeds_of_streams_differ(stream):
    key = jax.random.key_data(jax.random.key(3))
    assert (np.asarray(seed_of(key, stream)) != np.asarray(seed_of(key, stream + 1))).all()
