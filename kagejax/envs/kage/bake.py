"""Filters that see one pixel at a time, applied once to the pixels that frames are made of.

Brightness to colour temperature of a constant strength need not be worked out in every frame: the pictures, sprites and
colours of a configuration go through them when it is built. Where a later filter reads the result, it is kept in steps of
1 / FINE of a grey level, rounded down, so that whole levels are exactly those of filtering each frame.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.raster import filters
from kagejax.raster.canvas import FINE

from .art import Art
from .config import Filters, KageConfig

PASSES = ("brightness", "contrast", "gamma", "hue_saturation", "color_temp")
NEUTRAL = {"brightness": 0.0, "contrast": 1.0, "gamma": 1.0, "saturation": 1.0, "hue_shift": 0.0, "color_temp": 0.0}
MOST_PICTURES = 512
"""In all configurations of a batch. Each then has pictures of its own, about 0.2 MB each; beyond that, frames are filtered."""
CHUNK = 1 << 14


@dataclasses.dataclass(frozen=True)
class Paint:
    """The baked filters of one configuration: the identity unless `active`."""

    part: Filters
    active: bool

    def __call__(self, colors: Sequence | np.ndarray) -> np.ndarray:
        """Colours u8 [..., 3] in steps of 1 / FINE of a grey level, u16."""
        colors = np.asarray(colors, np.uint8)
        if not self.active:
            return colors.astype(np.uint16) * np.uint16(FINE)
        flat = colors.reshape(-1, 3)
        padded = np.pad(flat, ((0, -len(flat) % CHUNK), (0, 0))).reshape(-1, CHUNK, 3)
        values = {name: np.float32(getattr(self.part, name)) for name in NEUTRAL}
        done = [np.asarray(_filtered(chunk, values)) for chunk in padded]
        return np.concatenate([flat[:0].astype(np.uint16), *done])[: len(flat)].reshape(colors.shape)

    def sprite(self, frame: np.ndarray) -> np.ndarray:
        """RGBA u8 [h, w, 4] with its colours painted, u16; alpha as it was."""
        return np.concatenate([self(frame[..., :3]), frame[..., 3:].astype(np.uint16)], axis=-1)


def paints(configs: Sequence[KageConfig], arts: Sequence[Art]) -> list[Paint]:
    """The paint of each configuration of a batch."""
    able = [_able(config, art) for config, art in zip(configs, arts, strict=True)]
    pictures = sum(len(art.pictures) for art, can in zip(arts, able, strict=True) if can)
    return [Paint(config.filters, can and pictures <= MOST_PICTURES) for config, can in zip(configs, able, strict=True)]


def _able(config: KageConfig, art: Art) -> bool:
    """Noise has no pixels to paint; presets come first; a soft edge filtered is not the edge of what is filtered."""
    part = config.filters
    if part.pop_filter is not None or part.pop_filter_list or config.background.mode == "noise":
        return False
    skins = (frame for skins in (art.agent, art.npc, art.sticky) for skin in skins for frame in skin)
    soft = any(((frame[..., 3] > 0) & (frame[..., 3] < 255)).any() for frame in skins)
    return not soft and any(getattr(part, name) != neutral for name, neutral in NEUTRAL.items())


def left_over(part: Filters) -> Filters:
    """The filters that are still to do once the others are baked."""
    return part.model_copy(update=NEUTRAL)


def stored(levels: np.ndarray, fine: bool) -> np.ndarray:
    """What `Paint` gives as frames hold it: u16 where they are `fine`, else u8."""
    return levels if fine else (levels // FINE).astype(np.uint8)


@jax.jit
def _filtered(colors: Any, values: dict) -> jax.Array:
    strengths = dict.fromkeys(filters.Filters._fields, jnp.float32(0)) | values
    planes = tuple(jnp.asarray(colors)[None, None, :, k].astype(jnp.float32) for k in range(3))
    planes = filters.pointwise(planes, filters.Filters(**strengths))
    return jnp.stack([jnp.floor(jnp.clip(plane, 0.0, 255.0) * FINE) for plane in planes], axis=-1)[0, 0].astype(jnp.uint16)
