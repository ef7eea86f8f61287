"""Split files: what is read of them, and that they are written as they were read."""

import json

import numpy as np
import pytest

from kagejax.envs.sokoban import levels, text
from kagejax.envs.sokoban.levels import Entry, Split
from kagejax.envs.sokoban.text import LevelError
from tests.oracles import sokoban_golden

SMALL = "#####\n#@$.#\n#####"
LEVELS_FILE = sokoban_golden.FOLDER / "levels.json"


def split_file(folder, content) -> str:
    path = folder / "split.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def test_recorded_levels_are_read_with_all_that_is_known_of_them():
    split = levels.read_split(LEVELS_FILE)
    recorded = sokoban_golden.levels().values()
    assert [text.write(entry.level) for entry in split.entries] == [level.text for level in recorded]
    assert [entry.optimal_length for entry in split.entries] == [level.optimal_length for level in recorded]
    assert [entry.max_steps for entry in split.entries] == [level.max_steps for level in recorded]
    assert [entry.theme for entry in split.entries] == [level.theme for level in recorded]
    assert [entry.extra["id"] for entry in split.entries] == [level.name for level in recorded]
    assert (split.name, split.seed, split.max_steps) == (None, None, None)
    assert list(split.extra) == ["note"]


def test_a_split_is_written_as_it_was_read(tmp_path):
    levels.write_split(tmp_path / "copy.json", levels.read_split(LEVELS_FILE))
    assert json.loads((tmp_path / "copy.json").read_text()) == json.loads(LEVELS_FILE.read_text())
    assert [path.name for path in tmp_path.iterdir()] == ["copy.json"]


def test_a_split_has_the_layout_of_the_reference(tmp_path):
    entry = Entry(text.parse(SMALL), np.int64(1), 40, None, {"n_crates": 1})
    levels.write_split(tmp_path / "w.json", Split("split_W", 1001, 40, (entry, entry), {}))
    expected = {"ascii": SMALL, "optimal_len": 1, "max_steps": 40, "n_crates": 1}
    assert json.loads((tmp_path / "w.json").read_text()) == {
        "name": "split_W",
        "seed": 1001,
        "max_steps": 40,
        "levels": [expected, expected],
    }


def test_titles_survive_a_split(tmp_path):
    entry = Entry(text.parse(f"; easy\n{SMALL}"), None, None, None, {})
    levels.write_split(tmp_path / "w.json", Split(None, None, None, (entry,), {}))
    assert levels.read_split(tmp_path / "w.json").entries[0].level.title == "easy"


def test_a_split_that_cannot_be_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "w.json"
    path.write_text("old")
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        levels.write_split(path, Split("split_W", None, None, (), {"odd": object()}))
    assert path.read_text() == "old"


@pytest.mark.parametrize(("own", "whole", "expected"), [(30, 80, 30), (None, 80, 80), (None, None, 40)])
def test_a_level_s_own_limit_comes_before_the_split_s(tmp_path, own, whole, expected):
    content = {"max_steps": whole, "levels": [{"ascii": SMALL, "max_steps": own}]}
    split = levels.read_split(split_file(tmp_path, content))
    assert split.limit(split.entries[0]) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"levels": [\n}', ":2:1: this is no JSON: Expecting value"),
        ([], ":1:1: a split is an object with a list `levels`"),
        ({"levels": {}}, ":1:1: a split is an object with a list `levels`"),
        ({"levels": [{"ascii": SMALL}, {}]}, ": level 1: a level is an object with a text `ascii`"),
        ({"levels": ["#"]}, ": level 0: a level is an object with a text `ascii`"),
        ({"levels": [{"ascii": "#####\n#@@$.#\n#####"}]}, ": level 0:2:3: a second player"),
    ],
)
def test_a_wrong_split_is_refused_with_its_file_and_the_reason(tmp_path, content, expected):
    path = split_file(tmp_path, content)
    with pytest.raises(LevelError) as error:
        levels.read_split(path)
    assert str(error.value) == path + expected


def test_a_split_may_be_read_leniently(tmp_path):
    path = split_file(tmp_path, {"levels": [{"ascii": "#@$"}]})
    assert levels.read_split(path, lenient=True).entries[0].level.player == 1
