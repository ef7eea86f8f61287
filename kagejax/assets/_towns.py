"""Brushes for what people build: skylines, villages, castles, temples, factories."""

import numpy as np

from kagejax.assets._landscapes import flat
from kagejax.assets._noise import COLUMN, ROW, SIZE, Dice, Y, curve, fractal, gap
from kagejax.assets._paint import below, box, colour, colours, disc, distance, glow, lay, patch, shade, sky, smooth
from kagejax.assets._skies import Canvas, stars


def skyline(
    dice: Dice,
    air: str,
    walls: str,
    panes: str,
    lit: float,
    sun: str = "",
    night: bool = False,
    signs: str = "",
) -> Canvas:
    """Towers in three depths with lit windows; neon signs, a moon or sun by choice."""
    canvas = sky(air, 0.9)
    if night:
        canvas = stars(dice, canvas, 80, 70)
    if sun:
        x, y = dice.one(24, 104), dice.one(18, 48)
        canvas = lay(glow(canvas, np.exp(-distance(x, y) / 22) * 0.35, sun), disc(x, y, 11), sun)
    palette, glass = colours(walls), colours(panes)
    for place, paint in enumerate(palette):
        near = (place + 1) / len(palette)
        left = 0
        while left < SIZE - 5:
            width = min(dice.whole(9, 21), SIZE - left)
            top = round(SIZE - 34 - (62 - 30 * near) * dice.one(0.25, 1.0))
            _tower(dice, canvas, left, top, width, paint * dice.one(0.85, 1.12), glass, lit, near)
            left += width + int(dice.one() < 0.35) * dice.whole(0, 4)
        if place < len(palette) - 1:
            canvas = lay(canvas, smooth(ROW, 40, SIZE), colours(air)[-1], 0.3)
    for place, paint in enumerate(np.resize(colours(signs), (9, 3)) if signs else ()):
        x, y, wide, tall = SIZE * (place + dice.one()) / 9, dice.one(58, 104), *((3, 15) if place % 2 else (14, 5))
        canvas = glow(canvas, np.exp(-distance(x + wide / 2, y + tall / 2) / 8) * 0.6, paint)
        canvas = lay(canvas, box(round(x), round(y), wide, tall), paint)
        canvas = lay(canvas, box(round(x) + 1, round(y) + 1, wide - 2, tall - 2) & ((COLUMN + ROW) % 3 > 0), "14101c")
    return canvas


def _tower(
    dice: Dice,
    canvas: Canvas,
    left: int,
    top: int,
    width: int,
    paint: np.ndarray,
    glass: np.ndarray,
    lit: float,
    near: float,
) -> None:
    """One building, in place: wall, shaded side, roof, windows."""
    tall = SIZE - top
    patch(canvas, left, top, np.ones((tall, width), bool), paint)
    patch(canvas, left + width - 2, top, np.ones((tall, 2), bool), paint * 0.78)
    patch(canvas, left, top, np.ones((1, width), bool), np.minimum(255, paint * 1.25))
    kind = dice.whole(0, 4)
    if kind == 0:
        patch(canvas, left + width // 2, top - 9, np.ones((9, 1), bool), paint)
    elif kind == 1:
        patch(canvas, left + 2, top - 3, np.ones((3, max(1, width - 5)), bool), paint * 0.9)
    elif kind == 2:
        step = np.abs(np.arange(width) - width // 2)[None, :] <= np.arange(width // 2)[:, None]
        patch(canvas, left, top - width // 2, step, paint * 0.95)
    rows, columns = np.indices((tall, width))
    step_x, step_y = (3, 4) if near > 0.5 else (2, 3)
    frame = (rows % step_y >= step_y // 2) & (columns % step_x == 1) & (columns < width - 2) & (rows > 2)
    chance = dice.uniform(shape=(tall // step_y + 1, width // step_x + 1))[rows // step_y, columns // step_x]
    patch(canvas, left, top, frame & (chance >= lit), paint * 0.62)
    for place, pane in enumerate(glass):
        patch(canvas, left, top, frame & (chance < lit) & ((chance * 997).astype(np.int64) % len(glass) == place), pane)


def village(
    dice: Dice, air: str, walls: str, roofs: str, ground: str, panes: str, night: bool = False, snow: bool = False
) -> Canvas:
    """Gabled houses with chimneys, along a lane below hills."""
    canvas = stars(dice, sky(air, 0.8), 100, 80) if night else sky(air, 0.8)
    if not night:
        canvas = lay(canvas, smooth(fractal(dice, 3, 9, 4), 0.56, 0.72) * (Y < 0.5), "ffffff", 0.8)
    canvas = lay(canvas, below(72 - 22 * curve(dice, 3, 4)), colour(ground) * 0.55 + colours(air)[-1] * 0.4)
    canvas = lay(canvas, below(88 - 12 * curve(dice, 4, 3)), colour(ground) * 0.8)
    paint_walls, paint_roofs = colours(walls), colours(roofs)
    for rank, count in enumerate((7, 5)):
        foot = 96 + 22 * rank
        for place in range(count):
            x, wide = round(SIZE * (place + dice.one(0.05, 0.5)) / count), dice.whole(12, 17) + 6 * rank
            tall, high = round(wide * dice.one(0.6, 0.9)), round(wide * dice.one(0.5, 0.75))
            wall, roof = (p[dice.whole(0, len(p))] for p in (paint_walls, paint_roofs))
            patch(canvas, x + wide - 5, foot - tall - high, np.ones((high, 3), bool), roof * 0.6)
            patch(canvas, x, foot - tall, np.ones((tall, wide), bool), wall)
            patch(canvas, x + wide - 3, foot - tall, np.ones((tall, 3), bool), wall * 0.8)
            gable = (
                np.abs(np.arange(wide + 4) - (wide + 3) / 2)[None, :] <= (np.arange(high)[:, None] + 1) * (wide + 4) / 2 / high
            )
            tiles = gable & (np.arange(high)[:, None] % 3 == 2)
            patch(canvas, x - 2, foot - tall - high, gable, colour("f4f8ff") if snow else roof)
            patch(canvas, x - 2, foot - tall - high, tiles, colour("d5e0f0") if snow else roof * 0.75)
            for at in range(3, wide - 4, 6):
                patch(canvas, x + at, foot - tall + 3, np.ones((4, 3), bool), panes)
                patch(canvas, x + at + 1, foot - tall + 3, np.ones((4, 1), bool), wall * 0.5)
            patch(canvas, x + wide // 2 - 2, foot - 6, np.ones((6, 3), bool), roof * 0.45)
        canvas = lay(canvas, below(foot - 1.5 + 0 * COLUMN[0]), colour(ground) * (0.9 + 0.2 * rank))
    return canvas


def castle(
    dice: Dice, air: str, stone: str, moon: str, ground: str, flag: str, panes: str = "ffd166", night: bool = True
) -> Canvas:
    """Towers, battlements and banners on a crag."""
    canvas = stars(dice, sky(air, 0.9), 90, 80) if night else sky(air, 0.9)
    x = dice.one(20, 108)
    canvas = lay(glow(canvas, np.exp(-distance(x, 32) / 20) * 0.4, moon), disc(x, 32, 14), moon)
    canvas = lay(canvas, smooth(fractal(dice, 3, 12, 4), 0.55, 0.75), colours(air)[-1], 0.6)
    canvas = lay(canvas, below(90 - 20 * curve(dice, 4, 5)), colour(ground) * 0.7 + colours(air)[-1] * 0.35)
    paint = colour(stone)
    bricks = np.where((ROW % 4 == 0) | ((COLUMN + 4 * (ROW // 4 % 2)) % 8 == 0), 0.82, 1.0)
    for left, top, width, spire in (
        (8, 66, 112, 0),
        (14, 48, 15, 20),
        (40, 36, 18, 26),
        (66, 54, 14, 0),
        (84, 42, 16, 22),
        (106, 58, 12, 16),
    ):
        body = box(left, top, width, 118 - top)
        teeth = box(left, top - 3, width, 3) & (COLUMN % 4 < 2)
        lit = np.clip(1.1 - gap(COLUMN + 0.5, left + width / 2) / width * (0.6 if width < 40 else 0), 0.6, 1.3)
        canvas = lay(canvas, body | teeth, shade(flat(paint * (1.0 if width < 40 else 0.8)), lit * bricks))
        if spire:
            roof = (np.abs(gap(COLUMN + 0.5, left + width / 2)) < (ROW - top + spire) * (width / 2 + 2) / spire) & (top > ROW)
            canvas = lay(canvas, roof & (top - spire <= ROW), shade(flat(flag), lit * 0.8))
            patch(canvas, left + width // 2, top - spire - 6, np.ones((7, 1), bool), paint * 0.5)
            patch(canvas, left + width // 2 + 1, top - spire - 6, np.ones((3, 5), bool), flag)
        for at in range(top + 6, 96, 13):
            patch(canvas, left + width // 2 - 1, at, np.ones((5, 2), bool), panes)
    gate = (np.abs(gap(COLUMN + 0.5, 70)) < 7) & (np.hypot(gap(COLUMN + 0.5, 70), np.minimum(ROW - 98, 0)) < 7) & (ROW > 90)
    canvas = lay(canvas, gate, "181018")
    return lay(canvas, below(112 - 6 * curve(dice, 8, 4, sharp=True)), shade(flat(ground), 0.6 + 0.6 * fractal(dice, 8, 8, 4)))


def temple(dice: Dice, air: str, marble: str, floor: str, columns: int = 5) -> Canvas:
    """Fluted columns under an entablature, before a far sea of hills."""
    canvas = sky(air, 0.8)
    canvas = lay(canvas, smooth(fractal(dice, 3, 8, 4), 0.55, 0.75), "ffffff", 0.7)
    canvas = lay(canvas, below(92 - 16 * curve(dice, 4, 4)), colours(air)[0] * 0.5 + colour(floor) * 0.35)
    pitch = SIZE / columns
    across = (COLUMN + 0.5) % pitch - pitch / 2
    light = np.clip(0.95 - across / 18, 0.55, 1.15)
    flutes = 0.9 + 0.14 * np.cos(across * 2.1)
    shaft = (np.abs(across) < 6.2 + (ROW - 64) * 0.015) & (ROW > 26) & (ROW < 110)
    canvas = lay(canvas, shaft, shade(flat(marble), light * flutes))
    capital = (np.abs(across) < 9.5) & (((ROW >= 24) & (ROW < 29)) | ((ROW > 106) & (ROW < 112)))
    canvas = lay(canvas, capital, shade(flat(marble), light))
    frieze = 0.92 + 0.1 * ((ROW // 1) % 8 < 1) - 0.25 * ((COLUMN % 8 < 3) & (ROW > 9) & (ROW < 19))
    canvas = lay(canvas, ROW < 24, shade(flat(marble), frieze - 0.25 * (ROW > 21)))
    tiles = 0.85 + 0.2 * (((COLUMN // 16) + (ROW - 112) // 8) % 2)
    return lay(canvas, ROW >= 112, shade(flat(floor), tiles))


def factory(dice: Dice, air: str, walls: str, smoke: str, panes: str) -> Canvas:
    """Saw-tooth halls, chimneys, smoke."""
    canvas = sky(air, 0.9)
    palette = colours(walls)
    plume = fractal(dice, 5, 5, 5)
    chimneys = [(SIZE * (place + dice.one(0.2, 0.8)) / 5, dice.one(34, 62)) for place in range(5)]
    for x, top in chimneys:
        across = gap(COLUMN + 0.5, x + (top - ROW) * 0.55 + 10 * (plume - 0.5))
        puff = np.exp(-((across / (3 + np.clip(top - ROW, 0, 60) * 0.3)) ** 2)) * (top > ROW)
        canvas = lay(canvas, smooth(puff * (0.4 + plume), 0.3, 0.65), shade(flat(smoke), 0.7 + 0.5 * plume))
    for x, top in chimneys:
        across = gap(COLUMN + 0.5, x)
        stack = (np.abs(across) < 3 + (ROW - top) * 0.03) & (top <= ROW)
        stripes = np.where((ROW - top < 12) & ((ROW - top) // 3 % 2 == 0), 1.6, 1.0)
        canvas = lay(canvas, stack, shade(flat(palette[0]), stripes * np.clip(1 - across / 6, 0.5, 1.4)))
    roof = 96 - (np.arange(SIZE) % 16) * 0.75
    canvas = lay(canvas, below(roof), palette[1])
    glass = (COLUMN % 16 > 11) & (ROW > 88) & (roof[None, :] + 2 < ROW) & (ROW < 97)
    canvas = lay(canvas, glass, panes)
    windows = (COLUMN % 8 > 2) & (ROW % 12 > 5) & (ROW > 100) & (ROW < 120)
    canvas = lay(
        canvas,
        windows,
        np.where(
            (dice.uniform(shape=(16, 16))[(ROW // 8).astype(int), (COLUMN // 8).astype(int)] < 0.55)[..., None],
            colour(panes),
            palette[1] * 0.5,
        ),
    )
    pipe = (np.abs(ROW - 122) < 3) * (1 - np.abs(ROW - 122) / 5)
    return lay(
        lay(canvas, ROW > 118, palette[1] * 0.6), pipe > 0, shade(flat(palette[2]), pipe + 0.2 - 0.3 * (COLUMN % 32 < 2))
    )
