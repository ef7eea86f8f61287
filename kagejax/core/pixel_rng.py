"""Noise for pixels: a counter-based hash of (seed, position), a few integer operations a word and no state.

`jax.random` spends some fifty operations a word (threefry), more than all other arithmetic of a frame together. The mixer
here is the two-round xor-shift-multiply "lowbias32" (Wellons, 2018), whose avalanche bias is near that of a random function;
position and seed go through separate rounds, so that neighbouring pixels, frames and environments are independent.
"""

import jax
import jax.numpy as jnp


def mix(x: jax.Array) -> jax.Array:
    """A bijection of u32 in which each input bit flips each output bit with probability about one half."""
    x = (x ^ (x >> 16)) * jnp.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * jnp.uint32(0x846CA68B)
    return x ^ (x >> 16)


def seed_of(key: jax.Array, stream: int) -> jax.Array:
    """A pair of u32 words, [2], for one stream of noise from a raw threefry key (u32 [2]) or a typed key."""
    words = jax.random.key_data(key) if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else key
    first = mix(words[0] ^ mix(words[1] + jnp.uint32(0x9E3779B9 * (stream + 1) & 0xFFFFFFFF)))
    return jnp.stack([first, mix(first ^ words[1])])


def bits(seed: jax.Array, counter: jax.Array) -> jax.Array:
    """A u32 per entry of `counter` (u32, any shape). `seed` is u32 [..., 2] and broadcasts against it."""
    return mix(mix(counter + seed[..., 0]) ^ seed[..., 1])
