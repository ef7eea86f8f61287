"""Observations of any kind as pictures for people. Host side."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kagejax.core import Text

SIZE = 84
"""Least height and width of a view."""
PAGE, INK = (24, 24, 28), (230, 230, 230)


def view(env: Any, observation: np.ndarray) -> np.ndarray:
    """One observation of `env` as u8 [height, width, 3].

    Pictures are shown as they are (channels first and floats in 0 .. 1 too), tokens as the text they stand for, everything
    else as squares from black (least) to white (greatest). Raises ValueError for observations of other shapes.
    """
    space = env.observation_space
    if isinstance(space, Text):
        return _written(env.text_of(observation))
    values = np.asarray(observation)
    if values.ndim == 3 and 3 in (values.shape[0], values.shape[-1]):
        pixels = values if values.shape[-1] == 3 else values.transpose(1, 2, 0)
        return pixels if pixels.dtype == np.uint8 else (255 * np.clip(pixels, 0, 1)).round().astype(np.uint8)
    if values.ndim not in (1, 2):
        raise ValueError(f"observations of shape {values.shape} have no view; choose an observation that is a picture")
    return _squares(values.astype(np.float64))


def pictures(env: Any, observations: Any) -> np.ndarray:
    """Observations [time, configurations, ...] as u8 [time, configurations, height, width, 3], the parts of a dictionary side
    by side. Raises ValueError as `view`."""
    if isinstance(observations, Mapping):
        parts = [pictures(env, part) for part in observations.values()]
        return np.concatenate(parts, axis=3)
    if observations.ndim == 5 and observations.shape[-1] == 3 and observations.dtype == np.uint8:
        return observations
    times, count = observations.shape[:2]
    pages = fitted([view(env, each) for each in observations.reshape(times * count, *observations.shape[2:])])
    return pages.reshape(times, count, *pages.shape[1:])


def together(films: list[np.ndarray]) -> np.ndarray:
    """Films u8 [time, configurations, height, width, 3] as one; the shorter ones stop at their last picture."""
    longest = max(len(film) for film in films)
    films = [np.concatenate([film, film[-1:].repeat(longest - len(film), 0)]) for film in films]
    if len({film.shape[2:] for film in films}) > 1:
        return np.stack([fitted([panel for film in films for panel in film[time]]) for time in range(longest)])
    return np.concatenate(films, axis=1)


def fitted(pictures: list[np.ndarray]) -> np.ndarray:
    """Pictures of several sizes on pages of one, u8 [n, height, width, 3]: enlarged by whole factors, in the middle."""
    height, width = (max(picture.shape[side] for picture in pictures) for side in (0, 1))
    pages = np.empty((len(pictures), height, width, 3), np.uint8)
    pages[:] = PAGE
    for page, picture in zip(pages, pictures, strict=True):
        factor = max(1, min(height // picture.shape[0], width // picture.shape[1]))
        large = picture.repeat(factor, 0).repeat(factor, 1)
        top, left = (height - large.shape[0]) // 2, (width - large.shape[1]) // 2
        page[top : top + large.shape[0], left : left + large.shape[1]] = large
    return pages


def _squares(values: np.ndarray) -> np.ndarray:
    if values.ndim == 1:  # as near to a square as its length divides
        columns = next(n for n in range(int(np.ceil(values.size**0.5)), values.size + 1) if values.size % n == 0)
        values = values.reshape(-1, columns)
    low, high = values.min(), values.max()
    levels = (255 * (values - low) / (high - low if high > low else 1)).round().astype(np.uint8)
    factor = max(1, -(-SIZE // max(values.shape)))
    return np.repeat(levels.repeat(factor, 0).repeat(factor, 1)[..., None], 3, axis=-1)


def _written(text: str) -> np.ndarray:
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(11)
    box = ImageDraw.Draw(Image.new("RGB", (1, 1))).multiline_textbbox((0, 0), text, font=font)
    page = Image.new("RGB", (max(SIZE, int(box[2]) + 8), max(SIZE, int(box[3]) + 8)), PAGE)
    ImageDraw.Draw(page).multiline_text((4, 4), text, fill=INK, font=font)
    return np.asarray(page)
