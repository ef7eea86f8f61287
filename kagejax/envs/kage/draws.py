"""All random draws of a reset in a few calls.

Each call of `jax.random` is compiled by itself, and an episode makes some twenty kinds of draws; asked for one by one they
were half of the compile time of a step. Here they are noted first, then drawn together: one loop for all key chains, one
split, one call for the bits. The values are those of `jax.random.uniform` and `jax.random.randint` with the same keys, under
the default `jax_threefry_partitionable`, whose first n bits do not depend on how many are drawn.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp


def chains(keys: jax.Array, links: int) -> tuple[jax.Array, jax.Array]:
    """Key chains `key, use = split(key)`, side by side: `(first key that follows, keys to use)`.

    From u32 [n, 2] to u32 [n, 2] and [n, links, 2].
    """

    def link(keys, _):
        pairs = jax.vmap(jax.random.split)(keys)
        return pairs[:, 0], (pairs[:, 0], pairs[:, 1])

    _, (following, uses) = jax.lax.scan(link, keys, None, length=links)
    return following[0], uses.swapaxes(0, 1)


class _Request(NamedTuple):
    keys: jax.Array  # u32 [n, 2]
    low: jax.Array  # [n]
    high: jax.Array  # [n]
    count: int


class Draws:
    """Draws noted by `integers` and `uniforms`, then made by `draw`; each note gives the index of its answer."""

    def __init__(self):
        self._integers: list[_Request] = []
        self._uniforms: list[_Request] = []

    def integers(self, keys: jax.Array, low, high, count: int = 1) -> tuple[str, int]:
        """`count` integers in low .. high - 1 (low where that is empty) from each of u32 keys [n, 2]; i32 [n, count]."""
        self._integers.append(self._request(keys, low, high, count, jnp.int32))
        return "integers", len(self._integers) - 1

    def uniforms(self, keys: jax.Array, low, high, count: int = 1) -> tuple[str, int]:
        """`count` numbers in [low, high) from each of u32 keys [n, 2]; f32 [n, count]."""
        self._uniforms.append(self._request(keys, low, high, count, jnp.float32))
        return "uniforms", len(self._uniforms) - 1

    @staticmethod
    def _request(keys: jax.Array, low, high, count: int, dtype) -> _Request:
        low, high = (jnp.broadcast_to(jnp.asarray(bound, dtype), (len(keys),)) for bound in (low, high))
        return _Request(keys, low, high, count)

    def draw(self) -> dict[tuple[str, int], jax.Array]:
        """Every answer by its index."""
        longest = max(request.count for request in self._integers + self._uniforms)
        whole = jnp.concatenate([request.keys for request in self._integers])
        halves = jax.vmap(jax.random.split)(whole).reshape(-1, 2)
        keys = jnp.concatenate([halves, *(request.keys for request in self._uniforms)])
        words = jax.vmap(lambda key: jax.random.bits(key, (longest,), jnp.uint32))(keys)
        pairs, singles = words[: len(halves)].reshape(-1, 2, longest), words[len(halves) :]
        answers: dict[tuple[str, int], jax.Array] = {}
        for kind, requests, source in (("integers", self._integers, pairs), ("uniforms", self._uniforms, singles)):
            start = 0
            for index, request in enumerate(requests):
                part = source[start : start + len(request.keys)][..., : request.count]
                answers[kind, index] = _WAYS[kind](part, request.low[:, None], request.high[:, None])
                start += len(request.keys)
        return answers


def _integers(words: jax.Array, low: jax.Array, high: jax.Array) -> jax.Array:
    """As `jax.random.randint`: 64 random bits modulo the span, in arithmetic of 32 bits."""
    span = jnp.maximum(high - low, 1).astype(jnp.uint32)
    half = jnp.uint32(1 << 16) % span
    offset = (words[:, 0] % span) * (half * half % span) + words[:, 1] % span
    return low + (offset % span).astype(jnp.int32)


def _uniforms(words: jax.Array, low: jax.Array, high: jax.Array) -> jax.Array:
    """As `jax.random.uniform`: 23 random bits as the fraction of a float in [1, 2)."""
    unit = jax.lax.bitcast_convert_type((words >> 9) | jnp.uint32(0x3F800000), jnp.float32) - 1.0
    return jnp.maximum(low, unit * (high - low) + low)


_WAYS = {"integers": _integers, "uniforms": _uniforms}
