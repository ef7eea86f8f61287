"""What two configurations differ in, and what that reaches."""

import pytest

from kagejax import load_config
from kagejax.config.difference import diff, summary


def test_equal_configurations_do_not_differ():
    config = load_config("kage")
    assert diff(config, load_config("kage")) == ()
    assert summary(()) == "The two are the same."


def test_a_difference_names_key_values_and_reach():
    (difference,) = diff(load_config("kage"), load_config("kage", filters={"hue_shift": 90}))
    assert (difference.path, difference.first, difference.second) == ("filters.hue_shift", 0.0, 90.0)
    assert (difference.affects, difference.inert) == ("render", False)


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        ({"W": 64}, "Only the picture differs (render); the game is the same."),
        ({"physics.gravity": 0.5}, "The game differs (control), the settings of the picture do not."),
        ({"character.width": 8}, "Both the picture and the game differ."),
        ({"W": 64, "idle_penalty": 0}, "Both the picture and the game differ."),
        ({"dist_to_success": 100}, "Only metrics differ."),
        ({"character.shape_types": ["line"]}, "No differing key is in use: the two are the same in effect."),
    ],
)
def test_the_summary_says_what_the_differences_reach(overrides, sentence):
    assert summary(diff(load_config("kage"), load_config("kage", **overrides))) == sentence


@pytest.mark.parametrize(
    ("base", "path", "value"),
    [
        ("kage", "background.color_names", ["red"]),
        ("kage", "character.fallback_color", [0, 0, 0]),
        ("kage", "npc.sticky_x_min", -50),
        ("kage", "effects.point_light_count", 2),
        ("kage", "filters.radial_light_color", [0, 0, 0]),
        ("kage", "layout.random_color", True),
        ("kage/circle", "background.parallax_factor", 1.0),
        ("kage/circle", "background.switch_frequency", 0.5),
        ("kage/circle", "character.animation_fps", 3.0),
        ("kage/circle", "character.shape_rotation_speed", 3.0),
        ("kage/circle", "npc.max_npc_count", 9),
        ("kage/circle", "npc.spawn_y_offset", 9),
        ("kage/circle", "distractors.max_speed", 9.0),
    ],
)
def test_a_key_that_another_leaves_unused_is_inert(base, path, value):
    (difference,) = diff(load_config(base), load_config(base, **{path: value}))
    assert difference.inert


@pytest.mark.parametrize(
    ("base", "path", "value"),
    [
        ("kage", "background.parallax_factor", 1.0),
        ("kage", "background.switch_frequency", 0.5),
        ("kage", "character.animation_fps", 3.0),
        ("kage", "npc.max_npc_count", 9),
        ("kage", "distractors.max_speed", 9.0),
        ("kage", "distractors.max_rotation_speed", 9.0),
        ("kage", "character.width", 4),
        ("kage/circle", "character.shape_types", ["line"]),
        ("kage/distractors/3/eval", "npc.sticky_jump_probability", 0.5),
        ("kage/distractors/3/eval", "npc.sticky_y_max_offset", 0),
        ("kage/distractors/3/eval", "npc.sticky_x_max", 10),
        ("kage/effects/3/eval", "effects.point_light_radius", 0.5),
    ],
)
def test_a_key_in_use_is_not_inert(base, path, value):
    (difference,) = diff(load_config(base), load_config(base, **{path: value}))
    assert not difference.inert


def test_a_key_in_use_on_one_side_alone_counts():
    differences = diff(load_config("kage/background/2/train"), load_config("kage/background/2/eval"))
    assert [(each.path, each.inert) for each in differences] == [
        ("background.mode", False),
        ("background.color_names", False),
    ]


def test_configurations_of_different_environments_cannot_be_compared():
    with pytest.raises(TypeError, match="different environments"):
        diff(load_config("kage"), load_config("kage").layout)
