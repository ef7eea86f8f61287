"""The 128 built-in backgrounds: 128x128 pictures drawn by code, seamless from the last column to the first.

Their subjects are listed in `_catalogue.py`. Drawing them all takes about a second; the set is kept on disk afterwards.
"""

import functools

import numpy as np

from kagejax.assets import _cache
from kagejax.assets._catalogue import CATALOGUE
from kagejax.assets._noise import SIZE, Dice
from kagejax.assets._paint import finished
from kagejax.assets.errors import AssetError

COUNT = len(CATALOGUE)
NAMES = tuple(f"bg-{index}" for index in range(1, COUNT + 1))
TITLES = tuple(entry.title for entry in CATALOGUE)


def picture(index: int) -> np.ndarray:
    """Picture `index`, from 1 to 128: u8 [128, 128, 3], read-only. Raises AssetError for any other index."""
    if not 1 <= index <= COUNT:
        raise AssetError(f"There is no built-in background {index}; they are numbered from 1 to {COUNT}.")
    return pictures()[index - 1]


@functools.cache
def pictures() -> np.ndarray:
    """All of them, u8 [128, 128, 128, 3], read-only: from the cache on disk, else drawn and put there."""
    shape = (COUNT, SIZE, SIZE, 3)
    kept = _cache.load("backgrounds", shape)
    if kept is None:
        kept = np.stack([draw(index) for index in range(1, COUNT + 1)])
        _cache.store("backgrounds", kept)
    kept.setflags(write=False)
    return kept


def draw(index: int) -> np.ndarray:
    """Picture `index` made anew, u8 [128, 128, 3]."""
    entry = CATALOGUE[index - 1]
    return finished(entry.brush(Dice(index), **entry.settings))
