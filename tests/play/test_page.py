"""The page of the window: everything on it, nothing over the edge."""

import numpy as np
import pytest

from kagejax.play import layers, page
from kagejax.play.drawing import Canvas, width_of
from kagejax.play.session import Seen

RED, BLUE = (255, 0, 0), (0, 0, 255)


def words(metrics=8):
    return page.Words(
        "a title", "episode 0, seed 0", "playing", "going",
        (("step", "1"), ("return", "2"), ("reward", "3")),
        [(f"metric {place}", str(place)) for place in range(metrics)],
        [("← A", "left"), ("Q", "quit")],
    )  # fmt: skip


def flat(height, width, color):
    return np.full((height, width, 3), color, np.uint8)


def extent(pixels, color):
    """Rows and columns of what has exactly that colour."""
    rows, columns = np.nonzero((pixels == color).all(-1))
    return rows.max() - rows.min() + 1, columns.max() - columns.min() + 1


@pytest.mark.parametrize(("size", "factor"), [(64, 8), (84, 6), (128, 4), (256, 2), (512, 1)])
def test_a_new_window_shows_a_picture_about_512_pixels_large(size, factor):
    width, height = page.window_size((size, size), 0, (1920, 1080))
    pixels = page.compose(words(), flat(size, size, RED), [], width, height)
    assert pixels.shape == (height, width, 3)
    assert extent(pixels, RED) == (factor * size, factor * size)


def test_a_scale_is_kept_where_there_is_room():
    width, height = page.window_size((64, 64), 3, (1920, 1080))
    assert extent(page.compose(words(), flat(64, 64, RED), [], width, height, 3), RED) == (192, 192)


def test_a_picture_larger_than_the_window_is_made_smaller_not_cut():
    picture = flat(1000, 1000, RED)
    picture[-1:] = picture[:, -1:] = BLUE
    pixels = page.compose(words(), picture, [], 900, 600)
    height, width = extent(pixels, RED)
    assert height == width or abs(height - width) <= 1
    assert 400 < height < 500


@pytest.mark.parametrize("size", [(960, 640), (500, 300), (300, 200), (60, 40), (3000, 2000)])
def test_any_size_of_a_window_can_be_drawn(size):
    seen = [Seen("board u8 64 x 64 x 3", flat(64, 64, BLUE), True), Seen("tokens i32 43", flat(84, 200, BLUE), False)]
    assert page.compose(words(30), flat(128, 128, RED), seen, *size).shape == (size[1], size[0], 3)
    assert page.waiting("a title", "compiling", 3.0, *size).shape == (size[1], size[0], 3)


def test_what_the_agent_sees_stands_beside_it_exactly_or_enlarged_by_a_whole_factor():
    pixels = page.compose(words(), flat(128, 128, RED), [Seen("u8", flat(128, 128, BLUE), True)], 960, 640)
    assert extent(pixels, BLUE) == (128, 128)
    pixels = page.compose(words(), flat(64, 64, RED), [Seen("u8", flat(64, 64, BLUE), True)], 960, 640)
    assert extent(pixels, BLUE) == (128, 128)


def test_metrics_that_do_not_fit_are_counted():
    full, fewer = (page.compose(words(count), flat(64, 64, RED), [], 960, 420) for count in (8, 60))
    assert (full != fewer).any()
    drawn = []

    class Told(Canvas):
        def text(self, x, y, text, *more, **kinds):
            drawn.append(text)
            return super().text(x, y, text, *more, **kinds)

    page._metrics(Told(960, 420, RED), words(60).metrics, 500, 200, 370)
    assert "metric 0" in drawn and f"{60 - 2 * 9} more: enlarge the window" in drawn


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "yes"), (False, "no"), (3, "3"), (2.0, "2"), (0.12345, "0.123"), (-1234.56, "-1234.6"), (float("nan"), "nan")],
)
def test_figures_are_short(value, text):
    assert page.number(value) == text


def test_layers_stand_side_by_side_under_names_that_fit():
    observation = np.zeros((13, 13, 3), np.uint8)
    observation[2, 5, 1] = 1
    named = layers.sheet(observation, ["visited", "agent", "a name that is much too long"])
    assert named.shape == (12 + 39, 3 * 46 + 2 * 4, 3)
    assert extent(named, layers.FULL) == (3, 3)
    assert layers.fitting("a name that is much too long", 46, 9).endswith("…")
    assert width_of(layers.fitting("a name that is much too long", 46, 9), 9) <= 46
    bare = layers.sheet(observation)
    assert bare.shape == (13, 3 * 14 - 1, 3) and tuple(bare[2, 14 + 5]) == layers.FULL
