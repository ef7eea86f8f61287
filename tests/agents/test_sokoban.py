"""PPO learns to push a box home from pixels."""

import jax
import jax.numpy as jnp
import pytest

import kagejax
from agents import ppo
from kagejax.evaluation import rollouts
from kagejax.learning import loggers


def any_action(parameters, key, frames):
    """A policy that does not look."""
    return jax.random.randint(key, (frames.shape[0],), 0, 4, jnp.int32)


@pytest.mark.slow
def test_one_box_boards_are_solved_far_more_often_than_by_chance(tmp_path):
    env, params = kagejax.make_batch(["sokoban/one_box"])
    chance = rollouts.play(env, params, any_action, None, jax.random.key(0), 512).metrics["success_once"].mean()
    arguments = ["--config", "configs/agents/ppo_sokoban_quick.yaml", "--set", f"run_dir={tmp_path / 'run'}"]
    assert ppo.main([*arguments, "--set", "total_steps=1000000"]) == 0
    (evaluation,) = loggers.read(tmp_path / "run" / "evaluations.jsonl")
    assert evaluation["configurations"]["sokoban/one_box"]["success_once"]["mean"] > 3 * chance > 0.05
