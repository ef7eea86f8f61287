"""Kage keeps the contract: default configuration, dtypes, jit, vmap, batches, and a game that no look can touch."""

import os
import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import kagejax
from kagejax.core import VectorEnvironment, check_env
from kagejax.envs.kage.build import build, build_batch
from kagejax.envs.kage.config import KageConfig

from . import random_scenes
from .golden import config_from, control_fields, flat_from, params_at
from .random_games import PLAIN

CONTROL_SECTIONS = ("layout", "physics")
STEPS = 30


def test_the_default_configuration_keeps_the_contract():
    env, params = kagejax.make("kage")
    check_env(env, params, jax.random.PRNGKey(3), steps=3)


@pytest.fixture(scope="module")
def plain():
    return build(KageConfig.model_validate(PLAIN))


def on_host(tree):
    """The tree as NumPy arrays: slices of them compile nothing."""
    return jax.tree.map(np.asarray, tree)


def assert_same(first, second) -> None:
    for one, other in zip(jax.tree.leaves(on_host(first)), jax.tree.leaves(on_host(second)), strict=True):
        np.testing.assert_array_equal(one, other)


def test_nothing_is_wider_than_32_bits(plain):
    env, params = plain
    observation, state = jax.eval_shape(env.reset, jax.random.PRNGKey(0), params)
    step = jax.eval_shape(env.step, jax.random.PRNGKey(0), state, jnp.int32(0), params)
    assert {leaf.dtype.itemsize for leaf in jax.tree.leaves((params, observation, state, step))} <= {1, 2, 4}
    assert jax.tree.map(lambda x: (x.shape, x.dtype), step[1]) == jax.tree.map(lambda x: (x.shape, x.dtype), state)


def test_an_action_of_any_integer_type_does_the_same(plain):
    env, params = plain
    advance, state = jax.jit(env.advance), jax.jit(env.init)(jax.random.PRNGKey(0), params)
    for action in range(8):
        results = [
            advance(jax.random.PRNGKey(1), state, jnp.asarray(action, dtype), params) for dtype in ("int32", "uint8", "int8")
        ]
        assert_same(results[0], results[1])
        assert_same(results[0], results[2])


def test_higher_bits_of_an_action_are_ignored(plain):
    env, params = plain
    advance, state = jax.jit(env.advance), jax.jit(env.init)(jax.random.PRNGKey(0), params)
    key = jax.random.PRNGKey(1)
    for action in range(8):
        assert_same(advance(key, state, jnp.int32(action), params), advance(key, state, jnp.int32(action + 24), params))


def test_typed_and_raw_keys_begin_the_same_episode(plain):
    env, params = plain
    assert_same(jax.jit(env.reset)(jax.random.key(5), params), jax.jit(env.reset)(jax.random.PRNGKey(5), params))


def test_an_episode_is_cut_at_its_length_and_never_terminated(plain):
    env, params = plain
    params = params._replace(control=params.control._replace(episode_length=jnp.int32(STEPS)))

    def step(state, _):
        state, _, terminated, truncated, _ = env.advance(jax.random.PRNGKey(0), state, jnp.int32(2), params)
        return state, (terminated, truncated)

    first = jax.jit(env.init)(jax.random.PRNGKey(0), params)
    terminated, truncated = jax.jit(lambda state: jax.lax.scan(step, state, None, STEPS + 5)[1])(first)
    assert not terminated.any()
    assert np.flatnonzero(truncated).tolist() == list(range(STEPS - 1, STEPS + 5))


def rollout(env, params, num_envs: int, key) -> list:
    """Frames, rewards and states of a batch with short episodes, so that environments begin anew on the way."""
    batch = VectorEnvironment(env, num_envs)
    params = params._replace(control=params.control._replace(episode_length=jnp.int32(7)))

    def play(key, params):
        first = batch.reset(key, params)

        def step(state, t):
            keys = jax.random.fold_in(key, t)
            actions = jax.vmap(lambda i: jax.random.randint(jax.random.fold_in(keys, i + 1000), (), 0, 8))(
                jnp.arange(num_envs, dtype=jnp.uint32)
            )
            observation, state, reward, _, truncated, _ = batch.step(keys, state, actions, params)
            return state, (observation, state.env, reward, truncated)

        return first, jax.lax.scan(step, first[1], jnp.arange(20, dtype=jnp.uint32))[1]

    (observation, state), later = on_host(jax.jit(play)(key, params))
    return [observation, state.env, *jax.tree.map(lambda x: x.swapaxes(0, 1), later)]


def test_an_environments_episodes_do_not_depend_on_the_size_of_its_batch(plain):
    env, params = plain
    key = jax.random.PRNGKey(2)
    small, large = rollout(env, params, 3, key), rollout(env, params, 16, key)
    assert_same(small, jax.tree.map(lambda x: x[:3], large))


def test_neither_vmap_nor_place_in_a_batch_changes_an_episode(plain):
    env, params = plain
    keys = np.asarray(jax.random.split(jax.random.PRNGKey(4), 6))
    reset, step = jax.jit(env.reset), jax.jit(env.step)
    resets, steps = jax.jit(jax.vmap(env.reset, (0, None))), jax.jit(jax.vmap(env.step, (0, 0, 0, None)))
    together = on_host(resets(keys, params))
    assert_same(together, jax.tree.map(lambda x: x[::-1], on_host(resets(keys[::-1], params))))
    actions = np.arange(6, dtype=np.int32)
    after = on_host(steps(keys, together[1], actions, params))
    for i in range(6):
        alone = reset(keys[i], params)
        assert_same(alone, jax.tree.map(lambda x, i=i: x[i], together))
        assert_same(step(keys[i], alone[1], actions[i], params), jax.tree.map(lambda x, i=i: x[i], after))


@pytest.fixture(scope="module")
def looks(asset_folder):
    """Twenty configurations of one game with every kind of look, after one that has none."""
    random = np.random.default_rng(3)
    kinds = (
        random_scenes.skinned,
        lambda r: random_scenes.shaped(r, True),
        random_scenes.filtered,
        random_scenes.listed_presets,
    )
    plain = random_scenes.look()
    chosen = [plain]
    for i in range(20):
        look = kinds[i % 4](random)
        game = {path: value for path, value in plain.items() if path.split(".")[0] in CONTROL_SECTIONS}
        body = {path: plain[path] for path in ("character.width", "character.height")}
        noise = {"filters.gaussian_noise_std": 10.0, "filters.poisson_noise_scale": 0.3, "background.switch_frequency": 0.5}
        margins = {"camera.left_margin": int(random.integers(0, 30)), "camera.right_margin": int(random.integers(0, 30))}
        colors = {"layout.layout_colors": look["layout.layout_colors"]}
        chosen.append(look | game | body | colors | margins | (noise if i % 3 == 0 else {}))
    return [config_from(look, asset_folder) for look in chosen]


def test_no_look_touches_the_game(looks):
    env, params = build_batch(looks)
    axes, key = env.params_axes(params), jax.random.PRNGKey(8)
    actions = jax.random.choice(jax.random.PRNGKey(9), jnp.array([0, 1, 2, 2, 4, 6, 6, 7]), (100,))

    def play(params):
        def step(state, action):
            state, reward, *_, info = env.advance(key, state, action, params)
            return state, (control_fields(state), reward, {name: info[name] for name in info if name != "final_state"})

        first = env.init(key, params)
        return control_fields(first), jax.lax.scan(step, first, actions)[1]

    first, (later, reward, metrics) = jax.jit(jax.vmap(play, (axes,)))(params)
    for fields in (first, later, metrics, {"reward": reward}):
        for name, value in fields.items():
            if name != "camera_x":
                np.testing.assert_array_equal(value, np.broadcast_to(value[0], value.shape), err_msg=name)


def test_a_configuration_plays_alone_as_it_plays_in_a_batch(looks):
    batch_env, stacked = build_batch(looks)
    key = jax.random.PRNGKey(12)
    for i in (1, 3):
        env, params = build(looks[i])
        alone = jax.jit(env.reset)(key, params)[0]
        together = jax.jit(batch_env.reset)(key, params_at(batch_env, stacked, i))[0]
        np.testing.assert_array_equal(alone, together)
        assert flat_from(looks[i])["W"] == alone.shape[1]


def test_everything_is_the_same_with_64_bit_types_enabled():
    here = pathlib.Path(__file__).parent
    chosen = ["test_recorded_episodes.py", "test_recorded_filters.py", "test_contract.py::test_nothing_is_wider_than_32_bits"]
    tests = [str(here / name) for name in chosen]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "JAX_ENABLE_X64": "1"}
    finished = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=here.parents[2], check=False)
    assert finished.returncode == 0, finished.stdout[-3000:] + finished.stderr[-1000:]
