import jax
import jax.numpy as jnp
import numpy as np

from kagejax.learning import normalizing


def test_sums_start_again_behind_an_end():
    rewards = jnp.array([[1.0], [2.0], [4.0], [8.0]])
    done = jnp.array([[False], [True], [False], [False]])
    totals, after = normalizing.discounted_sums(jnp.array([10.0]), rewards, done, 0.5)
    assert totals[:, 0].tolist() == [6.0, 5.0, 4.0, 10.0]
    assert after.tolist() == [10.0]


def test_the_last_end_leaves_nothing_over():
    _, after = normalizing.discounted_sums(jnp.zeros(1), jnp.ones((1, 1)), jnp.array([[True]]), 0.5)
    assert after.tolist() == [0.0]


def test_moments_are_those_of_everything_seen():
    draws = np.random.default_rng(5)
    parts = [draws.normal(loc, scale, shape) for loc, scale, shape in ((3, 2, (7, 4)), (-50, 9, (3, 4)), (0, 0.1, (11, 4)))]
    moments = normalizing.none()
    for part in parts:
        moments = jax.jit(normalizing.add)(moments, jnp.asarray(part, jnp.float32))
    every = np.concatenate([part.ravel() for part in parts])
    np.testing.assert_allclose(moments.count, every.size)
    np.testing.assert_allclose(moments.mean, every.mean(), rtol=1e-5)
    np.testing.assert_allclose(moments.variance, every.var(), rtol=1e-5)


def test_rewards_are_divided_by_the_deviation_and_not_centred():
    moments = normalizing.Moments(jnp.float32(9), jnp.float32(100), jnp.float32(4))
    np.testing.assert_allclose(normalizing.scaled(jnp.array([-6.0, 0.0, 3.0]), moments), [-3.0, 0.0, 1.5], rtol=1e-6)
