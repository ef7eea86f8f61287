"""What a Sokoban configuration is told when its levels cannot be used, and which of its keys change nothing."""

import json

import jax
import numpy as np
import pytest

from kagejax.config.assemble import assemble
from kagejax.config.difference import diff, summary
from kagejax.config.document import parse, read_layer
from kagejax.config.problems import ConfigError
from kagejax.envs.sokoban import build, themes
from kagejax.envs.sokoban.config import SokobanConfig

from .games import config_of, entry_of, split_of

SMALL = "#####\n#@$.#\n#####"
LARGE = "######\n#@$. #\n######"


def config_in(folder, *lines):
    """The configuration in a YAML file of that folder."""
    document = parse("\n".join(["env: sokoban", *lines]).encode(), "my.yaml", folder)
    layer, problems = read_layer(document, SokobanConfig)
    return assemble(SokobanConfig, [layer], problems)


@pytest.fixture
def complain(tmp_path):
    """What a file with these lines is told: place, key and message."""

    def complain(*lines):
        with pytest.raises(ConfigError) as caught:
            build.build(config_in(tmp_path, *lines))
        (problem,) = caught.value.problems
        return str(problem.where), problem.path, problem.message

    return complain


def file_of(folder, name, content):
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_source_file_needs_the_file(complain):
    where, _, message = complain("levels:", "  source: file")
    assert where == "my.yaml:3"
    assert message.startswith("Source file needs the file.")


def test_a_file_that_is_not_there_is_named(complain, tmp_path):
    where, key, message = complain("levels:", "  source: file", "  file: none.txt")
    assert (where, key) == ("my.yaml:4", "levels.file")
    assert str(tmp_path / "none.txt") in message
    assert "No such file" in message


def test_a_folder_is_no_file(complain, tmp_path):
    (tmp_path / "levels.txt").mkdir()
    assert "Is a directory" in complain("levels: {source: file, file: levels.txt}")[2]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "#####\n#@@.#\n#####", ":2:3: a second player"),
        ("a.sok", "nothing here", ":1:1: there is no level"),
        ("a.json", "[1", ":1:3: this is no JSON"),
        ("a.json", b"\xff\xfe\x00", ": this is no text in UTF-8"),
        ("a.json", {"levels": []}, ": there is no level"),
        ("a.json", {"levels": [{"ascii": "#####\n#@ .#\n#####"}]}, ": level 0:1:1: the level needs as many boxes as goals"),
        ("a.json", {"levels": [{"ascii": SMALL, "max_steps": "80"}]}, ": level 0: max_steps is '80'; it is a whole number"),
        ("a.json", {"levels": [{"ascii": SMALL, "max_steps": 0}]}, ": level 0: max_steps is 0; it is a whole number from 1"),
        ("a.json", {"levels": [{"ascii": SMALL, "optimal_len": -1}]}, ": level 0: optimal_len is -1; it is a whole number"),
        ("a.json", {"levels": [{"ascii": SMALL, "theme": {"flour": [1, 2, 3]}}]}, ": level 0: a theme has no 'flour'"),
        (
            "a.json",
            {"levels": [{"ascii": SMALL, "theme": {"floor": [1, 2, 300]}}]},
            ": level 0: floor of a theme is three whole",
        ),
        (
            "a.json",
            {"levels": [{"ascii": SMALL, "theme": {"sprite": "moon"}}]},
            ": level 0: sprite of a theme is one of square",
        ),
        ("a.json", {"levels": [{"ascii": SMALL, "theme": {"noise_std": -1}}]}, ": level 0: noise_std of a theme is a number"),
        (
            "a.json",
            {"max_steps": 1.5, "levels": [{"ascii": SMALL}]},
            ": max_steps is 1.5; it is a whole number from 1 to 2,147,483,647",
        ),
    ],
)
def test_a_file_that_holds_no_levels_is_told_where_it_fails(complain, tmp_path, name, content, message):
    path = file_of(tmp_path, name, content)
    where, key, said = complain("levels:", "  source: file", f"  file: {name}")
    assert (where, key) == ("my.yaml:4", "levels.file")
    assert f"{path}{message}" in said


def test_levels_of_several_sizes_are_no_environment(complain, tmp_path):
    file_of(tmp_path, "a.txt", f"{SMALL}\n\n{LARGE}\n\n{SMALL}")
    where, key, message = complain("levels:", "  source: file", "  file: a.txt")
    assert (where, key) == ("my.yaml:4", "levels.file")
    assert message == "The levels differ in size (3x5, 3x6); an environment has boards of one size."
    build.build(config_in(tmp_path, "levels: {source: file, file: a.txt, first: 1, count: 1}"))


def test_a_board_that_does_not_fit_the_picture_is_refused(complain, tmp_path):
    file_of(tmp_path, "a.txt", f"#{'#' * 21}\n#@$.{' ' * 17}#\n#{'#' * 21}")
    message = "Boards of more than 21 cells a side do not fit the picture; found 3x22."
    assert complain("levels: {source: file, file: a.txt}")[2] == message
    with pytest.raises(ValueError, match="more than 21 cells"):
        build.from_split(split_of([entry_of(f"@$.{' ' * 19}")]))


@pytest.mark.parametrize(
    ("lines", "where", "key"),
    [
        (("levels:", "  count: 101"), "my.yaml:3", "levels.count"),
        (("levels:", "  first: 60", "  count: 41"), "my.yaml:4", "levels.count"),
        (("levels:", "  first: 100"), "my.yaml:3", "levels.first"),
    ],
)
def test_a_split_has_no_more_levels_than_it_has(complain, lines, where, key):
    place, path, message = complain(*lines)
    assert (place, path) == (where, key)
    assert message.startswith("A has 100 levels, 0 to 99; ask for no others.")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("first: 2", "levels.first is 2."),
        ("count: 3", "levels.first is 0 and levels.count 3."),
        ("first: 1, count: 2", "levels.first is 1 and levels.count 2."),
    ],
)
def test_a_file_has_no_more_levels_than_it_has(complain, tmp_path, asked, said):
    file_of(tmp_path, "a.txt", f"{SMALL}\n\n{SMALL}")
    where, key, message = complain(f"levels: {{source: file, file: a.txt, {asked}}}")
    assert (where, key, message) == ("my.yaml:2", "levels.file", f"There are 2 levels, 0 to 1; {said}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("levels.split: F", "Found 'F'; allowed: W, S, A, B, C, D, E, B-plus, C-plus, D-hard, hidden-style."),
        ("levels.first: -1", "Found -1 (an integer); allowed: an integer of 0 or more."),
        ("levels.count: 0", "Found 0 (an integer); allowed: an integer of 1 or more or null."),
        ("play.max_steps: 0", "Found 0 (an integer); allowed: an integer of 1 or more or null."),
        ("reward.shaping: -0.5", "Found -0.5 (a number); allowed: a number of 0 or more."),
        ("reward.gamma: 0", "Found 0 (an integer); allowed: a number above 0 and up to 1."),
        ("observation.kind: picture", "Found 'picture'; allowed: pictures, board, symbolic. Did you mean pictures?"),
        ("theme.law: clasic", "Found 'clasic'; allowed: default, level, classic, plus. Did you mean classic?"),
        ("theme.count: 0", "Found 0 (an integer); allowed: an integer of 1 or more or null."),
        ("levels.splitt: A", "Unknown key; did you mean levels.split?"),
    ],
)
def test_a_value_that_is_none_is_told_what_is(complain, line, message):
    where, key, said = complain(line)
    assert (where, key) == ("my.yaml:2", line.partition(":")[0])
    assert said == message


def test_files_are_sought_beside_the_configuration_that_names_them(tmp_path):
    file_of(tmp_path, "a.txt", f"{SMALL}\n\n{SMALL}")
    _, params = build.build(config_in(tmp_path, "levels: {source: file, file: a.txt}"))
    assert params.bank.levels.max_steps.tolist() == [40, 40]
    assert params.bank.levels.optimal.tolist() == [0, 0]
    content = {"max_steps": 9, "levels": [{"ascii": SMALL, "optimal_len": 1}, {"ascii": SMALL, "max_steps": 5}]}
    file_of(tmp_path, "a.json", content)
    _, params = build.build(config_in(tmp_path, "levels: {source: file, file: a.json}"))
    assert (params.bank.levels.max_steps.tolist(), params.bank.levels.optimal.tolist()) == ([9, 5], [1, 0])


@pytest.mark.parametrize(
    ("base", "path", "value"),
    [
        ({}, "levels.file", "a.txt"),
        ({}, "theme.seed", 7),
        ({}, "theme.count", 7),
        ({}, "reward.gamma", 0.5),
        ({"observation.kind": "symbolic"}, "theme.law", "classic"),
    ],
)
def test_a_key_that_another_leaves_unused_is_inert_and_changes_nothing(base, path, value):
    small = {"levels.split": "W", "levels.count": 2}
    first, second = (config_of(small | base | change) for change in ({}, {path: value}))
    assert summary(diff(first, second)) == "No differing key is in use: the two are the same in effect."
    if path != "reward.gamma" and "theme" not in path:
        sides = [build.build(config) for config in (first, second)]
        assert sides[0][0] == sides[1][0]
        for one, other in zip(*(jax.tree.leaves(params) for _, params in sides), strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_theme_that_lacks_something_takes_it_from_the_default():
    assert themes.from_json({"floor": [1, 2, 3]}) == themes.Theme(floor=(1, 2, 3))


def test_a_change_of_theme_reaches_the_picture_alone_and_one_of_levels_the_game():
    assert summary(diff(config_of(), config_of({"theme.law": "plus"}))) == (
        "Only the picture differs (render); the game is the same."
    )
    assert summary(diff(config_of(), config_of({"levels.split": "D"}))) == (
        "The game differs (control), the settings of the picture do not."
    )
