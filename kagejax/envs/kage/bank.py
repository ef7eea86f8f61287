"""The pixels of a batch of configurations, each stored once: padded pictures and sprites. Host side, NumPy."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.raster import shapes

from .bake import stored
from .params import Bank


class PictureBank:
    """Background pictures, each laid out so that any window that can be on screen is one slice."""

    def __init__(self):
        self._rows: list[np.ndarray] = []
        self._known: dict[tuple, int] = {}

    def add(self, picture: np.ndarray, tile: bool, screen_width: int) -> int:
        """Entry of `picture`, u16 [height, width, 3] by `bake.Paint`: repeated to the right, or with edges drawn out."""
        key = (picture.tobytes(), picture.shape, tile)
        if key not in self._known:
            if tile:
                margins, mode = (0, screen_width), "wrap"
            else:
                margins, mode = (screen_width, screen_width), "edge"
            self._known[key] = len(self._rows)
            self._rows.append(np.pad(picture, ((0, 0), margins, (0, 0)), mode=mode))
        return self._known[key]

    def array(self, height: int, width: int, fine: bool) -> np.ndarray:
        """[entries, height, 3 * columns], u16 if `fine`, else u8; one black entry if there is no picture."""
        rows = [stored(row, fine) for row in self._rows or [np.zeros((height, width, 3), np.uint16)]]
        columns = max(row.shape[1] for row in rows)
        bank = np.zeros((len(rows), height, columns, 3), rows[0].dtype)
        for entry, row in zip(bank, rows, strict=True):
            entry[:, : row.shape[1]] = row
        return bank.reshape(len(rows), height, 3 * columns)


class SpriteBank:
    """Sprites in boxes of one size that share one anchor: the pixel where the agent's or an NPC's centre goes."""

    def __init__(self):
        self._entries: list[tuple[np.ndarray, int, int]] = []
        self._known: dict[tuple, int] = {}

    def add_standing(self, frame: np.ndarray, half_height: int) -> int:
        """Entry of a sprite, RGBA u16 by `bake.Paint`, whose last row is the one above `half_height` rows below the anchor."""
        return self._add(frame, half_height - frame.shape[0], -(frame.shape[1] // 2))

    def add_centred(self, frame: np.ndarray) -> int:
        """Entry of a sprite with odd sides whose middle pixel is at the anchor."""
        return self._add(frame, -(frame.shape[0] // 2), -(frame.shape[1] // 2))

    def _add(self, frame: np.ndarray, top: int, left: int) -> int:
        key = (frame.tobytes(), frame.shape, top, left)
        if key not in self._known:
            self._known[key] = len(self._entries)
            self._entries.append((frame, top, left))
        return self._known[key]

    @property
    def box(self) -> tuple[int, int]:
        """Rows and columns of the box that holds every sprite."""
        up, down, left, right = self._extent()
        return up + down, left + right

    @property
    def soft(self) -> bool:
        """Whether some pixel is neither opaque nor transparent."""
        return any(((frame[..., 3] > 0) & (frame[..., 3] < 255)).any() for frame, _, _ in self._entries)

    def _extent(self) -> tuple[int, int, int, int]:
        extents = [(-top, top + f.shape[0], -left, left + f.shape[1]) for f, top, left in self._entries] or [(0, 1, 0, 1)]
        return tuple(int(side) for side in np.max(extents, axis=0))

    def bank(self, pictures: np.ndarray, fine: bool) -> Bank:
        """All pixels: sprites padded by one box on every side with transparent ones, beside the `pictures`."""
        (rows, columns), (up, _, left, _) = self.box, self._extent()
        padded = np.zeros((max(len(self._entries), 1), 3 * rows, 3 * columns, 4), np.uint16)
        for entry, (frame, top, first) in zip(padded, self._entries, strict=False):
            row, column = rows + up + top, columns + left + first
            entry[row : row + frame.shape[0], column : column + frame.shape[1]] = frame
        flat = (len(padded), 3 * rows, 9 * columns)
        alpha = np.repeat(padded[..., 3:], 3, axis=-1).astype(np.uint8).reshape(flat)
        return Bank(pictures, stored(padded[..., :3], fine).reshape(flat), alpha, np.array([up, left], np.int32))


def shape_sprite(kind: str, color: tuple[int, int, int], width: int, height: int) -> np.ndarray:
    """An upright shape as a sprite, RGBA u8 with odd sides: what the shape pass would draw at angle 0."""
    size = max(width, height)
    reach = shapes.reach((kind,), size)
    lines = np.arange(-reach, reach + 1, dtype=np.int32)
    figure = shapes.Shape(
        kind=np.int32(shapes.KINDS.index(kind)),
        column=np.int32(0),
        row=np.int32(0),
        size=np.float32(min(width, height)),
        angle=np.float32(0),
        ellipse_x=np.float32(width / 2),
        ellipse_y=np.float32(height / 2),
        diamond_y=np.float32(min(width, height) / 2),
    )
    firsts = np.arange(-reach, reach + 1, shapes.WORD, dtype=np.int32)
    words = np.asarray(_upright_words(figure, jnp.asarray(lines), jnp.asarray(firsts)))
    mask = (words[:, :, None] >> np.arange(shapes.WORD, dtype=np.uint32)) & 1
    mask = mask.transpose(1, 0, 2).reshape(len(lines), -1)[:, : len(lines)].astype(bool)
    return np.where(mask[..., None], np.array([*color, 255], np.uint8), np.uint8(0))


@jax.jit
def _upright_words(figure: Any, lines: jax.Array, firsts: jax.Array) -> jax.Array:
    return jax.vmap(lambda first: shapes.row_words(figure, shapes.KINDS, lines, first))(firsts)
