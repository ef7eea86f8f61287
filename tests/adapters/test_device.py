"""Observations that stay on the device."""

import jax
import numpy as np
import pytest

import kagejax  # noqa: F401

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from kagejax.adapters.vector import KagejaxVectorEnv  # noqa: E402
from tests.adapters.corridors import Told, Windy  # noqa: E402
from tests.corridor import params  # noqa: E402

MODES = ["NextStep", "SameStep", "Disabled"]


def both(mode, time_limit=5):
    arguments = {"params": params(max_length=6, time_limit=time_limit), "num_envs": 4, "autoreset_mode": mode}
    return KagejaxVectorEnv(Windy(), device_observations=True, **arguments), KagejaxVectorEnv(Windy(), **arguments)


@pytest.mark.parametrize("mode", MODES)
def test_nothing_leaves_the_device_and_everything_is_the_same(mode):
    there, here = both(mode, time_limit=30 if mode == "Disabled" else 5)
    (first, info), (plain, told) = there.reset(seed=2), here.reset(seed=2)
    np.testing.assert_array_equal(first, plain)
    np.testing.assert_array_equal(info["action_mask"], told["action_mask"])
    draw, keys = np.random.default_rng(0), set()
    for _ in range(12):
        actions = draw.integers(0, 2, 4)
        with jax.transfer_guard_device_to_host("disallow"):
            step = there.step(jax.numpy.asarray(actions))
        other = here.step(actions)
        assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(step))
        for a, b in zip(step[:4], other[:4], strict=True):
            np.testing.assert_array_equal(a, b)
        info, told = step[4], other[4]
        keys.add(tuple(sorted(info)))
        for name, value in told.items():
            if not name.endswith(("final_obs", "final_info")):
                np.testing.assert_array_equal(info[name], value)
        if "final_obs" in told:
            final = there.final_observations()
            for i, ended in enumerate(told["_final_obs"]):
                np.testing.assert_array_equal(final[i], told["final_obs"][i] if ended else other[0][i])
            for name, value in told["final_info"].items():
                np.testing.assert_array_equal(info["final_info"][name], value)
        elif mode == "SameStep":
            assert not info["_final_info"].any()
        if mode == "Disabled" and (other[2] | other[3]).any():
            break
    assert len(keys) == 1


def test_final_observations_are_there_in_same_step_mode_alone():
    there, _ = both("NextStep")
    there.reset(seed=0)
    there.step(np.zeros(4, int))
    with pytest.raises(
        gymnasium.error.ResetNeeded, match="needs autoreset_mode='SameStep', device_observations=True and a step"
    ):
        there.final_observations()


def test_texts_are_token_ids_there():
    env = KagejaxVectorEnv(Told(), params=params(), num_envs=2, device_observations=True)
    observation, _ = env.reset(seed=0)
    assert env.single_observation_space["text"] == gymnasium.spaces.Box(0, 3, (10,), np.int32)
    assert observation["text"].shape == (2, 10)


def test_gymnasium_is_told_that_these_are_jax_arrays():
    env, plain = both("SameStep")
    assert env.metadata["jax"] is True and "jax" not in plain.metadata
