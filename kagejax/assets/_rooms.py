"""Brushes for indoors and stage sets: dungeon, library, stained glass, station, arcade grid, tiles, curtains."""

import numpy as np

from kagejax.assets._landscapes import flat
from kagejax.assets._noise import COLUMN, ROW, SIZE, TURN, Dice, Y, curve, fractal, gap, value_noise, worley
from kagejax.assets._paint import box, colour, colours, disc, distance, glow, lay, patch, pick, ramp, shade, sky, smooth
from kagejax.assets._skies import Canvas, stars


def brickwork(dice: Dice, wide: int, high: int, mortar: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bond of bricks: mask of mortar, a random number in [0, 1) for each brick, and light that models its edges."""
    course = (ROW // high).astype(np.int64)
    shifted = COLUMN + (course % 2) * (wide // 2)
    brick = (shifted // wide).astype(np.int64) % (SIZE // wide)
    x, y = shifted % wide, ROW % high
    joint = (x < mortar) | (y < mortar)
    tone = dice.uniform(shape=(SIZE // high + 1, SIZE // wide))[course, brick]
    relief = 1.0 + 0.12 * ((y < mortar + 1) | (x < mortar + 1)) - 0.16 * ((y >= high - 1) | (x >= wide - 1))
    return joint, tone, relief


def dungeon(dice: Dice, stone: str, mortar: str, flame: str, moss: str, torches: int = 2) -> Canvas:
    """A wall of hewn blocks lit by torches; moss and barred windows."""
    joint, tone, relief = brickwork(dice, 16, 8)
    grain = fractal(dice, 20, 20, 3)
    canvas = lay(shade(flat(stone), (0.72 + 0.4 * tone) * relief * (0.85 + 0.3 * grain)), joint, mortar)
    canvas = lay(canvas, smooth(fractal(dice, 5, 5, 5) + 0.25 * Y, 0.66, 0.8), shade(flat(moss), 0.6 + 0.7 * grain))
    light = np.full((SIZE, SIZE), 0.34)
    spots = [SIZE * (place + 0.5) / torches for place in range(torches)]
    for x in spots:
        light += 1.05 * np.exp(-((distance(x, 50) / 30) ** 2))
    canvas = shade(canvas, light)
    for x in spots:
        canvas = glow(canvas, np.exp(-distance(x, 48) / 13) * 0.5, flame)
        canvas = lay(canvas, box(round(x) - 1, 54, 3, 14) | box(round(x) - 3, 60, 7, 2), "3a2416")
        tongue = np.abs(gap(COLUMN + 0.5, x + np.sin(ROW / 2.2))) < np.clip((ROW - 38) / 3.2, 0, 4) * (ROW < 54)
        canvas = lay(canvas, tongue, ramp(f"{flame} fff6c0", np.clip((ROW - 38) / 16, 0, 1)))
        window = box(round(x + 64 / torches) - 8, 34, 16, 24)
        canvas = lay(canvas, window, "0a0a12")
        canvas = lay(canvas, window & ((COLUMN - round(x + 64 / torches)) % 5 == 0), "6a6a72")
    return lay(canvas, ROW > 118, shade(flat(stone), 0.25 + 0.15 * tone))


def library(dice: Dice, wood: str, books: str, lamp: str) -> Canvas:
    """Shelves of books, vases and a lamp's warm light."""
    canvas = shade(flat(wood), 0.32 + 0.1 * fractal(dice, 30, 4, 3))
    palette = colours(books)
    for shelf in range(5):
        foot, left = 24 + 25 * shelf, 2
        while left < SIZE - 2:
            wide, tall = dice.whole(2, 7), dice.whole(13, 21)
            if left + wide > SIZE - 1:
                break
            paint = palette[dice.whole(0, len(palette))] * dice.one(0.75, 1.1)
            if dice.one() < 0.06:
                left += 7
                continue
            spine = np.ones((tall, wide), bool)
            patch(canvas, left, foot - tall, spine, paint)
            patch(canvas, left, foot - tall, spine[:, :1], np.minimum(255, paint * 1.3))
            patch(canvas, left + wide - 1, foot - tall, spine[:, :1], paint * 0.6)
            if wide > 3:
                patch(canvas, left + 1, foot - tall + 3, np.ones((1, wide - 2), bool), "e8c66a")
                patch(canvas, left + 1, foot - 5, np.ones((1, wide - 2), bool), "e8c66a")
            left += wide
        plank = (foot <= ROW) & (foot + 4 > ROW)
        canvas = lay(canvas, plank, shade(flat(wood), 1.15 - 0.12 * (ROW - foot)))
    canvas = lay(canvas, COLUMN % 64 < 4, shade(flat(wood), 1.1 - 0.12 * (COLUMN % 64)))
    light = 0.6 + 0.75 * np.exp(-((distance(34, 50) / 46) ** 2)) + 0.5 * np.exp(-((distance(98, 84) / 34) ** 2))
    return glow(shade(canvas, light), np.exp(-distance(34, 50) / 30) * 0.18, lamp)


def stained_glass(dice: Dice, panes: str, lead: str, count: int = 90) -> Canvas:
    """Leaded panes, with a rose window of petals."""
    first, second, cell = worley(dice, count)
    palette = colours(panes)
    canvas = shade(pick(palette, cell * 7 + cell // 5), 0.72 + 0.55 * value_noise(dice, 5, 5))
    canvas = lay(canvas, second - first < 2.0, lead)
    for x in (32, 96):
        radius = distance(x, 60)
        petal = (np.arctan2(ROW - 59.5, gap(COLUMN + 0.5, x)) / TURN + 0.5) * 12
        lines = (radius % 8 < 1.3) | (np.abs(petal % 1 - 0.5) > 0.5 - 1.6 / np.maximum(radius, 1))
        glass = shade(pick(palette, np.floor(petal) % 2 * 2 + radius // 8 * 3), 1.12 - radius / 80)
        canvas = lay(canvas, radius < 28, lay(glass, lines, lead))
    return canvas


def station(dice: Dice, hull: str, lights: str, space: str, screens: str) -> Canvas:
    """The inside of a spaceship: panels, pipes, consoles, and a long window on the stars."""
    panel = 0.85 + 0.25 * dice.uniform(shape=(8, 8))[(ROW // 16).astype(int), (COLUMN // 16).astype(int)]
    seams = (COLUMN % 16 == 0) | (ROW % 16 == 0)
    rivets = ((COLUMN % 16 == 2) | (COLUMN % 16 == 14)) & ((ROW % 16 == 2) | (ROW % 16 == 14))
    canvas = shade(flat(hull), panel - 0.3 * seams + 0.25 * rivets)
    outside = stars(dice, glow(sky(space), smooth(fractal(dice, 3, 3, 4), 0.5, 1), colours(lights)[0] * 0.7), 110)
    x = dice.one(20, 108)
    globe = shade(
        ramp(f"{space.split()[0]} {lights.split()[0]} ffffff", fractal(dice, 4, 8, 3)),
        np.clip(0.9 - gap(COLUMN, x) / 26, 0.1, 1),
    )
    outside = lay(outside, disc(x, 44, 17), globe)
    window = (np.abs((COLUMN + 0.5) % 64 - 32) < 27 - np.clip(np.abs(ROW - 42) - 16, 0, 9)) & (np.abs(ROW - 42) < 25)
    frame = (np.abs((COLUMN + 0.5) % 64 - 32) < 30 - np.clip(np.abs(ROW - 42) - 16, 0, 9)) & (np.abs(ROW - 42) < 28)
    canvas = lay(lay(canvas, frame, colour(hull) * 0.45), window, outside)
    pipe = np.abs(ROW - 7)
    canvas = lay(canvas, pipe < 5, shade(flat(colours(lights)[-1]), np.clip(1 - pipe / 6 - 0.35 * (COLUMN % 32 < 3), 0.1, 1)))
    for place in range(8):
        left, paint = place * 16 + 2, colours(screens)[place % len(colours(screens))]
        canvas = lay(canvas, box(left, 82, 12, 14), "0a1018")
        wave = 89 - 4 * np.sin((COLUMN - left) * (0.6 + 0.2 * place)) * dice.one(0.3, 1)
        canvas = lay(canvas, box(left + 1, 83, 10, 12) & (np.abs(ROW - wave) < 1), paint)
        for button in range(4):
            patch(canvas, left + 3 * button, 101, np.ones((2, 2), bool), colours(lights)[dice.whole(0, len(colours(lights)))])
    strip = np.abs(ROW - 112)
    return glow(canvas, np.exp(-strip / 3) * 0.7, colours(lights)[0])


def grid_sunset(dice: Dice, air: str, sun: str, lines: str, ground: str) -> Canvas:
    """A striped sun over a glowing grid: the 1980s' idea of the future."""
    horizon = 74
    canvas = stars(dice, sky(air, horizon / SIZE), 70, 60)
    at = distance(64, 52)
    stripes = (ROW < 44) | ((ROW - 44) % 6 >= 1 + (ROW - 44) / 12)
    canvas = glow(canvas, np.exp(-np.maximum(at - 28, 0) / 9) * 0.3, sun.split()[-1])
    canvas = lay(canvas, (at < 28) & stripes, ramp(sun, np.clip((ROW - 24) / 56, 0, 1)))
    peaks = 62 + 12 * (1 - curve(dice, 9, 3, sharp=True)) + 10 * np.exp(-((gap(COLUMN[0], 64) / 26) ** 2))
    edge = np.abs(ROW - peaks[None, :]) < 0.8
    canvas = lay(lay(canvas, peaks[None, :] < ROW, ground), edge, lines)
    depth = np.maximum(ROW + 0.5 - horizon, 0.3)
    across = np.abs((((gap(COLUMN + 0.5, 64) / depth) * 3.0) + 0.5) % 1 - 0.5) * depth / 3.0
    fade = np.clip(1.2 - np.abs(gap(COLUMN, 64)) / 64 * np.clip(26 / depth, 0, 1), 0, 1)
    along = (64 / depth) % 1 < np.clip(1.6 / depth * 64 / depth, 0, 0.6)
    floor = lay(flat(ground), (across < 0.55) * fade, lines, 0.9)
    floor = lay(floor, along, lines)
    return glow(lay(canvas, horizon <= ROW, floor), np.exp(-np.abs(ROW - horizon) / 4) * 0.5, lines)


def parquet_hall(dice: Dice, wall: str, stripe: str, wood: str, frame: str, art: str) -> Canvas:
    """A gallery: papered wall with framed pictures, wainscot and parquet."""
    canvas = lay(flat(wall), (COLUMN % 16 < 8) & (ROW < 88), stripe)
    ornament = (np.abs((COLUMN + 0.5) % 16 - 8) + np.abs(ROW % 16 - 8) < 3) & (ROW < 86)
    canvas = lay(canvas, ornament, colour(stripe) * 0.75 + 40)
    palette = colours(art)
    for place in range(4):
        left, top, wide, tall = place * 32 + 3, dice.whole(14, 26), dice.whole(20, 27), dice.whole(28, 46)
        canvas = lay(canvas, box(left + 2, top + 3, wide, tall), colour(wall) * 0.5, 0.6)
        canvas = lay(
            canvas, box(left, top, wide, tall), shade(flat(frame), 0.85 + 0.3 * ((ROW - top < 2) | (COLUMN - left < 2)))
        )
        scene = ramp(art, fractal(dice, 3 + place, 4, 4)) if place % 2 else pick(palette, COLUMN // 5 + ROW // 6 + place)
        canvas = lay(canvas, box(left + 3, top + 3, wide - 6, tall - 6), scene)
    canvas = lay(canvas, ROW >= 86, shade(flat(wood), 0.8 - 0.2 * ((COLUMN % 16 < 2) | (ROW % 13 == 8)) + 0.25 * (ROW < 89)))
    boards = (
        0.75
        + 0.35 * dice.uniform(shape=(32, 32))[(ROW // 4).astype(int), ((COLUMN + 8 * (ROW // 4 % 2)) // 16).astype(int) % 8]
    )
    return lay(canvas, ROW >= 108, shade(flat(wood), boards * (1 - 0.25 * (ROW % 4 == 0))))


def curtain(dice: Dice, cloth: str, trim: str, folds: int = 8) -> Canvas:
    """A theatre curtain in folds, gilded pelmet, footlights."""
    sway = 5 * np.sin(ROW / 30) + 3 * (value_noise(dice, 4, 3) - 0.5)
    fold = np.sin((COLUMN + sway * smooth(ROW, 10, 128)) * TURN * folds / SIZE)
    fine = np.sin((COLUMN + sway) * TURN * folds * 3 / SIZE)
    canvas = shade(flat(cloth), 0.68 + 0.36 * fold + 0.07 * fine)
    drop = 18 + 8 * np.abs(np.sin(np.arange(SIZE) * TURN * 2 / SIZE))
    pelmet = drop[None, :] > ROW
    canvas = shade(canvas, 1 - 0.45 * np.exp(-np.clip(ROW - drop[None, :], 0, 99) / 6) * ~pelmet)
    canvas = lay(canvas, pelmet, shade(flat(cloth), 0.95 + 0.2 * np.sin(ROW / 3 + drop[None, :] / 2)))
    canvas = lay(canvas, (np.abs(ROW - drop[None, :]) < 2.5) | (ROW > 117), shade(flat(trim), 0.8 + 0.3 * (COLUMN % 4 < 2)))
    for x in range(8, SIZE, 16):
        canvas = glow(canvas, np.exp(-distance(x, 116) / 8) * 0.45, trim)
    return canvas
