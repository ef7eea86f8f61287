"""A rollout that keeps states instead of frames trains the same network."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import kagejax
from agents import ppo
from kagejax.core import FrameStack
from kagejax.learning import keeping
from tests.agents.test_ppo import ENV, TOY
from tests.corridor import params

CONFIG = ppo.Config(
    train="kage/filters/6/eval", num_envs=4, rollout_steps=8, frame_size=32, network="quick", epochs=2, minibatches=2,
    gradient_chunk=8,
)  # fmt: skip


@pytest.fixture(scope="module")
def place():
    """Pictures that change at every step: noise of the background and sprites that move."""
    return kagejax.make("kage/filters/6/eval", **{"background.mode": "noise"})


def trained(config, place):
    env, params = place
    state = jax.jit(ppo.start, static_argnums=(0, 1))(config, env, params, jax.random.key(1))
    return ppo.train_chunk(config, env, params, state, jnp.int32(2))


def test_training_is_the_same_bit_for_bit(place):
    frames, metrics = trained(CONFIG, place)
    latents, same = trained(dataclasses.replace(CONFIG, rollout_storage="latents"), place)
    assert keeping.digest(frames.parameters) == keeping.digest(latents.parameters)
    for name in metrics:
        np.testing.assert_array_equal(metrics[name], same[name])


def test_a_state_is_a_small_part_of_a_frame(place):
    env, params = place
    config = dataclasses.replace(CONFIG, rollout_storage="latents", frame_size=128)
    state = jax.eval_shape(lambda key: ppo.start(config, env, params, key), jax.random.key(0))
    batch = jax.eval_shape(lambda state: ppo.rollout(config, env, params, state)[1], state)
    size = sum(np.prod(leaf.shape[2:], dtype=int) * leaf.dtype.itemsize for leaf in jax.tree.leaves(batch.seen))
    assert 20 * size < 128 * 128 * 3


def test_so_it_is_with_stacks_and_augmentations():
    config = dataclasses.replace(TOY, frame_stack=3, augmentation="crop_resize", normalize_rewards=True)
    env = FrameStack(ENV, 3)
    frames, metrics = trained(config, (env, params()))
    latents, same = trained(dataclasses.replace(config, rollout_storage="latents"), (env, params()))
    assert keeping.digest(frames.parameters) == keeping.digest(latents.parameters)
    for name in metrics:
        np.testing.assert_array_equal(metrics[name], same[name])
