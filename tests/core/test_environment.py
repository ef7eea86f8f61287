"""reset, step and vmap of the contract, on the corridor."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.core import Environment, VectorEnvironment
from tests.corridor import Corridor, params

RIGHT = jnp.int32(2)
ENV = Corridor()


@pytest.fixture(scope="module")
def step():
    return jax.jit(ENV.step)


def start(length):
    _, state = ENV.reset(jax.random.key(0), params(max_length=2))
    return state._replace(length=jnp.int32(length))


def test_step_resets_where_an_episode_ends_and_keeps_its_final_state(step):
    observation, state, reward, terminated, truncated, info = step(jax.random.key(1), start(2), RIGHT, params())
    assert (float(reward), bool(terminated), bool(truncated)) == (1.0, True, False)
    assert (int(state.cell), int(state.t)) == (0, 0)
    assert (int(info["final_state"].cell), int(info["final_state"].t)) == (1, 1)
    np.testing.assert_array_equal(observation, ENV.observe(state, params()))


def test_step_env_goes_on_past_the_end():
    observation, state, reward, terminated, *_ = ENV.step_env(jax.random.key(1), start(2), RIGHT, params())
    assert bool(terminated) and int(state.cell) == 1
    np.testing.assert_array_equal(observation, ENV.observe(state, params()))


def test_a_time_limit_truncates_and_does_not_terminate(step):
    _, state, _, terminated, truncated, _ = step(jax.random.key(1), start(9), RIGHT, params(time_limit=1))
    assert (bool(terminated), bool(truncated), int(state.t)) == (False, True, 0)


def test_the_new_episode_does_not_come_from_the_key_of_the_transition(step):
    key = jax.random.key(5)
    lengths = {int(step(jax.random.fold_in(key, i), start(2), RIGHT, params(50))[1].length) for i in range(20)}
    plain = {int(ENV.init(jax.random.fold_in(key, i), params(50)).length) for i in range(20)}
    assert len(lengths) > 5
    assert lengths != plain


def conditionals(function, *args):
    return str(jax.make_jaxpr(function)(*args)).count("cond[")


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_any_nesting_of_vmap_keeps_one_conditional_reset_for_the_whole_batch(levels):
    keys, states = (
        jax.random.split(jax.random.key(0), 8),
        jax.vmap(ENV.init, (0, None))(jax.random.split(jax.random.key(0), 8), params()),
    )
    shape = {1: (8,), 2: (4, 2), 3: (2, 2, 2)}[levels]
    keys, states = jax.tree.map(lambda x: x.reshape(*shape, *x.shape[1:]), (keys, states))
    function = ENV.step
    for _ in range(levels):
        function = jax.vmap(function, (0, 0, None, None))
    assert conditionals(function, keys, states, RIGHT, params()) == 1
    flat_keys, flat_states = jax.tree.map(lambda x: x.reshape(8, *x.shape[levels:]), (keys, states))
    got = function(keys, states, RIGHT, params(time_limit=1))
    for i in range(8):
        expected = ENV.step(*jax.tree.map(lambda x: x[i], (flat_keys, flat_states)), RIGHT, params(time_limit=1))  # noqa: B023
        for ours, theirs in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
            np.testing.assert_array_equal(ours.reshape(8, *ours.shape[levels:])[i], theirs)


def test_params_may_be_batched_beside_shared_states():
    stacked = jax.tree.map(lambda *x: jnp.stack(x), params(brightness=0.0), params(brightness=1.0))
    state = start(9)
    frames = jax.vmap(ENV.step, (None, None, None, 0))(jax.random.key(0), state, RIGHT, stacked)[0]
    assert frames.shape == (2, 8, 8, 3)
    assert (frames[0] != frames[1]).any()


def test_an_environment_that_does_not_write_its_part_says_so():
    with pytest.raises(NotImplementedError):
        Environment().init(jax.random.key(0), None)


def test_spaces_can_be_called_as_gymnax_trainers_do():
    assert ENV.action_space(params()).n == 3
    assert ENV.observation_space(params()).shape == (8, 8, 3)


def rollout(num_envs, position, steps=30):
    batch = VectorEnvironment(ENV, num_envs)
    key = jax.random.key(7)

    @jax.jit
    def run(key):
        def one(state, t):
            step_key = jax.random.fold_in(key, t)
            action = jnp.full(num_envs, t % 3, jnp.int32)
            observation, state, reward, terminated, truncated, _ = batch.step(step_key, state, action, params(4, 6))
            return state, (observation, reward, terminated, truncated, state.env)

        return jax.lax.scan(one, batch.reset(key, params(4, 6))[1], jnp.arange(steps))[1]

    return jax.tree.map(lambda x: np.asarray(x[:, position]), run(key))


def test_a_trajectory_depends_on_its_place_but_not_on_the_batch_size():
    small, large = rollout(3, 1), rollout(8, 1)
    jax.tree.map(np.testing.assert_array_equal, small, large)
    assert small[2].any() and small[3].any()  # both kinds of end occur, so resets are part of what agrees


def test_many_params_alone_make_a_batch_too():
    env, key = Corridor(), jax.random.key(3)
    many = jax.tree.map(lambda *x: jnp.stack(x), params(brightness=1.0), params(brightness=0.2))
    _, state = env.reset(key, params())
    frames, states, *_ = jax.jit(jax.vmap(env.step, (None, None, None, 0)))(key, state, jnp.int32(2), many)
    for i in range(2):
        frame, after, *_ = env.step(key, state, jnp.int32(2), jax.tree.map(lambda x, i=i: x[i], many))
        np.testing.assert_array_equal(frames[i], frame)
        assert int(states.cell[i]) == int(after.cell)
