"""Skies and space."""

import numpy as np

from kagejax.assets._noise import SIZE, Dice, Y, curve, fractal
from kagejax.assets._paint import below, disc, lay, ramp, sky, smooth

Canvas = np.ndarray


def clouds(dice: Dice, air: str, light: str, dark: str, cover: float = 0.5) -> Canvas:
    """Heaped clouds, lit from above."""
    canvas = sky(air)
    density = fractal(dice, 3, 5, octaves=5)
    body = smooth(density, 1 - cover, 1 - cover + 0.25)
    lit = np.clip((density - np.roll(density, 4, 0)) * 3 + 0.5, 0, 1)
    return lay(canvas, body, ramp(f"{dark} {light}", lit))


def mountains(dice: Dice, air: str, rock: str, sun: str) -> Canvas:
    """Ranges behind ranges."""
    canvas = lay(sky(air), disc(dice.one(20, 108), 30, 9), sun)
    count = len(rock.split())
    for place, paint in enumerate(rock.split()):
        top = 40 + 70 * place / count
        line = top + 34 * (1 - curve(dice, 3 + place, 5, 0.45, sharp=True))
        canvas = lay(canvas, below(line), paint)
    return canvas


def plasma(dice: Dice, paints: str) -> Canvas:
    """Smooth blobs of colour."""
    return ramp(paints, fractal(dice, 3, 3, 3) + 0 * Y * SIZE)
