"""The sliding oracle against recorded pictures and texts of the reference."""

import numpy as np
import pytest

from . import sliding, sliding_golden, sliding_pictures, sliding_text
from .sliding import Grid


@pytest.mark.parametrize("case", sliding_golden.document("text_overlay"))
def test_recorded_texts_are_split_and_read_again(case):
    grid, options = Grid(case["h"], case["w"]), case["options"]
    separators = (options.get("w_separator", " "), options.get("h_separator", "\n"))
    tiles = sliding_text.split(case["text"], grid, *separators)
    assert tiles == case["tiles"]
    board = sliding_golden.boards(case["state"], grid)
    blank_text = options.get("blank_tile_text", "---")
    assert sliding_text.read(tiles, board, grid, blank_text, *separators, compat_separators=True) == case["observation"]


def test_a_text_keeps_its_lines_unless_separators_are_compatible():
    assert sliding_text.read(["a", "b", "c", "d"], [3, 0, 1, 2], Grid(2, 2)) == "c ---\na b"


def test_a_text_shorter_than_the_board_is_an_error():
    with pytest.raises(ValueError, match="3 characters for 4 tiles"):
        sliding_text.split("abc", Grid(2, 2))


@pytest.mark.parametrize("name", sliding_golden.RENDERS)
def test_recorded_sources_are_cut_again(name):
    case = sliding_golden.render(name)
    picture = sliding_pictures.load(case.source, case.height, case.width)
    np.testing.assert_array_equal(picture, case.picture)
    tiles = sliding_pictures.cut(picture, case.grid)
    np.testing.assert_array_equal(tiles, case.tiles)
    width, height = sliding_golden.archive(f"render_{name}")["tile_size_wh"]
    assert sliding_pictures.tile_size(case.height, case.width, case.grid) == (height, width)


@pytest.mark.parametrize("name", sliding_golden.RENDERS)
def test_recorded_boards_are_drawn_again(name):
    case = sliding_golden.render(name)
    for board, frame in zip(case.boards, case.frames, strict=True):
        drawn = sliding_pictures.compose(case.tiles, board, case.grid, case.height, case.width, case.background)
        np.testing.assert_array_equal(drawn, frame)


@pytest.mark.parametrize("name", sliding_golden.RENDERS)
def test_recorded_rollouts_are_played_and_drawn_again(name):
    case = sliding_golden.render(name)
    game = sliding.fresh(case.rollout_boards[0])
    for t, frame in enumerate(case.rollout_frames):
        np.testing.assert_array_equal(game.board, case.rollout_boards[t])
        drawn = sliding_pictures.compose(case.tiles, game.board, case.grid, case.height, case.width, case.background)
        np.testing.assert_array_equal(drawn, frame)
        if t < len(case.rollout_actions):
            game, _ = sliding.step(game, case.rollout_actions[t], case.grid)


def test_the_recorded_frame_with_channels_first_and_scaled_is_drawn_again():
    data, source = sliding_golden.archive("render_chw_normalised_3x3"), sliding_golden.render("3x3_84")
    board = sliding_golden.boards(data["state"], source.grid)
    frame = sliding_pictures.compose(source.tiles, board, source.grid, source.height, source.width)
    drawn = sliding_pictures.scaled(sliding_pictures.channels_first(frame))
    np.testing.assert_array_equal(drawn, data["obs"])
    assert drawn.dtype == data["obs"].dtype


def test_a_wide_picture_in_parts_that_do_not_divide_shows_all_but_its_last_row_of_tiles_when_solved():
    grid, (width, height) = Grid(3, 4), (96, 64)
    picture = sliding_pictures.load(sliding_golden.FOLDER / "images" / "src_120x90.png", height, width)
    tiles = sliding_pictures.cut(picture, grid)
    drawn = sliding_pictures.compose(tiles, sliding.solved_board(grid), grid, height, width)
    assert tiles.shape == (12, 22, 24, 3)
    assert drawn.shape == (64, 96, 3)
    np.testing.assert_array_equal(drawn[:44], picture[:44])
    assert not drawn[44:, 72:].any()


@pytest.mark.parametrize(("size", "cells"), [(84, 16), (80, 13), (64, 12), (96, 15), (100, 14)])
def test_the_smallest_square_grids_that_cannot_be_cut_are_the_known_ones(size, cells):
    picture = np.zeros((size, size, 3), np.uint8)
    sliding_pictures.cut(picture, Grid(2, cells - 1))
    with pytest.raises(ValueError, match="cannot be cut"):
        sliding_pictures.cut(picture, Grid(2, cells))
