"""Levels as text, read strictly, leniently and from files of many."""

import numpy as np
import pytest

from kagejax.envs.sokoban import text
from kagejax.envs.sokoban.text import LevelError
from tests.oracles import sokoban, sokoban_golden

LEVELS = sokoban_golden.levels()
SMALL = "#####\n#@$.#\n#####"


def cells(mask) -> frozenset[int]:
    return frozenset(np.flatnonzero(mask).tolist())


def message(function, *arguments, **options) -> str:
    with pytest.raises(LevelError) as error:
        function(*arguments, **options)
    return str(error.value)


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("name", LEVELS)
def test_recorded_levels_are_read_as_recorded(name, lenient):
    recorded = LEVELS[name]
    level = text.parse(recorded.text, lenient=lenient)
    assert level.walls.shape == (recorded.rows, recorded.columns)
    assert level.walls.dtype == level.goals.dtype == level.boxes.dtype == bool
    assert (cells(level.boxes), cells(level.goals), level.player) == (recorded.boxes, recorded.goals, recorded.player)
    assert cells(level.walls) == sokoban.parse(recorded.text)[0].walls


@pytest.mark.parametrize("name", LEVELS)
def test_recorded_levels_are_written_as_they_were_read(name):
    assert text.write(text.parse(LEVELS[name].text)) == LEVELS[name].text


def test_recorded_states_with_boxes_and_players_on_goals_are_written_as_they_were_read():
    states = [rollout.final_text for rollout in sokoban_golden.rollouts()]
    assert any("*" in state for state in states)
    assert any("+" in state for state in states)
    assert [text.write(text.parse(state)) for state in states] == states


def test_marks_mean_what_they_stand_for():
    level = text.parse("#######\n#+ $*-#\n#_    #\n#######")
    assert level.player == 8
    assert cells(level.goals) == {8, 11}
    assert cells(level.boxes) == {10, 11}
    assert text.write(level) == "#######\n#+ $* #\n#     #\n#######"


def test_short_rows_end_in_floor():
    level = text.parse("####\n#  ###\n#@$ .#\n######")
    assert level.walls.shape == (4, 6)
    assert cells(level.walls[0]) == {0, 1, 2, 3}
    assert text.write(level) == "####  \n#  ###\n#@$ .#\n######"


def test_a_level_may_stand_away_from_the_edges():
    level = text.parse("\n\n  #####\n--#@$.#\n__#####\n\n")
    assert level.walls.shape == (3, 7)
    assert level.player == 10


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_are_line_ends(line_end):
    assert text.write(text.parse(SMALL.replace("\n", line_end))) == SMALL


@pytest.mark.parametrize(
    ("puzzle", "expected"),
    [
        ("#####\n# $.#\n#####", "a.txt:1:1: the level has no player (@, or + on a goal)"),
        ("\n#####\n# $.#\n#####", "a.txt:2:1: the level has no player (@, or + on a goal)"),
        ("######\n#@$.+#\n#  $ #\n######", "a.txt:2:5: a second player"),
        ("######\n#@$  #\n######", "a.txt:1:1: the level needs as many boxes as goals, and has 1 and 0"),
        ("#######\n#@$$ .#\n#######", "a.txt:1:1: the level needs as many boxes as goals, and has 2 and 1"),
        ("####\n#@ #\n####", "a.txt:1:1: the level has no box"),
        ("#####\n#@$. \n#####", "a.txt:2:5: the player can leave the board here; close it with walls"),
        ("#####\n#@$.\n#####", "a.txt:2:5: the player can leave the board here; close it with walls"),
        ("#####\n#@$.#\n## ##", "a.txt:3:3: the player can leave the board here; close it with walls"),
        ("@$.", "a.txt:1:1: the player can leave the board here; close it with walls"),
        ("#####\n#@$.#\n#x  #\n#####", "a.txt:3:2: 'x' is no mark of a level; marks are # $ * @ + . - _ and blank"),
        ("#####\nx@$.#\n#####", "a.txt:2:1: 'x' is no mark of a level; marks are # $ * @ + . - _ and blank"),
        ("#####\n#\t@$.#\n#####", "a.txt:2:2: a tab has no fixed width; write blanks"),
        ("\t#####\n\t#@$.#\n\t#####", "a.txt:1:1: a tab has no fixed width; write blanks"),
        (f"{SMALL}\n\n{SMALL}", "a.txt:5:1: a second level begins here, where one was expected"),
        ("", "a.txt:1:1: there is no level"),
        ("; nothing\n\nLevel 1\n", "a.txt:1:1: there is no level"),
    ],
)
def test_a_wrong_level_is_refused_with_its_place_and_the_reason(puzzle, expected):
    assert message(text.parse, puzzle, "a.txt") == expected


def test_boxes_are_no_border():
    assert message(text.parse, "#####\n#@ .#\n##$##") == "text:3:3: the player can leave the board here; close it with walls"


def test_boxes_and_goals_behind_walls_are_allowed():
    assert text.parse("########\n#@$.#* #\n########").boxes.sum() == 2


def test_a_solved_level_is_a_level():
    assert text.parse("####\n#@*#\n####").player == 5


@pytest.mark.parametrize(
    "puzzle",
    [
        "#####\n\n#@$.#\n#####",
        "#####\n     \n#@$.#",
        "##\n#@$.#\n###",
        "#####\n#@x.#\n#\t$-_",
        "@ $\n +$",
        "$$@",
        "  \n@",
        "#####\n\n\n#@$.#\n#####\n",
        "#@$.#\r\n#####",
    ],
)
def test_lenient_reading_takes_what_the_reference_takes(puzzle):
    board, game = sokoban.parse(puzzle)
    level = text.parse(puzzle, lenient=True)
    assert level.walls.shape == (board.rows, board.columns)
    assert (cells(level.walls), cells(level.goals)) == (board.walls, board.goals)
    assert (cells(level.boxes), level.player) == (game.boxes, game.player)


@pytest.mark.parametrize("puzzle", ["", "\n\n", "#####\n# $.#"])
def test_lenient_reading_asks_for_a_player(puzzle):
    assert message(text.parse, puzzle, "a.txt", lenient=True) == "a.txt:1:1: the level has no player (@, or + on a goal)"


OTHER = "  ####\n###  #\n#@$ .#\n######"


@pytest.mark.parametrize(
    ("collection", "titles"),
    [
        (f"{SMALL}\n\n{OTHER}\n", ["", ""]),
        (f"; 1\n\n{SMALL}\n\n; 2\n\n{OTHER}\n", ["1", "2"]),
        (f"; 0\n{SMALL}\n; 1\n{OTHER}", ["0", "1"]),
        (f"Level 1\n{SMALL}\nLevel 2\n{OTHER}", ["Level 1", "Level 2"]),
        (f"{SMALL}\nTitle: First\nAuthor: A\n\n{OTHER}\nTitle: Second\n", ["First", "Second"]),
        (f"Title: First\n\n{SMALL}\n\nTitle: Second\n\n{OTHER}", ["First", "Second"]),
        (f"Title: First\nAuthor: A\n\n{SMALL}\nAuthor: B\n\n{OTHER}", ["First", ""]),
        (f"My levels\n=========\n\nby me\n\n; the first\n;\n{SMALL}\n     \n{OTHER}", ["the first", ""]),
        (f"::: ... :::\n* * *\nNo. #1\n{SMALL}\n-----\n{OTHER}", ["No. #1", ""]),
        (f"; # @ $ . #\n{SMALL}\n\n\n; {OTHER[:6]}2\n{OTHER}", ["", "####2"]),
    ],
)
def test_collections_are_taken_apart_with_their_titles(collection, titles):
    first, second = text.parse_all(collection)
    assert [first.title, second.title] == titles
    assert text.write(first) == SMALL
    assert text.write(second) == OTHER


def test_a_single_level_keeps_its_title():
    assert text.parse(f"; one\n{SMALL}").title == "one"


def test_a_file_is_read_whatever_its_encoding(tmp_path):
    path = tmp_path / "levels.txt"
    path.write_bytes(b"\xef\xbb\xbf" + f"{SMALL}\r\nTitle: caf".encode() + b"\xe9\r\n\r\n" + OTHER.encode())
    levels = text.read(path)
    assert [level.title for level in levels] == ["caf\N{REPLACEMENT CHARACTER}", ""]
    assert [text.write(level) for level in levels] == [SMALL, OTHER]


def test_a_wrong_level_of_a_file_is_refused_with_file_and_line(tmp_path):
    path = tmp_path / "levels.txt"
    path.write_text(f"; 1\n{SMALL}\n\n; 2\n#####\n#@@$.#\n#####\n")
    assert message(text.read, path) == f"{path}:8:3: a second player"


def test_a_file_without_a_level_is_refused(tmp_path):
    path = tmp_path / "levels.txt"
    path.write_text("")
    assert message(text.read, path) == f"{path}:1:1: there is no level"
