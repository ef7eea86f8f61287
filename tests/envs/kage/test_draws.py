"""What an episode draws: the reference's very draws on many keys, and the distributions that they come from."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.kage.build import build
from tests.oracles import kage_config, kage_golden, kage_reset

from .golden import config_from

EPISODES, ORACLE_EPISODES = 4096, 12
RICH = {
    "background.mode": "color",
    "background.color_names": ["red", "lime", "teal", "gray", "black"],
    "character.use_shape": True,
    "character.shape_types": ["circle", "star", "cross"],
    "character.shape_colors": ["teal", "indigo"],
    "character.shape_rotate": True,
    "npc.enabled": True,
    "npc.sprite_dir": None,
    "npc.sprite_paths": ["sprite_a", "sprite_b", "sprite_c"],
    "npc.sticky_enabled": True,
    "npc.sticky_sprite_dir": None,
    "npc.sticky_sprite_dirs": ["sprite_a", "sprite_b"],
    "distractors.enabled": True,
    "filters.pop_filter_list": ["vintage", "none", "noir"],
    "effects.point_light_enabled": True,
    "effects.point_light_count": 5,
    "layout.layout_colors": ["cyan", "red", "white"],
    "layout.random_color": True,
}


@pytest.fixture(scope="module")
def draws(asset_folder):
    """`(flat configuration, params, keys, first states of all episodes)`."""
    flat = kage_config.flat(kage_golden.base_tree()) | RICH
    env, params = build(config_from(flat, asset_folder))
    keys = jax.random.split(jax.random.PRNGKey(11), EPISODES)
    return flat, params, keys, jax.tree.map(np.asarray, jax.jit(jax.vmap(env.init, (0, None)))(keys, params))


def fields_of(states, params, i: int) -> dict:
    """What the oracle draws too, by the specification's names, of episode `i`."""
    episode, tick = jax.tree.map(lambda x: x[i], states)
    fixed, moving, agent = episode.distractors, tick.distractors, params.look.agent
    kinds = list(np.asarray(params.look.distractors.shapes))
    return {
        "background": tick.background,
        "selected_filter_idx": episode.preset,
        "light_positions": episode.light_positions,
        "filter_key": tick.key,
        "shape_type_idx": list(np.asarray(agent.shapes)).index(episode.shape),
        "shape_color_idx": episode.color,
        **{"npc_x": episode.npc.x, "npc_y": episode.npc.y, "npc_types": episode.npc.skin},
        **{
            "sticky_x_offsets": episode.sticky.offset,
            "sticky_home_y": episode.sticky.home,
            "sticky_types": episode.sticky.skin,
        },
        **{"sticky_y": tick.sticky.y, "actual_sticky_count": episode.sticky.count},
        **{"dist_x": moving.x, "dist_y": moving.y, "dist_vx": moving.vx, "dist_vy": moving.vy, "dist_angles": moving.angle},
        **{"dist_rot_speeds": fixed.rotation, "dist_sizes": fixed.size, "dist_color_indices": fixed.color},
        "dist_shape_indices": [kinds.index(shape) for shape in fixed.shape],
    }


def test_a_key_draws_what_it_draws_in_the_reference(draws):
    flat, params, keys, states = draws
    for i in range(ORACLE_EPISODES):
        expected = kage_reset.reset(keys[i], flat, npc_sets=3, sticky_sets=2)
        for name, value in fields_of(states, params, i).items():
            np.testing.assert_array_equal(value, expected[name], err_msg=name)


def test_steps_of_the_ground_are_as_frequent_and_as_high_as_measured(draws):
    change = -np.diff(draws[3].episode.tops, axis=1)
    flat, up, down = (float(part.mean()) for part in (change == 0, change > 0, change < 0))
    assert abs(flat - 0.487) < 0.005
    assert abs(up - 0.256) < 0.005
    assert abs(down - 0.257) < 0.005
    assert abs(np.abs(change[change != 0]).mean() - 18.2) < 0.1


def test_the_ground_stays_in_its_range_and_begins_at_its_middle(draws):
    tops = draws[3].episode.tops
    assert (tops.min(), tops.max()) == (56, 96)
    assert (tops[:, 0] == 76).all()
    assert np.abs(np.diff(tops, axis=1)).max() == 34


def uniform(values, options) -> None:
    """Each of `options`, and nothing else, equally often: within five standard deviations of a count."""
    values = np.asarray(values).ravel()
    chance = 1 / len(options)
    for option in options:
        count = (values == option).sum()
        assert abs(count - len(values) * chance) < 5 * np.sqrt(len(values) * chance * (1 - chance)), option
    assert np.isin(values, options).all()


@pytest.mark.parametrize(
    ("pick", "options"),
    [
        (lambda s: s.tick.background, range(5)),
        (lambda s: s.episode.preset, range(3)),
        (lambda s: s.episode.color, range(2)),
        (lambda s: s.episode.distractors.color, range(3)),
        (lambda s: s.episode.distractors.size, range(4, 13)),
        (lambda s: (s.episode.npc.x > 0).sum(axis=1), range(5, 21)),
        (lambda s: s.episode.npc.skin[:, :5], range(3)),
        (lambda s: s.episode.sticky.count, range(1, 6)),
        (lambda s: s.episode.sticky.offset, range(-60, 61)),
        (lambda s: s.episode.sticky.home, range(56, 87)),
        (lambda s: s.episode.sticky.skin, range(2)),
    ],
    ids=[
        "background",
        "preset",
        "shape color",
        "distractor color",
        "distractor size",
        "npc count",
        "npc skin",
        "sticky count",
        "sticky offset",
        "sticky row",
        "sticky skin",
    ],
)
def test_choices_are_uniform(draws, pick, options):
    uniform(pick(draws[3]), list(options))


@pytest.mark.parametrize(
    ("pick", "low", "high"),
    [
        (lambda s: s.episode.light_positions, 0.15, 0.85),
        (lambda s: s.tick.distractors.x, 15, 113),
        (lambda s: s.tick.distractors.y, 15, 113),
        (lambda s: s.tick.distractors.vx, -1, 1),
        (lambda s: s.tick.distractors.vy, -1, 1),
        (lambda s: s.tick.distractors.angle, 0, 360),
        (lambda s: s.episode.distractors.rotation, -0.3, 0.3),
        (lambda s: s.episode.npc.x[:, :5], 200, 1848),
    ],
    ids=["light", "x", "y", "vx", "vy", "angle", "rotation", "npc x"],
)
def test_ranges_are_filled_evenly(draws, pick, low, high):
    values = (np.asarray(pick(draws[3]), np.float64).ravel() - low) / (high - low)
    assert values.min() >= 0
    assert values.max() < 1
    uniform(np.floor(values * 10), range(10))


def test_npcs_stand_two_pixels_over_the_ground(draws):
    npc, tops = draws[3].episode.npc, draws[3].episode.tops
    used = npc.x > 0
    under = np.take_along_axis(tops, npc.x // 25, axis=1)
    np.testing.assert_array_equal((npc.y + 12 + 2)[used], under[used])


def test_shape_and_ground_colour_share_a_draw_as_in_the_reference(draws):
    _, params, _, states = draws
    kinds = np.asarray(params.look.agent.shapes)
    np.testing.assert_array_equal(kinds[states.episode.ground_color], states.episode.shape)
    uniform(states.episode.ground_color, range(3))


def test_consecutive_keys_give_unrelated_levels(draws):
    tops = draws[3].episode.tops.astype(float)
    first, second = tops[:-1, 10:].ravel(), tops[1:, 10:].ravel()
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.02
    assert len(np.unique(tops, axis=0)) == EPISODES


def test_jax_threefry_is_partitionable():
    assert jax.config.jax_threefry_partitionable, "levels belong to the partitionable flavour of JAX's keys"
    assert jnp.array_equal(jax.random.split(jax.random.PRNGKey(0), 2)[0], jnp.array([1797259609, 2579123966], jnp.uint32))
