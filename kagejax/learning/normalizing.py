"""Rewards divided by the deviation of their discounted sums, so that a learner's settings fit rewards of any size."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

EPSILON = 1e-8
"""Added to the variance."""


class Moments(NamedTuple):
    """Mean and variance of everything seen so far, f32 [] each."""

    count: jax.Array
    mean: jax.Array
    variance: jax.Array


def none() -> Moments:
    """Before the first reward: variance 1."""
    return Moments(jnp.float32(0), jnp.float32(0), jnp.float32(1))


def discounted_sums(before: jax.Array, rewards: jax.Array, done: jax.Array, gamma: float) -> tuple[jax.Array, jax.Array]:
    """Discounted sums of rewards so far in each episode, f32 [time, environment], and those to go on from, f32 [environment].

    `rewards` f32 and `done` bool are [time, environment]; a sum starts again behind an episode's last step.
    """

    def step(running, now):
        reward, ended = now
        total = gamma * running + reward
        return jnp.where(ended, 0.0, total), total

    after, totals = jax.lax.scan(step, before, (rewards, done))
    return totals, after


def add(before: Moments, values: jax.Array, mean: Callable[[jax.Array], jax.Array] = jnp.mean, groups: int = 1) -> Moments:
    """With the moments of `values` (any shape) joined in, by Chan's formula (1979). Where values lie in `groups` equal groups,
    `mean` gives the mean of all."""
    count = jnp.float32(values.size * groups)
    center = mean(values)
    variance = mean(jnp.square(values - center))
    total = before.count + count
    shift = center - before.mean
    squares = before.count * before.variance + count * variance + jnp.square(shift) * before.count * count / total
    return Moments(total, before.mean + shift * count / total, squares / total)


def scaled(rewards: jax.Array, moments: Moments) -> jax.Array:
    """`rewards` over the deviation; they are not centred, which would change what is best."""
    return rewards * jax.lax.rsqrt(moments.variance + EPSILON)
