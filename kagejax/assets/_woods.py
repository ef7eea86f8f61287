"""Brushes for woods: firs, trunks, crowns, bamboo, palms, mushrooms, autumn and fields."""

import numpy as np

from kagejax.assets._landscapes import fir, flat
from kagejax.assets._noise import COLUMN, ROW, SIZE, Dice, Y, curve, fractal, gap
from kagejax.assets._paint import below, colour, colours, disc, distance, glow, lay, patch, ramp, shade, sky, smooth, trail
from kagejax.assets._skies import Canvas, stars


def pines(dice: Dice, air: str, needles: str, sun: str = "", snow: str = "", night: bool = False) -> Canvas:
    """Ranks of firs that fade into mist."""
    canvas = sky(air, 0.85)
    if night:
        canvas = stars(dice, canvas, 110, 70)
    if sun:
        x, y = dice.one(24, 104), dice.one(20, 44)
        canvas = lay(glow(canvas, np.exp(-distance(x, y) / 20) * 0.4, sun), disc(x, y, 8), sun)
    palette = colours(needles)
    for place, paint in enumerate(palette):
        near = (place + 1) / len(palette)
        line = 62 + 54 * near - 14 * curve(dice, 2 + place, 2)
        count = round(26 - 16 * near)
        canvas = lay(canvas, below(line + 3), paint)
        for x in SIZE * (np.arange(count) + dice.uniform(-0.3, 0.3, (count,))) / count:
            foot = line[int(x) % SIZE] + 5
            fir(canvas, x, foot, (14 + 36 * near) * dice.one(0.65, 1.15), paint, snow)
        if place < len(palette) - 1:
            canvas = lay(canvas, smooth(ROW - line[None, :], -16, 14), colours(air)[-1], 0.55)
    return canvas


def trunks(dice: Dice, air: str, bark: str, leaves: str, floor: str, shafts: float = 0.35, spots: bool = False) -> Canvas:
    """Inside a forest: bare trunks at several depths, a roof of leaves, shafts of light."""
    canvas = sky(air)
    palette = colours(bark)
    for place, paint in enumerate(palette):
        near = (place + 1) / len(palette)
        count = 11 - 2 * place
        ground = 88 + 30 * near
        for x in SIZE * (np.arange(count) + dice.uniform(-0.35, 0.35, (count,))) / count:
            width = (1.5 + 6 * near) * dice.one(0.6, 1.1)
            across = gap(COLUMN + 0.5, x + 3 * np.sin(ROW / 26 + x)) / (
                width * (0.8 + 0.5 * smooth(ROW, ground - 14, ground + 4))
            )
            mask = (np.abs(across) < 1) & (ground + 2 > ROW)
            grain = 0.8 - 0.28 * across + 0.12 * np.sin(across * 6 + np.sin(ROW / 5))
            canvas = lay(canvas, mask, shade(flat(paint), grain))
            if spots:
                marks = mask & ((ROW * 7 + int(x) * 13 + COLUMN // 3 * 5) % 23 < 3)
                canvas = lay(canvas, marks, paint * 0.25)
        canvas = lay(
            canvas,
            below(ground - 5 * curve(dice, 4, 3)),
            colour(floor) * (0.55 + 0.45 * near) + colours(air)[-1] * (1 - near) * 0.3,
        )
        if place < len(palette) - 1:
            canvas = lay(canvas, smooth(ROW, 40, 120), colours(air)[-1], 0.3)
    slant = (COLUMN + ROW * 0.6).astype(np.int64) % SIZE
    canvas = glow(canvas, smooth(curve(dice, 8, 2)[slant], 0.55, 0.9) * (1 - Y) * shafts, colours(air)[0])
    crown = fractal(dice, 6, 7, 5)
    roof = smooth(crown + (30 - ROW) / 40, 0.5, 0.56)
    canvas = lay(canvas, roof, ramp(leaves, np.clip(crown + 0.25 * (np.roll(crown, 3, 0) - crown) * 8, 0, 1)))
    grass = 124 - 7 * curve(dice, 64, 1, sharp=True) - 3 * curve(dice, 5, 2)
    return lay(canvas, below(grass), colour(floor) * 0.6)


def crowns(dice: Dice, air: str, leaves: str, bark: str, floor: str, falling: bool = False) -> Canvas:
    """Round leafy trees in a park, in two ranks."""
    canvas = sky(air, 0.8)
    palette = colours(leaves)
    for rank, count in enumerate((9, 5)):
        near = (rank + 1) / 2
        ground = 84 + 32 * near
        canvas = lay(canvas, below(ground - 12 - 8 * curve(dice, 3, 2)), colour(floor) * (0.72 + 0.28 * near))
        for place in range(count):
            x = SIZE * (place + dice.one(0.2, 0.8)) / count
            paint = palette[dice.whole(0, len(palette))] * (0.75 + 0.25 * near)
            radius = (9 + 9 * near) * dice.one(0.8, 1.1)
            top = ground - radius * 2.4
            trunk = (np.abs(gap(COLUMN + 0.5, x)) < 1 + 1.5 * near) & (top < ROW) & (ground - 6 > ROW)
            canvas = lay(canvas, trunk, bark)
            turns = np.arange(7) * 0.9 + place
            heap, lit = np.zeros((SIZE, SIZE), bool), np.zeros((SIZE, SIZE), bool)
            for turn in turns:
                puff_x, puff_y = x + np.cos(turn) * radius * 0.55, top + np.sin(turn) * radius * 0.5
                heap |= distance(puff_x, puff_y) < radius * 0.55
                lit |= distance(puff_x - radius * 0.13, puff_y - radius * 0.2) < radius * 0.3
            speckle = 0.9 + 0.2 * (dice.uniform(shape=(SIZE, SIZE)) > 0.5)
            canvas = lay(canvas, np.roll(heap, 2, 0), paint * 0.5)
            canvas = lay(canvas, heap, shade(flat(paint), speckle * np.where(lit, 1.22, 0.88)))
    canvas = lay(canvas, below(122 - 5 * curve(dice, 3, 2)), colour(floor) * 1.08)
    for _ in range(110 if falling else 30):
        y = dice.one(20, 127) if falling else dice.one(120, 127)
        patch(canvas, dice.one(0, SIZE), y, np.ones((1, 2), bool), palette[dice.whole(0, len(palette))])
    return canvas


def bamboo(dice: Dice, air: str, stalks: str, leaves: str) -> Canvas:
    """A grove of jointed stalks with narrow leaves."""
    canvas = sky(air)
    palette = colours(stalks)
    for place, paint in enumerate(palette):
        near = (place + 1) / len(palette)
        count = 15 - 3 * place
        for x in SIZE * (np.arange(count) + dice.uniform(-0.35, 0.35, (count,))) / count:
            width, joint = (1 + 3 * near) * dice.one(0.7, 1.1), round(14 + 14 * near)
            across = gap(COLUMN + 0.5, x) / width
            ring = (ROW + int(x) * 7) % joint
            light = np.where(ring < 1, 0.5, np.where(ring < 2, 1.25, 0.95 - 0.35 * across))
            canvas = lay(canvas, np.abs(across) < 1 + 0.15 * (ring < 2), shade(flat(paint), light))
            for _ in range(3):
                leaf_y, side, long = dice.one(0, 110), 1 if dice.one() < 0.5 else -1, int(6 + 8 * near)
                along = np.arange(long)
                green = colour(leaves) * (0.5 + 0.5 * near)
                trail(canvas, x + side * (along + 1), leaf_y + along * 0.5, green)
                trail(canvas, x + side * (along[2:-3] + 1), leaf_y + 1 + along[2:-3] * 0.5, green)
        canvas = lay(canvas, smooth(ROW, 30, 128), colours(air)[-1], 0.35 * (1 - near))
    return canvas


def palms(dice: Dice, air: str, sun: str, water: str, sand: str, trees: str, bark: str) -> Canvas:
    """A beach with palms before the sea."""
    x, y, horizon = dice.one(30, 98), 50.0, 78
    canvas = sky(air, horizon / SIZE)
    canvas = lay(glow(canvas, np.exp(-distance(x, y) / 20) * 0.4, sun), disc(x, y, 11), sun)
    depth = np.clip((ROW - horizon) / 26, 0, 1)
    canvas = lay(canvas, horizon <= ROW, shade(ramp(water, depth), 0.9 + 0.2 * fractal(dice, 4, 40, 2)))
    canvas = lay(canvas, (fractal(dice, 6, 50, 1) > 0.7) & (horizon + 2 < ROW), sun, 0.35)
    line = 104 + 4 * curve(dice, 3, 2)
    canvas = lay(
        lay(canvas, below(line - 1.5), "ffffff", 0.8), below(line), shade(flat(sand), 0.9 + 0.15 * fractal(dice, 30, 30, 2))
    )
    paint = colour(trees)
    for place in range(5):
        foot_x, tall, lean = SIZE * (place + dice.one(0.15, 0.85)) / 5, dice.whole(44, 82), dice.one(-0.3, 0.3)
        up = np.arange(tall)
        stem_x = foot_x + lean * up * (0.4 + up / tall)
        trail(canvas, stem_x, 116 - up, colour(bark) * np.where(up % 4 == 0, 1.3, 0.95)[:, None], 3)
        for turn in np.linspace(-0.25, 3.4, 8):
            along = np.arange(0, 17, 0.6)
            leaf_x = stem_x[-1] + np.cos(turn) * along
            leaf_y = 116 - tall - np.sin(turn) * along * 0.75 + along * along * 0.045
            trail(canvas, leaf_x, leaf_y, paint * (0.85 + 0.3 * (np.sin(turn) > 0.5)), 1, 2)
    return canvas


def mushrooms(dice: Dice, air: str, caps: str, stem: str, floor: str, sparks: str) -> Canvas:
    """A glade of giant spotted mushrooms with drifting lights."""
    canvas = shade(sky(air), 0.85 + 0.3 * fractal(dice, 4, 5, 4))
    palette = colours(caps)
    for rank, count in enumerate((8, 6, 4)):
        near = (rank + 1) / 3
        ground = 92 + 26 * near
        canvas = lay(canvas, below(ground - 8 * curve(dice, 4, 3)), colour(floor) * (0.5 + 0.5 * near))
        for place in range(count):
            x, wide, tall = (
                SIZE * (place + dice.one(0.1, 0.9)) / count,
                (8 + 9 * near) * dice.one(0.7, 1.1),
                (22 + 34 * near) * dice.one(0.6, 1.1),
            )
            across, up = gap(COLUMN + 0.5, x), ground - ROW
            paint = palette[(place + rank) % len(palette)] * (0.55 + 0.45 * near)
            trunk = (np.abs(across) < wide * (0.16 + 0.1 * np.clip(1 - up / tall, 0, 1))) & (up > 0) & (up < tall)
            canvas = lay(canvas, trunk, shade(flat(stem), (0.55 + 0.45 * near) * np.clip(0.95 - across / wide, 0.6, 1.1)))
            cap = ((across / wide) ** 2 + ((up - tall + 1) / (wide * 0.72)) ** 2 < 1) & (up > tall)
            canvas = lay(canvas, cap, shade(flat(paint), np.clip(0.95 - 0.35 * across / wide + 0.02 * (up - tall), 0.5, 1.25)))
            canvas = lay(canvas, (np.abs(across) < wide * 0.92) & (up > tall - 2) & (up <= tall), paint * 0.4)
            for spot in (-0.55, 0.05, 0.5):
                dots = distance(x + spot * wide, ground - tall - wide * (0.3 if spot else 0.45), 1.2) < wide * 0.14
                canvas = lay(canvas, dots & cap, "fff6e0", 0.9)
        canvas = lay(canvas, smooth(ROW, 50, 120), colours(air)[-1], 0.3 * (1 - near))
    for _ in range(36):
        x, y = dice.one(0, SIZE), dice.one(8, 116)
        patch(canvas, x, y, np.ones((2, 2) if dice.one() < 0.3 else (1, 1), bool), sparks)
    return canvas


def field(dice: Dice, air: str, crop: str, heads: str, cloud: str, mill: str = "") -> Canvas:
    """Furrows of a crop in perspective to a flat horizon, perhaps a windmill."""
    horizon = 66
    canvas = sky(air, horizon / SIZE)
    canvas = lay(canvas, smooth(fractal(dice, 3, 9, 4), 0.56, 0.72) * (horizon > ROW), cloud, 0.85)
    canvas = lay(canvas, below(horizon - 6 * curve(dice, 6, 3)), colours(crop)[0] * 0.6)
    if mill:
        x = dice.one(36, 92)
        across, up = gap(COLUMN + 0.5, x), horizon + 8 - ROW
        canvas = lay(
            canvas, (np.abs(across) < 8 - up * 0.09) & (up > 0) & (up < 36), shade(flat(mill), 1 - 0.05 * across * 0.8)
        )
        canvas = lay(canvas, (np.abs(across) < 5.5 - (up - 36)) & (up >= 36) & (up < 42), "7a2f22")
        for turn in (0.4, 1.97, 3.54, 5.11):
            along, side = across * np.cos(turn) + (up - 36) * np.sin(turn), -across * np.sin(turn) + (up - 36) * np.cos(turn)
            canvas = lay(canvas, (along > 0) & (along < 27) & (np.abs(side) < 0.8), "4a3322")
            canvas = lay(canvas, (along > 6) & (along < 26) & (side > 0) & (side < 5), "f5ecd8", 0.85)
    depth = np.clip((ROW - horizon) / (SIZE - horizon), 0, 1)
    rows = np.floor(np.sqrt(depth) * 17)
    bump = np.sqrt(depth) * 17 - rows
    wave = np.sin(COLUMN * 6.283185307179586 * 32 / SIZE + rows * 2.1)
    body = shade(ramp(crop, depth), 1.1 - 0.5 * bump + 0.08 * wave)
    canvas = lay(canvas, horizon <= ROW, body)
    blooms = (dice.uniform(shape=(SIZE, SIZE)) < 0.12 + 0.5 * (bump < 0.4)) & (bump < 0.6) & (horizon + 3 < ROW)
    return lay(canvas, blooms & (dice.uniform(shape=(SIZE, SIZE)) < 0.35 + 0.5 * depth), heads)
