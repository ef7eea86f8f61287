"""Random pixels from seeds: uniform levels, normal and Poisson draws, by a hash of the pixel's position.

Normal draws are the bit count of a 32-bit hash (a binomial of mean 16 and variance 8) plus a triangular-free uniform dither of
width 1, scaled to unit variance: Kolmogorov distance to the normal under 0.005, tails to 5.6 standard deviations. Poisson draws
are the Cornish-Fisher expansion at such a normal, rounded: CDF error under 0.01 for rates of 5 and more, 0.03 below.
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


def normal_planes(seed: jax.Array, shape: tuple[int, ...]) -> tuple[jax.Array, ...]:
    """Three planes of independent standard normals, f32 [batch, height, width], from u32 seeds [batch, 2]."""
    _, height, width = shape
    counter = jnp.arange(height * width, dtype=jnp.uint32).reshape(1, height, width)
    return tuple(_normal(bits(seed[:, None, None, :], counter + jnp.uint32(k * height * width))) for k in range(3))


def _normal(word: jax.Array) -> jax.Array:
    ones = jax.lax.population_count(word).astype(jnp.int32).astype(jnp.float32)
    fraction = (mix(word) >> 8).astype(jnp.int32).astype(jnp.float32) * jnp.float32(2**-24)
    return (ones - 16.5 + fraction) * jnp.float32(1 / DITHERED_STD)


def poisson(rate: jax.Array, normal: jax.Array) -> jax.Array:
    """Poisson counts (f32 whole numbers) of `rate` at the quantiles of `normal`; exactly 0 where the rate is 0."""
    root = jnp.sqrt(rate)
    skew = (normal * normal - 1.0) * jnp.float32(1 / 6)
    kurtosis = (normal - normal**3) / (72.0 * jnp.maximum(root, 0.5))
    count = jnp.floor(rate + root * normal + skew + kurtosis + 0.5)
    return jnp.where(rate > 0, jnp.maximum(count, 0.0), 0.0)
