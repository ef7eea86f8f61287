"""Sliding environments for tests, and compiled ways to play them."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from scipy import stats

from kagejax import load_config
from kagejax.envs.sliding.build import build, build_batch
from kagejax.envs.sliding.config import SlidingConfig
from kagejax.envs.sliding.env import SlidingEnv
from kagejax.envs.sliding.params import Params
from tests.oracles.sliding import DEFAULTS, Options

KEY = np.zeros(2, np.uint32)
OPTION_KEYS = {
    "max_steps": "play.max_steps",
    "noop": "play.noop",
    "circular": "play.circular",
    "mode": "reward.mode",
    "win": "reward.win",
    "move": "reward.move",
    "invalid": "reward.invalid",
    "exponential": "reward.exponential",
    "sticky_termination": "play.compat_sticky_termination",
}
"""Key of a configuration for each option of the oracle."""


class Trace(NamedTuple):
    """What happens at each step."""

    board: jax.Array  # after the step
    blank: jax.Array
    distance: jax.Array
    t: jax.Array
    reward: jax.Array
    terminated: jax.Array
    truncated: jax.Array


def config_of(grid, values=None, options: Options = DEFAULTS) -> SlidingConfig:
    """The default configuration with another grid, `values` by dotted key, and the options of an oracle's game."""
    chosen = {"grid.rows": grid[0], "grid.columns": grid[1]} | {OPTION_KEYS[name]: x for name, x in options._asdict().items()}
    return load_config("sliding", **chosen | (values or {}))


def made(grid, values=None, options: Options = DEFAULTS) -> tuple[SlidingEnv, Params]:
    """The environment of `config_of`."""
    return build(config_of(grid, values, options))


def made_batch(grid, values, options) -> tuple[SlidingEnv, Params]:
    """The environment of several configurations that differ in the options of an oracle's game."""
    return build_batch([config_of(grid, values, each) for each in options])


def params_at(env: SlidingEnv, stacked: Params, i: int) -> Params:
    """Configuration `i` of stacked params."""
    return jax.tree.map(lambda x, axis: x if axis is None else x[i], stacked, env.params_axes(stacked))


def on_host(tree: Any) -> Any:
    """The tree as NumPy arrays: slices of them compile nothing."""
    return jax.tree.map(np.asarray, tree)


def assert_same(first: Any, second: Any) -> None:
    """Both trees are equal, bit for bit."""
    assert jax.tree.structure(first) == jax.tree.structure(second)
    for one, other in zip(jax.tree.leaves(on_host(first)), jax.tree.leaves(on_host(second)), strict=True):
        np.testing.assert_array_equal(one, other)


@functools.partial(jax.jit, static_argnums=0)
def _play(env, stacked, boards, actions):
    def episode(params, board, actions):
        def step(state, action):
            state, reward, terminated, truncated, _ = env.advance(KEY, state, action, params)
            tick = state.tick
            return state, Trace(tick.board, tick.blank, tick.distance, tick.t, reward, terminated, truncated)

        return jax.lax.scan(step, env.start(board, KEY, params), actions)[1]

    return jax.vmap(jax.vmap(episode, (None, 0, 0)), (env.params_axes(stacked), None, None))(stacked, boards, actions)


def play(env: SlidingEnv, stacked: Params, boards, actions) -> Trace:
    """Episodes from `boards` [E, N] along `actions` [E, T] by each configuration of stacked params, [configs, E, T, ...]."""
    return on_host(_play(env, stacked, jnp.asarray(boards), jnp.asarray(actions, jnp.int32)))


@functools.partial(jax.jit, static_argnums=0)
def draw(env: SlidingEnv, params: Params, boards: jax.Array) -> jax.Array:
    """What is seen of `boards` [B, N] at the start of an episode, each with the same key."""
    states = jax.vmap(env.start, (0, None, None))(boards, KEY, params)
    return jax.vmap(env.observe, (0, None))(states, params)


def within_chance(counts, expected, constraints: int = 1) -> bool:
    """Whether counts with these expectations, which share as many sums as `constraints`, would differ as much once in 10^5."""
    counts, expected = np.ravel(counts), np.ravel(expected)
    return bool(stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), counts.size - constraints) > 1e-5)
