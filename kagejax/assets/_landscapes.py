"""Brushes for land: mountains, hills, deserts, snow, volcanoes, waterfalls."""

import numpy as np

from kagejax.assets._noise import COLUMN, ROW, SIZE, TURN, Dice, Y, curve, fractal, gap, warped
from kagejax.assets._paint import below, colour, colours, disc, distance, glow, lay, patch, pick, ramp, shade, sky, smooth
from kagejax.assets._skies import Canvas


def flat(paint: str | np.ndarray) -> Canvas:
    """A canvas of one colour."""
    return colour(paint) if isinstance(paint, str) else paint


def mountains(dice: Dice, air: str, rock: str, snow: str = "", sun: str = "", height: float = 46, base: float = 112) -> Canvas:
    """Ranges behind ranges, from far to near, each lit from the left; snow above a ragged line, mist at each foot."""
    canvas = sky(air, 0.8)
    if sun:
        x, y = dice.one(20, 108), dice.one(18, 40)
        canvas = lay(glow(canvas, np.exp(-distance(x, y) / 18) * 0.3, sun), disc(x, y, 8), sun)
    palette, grain = colours(rock), fractal(dice, 8, 8, 4)
    for place, paint in enumerate(palette):
        near = (place + 1) / len(palette)
        ridge = curve(dice, 3 + place, 6, 0.5, sharp=True)
        line = base - 58 + 62 * near - height * ridge * (1.15 - 0.55 * near)
        slope = np.roll(line, 2) - np.roll(line, -2)
        facing = np.clip(0.5 + slope / 8, 0, 1)[None, :] * 0.3
        light = 0.78 + facing + 0.35 * (warped(grain, 20 * facing, line[None, :] * np.ones((SIZE, 1))) - 0.5)
        body = shade(flat(paint), light)
        if snow and place < len(palette) - 1:
            cap = line + 15 * (ridge - 0.25) * (1.1 - 0.4 * near) + 7 * (curve(dice, 32, 2, sharp=True) - 0.5)
            body = lay(body, cap[None, :] > ROW, shade(flat(snow), np.clip(light + 0.05, 0.7, 1.02)))
        canvas = lay(canvas, below(line), body)
        if place < len(palette) - 1:
            canvas = lay(canvas, below(line) * smooth(ROW - line[None, :], 10, 52), colours(air)[-1], 0.6)
    return canvas


def hills(dice: Dice, air: str, grass: str, flowers: str, cloud: str = "ffffff") -> Canvas:
    """Rolling meadows with mown stripes, round trees and flowers in front."""
    canvas = sky(air, 0.7)
    canvas = lay(canvas, smooth(fractal(dice, 3, 9, 4), 0.6, 0.75) * (Y < 0.5), cloud, 0.8)
    palette = colours(grass)
    for place, paint in enumerate(palette):
        near = (place + 1) / len(palette)
        line = 50 + 52 * near - 20 * curve(dice, 2 + place % 2, 2) * (1.2 - 0.4 * near)
        stripe = np.sin((ROW - line[None, :]) / (2.0 + 3 * near)) * 0.05
        canvas = lay(canvas, below(line), shade(flat(paint), 1.06 + stripe - 0.004 * (ROW - line[None, :])))
        for _ in range(5 if place < len(palette) - 1 else 0):
            at, radius = dice.whole(0, SIZE), 2 + 4 * near * dice.one(0.6, 1)
            patch(canvas, at, line[at] - radius, np.ones((int(radius) + 2, 1), bool), "4a3320")
            tree = disc(at + 0.5, line[at] - radius * 1.4, radius, 0.5)
            lit = disc(at - radius * 0.25, line[at] - radius * 1.7, radius * 0.55, 0.8)
            canvas = lay(lay(canvas, tree, paint * 0.55), tree * lit, paint * 0.85)
    petals = colours(flowers)
    for _ in range(70):
        x, y = dice.whole(0, SIZE), 106 + 22 * dice.one() ** 0.7
        size = 1 + int(y > 114) + int(y > 122)
        patch(canvas, x, y + 1, np.ones((size + 1, 1), bool), palette[-1] * 0.6)
        patch(canvas, x - size // 2, y - size // 2, np.ones((size, size), bool), petals[dice.whole(0, len(petals))])
    return canvas


def dunes(dice: Dice, air: str, sand: str, dark: str, sun: str, layers: int = 4) -> Canvas:
    """Sand in long waves, each crest sharp: light on the windward side, shade in the lee, ripples below."""
    x, y = dice.one(20, 108), dice.one(16, 40)
    canvas = sky(air, 0.6)
    canvas = lay(glow(canvas, np.exp(-distance(x, y) / 22) * 0.4, sun), disc(x, y, 9), sun)
    for place in range(layers):
        near = (place + 1) / layers
        line = 48 + 56 * near - 24 * curve(dice, 2, 2, 0.3) * (1.3 - 0.5 * near)
        depth = ROW - line[None, :]
        crest = 6 + 22 * curve(dice, 2, 3)
        steep = smooth((np.roll(line, 5) - np.roll(line, -5)) / 10, 0.0, 0.3)
        lee = np.clip(((crest * steep)[None, :] - depth) / 2, 0, 1)
        ripples = 0.05 * np.sin(depth * (1.1 - 0.5 * near) + 9 * curve(dice, 3, 3)[None, :]) + 0.004 * np.clip(-depth, -40, 0)
        body = lay(shade(flat(sand), 1 + ripples), lee, colour(dark), 0.85)
        haze = colours(air)[-1] * (1 - near) * 0.55 + body * (1 - (1 - near) * 0.55)
        canvas = lay(canvas, below(line), haze)
    return canvas


def mesas(dice: Dice, air: str, strata: str, floor: str) -> Canvas:
    """Table mountains of banded rock on a desert floor."""
    canvas = sky(air, 0.8)
    palette = colours(strata)
    for place in range(3):
        near = (place + 1) / 3
        steps = curve(dice, 4 + place, 1)
        tall = smooth(steps, 0.46, 0.54) * 0.65 + smooth(steps, 0.62, 0.66) * 0.35
        line = 70 + 34 * near - tall * (30 + 14 * near) + 2 * curve(dice, 32, 1)
        layer = np.floor(ROW / (3 + 2 * near) + 1.5 * curve(dice, 4, 2)[None, :] + 5 * place).astype(np.int64)
        cracks = 0.86 + 0.28 * np.repeat(dice.uniform(shape=(1, SIZE // 2)), 2, 1)
        body = shade(pick(palette, layer), cracks)
        canvas = lay(canvas, below(line), body + (colours(air)[-1] - body) * 0.6 * (1 - near))
    ground = shade(flat(floor), 1.05 - 0.25 * fractal(dice, 4, 16, 3))
    canvas = lay(canvas, below(110 - 5 * curve(dice, 4, 3)), ground)
    for _ in range(4):
        cactus(dice, canvas, dice.whole(0, SIZE), dice.whole(112, 124))
    return canvas


def cactus(dice: Dice, canvas: Canvas, x: int, foot: int) -> None:
    """A saguaro, in place."""
    tall = dice.whole(10, 20)
    for left, top, width, height in (
        (0, -tall, 3, tall),
        (-4, -tall * 0.7, 2, tall * 0.3),
        (-4, -tall * 0.4, 5, 2),
        (5, -tall * 0.8, 2, tall * 0.3),
        (3, -tall * 0.5, 4, 2),
    ):
        patch(canvas, x + left, foot + top, np.ones((max(1, round(height)), width), bool), "2f6b3a")
    patch(canvas, x, foot - tall, np.ones((tall, 1), bool), "4c9150")


def snowfield(dice: Dice, air: str, snow: str, shadow: str, trees: str, flakes: int = 150) -> Canvas:
    """Soft white slopes, dark firs and falling flakes."""
    canvas = sky(air, 0.8)
    for place in range(4):
        near = (place + 1) / 4
        line = 52 + 56 * near - 20 * curve(dice, 2 + place % 2, 2) * (1.2 - 0.4 * near)
        depth = np.clip((ROW - line[None, :]) / 34, 0, 1)
        for _ in range(7 if place < 3 else 0):
            at, tall = dice.whole(0, SIZE), (7 + 12 * near) * dice.one(0.7, 1.2)
            fir(
                canvas,
                float(at),
                float(line[at]) + 2,
                tall,
                colour(trees) + (colours(air)[-1] - colour(trees)) * (1 - near) * 0.7,
                snow,
            )
        canvas = lay(canvas, below(line), ramp(f"{snow} {shadow}", depth))
    for _ in range(flakes):
        size = 1 + int(dice.one() < 0.18)
        patch(canvas, dice.one(0, SIZE), dice.one(0, SIZE), np.ones((size, size), bool), "ffffff")
    return canvas


def fir(canvas: Canvas, x: float, foot: float, tall: float, paint: np.ndarray, snow: str = "") -> None:
    """A fir of three skirts, in place; `snow` whitens the left of each."""
    rows = np.arange(int(tall))
    tier = max(2.0, tall / 4)
    half = np.maximum(0.6, rows / tall * tall * 0.22 + (rows % tier) / tier * tall * 0.13)
    across = np.arange(-12, 13)
    shape = np.abs(across)[None, :] <= half[:, None]
    patch(canvas, x, foot - 2, np.ones((3, 1), bool), paint * 0.6)
    patch(canvas, x - 12, foot - tall, shape, paint)
    rim = shape & (across[None, :] > half[:, None] * 0.25)
    patch(canvas, x - 12, foot - tall, rim, paint * 0.78)
    if snow:
        white = shape & ((rows % tier)[:, None] > tier * 0.62) & (across[None, :] < 1)
        patch(canvas, x - 12, foot - tall, white, colour(snow) * 0.5 + paint * 0.5)


def volcano(dice: Dice, air: str, rock: str, lava: str, smoke: str) -> Canvas:
    """A cone that spills lava, a plume lit from below, and embers."""
    x, top = dice.one(40, 88), 46.0
    canvas = sky(air, 0.9)
    plume_x = gap(COLUMN + 0.5, x) + 14 * (fractal(dice, 4, 4, 3) - 0.5)
    plume = np.exp(-((plume_x / (7 + np.clip(top - ROW, 0, 60) * 0.45)) ** 2)) * (top + 3 > ROW)
    puffs = fractal(dice, 6, 7, 5)
    canvas = lay(canvas, smooth(plume * (0.55 + puffs), 0.4, 0.8), ramp(f"{smoke} {lava}", smooth(Y, 0.1, 0.42) * 0.7 * puffs))
    canvas = glow(canvas, np.exp(-distance(x, top) / 20) * 0.8, lava)
    across = gap(COLUMN[0] + 0.5, x)
    cone = top + 2.5 * np.maximum(0, np.abs(across) - 7) ** 0.86 + 3 * curve(dice, 16, 3)
    grain = fractal(dice, 10, 5, 4)
    canvas = lay(canvas, below(cone), shade(flat(rock), 0.65 + 0.5 * grain - 0.3 * (across > 0)[None, :]))
    for turn in (-1.3, -0.4, 0.5, 1.4):
        path = x + turn * np.clip(ROW - top, 0, 80) * 0.5 + 5 * np.sin(ROW / dice.one(6, 10) + dice.one(0, 6))
        flow = np.abs(gap(COLUMN + 0.5, path)) < 0.7 + (ROW - top) / 40
        canvas = lay(canvas, flow & (cone[None, :] + 1 < ROW), ramp(f"fff3b0 {lava} 7a1408", np.clip((ROW - top) / 80, 0, 1)))
    canvas = lay(canvas, below(118 - 12 * curve(dice, 5, 4, sharp=True)), colour(rock) * 0.35)
    for _ in range(60):
        patch(canvas, x + dice.one(-46, 46), dice.one(4, 100), np.ones((1, 1), bool), lava)
    return canvas


def waterfall(dice: Dice, air: str, rock: str, water: str, green: str, falls: int = 3) -> Canvas:
    """Cliffs with white water, moss and mist."""
    strata = fractal(dice, 8, 5, 5)
    line = 22 - 14 * curve(dice, 4, 4, sharp=True)
    cliff = shade(flat(rock), 0.5 + 0.75 * warped(strata, 0 * ROW, 8 * strata) - 0.12 * np.sin(ROW / 2.5 + 7 * strata))
    canvas = lay(sky(air, 0.3), below(line), cliff)
    canvas = lay(canvas, smooth(fractal(dice, 6, 6, 4), 0.55, 0.65) * below(line), shade(flat(green), 0.55 + 0.8 * strata))
    canvas = lay(canvas, below(line) * (line[None, :] + 5 + 4 * curve(dice, 30, 1)[None, :] > ROW), green)
    streaks = 0.75 + 0.25 * fractal(dice, 50, 5, 2)
    for place in range(falls):
        x, width = SIZE * (place + dice.one(0.25, 0.75)) / falls, dice.one(4, 10)
        across = gap(COLUMN + 0.5, x) + 1.2 * np.sin(ROW / 9 + place)
        fall = np.clip(width * (0.75 + 0.35 * Y) - np.abs(across), 0, 1)
        canvas = lay(canvas, fall * below(line - 1), shade(ramp(f"{water} ffffff", streaks**3), 0.7 + 0.3 * streaks))
        canvas = lay(canvas, np.exp(-((across / 16) ** 2) - ((ROW - 110) / 9) ** 2), "ffffff", 0.8)
    ripples = fractal(dice, 5, 40, 2)
    return lay(
        canvas, smooth(ROW, 106, 114), shade(ramp(f"{water} ffffff", smooth(ripples, 0.6, 0.9)), 0.8 + 0.2 * ripples), 0.9
    )


def pyramids(dice: Dice, air: str, sand: str, stone: str, sun: str) -> Canvas:
    """Three pyramids of courses of stone, one side lit."""
    canvas = dunes(dice, air, sand, stone, sun, 2)
    for x, top, foot in ((28, 44, 92), (72, 34, 98), (106, 62, 104)):
        across = gap(COLUMN + 0.5, x + 3.0)
        inside = (np.abs(across) < (ROW - top) * 0.72) & (foot > ROW)
        lit = across < (ROW - top) * 0.18
        courses = 0.94 + 0.06 * (ROW % 3 > 0) - 0.05 * ((COLUMN + 2 * (ROW // 3)) % 5 == 0)
        canvas = lay(canvas, inside, shade(np.where(lit[..., None], colour(stone) * 1.2, colour(stone) * 0.68), courses))
    return lay(canvas, below(102 - 9 * curve(dice, 2, 3) + 2 * np.sin(np.arange(SIZE) * TURN / SIZE)), sand)
