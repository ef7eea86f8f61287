"""Brushes for outer space."""

import numpy as np

from kagejax.assets._noise import COLUMN, ROW, SIZE, TURN, Dice, fractal, gap, value_noise, warped, worley
from kagejax.assets._paint import colour, colours, disc, distance, glow, lay, ramp, shade, sky, smooth, specks
from kagejax.assets._skies import Canvas, stars


def nebula(dice: Dice, air: str, gas: str, count: int = 160) -> Canvas:
    """Glowing gas of several colours, dark lanes and stars."""
    canvas = stars(dice, sky(air), count)
    shift = fractal(dice, 2, 2, 3)
    for paint in colours(gas):
        density = warped(fractal(dice, 2, 3, 5, 0.55), 40 * shift, 30 * (1 - shift))
        canvas = glow(canvas, smooth(density, 0.48, 0.95) * 0.95, paint)
    lanes = smooth(warped(fractal(dice, 3, 4, 4), 30 * shift, 20 * shift), 0.55, 0.75)
    return stars(dice, shade(canvas, 1 - 0.7 * lanes), count // 3)


def planet(
    dice: Dice, air: str, surface: str, x: float, y: float, radius: float, belts: int = 0, ring: str = "", moons: int = 1
) -> Canvas:
    """A lit globe, belted or blotched, with or without a ring and moons."""
    canvas = stars(dice, nebula(dice, air, " ".join(air.split()[:1]), 60), 90)
    across, down = gap(COLUMN + 0.5, x), ROW + 0.5 - y
    inside = np.clip(radius - np.hypot(across, down) + 0.5, 0, 1)
    depth = np.sqrt(np.clip(1 - (across**2 + down**2) / radius**2, 0, 1))
    texture = fractal(dice, 4, 6, 5)
    field = texture if not belts else (0.5 + 0.5 * np.sin(down / radius * belts + 2.2 * texture)) * 0.8 + 0.2 * texture
    light = np.clip(0.55 * depth - 0.6 * across / radius - 0.35 * down / radius + 0.12, 0.06, 1.15)
    canvas = glow(canvas, np.exp(-np.abs(np.hypot(across, down) - radius) / 5) * 0.25, colours(surface)[-1])
    if ring:
        tilted = np.hypot(across, (down + across * 0.25) / 0.24) / radius
        band = (tilted > 1.3) & (tilted < 1.95) & (np.abs(tilted - 1.62) > 0.04)
        rays = shade(colour(ring), 0.8 + 0.25 * np.sin(tilted * 21))
        canvas = lay(canvas, band & (down + across * 0.25 < 0), rays)
    canvas = lay(canvas, inside, shade(ramp(surface, field), light))
    if ring:
        canvas = lay(canvas, band & (down + across * 0.25 >= 0), rays)
    for _ in range(moons):
        moon_x, moon_y, size = x + dice.one(40, 88), dice.one(14, 114), dice.one(3, 7)
        lit = np.clip(0.7 - gap(COLUMN + 0.5, moon_x) / size * 0.6, 0.1, 1.0)
        canvas = lay(canvas, disc(moon_x, moon_y, size), shade(colours(surface)[-1], lit))
    return canvas


def galaxy(dice: Dice, air: str, core: str, arms: str, twist: float = 4.5) -> Canvas:
    """A spiral seen at a slant."""
    x, y = 64.0, 62.0
    across, down = gap(COLUMN + 0.5, x), (ROW + 0.5 - y) * 1.7 + gap(COLUMN + 0.5, x) * 0.35
    radius, angle = np.hypot(across, down), np.arctan2(down, across)
    spiral = 0.5 + 0.5 * np.cos(2 * angle - twist * np.log(radius + 3) * 1.6)
    dust = fractal(dice, 6, 6, 4)
    canvas = stars(dice, sky(air), 150)
    canvas = glow(canvas, spiral**2 * np.exp(-radius / 26) * (0.35 + dust) * 1.1, arms)
    canvas = glow(canvas, np.exp(-((radius / 11) ** 2)) * 0.95, core)
    near = dice.uniform(0, 1, (120,)) ** 0.6 * 50
    turn = (twist * 1.6 * np.log(near + 3) + TURN * dice.integers(0, 2, (120,))) / 2 + dice.uniform(-0.3, 0.3, (120,))
    spot_x, spot_y = near * np.cos(turn), near * np.sin(turn)
    return specks((x + spot_x, y + (spot_y - spot_x * 0.35) / 1.7), colour(core), canvas)


def asteroids(dice: Dice, air: str, rock: str, count: int = 16) -> Canvas:
    """Tumbling cratered rocks before the stars."""
    canvas = stars(dice, nebula(dice, air, air.split()[-1], 80), 60)
    rough, (pits, _, _) = value_noise(dice, 12, 12), worley(dice, 400)
    for place in range(count):
        x, y, radius = SIZE * (place + dice.one()) / count * 5, dice.one(6, 122), dice.one(2.5, 5 + 11 * place / count)
        across, down = gap(COLUMN + 0.5, x % SIZE), ROW + 0.5 - y
        edge = radius * (0.72 + 0.55 * rough)
        light = np.clip(0.72 - 0.5 * across / radius - 0.55 * down / radius, 0.12, 1.2) * (0.75 + 0.25 * smooth(pits, 1, 3.5))
        canvas = lay(canvas, np.hypot(across, down) < edge, shade(colour(rock), light))
    return canvas


def moonscape(dice: Dice, air: str, dust: str, world: str) -> Canvas:
    """Grey craters under a black sky in which another world stands."""
    canvas = stars(dice, sky(air), 140, 90)
    x, y, radius = dice.one(30, 98), 34.0, 17.0
    light = np.clip(0.75 - gap(COLUMN + 0.5, x) / radius * 0.7 - (ROW - y) / radius * 0.3, 0.05, 1.1)
    canvas = lay(canvas, disc(x, y, radius), shade(ramp(world, fractal(dice, 4, 5, 5)), light))
    ground = colour(dust)
    rough = fractal(dice, 6, 10, 4)
    line = 84 - 7 * fractal(dice, 4, 1, 3)[0]
    canvas = lay(canvas, line[None, :] <= ROW, shade(ground, 0.55 + 0.35 * rough + (ROW - 84) / 200))
    for place in range(16):
        depth = (place + 0.5) / 16
        middle, size = dice.one(0, SIZE), 2 + 10 * depth * dice.one(0.5, 1)
        at = distance(middle, 88 + 38 * depth, 2.4)
        canvas = lay(canvas, at < size * 0.5, colour(dust) * 0.38)
        rim = (at >= size * 0.5) & (at < size * 0.5 + 1.2)
        canvas = lay(canvas, rim, colour(dust) * np.where(88 + 38 * depth < ROW, 1.15, 0.8)[..., None])
    return canvas
