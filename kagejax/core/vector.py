"""A batch of environments as one environment: auto-reset modes, per-environment keys, episode statistics."""

import dataclasses
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp

from .environment import Environment


class Statistics(NamedTuple):
    """Running and last-finished episode sums, each [num_envs]."""

    episode_return: jax.Array  # f32, undiscounted sum of rewards since the episode began
    episode_length: jax.Array  # i32, steps since the episode began
    last_return: jax.Array  # f32, return of the most recently finished episode, 0 before the first
    last_length: jax.Array  # i32, its length


class VectorState(NamedTuple):
    """State of `num_envs` environments."""

    env: Any
    done: jax.Array  # bool [num_envs], whether the last step ended the episode
    statistics: Statistics


@dataclasses.dataclass(frozen=True)
class VectorEnvironment:
    """`num_envs` copies of `env` that step together. Environment i draws from `fold_in(key, i)`, whatever the batch size.

    `autoreset` is one of Gymnasium's modes. `same_step`: where an episode ends, the observation returned is already the new
    episode's. `next_step`: the final observation is returned, and the next step ignores its action, gives reward 0 and the new
    episode's first observation. `disabled`: never.
    `final_observation=True` adds `info["final_observation"]` (same_step only): the pictures before the reset where an episode
    ended, zeros elsewhere; they are drawn only on steps where some episode ends.
    To run a batch of configurations, `jax.vmap` over `params` with `env.params_axes(params)`.
    """

    env: Environment
    num_envs: int
    autoreset: Literal["same_step", "next_step", "disabled"] = "same_step"
    final_observation: bool = False

    def __post_init__(self):
        if self.autoreset not in ("same_step", "next_step", "disabled"):
            raise ValueError(f"autoreset is {self.autoreset!r}; allowed: 'same_step', 'next_step', 'disabled'")
        if self.final_observation and self.autoreset != "same_step":
            raise ValueError(f"final_observation needs autoreset='same_step'; with {self.autoreset!r} no picture is lost")
        if self.num_envs < 1:
            raise ValueError(f"num_envs is {self.num_envs}; at least 1 is needed")

    @property
    def action_space(self) -> Any:
        """The space of one environment's action."""
        return self.env.action_space

    @property
    def observation_space(self) -> Any:
        """The space of one environment's observation."""
        return self.env.observation_space

    def reset(self, key: jax.Array, params: Any) -> tuple[Any, VectorState]:
        """New episodes everywhere: observations with a leading [num_envs] axis, and the state."""
        observation, state = jax.vmap(self.env.reset, (0, None))(self._keys(key), params)
        zeros, counts = jnp.zeros(self.num_envs, jnp.float32), jnp.zeros(self.num_envs, jnp.int32)
        return observation, VectorState(state, jnp.zeros(self.num_envs, bool), Statistics(zeros, counts, zeros, counts))

    def step(self, key: jax.Array, state: VectorState, action: jax.Array, params: Any) -> tuple:
        """`(observation, state, reward, terminated, truncated, info)`, each with a leading [num_envs] axis.

        `info` is that of `Environment.step` plus `episode`, the `Statistics` after this step.
        """
        keys = self._keys(key)
        after, reward, terminated, truncated, info = jax.vmap(self.env.advance, (0, 0, 0, None))(
            keys, state.env, action, params
        )
        restart = {"same_step": terminated | truncated, "next_step": state.done, "disabled": None}[self.autoreset]
        if self.autoreset == "next_step":
            reward, terminated, truncated = (jnp.where(restart, 0, x).astype(x.dtype) for x in (reward, terminated, truncated))
        done = terminated | truncated
        counted = ~restart if self.autoreset == "next_step" else jnp.ones_like(done)
        statistics = _count(state.statistics, reward, counted, done, self.autoreset != "disabled")
        info = {**info, "episode": statistics._replace(**_finished(state.statistics, reward, counted))}
        new = after if restart is None else self._reset_where(restart, keys, after, params)
        if self.final_observation:
            info["final_observation"] = self._draw_where(done, after, params)
        observation = jax.vmap(self.env.observe, (0, None))(new, params)
        return observation, VectorState(new, done, statistics), reward, terminated, truncated, info

    def _keys(self, key: jax.Array) -> jax.Array:
        return jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(self.num_envs, dtype=jnp.uint32))

    def _reset_where(self, done: jax.Array, keys: jax.Array, state: Any, params: Any) -> Any:
        return jax.vmap(self.env.reset_where, (0, 0, 0, None))(done, keys, state, params)

    def _draw_where(self, done: jax.Array, state: Any, params: Any) -> Any:
        draw = jax.vmap(self.env.observe, (0, None))
        blank = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(draw, state, params))

        def drawn():
            return jax.tree.map(lambda x: jnp.where(done.reshape(-1, *(1,) * (x.ndim - 1)), x, 0), draw(state, params))

        return jax.lax.cond(done.any(), drawn, lambda: blank)


def _finished(before: Statistics, reward: jax.Array, counted: jax.Array) -> dict[str, jax.Array]:
    return {
        "episode_return": before.episode_return + jnp.where(counted, reward, 0),
        "episode_length": before.episode_length + counted,
    }


def _count(before: Statistics, reward: jax.Array, counted: jax.Array, done: jax.Array, resets: bool) -> Statistics:
    total = Statistics(**_finished(before, reward, counted), last_return=before.last_return, last_length=before.last_length)
    ended = total._replace(
        last_return=jnp.where(done, total.episode_return, total.last_return),
        last_length=jnp.where(done, total.episode_length, total.last_length),
    )
    if not resets:
        return ended
    return ended._replace(
        episode_return=jnp.where(done, 0, ended.episode_return), episode_length=jnp.where(done, 0, ended.episode_length)
    )
