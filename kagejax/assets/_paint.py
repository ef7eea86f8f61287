"""Colours and brushes. A canvas is f64 [SIZE, SIZE, 3] in [0, 255]; masks and fields are f64 or bool [SIZE, SIZE]."""

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
    return np.stack([np.interp(field, places, stops[:, channel]) for channel in range(3)], -1)


def bands(text: str, field: np.ndarray) -> np.ndarray:
    """The same without blending: as many flat bands as colours."""
    stops = colours(text)
    return stops[np.clip((field * len(stops)).astype(np.int64), 0, len(stops) - 1)]


def sky(text: str, horizon: float = 1.0, power: float = 1.0) -> np.ndarray:
    """A canvas shaded from top to `horizon` (fraction of the height), flat below."""
    return ramp(text, np.clip(Y / horizon, 0, 1) ** power)


def lay(canvas: np.ndarray, mask: np.ndarray, paint: np.ndarray | str, strength: float = 1.0) -> np.ndarray:
    """The canvas with `paint` (a colour, its name or a canvas) where `mask` is, in proportion to it."""
    paint = colour(paint) if isinstance(paint, str) else paint
    share = (np.asarray(mask, np.float64) * strength)[..., None]
    return canvas + (paint - canvas) * share


def glow(canvas: np.ndarray, amount: np.ndarray, paint: Colour | str) -> np.ndarray:
    """Light added to the canvas."""
    paint = colour(paint) if isinstance(paint, str) else paint
    return canvas + np.asarray(amount, np.float64)[..., None] * paint


def shade(canvas: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """The canvas made darker (below 1) or brighter (above 1)."""
    return canvas * np.asarray(factor)[..., None]


def smooth(field: np.ndarray, low: float, high: float) -> np.ndarray:
    """0 below `low`, 1 above `high`, an S between."""
    t = np.clip((field - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def distance(x: float, y: float, stretch: float = 1.0) -> np.ndarray:
    """Pixels from (x, y), around the seam; `stretch` > 1 flattens circles into lying ellipses."""
    return np.sqrt((gap(COLUMN + 0.5, x) / stretch) ** 2 + (ROW + 0.5 - y) ** 2)


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
    canvas = canvas.copy()
    column, row = (np.asarray(place).astype(np.int64) for place in places)
    inside = (row >= 0) & (row < SIZE)
    canvas[row[inside], column[inside] % SIZE] = np.broadcast_to(paints, (len(row), 3))[inside]
    return canvas


def finished(canvas: np.ndarray) -> np.ndarray:
    """Rounded to u8."""
    return np.clip(np.rint(canvas), 0, 255).astype(np.uint8)
