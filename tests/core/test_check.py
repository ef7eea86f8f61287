"""check_env accepts what keeps the contract and names what does not."""

import jax.numpy as jnp
import pytest

from kagejax.core import check_env
from tests.corridor import Corridor, params


def test_the_corridor_passes():
    check_env(Corridor(), params())


class WideObservation(Corridor):
    def observe(self, state, params):
        return super().observe(state, params).astype(jnp.float32)


class WholeReward(Corridor):
    def transition(self, key, state, action, params):
        step = super().transition(key, state, action, params)
        return step._replace(reward=step.reward.astype(jnp.int32))


@pytest.mark.parametrize(
    ("env", "complaint"),
    [
        (WideObservation(), "reset's observation is outside observation_space"),
        (WholeReward(), "reward must be a f32 scalar"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_broken_contract_is_named(env, complaint):
    with pytest.raises(AssertionError, match=f"check_env: {complaint}"):
        check_env(env, params())


def test_params_that_are_not_arrays_are_refused():
    with pytest.raises(AssertionError, match="every leaf of params must be an array"):
        check_env(Corridor(), params()._replace(max_length=9))
