"""What a sliding configuration is told when its keys do not fit together, and which of them change nothing."""

import pytest

import kagejax
from kagejax import ConfigError, load_config
from kagejax.config.difference import diff, summary
from kagejax.config.parameters import defaults
from kagejax.config.rendering import yaml_value
from kagejax.envs.sliding.config import SlidingConfig

from .games import assert_same


@pytest.fixture
def complain(tmp_path, monkeypatch):
    """What a file with these lines is told: its keys with their lines, and the message."""
    monkeypatch.chdir(tmp_path)

    def complain(*lines):
        (tmp_path / "my.yaml").write_text("\n".join(["env: sliding", *lines]))
        with pytest.raises(ConfigError) as caught:
            load_config("my.yaml")
        (problem,) = caught.value.problems
        message, *keys = problem.message.splitlines()
        return message, {key.partition(":")[0]: key.rpartition(" (")[2].rstrip(")") for key in keys} or {
            problem.path: str(problem.where)
        }

    return complain


def test_a_puzzle_of_one_cell_is_none(complain):
    message, keys = complain("grid: {rows: 1, columns: 1}")
    assert message == "A puzzle has at least 2 cells."
    assert keys == {"grid.rows": "my.yaml:2", "grid.columns": "my.yaml:2"}


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ("[1, 2, 3, 4, 5, 6, 7, 7, 0]", "It must hold each of 0 (the blank) to 8 once, 9 numbers in reading order."),
        ("[1, 2, 3, 4, 5, 6, 7, 8]", "It must hold each of 0 (the blank) to 8 once, 9 numbers in reading order."),
        ("[1, 2, 3, 4, 5, 6, 7, 8, -1]", "It must hold each of 0 (the blank) to 8 once, 9 numbers in reading order."),
        ("[]", "It must hold each of 0 (the blank) to 8 once, 9 numbers in reading order."),
        (
            "[2, 1, 3, 4, 5, 6, 7, 8, 0]",
            "No moves lead from this board to the goal. It has 1 inversions; with an odd number of columns only an even number "
            "can be solved. start.allow_unsolvable accepts it.",
        ),
    ],
)
def test_a_board_that_is_none_or_cannot_be_solved_is_told_why(complain, board, message):
    assert complain("start:", "  mode: board", f"  board: {board}") == (message, {"start.board": "my.yaml:4"})


def test_an_even_number_of_columns_counts_the_row_of_the_blank_too(complain):
    message, _ = complain("grid: {rows: 2, columns: 2}", "start: {mode: board, board: [1, 0, 2, 3]}")
    assert message == (
        "No moves lead from this board to the goal. It has 0 inversions and the blank in row 2 from the bottom; with an even "
        "number of columns their sum must be odd. start.allow_unsolvable accepts it."
    )


def test_a_line_must_be_in_order(complain):
    message, _ = complain("grid: {rows: 1, columns: 4}", "start: {mode: board, board: [2, 0, 1, 3]}")
    assert "In a single row or column the tiles must be in order." in message


def test_mode_board_needs_a_board(complain):
    message, keys = complain("start: {mode: board}")
    assert message == "Give the 9 cells of the board, 0 for the blank."
    assert keys.keys() == {"start.board", "start.mode"}


def test_a_board_that_cannot_be_solved_can_be_allowed_but_not_one_that_is_none(complain):
    unsolvable = {"mode": "board", "board": [2, 1, 3, 4, 5, 6, 7, 8, 0], "allow_unsolvable": True}
    assert load_config("sliding", start=unsolvable).start.board == (2, 1, 3, 4, 5, 6, 7, 8, 0)
    message, _ = complain("start: {mode: board, board: [1, 1, 3, 4, 5, 6, 7, 8, 0], allow_unsolvable: true}")
    assert message.startswith("It must hold each of 0")


def test_moves_around_the_edges_solve_boards_that_others_do_not(complain):
    start = {"mode": "board", "board": [2, 1, 3, 4, 5, 6, 7, 8, 0]}
    assert load_config("sliding", start=start, play={"circular": True}).start.board[:2] == (2, 1)
    message, _ = complain("grid: {rows: 2, columns: 2}", "play: {circular: true}", "start: {mode: board, board: [1, 0, 2, 3]}")
    assert message.startswith("No moves lead from this board to the goal.")


def test_a_stick_has_a_rest_of_its_own(complain):
    message, keys = complain("play:", "  joystick: true", "  noop: true")
    assert message == "A stick at rest does nothing already; play.noop is for numbered actions. Keep one."
    assert keys == {"play.joystick": "my.yaml:3", "play.noop": "my.yaml:4"}


def test_optimal_lengths_end_at_nine_cells(complain):
    message, _ = complain("grid: {rows: 2, columns: 5}", "play: {optimality: true}")
    assert message.startswith("Optimal lengths are tabulated for up to 9 cells;")


@pytest.mark.parametrize(("name", "value"), [("win", "0.0"), ("invalid", "-0.3")])
def test_sparse_rewards_must_tell_a_move_from_the_others(complain, name, value):
    move = "0.0" if name == "win" else "-0.3"
    message, keys = complain(f"reward: {{mode: sparse, {name}: {value}, move: {move}}}")
    assert (message, keys.keys()) == ("They must differ in mode sparse.", {f"reward.{name}", "reward.move"})
    load_config("sliding", reward={name: float(value), "move": float(move)})


@pytest.mark.parametrize(
    ("lines", "message", "keys"),
    [
        (
            ("grid.columns: 16",),
            "84 px do not hold 16 columns of 6 px each: the last would lie outside.",
            {"observation.width", "grid.columns"},
        ),
        (
            ("grid.rows: 12", "observation: {height: 64}"),
            "64 px do not hold 12 rows of 6 px each: the last would lie outside.",
            {"observation.height", "grid.rows"},
        ),
        (
            ("grid.columns: 14", "observation: {augment: [crop]}"),  # 84 px would do, but a crop is cut from 100
            "100 px do not hold 14 columns of 8 px each: the last would lie outside.",
            {"observation.width", "grid.columns"},
        ),
    ],
)
def test_a_grid_finer_than_its_pixels_is_refused(complain, lines, message, keys):
    said, places = complain(*lines)
    assert (said, places.keys()) == (message, keys)


def test_a_grid_of_80_columns_is_beyond_all(complain):
    assert complain("grid.columns: 80")[0] == "Found 80 (an integer); allowed: an integer from 1 to 32."


@pytest.mark.parametrize(("size", "cells"), [(84, 14), (80, 12), (64, 11), (100, 13)])
def test_the_finest_grids_that_fit_can_be_made(size, cells):
    env, params = kagejax.make("sliding", grid={"rows": 2, "columns": cells}, observation={"height": 8, "width": size})
    assert params.bank.tiles.shape == (2 * cells, 4, 3 * -(-size // cells))


def test_a_grid_too_fine_for_pictures_may_be_seen_otherwise():
    load_config("sliding", grid={"columns": 32}, observation={"kind": "onehot"})


def test_a_change_is_named_once(complain):
    assert complain("observation: {augment: [shift, crop, shift]}")[0] == "Each change can be named once."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("texts: [a b c d e f g h i, short]", "'short' has 5 characters; 9 cells need one each."),
        ("texts: []", "At least one text is needed."),
        ("texts: null", "At least one text is needed."),
        ("word_separator: ''", "A separator has at least one character."),
        ("row_separator: ''", "A separator has at least one character."),
        ("texts: ['a         b']", "'a         b' leaves a cell empty; use a longer text."),
    ],
)
def test_texts_that_do_not_fill_a_board_are_refused(complain, text, message):
    assert complain("observation: {kind: text}", f"text: {{{text}}}")[0] == message
    load_config("sliding", text={"texts": ["short"]})  # not in use


@pytest.mark.parametrize(
    ("given", "message", "keys"),
    [
        ("source: folder", "Source folder needs the folder where its pictures are.", {"folder", "source"}),
        ("source: imagenet", "Source imagenet needs the folder where its pictures are.", {"folder", "source"}),
        ("source: diffusiondb", "Source diffusiondb needs the folder where its pictures are.", {"folder", "source"}),
        ("source: list", "Source list needs at least one file.", {"paths", "source"}),
        (
            "source: list, paths: [a.png], split: held_out",
            "A list is used whole; list the held-out pictures instead.",
            {"split", "source"},
        ),
        (
            "source: folder, folder: art, fresh: true",
            "Only procedural pictures can be new in every episode.",
            {"fresh", "source"},
        ),
        (
            "source: folder, folder: art, split: held_out",
            "Without a size the pool is every file, and none is left to hold out; give the size of the pool trained on.",
            {"pool_size", "split"},
        ),
    ],
)
def test_sources_that_lack_something_are_refused(complain, given, message, keys):
    said, places = complain(f"pictures: {{{given}}}")
    assert (said, places.keys()) == (message, {f"pictures.{key}" for key in keys})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("observation.kind: picture", "Found 'picture'; allowed: image, board, raw, onehot, normalized, coordinates, text."),
        ("grid.row: 3", "Unknown key; did you mean grid.rows?"),
        (
            "pictures.source: imagnet",
            "Found 'imagnet'; allowed: procedural, folder, list, imagenet, diffusiondb. Did you mean imagenet?",
        ),
        (
            "observation.augment: [blur]",
            "Found 'blur' (text) as item 1; allowed: crop, shift, channel_shuffle, grayscale, inversion.",
        ),
        ("reward.invalid: 0", "Found 0 (an integer); allowed: a number below 0 or null."),
        ("play.joystick_threshold: 1", "Found 1 (an integer); allowed: a number of 0 or more and below 1."),
        ("pictures.visual_difficulty: 2", "Found 2 (an integer); allowed: a number from 0 to 1."),
    ],
)
def test_a_value_that_is_none_is_told_what_is(complain, line, message):
    assert complain(line) == (message, {line.partition(":")[0]: "my.yaml:2"})


def test_everything_that_is_wrong_is_said_at_once():
    with pytest.raises(ConfigError) as caught:
        load_config("sliding", play={"joystick": True, "noop": True}, grid={"rows": 4}, start={"mode": "board"})
    assert {problem.path for problem in caught.value.problems} == {"play.joystick", "start.mode"}


@pytest.mark.parametrize(
    ("base", "path", "value"),
    [
        ({}, "pictures.folder", "art"),
        ({}, "pictures.held_out_size", 7),
        ({}, "text.blank_text", "?"),
        ({}, "observation.blank_value", -2),
        ({}, "observation.normalize_coordinates", False),
        ({}, "start.scramble_steps", 3),
        ({}, "start.allow_unsolvable", True),
        ({}, "play.joystick_threshold", 0.5),
        ({"pictures.fresh": True}, "pictures.pool_size", 7),
        ({"pictures.fresh": True}, "pictures.pool_seed", 7),
        ({"pictures.split": "held_out"}, "pictures.pool_size", 7),
        ({"observation.kind": "board"}, "pictures.visual_difficulty", 0.5),
        ({"observation.kind": "raw"}, "observation.height", 40),
        ({"observation.kind": "raw"}, "observation.augment", ["shift"]),
    ],
)
def test_a_key_that_another_leaves_unused_is_inert_and_changes_nothing(base, path, value):
    small = {"observation.height": 8, "observation.width": 8}
    first, second = (load_config("sliding", **small | base | change) for change in ({}, {path: value}))
    assert summary(diff(first, second)) == "No differing key is in use: the two are the same in effect."
    sides = [kagejax.make(config) for config in (first, second)]
    assert sides[0][0] == sides[1][0]
    if path not in ("start.scramble_steps", "play.joystick_threshold", "pictures.visual_difficulty"):  # held, but not read
        assert_same(sides[0][1], sides[1][1])


@pytest.mark.parametrize(
    ("base", "path", "value"),
    [
        ({}, "pictures.pool_size", 7),
        ({}, "pictures.visual_difficulty", 0.5),
        ({"pictures.fresh": True}, "pictures.visual_difficulty", 0.5),
        ({"pictures.split": "held_out"}, "pictures.held_out_size", 7),
        ({"observation.kind": "board"}, "observation.height", 40),
        ({"observation.kind": "text"}, "text.blank_text", "?"),
        ({"start.mode": "scramble"}, "start.scramble_steps", 3),
        ({"play.joystick": True}, "play.joystick_threshold", 0.5),
    ],
)
def test_a_key_in_use_is_not_inert(base, path, value):
    (difference,) = diff(load_config("sliding", **base), load_config("sliding", **base, **{path: value}))
    assert not difference.inert


def test_a_change_of_pictures_reaches_the_picture_alone_and_one_of_play_the_game():
    pictures = diff(SlidingConfig(), load_config("sliding", pictures={"pool_size": 9}))
    play = diff(SlidingConfig(), load_config("sliding", play={"circular": True}))
    assert summary(pictures) == "Only the picture differs (render); the game is the same."
    assert summary(play) == "The game differs (control), the settings of the picture do not."


def test_every_default_is_shown_on_one_line():
    shown = {path: yaml_value(value) for path, value in defaults(SlidingConfig).items()}
    assert shown["text.row_separator"] == r'"\n"'
    assert not any("\n" in value for value in shown.values())
