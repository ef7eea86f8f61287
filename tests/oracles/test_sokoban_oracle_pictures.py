"""The Sokoban oracle against recorded tiles and pictures, and its law of themes."""

import hashlib

import numpy as np
import pytest

from . import sokoban, sokoban_golden, sokoban_pictures

FRAMES = sokoban_golden.frames()
WITHOUT_NOISE = [frame for frame in FRAMES if not frame.has_noise]
WITH_NOISE = [frame for frame in FRAMES if frame.has_noise]
THEMES = {name: level.theme for name, level in sokoban_golden.levels().items() if level.theme}


def drawn(frame) -> np.ndarray:
    """A recorded picture drawn again, without its noise."""
    board, game = sokoban.parse(frame.text)
    if frame.is_goal:
        return sokoban_pictures.goal_frame(board, frame.theme)
    return sokoban_pictures.frame(board, game.boxes, game.player, frame.theme)


def test_the_recorded_pictures_are_those_that_their_digests_name():
    assert [hashlib.sha256(frame.picture.tobytes()).hexdigest() for frame in FRAMES] == [frame.digest for frame in FRAMES]
    assert (len(WITHOUT_NOISE), len(WITH_NOISE)) == (59, 3)


@pytest.mark.parametrize("frame", WITHOUT_NOISE, ids=lambda frame: str(frame.index))
def test_recorded_pictures_without_noise_are_drawn_again(frame):
    np.testing.assert_array_equal(drawn(frame), frame.picture)


@pytest.mark.parametrize("size", sokoban_golden.BOARD_SIZES)
@pytest.mark.parametrize("kind", sokoban_golden.TILES)
def test_recorded_tiles_are_drawn_again(size, kind):
    side, _, _ = sokoban_pictures.geometry(size, size)
    for odd, parity in enumerate(["even", "odd"]):
        tile = sokoban_pictures.tile(sokoban_golden.TILES[kind], bool(odd), side)
        np.testing.assert_array_equal(tile, sokoban_golden.archive("tiles")[f"board{size}_{kind}_{parity}"])


def test_the_recorded_tiles_are_all_named():
    names = {
        f"board{size}_{kind}_{parity}" for size in (6, 7, 8, 10) for kind in sokoban_golden.TILES for parity in ("even", "odd")
    }
    assert names == set(sokoban_golden.archive("tiles"))


@pytest.mark.parametrize(
    ("size", "expected"),
    [((6, 6), (10, 2, 2)), ((7, 7), (9, 0, 0)), ((8, 8), (8, 0, 0)), ((10, 10), (6, 2, 2)), ((4, 10), (6, 20, 2))],
)
def test_a_board_is_centred(size, expected):
    assert sokoban_pictures.geometry(*size) == expected


def test_margins_are_never_chequered():
    board, game = sokoban.parse("######\n#    #\n#    #\n#@$. #\n#    #\n######")
    picture = sokoban_pictures.frame(board, game.boxes, game.player)
    inside = np.zeros((64, 64), bool)
    inside[2:62, 2:62] = True
    assert (picture[~inside] == sokoban_pictures.DEFAULT_THEME["floor"]).all()
    assert (picture[inside] == sokoban_pictures.DEFAULT_THEME["floor_alt"]).all(-1).any()


@pytest.mark.parametrize("frame", WITH_NOISE, ids=lambda frame: str(frame.index))
def test_recorded_noise_has_the_spread_of_the_theme_and_is_cut_down(frame):
    clean = drawn(frame).astype(float)
    std = frame.theme["noise_std"]
    inside = (clean > 6 * std) & (clean < 255 - 6 * std)
    difference = (frame.picture - clean)[inside]
    count = difference.size
    assert count > 3000
    # Cut down to whole numbers: half a grey level darker, and a twelfth more variance.
    assert abs(difference.mean() + 0.5) < 4 * std / np.sqrt(count)
    assert abs(difference.std() - np.sqrt(std**2 + 1 / 12)) < 4 * std / np.sqrt(2 * count)


@pytest.mark.parametrize("frame", WITH_NOISE, ids=lambda frame: str(frame.index))
def test_recorded_noise_leaves_what_the_oracle_s_noise_leaves(frame):
    std, rng = frame.theme["noise_std"], np.random.default_rng(1)
    board, game = sokoban.parse(frame.text)
    noise = rng.normal(0, std, (64, 64, 3))
    noisy = sokoban_pictures.frame(board, game.boxes, game.player, frame.theme, noise)
    assert noisy.dtype == np.uint8
    assert abs(noisy.mean() - frame.picture.mean()) < 4 * std * np.sqrt(2 / noise.size)


@pytest.mark.parametrize(("added", "expected"), [(-0.25, 9), (0.75, 10), (-300.0, 0), (300.0, 255)])
def test_noise_is_cut_to_the_range_and_then_down(added, expected):
    assert sokoban_pictures.noisy(np.full((1, 1, 3), 10, np.uint8), np.full((1, 1, 3), added)).tolist() == [[[expected] * 3]]


@pytest.mark.parametrize("theme", [*THEMES.values(), *map(sokoban_pictures.random_theme, np.random.default_rng(0).spawn(50))])
def test_themes_lie_within_the_law(theme):
    assert theme.keys() == sokoban_pictures.DEFAULT_THEME.keys()
    for name, most in sokoban_pictures.JITTER.items():
        base = np.array(theme["floor"] if name == "floor_alt" else sokoban_pictures.DEFAULT_THEME[name])
        colour = np.array(theme[name])
        assert (colour >= np.clip(base - most, 20, 235)).all(), name
        assert (colour <= np.clip(base + most, 20, 235)).all(), name
    assert isinstance(theme["checker"], bool)
    assert 0 <= theme["noise_std"] < 6


def test_themes_are_as_often_low_in_contrast_as_published():
    rng, draws = np.random.default_rng(0), 4000
    themes = [sokoban_pictures.random_theme(rng) for _ in range(draws)]
    distances = [np.linalg.norm(np.subtract(theme["box"], theme["box_on_goal"])) for theme in themes]
    assert abs(np.mean(np.array(distances) < 30) - 0.048) < 4 * np.sqrt(0.048 / draws)
