"""PPO learns small path puzzles with masked actions."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import kagejax
from agents import ppo
from kagejax.core import VectorEnvironment
from kagejax.evaluation import rollouts
from kagejax.learning import distributions, loggers, settings


@dataclasses.dataclass(frozen=True)
class AnyLegal:
    """A policy that does not look."""

    masked: bool = True

    def __call__(self, parameters, key, frames, mask):
        return distributions.sample(key, distributions.masked(jnp.zeros(mask.shape), mask))


SMALL = ppo.Config(
    train="spatial/first_steps", evaluate=(), num_envs=4, rollout_steps=16, frame_size=7, network="grid", minibatches=2
)


@pytest.fixture(scope="module")
def played():
    """A rollout of an untrained policy: environment, params and batch."""
    env, params = kagejax.make("spatial/first_steps")
    state = jax.jit(ppo.start, static_argnums=(0, 1))(SMALL, env, params, jax.random.key(0))
    _, batch, sums = jax.jit(ppo.rollout, static_argnums=(0, 1))(SMALL, env, params, state)
    return env, params, batch, sums


def test_a_rollout_takes_legal_actions_alone(played):
    *_, batch, sums = played
    assert batch.mask.shape == (16, 4, 4)
    assert np.take_along_axis(np.asarray(batch.mask), np.asarray(batch.action)[..., None], 2).all()
    assert float(sums["invalid_actions"]) == 0.0


def test_probabilities_are_those_among_legal_actions(played):
    *_, batch, _ = played
    forced = np.asarray(batch.mask).sum(2) == 1
    assert forced.any()
    np.testing.assert_allclose(np.asarray(batch.log_probability)[forced], 0.0, atol=1e-6)


def test_the_loss_sees_the_masks_of_the_rollout(played):
    env, _, batch, _ = played
    sample = ppo.samples(SMALL, batch, batch.value[-1])
    parameters = ppo.network(SMALL, env).init(jax.random.key(0), batch.seen[0, :1])
    _, parts = ppo.loss(SMALL, env, parameters, sample, jnp.float32(0))
    _, blind = ppo.loss(SMALL, env, parameters, sample._replace(mask=None), jnp.float32(0))
    assert float(parts["entropy"]) < float(blind["entropy"])


def test_masks_can_be_turned_off():
    env, params = kagejax.make("spatial/first_steps")
    config = dataclasses.replace(SMALL, mask_actions=False)
    environment = VectorEnvironment(env, 4).reset(jax.random.key(0), params)[1]
    assert ppo.action_mask(config, env, params, environment) is None
    assert not ppo.Policy(config, env).masked


def test_the_preset_loads():
    config = settings.load(ppo.Config, "configs/agents/ppo_spatial_quick.yaml")
    assert (config.train, config.evaluate) == ("spatial/first_steps", ("spatial/first_steps_test",))


@pytest.mark.slow
def test_small_puzzles_are_solved_far_more_often_than_by_chance(tmp_path):
    names = ("spatial/first_steps", "spatial/first_steps_test")
    env, params = kagejax.make_batch(names)
    chance = rollouts.play(env, params, AnyLegal(), None, jax.random.key(0), 1024).metrics["success_once"].mean(1)
    arguments = ["--config", "configs/agents/ppo_spatial_quick.yaml", "--set", f"run_dir={tmp_path / 'run'}"]
    assert ppo.main([*arguments, "--set", "total_steps=1000000"]) == 0
    (evaluation,) = loggers.read(tmp_path / "run" / "evaluations.jsonl")
    known, new = (evaluation["configurations"][name]["success_once"]["mean"] for name in names)
    assert known > 2.2 * chance[0] > 0.3
    assert new > 1.5 * chance[1] > 0.2
