"""Observations that are layers, as one picture: a small square per layer, under its name."""

from collections.abc import Sequence

import numpy as np

from .drawing import Canvas, enlarged, width_of

COLUMNS, GAP, NAME, NAME_WIDTH = 8, 4, 12, 46
PAPER, INK = (30, 31, 36), (150, 152, 160)
EMPTY, FULL, OFF = (44, 46, 54), (235, 190, 80), (24, 25, 29)
"""Of a 0 and a 1; of a 0 in a layer without any 1."""
FACE = 39
"""Extent that a layer is enlarged to, about."""


def sheet(observation: np.ndarray, names: Sequence[str] = ()) -> np.ndarray:
    """Layers [height, width, count] of 0 and 1 as u8 [., ., 3]; without names each entry is one pixel."""
    height, width, count = observation.shape
    factor, head, gap = (max(1, FACE // max(height, width)), NAME, GAP) if names else (1, 0, 1)
    down = height * factor
    across = max(width * factor, NAME_WIDTH if names else 0)
    columns = min(COLUMNS, count)
    page = Canvas(columns * (across + gap) - gap, -(-count // columns) * (down + head + gap) - gap, PAPER)
    for place in range(count):
        left, top = place % columns * (across + gap), place // columns * (down + head + gap)
        layer = observation[..., place] > 0
        colors = np.array([EMPTY if layer.any() else OFF, FULL], np.uint8)
        page.picture(left, top + head, enlarged(colors[layer.astype(int)], factor))
        if names:
            page.text(left, top, fitting(names[place], across, 9), 9, INK)
    return page.pixels


def fitting(text: str, width: int, size: int) -> str:
    """As much of a text as fits."""
    if width_of(text, size) <= width:
        return text
    while text and width_of(f"{text}…", size) > width:
        text = text[:-1]
    return f"{text}…"
