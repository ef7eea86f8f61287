"""The 27 built-in animated skins: pixel-art characters who walk to the right, composed by code from parts.

A character is stacked from its feet up: legs, torso, head; then hair and hats, things held and capes; then one dark outline.
"""

import functools

import numpy as np

from kagejax.assets import _limbs, _things
from kagejax.assets._cast import CAST, Character
from kagejax.assets._paint import colour
from kagejax.assets.errors import AssetError

Frames = tuple[np.ndarray, ...]
HEIGHT, WIDTH = 24, 16
LEFT = 4  # column of a body's left edge; bodies are 8 wide, so the middle of the canvas is the middle of the body
OUTLINE, SHADE = "1a1422", 0.7
NAMES = tuple(sorted(CAST))


@functools.cache
def frames(name: str) -> Frames:
    """The frames of a skin, 2 or 3 of u8 [h, w, 4] with h <= 24 and w <= 16, feet on the last row, alpha 0 or 255; read-only.

    Frame 0 stands, the others step. Raises AssetError for a name that is not in `NAMES`.
    """
    if name not in CAST:
        raise AssetError(f"There is no built-in skin {name!r}; there are {', '.join(NAMES)}.")
    character = CAST[name]
    draw = _dog if name == "dog" else _person
    return _trimmed([_outlined(draw(character, step)) for step in range(character.frames)])


def _paints(text: str) -> dict[str, np.ndarray]:
    """Letter to colour. A capital that is not given is the darker shade of its small letter."""
    given = {pair[0]: colour(pair[2:]) for pair in text.split()}
    return {letter.upper(): paint * SHADE for letter, paint in given.items()} | given


def _stamp(canvas: np.ndarray, paints: dict[str, np.ndarray], grid: str, top: int, left: int) -> None:
    for row, line in enumerate(_lines(grid), top):
        for column, letter in enumerate(line, left):
            if letter != "." and 0 <= row < HEIGHT and 0 <= column < WIDTH:
                canvas[row, column, :3] = np.rint(paints["s" if letter == "@" else letter])
                canvas[row, column, 3] = 255


def _lines(grid: str) -> list[str]:
    return grid.strip("\n").split("\n") if grid else []


def _person(character: Character, step: int) -> np.ndarray:
    """One frame before its outline, u8 [HEIGHT, WIDTH, 4]. Stepping lowers the body by a pixel: the legs spread."""
    canvas = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    stamp = functools.partial(_stamp, canvas, _paints(character.paints))
    legs = character.legs[step]
    hips = HEIGHT - 1 - len(_lines(legs))
    shoulders = hips - len(_lines(character.torso)) + (step > 0)
    crown = shoulders - len(_lines(character.head[0][0]))
    if character.back:
        stamp(character.back[min(step, 1)], shoulders, LEFT - 3)
    stamp(legs, hips, LEFT)
    arms, arms_left, hand = _arms(step)
    stamp(arms, shoulders, LEFT + arms_left)
    stamp(character.torso, shoulders, LEFT)
    for grid, row, column in character.chest:
        stamp(grid, shoulders + row, LEFT + column)
    for grid, row, column in character.head:
        stamp(grid, crown + row, LEFT + column)
    if character.held:
        grip_row, grip_column = _grip(character.held)
        stamp(character.held, shoulders + hand[0] - grip_row, LEFT + hand[1] - grip_column)
    return canvas


def _arms(step: int) -> tuple[str, int, tuple[int, int]]:
    """The grid, its column from the body's edge, and row and column of the far hand from the torso's corner."""
    return (
        (_limbs.ARMS_HANGING, -1, (4, 8)),
        (_limbs.ARMS_FORWARD, -1, (3, 9)),
        (_limbs.ARMS_BACK, -1, (2, 8)),
    )[step]


def _grip(held: str) -> tuple[int, int]:
    return next((row, line.index("@")) for row, line in enumerate(_lines(held)) if "@" in line)


def _dog(character: Character, step: int) -> np.ndarray:
    canvas = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    grid = _things.DOG[step]
    _stamp(canvas, _paints(character.paints), grid, HEIGHT - len(_lines(grid)), 0)
    return canvas


def _outlined(canvas: np.ndarray) -> np.ndarray:
    """Every empty pixel beside a painted one made dark: shapes stay readable on any background."""
    solid = np.pad(canvas[..., 3] > 0, 1)
    beside = solid[:-2, 1:-1] | solid[2:, 1:-1] | solid[1:-1, :-2] | solid[1:-1, 2:]
    edge = beside & ~solid[1:-1, 1:-1]
    out = canvas.copy()
    out[edge] = (*colour(OUTLINE).astype(np.uint8), 255)
    return out


def _trimmed(canvases: list[np.ndarray]) -> Frames:
    """All frames cut alike: empty rows above, and as many empty columns left as right, so that the body stays in the middle."""
    used = np.any([canvas[..., 3] > 0 for canvas in canvases], axis=0)
    top = int(np.argmax(used.any(1)))
    columns = np.flatnonzero(used.any(0))
    margin = int(min(columns[0], WIDTH - 1 - columns[-1]))
    cut = [canvas[top:, margin : WIDTH - margin].copy() for canvas in canvases]
    for canvas in cut:
        canvas.setflags(write=False)
    return tuple(cut)
