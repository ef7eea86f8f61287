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

    convolutions: tuple[Convolution, ...]
    width: int  # of the dense layer


TRUNKS = {
    "reference": Trunk((Convolution(32, 8, 4), Convolution(64, 4, 2), Convolution(64, 3, 1)), 512),
    "quick": Trunk((Convolution(16, 8, 4), Convolution(32, 4, 2, margin=1)), 128),
}
"""By name: `reference` is the benchmark's PPO-CNN (128x128 frames), `quick` is for 32x32 frames and a CPU."""


class ActorCritic(nn.Module):
    """Frames u8 [batch, height, width, channels] to action logits f32 [batch, actions] and values f32 [batch].

    Weights are orthogonal, with gain sqrt(2) in the trunk, 0.01 in the actor and 1 in the critic; biases start at zero.
    Frames are divided by 255 inside.
    """

    trunk: Trunk
    actions: int

    @nn.compact
    def __call__(self, frames: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = frames.transpose(1, 2, 0, 3).astype(jnp.float32) * jnp.float32(1 / 255)
        for i, layer in enumerate(self.trunk.convolutions):
            x = jnp.pad(x, ((0, layer.margin), (0, layer.margin), (0, 0), (0, 0)))
            shape = (layer.size, layer.size, x.shape[-1], layer.features)
            kernel = self.param(f"convolution_{i}_kernel", nn.initializers.orthogonal(2**0.5), shape, jnp.float32)
            bias = self.param(f"convolution_{i}_bias", nn.initializers.zeros, (layer.features,), jnp.float32)
            x = nn.relu(convolve(x, kernel, layer.stride) + bias)
        x = x.transpose(2, 0, 1, 3).reshape(frames.shape[0], -1)
        x = nn.relu(_dense(self.trunk.width, 2**0.5, "dense")(x))
        return _dense(self.actions, 0.01, "actor")(x), _dense(1, 1.0, "critic")(x)[:, 0]


def _dense(width: int, gain: float, name: str) -> nn.Dense:
    initializer = nn.initializers.orthogonal(gain)
    return nn.Dense(width, kernel_init=initializer, dtype=jnp.float32, param_dtype=jnp.float32, name=name)


def actor_critic(name: str, actions: int) -> ActorCritic:
    """The network called `name` with that many actions. Raises ValueError for a name that is not in `TRUNKS`."""
    if name not in TRUNKS:
        raise ValueError(f"network is {name!r}; allowed: {', '.join(map(repr, TRUNKS))}")
    return ActorCritic(TRUNKS[name], actions)


def parameter_count(parameters: dict) -> int:
    """How many numbers a tree of parameters holds."""
    return sum(leaf.size for leaf in jax.tree.leaves(parameters))
