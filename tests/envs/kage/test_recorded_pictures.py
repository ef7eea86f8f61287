"""Kage against recorded frames of the reference, distractor motion and animation clocks."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.kage import cast
from kagejax.envs.kage.build import build, build_batch
from kagejax.envs.kage.params import Animation
from kagejax.envs.kage.state import DistractorTick, Frame
from tests.oracles import kage_golden

from .golden import config_from, params_at, stacked, state_from

GROUPS = {
    "plain": ("base_", "bg_purple", "layout_"),
    "agents": ("agent_",),
    "distractors": ("dist_",),
    "pictures": ("image_",),
    "skins": ("sprite_",),
    "npcs": ("npc_world",),
    "sticky npcs": ("npc_sticky",),
    "filters": ("scene_plain", "filter_", "pop_", "combo_"),
    "lights": ("light_",),
}
ROUNDED = ("filter_", "pop_", "combo_", "light_")


def drawn(names, folder) -> dict[str, np.ndarray]:
    """The golden frames `names`, all drawn by one program."""
    cases = [kage_golden.case(name) for name in names]
    env, params = build_batch([config_from(case.config, folder) for case in cases])
    states = [
        state_from(env, params_at(env, params, i), case.config, case.state, case.ground_top) for i, case in enumerate(cases)
    ]
    observe = jax.jit(jax.vmap(env.observe, in_axes=(0, env.params_axes(params))))
    return dict(zip(names, np.asarray(observe(stacked(states), params)), strict=True))


@pytest.fixture(scope="module")
def by_group(asset_folder):
    """Golden frames drawn group by group, so that each program holds only the passes that its group needs."""
    frames = {}
    for prefixes in GROUPS.values():
        frames |= drawn([name for name in kage_golden.frame_names() if name.startswith(prefixes)], asset_folder)
    return frames


@pytest.fixture(scope="module")
def all_at_once(asset_folder):
    """Golden frames drawn by one program that holds every pass."""
    return drawn(kage_golden.frame_names(), asset_folder)


@pytest.mark.parametrize("name", kage_golden.frame_names())
def test_recorded_frames_are_drawn(name, by_group):
    _compare(by_group[name], name)


@pytest.mark.parametrize("name", kage_golden.frame_names())
def test_recorded_frames_are_drawn_by_the_program_that_draws_them_all(name, all_at_once):
    _compare(all_at_once[name], name)


def _compare(frame, name):
    difference = np.abs(frame.astype(int) - kage_golden.case(name).frame)
    assert difference.max() <= (1 if name.startswith(ROUNDED) and name != "pop_none" else 0)
    assert difference.mean() <= 0.5


@pytest.mark.parametrize("name", ["base_scrolled", "dist_random", "npc_world_1", "sprite_skin1_idx1", "filter_hue_shift_60.0"])
def test_recorded_frames_are_drawn_without_a_batch(name, asset_folder):
    case = kage_golden.case(name)
    env, params = build(config_from(case.config, asset_folder))
    state = state_from(env, params, case.config, case.state, case.ground_top)
    _compare(np.asarray(jax.jit(env.observe)(state, params)), name)


def test_seed_100_draws_the_recorded_distractors(asset_folder):
    case, env, params, state = _from_seed_100("dist_random", asset_folder)
    moving, fixed = state.tick.distractors, state.episode.distractors
    kinds = np.asarray(params.look.distractors.shapes)[case.state["dist_shape_indices"]]
    for ours, expected in (
        (moving.x, case.state["dist_x"]),
        (moving.y, case.state["dist_y"]),
        (moving.vx, case.state["dist_vx"]),
        (moving.vy, case.state["dist_vy"]),
        (moving.angle, case.state["dist_angles"]),
        (fixed.rotation, case.state["dist_rot_speeds"]),
        (fixed.shape, kinds),
        (fixed.color, case.state["dist_color_indices"]),
        (fixed.size, case.state["dist_sizes"]),
    ):
        np.testing.assert_array_equal(ours, expected)


def test_seed_100_draws_the_recorded_npcs(asset_folder):
    case, _, _, state = _from_seed_100("npc_world_0", asset_folder)
    for ours, name in zip(state.episode.npc, ("npc_x", "npc_y", "npc_types"), strict=True):
        np.testing.assert_array_equal(ours, case.state[name])


def test_seed_100_draws_the_recorded_sticky_npcs(asset_folder):
    case, _, _, state = _from_seed_100("npc_sticky_reset", asset_folder)
    names = ("sticky_x_offsets", "sticky_home_y", "sticky_types", "actual_sticky_count")
    for ours, name in zip(state.episode.sticky, names, strict=True):
        np.testing.assert_array_equal(ours, case.state[name])


def test_seed_100_draws_the_recorded_lights(asset_folder):
    _, env, _, state = _from_seed_100("light_n5_all", asset_folder)
    recorded = kage_golden.case("base_reset").state["light_positions"]
    np.testing.assert_array_equal(state.episode.light_positions, recorded[: env.plan.lights])


def test_seed_100_keeps_the_recorded_key(asset_folder):
    case, _, _, state = _from_seed_100("stoch_gaussian_noise_std", asset_folder)
    np.testing.assert_array_equal(state.tick.key, case.state["filter_key"])


def _from_seed_100(name, folder):
    case = kage_golden.case(name)
    env, params = build(config_from(case.config, folder))
    return case, env, params, jax.jit(env.init)(jnp.array([0, 100], jnp.uint32), params)


def test_distractors_move_as_recorded():
    golden = kage_golden.archive("distractor_motion")
    rotation = jnp.asarray(golden["rot_speeds"])

    def step(tick, _):
        tick = cast.drift(tick, rotation, (128, 128))
        return tick, jnp.stack(tick)

    trace = jax.jit(lambda tick: jax.lax.scan(step, tick, None, len(golden["trace"]))[1])(DistractorTick(*golden["init"]))
    np.testing.assert_array_equal(trace, golden["trace"])


@pytest.mark.parametrize("fps", [8, 10, 12, 30])
@pytest.mark.parametrize("frames", [2, 3])
def test_the_agent_walks_as_recorded(fps, frames):
    golden = kage_golden.archive("animation")
    animation = Animation(period=jnp.float32(1 / fps), frames=jnp.int32(frames), idle=jnp.int32(0))

    def step(frame, vx):
        frame = cast.advance_agent_frame(frame, vx, animation)
        return frame, frame

    still = Frame(jnp.int32(0), jnp.float32(0))
    speeds = jnp.asarray(golden["moving"], jnp.float32)
    walked = jax.jit(lambda frame, vx: jax.lax.scan(step, frame, vx)[1])(still, speeds)
    np.testing.assert_array_equal(walked.index, golden[f"idx_fps{fps}_n{frames}"])
    np.testing.assert_allclose(walked.timer, golden[f"timer_fps{fps}_n{frames}"], rtol=0, atol=1e-6)
