"""The 128 built-in backgrounds: 128x128 pictures drawn by code, seamless from the last column to the first.

Their subjects are listed in `_catalogue.py`. Drawing one takes some 12 ms and all of them a second and a half; the whole set
is then kept on disk.
"""

import functools

import numpy as np

from kagejax.assets import cache
from kagejax.assets._catalogue import CATALOGUE
from kagejax.assets._noise import SIZE, Dice
from kagejax.assets._paint import finished
from kagejax.assets.errors import AssetError

COUNT = len(CATALOGUE)
KEPT = "backgrounds"  # name in the cache
NAMES = tuple(f"bg-{index}" for index in range(1, COUNT + 1))
TITLES = tuple(entry.title for entry in CATALOGUE)


def picture(index: int) -> np.ndarray:
    """Picture `index`, from 1 to 128: u8 [128, 128, 3], read-only. Raises AssetError for any other index."""
    if not 1 <= index <= COUNT:
        raise AssetError(f"There is no built-in background {index}; they are numbered from 1 to {COUNT}.")
    if pictures.cache_info().currsize or cache.holds(KEPT):
        return pictures()[index - 1]
    return _alone(index)  # who needs one picture does not wait for the others


@functools.cache
def _alone(index: int) -> np.ndarray:
    drawn = draw(index)
    drawn.setflags(write=False)
    return drawn


@functools.cache
def pictures() -> np.ndarray:
    """All of them, u8 [128, 128, 128, 3], read-only: from the cache on disk, else drawn and put there."""
    shape = (COUNT, SIZE, SIZE, 3)
    kept = cache.load(KEPT, shape)
    if kept is None:
        kept = np.stack([draw(index) for index in range(1, COUNT + 1)])
        cache.store(KEPT, kept)
    kept.setflags(write=False)
    return kept


def draw(index: int) -> np.ndarray:
    """Picture `index` made anew, u8 [128, 128, 3]."""
    entry = CATALOGUE[index - 1]
    return finished(entry.brush(Dice(index), **entry.settings))
