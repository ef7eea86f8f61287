"""What a file, what it extends, and overrides come to."""

import math
import pathlib
import warnings

import numpy as np
import pytest

import kagejax
from kagejax import ConfigError, DeadKeyWarning, load_config
from kagejax.config import registry
from kagejax.envs.kage.config import KageConfig

REPOSITORY = pathlib.Path(__file__).parents[2]
PUBLISHED = REPOSITORY.parent / "shared" / "data" / "kage_bench_configs"
OURS = {"simplest_config.yaml": "kage/simplest", "hardest_config.yaml": "kage/hardest", "custom_config.yaml": "kage"}


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file into the working directory and gives its name."""
    monkeypatch.chdir(tmp_path)

    def write(text, name="my.yaml"):
        path = pathlib.Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return name

    return write


def test_a_file_of_ours_inherits_the_defaults(write):
    config = load_config(write("env: kage\nbackground: {mode: noise}\n"))
    assert config.background.mode == "noise"
    assert (config.layout.length, config.physics.gravity, config.npc.enabled) == (2048, 0.75, True)


def test_keys_may_be_dotted(write):
    assert load_config(write("env: kage\nbackground.mode: noise\n")) == load_config("kage", background={"mode": "noise"})


def test_a_published_file_takes_its_own_values_for_absent_keys(write):
    config = load_config(write("background: {mode: noise}\nlayout: {run_width: 10}\n"))
    assert (config.layout.length, config.layout.height_px, config.layout.run_width) == (128, 128, 10)
    assert (config.physics.gravity, config.physics.max_speed_x, config.physics.jump_velocity) == (0.5, 3.0, -6.0)
    assert (config.npc.enabled, config.character.use_sprites, config.character.sprite_dir) == (False, False, None)
    assert config.layout.layout_colors == ("gray",)
    assert config.npc.sticky_x_offsets == (-40, 40)


def test_a_published_file_without_a_layout_is_sixteen_screens_wide(write):
    config = load_config(write("W: 64\nH: 32\n"))
    assert (config.layout.length, config.layout.height_px) == (1024, 32)


def test_a_published_file_with_a_null_layout_has_none(write):
    assert load_config(write("W: 64\nlayout:\n")).layout.length == 1024


def test_an_empty_file_is_a_published_one(write):
    assert load_config(write("")).background.mode == "black"
    assert load_config(write("# nothing\n---\n")).layout.length == 2048


def test_old_names_of_physics_are_read_as_the_new_ones(write):
    physics = load_config(write("physics: {move_speed: 2, jump_force: -5.0, max_fall_speed: 6}\n")).physics
    assert (physics.max_speed_x, physics.jump_velocity, physics.terminal_velocity) == (2.0, -5.0, 6.0)
    assert isinstance(physics.max_speed_x, float)


def test_the_new_name_wins_in_a_published_file(write):
    assert load_config(write("physics: {move_speed: 2, max_speed_x: 1.5}\n")).physics.max_speed_x == 1.5


def test_an_old_name_replaces_what_is_inherited_under_the_new_one(write):
    assert load_config(write("env: kage\nphysics: {move_speed: 4}\n")).physics.max_speed_x == 4.0
    assert load_config("kage", physics={"jump_force": -3.0}).physics.jump_velocity == -3.0


def test_a_plain_name_is_a_list_of_one(write):
    config = load_config(write("env: kage\ncharacter: {use_shape: true, shape_types: star}\nlayout: {layout_colors: red}\n"))
    assert (config.character.shape_types, config.layout.layout_colors) == (("star",), ("red",))


def test_integers_are_accepted_for_numbers(write):
    speed = load_config(write("env: kage\nphysics.max_speed_x: 2\n")).physics.max_speed_x
    assert speed == 2.0 and isinstance(speed, float)


def test_a_given_source_replaces_the_inherited_one(write):
    character = load_config(write("env: kage\ncharacter: {sprite_paths: [builtin/clown]}\n")).character
    assert (character.sprite_dir, character.sprite_paths) == (None, ("builtin/clown",))


def test_null_removes_a_source(write):
    config = load_config(write("env: kage\nbackground: {mode: black, image_dir: null}\nnpc: {sprite_paths: null}\n"))
    assert (config.background.image_dir, config.npc.sprite_paths, config.npc.sprite_dir) == (None, (), "builtin/sprites")


def test_a_shape_puts_out_the_inherited_sprites_and_back(write):
    write("env: kage\ncharacter: {use_shape: true}\n", "shape.yaml")
    assert load_config("shape.yaml").character.use_sprites is False
    back = load_config(write("extends: shape.yaml\ncharacter: {use_sprites: true}\n")).character
    assert (back.use_sprites, back.use_shape) == (True, False)


def test_neither_sprites_nor_shape_asks_for_the_plain_box(write):
    character = load_config(write("env: kage\ncharacter: {use_sprites: false}\n")).character
    assert (character.use_sprites, character.use_shape) == (False, False)


def test_a_file_extends_another_beside_it(write):
    write("env: kage\nW: 96\nH: 96\n", "sub/base.yaml")
    write("extends: base.yaml\nH: 64\n", "sub/middle.yaml")
    config = load_config(write("extends: sub/middle.yaml\nfilters: {gamma: 2}\n"))
    assert (config.W, config.H, config.filters.gamma) == (96, 64, 2.0)


def test_a_file_extends_what_comes_with_kagejax(write):
    config = load_config(write("extends: kage/simplest\nW: 64\n"))
    assert (config.background.mode, config.W) == ("black", 64)
    assert load_config(write("extends: kage/default\n")) == load_config(write("extends: kage\n")) == KageConfig()


def test_what_extends_a_published_file_keeps_its_absent_values(write):
    write("background: {mode: noise}\n", "published.yaml")
    config = load_config(write("extends: published.yaml\nlayout: {layout_colors: red}\n"))
    assert (config.physics.gravity, config.layout.length, config.layout.layout_colors) == (0.5, 2048, ("red",))


def test_merge_keys_and_anchors_work(write):
    text = "env: kage\nlayout: &ground\n  p_change: 0.1\n  length: 512\n"
    write(text, "base.yaml")
    config = load_config(write("env: kage\nlayout:\n  <<: {p_change: 0.1, length: 512}\n  length: 256\n"))
    assert (config.layout.p_change, config.layout.length) == (0.1, 256)


def test_overrides_come_as_groups_or_dotted_keys():
    config = load_config("kage", background={"mode": "noise"}, W=64, **{"filters.hue_shift": 90})
    assert (config.background.mode, config.W, config.filters.hue_shift) == ("noise", 64, 90.0)


def test_arrays_and_paths_may_be_overrides():
    config = load_config(
        "kage", **{"filters.hue_shift": np.float64(90), "W": np.int32(64), "npc.sticky_x_offsets": np.arange(3)}
    )
    assert (config.filters.hue_shift, config.W, config.npc.sticky_x_offsets) == (90.0, 64, (0, 1, 2))
    assert load_config("kage", background={"image_dir": pathlib.Path("art")}).background.image_dir == "art"


def test_a_configuration_can_be_overridden_and_stays_as_it_was():
    first = load_config("kage/circle")
    second = load_config(first, W=64)
    assert (first.W, second.W, second.background.mode) == (128, 64, "black")
    assert load_config(first) is first


def test_configurations_are_frozen_and_hashable():
    config = load_config("kage")
    assert hash(config) == hash(KageConfig())
    with pytest.raises(ValueError, match="frozen"):
        config.W = 3


def test_the_model_itself_lets_a_given_source_win():
    config = KageConfig(background={"image_paths": ["a.png"]}, character={"use_shape": True}, physics={"move_speed": 2})
    assert (config.background.image_dir, config.background.image_paths) == (None, ("a.png",))
    assert (config.character.use_sprites, config.physics.max_speed_x) == (False, 2.0)


def test_relative_assets_are_sought_beside_the_file_that_names_them(write, tmp_path):
    write("env: kage\nbackground: {image_paths: [sky.png]}\n", "art/base.yaml")
    config = load_config(write("extends: art/base.yaml\ncharacter: {sprite_path: hero}\n"))
    assert config.base_dir("background.image") == tmp_path / "art"
    assert config.base_dir("character.sprite") == tmp_path
    assert config.base_dir("npc.sprite") is None
    assert load_config(config, W=64).base_dir("background.image") == tmp_path / "art"
    assert load_config(config, background={"image_path": "x.png"}).base_dir("background.image") is None


def test_dead_keys_give_one_warning_that_names_them(write):
    text = "distractors: {min_speed: 0.0}\nfilters:\n  jpeg_quality: 0.5\n  seed: 3\n"
    with pytest.warns(DeadKeyWarning) as caught:
        config = load_config(write(text))
    assert [str(warning.message) for warning in caught] == [
        "distractors.min_speed (my.yaml:1), filters.jpeg_quality (my.yaml:3), filters.seed (my.yaml:4): "
        "accepted as in published files, but changes nothing."
    ]
    assert caught[0].filename == __file__
    assert "filters.seed" not in config.flat()


@pytest.mark.parametrize("name", kagejax.ids())
def test_what_comes_with_kagejax_loads_without_a_warning(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config = load_config(name)
    assert type(config) is registry.room(name.partition("/")[0]).model


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published files are not beside this repository")
@pytest.mark.filterwarnings("ignore::kagejax.DeadKeyWarning")
def test_published_files_load_unchanged():
    files = sorted(PUBLISHED.glob("*.yaml"))
    assert len(files) == 11
    for file in files:
        config = load_config(file)
        assert config.physics.max_speed_x == 1.0 and config.layout.length == 2048


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published files are not beside this repository")
@pytest.mark.filterwarnings("ignore::kagejax.DeadKeyWarning")
@pytest.mark.parametrize("file", OURS)
def test_our_throughput_configurations_are_the_published_ones(file):
    published, ours = load_config(PUBLISHED / file).flat(), load_config(OURS[file]).flat()
    assert {path for path in ours if ours[path] != published[path]} <= {
        "background.image_dir", "character.sprite_dir", "npc.sprite_dir", "npc.sticky_sprite_dir",
    }  # fmt: skip


def test_not_a_number_is_no_number():
    with pytest.raises(ConfigError, match="found nan|Found nan"):
        load_config("kage", **{"filters.hue_shift": math.nan})


def test_making_hands_the_configurations_to_the_builders_of_their_room(monkeypatch):
    asked = []

    def imported(name):
        if "build" not in name:
            return KageConfig
        return lambda configs: asked.append((name, configs)) or ("env", "params")

    monkeypatch.setattr("kagejax.config.registry.imported", imported)
    assert kagejax.make("kage/circle", W=64) == ("env", "params")
    assert kagejax.make_batch(["kage", load_config("kage/circle")], W=64) == ("env", "params")
    (single, config), (many, configs) = asked
    assert (single, many) == ("kagejax.envs.kage.build:build", "kagejax.envs.kage.build:build_batch")
    assert (config.W, config.background.mode) == (64, "black")
    assert [(each.W, each.background.mode) for each in configs] == [(64, "image"), (64, "black")]
