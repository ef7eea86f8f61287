"""A user's mistake is answered with file, line, key, what was found, what is allowed, and what to do."""

import pathlib
import pickle

import pytest

import kagejax
from kagejax import ConfigError, load_config
from kagejax.envs.kage.config import KageConfig

CONFIGS = pathlib.Path(__file__).parents[2] / "configs"

pytestmark = pytest.mark.filterwarnings("ignore::kagejax.DeadKeyWarning")


ROOMS = [id for id in kagejax.ids() if "/" not in id]
FILES = [f"{room}/{file.stem}" for room in ROOMS for file in sorted((CONFIGS / room).glob("*.yaml"))]
"""Names of the environments, and of the files that come with kagejax."""


@pytest.fixture
def complain(tmp_path, monkeypatch):
    """What a file with some text, or what loads by some name, is told: [(place, path, message)]."""
    monkeypatch.chdir(tmp_path)

    def complain(text=None, source="my.yaml", **overrides):
        if text is not None:
            pathlib.Path("my.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(ConfigError) as caught:
            load_config(source, **overrides)
        return [(str(problem.where), problem.path, problem.message) for problem in caught.value.problems]

    return complain


@pytest.mark.parametrize(
    ("line", "path", "message"),
    [
        ("filters.brightnes: 1", "filters.brightnes", "Unknown key; did you mean filters.brightness?"),
        ("filters: {hue: 1}", "filters.hue", "Unknown key; did you mean filters.hue_shift?"),
        ("brightness: 1", "brightness", "Unknown key; brightness is filters.brightness."),
        ("sprite_dir: a", "sprite_dir", "Unknown key; sprite_dir is character.sprite_dir or npc.sprite_dir."),
        ("filter: {}", "filter", "Unknown key; did you mean filters?"),
        ("w: 64", "w", "Unknown key; did you mean W?"),
        ("extend: kage", "extend", "Unknown key; did you mean extends?"),
        ("jump_froce: -2", "jump_froce", "Unknown key; did you mean physics.jump_force?"),
        ("camera: {zoom: 2}", "camera.zoom", "Unknown key; camera has left_margin and right_margin."),
        ("W: '64'", "W", "Found '64' (text); allowed: an integer of 1 or more. Write 64 without quotes."),
        ("W: 64.0", "W", "Found 64.0 (a number); allowed: an integer of 1 or more. Write 64."),
        ("W: true", "W", "Found true; allowed: an integer of 1 or more."),
        ("W:", "W", "Found null; allowed: an integer of 1 or more."),
        ("W: {a: 1}", "W", "Found {'a': 1} (a mapping); allowed: an integer of 1 or more."),
        ("W: 0", "W", "Found 0 (an integer); allowed: an integer of 1 or more."),
        ("W: 4294967296", "W", "Found 4294967296 (an integer); allowed: an integer of 1 or more."),
        ("idle_penalty: true", "idle_penalty", "Found true; allowed: a number."),
        ("idle_penalty: .inf", "idle_penalty", "Found inf (a number); allowed: a number."),
        ("idle_penalty: .nan", "idle_penalty", "Found nan (a number); allowed: a number."),
        ("idle_penalty: 1e2", "idle_penalty", "Found '1e2' (text); allowed: a number. YAML reads 1e2 as text; write 1.0e+2."),
        (
            "idle_penalty: 1.0e2", "idle_penalty",
            "Found '1.0e2' (text); allowed: a number. YAML reads 1.0e2 as text; write 1.0e+2.",
        ),
        ("npc: {enabled: 1}", "npc.enabled", "Found 1 (an integer); allowed: true or false."),
        ("filters.gamma: 7", "filters.gamma", "Found 7 (an integer); allowed: a number from 0.5 to 2."),
        ("filters.contrast: 0", "filters.contrast", "Found 0 (an integer); allowed: a number above 0."),
        ("filters.pixelate_factor: 1.5", "filters.pixelate_factor", "Found 1.5 (a number); allowed: an integer of 1 or more."),
        ("physics.move_speed: 1.0", "physics.move_speed", "Found 1.0 (a number); allowed: an integer of 1 or more. Write 1."),
        ("effects.point_light_count: 6", "effects.point_light_count", "Found 6 (an integer); allowed: an integer from 1 to 5."),
        ("npc.max_npc_count: -1", "npc.max_npc_count", "Found -1 (an integer); allowed: an integer of 0 or more."),
        ("npc.sticky_x_min: a", "npc.sticky_x_min", "Found 'a' (text); allowed: an integer or null."),
        ("filters.jpeg_quality: 2", "filters.jpeg_quality", "Found 2 (an integer); allowed: a number from 0 to 1 or null."),
        ("distractors.count: 0", "distractors.count", "Found 0 (an integer); allowed: an integer of 1 or more."),
        (
            "background.mode: noize", "background.mode",
            "Found 'noize'; allowed: black, image, noise, color. Did you mean noise?",
        ),
        (
            "background.mode: [noise]",
            "background.mode",
            "Found ['noise'] (a list); allowed: black, image, noise, color. One value, not a list.",
        ),
        ("background.mode: 3", "background.mode", "Found 3 (an integer); allowed: black, image, noise, color."),
        (
            "background: noise", "background",
            "Found 'noise' (text); this is a section with keys of its own, such as background.mode.",
        ),
        ("layout: [1]", "layout", "Found [1] (a list); this is a section with keys of its own, such as layout.length."),
        (
            "filters.pop_filter: noire", "filters.pop_filter",
            "Found 'noire'; allowed: vintage, retro, cyberpunk, horror, noir or null. Did you mean noir?",
        ),
        (
            "character.fallback_color: [1, 2]",
            "character.fallback_color",
            "Found [1, 2] (a list); allowed: a list of three integers, each from 0 to 255.",
        ),
        (
            "character.fallback_color: [1, 2, 256]",
            "character.fallback_color",
            "Found 256 (an integer) as item 3; allowed: a list of three integers, each from 0 to 255.",
        ),
        ("npc.sticky_x_offsets: [1, a]", "npc.sticky_x_offsets", "Found 'a' (text) as item 2; allowed: a list of integers."),
        (
            "background.image_paths: a.png", "background.image_paths",
            "Found 'a.png' (text); allowed: a list of texts. Write [a.png] for a list of one.",
        ),
        (
            "1: 2", "1",
            "Unknown key; the sections are background, character, npc, distractors, filters, effects, layout, physics "
            "and camera, the keys outside them episode_length, forward_reward_scale, jump_penalty, timestep_penalty, "
            "idle_penalty, dist_to_success, H and W.",
        ),
        ("[1]: 2", "", "A list or mapping cannot be a key; keys are names."),
        ("W: !!int abc", "W", "This value cannot be read: invalid literal for int() with base 10: 'abc'."),
        ("W: !thing 3", "W", "This value cannot be read: could not determine a constructor for the tag '!thing'."),
    ],
)  # fmt: skip
def test_a_wrong_line_is_answered(complain, line, path, message):
    assert complain(f"env: kage\n\n{line}\n") == [("my.yaml:3", path, message)]


SHAPES = "circle, square, line, ellipse, triangle, star, polygon, cross, diamond"
GROUNDS = "black, white, red, orange, yellow, green, cyan, blue, purple, pink, brown, gray, lime, teal, indigo, magenta"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("character.shape_types: circel", f"Found 'circel' (text) as item 1; allowed: {SHAPES}. Did you mean circle?"),
        ("character.shape_types: [star, hexagon]", f"Found 'hexagon' (text) as item 2; allowed: {SHAPES}."),
        (
            "character.shape_types: []",
            f"Found [] (a list); allowed: a name or a list of names: {SHAPES}. The list must not be empty.",
        ),
        ("layout.layout_colors: [navy]", f"Found 'navy' (text) as item 1; allowed: {GROUNDS}."),
        ("background.color_names: red", f"Found 'red'; allowed: a list of names: {GROUNDS}. Write [red] for a list of one."),
        ("background.color_names: [rde]", f"Found 'rde' (text) as item 1; allowed: {GROUNDS}. Did you mean red?"),
    ],
)  # fmt: skip
def test_an_unknown_colour_or_shape_is_answered_with_all_there_are(complain, line, message):
    assert [(where, text) for where, _, text in complain(f"env: kage\n{line}\n")] == [("my.yaml:2", message)]


def test_the_item_of_a_long_list_has_a_line_of_its_own(complain):
    text = "env: kage\neffects:\n  point_light_color_names:\n    - gold\n    - glod\n    - 3\n"
    places = [where for where, _, _ in complain(text)]
    assert places == ["my.yaml:5", "my.yaml:6"]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("npc.min_npc_count: 9", "npc.max_npc_count: 3", "The minimum, 9, is above the maximum, 3; swap or change them."),
        ("distractors.min_size: 9", "distractors.max_size: 3", "The minimum, 9, is above the maximum, 3; swap or change them."),
        ("layout.min_height: 9", "layout.max_height: 3", "The minimum, 9, is above the maximum, 3; swap or change them."),
        (
            "distractors.min_rotation_speed: 0.5",
            "distractors.max_rotation_speed: 0.25",
            "The minimum, 0.5, is above the maximum, 0.25; swap or change them.",
        ),
        ("npc.sticky_x_min: 9", "npc.sticky_x_max: 3", "The minimum, 9, is above the maximum, 3; swap or change them."),
        (
            "W: 65", "layout.length: 64",
            "The picture, 65 px wide, is wider than the world, 64 px; narrow W or lengthen the world.",
        ),
        (
            "character.height: 70", "layout.height_px: 64",
            "The body covers 71 px, more than the 64 px of the world; make it smaller.",
        ),
        (
            "npc.max_npc_count: 0", "npc.enabled: true",
            "A count of 0 leaves nothing to draw; set npc.enabled: false, or a count of 1 or more.",
        ),
        (
            "npc.max_sticky_count: 0", "npc.sticky_enabled: true",
            "A count of 0 leaves nothing to draw; set npc.sticky_enabled: false, or a count of 1 or more.",
        ),
        (
            "background.image_dir: a", "background.image_path: b",
            "These exclude one another; keep one of background.image_dir and background.image_path.",
        ),
        (
            "npc.sprite_dir: a", "npc.sprite_paths: [b]",
            "These exclude one another; keep one of npc.sprite_dir and npc.sprite_paths.",
        ),
        (
            "character.use_sprites: true", "character.use_shape: true",
            "These exclude one another; keep one of character.use_sprites and character.use_shape.",
        ),
        (
            "physics.move_speed: 3", "physics.max_speed_x: 2.0",
            "Both name the same setting; keep physics.max_speed_x.",
        ),
    ],
)  # fmt: skip
def test_two_keys_that_do_not_fit_are_both_named_with_their_places(complain, first, second, message):
    extra = "W: 64\n" if "layout.length" in second and "W:" not in first else ""
    extra += "npc.min_npc_count: 0\n" if "max_npc_count: 0" in first else ""
    extra += "npc.min_sticky_count: 0\n" if "max_sticky_count: 0" in first else ""
    ((where, path, text),) = complain(f"env: kage\n{first}\n{second}\n{extra}")
    sentence, *places = text.splitlines()
    assert sentence == message
    value_of = dict(line.split(": ") for line in (first, second))
    assert sorted(places) == sorted(
        f"{key}: {shown(value)} (my.yaml:{line})" for (key, value), line in zip(value_of.items(), (2, 3), strict=True)
    )
    assert path in value_of and where in ("my.yaml:2", "my.yaml:3")


def shown(value):
    return {"a": "'a'", "b": "'b'", "[b]": "['b']"}.get(value, value)


def test_an_inherited_value_that_does_not_fit_is_named_with_its_place(complain):
    ((where, path, message),) = complain("env: kage\nnpc.min_npc_count: 30\n")
    assert (where, path) == ("my.yaml:2", "npc.min_npc_count")
    first, second, third = message.splitlines()
    assert first == "The minimum, 30, is above the maximum, 20; swap or change them."
    assert second == "npc.min_npc_count: 30 (my.yaml:2)"
    assert third.startswith("npc.max_npc_count: 20 (built-in kage/default.yaml:")


def test_an_absent_key_that_does_not_fit_is_called_so(complain):
    ((_, _, message),) = complain("npc: {min_npc_count: 30}\n")
    assert message.endswith("npc.min_npc_count: 30 (my.yaml:1)\nnpc.max_npc_count: 5 (absent key)")


def test_mode_image_without_pictures_is_an_error(complain):
    ((where, path, message),) = complain("background: {mode: image}\n")
    assert (where, path) == ("my.yaml:1", "background.mode")
    assert message.startswith(
        "Mode image needs a source of pictures; "
        "give one of background.image_dir, background.image_paths, background.image_path."
    )


def test_sticky_figures_without_skins_are_an_error(complain):
    ((_, path, message),) = complain("npc: {sticky_enabled: true}\n")
    assert path == "npc.sticky_enabled"
    assert message.startswith(
        "Sticky figures need a source of skins; "
        "give one of npc.sticky_sprite_dir, npc.sticky_sprite_dirs, npc.sticky_sprite_path."
    )


def test_a_published_file_may_not_switch_off_both_looks(complain):
    ((where, path, message),) = complain("character:\n  use_shape: false\n  use_sprites: false\n")
    assert (where, path) == ("my.yaml:3", "character.use_sprites")
    assert message.startswith("Exactly one of these must be true when both are given.")


def test_a_key_given_twice_is_an_error(complain):
    assert complain("env: kage\nfilters:\n  gamma: 1\n  gamma: 2\n") == [
        ("my.yaml:4", "filters.gamma", "This key is given twice; line 3 has it already. Keep one.")
    ]
    assert complain("env: kage\nfilters:\n  gamma: 1\nfilters.gamma: 2\n") == [
        ("my.yaml:4", "filters.gamma", "This key is given twice; line 3 has it already. Keep one.")
    ]
    assert complain("env: kage\nnpc: {}\nnpc: {}\n") == [
        ("my.yaml:3", "npc", "This key is given twice; line 2 has it already. Keep one.")
    ]


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("env: kage\nW: [1\nH: 2\n", "my.yaml:3", "This is not valid YAML: while parsing a flow sequence, expected ',' or ']'"),
        ("env: kage\nW: a: b\n", "my.yaml:2", "This is not valid YAML: mapping values are not allowed here at column 5."),
        ("env: kage\nfilters:\n\tgamma: 1\n", "my.yaml:3", "Indent with spaces, not tabs."),
        ("env: kage\nW: *size\n", "my.yaml:2", "found undefined alias 'size'"),
        ("a: 1\n---\nb: 2\n", "my.yaml:2", "expected a single document in the stream"),
        ("env: kage\nW: \x01\n", "my.yaml", "This is not valid YAML: special characters are not allowed"),
        ("- env\n- kage\n", "my.yaml:1", "is a mapping of keys, like 'W: 128'. Found ['env', 'kage'] (a list)."),
        ("kage\n", "my.yaml:1", "A configuration is a mapping of keys, like 'W: 128'. Found 'kage' (text)."),
        (b"env: kage\n# \xff\xfe\n", "my.yaml", "This is no UTF-8 text (byte 12); save it as UTF-8."),
        ("W: " + "[" * 5000, "my.yaml", "This is nested too deeply to be a configuration."),
    ],
)  # fmt: skip
def test_what_is_not_a_mapping_in_yaml_is_an_error(complain, text, where, message):
    ((place, path, said),) = complain(text)
    assert (place, path) == (where, "")
    assert message in said


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    (tmp_path / "my.yaml").write_bytes(b"\xef\xbb\xbfenv: kage\n")
    assert load_config(tmp_path / "my.yaml") == KageConfig()


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("env: cage\n", "env", f"Unknown environment 'cage'; allowed: {', '.join(ROOMS)}. Did you mean kage?"),
        ("env: 3\n", "env", "Found 3 (an integer); allowed: text."),
        ("extends: [a.yaml]\n", "extends", "Found ['a.yaml'] (a list); allowed: text."),
        ("extends: other.yaml\n", "extends", "There is no file other.yaml."),
        ("extends: my.yml\n", "extends", "There is no file my.yml (Did you mean my.yaml?)."),
        ("extends: no/other.yaml\n", "extends", "There is no file no/other.yaml (there is no folder no)."),
        (
            "extends: kage/simples\n", "extends",
            f"Found 'kage/simples'; allowed: a .yaml file beside this one, {', '.join(FILES[:-1])} or {FILES[-1]}. "
            "Did you mean kage/simplest?",
        ),
        ("extends: my.yaml\n", "extends", "These files extend one another in a circle: my.yaml -> my.yaml."),
        ("env: kage\n<<: 3\n", "<<", "Only other mappings can be merged in."),
    ],
)  # fmt: skip
def test_wrong_directives_are_answered(complain, text, path, message):
    ((_, found, said),) = complain(text)
    assert (found, said.replace(str(pathlib.Path.cwd()) + "/", "")) == (path, message)


def test_a_circle_of_files_is_an_error(complain):
    pathlib.Path("other.yaml").write_text("extends: my.yaml\n")
    ((where, _, message),) = complain("extends: other.yaml\n")
    assert where == "other.yaml:1"
    assert message == "These files extend one another in a circle: my.yaml -> other.yaml -> my.yaml."


def test_a_file_for_another_environment_cannot_be_extended(complain):
    ((where, path, message),) = complain("env: sokoban\nextends: kage\n")
    assert (where, path) == ("my.yaml:1", "env")
    assert message == "Found 'sokoban', but what this file extends is for kage; extend something else."


def test_a_problem_in_an_extended_file_is_placed_there(complain):
    pathlib.Path("base.yaml").write_text("env: kage\nfilters: {gamma: 9}\n")
    ((where, path, _),) = complain("extends: base.yaml\nW: 64\n")
    assert (where, path) == ("base.yaml:2", "filters.gamma")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere.yaml", "There is no file nowhere.yaml."),
        ("no/where.yaml", "There is no file no/where.yaml (there is no folder no)."),
        ("cage", "ids begin with kage, sliding, sokoban and spatial. Did you mean kage?"),
        (
            "kage/background/1",
            "a pair of configurations; give one side of it: kage/background/1/train or kage/background/1/eval.",
        ),
        ("kage/background/1/evil", "Did you mean kage/background/1/eval?"),
        ("kage/background/11/eval", "Did you mean kage/background/1"),
        ("kage/filter/1/train", "Did you mean kage/filters/1/train?"),
        ("", "There is neither such an id nor such a file"),
        ("a\0b.yaml", "cannot be read"),
    ],
)
def test_what_is_not_there_is_answered_with_the_nearest(complain, source, message):
    ((_, _, said),) = complain(source=source)
    assert message in said


def test_a_folder_is_no_file(complain):
    pathlib.Path("folder.yaml").mkdir()
    ((where, _, message),) = complain(source="folder.yaml")
    assert (where, message) == ("folder.yaml", "folder.yaml cannot be read: Is a directory.")


def test_only_ids_paths_and_models_name_configurations():
    with pytest.raises(TypeError, match="an id, a path or a model; found int"):
        load_config(3)


@pytest.mark.parametrize(
    ("overrides", "path", "message"),
    [
        ({"filters.hue": 3}, "filters.hue", "Unknown key; did you mean filters.hue_shift?"),
        ({"filters": {"hue": 3}}, "filters.hue", "Unknown key; did you mean filters.hue_shift?"),
        ({"filters": 3}, "filters", "Found 3 (an integer); this is a section: give a mapping of its keys."),
        ({"filters.gamma": 9}, "filters.gamma", "Found 9 (an integer); allowed: a number from 0.5 to 2."),
        ({"filters": {"gamma": 1}, "filters.gamma": 2}, "filters.gamma", "This key is given twice. Keep one."),
        ({"W": "64"}, "W", "Found '64' (text); allowed: an integer of 1 or more. Write 64 without quotes."),
    ],
)
def test_wrong_overrides_are_answered(complain, overrides, path, message):
    assert complain(source="kage", **overrides) == [("override", path, message)]


def test_all_problems_are_reported_together_in_the_order_of_lines(complain):
    text = "env: kage\nW: 0\nfilters:\n  gamma: 7\n  hue: 1\nnpc: {min_npc_count: 50, sticky_x_min: 100}\nH: a\n"
    assert [(where, path) for where, path, _ in complain(text)] == [
        ("my.yaml:2", "W"),
        ("my.yaml:4", "filters.gamma"),
        ("my.yaml:5", "filters.hue"),
        ("my.yaml:6", "npc.min_npc_count"),
        ("my.yaml:6", "npc.sticky_x_min"),
        ("my.yaml:7", "H"),
    ]


def test_the_error_prints_as_blocks_of_place_and_message(complain):
    pathlib.Path("my.yaml").write_text("env: kage\nW: 0\nfilters.hue: 3\n")
    with pytest.raises(ConfigError) as caught:
        load_config("my.yaml")
    assert str(caught.value) == (
        "The configuration has 2 problems:\n"
        "my.yaml:2: W\n"
        "    Found 0 (an integer); allowed: an integer of 1 or more.\n"
        "my.yaml:3: filters.hue\n"
        "    Unknown key; did you mean filters.hue_shift?"
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_messages_fit_a_terminal(complain):
    text = "env: kage\nlayout.layout_colors: [crimson]\n1: 2\nbackground: {image_dir: a, image_path: b}\n"
    pathlib.Path("my.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config("my.yaml")
    assert max(map(len, str(caught.value).splitlines())) <= 78


def test_the_model_alone_complains_too():
    with pytest.raises(ValueError, match="is above the maximum"):
        KageConfig(npc={"min_npc_count": 30})
    with pytest.raises(ValueError, match="needs a source of pictures"):
        KageConfig(background={"image_dir": None})


def test_a_batch_needs_a_configuration():
    with pytest.raises(ValueError, match="at least one"):
        kagejax.make_batch([])
    with pytest.raises(TypeError, match=r"made of a list of configurations, such as \['kage'\]; found one alone"):
        kagejax.make_batch("kage")
