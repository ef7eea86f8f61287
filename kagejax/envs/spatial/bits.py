"""Sets of places on a board as bit masks of several u32 words. Elementwise under `vmap`: no axis but that of the batch."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .lattice import WORD


@jax.tree_util.register_pytree_node_class
class Bits:
    """A set of places 0 .. 32 * words - 1: bit p % 32 of word p // 32 is place p. Each word is u32 [...], of one shape."""

    def __init__(self, words: tuple[jax.Array, ...]):
        self.words = words

    @classmethod
    def of(cls, array: jax.Array) -> "Bits":
        """From u32 [..., words]."""
        return cls(tuple(array[..., k] for k in range(array.shape[-1])))

    @classmethod
    def single(cls, place: jax.Array, words: int) -> "Bits":
        """The set of one place, i32 [...]; of none for -1."""
        bit = jnp.uint32(1) << (place % WORD).astype(jnp.uint32)
        return cls(tuple(jnp.where(place // WORD == k, bit, jnp.uint32(0)) for k in range(words)))

    def __and__(self, other: "Bits") -> "Bits":
        return self._with(other, lambda a, b: a & b)

    def __or__(self, other: "Bits") -> "Bits":
        return self._with(other, lambda a, b: a | b)

    def __xor__(self, other: "Bits") -> "Bits":
        return self._with(other, lambda a, b: a ^ b)

    def __sub__(self, other: "Bits") -> "Bits":
        """What is in this set and not in `other`."""
        return self._with(other, lambda a, b: a & ~b)

    def _with(self, other: "Bits", combine: Callable[[Any, Any], Any]) -> "Bits":
        return Bits(tuple(combine(a, b) for a, b in zip(self.words, other.words, strict=True)))

    def moved(self, by: int) -> "Bits":
        """Each place p at p + `by`; what leaves the words is lost."""
        whole, rest = divmod(abs(by), WORD)
        count, zero = len(self.words), jnp.zeros_like(self.words[0])

        def word(k: int) -> jax.Array:
            return self.words[k] if 0 <= k < count else zero

        if by >= 0:
            pairs = [(word(k - whole), word(k - whole - 1)) for k in range(count)]
            return Bits(tuple(a << rest | b >> (WORD - rest) if rest else a for a, b in pairs))
        pairs = [(word(k + whole), word(k + whole + 1)) for k in range(count)]
        return Bits(tuple(a >> rest | b << (WORD - rest) if rest else a for a, b in pairs))

    def any(self) -> jax.Array:
        """Whether the set has a place, bool [...]."""
        found = self.words[0]
        for word in self.words[1:]:
            found = found | word
        return found != 0

    def count(self) -> jax.Array:
        """How many places the set has, i32 [...]."""
        return sum(jax.lax.population_count(word).astype(jnp.int32) for word in self.words)

    def meets(self, other: "Bits") -> jax.Array:
        """Whether the two have a place in common, bool [...]."""
        return (self & other).any()

    def lowest(self) -> jax.Array:
        """The least place, i32 [...]; 32 * words for none."""
        least = jnp.full_like(self.words[0], len(self.words) * WORD, jnp.int32)
        for k in reversed(range(len(self.words))):
            least = jnp.where(self.words[k] != 0, k * WORD + trailing_zeros(self.words[k]), least)
        return least

    def first(self) -> "Bits":
        """The least place alone."""
        earlier = jnp.zeros_like(self.words[0], jnp.bool_)
        kept = []
        for word in self.words:
            kept.append(jnp.where(earlier, jnp.uint32(0), word & (~word + 1)))
            earlier |= word != 0
        return Bits(tuple(kept))

    def above(self, place: jax.Array) -> "Bits":
        """The places after `place` (i32 [...], 0 or more)."""
        bit = jnp.uint32(1) << (place % WORD).astype(jnp.uint32)
        kept = []
        for k, word in enumerate(self.words):
            here = jnp.where(place // WORD == k, word & ~(bit | (bit - 1)), word)
            kept.append(jnp.where(place // WORD > k, jnp.uint32(0), here))
        return Bits(tuple(kept))

    def tree_flatten(self) -> tuple[tuple, None]:
        return self.words, None

    @classmethod
    def tree_unflatten(cls, _: None, words: Any) -> "Bits":
        return cls(tuple(words))


def where(condition: jax.Array, chosen: Bits, other: Bits) -> Bits:
    """`chosen` where the condition holds, else `other`."""
    return Bits(tuple(jnp.where(condition, a, b) for a, b in zip(chosen.words, other.words, strict=True)))


def trailing_zeros(word: jax.Array) -> jax.Array:
    """Place of the least bit of a u32 that is not zero, i32."""
    return jax.lax.population_count((word & (~word + 1)) - 1).astype(jnp.int32)


def packed(places: np.ndarray, words: int) -> np.ndarray:
    """The set of some places, NumPy u32 [words]."""
    flags = np.zeros(words * WORD, bool)
    flags[np.asarray(places, np.int64)] = True
    return np.packbits(flags, bitorder="little").view("<u4").astype(np.uint32)
