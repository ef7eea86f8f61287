"""The kage oracle against recorded trajectories of the reference: levels, physics, reward, metrics, sticky NPCs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from . import kage_dynamics, kage_golden, kage_level, kage_reset, kage_scenery

EXACT = (
    "x",
    "y",
    "vy",
    "grounded",
    "coyote_timer",
    "camera_x",
    "x_max",
    "t",
    "reward",
    "terminated",
    "truncated",
    "passed_distance",
    "success",
    "success_once",
    "jump_count",
    "episode_return",
)
WITHIN_ROUNDING = ("vx", "progress", "vx_mean", "vy_mean")
STICKY = ("sticky_y", "sticky_vy", "sticky_on_ground", "sticky_sprite_indices", "sticky_animation_timers")


def replayed(name: str) -> dict[str, np.ndarray]:
    """The four episodes of a golden file, played again: arrays [4, 500] by name."""
    golden, config = kage_golden.archive(f"dyn_{name}"), kage_golden.trajectory_config(name)
    rows = []
    for level in range(4):
        mask = kage_level.solid_mask(golden["ground_top"][level], config["layout.ground_thickness"], 128)
        state = kage_dynamics.fresh(golden["init_x"][level], golden["init_y"][level], config)
        for action in golden["actions"][level]:
            state, reward, truncated, metrics = kage_dynamics.step(state, int(action), config, mask)
            rows.append({**state, **metrics, "reward": reward, "truncated": truncated, "terminated": False})
    return {key: np.array([row[key] for row in rows]).reshape(4, -1) for key in rows[0]}


@pytest.mark.parametrize("name", kage_golden.TRAJECTORIES)
def test_recorded_episodes_replay(name):
    golden, replay = kage_golden.archive(f"dyn_{name}"), replayed(name)
    for key in EXACT:
        np.testing.assert_array_equal(replay[key], golden[f"tr_{key}"], err_msg=key)
    for key in WITHIN_ROUNDING:
        np.testing.assert_allclose(replay[key], golden[f"tr_{key}"], rtol=0, atol=2e-6, err_msg=key)
    np.testing.assert_array_equal(replay["return"], golden["tr_episode_return"])


@pytest.mark.parametrize("name", kage_golden.TRAJECTORIES)
def test_reset_keys_give_the_recorded_levels_and_spawns(name):
    golden, config = kage_golden.archive(f"dyn_{name}"), kage_golden.trajectory_config(name)
    for level, key in enumerate(golden["reset_keys"]):
        state = kage_reset.reset(key, config)
        np.testing.assert_array_equal(state["layout_ground_top"], golden["ground_top"][level])
        for field in ("x", "y", "vx", "vy", "grounded", "coyote_timer", "camera_x", "initial_x"):
            assert state[field] == golden[f"init_{field}"][level], field


@pytest.mark.parametrize("name", kage_golden.TRAJECTORIES)
def test_solid_pixels_follow_from_the_surface(name):
    golden, config = kage_golden.archive(f"dyn_{name}"), kage_golden.trajectory_config(name)
    height, width = golden["world_shape"]
    for top, packed in zip(golden["ground_top"], golden["solid_mask_packed"], strict=True):
        recorded = np.unpackbits(packed, axis=1)[:, :width].astype(bool)
        np.testing.assert_array_equal(kage_level.solid_mask(top, config["layout.ground_thickness"], height), recorded)


def test_recorded_sticky_npcs_are_drawn_again_from_the_reset_key():
    golden = kage_golden.archive("dyn_sticky_npcs")
    config = {**kage_golden.trajectory_config("sticky_npcs"), "npc.sticky_enabled": True}
    for level, key in enumerate(golden["reset_keys"]):
        state = kage_reset.reset(key, config, sticky_sets=2)
        for field in ("sticky_x_offsets", "sticky_y", "sticky_types", "sticky_home_y"):
            np.testing.assert_array_equal(state[field], golden[f"init_{field}"][level], err_msg=field)
        assert state["actual_sticky_count"] == golden["init_actual_sticky_count"][level]


def test_recorded_sticky_npcs_hop_and_walk_again():
    golden = kage_golden.archive("dyn_sticky_npcs")
    config = {**kage_golden.trajectory_config("sticky_npcs"), "npc.sticky_enabled": True}
    for level, key in enumerate(golden["reset_keys"]):
        state = kage_reset.reset(key, config, sticky_sets=2)
        rolls = jax.jit(lambda key, t: jax.lax.scan(_sticky_rolls, key, None, t)[1], static_argnums=1)(
            jnp.asarray(state["filter_key"]), 500
        )
        y, vy, rest = state["sticky_y"], state["sticky_vy"], state["sticky_on_ground"]
        index, timer = state["sticky_sprite_indices"], state["sticky_animation_timers"]
        for t in range(500):
            y, vy, rest = kage_scenery.hop(y, vy, rest, state["sticky_home_y"], np.asarray(rolls[t]), config)
            index, timer = kage_scenery.animate_all(index, timer, config["npc.animation_fps"], 3)
            for field, value in zip(STICKY, (y, vy, rest, index, timer), strict=True):
                np.testing.assert_array_equal(value, golden[f"tr_{field}"][level, t], err_msg=f"{field}, step {t}")


def _sticky_rolls(filter_key, _):
    filter_key, sticky_key, _, _ = jax.random.split(filter_key, 4)
    return filter_key, jax.random.uniform(jax.random.split(sticky_key)[1], (5,), jnp.float32)
