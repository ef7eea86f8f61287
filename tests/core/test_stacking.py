import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.core import Dict, Discrete, FrameStack, check_env
from tests.corridor import Corridor, params

ENV = FrameStack(Corridor(), 3)


def test_it_keeps_the_contract():
    check_env(ENV, params())


def test_the_first_observation_is_its_own_past():
    frame, _ = Corridor().reset(jax.random.key(1), params())
    stack, _ = ENV.reset(jax.random.key(1), params())
    np.testing.assert_array_equal(stack, np.concatenate([frame] * 3, axis=-1))
    assert ENV.observation_space.shape == (8, 8, 9)


def test_an_observation_is_the_last_three_oldest_first():
    plain, stacked = Corridor(), FrameStack(Corridor(), 3)
    long = params(max_length=9, time_limit=99)
    frame, state = plain.reset(jax.random.key(4), long)
    _, tall = stacked.reset(jax.random.key(4), long)
    frames = [frame] * 3
    for t in range(5):
        key = jax.random.key(t)
        frame, state, *plainly = plain.step_env(key, state, jnp.int32(2), long)
        stack, tall, *same = stacked.step_env(key, tall, jnp.int32(2), long)
        frames = [*frames[1:], frame]
        np.testing.assert_array_equal(stack, np.concatenate(frames, axis=-1))
        assert [float(x) for x in plainly[:3]] == [float(x) for x in same[:3]]


def test_a_new_episode_has_no_past_of_the_old_one():
    short = params(max_length=2)
    _, state = ENV.reset(jax.random.key(0), short)
    stack, _, _, terminated, *_ = ENV.step(jax.random.key(5), state, jnp.int32(2), short)
    assert terminated
    frames = np.split(np.asarray(stack), 3, axis=-1)
    assert all((frame == frames[0]).all() for frame in frames)


def test_what_cannot_be_stacked_is_refused():
    class Named(Corridor):
        @property
        def observation_space(self):
            return Dict({"cell": Discrete(9)})

    with pytest.raises(ValueError, match="only arrays can be stacked"):
        FrameStack(Named(), 2)
    with pytest.raises(ValueError, match="frames is 0; at least 1 is needed"):
        FrameStack(Corridor(), 0)
