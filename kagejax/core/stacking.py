"""The last frames as one observation."""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from .environment import Environment, Transition
from .spaces import Box


class Stacked(NamedTuple):
    """A state and those before it."""

    now: Any
    past: Any  # [frames - 1, ...], the oldest first; the first state of an episode where it has no past


@dataclasses.dataclass(frozen=True)
class FrameStack(Environment):
    """`env` whose observation is its last `frames` observations side by side along the last axis, the newest last.

    States are kept and drawn again, not pictures: a state is tens of bytes and a picture tens of thousands, so a stack costs
    time (`frames` drawings a step) and hardly any memory. Raises ValueError for observations that are not one array.
    """

    env: Environment
    frames: int

    def __post_init__(self):
        if self.frames < 1:
            raise ValueError(f"frames is {self.frames}; at least 1 is needed")
        if not isinstance(self.env.observation_space, Box):
            raise ValueError(f"only arrays can be stacked; this environment's observations are {self.env.observation_space}")

    def init(self, key: jax.Array, params: Any) -> Stacked:
        """The first state, which is also its own past."""
        now = self.env.init(key, params)
        return Stacked(now, jax.tree.map(lambda x: jnp.broadcast_to(x, (self.frames - 1, *x.shape)), now))

    def transition(self, key: jax.Array, state: Stacked, action: jax.Array, params: Any) -> Transition:
        """That of `env`."""
        after = self.env.transition(key, state.now, action, params)
        past = jax.tree.map(lambda old, new: jnp.concatenate([old, new[None]])[1:], state.past, state.now)
        return after._replace(state=Stacked(after.state, past))

    def observe(self, state: Stacked, params: Any) -> jax.Array:
        """[..., frames x channels], the oldest first."""
        past = jax.vmap(self.env.observe, (0, None))(state.past, params)
        return jnp.concatenate([*past, self.env.observe(state.now, params)], axis=-1)

    def latent(self, state: Stacked) -> Any:
        """That of `env`."""
        return self.env.latent(state.now)

    def truncated(self, state: Stacked, params: Any) -> jax.Array:
        """That of `env`."""
        return self.env.truncated(state.now, params)

    def action_mask(self, state: Stacked, params: Any) -> jax.Array:
        """That of `env`."""
        return self.env.action_mask(state.now, params)

    @property
    def has_action_mask(self) -> bool:
        """Whether `env` has one."""
        return self.env.has_action_mask

    @property
    def action_space(self) -> Any:
        """That of `env`."""
        return self.env.action_space

    @property
    def observation_space(self) -> Box:
        """That of `env`, `frames` times as long in the last axis."""
        space = self.env.observation_space
        return dataclasses.replace(space, shape=(*space.shape[:-1], self.frames * space.shape[-1]))

    def params_axes(self, params: Any) -> Any:
        """Those of `env`."""
        return self.env.params_axes(params)
