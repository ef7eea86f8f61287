"""What the page is told about settings: groups, controls and slider ranges."""

import json

import pytest

from kagejax.config import registry
from kagejax.config.parameters import defaults
from kagejax.explorer.description import catalogue, description, nice


def field(room, path):
    return next(each for group in description(room)["groups"] for each in group["fields"] if each["path"] == path)


def test_groups_are_those_of_the_schema_with_keys_outside_of_sections_last():
    assert [group["name"] for group in description("kage")["groups"]] == [
        "background", "character", "npc", "distractors", "filters", "effects", "layout", "physics", "camera", "general",
    ]  # fmt: skip
    assert description("kage")["groups"][4]["about"] == "What is done to the finished picture, in a fixed order."


@pytest.mark.parametrize("room", ["kage", "sliding", "sokoban", "spatial"])
def test_every_setting_that_changes_anything_has_one_control(room):
    found = [each["path"] for group in description(room)["groups"] for each in group["fields"]]
    assert sorted(found) == sorted(defaults(registry.room(room).model))
    json.dumps(description(room), allow_nan=False)


def test_each_kind_of_value_has_its_control():
    kinds = {
        "filters.hue_shift": "number",
        "npc.max_npc_count": "integer",
        "npc.enabled": "switch",
        "background.mode": "select",
        "background.color_names": "names",
        "background.image_paths": "texts",
        "background.image_dir": "text",
        "npc.sticky_x_offsets": "integers",
        "character.fallback_color": "colour",
    }
    assert {path: field("kage", path)["kind"] for path in kinds} == kinds
    assert field("kage", "filters.pop_filter")["nullable"] is True
    assert field("kage", "background.mode")["choices"] == ["black", "image", "noise", "color"]


def test_fields_say_unit_range_reach_and_default():
    hue = field("kage", "filters.hue_shift")
    assert (hue["unit"], hue["range"], hue["affects"], hue["default"]) == ("deg", "from -180 to 180", "render", 0.0)
    assert field("kage", "filters.contrast")["range"] == "above 0"
    assert field("sliding", "play.max_steps")["range"] == "1 or more"
    assert field("kage", "physics.gravity")["range"] == ""


@pytest.mark.parametrize(
    ("room", "path", "expected"),
    [
        ("kage", "filters.hue_shift", (-180, 180, 1)),  # the range allowed
        ("kage", "filters.blur_sigma", (0, 2.5, 0.01)),  # open above: around the values of kagejax's configurations
        ("kage", "filters.contrast", (0.01, 5, 0.01)),  # above 0, which is not allowed; 128 is too far out to count
        ("kage", "filters.gaussian_noise_std", (0, 250, 1)),
        ("kage", "physics.jump_velocity", (-20, 0, 0.1)),  # as negative as its default
        ("kage", "layout.min_height", (-100, 100, 1)),  # nothing is known of its size
        ("sliding", "play.joystick_threshold", (0, 0.99, 0.01)),  # below 1, which is not allowed
        ("sliding", "reward.move", (-0.25, 0, 0.001)),
        ("sokoban", "levels.count", (1, 100, 1)),
    ],
)
def test_sliders_cover_what_is_allowed_or_else_what_is_used(room, path, expected):
    found = field(room, path)["slider"]
    assert (found["first"], found["last"], found["step"]) == pytest.approx(expected)


def test_every_slider_holds_its_default():
    for room in ("kage", "sliding", "sokoban", "spatial"):
        for group in description(room)["groups"]:
            for each in group["fields"]:
                if "slider" in each and each["default"] is not None:
                    assert each["slider"]["first"] <= each["default"] <= each["slider"]["last"], each["path"]


def test_round_numbers_are_not_below():
    assert [nice(value) for value in (0.7, 1, 1.2, 26, 240)] == pytest.approx([0.8, 1, 1.5, 30, 250])


def test_the_catalogue_has_the_34_pairs_of_kage():
    found = catalogue()
    kage = [suite for suite in found["suites"] if suite["suite"].startswith("kage/")]
    pairs = [pair["id"] for suite in kage for pair in suite["pairs"] if suite["suite"] != "kage/radial_light"]
    assert "kage/background/1" in pairs and {"kage", "sliding", "sokoban", "spatial"} == set(found["environments"])
    assert "kage/hardest" in found["configurations"]
