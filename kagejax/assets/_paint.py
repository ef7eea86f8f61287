"""Colours and brushes. A canvas is f64 [SIZE, SIZE, 3] in [0, 255]; masks and fields are f64 or bool [SIZE, SIZE].

Anything that broadcasts to these shapes will do: one colour is a canvas, a row is a field. In memory the channels of a
canvas are planes, one after the other: NumPy's inner loops are then 128 long and not 3, which is twenty times faster.
"""

from collections.abc import Sequence

import numpy as np

from kagejax.assets._noise import COLUMN, ROW, SIZE, Y, gap

Colour = np.ndarray


def colour(text: str) -> Colour:
    """'d97706' as f64 [3]."""
    return np.array([int(text[place : place + 2], 16) for place in (0, 2, 4)], np.float64)


def colours(text: str) -> np.ndarray:
    """Space-separated colours as f64 [count, 3]."""
    return np.stack([colour(word) for word in text.split()])


def ramp(text: str, field: np.ndarray) -> np.ndarray:
    """A gradient through evenly spaced colours, looked up by a field in [0, 1]: f64 [..., 3]."""
    stops = colours(text)
    places = np.linspace(0, 1, len(stops))
    return np.moveaxis(np.stack([np.interp(field, places, stops[:, channel]) for channel in range(3)]), 0, -1)


def pick(palette: np.ndarray, index: np.ndarray) -> np.ndarray:
    """palette[index], f64 [..., 3], for a palette [count, 3]; indices wrap."""
    return np.moveaxis(palette.T[:, np.asarray(index, np.int64) % len(palette)], 0, -1)


def planar(canvas: np.ndarray) -> np.ndarray:
    """The same canvas with its channels as planes."""
    if canvas.ndim < 3 or canvas.strides[-1] > min(canvas.strides[:-1]):
        return canvas
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(canvas, -1, 0)), 0, -1)


def bands(text: str, field: np.ndarray) -> np.ndarray:
    """The same without blending: as many flat bands as colours."""
    stops = colours(text)
    return pick(stops, np.clip(field * len(stops), 0, len(stops) - 1))


def sky(text: str, horizon: float = 1.0, power: float = 1.0) -> np.ndarray:
    """A canvas shaded from top to `horizon` (fraction of the height), flat below."""
    shaded = ramp(text, np.clip(Y / horizon, 0, 1) ** power)
    return np.moveaxis(np.repeat(np.moveaxis(shaded, -1, 0), SIZE, 2), 0, -1)


def lay(canvas: np.ndarray, mask: np.ndarray, paint: np.ndarray | str, strength: float = 1.0) -> np.ndarray:
    """The canvas with `paint` (a colour, its name or a canvas) where `mask` is, in proportion to it."""
    paint = colour(paint) if isinstance(paint, str) else paint
    canvas, paint = planar(canvas), planar(paint)
    if mask.dtype == bool and strength == 1.0:
        return np.where(mask[..., None], paint, canvas)
    return canvas + (paint - canvas) * (mask * strength)[..., None]


def glow(canvas: np.ndarray, amount: np.ndarray, paint: Colour | str) -> np.ndarray:
    """Light added to the canvas."""
    paint = colour(paint) if isinstance(paint, str) else paint
    return planar(canvas) + amount[..., None] * planar(paint)


def shade(canvas: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """The canvas made darker (below 1) or brighter (above 1)."""
    return planar(canvas) * factor[..., None]


def smooth(field: np.ndarray, low: float, high: float) -> np.ndarray:
    """0 below `low`, 1 above `high`, an S between."""
    t = np.clip((field - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def distance(x: float, y: float, stretch: float = 1.0) -> np.ndarray:
    """Pixels from (x, y), around the seam; `stretch` > 1 flattens circles into lying ellipses."""
    across = gap(COLUMN[0] + 0.5, x) / stretch
    return np.sqrt((across**2)[None, :] + ((ROW[:, 0] + 0.5 - y) ** 2)[:, None])


def disc(x: float, y: float, radius: float, soft: float = 1.0) -> np.ndarray:
    """A round mask with an edge of `soft` pixels."""
    return np.clip((radius - distance(x, y)) / soft + 0.5, 0, 1)


def box(left: float, top: float, width: float, height: float) -> np.ndarray:
    """A mask of whole pixels that wraps at the seam."""
    return ((COLUMN - left) % SIZE < width) & (ROW - top >= 0) & (ROW - top < height)


def below(line: np.ndarray) -> np.ndarray:
    """The mask under a line of rows (f64 [SIZE]), with a soft edge."""
    return np.clip(ROW + 0.5 - line[None, :], 0, 1)


def specks(places: Sequence[np.ndarray], paints: np.ndarray, canvas: np.ndarray) -> np.ndarray:
    """Single pixels of the given colours (f64 [count, 3]) at (columns, rows)."""
    canvas = canvas.copy(order="K")
    column, row = (np.asarray(place).astype(np.int64) for place in places)
    inside = (row >= 0) & (row < SIZE)
    canvas[row[inside], column[inside] % SIZE] = np.broadcast_to(paints, (len(row), 3))[inside]
    return canvas


def trail(canvas: np.ndarray, x: np.ndarray, y: np.ndarray, paint: Colour, wide: int = 1, high: int = 1) -> None:
    """Paints rectangles whose corners are at the points (x, y), in place; `paint` is one colour or one a point ([count, 3])."""
    row, column = np.rint(y).astype(np.int64), np.rint(x).astype(np.int64)
    for down in range(high):
        for across in range(wide):
            inside = (row + down >= 0) & (row + down < SIZE)
            canvas[(row + down)[inside], (column + across)[inside] % SIZE] = np.broadcast_to(paint, (len(row), 3))[inside]


def finished(canvas: np.ndarray) -> np.ndarray:
    """The whole picture, rounded to u8 and in the usual order of memory."""
    rounded = np.clip(np.rint(planar(canvas)), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(np.broadcast_to(rounded, (SIZE, SIZE, 3)))


def patch(canvas: np.ndarray, left: float, top: float, mask: np.ndarray, paint: Colour | str) -> None:
    """Paints a small mask (bool [h, w]) into the canvas in place, its corner at (left, top); wraps sideways, is cut above."""
    paint = colour(paint) if isinstance(paint, str) else paint
    row, column = np.nonzero(mask)
    row, column = row + round(top), (column + round(left)) % SIZE
    inside = (row >= 0) & (row < SIZE)
    canvas[row[inside], column[inside]] = paint
