"""The 27 built-in animated skins, composed from parts: pixel-art people who walk to the right."""

import functools

import numpy as np

from kagejax.assets import _parts
from kagejax.assets._paint import colour
from kagejax.assets.errors import AssetError

Frames = tuple[np.ndarray, ...]
HEIGHT, WIDTH = 24, 16
THREE = ("dark_knight", "dark_skeleton", "elder_skeleton", "girl_2", "woman_2")
NAMES = (
    *("boy", "chibi", "clown", "cowboy", "cowboy_2", "dark_knight", "dark_knight_2", "dark_skeleton", "dog"),
    *("elder_skeleton", "elf", "enchanter", "farmer", "girl", "girl_2", "girl_3", "knight", "man"),
    *("robot", "scientist", "skeleton", "spy", "thief", "warrior", "woman", "woman_2", "woman_wizard"),
)


@functools.cache
def frames(name: str) -> Frames:
    """The frames of a skin, 2 or 3 of u8 [h, w, 4] with h <= 24 and w <= 16, feet on the last row, alpha 0 or 255; read-only.

    Frame 0 stands, the others step. Raises AssetError for a name that is not in `NAMES`.
    """
    if name not in NAMES:
        raise AssetError(f"There is no built-in skin {name!r}; there are {', '.join(NAMES)}.")
    hue = NAMES.index(name)
    out = []
    for step in range(3 if name in THREE else 2):
        canvas = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
        paints = {
            "h": "5a3a22",
            "s": "f0c090",
            "e": "202020",
            "t": f"{hue * 9:02x}80{255 - hue * 9:02x}",
            "l": "304080",
            "b": "402010",
        }
        head = _parts.SKULL if "skeleton" in name else _parts.HEAD
        for grid, top, left in ((_parts.LEGS[step], 19, 4), (_parts.TORSO, 13, 4), (head, 5, 4)):
            for row, line in enumerate(grid.strip("\n").split("\n")):
                for column, letter in enumerate(line):
                    if letter != ".":
                        canvas[top + row, left + column] = (*colour(paints.get(letter.lower(), "d0d0d0")).astype(np.uint8), 255)
        canvas.setflags(write=False)
        out.append(canvas)
    return tuple(out)
