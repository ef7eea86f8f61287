"""Brushes for skies: clouds, sun, moon, aurora, storm. Each takes the picture's dice and settings and gives a canvas."""

import numpy as np

from kagejax.assets._noise import COLUMN, ROW, SIZE, TURN, Dice, Y, curve, fractal, gap
from kagejax.assets._paint import (
    below,
    colour,
    colours,
    disc,
    distance,
    glow,
    lay,
    pick,
    ramp,
    shade,
    sky,
    smooth,
    specks,
    trail,
)

Canvas = np.ndarray


def stars(dice: Dice, canvas: Canvas, count: int, lowest: int = SIZE, paint: str = "ffffff") -> Canvas:
    """Points of different brightness; every tenth is large enough to have rays."""
    column, row = dice.integers(0, SIZE, (count,)), dice.integers(0, lowest, (count,))
    power = dice.uniform(0.25, 1.0, (count, 1)) ** 2
    under = canvas[row, column]
    canvas = specks((column, row), under + (colour(paint) - under) * power, canvas)
    for x, y in zip(column[::10], row[::10], strict=True):
        canvas = specks((x + np.array([-1, 0, 1, 0, 0]), y + np.array([0, -1, 0, 1, 0])), colour(paint) * 0.62, canvas)
        canvas = specks((x + np.zeros(1), y + np.zeros(1)), colour(paint), canvas)
    return canvas


def clouds(dice: Dice, air: str, light: str, dark: str, cover: float = 0.5, waves: tuple[int, int] = (3, 5)) -> Canvas:
    """Billows lit from above. Many waves in y make streaks."""
    density = fractal(dice, *waves, octaves=5)
    lit = np.clip((density - np.roll(density, 5, 0)) * 2.6 + 0.55, 0, 1)
    return lay(sky(air), smooth(density, 1 - cover, 1.2 - cover), ramp(f"{dark} {light}", lit))


def cumulus(dice: Dice, air: str, light: str, dark: str, count: int = 7, size: float = 1.0) -> Canvas:
    """Cartoon clouds with flat bottoms: heaps of discs in two tones, small ones far off near the horizon."""
    canvas = sky(air)
    for place in range(count):
        base = 112 - 92 * place / count + dice.one(-5, 5)
        scale = size * (0.45 + 0.9 * place / count)
        middle, puffs = dice.one(0, SIZE), 6
        heap, shaded = np.zeros((SIZE, SIZE), bool), np.zeros((SIZE, SIZE), bool)
        for puff in range(puffs):
            across = (puff - (puffs - 1) / 2) * 5 * scale
            radius = scale * dice.one(4.5, 8.5) * (1.25 - abs(across) / (24 * scale))
            heap |= distance(middle + across, base - radius * 0.35) < radius
            shaded |= distance(middle + across - 1.5 * scale, base - radius * 0.35 - 2.2 * scale) < radius
        heap &= base > ROW
        canvas = lay(lay(canvas, heap, dark, 0.95), heap & shaded, light)
    return canvas


def sunset(
    dice: Dice, air: str, sun: str, ground: str, streaks: str, sun_y: float = 72, radius: float = 13, water: bool = True
) -> Canvas:
    """A low sun among streaks of cloud, over water that mirrors it or over dark hills."""
    x, horizon = dice.one(30, 98), 88
    canvas = sky(air, horizon / SIZE)
    canvas = lay(canvas, np.exp(-distance(x, sun_y, 1.4) / 26) * 0.7, sun)
    canvas = lay(canvas, disc(x, sun_y, radius), sun)
    cloud = fractal(dice, 2, 14, 4) * smooth(Y, 0.02, 0.3)
    canvas = lay(canvas, smooth(cloud, 0.52, 0.66), streaks, 0.8)
    canvas = lay(canvas, below(horizon - 3 - 9 * curve(dice, 5, 4)), colour(ground) * 0.55 + colours(air)[-1] * 0.25)
    if not water:
        canvas = lay(canvas, below(horizon + 6 - 10 * curve(dice, 3, 4)), ground)
        return lay(canvas, below(horizon + 26 - 14 * curve(dice, 2, 5)), colour(ground) * 0.55)
    mirrored = canvas[np.clip(2 * horizon - 1 - np.arange(SIZE), 0, SIZE - 1)] * 0.72
    depth = np.clip((ROW - horizon) / (SIZE - horizon), 0, 1)
    canvas = lay(canvas, horizon <= ROW, mirrored * 0.6 + colour(ground) * 0.4)
    ripple = fractal(dice, 5, 40, 2)
    path = np.exp(-((gap(COLUMN, x) / (7 + 18 * depth)) ** 2)) * (ripple > 0.5) * (horizon + 1 < ROW)
    canvas = lay(canvas, (ripple > 0.62) * (horizon < ROW), colours(air)[-1], 0.28)
    return lay(canvas, path, sun, 0.85)


def moonlight(dice: Dice, air: str, moon: str, ground: str, radius: float = 15) -> Canvas:
    """A full moon with craters and a halo, thin clouds before it, black hills and bare trees."""
    x, y = dice.one(30, 98), dice.one(28, 44)
    canvas = stars(dice, sky(air), 90, 90)
    canvas = glow(canvas, np.exp(-distance(x, y) / 20) * 0.5, moon)
    spots = fractal(dice, 7, 7, 3)
    canvas = lay(canvas, disc(x, y, radius), shade(colour(moon), 1 - 0.22 * smooth(spots, 0.5, 0.6)))
    canvas = lay(canvas, smooth(fractal(dice, 2, 12, 4), 0.6, 0.8), colours(air)[-1], 0.6)
    canvas = lay(canvas, below(104 - 18 * curve(dice, 3, 3)), colour(ground) * 0.6 + colours(air)[-1] * 0.35)
    line = 116 - 16 * curve(dice, 2, 4)
    canvas = lay(canvas, below(line), ground)
    for _ in range(6):
        root = dice.whole(0, SIZE)
        branch(
            dice,
            canvas,
            float(root),
            float(line[root]) + 2,
            -TURN / 4 + dice.one(-0.1, 0.1),
            dice.one(9, 15),
            2.2,
            colour(ground),
        )
    return canvas


def branch(
    dice: Dice, canvas: Canvas, x: float, y: float, angle: float, length: float, thickness: float, paint: np.ndarray
) -> None:
    """A bare branch and its branches, in place."""
    along = np.arange(0, length, 0.5)
    size = max(1, round(thickness))
    trail(canvas, x + np.cos(angle) * along, y + np.sin(angle) * along, paint, size, size)
    if length > 3:
        x, y = x + np.cos(angle) * length, y + np.sin(angle) * length
        for turn in (-1, 1):
            branch(
                dice, canvas, x, y, angle + turn * dice.one(0.25, 0.75), length * dice.one(0.55, 0.8), thickness * 0.6, paint
            )


def aurora(dice: Dice, air: str, curtains: str, ground: str) -> Canvas:
    """Curtains of light above black firs."""
    canvas = stars(dice, sky(air), 110, 100)
    for paint in colours(curtains):
        foot = 38 + dice.one(-8, 22) + 20 * (curve(dice, 2, 2) - 0.5)
        height = ROW - foot[None, :]
        rays = 0.45 + 0.75 * curve(dice, 24, 2)[None, :]
        canvas = glow(canvas, rays * np.where(height < 0, np.exp(height / 20), np.exp(-height / 3.5)) * 0.8, paint)
    canvas = lay(canvas, below(112 - 14 * curve(dice, 3, 3)), colour(ground) * 1.6)
    return lay(canvas, below(122 - 16 * curve(dice, 40, 1, sharp=True) - 4 * curve(dice, 3, 1)), ground)


def storm(dice: Dice, air: str, light: str, dark: str, bolt: str, rain: float = 0.5) -> Canvas:
    """Heavy cloud, lightning and slanting rain over dark ground."""
    canvas = clouds(dice, air, light, dark, 0.72, (3, 4))
    for _ in range(2):
        x, y = dice.one(0, SIZE), 24.0
        path = np.zeros((SIZE, SIZE), bool)
        while y < 112:
            slope, run = dice.one(-1.3, 1.3), dice.whole(4, 11)
            for _ in range(int(run)):
                path[int(min(y, SIZE - 1)), [int(x) % SIZE, int(x + 1) % SIZE]] = True
                x, y = x + slope, y + 1
        canvas = glow(canvas, np.exp(-np.abs(gap(COLUMN, x)) / 16) * 0.3 * (1 - Y), bolt)
        canvas = lay(canvas, path, bolt)
    drops = ((COLUMN + ROW // 2 + 8 * dice.integers(0, 9, (SIZE, 1))) % 16 == 0) & (dice.uniform(shape=(SIZE, SIZE)) < rain)
    canvas = lay(canvas, drops | np.roll(drops, (1, 0), (0, 1)), light, 0.35)
    return lay(canvas, below(114 - 12 * curve(dice, 4, 4)), colour(dark) * 0.45)


def rainbow(dice: Dice, air: str, light: str, dark: str, ground: str) -> Canvas:
    """A bow over meadows, among clouds."""
    canvas = cumulus(dice, air, light, dark, 5, 0.8)
    radius = distance(64, 116)
    bow = ramp("e53935 fb8c00 fdd835 43a047 1e88e5 5e35b1", np.clip((58 - radius) / 14, 0, 1))
    canvas = lay(canvas, (radius < 58) & (radius > 44), bow, 0.8)
    canvas = lay(canvas, below(104 - 14 * curve(dice, 3, 2)), colour(ground) * 1.15)
    return lay(canvas, below(118 - 12 * curve(dice, 2, 2)), colour(ground) * 0.8)


def balloons(dice: Dice, air: str, light: str, dark: str, paints: str, count: int = 6) -> Canvas:
    """Striped hot-air balloons."""
    canvas = cumulus(dice, air, light, dark, 4, 0.8)
    palette = colours(paints)
    for place in range(count):
        x, y, radius = SIZE * (place + dice.one(0.2, 0.8)) / count, dice.one(16, 92), dice.one(6, 12)
        across, down = gap(COLUMN + 0.5, x), ROW + 0.5 - y
        narrow = np.where(down > 0, 1 - 0.45 * down / radius, 1)
        envelope = ((across / (radius * narrow)) ** 2 + (down / (radius * 1.15)) ** 2) < 1
        stripe = np.floor((across / np.maximum(narrow, 0.3) / radius + 1) * 3).astype(np.int64) + place
        canvas = lay(canvas, envelope, shade(pick(palette, stripe), 1.05 - 0.3 * (across / radius)))
        ropes = (np.abs(across) < radius * 0.35) & (down > radius) & (down < radius * 1.5) & (np.abs(across) > radius * 0.2)
        basket = (np.abs(across) < radius * 0.3) & (down > radius * 1.45) & (down < radius * 1.8)
        canvas = lay(lay(canvas, ropes, "3a2a1a", 0.7), basket, "7a4a1f")
    return canvas


def fireworks(dice: Dice, air: str, paints: str, ground: str, count: int = 7) -> Canvas:
    """Bursts of sparks above a dark town."""
    canvas = stars(dice, sky(air), 40, 90)
    for place, paint in enumerate(np.resize(colours(paints), (count, 3))):
        x, y, radius = SIZE * (place + dice.one(0.1, 0.9)) / count, dice.one(14, 72), dice.one(9, 22)
        canvas = glow(canvas, np.exp(-distance(x, y) / radius * 2) * 0.35, paint)
        angles = np.arange(18) * TURN / 18 + dice.one(0, 1)
        for reach in np.linspace(0.25, 1, 8):
            drop = 3 * reach**2
            spot = (x + np.cos(angles) * radius * reach, y + np.sin(angles) * radius * reach + drop)
            canvas = specks(spot, paint * (1.25 - 0.5 * reach) + 40 * (1 - reach), canvas)
    blocks = 112 - np.repeat(dice.integers(0, 14, (32,)), 4)
    windows = (COLUMN % 4 == 1) & (ROW % 4 == 2) & (dice.uniform(shape=(SIZE, SIZE)) < 0.4)
    canvas = lay(canvas, below(blocks.astype(np.float64)), ground)
    return lay(canvas, (blocks[None, :] < ROW - 1) & windows, "ffd166")
