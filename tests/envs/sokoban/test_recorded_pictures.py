"""Sokoban against recorded pictures and tiles of the reference, and against the oracle where nothing was recorded."""

import collections
import functools

import numpy as np
import pytest

from kagejax.envs.sokoban import themes
from tests.oracles import sokoban, sokoban_golden, sokoban_pictures

from .boards import random_puzzle
from .games import draw, entry_of, made

EXACT = [frame for frame in sokoban_golden.frames() if not frame.has_noise]
SIZES = ((6, 6), (7, 7), (8, 8), (10, 10))
OTHER_SIZES = ((3, 3), (4, 10), (9, 5), (5, 12), (13, 13), (16, 9), (21, 21))
BOARDS = 12


def size_of(text):
    rows = text.split("\n")
    return len(rows), len(rows[0])


@functools.cache
def drawn_again(size):
    """Recorded pictures of boards of a size without noise, and the same boards and goals as kagejax draws them."""
    frames = [frame for frame in EXACT if size_of(frame.text) == size]
    env, params = made([entry_of(frame.text, theme=frame.theme) for frame in frames])
    seen = draw(env, params, np.arange(len(frames), dtype=np.int32))
    return frames, {name: np.asarray(pictures) for name, pictures in seen.items()}


@pytest.mark.parametrize("size", SIZES)
def test_recorded_pictures_are_drawn_again(size):
    frames, seen = drawn_again(size)
    for i, frame in enumerate(frames):
        np.testing.assert_array_equal(
            seen["goal" if frame.is_goal else "board"][i], frame.picture, err_msg=f"frame {frame.index}"
        )


def test_all_recorded_pictures_are_looked_at():
    assert collections.Counter(size_of(frame.text) for frame in EXACT) == {(6, 6): 7, (8, 8): 41, (10, 10): 10, (7, 7): 1}
    assert sum(frame.is_goal for frame in EXACT) == 19
    assert sum(frame.theme["floor"] != sokoban_pictures.DEFAULT_THEME["floor"] for frame in EXACT) == 10
    assert sum("+" in frame.text for frame in EXACT) == 2


@pytest.mark.parametrize("size", sokoban_golden.BOARD_SIZES)
def test_recorded_tiles_are_drawn_again(size):
    tiles = themes.tiles(themes.DEFAULT, themes.geometry(size, size).cell)
    for kind, name in enumerate(themes.KINDS):
        for parity, word in enumerate(["even", "odd"]):
            np.testing.assert_array_equal(tiles[kind, parity], sokoban_golden.archive("tiles")[f"board{size}_{name}_{word}"])


def test_tiles_of_every_size_and_theme_are_those_of_the_oracle():
    random = np.random.default_rng(0)
    looks = [sokoban_pictures.DEFAULT_THEME, *(sokoban_pictures.random_theme(random) for _ in range(3))]
    for cell in range(1, 22):
        for look in looks:
            tiles = themes.tiles(themes.from_json(dict(look)), cell)
            for kind, name in enumerate(themes.KINDS):
                for odd in (False, True):
                    expected = sokoban_pictures.tile(sokoban_golden.TILES[name], odd, cell, look)
                    np.testing.assert_array_equal(tiles[kind, int(odd)], expected, err_msg=f"{name} of {cell} px")


@pytest.mark.parametrize("size", OTHER_SIZES)
def test_boards_of_other_sizes_are_drawn_as_by_the_oracle(size):
    random = np.random.default_rng(size)
    entries, expected, goals = [], [], []
    for i in range(BOARDS):
        puzzle = random_puzzle(random, *size, 1 + (size != (3, 3)), 0.2, border=False)
        marks = sokoban.Board(*size, *(frozenset(np.flatnonzero(mask).tolist()) for mask in puzzle[:2]))
        boxes = frozenset(np.flatnonzero(puzzle.boxes).tolist())
        if i % 3 == 0:  # a player who hides a goal, and a box on another one
            marks = marks._replace(goals=frozenset({puzzle.player, *list(boxes)[1:]}))
        look = sokoban_pictures.random_theme(random) | {"noise_std": 0.0}
        entries.append(entry_of(sokoban.write(marks, boxes, puzzle.player), theme=look))
        expected.append(sokoban_pictures.frame(marks, boxes, puzzle.player, look))
        goals.append(sokoban_pictures.goal_frame(marks, look))
    env, params = made(entries)
    seen = draw(env, params, np.arange(BOARDS, dtype=np.int32))
    np.testing.assert_array_equal(seen["board"], expected)
    np.testing.assert_array_equal(seen["goal"], goals)
