"""The policies that come with kage by name."""

import jax
import jax.numpy as jnp
import pytest

import kagejax
from kagejax.envs.kage.policies import POLICIES

EPISODES = 64


@pytest.fixture(scope="module")
def play():
    """Mean success of whole episodes, and mean number of jump presses, by name of a policy."""
    env, params = kagejax.make("kage/simplest")

    @jax.jit
    def play(policy: jax.Array):
        def step(state, _):
            actions = jnp.stack([policy(None, state, params) for policy in POLICIES.values()])
            return env.advance(jax.random.key(0), state, actions[policy], params)[0], None

        def one(key):
            return jax.lax.scan(step, env.init(key, params), length=500)[0].tick.score

        score = jax.vmap(one)(jax.random.split(jax.random.key(0), EPISODES))
        return score.success_once.mean(), score.jump_count.mean()

    return lambda name: tuple(float(value) for value in play(list(POLICIES).index(name)))


def test_looking_ahead_nearly_always_succeeds_with_few_jumps(play):
    success, jumps = play("scripted")
    assert success > 0.9
    assert 3 < jumps < 9


def test_holding_right_never_succeeds_and_never_jumps(play):
    assert play("right") == (0, 0)


def test_holding_right_and_jump_succeeds_in_about_six_of_ten(play):
    success, jumps = play("right_jump")
    assert 0.4 < success < 0.8
    assert jumps == 500
