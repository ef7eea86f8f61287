import dataclasses

import pytest

import kagejax
from kagejax.evaluation import pairs
from tests.corridor import Corridor, params


class Exposed(Corridor):
    """A corridor that says what its rules read."""

    def latent(self, state):
        return state


@dataclasses.dataclass(frozen=True)
class Other(Corridor):
    """Another kind."""


def report(*sides, env=Exposed):
    return pairs.compare(*((env(), side) for side in sides), ("train", "eval"), episodes=4, steps=64, seed=0)


def test_another_brightness_shifts_only_the_observation():
    found = report(params(), params(brightness=0.5))
    assert found
    assert found.frames_differ == 1.0
    assert "=> the pair shifts only the observation" in str(found)


def test_the_same_twice_shifts_nothing():
    found = report(params(), params())
    assert not found
    assert not found.latents_differ
    assert "does NOT shift the observation alone" in str(found)


def test_another_game_is_found_with_its_first_step():
    found = report(params(), params(brightness=0.5, time_limit=7))
    assert not found
    assert "truncated" in found.latents_differ
    assert found.first_step == 6
    assert "latent trajectories differ from step 6 on" in str(found)


def test_without_a_latent_part_rewards_flags_and_metrics_are_compared():
    found = report(params(), params(max_length=5), env=Corridor)
    assert found.latents_differ == ("metrics.progress", "reward", "terminated", "truncated")


def test_two_kinds_of_environment_are_no_pair():
    with pytest.raises(
        TypeError, match="train is a Corridor and eval a Other; a pair is two configurations of one environment"
    ):
        pairs.compare((Corridor(), params()), (Other(), params()), ("train", "eval"), 1, 1, 0)


def test_black_against_noise_is_a_pair_and_with_another_gravity_it_is_not():
    noise = "kage/background/1/eval"
    assert pairs.verify_pair("kage/background/1/train", noise, episodes=2, steps=32)
    heavy = kagejax.load_config(noise, **{"physics.gravity": 0.5})
    found = pairs.verify_pair(noise, heavy, episodes=2, steps=32)
    assert found.params_differ == ("gravity",)
    assert found.evaluation == "a KageConfig"
