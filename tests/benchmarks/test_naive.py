"""The baseline that training is compared with draws the same pictures and learns the same things."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import kagejax
from agents import ppo
from benchmarks import _naive_scene, naive
from kagejax.evaluation import rollouts

CONFIG = ppo.Config(num_envs=8, rollout_steps=8, frame_size=32, network="quick", epochs=2, minibatches=2, gradient_chunk=16)
CROWD = {"distractors.enabled": False, "background.image_paths": ["bg-1.jpeg"], "npc.min_npc_count": 12}


def task(config=CONFIG, name="kage/background/1/train", **overrides):
    env, params = kagejax.make(name, **overrides)
    return naive.Task(config, env, _naive_scene.naive_scene(env, params)), params


def anywhere(made, params, count=150):
    """States of `count` episodes, the agent anywhere in its level and on the screen, in any frame of its animation."""

    farthest = float(params.control.world_width - made.env.plan.width)

    def place(key):
        state = made.env.init(key, params)
        at, off, frame = jax.random.split(jax.random.fold_in(key, 1), 3)
        camera = jnp.round(jax.random.uniform(at, minval=0.0, maxval=farthest))
        dx, dy = jax.random.uniform(off, (2,), minval=-20.0, maxval=148.0)
        tick = state.tick
        body = tick.body._replace(x=camera + jnp.round(dx), y=jnp.round(dy))
        still = tick.agent_frame._replace(index=jax.random.randint(frame, (), 0, 4))
        return state._replace(tick=tick._replace(body=body, camera_x=camera, agent_frame=still))

    return rollouts.in_haste(jax.vmap(place), ())(jax.random.split(jax.random.key(5), count))


@pytest.mark.parametrize(
    ("name", "overrides", "circle"),
    [
        pytest.param("kage/background/1/train", {}, True, id="circle on black"),
        pytest.param("kage/background/9/train", {}, False, id="skeleton on a picture"),
        pytest.param("kage", CROWD, False, id="crowd", marks=pytest.mark.slow),
    ],
)
def test_the_naive_renderer_draws_the_same_pictures(name, overrides, circle):
    made, params = task(name=name, **overrides)
    assert made.scene.circle == circle
    states = anywhere(made, params)
    drawn = rollouts.in_haste(jax.vmap(made.scene, (0, None)), ())(states, params)
    expected = rollouts.in_haste(jax.vmap(made.env.observe, (0, None)), ())(states, params)
    assert len(np.unique(np.asarray(expected).reshape(len(expected), -1), axis=0)) > 100
    np.testing.assert_array_equal(drawn, expected)


def test_a_configuration_with_layers_that_the_baseline_lacks_is_refused():
    with pytest.raises(ValueError, match="this configuration also has filters$"):
        task(**{"filters.blur_sigma": 1.0})


@pytest.fixture(scope="module")
def played():
    """A rollout of both learners from the same parameters, states and key; one environment is about to be cut."""
    made, params = task(**{"episode_length": 5})
    state = rollouts.in_haste(ppo.start, (0, 1))(CONFIG, made.env, params, jax.random.key(1))
    after, batch, _ = rollouts.in_haste(ppo.rollout, (0, 1))(CONFIG, made.env, params, state)
    parameters = naive.translated(state.parameters)
    learner = naive.Learner(parameters, made.optimizer.init(parameters), state.environment.env, state.frame, state.key)
    reached, stored = rollouts.in_haste(naive.rollout, (0,))(made, params, learner)
    return made, params, state, after, batch, reached, stored


def test_both_play_the_same_steps(played):
    *_, after, batch, reached, stored = played
    np.testing.assert_array_equal(stored.frame, batch.seen)
    np.testing.assert_array_equal(reached.frames, after.frame)
    for name in ("action", "reward", "terminated", "truncated"):
        np.testing.assert_array_equal(getattr(stored, name), getattr(batch, name), name)
    for name in ("log_probability", "value", "final_value"):
        np.testing.assert_allclose(getattr(stored, name), getattr(batch, name), rtol=1e-4, atol=1e-5, err_msg=name)
    assert np.asarray(stored.truncated).sum() == 8 and np.abs(np.asarray(stored.final_value)).max() > 0.01


def test_both_have_the_same_gradient(played):
    made, params, state, after, batch, _, stored = played
    last = jnp.linspace(-1, 1, CONFIG.num_envs)
    sample = ppo.samples(CONFIG, batch, last)
    rows = jax.random.permutation(jax.random.key(2), CONFIG.batch_size)[: CONFIG.minibatch_size]
    moved = jax.tree.map(lambda x: x * 1.05, state.parameters)  # so that some ratios are clipped
    bonus = jnp.float32(CONFIG.entropy_weight)
    expected, parts = rollouts.in_haste(ppo.gradient, (0, 1))(CONFIG, made.env, params, moved, sample, rows, bonus)

    @jax.jit
    def differentiate(parameters, stored):
        advantage = naive.advantages(made, stored, last)
        whole = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:])[rows], (stored, advantage, advantage + stored.value))
        return jax.value_and_grad(lambda p: naive.loss(made, p, *whole))(parameters)

    value, found = differentiate(naive.translated(moved), stored)
    objective = parts["policy_loss"] + CONFIG.value_weight * parts["value_loss"] - bonus * parts["entropy"]
    assert float(value) == pytest.approx(float(objective), rel=1e-4)
    for ours, theirs in zip(jax.tree.leaves(naive.translated(expected)), jax.tree.leaves(found), strict=True):
        np.testing.assert_allclose(theirs, ours, rtol=1e-3, atol=1e-4 * np.abs(ours).max())


@pytest.mark.slow
def test_both_learn_the_same_from_an_update(played):
    made, params, state, *_ = played
    learned, _ = rollouts.in_haste(ppo.update, (0, 1))(CONFIG, made.env, params, state)
    parameters = naive.translated(state.parameters)
    learner = naive.Learner(parameters, made.optimizer.init(parameters), state.environment.env, state.frame, state.key)
    found = rollouts.in_haste(naive.update, (0,))(made, params, learner)
    ours, before, theirs = (
        np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(tree)])
        for tree in (naive.translated(learned.parameters), parameters, found.parameters)
    )
    step = np.abs(ours - before)
    assert step.max() > 1e-3
    # Adam takes a whole step along a gradient that is all rounding, so a few weights of dead pixels may differ.
    assert np.quantile(np.abs(theirs - ours), 0.99) < 0.01 * CONFIG.learning_rate


def test_parameters_are_counted_alike():
    made, params = task(dataclasses.replace(CONFIG, frame_size=128, network="reference"))
    frame = jax.ShapeDtypeStruct((1, 128, 128, 3), jnp.uint8)
    shapes = jax.eval_shape(made.network.init, jax.random.key(0), frame)
    assert sum(leaf.size for leaf in jax.tree.leaves(shapes)) == 4_799_657
