"""Random pixels from seeds: uniform levels, normal and Poisson draws, by a hash of the pixel's position.

Normal draws are the bit count of a 32-bit hash (a binomial of mean 16 and variance 8) plus a uniform dither of width 1,
scaled to unit variance: Kolmogorov distance 0.0035, tails to 5.6 standard deviations. Poisson draws are the Cornish-Fisher
expansion at such a normal, rounded: CDF error 0.005 for rates of 3 and more, 0.01 at 1, 0.04 at 0.1.
"""

import jax
import jax.numpy as jnp

from kagejax.core.pixel_rng import bits, mix

DITHERED_STD = (8 + 1 / 12) ** 0.5


def uniform_levels(seed: jax.Array, height: int, flat_width: int) -> jax.Array:
    """Independent uniform u8 in 0..255, [batch, height, flat_width], from u32 seeds [batch, 2]."""
    words = -(-flat_width // 4)
    counter = jnp.arange(height * words, dtype=jnp.uint32).reshape(1, height, words)
    word = bits(seed[:, None, None, :], counter)
    levels = jax.lax.bitcast_convert_type(word, jnp.uint8)
    return levels.reshape(seed.shape[0], height, 4 * words)[:, :, :flat_width]


def positions(height: int, width: int) -> jax.Array:
    """A hash of each pixel's place in each of three planes, u32 [3, height, width]; the same for all frames, so made once."""
    return mix(jnp.arange(3 * height * width, dtype=jnp.uint32).reshape(3, height, width) + jnp.uint32(0x9E3779B9))


def normal(place: jax.Array, seed: jax.Array) -> jax.Array:
    """Standard normals, f32 [batch, height, width], from `positions` of one plane and u32 seeds [batch, 2].

    The place's hash takes in one seed word before each round of the mixer, so every bit depends on place, frame and
    environment. The dither comes from the state between the rounds, which the bit count of the end does not show.
    """
    first, second = seed[:, 0, None, None], seed[:, 1, None, None]
    half = place ^ first
    half = (half ^ (half >> 16)) * jnp.uint32(0x7FEB352D)
    word = half ^ second
    word = (word ^ (word >> 15)) * jnp.uint32(0x846CA68B)
    ones = jax.lax.population_count(word ^ (word >> 16)).astype(jnp.int32).astype(jnp.float32)
    fraction = (half >> 8).astype(jnp.int32).astype(jnp.float32) * jnp.float32(2**-24)
    return (ones - 16.5 + fraction) * jnp.float32(1 / DITHERED_STD)


def poisson(rate: jax.Array, deviate: jax.Array) -> jax.Array:
    """Poisson counts (f32 whole numbers) of `rate` at the quantiles of the normal `deviate`; exactly 0 where the rate is 0."""
    count = jnp.floor(rate + jnp.sqrt(rate) * deviate + (deviate * deviate - 1.0) * jnp.float32(1 / 6) + 0.5)
    return jnp.where(rate > 0, jnp.maximum(count, 0.0), 0.0)
