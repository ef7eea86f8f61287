"""Contact sheets: many pictures in one, to look at."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

GAP = 2
LABEL_HEIGHT = 12
PAPER, CHECKS = (24, 24, 28), (104, 120)  # around the cells; behind transparent pixels


def contact_sheet(
    pictures: Sequence[np.ndarray], columns: int, labels: Sequence[str] | None = None, scale: int = 1
) -> np.ndarray:
    """All pictures in rows of `columns`, u8 [height, width, 3].

    Pictures are u8 [h, w, 3] or [h, w, 4] (transparency over a chequered ground), of any sizes: each stands at the bottom
    middle of a cell as large as the largest, magnified `scale` times without smoothing. Raises ValueError for no picture,
    for fewer than one column, and for a number of labels other than that of pictures.
    """
    if not pictures or columns < 1 or scale < 1:
        raise ValueError(f"A contact sheet needs a picture, a column and a scale; got {len(pictures)}, {columns} and {scale}.")
    if labels is not None and len(labels) != len(pictures):
        raise ValueError(f"There are {len(pictures)} pictures but {len(labels)} labels; give one label for each.")
    cell_height = scale * max(picture.shape[0] for picture in pictures)
    cell_width = scale * max(picture.shape[1] for picture in pictures)
    pitch_y, pitch_x = cell_height + GAP + (LABEL_HEIGHT if labels else 0), cell_width + GAP
    rows = -(-len(pictures) // columns)
    sheet = np.empty((rows * pitch_y + GAP, columns * pitch_x + GAP, 3), np.uint8)
    sheet[:] = PAPER
    for place, picture in enumerate(pictures):
        tile = _opaque(picture).repeat(scale, 0).repeat(scale, 1)
        bottom = GAP + place // columns * pitch_y + cell_height
        left = GAP + place % columns * pitch_x + (cell_width - tile.shape[1]) // 2
        sheet[bottom - tile.shape[0] : bottom, left : left + tile.shape[1]] = tile
    return _with_labels(sheet, labels, columns, pitch_x, pitch_y, cell_height) if labels else sheet


def _opaque(picture: np.ndarray) -> np.ndarray:
    if picture.shape[2] == 3:
        return picture
    row, column = np.indices(picture.shape[:2])
    checks = np.where((row // 4 + column // 4) % 2, *CHECKS)[..., None]
    alpha = picture[..., 3:].astype(np.int64)
    return ((picture[..., :3] * alpha + checks * (255 - alpha)) // 255).astype(np.uint8)


def _with_labels(
    sheet: np.ndarray, labels: Sequence[str], columns: int, pitch_x: int, pitch_y: int, cell_height: int
) -> np.ndarray:
    image = Image.fromarray(sheet)
    pen = ImageDraw.Draw(image)
    for place, label in enumerate(labels):
        corner = (GAP + place % columns * pitch_x, GAP + place // columns * pitch_y + cell_height)
        pen.text(corner, label, fill=(230, 230, 230))
    return np.array(image)
