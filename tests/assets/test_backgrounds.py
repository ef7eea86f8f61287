import hashlib
import subprocess
import sys
import time

import numpy as np
import pytest

from kagejax.assets import _noise, backgrounds
from kagejax.assets.errors import AssetError

SAMPLE = range(1, 129, 9)


@pytest.fixture(scope="module")
def drawn():
    start = time.process_time()
    pictures = np.stack([backgrounds.draw(index) for index in range(1, 129)])
    return pictures, time.process_time() - start


def test_there_are_128_pictures_of_128_by_128_pixels(drawn):
    pictures, _ = drawn
    assert pictures.shape == (128, 128, 128, 3)
    assert pictures.dtype == np.uint8
    assert backgrounds.NAMES[0] == "bg-1" and backgrounds.NAMES[127] == "bg-128" and len(backgrounds.NAMES) == 128
    assert len(set(backgrounds.TITLES)) == 128


def test_drawing_all_of_them_takes_a_few_seconds_at_most(drawn):
    _, seconds = drawn
    print(f"128 backgrounds drawn in {seconds:.2f} s of processor time")
    assert seconds < 6.0  # twice what is wanted of a quiet core


def test_the_last_column_joins_the_first_as_neighbours_inside_do(drawn):
    pictures, _ = drawn
    steps = np.abs(np.roll(pictures, -1, 2).astype(int) - pictures).mean((1, 3))
    seam, inside = steps[:, -1], steps[:, :-1]
    torn = [backgrounds.TITLES[place] for place in np.flatnonzero(seam > 1.05 * inside.max(1) + 0.5)]
    assert torn == []


def test_no_two_pictures_look_alike(drawn):
    pictures, _ = drawn
    coarse = pictures.reshape(128, 32, 4, 32, 4, 3).mean((2, 4))
    apart = np.abs(coarse[:, None] - coarse[None]).mean((2, 3, 4)) + 1e3 * np.eye(128)
    nearest = np.unravel_index(np.argmin(apart), apart.shape)
    assert apart.min() > 12, [backgrounds.TITLES[place] for place in nearest]


def test_few_pairs_share_their_colours(drawn):
    pictures, _ = drawn
    bins = (pictures // 64).astype(int) @ np.array([16, 4, 1])
    share = np.stack([np.bincount(picture.ravel(), minlength=64) / 128**2 for picture in bins])
    apart = np.abs(share[:, None] - share[None]).sum(-1)[np.triu_indices(128, 1)] / 2
    assert np.mean(apart > 0.5) > 0.8


def test_brightness_and_contrast_vary_widely(drawn):
    pictures, _ = drawn
    brightness, contrast = pictures.mean((1, 2, 3)), pictures.std((1, 2, 3))
    assert brightness.min() < 50 and brightness.max() > 200
    assert contrast.min() < 30 and contrast.max() > 90


def test_another_process_draws_the_same(drawn):
    pictures, _ = drawn
    code = (
        "import hashlib; from kagejax.assets import backgrounds;"
        f"print(hashlib.sha256(b''.join(backgrounds.draw(i).tobytes() for i in {list(SAMPLE)})).hexdigest())"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert told == hashlib.sha256(b"".join(pictures[index - 1].tobytes() for index in SAMPLE)).hexdigest()


def test_a_picture_does_not_depend_on_those_drawn_before(drawn):
    pictures, _ = drawn
    assert all((backgrounds.draw(index) == pictures[index - 1]).all() for index in (128, 7, 64))


def test_the_dice_are_splitmix_in_plain_integers():
    mask = 2**64 - 1

    def mix(word):
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & mask
        word = (word ^ word >> 27) * 0x94D049BB133111EB & mask
        return word ^ word >> 31

    seed = mix(7 + 0x9E3779B97F4A7C15 & mask)
    expected = [(mix(mix(count * 0x9E3779B97F4A7C15 & mask) ^ seed) >> 11) * 2.0**-53 for count in range(5)]
    dice = _noise.Dice(7)
    assert [*dice.uniform(shape=(2,)), dice.one(), *dice.uniform(shape=(2,))] == expected


@pytest.mark.parametrize("index", [0, 129, -1])
def test_an_index_out_of_range_is_refused_with_the_range(index):
    with pytest.raises(AssetError, match="from 1 to 128"):
        backgrounds.picture(index)
