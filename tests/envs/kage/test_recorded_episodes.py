"""Kage against recorded trajectories of the reference: levels, spawn, physics, reward, metrics, sticky NPCs, auto-reset."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.kage.build import build, build_batch
from tests.oracles import kage_golden

from .golden import config_from, control_fields, params_at

EXACT = (
    "x",
    "y",
    "vy",
    "grounded",
    "coyote_timer",
    "camera_x",
    "x_max",
    "t",
    "jump_count",
    "success_once",
    "episode_return",
)
EXACT_METRICS = ("passed_distance", "success")
ROUNDED = ("vx", "vx_mean", "vy_mean")


@functools.partial(jax.jit, static_argnums=0)
def begin(env, params, keys):
    """First states of episodes, keys [N, 2]."""
    return jax.vmap(env.init, (0, None))(keys, params)


@functools.partial(jax.jit, static_argnums=0)
def play(env, params, first, actions):
    """`advance` along actions [N, T]: states, rewards, flags and metrics, each [N, T]."""

    def one(first, actions):
        def step(state, action):
            after = env.advance(jnp.zeros(2, jnp.uint32), state, action, params)
            return after[0], after

        return jax.lax.scan(step, first, actions)[1]

    return jax.vmap(one)(first, actions)


def config_of(name, folder):
    flat = kage_golden.trajectory_config(name)
    if name == "sticky_npcs":
        flat = {**flat, "npc.sticky_enabled": True, "npc.sticky_sprite_dirs": ["sprite_a", "sprite_b"]}
        del flat["npc.sticky_sprite_dir"]
    return config_from(flat, folder)


@pytest.fixture(scope="module")
def batch(asset_folder):
    """One environment that serves the configurations of all golden files."""
    return build_batch([config_of(name, asset_folder) for name in kage_golden.TRAJECTORIES])


@pytest.fixture(scope="module", params=(*kage_golden.TRAJECTORIES, "sticky_npcs alone"))
def replay(request, batch, asset_folder):
    """One golden file and the same four episodes played by kagejax: `(golden, params, first, rest)`."""
    name, _, alone = request.param.partition(" ")
    if alone:
        env, params = build(config_of(name, asset_folder))
    else:
        env, stacked = batch
        params = params_at(env, stacked, kage_golden.TRAJECTORIES.index(name))
    golden = kage_golden.archive(f"dyn_{name}")
    first = begin(env, params, jnp.asarray(golden["reset_keys"]))
    return golden, params, first, play(env, params, first, jnp.asarray(golden["actions"]))


def test_reset_keys_give_the_recorded_levels(replay):
    golden, params, first, _ = replay
    recorded = golden["ground_top"][:, :: int(params.control.run_width)]
    np.testing.assert_array_equal(first.episode.tops[:, : recorded.shape[1]], recorded)


def test_reset_keys_give_the_recorded_spawns(replay):
    golden, _, first, _ = replay
    fields = control_fields(first)
    for name in ("x", "y", "vx", "vy", "grounded", "coyote_timer", "camera_x", "initial_x"):
        np.testing.assert_array_equal(fields[name], golden[f"init_{name}"], err_msg=name)


def test_states_after_each_step_are_the_recorded_ones(replay):
    golden, _, _, (states, *_) = replay
    fields = control_fields(states)
    for name in EXACT:
        np.testing.assert_array_equal(fields[name], golden[f"tr_{name}"], err_msg=name)
    for name in ROUNDED:
        np.testing.assert_allclose(fields[name], golden[f"tr_{name}"], rtol=0, atol=2e-6, err_msg=name)


def test_rewards_and_flags_are_the_recorded_ones(replay):
    golden, _, _, (_, reward, terminated, truncated, _) = replay
    np.testing.assert_array_equal(reward, golden["tr_reward"])
    np.testing.assert_array_equal(terminated, golden["tr_terminated"])
    np.testing.assert_array_equal(truncated, golden["tr_truncated"])


def test_metrics_are_the_recorded_ones(replay):
    golden, _, _, (*_, info) = replay
    for name in EXACT_METRICS:
        np.testing.assert_array_equal(info[name], golden[f"tr_{name}"], err_msg=name)
    np.testing.assert_array_equal(info["return"], golden["tr_episode_return"])
    np.testing.assert_array_equal(info["timestep"], golden["tr_t"])
    np.testing.assert_allclose(info["progress"], golden["tr_progress"], rtol=0, atol=2e-6)


def test_the_agent_shape_shows_its_only_frame(replay):
    golden, *_, (states, *_) = replay
    np.testing.assert_array_equal(states.tick.agent_frame.index, golden["tr_sprite_idx"])


def test_sticky_npcs_hop_and_walk_as_recorded(replay):
    golden, _, first, (states, *_) = replay
    if "tr_sticky_y" not in golden:
        assert not first.episode.sticky.count.any()
        return
    episode, tick = first.episode.sticky, states.tick
    for name, ours in (("x_offsets", episode.offset), ("home_y", episode.home), ("types", episode.skin)):
        np.testing.assert_array_equal(ours, golden[f"init_sticky_{name}"], err_msg=name)
    np.testing.assert_array_equal(episode.count, golden["init_actual_sticky_count"])
    np.testing.assert_array_equal(first.tick.sticky.y, golden["init_sticky_y"])
    for name in ("y", "vy", "on_ground"):
        np.testing.assert_array_equal(getattr(tick.sticky, name), golden[f"tr_sticky_{name}"], err_msg=name)
    np.testing.assert_array_equal(tick.npc_frame.index, golden["tr_sticky_sprite_indices"][..., 0])
    np.testing.assert_allclose(tick.npc_frame.timer, golden["tr_sticky_animation_timers"][..., 0], rtol=0, atol=1e-6)


def test_a_recorded_run_with_auto_reset_replays(asset_folder):
    golden = kage_golden.archive("autoreset")
    config = config_from({**kage_golden.trajectory_config("default"), "episode_length": 40}, asset_folder)
    env, params = build(config)

    @jax.jit
    def run(first, actions, keys):
        def step(state, x):
            action, key = x
            final, reward, terminated, truncated, _ = env.advance(key, state, action, params)
            fresh = env.init(key, params)
            state = jax.tree.map(lambda new, old: jnp.where(truncated, new, old), fresh, final)
            pictures = env.observe(state, params), env.observe(final, params)
            means = [picture.astype(jnp.float32).mean() for picture in pictures]
            return state, (state, final, reward, terminated, truncated, *means)

        return jax.lax.scan(step, first, (actions, keys))[1]

    first = jax.jit(env.init)(jnp.array([0, 0], jnp.uint32), params)
    state, final, reward, terminated, truncated, mean, final_mean = run(first, golden["action"], golden["key"])
    for ours, name in ((reward, "raw_reward"), (terminated, "terminated"), (truncated, "truncated")):
        np.testing.assert_array_equal(ours, golden[name], err_msg=name)
    for ours, prefix in ((state, ""), (final, "final_")):
        np.testing.assert_array_equal(ours.tick.score.t, golden[f"{prefix}t"])
        np.testing.assert_array_equal(ours.tick.body.x, golden[f"{prefix}x"])
    np.testing.assert_allclose(mean, golden["obs_mean"], rtol=0, atol=2e-6)
    np.testing.assert_allclose(final_mean, golden["final_obs_mean"], rtol=0, atol=2e-6)
