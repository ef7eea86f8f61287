"""Frames as an animated GIF or an MP4, several side by side under their names."""

import pathlib
from collections.abc import Sequence

import numpy as np
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont

from . import videos

CAPTION = 14
"""Height of a caption in pixels."""
GAP = 4
"""Pixels between panels."""


def side_by_side(frames: np.ndarray, captions: Sequence[str]) -> np.ndarray:
    """Frames u8 [time, panels, H, W, 3] in one row under their captions: u8 [time, H + CAPTION, width, 3].

    A panel narrower than its caption is enlarged by a whole factor, then the caption is cut at its end.
    """
    factor = max(1, -(-128 // frames.shape[3]))
    frames = frames.repeat(factor, 2).repeat(factor, 3)
    time, panels, height, width, _ = frames.shape
    sheet = np.zeros((time, height + CAPTION, panels * (width + GAP) - GAP, 3), np.uint8)
    for i in range(panels):
        left = i * (width + GAP)
        sheet[:, CAPTION:, left : left + width] = frames[:, i]
        sheet[:, :CAPTION, left : left + width] = _caption(captions[i], width)
    return sheet


def write(path: str | pathlib.Path, frames: np.ndarray, frames_per_second: float) -> None:
    """Writes frames u8 [time, H, W, 3] as what the name ends with, .gif or .mp4. An MP4 raises as `videos.write_mp4`."""
    kinds = {".gif": write_gif, ".mp4": videos.write_mp4}
    kinds[pathlib.Path(path).suffix](path, frames, frames_per_second)


def write_gif(path: str | pathlib.Path, frames: np.ndarray, frames_per_second: float) -> None:
    """Writes frames u8 [time, H, W, 3] as an endless GIF."""
    pictures = [PIL.Image.fromarray(frame).quantize(128, dither=PIL.Image.Dither.NONE) for frame in frames]
    duration = round(1000 / frames_per_second)
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=duration, loop=0, optimize=False)


def _caption(text: str, width: int) -> np.ndarray:
    picture = PIL.Image.new("RGB", (width, CAPTION), (24, 24, 28))
    PIL.ImageDraw.Draw(picture).text((2, 1), text, fill=(230, 230, 230), font=PIL.ImageFont.load_default(10))
    return np.asarray(picture)
