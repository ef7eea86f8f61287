"""What scripted policies earn at the default physics, against the figures measured on the reference."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.kage import level
from kagejax.envs.kage.build import build
from kagejax.envs.kage.config import KageConfig

from .random_games import PLAIN

STEPS = 500


def always(action):
    return lambda state, key, control: jnp.int32(action)


def at_random(state, key, control):
    return jax.random.randint(key, (), 0, 8, jnp.int32)


def look_ahead(state, key, control):
    """Right at all times; jump where it would fire and the ground 9 to 18 px ahead is no more than 12 px below the centre."""
    body = state.tick.body
    ahead = body.x.astype(jnp.int32) + jnp.arange(9, 19, dtype=jnp.int32)
    steep = (level.top_at(state.episode.tops, ahead, control) <= body.y.astype(jnp.int32) + 12).any()
    return jnp.where(steep & (body.vy >= 0) & (body.coyote_timer <= 3), 6, 2)


@functools.partial(jax.jit, static_argnums=(0, 2))
def _play(env, params, policy, keys):
    def one(key):
        first, acting = env.init(key, params), jax.random.fold_in(key, 2**31)

        def step(state, t):
            # Another base key, because split(key)[i] and fold_in(key, i) are one and the same key.
            action = policy(state, jax.random.fold_in(acting, t), params.control)
            return env.advance(key, state, action, params)[0], None

        last = jax.lax.scan(step, first, jnp.arange(STEPS, dtype=jnp.uint32))[0]
        return last.tick.body.x - last.episode.initial_x, last.tick.score

    return jax.vmap(one)(keys)


@pytest.fixture(scope="module")
def play():
    """Mean success, return, distance, farthest distance and jump presses over one episode per key."""
    env, params = build(KageConfig.model_validate(PLAIN))

    def measure(policy, keys):
        distance, score = _play(env, params, policy, keys)
        values = score.success_once, score.episode_return, distance, score.x_max - 64, score.jump_count
        return {
            name: float(np.asarray(value, np.float64).mean())
            for name, value in zip(("success", "return", "distance", "farthest", "jumps"), values, strict=True)
        }

    return measure


def keys_of(*seeds: int, each: int) -> jax.Array:
    return jnp.concatenate([jax.random.split(jax.random.PRNGKey(seed), each) for seed in seeds])


def test_holding_right_and_jump_succeeds_as_often_as_measured(play):
    means = play(always(6), keys_of(*range(8), each=256))
    assert abs(means["success"] - 0.603) <= 0.011
    assert abs(means["return"] + 4998.1) <= 0.7
    assert abs(means["distance"] - 490.7) <= 0.2


def test_holding_right_gets_stuck_where_measured(play):
    means = play(always(2), keys_of(0, each=256))
    assert means["success"] == 0
    assert round(means["distance"]) == 57
    assert round(means["return"]) == -2253


def test_acting_at_random_goes_nowhere_as_measured(play):
    means = play(at_random, keys_of(0, each=4096))
    assert means["success"] == 0
    assert abs(means["distance"] - 8.2) <= 2 * 1.9
    assert abs(means["farthest"] - 39) <= 2
    assert abs(means["return"] + 3905) <= 2 * 7


def test_looking_ahead_solves_the_game_as_measured(play):
    means = play(look_ahead, keys_of(0, each=256))
    assert round(means["success"], 2) == 0.98
    assert round(means["return"], 1) == -15.9
    assert round(means["distance"], 1) == 497.8
    assert round(means["jumps"], 1) == 5.4
