"""Draws made together are those that jax.random would make one by one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.kage.draws import Draws, chains


def keys(count, seed=0):
    return jax.random.split(jax.random.key_data(jax.random.key(seed)), count)


def test_chains_are_repeated_splits():
    roots = keys(3)
    following, uses = chains(roots, 5)
    for i, root in enumerate(roots):
        key = root
        for link in range(5):
            key, use = jax.random.split(key)
            np.testing.assert_array_equal(uses[i, link], use)
            if link == 0:
                np.testing.assert_array_equal(following[i], key)


def test_answers_are_those_of_separate_calls():
    draws = Draws()
    many, one = keys(4), keys(1, 1)
    lows, highs = jnp.array([0, -40, 200, 7]), jnp.array([1, 61, 1848, 7])
    at_many = draws.integers(many, lows, highs)
    at_floats = draws.uniforms(one, -0.3, 0.3, 82)
    at_row = draws.integers(one, 5, 18, 82)
    drawn = draws.draw()
    for i in range(4):
        expected = jax.random.randint(many[i], (), lows[i], jnp.maximum(highs[i], lows[i] + 1), jnp.int32)
        assert int(drawn[at_many][i, 0]) == int(expected)
    uniform = jax.random.uniform(one[0], (82,), jnp.float32, -0.3, 0.3)
    np.testing.assert_allclose(drawn[at_floats][0], uniform, rtol=0, atol=3e-8)  # the last rounding is the compiler's
    np.testing.assert_array_equal(drawn[at_row][0], jax.random.randint(one[0], (82,), 5, 18, jnp.int32))


@pytest.mark.parametrize("high", [1, 2, 3, 27, 128, 65535, 65537, 2**31 - 1])
def test_integers_of_any_span_agree(high):
    draws = Draws()
    at = draws.integers(keys(1, high), 0, high, 500)
    np.testing.assert_array_equal(draws.draw()[at][0], jax.random.randint(keys(1, high)[0], (500,), 0, high, jnp.int32))
