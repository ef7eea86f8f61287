import itertools

import numpy as np
import pytest

from kagejax.assets import skins
from kagejax.assets.errors import AssetError

EXPECTED = [
    *("boy", "chibi", "clown", "cowboy", "cowboy_2", "dark_knight", "dark_knight_2", "dark_skeleton", "dog"),
    *("elder_skeleton", "elf", "enchanter", "farmer", "girl", "girl_2", "girl_3", "knight", "man", "robot"),
    *("scientist", "skeleton", "spy", "thief", "warrior", "woman", "woman_2", "woman_wizard"),
]
THREE_FRAMES = {"dark_knight", "dark_skeleton", "elder_skeleton", "girl_2", "woman_2"}


def placed(frame):
    """On the renderer's 24 x 16 place: feet on the last row, in the middle."""
    canvas = np.zeros((24, 16, 4), int)
    height, width = frame.shape[:2]
    left = 8 - width // 2
    canvas[24 - height :, left : left + width] = frame
    return canvas


def test_the_names_are_those_of_the_specification():
    assert list(skins.NAMES) == EXPECTED


@pytest.mark.parametrize("name", EXPECTED)
def test_a_skin_has_two_or_three_small_frames_of_one_size(name):
    frames = skins.frames(name)
    assert len(frames) == (3 if name in THREE_FRAMES else 2)
    assert len({frame.shape for frame in frames}) == 1
    height, width, channels = frames[0].shape
    assert 15 <= height <= 24 and 10 <= width <= 16 and channels == 4
    assert all(frame.dtype == np.uint8 and not frame.flags.writeable for frame in frames)


@pytest.mark.parametrize("name", EXPECTED)
def test_pixels_are_opaque_or_absent(name):
    assert all(set(np.unique(frame[..., 3])) == {0, 255} for frame in skins.frames(name))


@pytest.mark.parametrize("name", EXPECTED)
def test_feet_touch_the_last_row_and_something_the_first(name):
    frames = skins.frames(name)
    assert all(frame[-1, :, 3].any() for frame in frames)
    assert any(frame[0, :, 3].any() for frame in frames)


@pytest.mark.parametrize("name", EXPECTED)
def test_legs_move_between_frames(name):
    for before, after in itertools.combinations(skins.frames(name), 2):
        assert (before[-5:] != after[-5:]).any(-1).sum() >= 6


def test_characters_differ_in_colour():
    stand = np.stack([placed(skins.frames(name)[0]) for name in EXPECTED])
    for first, second in itertools.combinations(range(27), 2):
        assert np.abs(stand[first] - stand[second])[..., :3].mean() > 15, (EXPECTED[first], EXPECTED[second])


def test_most_characters_differ_in_outline():
    solid = np.stack([placed(skins.frames(name)[0])[..., 3] > 0 for name in EXPECTED])
    apart = np.array([(solid[i] ^ solid[j]).sum() for i, j in itertools.combinations(range(27), 2)])
    assert apart.min() >= 5
    assert np.mean(apart >= 25) > 0.9


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(AssetError, match="'ninja'.*boy, chibi, .*woman_wizard"):
        skins.frames("ninja")
