"""Digits as pixels: a 5x7 and a 3x5 bitmap face, for numbers on tiles. Host side, NumPy."""

import numpy as np

_FIVE_BY_SEVEN = """
.###. ..#.. .###. .###. ...#. ##### ..##. ##### .###. .###.
#...# .##.. #...# #...# ..##. #.... .#... ....# #...# #...#
#..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ..##. ..##. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. .#... ....# ##### ....# #...# ..#.. #...# ....#
#...# ..#.. #.... #...# ...#. #...# #...# ..#.. #...# ...#.
.###. .###. ##### .###. ...#. .###. .###. ..#.. .###. .##..
"""
_THREE_BY_FIVE = """
### .#. ### ### #.# ### ### ### ### ###
#.# ##. ..# ..# #.# #.. #.. ..# #.# #.#
#.# .#. ### .## ### ### ### ..# ### ###
#.# .#. #.. ..# ..# ..# #.# ..# #.# ..#
### ### ### ### ..# ### ### ..# ### ###
"""


def _face(drawing: str) -> np.ndarray:
    """bool [10, rows, columns]."""
    lines = [line.split() for line in drawing.split("\n") if line]
    return np.array([[[mark == "#" for mark in digit] for digit in line] for line in lines]).swapaxes(0, 1)


FACES = (_face(_FIVE_BY_SEVEN), _face(_THREE_BY_FIVE))


def number(value: int, height: int, width: int) -> np.ndarray:
    """A mask bool [height, width] with the decimal digits of `value` in the middle, as large as they fit with a margin.

    Empty where not even the smaller face fits.
    """
    mask = np.zeros((height, width), bool)
    digits = [int(digit) for digit in str(value)]
    for face in FACES:
        rows, columns = face.shape[1], (face.shape[2] + 1) * len(digits) - 1
        scale = min((height - 2) // rows, (width - 2) // columns, max(1, int(0.6 * height) // rows))
        if scale >= 1:
            text = np.concatenate([np.pad(face[digit], ((0, 0), (0, 1))) for digit in digits], axis=1)[:, :-1]
            text = text.repeat(scale, 0).repeat(scale, 1)
            top, left = (height - text.shape[0]) // 2, (width - text.shape[1]) // 2
            mask[top : top + text.shape[0], left : left + text.shape[1]] = text
            return mask
    return mask
