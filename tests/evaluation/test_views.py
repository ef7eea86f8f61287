"""Observations of any kind become pictures that a person can read."""

import numpy as np
import pytest

from kagejax.core import Box, Text
from kagejax.evaluation import views


class Seen:
    """As much of an environment as a view needs."""

    def __init__(self, space):
        self.observation_space = space

    def text_of(self, codes):
        return "".join(chr(code) for code in codes)


BOX = Seen(Box(0, 1, (3,)))


def test_pictures_stay_as_they_are():
    picture = np.random.default_rng(0).integers(0, 256, (5, 7, 3), np.uint8)
    np.testing.assert_array_equal(views.view(BOX, picture), picture)
    np.testing.assert_array_equal(views.view(BOX, picture.transpose(2, 0, 1)), picture)
    np.testing.assert_array_equal(views.view(BOX, picture.astype(np.float32) / 255), picture)


def test_a_board_becomes_squares_from_black_to_white():
    page = views.view(BOX, np.array([[-1, 1], [3, 7]]))
    size = views.SIZE // 2
    assert page.shape == (2 * size, 2 * size, 3)
    assert [page[row, column, 0] for row in (0, -1) for column in (0, -1)] == [0, 64, 128, 255]


def test_a_vector_is_folded_as_near_to_a_square_as_it_divides():
    assert views.view(BOX, np.eye(9).reshape(-1)).shape[0] == views.view(BOX, np.eye(9).reshape(-1)).shape[1]
    tall, wide, _ = views.view(BOX, np.arange(18.0)).shape
    assert wide == 2 * tall


def test_equal_values_are_black():
    assert not views.view(BOX, np.full((2, 2), 5.0)).any()


def test_tokens_are_written_out_on_a_page_that_holds_them():
    env = Seen(Text(40, 128))
    short, long = (views.view(env, [ord(letter) for letter in text]) for text in ("a", "a long line of many words, and more"))
    assert short.shape[:2] == (views.SIZE, views.SIZE) and long.shape[1] > views.SIZE
    assert short.max() > 150


def test_what_has_no_view_is_said():
    with pytest.raises(ValueError, match=r"shape \(2, 2, 2\) have no view"):
        views.view(BOX, np.zeros((2, 2, 2)))


def test_films_of_different_lengths_and_sizes_come_together():
    small, large = np.full((2, 1, 4, 4, 3), 9, np.uint8), np.full((3, 1, 8, 8, 3), 7, np.uint8)
    film = views.together([small, large])
    assert film.shape == (3, 2, 8, 8, 3)
    assert (film[:, 0] == 9).all() and (film[:, 1] == 7).all()


def test_the_parts_of_a_dictionary_stand_side_by_side():
    parts = {"board": np.full((2, 1, 4, 4, 3), 9, np.uint8), "goal": np.full((2, 1, 4, 4, 3), 7, np.uint8)}
    film = views.pictures(BOX, parts)
    assert film.shape == (2, 1, 4, 8, 3) and (film[..., :4, :] == 9).all() and (film[..., 4:, :] == 7).all()
