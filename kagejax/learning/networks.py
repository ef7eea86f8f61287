"""Actor-critic networks for pictures: a convolutional trunk, a dense layer, two heads."""

import dataclasses
from typing import NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp

from .convolutions import convolve


@dataclasses.dataclass(frozen=True)
class Convolution:
    """One layer of a trunk: a square kernel without padding, but for `margin` rows and columns of zeros below and right."""

    features: int
    size: int
    stride: int
    margin: int = 0


class Trunk(NamedTuple):
    """What a network does before its heads."""

    convolutions: tuple[Convolution, ...]  # none for observations that are vectors
    width: int  # of the dense layer
    norm: str = ""  # "batch" or "layer": after each convolution; then a LayerNorm and tanh, not relu, follow the dense layer
    separate: bool = False  # actor and critic each have a dense layer of their own
    actor_gain: float = 0.01
    critic_gain: float = 1.0


_PUZZLE = (Convolution(32, 8, 4), Convolution(64, 4, 2), Convolution(64, 3, 1))
TRUNKS = {
    "reference": Trunk((Convolution(32, 8, 4), Convolution(64, 4, 2), Convolution(64, 3, 1)), 512),
    "quick": Trunk((Convolution(16, 8, 4), Convolution(32, 4, 2, margin=1)), 128),
    "puzzle": Trunk(_PUZZLE, 512, "batch", True, 2**0.5, 2**0.5),
    "puzzle_shared": Trunk(_PUZZLE, 512, "batch", False, 2**0.5, 2**0.5),
    "puzzle_layer": Trunk(_PUZZLE, 512, "layer", True, 2**0.5, 2**0.5),
    "puzzle_quick": Trunk((Convolution(16, 8, 4), Convolution(32, 4, 2, margin=1)), 128, "layer", False),
    "vector": Trunk((), 512, "layer", False),
    "grid": Trunk((Convolution(32, 3, 1), Convolution(32, 3, 1)), 128),
}
"""By name. `reference` is KAGE-Bench's PPO-CNN (128x128 frames), `quick` is for 32x32 frames and a CPU. `puzzle` is that of
SPGym for 84x84 frames, with a dense layer each for actor and critic (`puzzle_shared`: one for both, as its first release has
it; `puzzle_layer`: LayerNorm, so that a decision does not depend on the other frames of its batch); `puzzle_quick` is small.
`vector` is for observations that are no pictures, `grid` for layers on a small board."""


class ActorCritic(nn.Module):
    """Frames u8 [batch, height, width, channels] to action logits f32 [batch, actions] and values f32 [batch].

    Weights are orthogonal, with gain sqrt(2) in the trunk; with a norm, convolutions have only their centre tap at first.
    Biases start at zero. Frames are divided by `brightest` inside; observations of other dtypes are taken as they are.
    With `precision` bfloat16 the trunk computes in it, on parameters, norms and heads that stay f32.
    """

    trunk: Trunk
    actions: int
    brightest: int = 255
    precision: str = "float32"

    @nn.compact
    def __call__(self, frames: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = frames.astype(self.precision)
        if frames.dtype == jnp.uint8:
            x = x * jnp.asarray(1 / self.brightest, x.dtype)
        if self.trunk.convolutions:
            x = self._encode(x.transpose(1, 2, 0, 3))
        x = x.reshape(frames.shape[0], -1)
        if self.trunk.separate:
            policy, worth = self._project(x, "actor_dense"), self._project(x, "critic_dense")
        else:
            policy = worth = self._project(x, "dense")
        logits = _dense(self.actions, self.trunk.actor_gain, "actor")(policy.astype(jnp.float32))
        return logits, _dense(1, self.trunk.critic_gain, "critic")(worth.astype(jnp.float32))[:, 0]

    def _encode(self, x: jax.Array) -> jax.Array:
        """[height, width, batch, channels] through the convolutions, [batch, height, width, features]."""
        norm, last = self.trunk.norm, len(self.trunk.convolutions) - 1
        for i, layer in enumerate(self.trunk.convolutions):
            x = jnp.pad(x, ((0, layer.margin), (0, layer.margin), (0, 0), (0, 0)))
            shape = (layer.size, layer.size, x.shape[-1], layer.features)
            initializer = centred_orthogonal if norm else nn.initializers.orthogonal(2**0.5)
            kernel = self.param(f"convolution_{i}_kernel", initializer, shape, jnp.float32)
            bias = self.param(f"convolution_{i}_bias", nn.initializers.zeros, (layer.features,), jnp.float32)
            x = convolve(x, kernel.astype(x.dtype), layer.stride) + bias.astype(x.dtype)
            if not norm or i < last:  # no activation after the last one, as published
                x = nn.relu(x)
            if norm:
                x = self._normalised(x, (0, 1, 2) if norm == "batch" else (0, 1, 3), f"norm_{i}")
        return x.transpose(2, 0, 1, 3)

    def _normalised(self, x: jax.Array, axes: tuple[int, ...], name: str) -> jax.Array:
        """Zero mean and unit variance over `axes` of this very batch, then a learned scale and offset per feature."""
        narrow, x = x.dtype, x.astype(jnp.float32)
        mean = x.mean(axes, keepdims=True)
        variance = jnp.square(x - mean).mean(axes, keepdims=True)
        scale = self.param(f"{name}_scale", nn.initializers.ones, x.shape[-1:], jnp.float32)
        offset = self.param(f"{name}_bias", nn.initializers.zeros, x.shape[-1:], jnp.float32)
        return ((x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + offset).astype(narrow)

    def _project(self, x: jax.Array, name: str) -> jax.Array:
        x = _dense(self.trunk.width, 2**0.5, name, self.precision)(x)
        if not self.trunk.norm:
            return nn.relu(x)
        norm = nn.LayerNorm(epsilon=1e-5, dtype=jnp.float32, param_dtype=jnp.float32, name=f"{name}_norm")
        return jnp.tanh(norm(x))


def centred_orthogonal(key: jax.Array, shape: tuple[int, ...], dtype: type) -> jax.Array:
    """A kernel [height, width, channels, features] that is orthogonal with gain sqrt(2) at its centre and zero elsewhere."""
    height, width, *mixing = shape
    centre = nn.initializers.orthogonal(2**0.5)(key, tuple(mixing), dtype)
    return jnp.zeros(shape, dtype).at[height // 2, width // 2].set(centre)


def _dense(width: int, gain: float, name: str, precision: str = "float32") -> nn.Dense:
    initializer = nn.initializers.orthogonal(gain)
    return nn.Dense(width, kernel_init=initializer, dtype=precision, param_dtype=jnp.float32, name=name)


def encoder(parameters: dict) -> dict:
    """The part of an ActorCritic's parameters that only the encoder has: convolutions and their norms."""
    return {name: leaf for name, leaf in parameters["params"].items() if name.startswith(("convolution_", "norm_"))}


def actor_critic(name: str, actions: int, brightest: int = 255, precision: str = "float32") -> ActorCritic:
    """The network called `name` with that many actions, for frames of levels 0 to `brightest`; `precision` is a dtype's name.

    Raises ValueError for a name that is not in `TRUNKS`.
    """
    if name not in TRUNKS:
        raise ValueError(f"network is {name!r}; allowed: {', '.join(map(repr, TRUNKS))}")
    return ActorCritic(TRUNKS[name], actions, brightest, precision)


def parameter_count(parameters: dict) -> int:
    """How many numbers a tree of parameters holds."""
    return sum(leaf.size for leaf in jax.tree.leaves(parameters))
