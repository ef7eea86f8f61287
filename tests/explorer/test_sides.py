"""One side of the page: values to a configuration, problems at their fields, and back to YAML."""

import pytest

import kagejax
from kagejax.config.problems import ConfigError
from kagejax.explorer import sides


def test_what_is_touched_lies_over_the_values():
    config = sides.checked("kage", {"filters.hue_shift": 10}, {"filters.hue_shift": 20, "W": 64})
    assert (config.filters.hue_shift, config.W) == (20.0, 64)


def test_of_settings_that_exclude_one_another_the_touched_one_wins():
    values = sides.state_of(kagejax.load_config("kage"))["values"]
    shape = sides.checked("kage", values, {"character.use_shape": True})
    assert (shape.character.use_shape, shape.character.use_sprites) == (True, False)
    back = sides.checked("kage", sides.state_of(shape)["values"], {"character.use_sprites": True})
    assert (back.character.use_shape, back.character.use_sprites) == (False, True)


def test_problems_are_told_at_their_fields():
    with pytest.raises(ConfigError) as caught:
        sides.checked("kage", {}, {"filters.hue_shift": 200, "npc.min_npc_count": 30, "H": "high"})
    found = {each["path"]: each["message"] for each in sides.told(caught.value)}
    assert found["filters.hue_shift"] == "Found 200 (an integer); allowed: a number from -180 to 180."
    assert found["H"] == "Found 'high' (text); allowed: an integer of 1 or more."
    assert "above the maximum" in found["npc.min_npc_count"]


def test_pictures_too_large_for_the_page_are_refused_at_their_field():
    with pytest.raises(ConfigError) as caught:
        sides.checked("spatial", {"observation.kind": "picture"}, {"observation.width": 2000})
    [problem] = sides.told(caught.value)
    assert problem["path"] == "observation.width"
    assert problem["message"] == "This page draws pictures of up to 1,024 px a side; the value itself is allowed."


def test_a_side_says_what_is_changed_and_what_is_not_in_use():
    state = sides.state_of(sides.checked("kage", {}, {"background.mode": "black", "filters.gamma": 2}))
    assert state["changed"] == ["background.mode", "filters.gamma"]
    assert "background.color_names" in state["inert"] and "filters.gamma" not in state["inert"]
    assert state["values"]["character.fallback_color"] == [255, 0, 0]


@pytest.mark.parametrize(
    ("touched", "reach"),
    [
        ({}, "none"),
        ({"filters.gamma": 2}, "render"),
        ({"physics.gravity": 1}, "control"),
        ({"filters.gamma": 2, "physics.gravity": 1}, "both"),
        ({"character.width": 20}, "both"),
        ({"dist_to_success": 100}, "metric"),
        ({"effects.point_light_count": 2}, "none"),  # the lights are off
    ],
)
def test_the_difference_says_how_far_it_reaches(touched, reach):
    found = sides.compared(kagejax.load_config("kage"), sides.checked("kage", {}, touched))
    assert found["reach"] == reach
    assert [row["path"] for row in found["rows"]] == [path for path in touched]


def test_the_difference_has_both_values_in_yaml():
    found = sides.compared(kagejax.load_config("kage"), sides.checked("kage", {}, {"background.color_names": ["red"]}))
    assert found["rows"] == [
        {"path": "background.color_names", "train": "[purple, teal, indigo]", "eval": "[red]", "affects": "unused"}
    ]


def test_paths_are_sought_in_the_working_directory_and_saved_absolute(folder):
    (folder / "pictures").mkdir()
    config = sides.checked("kage", {}, {"background.image_dir": "pictures"})
    assert f"image_dir: {folder / 'pictures'}" in sides.yaml_of(config, changed=True)


def test_a_file_from_elsewhere_is_read_as_text_and_called_by_its_name():
    opened = sides.opened_text("env: sokoban\nlevels: {split: B}\n", "mine.yaml")
    assert opened.config.levels.split == "B"
    with pytest.raises(ConfigError) as caught:
        sides.opened_text("env: sokoban\nlevels: {split: Z}\n", "mine.yaml")
    assert str(caught.value).startswith("The configuration has a problem:\nmine.yaml:2: levels.split")


def test_dead_keys_of_a_file_are_told():
    opened = sides.opened_text("env: kage\nfilters: {seed: 3}\n", "old.yaml")
    assert opened.notes == ("filters.seed (old.yaml:2): accepted as in published files, but changes nothing.",)


def test_a_pair_begins_with_its_two_sides():
    start = sides.beginning("kage/background/1", None)
    assert (start["train"]["base"], start["eval"]["base"]) == ("kage/background/1/train", "kage/background/1/eval")
    assert (start["train"]["values"]["background.mode"], start["eval"]["values"]["background.mode"]) == ("black", "noise")


def test_a_pair_of_two_environments_is_refused():
    with pytest.raises(ConfigError, match="kage configures kage and sliding sliding"):
        sides.beginning("kage", ("kage", "sliding"))


def test_names_of_nothing_are_refused_with_a_near_one():
    with pytest.raises(ConfigError, match=r"Did you mean\s+kage/hardest"):
        sides.named("kage/hardes")
    with pytest.raises(ConfigError, match="Nothing is called '/etc/passwd'"):
        sides.named("/etc/passwd")
