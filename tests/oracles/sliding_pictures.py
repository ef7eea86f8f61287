"""Oracle of picture puzzles: how a picture is cut into tiles, and how a board of them looks. Resampling is Pillow's."""

import math
import pathlib
from collections.abc import Sequence

import numpy as np
from PIL import Image

from .sliding import Grid


def load(path: pathlib.Path | str, height: int, width: int) -> np.ndarray:
    """The picture of a file, stretched to the size of an observation, u8 [height, width, 3]."""
    with Image.open(path) as image:
        return resize(np.asarray(image.convert("RGB")), height, width)


def resize(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """`picture` u8 [h, w, 3] stretched by Pillow's antialiased bicubic filter, u8 [height, width, 3]."""
    return np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.BICUBIC))


def tile_size(height: int, width: int, grid: Grid) -> tuple[int, int]:
    """Height and width of a tile in pixels: a part of the picture rounded up."""
    return math.ceil(height / grid.rows), math.ceil(width / grid.columns)


def cut(picture: np.ndarray, grid: Grid) -> np.ndarray:
    """The tiles of a picture, u8 [N, th, tw, 3], that of tile v at place v - 1.

    What the border of the picture cuts short is stretched back to the whole tile; a tile with nothing left is black.
    Raises ValueError if a tile would start beyond the border.
    """
    height, width, _ = picture.shape
    th, tw = tile_size(height, width, grid)
    if (grid.rows - 1) * th > height or (grid.columns - 1) * tw > width:
        raise ValueError(f"a picture of {height}x{width} pixels cannot be cut into {grid.rows}x{grid.columns} tiles")
    tiles = np.zeros((grid.cells, th, tw, 3), np.uint8)
    for place, tile in enumerate(tiles):
        row, column = divmod(place, grid.columns)
        part = picture[row * th : (row + 1) * th, column * tw : (column + 1) * tw]
        if part.size:
            tile[:] = resize(part, th, tw)
    return tiles


def compose(
    tiles: np.ndarray, board: Sequence[int], grid: Grid, height: int, width: int, background: Sequence[int] = (0, 0, 0)
) -> np.ndarray:
    """The picture of a board, u8 [height, width, 3]: the blank shows the background, the border cuts tiles that cross it."""
    _, th, tw, _ = tiles.shape
    canvas = np.empty((grid.rows * th, grid.columns * tw, 3), np.uint8)
    canvas[:] = background
    for place, value in enumerate(board):
        if value:
            y, x = place // grid.columns * th, place % grid.columns * tw
            canvas[y : y + th, x : x + tw] = tiles[value - 1]
    return canvas[:height, :width]


def channels_first(picture: np.ndarray) -> np.ndarray:
    """[h, w, 3] as [3, h, w]."""
    return picture.transpose(2, 0, 1)


def scaled(picture: np.ndarray) -> np.ndarray:
    """Grey levels over 255, f32 in [0, 1]."""
    return picture.astype(np.float32) / np.float32(255)
