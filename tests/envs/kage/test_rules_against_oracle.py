"""Levels and dynamics of kage against the NumPy oracle, on random configurations, worlds, states and actions."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kagejax.envs.kage.build import build_batch
from kagejax.envs.kage.config import KageConfig
from kagejax.envs.kage.env import KageEnv
from tests.oracles import kage_dynamics, kage_level, kage_reset

from .golden import control_fields, flat_from, params_at
from .random_games import TAME_CORNERS, WILD_CORNERS, tame_configs, wild_configs

ENVS = 16
WHOLE = ("x", "y", "camera_x", "x_max", "initial_x", "passed_distance")
"""Numbers of pixels, and so exact."""

METRICS = (
    "return",
    "timestep",
    "x",
    "y",
    "vx",
    "vy",
    "jump_count",
    "passed_distance",
    "progress",
    "success",
    "success_once",
    "vx_mean",
    "vy_mean",
)


def examples(count: int) -> settings:
    """The same examples at every run; a failing one is reported as it is, since a seed has nothing to shrink."""
    phases = (Phase.explicit, Phase.generate)
    return settings(max_examples=count, deadline=None, derandomize=True, phases=phases, suppress_health_check=list(HealthCheck))


@functools.partial(jax.jit, static_argnums=0)
def begin(env, params, keys):
    return jax.vmap(env.init, (0, None))(keys, params)


@functools.partial(jax.jit, static_argnums=0)
def advance(env, params, states, actions):
    return jax.vmap(env.advance, (None, 0, 0, None))(jnp.zeros(2, jnp.uint32), states, actions, params)


class Lane:
    """One environment whose plan serves every configuration of a test, so that examples share compiled programs."""

    def __init__(self, corners):
        self.corners = corners
        self.env: KageEnv = build_batch(corners)[0]

    def params(self, config: KageConfig):
        env, params = build_batch([*self.corners, config])
        assert env == self.env, "an example must not need another program; widen the corners"
        return params_at(env, params, len(self.corners))


@pytest.fixture(scope="module")
def tame():
    return Lane(TAME_CORNERS)


@pytest.fixture(scope="module")
def wild():
    return Lane(WILD_CORNERS)


def numpy_of(tree: dict) -> dict[str, np.ndarray]:
    return {name: np.asarray(value) for name, value in tree.items()}


def row(arrays: dict[str, np.ndarray], i: int) -> dict:
    return {name: value[i] for name, value in arrays.items()}


def masks_of(tops: np.ndarray, flat: dict) -> list[np.ndarray]:
    columns = np.minimum(np.arange(flat["layout.length"]) // flat["layout.run_width"], tops.shape[1] - 1)
    return [kage_level.solid_mask(top[columns], flat["layout.ground_thickness"], flat["layout.height_px"]) for top in tops]


def check_steps(lane: Lane, params, states, flat: dict, actions: np.ndarray) -> None:
    """A batch of environments along `actions` [T, ENVS]; each step of the oracle starts from the state that kagejax had."""
    masks = masks_of(np.asarray(states.episode.tops), flat)
    for action in actions:
        before = numpy_of(control_fields(states))
        states, reward, terminated, truncated, info = advance(lane.env, params, states, jnp.asarray(action))
        assert not np.asarray(terminated).any()
        ours = {**numpy_of(control_fields(states)), "reward": np.asarray(reward), "truncated": np.asarray(truncated)}
        ours |= {f"info {name}": np.asarray(info[name]) for name in METRICS}
        oracle = [expected_step(row(before, i), int(action[i]), flat, masks[i]) for i in range(ENVS)]
        compare(ours, oracle, before, action, flat, masks)


def expected_step(before: dict, action: int, flat: dict, mask: np.ndarray) -> dict:
    after, reward, truncated, metrics = kage_dynamics.step(before, action, flat, mask)
    return {**after, "reward": reward, "truncated": truncated, **{f"info {name}": metrics[name] for name in METRICS}}


def compare(ours: dict, oracle: list[dict], before: dict, action: np.ndarray, flat: dict, masks: list[np.ndarray]) -> None:
    same_place = ours["x"] == np.array([expected["x"] for expected in oracle])
    for i in np.flatnonzero(~same_place):
        wanted = kage_dynamics.accelerate(row(before, i), int(action[i]), flat, masks[i])["x"]
        assert abs(wanted % 1 - 0.5) < 1e-5, "x may differ only where a fused multiply-add decides the rounding"
    for name, value in ours.items():
        expected = np.array([result[name] for result in oracle])
        if value.dtype == np.float32:
            tolerance = 0 if name.removeprefix("info ") in WHOLE else 1e-5
            np.testing.assert_allclose(value[same_place], expected[same_place], rtol=tolerance, atol=tolerance, err_msg=name)
        else:
            np.testing.assert_array_equal(value[same_place], expected[same_place], err_msg=name)


def actions_of(seed: int, steps: int) -> np.ndarray:
    """Actions i32 [steps, ENVS]: some environments act at random at every step, others hold an action for a while."""
    random = np.random.default_rng(seed)
    fresh = random.integers(0, 8, (steps, ENVS))
    hold = random.random((steps, ENVS)) < np.linspace(0, 0.95, ENVS)
    for t in range(1, steps):
        fresh[t] = np.where(hold[t], fresh[t - 1], fresh[t])
    return fresh.astype(np.int32)


def anywhere(states, flat: dict, seed: int):
    """States in random levels of any shape, at random places (inside solid ground too), at random speeds."""
    random = np.random.default_rng(seed)
    shape = states.episode.tops.shape
    kind = random.integers(0, 3, ENVS)[:, None]
    walk = flat["layout.base_ground_y"] - np.cumsum(random.integers(-20, 21, shape), axis=1)
    tops = np.select(
        [kind == 0, kind == 1], [walk, random.integers(-5, flat["layout.height_px"] + 5, shape)], states.episode.tops
    )
    half_width, half_height = flat["character.width"] // 2, flat["character.height"] // 2
    x = random.integers(half_width, flat["layout.length"] - half_width, ENVS)
    y = random.integers(half_height, flat["layout.height_px"] - half_height, ENVS)
    at_edge = random.random(ENVS) < 0.5
    edge_x, edge_y = beside_edges(random, tops, flat)
    x, y = np.where(at_edge, edge_x, x), np.where(at_edge, edge_y, y)
    fastest, up, down = (flat[f"physics.{name}"] for name in ("max_speed_x", "jump_velocity", "terminal_velocity"))
    body = states.tick.body._replace(
        x=jnp.asarray(x, jnp.float32),
        y=jnp.asarray(y, jnp.float32),
        vx=jnp.asarray(random.uniform(-fastest, fastest, ENVS), jnp.float32),
        vy=jnp.asarray(np.where(random.random(ENVS) < 0.3, 0, random.uniform(min(up, down), down, ENVS)), jnp.float32),
        grounded=jnp.asarray(random.random(ENVS) < 0.5),
        coyote_timer=jnp.asarray(random.integers(0, flat["physics.coyote_time"] + 2, ENVS), jnp.int32),
    )
    camera = np.clip(x - random.integers(-40, 60, ENVS), 0, flat["layout.length"] - flat["W"])
    score = states.tick.score._replace(
        t=jnp.asarray(random.integers(0, 50, ENVS), jnp.int32),
        x_max=jnp.asarray(x + random.integers(0, 3, ENVS), jnp.float32),
    )
    tick = states.tick._replace(body=body, score=score, camera_x=jnp.asarray(camera, jnp.float32))
    episode = states.episode._replace(tops=jnp.asarray(tops, jnp.int32), initial_x=jnp.full(ENVS, 64.0, jnp.float32))
    return states._replace(episode=episode, tick=tick)


def beside_edges(random: np.random.Generator, tops: np.ndarray, flat: dict) -> tuple[np.ndarray, np.ndarray]:
    """Places in the air beside a step of the ground, from where one move may lead onto it, past it or into it."""
    half_width, half_height = flat["character.width"] // 2, flat["character.height"] // 2
    runs = -(-flat["layout.length"] // flat["layout.run_width"])
    run = random.integers(1, max(runs - 1, 1) + 1, ENVS)
    environment = np.arange(ENVS)
    before, after = tops[environment, run - 1], tops[environment, np.minimum(run, tops.shape[1] - 1)]
    outside = half_width + random.integers(0, 4, ENVS)
    x = run * flat["layout.run_width"] + np.where(before < after, outside, -1 - outside)
    y = np.minimum(before, after) - half_height - 1 - random.integers(-2, 8, ENVS)
    in_world_x = np.clip(x, half_width, flat["layout.length"] - 1 - half_width)
    return in_world_x, np.clip(y, half_height, flat["layout.height_px"] - 1 - half_height)


def keys_of(seed: int) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).integers(0, 2**32, (ENVS, 2), dtype=np.uint32))


def check_begin(states, keys, flat: dict) -> None:
    """Levels, spawns and first cameras against the oracle's reset."""
    fields, columns = numpy_of(control_fields(states)), np.arange(flat["layout.length"]) // flat["layout.run_width"]
    for i, key in enumerate(np.asarray(keys)):
        expected = kage_reset.reset(key, flat)
        np.testing.assert_array_equal(np.asarray(states.episode.tops)[i][columns], expected["layout_ground_top"])
        assert row(fields, i) == {name: expected[name] for name in fields}


@examples(10)
@given(config=tame_configs(), seed=st.integers(0, 2**32 - 1))
def test_episodes_agree_with_the_oracle_step_by_step(tame, config, seed):
    params, flat = tame.params(config), flat_from(config)
    states = begin(tame.env, params, keys_of(seed))
    check_steps(tame, params, states, flat, actions_of(seed, 50))


@examples(10)
@given(config=tame_configs(), seed=st.integers(0, 2**32 - 1))
def test_steps_from_any_state_agree_with_the_oracle(tame, config, seed):
    params, flat = tame.params(config), flat_from(config)
    states = anywhere(begin(tame.env, params, keys_of(seed)), flat, seed)
    check_steps(tame, params, states, flat, actions_of(seed, 8))


@examples(10)
@given(config=wild_configs(), seed=st.integers(0, 2**32 - 1))
def test_steps_in_worlds_of_any_size_agree_with_the_oracle(wild, config, seed):
    params, flat = wild.params(config), flat_from(config)
    states = anywhere(begin(wild.env, params, keys_of(seed)), flat, seed)
    check_steps(wild, params, states, flat, actions_of(seed, 8))


@examples(4)
@given(config=st.one_of(tame_configs(), wild_configs()), seed=st.integers(0, 2**32 - 1))
def test_resets_agree_with_the_oracle(wild, config, seed):
    params, flat, keys = wild.params(config), flat_from(config), keys_of(seed)
    check_begin(begin(wild.env, params, keys), keys, flat)
