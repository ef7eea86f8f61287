"""`kagejax config`, as a person at a terminal sees it."""

import json
import pathlib
import subprocess
import sys

import pytest
import yaml

from kagejax import load_config
from kagejax.cli.main import main


@pytest.fixture(autouse=True)
def _terminal(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def run(capsys, *arguments):
    """Status, stdout and stderr of `kagejax config ARGUMENTS`."""
    status = main(["config", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_show_prints_yaml_that_loads_to_the_same(capsys):
    status, out, _ = run(capsys, "show", "kage/hardest")
    pathlib.Path("shown.yaml").write_text(out)
    assert status == 0
    assert load_config("shown.yaml").flat() == load_config("kage/hardest").flat()


def test_show_changed_prints_what_differs_from_the_defaults(capsys):
    status, out, _ = run(capsys, "show", "kage", "--changed", "--set", "filters.hue_shift=90", "--set", "background.mode=noise")
    assert (status, out) == (0, "env: kage\nbackground:\n  mode: noise\nfilters:\n  hue_shift: 90.0\n")


def test_show_makes_paths_of_own_pictures_absolute(capsys, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "sky.png").touch()
    pathlib.Path("sub/my.yaml").write_text("env: kage\nbackground: {image_paths: [sky.png, builtin/bg-1]}\n")
    _, out, _ = run(capsys, "show", "sub/my.yaml", "--changed")
    assert yaml.safe_load(out)["background"]["image_paths"] == [str(tmp_path / "sub" / "sky.png"), "builtin/bg-1"]


def test_lists_can_be_set(capsys):
    _, out, _ = run(capsys, "show", "kage", "--changed", "--set", "background.color_names=[red, lime]")
    assert yaml.safe_load(out) == {"env": "kage", "background": {"color_names": ["red", "lime"]}}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("filters.hue", "--set:\n    Found 'filters.hue'; allowed: KEY=VALUE, such as background.mode=noise.\n"),
        ("filters.hue=3", "--set: filters.hue\n    Unknown key; did you mean filters.hue_shift?\n"),
        ("filters.gamma=9", "--set: filters.gamma\n    Found 9 (an integer); allowed: a number from 0.5 to 2.\n"),
        ("W=[", "--set: W\n    '[' is not a value in YAML; write text with special characters in quotes.\n"),
    ],
)
def test_a_wrong_setting_is_answered(capsys, setting, message):
    status, out, err = run(capsys, "show", "kage", "--set", setting)
    assert (status, out) == (2, "")
    assert err == f"kagejax config: The configuration has a problem:\n{message}"


def test_the_same_key_set_twice_is_answered(capsys):
    status, _, err = run(capsys, "show", "kage", "--set", "W=64", "--set", "W=32")
    assert status == 2 and "--set: W\n    This key is given twice. Keep one." in err


def test_validate_says_ok_or_what_is_wrong_for_each_file(capsys):
    pathlib.Path("good.yaml").write_text("env: kage\n")
    pathlib.Path("bad.yaml").write_text("env: kage\nbackground:\n  mode: noize\n")
    status, out, err = run(capsys, "validate", "good.yaml", "bad.yaml", "kage/layout/1/eval")
    assert status == 2
    assert out == "good.yaml: ok\nkage/layout/1/eval: ok\n"
    assert err == (
        "bad.yaml: The configuration has a problem:\n"
        "bad.yaml:3: background.mode\n"
        "    Found 'noize'; allowed: black, image, noise, color. Did you mean noise?\n"
    )


def test_validate_of_sound_files_succeeds_and_warns_of_dead_keys(capsys):
    pathlib.Path("old.yaml").write_text("distractors:\n  min_speed: 0.5\n")
    status, out, err = run(capsys, "validate", "old.yaml")
    assert (status, out) == (0, "old.yaml: ok\n")
    assert err == "warning: distractors.min_speed (old.yaml:2): accepted as in published files, but changes nothing.\n"


def test_validate_loads_the_art_that_is_named(capsys):
    pathlib.Path("my.yaml").write_text("extends: kage/skeleton\nbackground:\n  image_path: nowhere.png\n")
    status, out, err = run(capsys, "validate", "my.yaml")
    assert (status, out) == (2, "")
    assert err.startswith(
        "my.yaml: The configuration has a problem:\nmy.yaml:3: background.image_path\n    Background image 'nowhere.png'"
    )


def test_validate_needs_something_to_check(capsys):
    status, _, err = run(capsys, "validate")
    assert status == 2 and "Name one or more files or ids to check." in err


def test_schema_prints_json(capsys):
    status, out, _ = run(capsys, "schema")
    assert status == 0
    assert json.loads(out)["$defs"]["Background"]["properties"]["mode"]["enum"] == ["black", "image", "noise", "color"]


def test_schema_of_an_unknown_environment_is_answered(capsys):
    status, _, err = run(capsys, "schema", "cage")
    said = " ".join(err.split())
    assert status == 2 and "Unknown environment 'cage'; allowed: kage, sliding, sokoban, spatial. Did you mean kage?" in said


def test_diff_prints_a_table_and_what_it_comes_to(capsys):
    status, out, _ = run(capsys, "diff", "kage/background/6/train", "kage/background/1/eval")
    assert status == 0
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines[:2] == ["first:  kage/background/6/train", "second: kage/background/1/eval"]
    assert lines[3].split() == ["key", "first", "second", "affects"]
    assert [line.split() for line in lines[5:8]] == [
        ["background.mode", "image", "noise", "render"],
        ["background.image_dir", "null", "builtin/backgrounds", "render"],
        ["background.image_paths", "[builtin/bg-1]", "[]", "render"],
    ]
    assert lines[-1] == "Only the picture differs (render); the game is the same."


def test_diff_marks_keys_that_are_not_in_use(capsys):
    _, out, _ = run(capsys, "diff", "kage", "kage/circle")
    (row,) = [line for line in out.splitlines() if line.startswith("character.shape_rotate")]
    assert row.split() == ["character.shape_rotate", "true", "false", "render"]
    pathlib.Path("line.yaml").write_text("env: kage\ncharacter.shape_types: line\n")
    _, out, _ = run(capsys, "diff", "kage", "line.yaml")
    (row,) = [line for line in out.splitlines() if line.startswith("character.shape_types")]
    assert row.split() == ["character.shape_types", "[circle,", "star]", "[line]", "unused"]


def test_diff_of_equal_configurations_says_so(capsys):
    assert run(capsys, "diff", "kage", "kage/default") == (0, "The two are the same.\n", "")


def test_diff_fits_eighty_columns_and_keeps_keys_whole(capsys):
    _, out, _ = run(capsys, "diff", "kage", "kage/hardest")
    assert max(map(len, out.splitlines())) <= 80
    assert "effects.point_light_color_names " in out and "distractors.shape_colors " in out


@pytest.mark.parametrize("command", ["show", "validate", "schema", "diff"])
def test_each_help_text_has_an_example(capsys, command):
    with pytest.raises(SystemExit) as ended:
        main(["config", command, "--help"])
    assert ended.value.code == 0
    assert f"kagejax config {command} " in capsys.readouterr().out.split("For example:")[1]


def test_config_does_not_load_jax():
    code = "import sys; from kagejax.cli.main import main; main(['config', 'show', 'kage']); assert 'jax' not in sys.modules"
    root = pathlib.Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
