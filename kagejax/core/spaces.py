"""What actions and observations look like: shape, dtype, bounds, a sample, and a membership test."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass(frozen=True)
class Space:
    """A set of values. Calling a space gives itself: trainers for gymnax write `env.action_space(params)`."""

    def __call__(self, params: Any = None) -> "Space":
        return self

    def sample(self, key: jax.Array) -> Any:
        """One member, uniformly from `key`."""
        raise NotImplementedError

    def contains(self, value: Any) -> bool:
        """Whether `value` is a member, dtype and shape included (host side)."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Discrete(Space):
    """The integers 0 .. n - 1, as a scalar of `dtype`."""

    n: int
    dtype: Any = jnp.int32

    @property
    def shape(self) -> tuple[int, ...]:
        """A scalar's shape."""
        return ()

    def sample(self, key: jax.Array) -> jax.Array:
        """Uniform over the n values."""
        return jax.random.randint(key, (), 0, self.n, self.dtype)

    def contains(self, value: Any) -> bool:
        """Any integer scalar in range; its width is not compared, since Python ints are welcome."""
        value = np.asarray(value)
        return value.shape == () and np.issubdtype(value.dtype, np.integer) and 0 <= int(value) < self.n


@dataclasses.dataclass(frozen=True)
class Box(Space):
    """Arrays of `shape` and `dtype` whose entries all lie in [low, high]."""

    low: float
    high: float
    shape: tuple[int, ...]
    dtype: Any = jnp.float32

    def sample(self, key: jax.Array) -> jax.Array:
        """Uniform over the box (integers include `high`)."""
        if jnp.issubdtype(self.dtype, jnp.integer):
            wide = jax.random.randint(key, self.shape, int(self.low), int(self.high) + 1, jnp.int32)
            return wide.astype(self.dtype)
        return jax.random.uniform(key, self.shape, self.dtype, self.low, self.high)

    def contains(self, value: Any) -> bool:
        """Exact shape and dtype, every entry within bounds."""
        value = np.asarray(value)
        right_kind = value.shape == self.shape and value.dtype == np.dtype(self.dtype)
        return bool(right_kind and (value >= self.low).all() and (value <= self.high).all())


@dataclasses.dataclass(frozen=True)
class Dict(Space):
    """Named spaces; a member maps each name to a member of its space."""

    spaces: Mapping[str, Space]

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.spaces.items())))

    def sample(self, key: jax.Array) -> dict[str, Any]:
        """An independent sample of each part."""
        keys = jax.random.split(key, len(self.spaces))
        return {name: space.sample(k) for k, (name, space) in zip(keys, self.spaces.items(), strict=True)}

    def contains(self, value: Any) -> bool:
        """Exactly these names, each with a member of its space."""
        same_names = isinstance(value, Mapping) and set(value) == set(self.spaces)
        return same_names and all(space.contains(value[name]) for name, space in self.spaces.items())


@dataclasses.dataclass(frozen=True)
class Text(Space):
    """Texts as token ids, padded with 0: i32 arrays of shape (length,) with entries in 0 .. vocabulary - 1."""

    length: int
    vocabulary: int

    @property
    def shape(self) -> tuple[int, ...]:
        """One axis of tokens."""
        return (self.length,)

    @property
    def dtype(self) -> Any:
        """Token ids are i32."""
        return jnp.int32

    def sample(self, key: jax.Array) -> jax.Array:
        """Independent uniform tokens."""
        return jax.random.randint(key, self.shape, 0, self.vocabulary, jnp.int32)

    def contains(self, value: Any) -> bool:
        """Exact shape and dtype, tokens in the vocabulary."""
        return Box(0, self.vocabulary - 1, self.shape, jnp.int32).contains(value)
