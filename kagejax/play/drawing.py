"""A page of pixels to write and paint on. Knows no window."""

import functools

import numpy as np
from PIL import Image, ImageDraw, ImageFont

Color = tuple[int, int, int]
TURNS = {"↑": 0, "←": 90, "↓": 180, "→": 270}
"""Arrows, which the font does not have, and how far each is turned, degrees."""


class Canvas:
    """u8 `pixels` [height, width, 3]. What is drawn beyond an edge is cut."""

    def __init__(self, width: int, height: int, color: Color):
        self.pixels = np.empty((height, width, 3), np.uint8)
        self.pixels[:] = color

    def text(self, x: int, y: int, text: str, size: int, color: Color, align: str = "left") -> int:
        """A line of text from (x, y), its top left, or top right with align "right"; gives its width."""
        mask = _mask(text, size)
        left = x - mask.shape[1] if align == "right" else x
        rows, columns = (
            slice(min(max(-at, 0), extent), max(min(whole - at, extent), 0))
            for at, extent, whole in zip((y, left), mask.shape, self.pixels.shape, strict=False)
        )
        mask = mask[rows, columns, None]
        part = self.pixels[max(y, 0) :, max(left, 0) :][: mask.shape[0], : mask.shape[1]]
        part[:] = (part * (255 - mask) + np.array(color) * mask + 127) // 255
        return width_of(text, size)

    def picture(self, x: int, y: int, picture: np.ndarray) -> None:
        """A picture u8 [height, width, 3] with its top left at (x, y)."""
        part = self.pixels[y : y + picture.shape[0], x : x + picture.shape[1]]
        part[:] = picture[: part.shape[0], : part.shape[1]]

    def box(self, x: int, y: int, width: int, height: int, color: Color) -> None:
        """A filled rectangle."""
        self.pixels[max(y, 0) : y + height, max(x, 0) : x + width] = color


def width_of(text: str, size: int) -> int:
    """Width of a line of text in pixels."""
    if text in TURNS:
        return size
    return int(np.ceil(_font(size).getlength(text)))


def enlarged(picture: np.ndarray, factor: int) -> np.ndarray:
    """A picture magnified by a whole factor, without smoothing."""
    return picture.repeat(factor, 0).repeat(factor, 1)


def shrunk(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """A picture made smaller, to fit, by averaging."""
    factor = min(height / picture.shape[0], width / picture.shape[1])
    size = max(1, round(picture.shape[1] * factor)), max(1, round(picture.shape[0] * factor))
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BOX))


@functools.cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.load_default(size)


@functools.lru_cache(maxsize=4096)
def _mask(text: str, size: int) -> np.ndarray:
    """Opacity i32 [height, width] of a line of text."""
    page = Image.new("L", (max(1, width_of(text, size)), round(1.3 * size)), 0)
    if text in TURNS:
        page.paste(_arrow(size).rotate(TURNS[text]), (0, round(0.15 * size)))
        return np.asarray(page).astype(np.int32)
    ImageDraw.Draw(page).text((0, 0), text, fill=255, font=_font(size))
    return np.asarray(page).astype(np.int32)


def _arrow(size: int) -> Image.Image:
    """An arrow upwards, drawn large and made small for smooth edges."""
    page = Image.new("L", (100, 100), 0)
    pen = ImageDraw.Draw(page)
    pen.line([(50, 14), (50, 90)], fill=255, width=10)
    pen.line([(20, 46), (50, 14), (80, 46)], fill=255, width=11, joint="curve")
    return page.resize((size, size), Image.Resampling.BOX)
