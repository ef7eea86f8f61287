"""The kage oracle against recorded frames, filters, motion and animation of the reference."""

import json

import numpy as np
import pytest

from . import kage_config, kage_filters, kage_golden, kage_render, kage_reset, kage_scenery

FILTERED = ("filter_", "pop_", "combo_", "light_")
FILTER_UNITS = tuple(str(name) for name in kage_golden.archive("filter_units")["names"])


@pytest.mark.parametrize("name", kage_golden.frame_names())
def test_recorded_frames_are_drawn_again(name):
    case = kage_golden.case(name)
    frame = kage_render.render(case.state, case.config, case.mask, **case.assets)
    tolerance = 1 if name.startswith(FILTERED) and name != "pop_none" else 0
    assert np.abs(frame.astype(int) - case.frame).max() <= tolerance


@pytest.mark.parametrize("name", kage_golden.STOCHASTIC)
def test_recorded_noise_is_drawn_again_from_its_keys(name):
    case = kage_golden.case(name)
    state = case.state
    if name == "noise_bg":
        state = {**state, "background": kage_reset.reset(np.array([0, 100], np.uint32), case.config)["background"]}
    noise = kage_filters.keyed_noise(state["filter_key"], case.config)
    frame = kage_render.render(state, case.config, case.mask, noise, **case.assets)
    assert np.abs(frame.astype(int) - case.frame).max() <= 1


@pytest.mark.parametrize("name", FILTER_UNITS)
def test_recorded_filters_and_lights_are_applied_again(name):
    golden = kage_golden.archive("filter_units")
    arguments = json.loads(str(golden["params_json"]))[name]
    lights = any(key.startswith("point_light") for key in arguments)
    section, neutral = ("effects", LIGHT_DEFAULTS) if lights else ("filters", kage_golden.base_tree()["filters"])
    tree = {**kage_golden.base_tree(), section: {**neutral, **arguments}}
    config = kage_config.flat(tree)
    frame = kage_filters.apply(golden["input"], config, 0)
    frame = kage_filters.apply_lights(frame, config, golden["light_positions"])
    expected = golden["outputs"][FILTER_UNITS.index(name)]
    assert np.abs(frame.astype(int) - expected).max() <= 1


LIGHT_DEFAULTS = {
    "point_light_enabled": False,
    "point_light_intensity": 3.0,
    "point_light_radius": 0.1,
    "point_light_falloff": 2.0,
    "point_light_count": 1,
    "point_light_color_names": ["warm_white"],
}


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("dist_random", ["dist_x", "dist_y", "dist_vx", "dist_vy", "dist_angles", "dist_rot_speeds"]),
        ("dist_random", ["dist_shape_indices", "dist_color_indices", "dist_sizes"]),
        ("npc_world_0", ["npc_x", "npc_y", "npc_types"]),
        ("npc_sticky_reset", ["sticky_x_offsets", "sticky_y", "sticky_home_y", "sticky_types", "actual_sticky_count"]),
        ("base_reset", ["light_positions", "light_radii", "light_intensities", "filter_key", "x", "y", "camera_x"]),
    ],
)
def test_recorded_reset_draws_come_from_seed_100(name, fields):
    case = kage_golden.case(name)
    counts = {key: len(value) for key, value in case.assets.items()}
    state = kage_reset.reset(
        np.array([0, 100], np.uint32),
        case.config,
        counts["images"],
        counts["skins"],
        counts["npc_skins"],
        counts["sticky_skins"],
    )
    for field in fields:
        np.testing.assert_array_equal(state[field], case.state[field], err_msg=field)
    np.testing.assert_array_equal(state["layout_ground_top"], case.ground_top)


def test_recorded_distractors_move_again():
    golden = kage_golden.archive("distractor_motion")
    x, y, vx, vy, angle = golden["init"]
    for expected in golden["trace"]:
        (x, vx), (y, vy) = kage_scenery.drift(x, vx, 128), kage_scenery.drift(y, vy, 128)
        angle = kage_scenery.spin(angle, golden["rot_speeds"])
        np.testing.assert_allclose([x, y, vx, vy, angle], expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize("fps", [8, 10, 12, 30])
@pytest.mark.parametrize("frames", [2, 3])
def test_recorded_animation_plays_again(fps, frames):
    golden = kage_golden.archive("animation")
    config = {"character.enable_animation": True, "character.animation_fps": float(fps), "character.idle_sprite_idx": 0}
    index, timer = 0, np.float32(0)
    for t, moving in enumerate(golden["moving"]):
        index, timer = kage_scenery.animate_agent(index, timer, np.float32(moving), frames, config)
        assert index == golden[f"idx_fps{fps}_n{frames}"][t], t
        assert abs(timer - golden[f"timer_fps{fps}_n{frames}"][t]) < 1e-6, t
