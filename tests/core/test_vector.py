"""Auto-reset modes, statistics and final observations of a batch."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.core import VectorEnvironment
from tests.corridor import Corridor, params

ENV = Corridor()
RIGHT = jnp.full(4, 2, jnp.int32)


def play(batch, steps, p):
    key = jax.random.key(3)
    first, state = batch.reset(key, p)
    step = jax.jit(batch.step)
    rows = []
    for t in range(steps):
        observation, state, *rest = step(jax.random.fold_in(key, t), state, RIGHT, p)
        rows.append((observation, state, *rest))
    return first, rows


def test_same_step_shows_the_new_episode_at_once():
    _, rows = play(VectorEnvironment(ENV, 4), 1, params(max_length=2))
    observation, state, reward, terminated, _, info = rows[0]
    assert terminated.all() and (reward == 1).all()
    assert (state.env.cell == 0).all() and (info["final_state"].cell == 1).all()
    np.testing.assert_array_equal(observation, jax.vmap(ENV.observe, (0, None))(state.env, params()))


def test_next_step_shows_the_final_observation_then_ignores_one_action():
    _, rows = play(VectorEnvironment(ENV, 4, "next_step"), 3, params(max_length=2))
    assert (rows[0][1].env.cell == 1).all() and rows[0][3].all()
    assert (rows[1][1].env.cell == 0).all() and (rows[1][2] == 0).all() and not rows[1][3].any()
    assert (rows[2][2] == 1).all() and rows[2][3].all()
    assert (rows[2][5]["episode"].episode_length == 1).all()


def test_disabled_never_resets():
    _, rows = play(VectorEnvironment(ENV, 4, "disabled"), 5, params(max_length=2))
    assert all((row[1].env.t == t + 1).all() for t, row in enumerate(rows))
    assert (rows[-1][5]["episode"].episode_return == 5).all()


def test_statistics_count_each_episode_and_keep_the_last():
    _, rows = play(VectorEnvironment(ENV, 4), 5, params(max_length=9, time_limit=2))
    returns = np.stack([row[5]["episode"].episode_return for row in rows])
    lengths = np.stack([row[5]["episode"].episode_length for row in rows])
    assert lengths[:, 0].tolist() in ([1, 2, 1, 2, 1], [1, 1, 1, 1, 1], [1, 2, 1, 1, 1], [1, 1, 1, 2, 1])
    assert (returns <= 1).all()
    assert (rows[-1][5]["episode"].last_length >= 1).all()


def test_final_observations_are_drawn_where_an_episode_ended():
    batch = VectorEnvironment(ENV, 4, final_observation=True)
    _, rows = play(batch, 4, params(max_length=5))
    seen = 0
    for _, _, _, terminated, truncated, info in rows:
        done = np.asarray(terminated | truncated)
        expected = np.asarray(jax.vmap(ENV.observe, (0, None))(info["final_state"], params()))
        np.testing.assert_array_equal(info["final_observation"][done], expected[done])
        assert not info["final_observation"][~done].any()
        seen += done.sum()
    assert 0 < seen < 16


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"autoreset": "later"}, "autoreset is 'later'; allowed: 'same_step', 'next_step', 'disabled'"),
        ({"autoreset": "disabled", "final_observation": True}, "final_observation needs autoreset='same_step'"),
        ({"num_envs": 0}, "num_envs is 0; at least 1 is needed"),
    ],
)
def test_what_cannot_be_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        VectorEnvironment(**{"env": ENV, "num_envs": 4} | arguments)
