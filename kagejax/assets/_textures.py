"""Brushes for materials: marble, wood, stone, metal, cloth, lava, ice, circuits."""

import numpy as np

from kagejax.assets._landscapes import flat
from kagejax.assets._noise import COLUMN, ROW, SIZE, TURN, Dice, X, Y, fractal, stretched, value_noise, warped, worley
from kagejax.assets._paint import bands, colour, colours, glow, lay, patch, pick, ramp, shade, smooth, trail
from kagejax.assets._rooms import brickwork
from kagejax.assets._skies import Canvas


def voronoi(dice: Dice, paints: str, edge: str, count: int = 60, width: float = 1.5, dome: float = 0.4) -> Canvas:
    """Cells of flat colours, domed by `dome`, with an edge."""
    first, second, cell = worley(dice, count)
    palette = colours(paints)
    chosen = pick(palette, dice.integers(0, len(palette), (cell.max() + 1,))[cell])
    canvas = shade(chosen, 1 + dome * 0.5 - dome * first / (SIZE / count**0.5) * 1.6)
    return lay(canvas, 1 - smooth(second - first, width, width + 1), edge)


def cracks(dice: Dice, plate: str, seam: str, heat: str, count: int = 30) -> Canvas:
    """Plates with glowing seams between."""
    first, second, cell = worley(dice, count)
    shift = 9 * (fractal(dice, 6, 6, 3) - 0.5)
    margin = warped(second - first, shift, np.roll(shift, 31, 0))
    rough = fractal(dice, 10, 10, 4)
    tone = dice.uniform(0.7, 1.1, (cell.max() + 1,))[cell]
    canvas = shade(flat(plate), (0.55 + 0.7 * rough) * warped(tone, shift, shift))
    canvas = glow(canvas, np.exp(-margin / 4) * 0.6, seam)
    return lay(canvas, 1 - smooth(margin, 0.5, 2.5), ramp(f"{seam} {heat}", rough))


def plasma(dice: Dice, paints: str, swirl: float, rings: float) -> Canvas:
    """Colours stirred into one another."""
    shift = fractal(dice, 2, 2, 2)
    field = warped(fractal(dice, 3, 3, 2), swirl * shift, swirl * (1 - np.roll(shift, 50, 1)))
    return ramp(f"{paints} {paints.split()[0]}", (field * rings) % 1.0)


def marble(dice: Dice, paints: str, veins: int = 4, strength: float = 3.5) -> Canvas:
    """Veined stone."""
    stir = fractal(dice, 3, 3, 6, 0.55)
    vein = 1 - np.abs(np.sin(np.pi * (veins * X + 2 * Y + strength * stir)))
    fine = 1 - np.abs(2 * fractal(dice, 5, 5, 5) - 1)
    return ramp(paints, np.clip(0.75 * vein**2.2 + 0.35 * fine**6, 0, 1))


def planks(dice: Dice, paints: str, gap_paint: str, high: int = 16) -> Canvas:
    """Boards with grain, knots and nails."""
    board = (ROW // high).astype(np.int64)
    offset = dice.integers(0, SIZE, (SIZE // high,))[board]
    tone = dice.uniform(0.82, 1.1, (SIZE // high, 2))
    x = (COLUMN + offset) % SIZE
    stir = np.take_along_axis(fractal(dice, 3, 16, 4), x.astype(np.int64), 1)
    knots = np.exp(-((((x - 40) % SIZE - 20) / 7) ** 2 + ((ROW % high - high / 2) / 3.5) ** 2))
    grain = 0.5 + 0.5 * np.sin(ROW * 2.1 + 16 * stir + 9 * knots)
    canvas = shade(ramp(paints, np.clip(0.25 + 0.5 * grain + 0.5 * knots, 0, 1)), tone[board, (x // 64).astype(np.int64)])
    canvas = lay(canvas, (ROW % high == 0) | (x % 64 == 0), gap_paint)
    return lay(canvas, (x % 64 == 3) & ((ROW % high == 4) | (ROW % high == high - 4)), colour(gap_paint) * 1.6)


def bricks(dice: Dice, paints: str, mortar: str, wide: int = 16, high: int = 8, grain: float = 0.3) -> Canvas:
    """A brick wall."""
    joint, tone, relief = brickwork(dice, wide, high, 1.0 if high < 12 else 2.0)
    canvas = shade(ramp(paints, tone), relief * (1 - grain / 2 + grain * fractal(dice, 24, 24, 3)))
    return lay(canvas, joint, shade(flat(mortar), 0.9 + 0.2 * fractal(dice, 30, 30, 2)))


def cobbles(dice: Dice, paints: str, joint: str, count: int = 100) -> Canvas:
    """Rounded stones."""
    first, second, cell = worley(dice, count, 0.75)
    inner = smooth(second - first, 0.5, 7)
    light = np.clip(0.75 + (np.roll(inner, -2, (0,)) - np.roll(inner, 2, (0,))) * 0.9, 0.3, 1.5)
    canvas = shade(ramp(paints, dice.uniform(shape=(cell.max() + 1,))[cell]), light * (0.85 + 0.3 * fractal(dice, 20, 20, 3)))
    return lay(canvas, 1 - smooth(second - first, 1.2, 3), joint)


def metal(dice: Dice, plate: str, rust: str, bolts: str) -> Canvas:
    """Brushed and riveted plates that rust at the seams."""
    brushed = 0.85 + 0.3 * fractal(dice, 4, 64, 2)
    edge = np.minimum(np.minimum(COLUMN % 32, 31 - COLUMN % 32), np.minimum(ROW % 32, 31 - ROW % 32))
    tone = dice.uniform(0.8, 1.15, (4, 4))[(ROW // 32).astype(int), (COLUMN // 32).astype(int)]
    canvas = shade(flat(plate), brushed * tone * (1 - 0.45 * (edge < 1) + 0.15 * (edge == 1)))
    stain = fractal(dice, 6, 5, 5) + 0.3 * np.exp(-edge / 3)
    canvas = lay(canvas, smooth(stain, 0.72, 0.9), shade(flat(rust), 0.7 + 0.6 * fractal(dice, 20, 20, 2)))
    bolt = (np.hypot(COLUMN % 32 % 25 - 4.5, ROW % 32 % 25 - 4.5) < 1.9) & (edge > 1)
    return lay(canvas, bolt, bolts)


def circuit(dice: Dice, board: str, trace: str, pads: str, chips: int = 7) -> Canvas:
    """Traces that turn by 45 degrees, pads, chips with legs."""
    canvas = shade(flat(board), 0.9 + 0.15 * ((COLUMN // 4 + ROW // 4) % 2))
    points = []
    for _ in range(46):
        x, y = 4 * dice.whole(0, 32), 4 * dice.whole(0, 32)
        turn, start = dice.whole(0, 8), (x, y)
        for _ in range(dice.whole(3, 7)):
            turn = (turn + dice.whole(-1, 2)) % 8
            step_x, step_y = np.rint(np.cos(turn * TURN / 8)), np.rint(np.sin(turn * TURN / 8))
            along = np.arange(4 * dice.whole(1, 4))
            trail(canvas, x + step_x * along, (y + step_y * along) % SIZE, colour(trace))
            x, y = x + step_x * len(along), y + step_y * len(along)
        points += [start, (x, y)]
    ring = np.hypot(*(np.indices((5, 5)) - 2)) < 2.3
    for x, y in points:
        patch(canvas, x - 2, y % SIZE - 2, ring, pads)
        patch(canvas, x, y % SIZE, np.ones((1, 1), bool), board)
    for place in range(chips):
        x, y = SIZE * (place + dice.one(0, 0.6)) / chips, dice.one(4, 104)
        wide, tall = dice.whole(12, 20), dice.whole(9, 20)
        legs = np.indices((tall, wide + 4))[0] % 3 == 1
        patch(canvas, x - 2, y, legs, "c9ced6")
        patch(canvas, x, y - 1, np.ones((tall + 2, wide), bool), "16181d")
        patch(canvas, x + 1, y, np.ones((1, wide - 2), bool), "3a3e48")
        patch(canvas, x + 2, y + 2, np.ones((2, 2), bool), pads)
    return canvas


def hide(dice: Dice, paints: str, kind: str) -> Canvas:
    """The rosettes of a 'leopard', or 'camouflage' in flat patches."""
    shift = 16 * (fractal(dice, 4, 4, 3) - 0.5)
    if kind == "leopard":
        first, _, _ = worley(dice, 110)
        at = warped(first, shift * 0.4, np.roll(shift, 40, 1) * 0.4) + 1.6 * (fractal(dice, 16, 16, 2) - 0.5)
        ring = (at > 2.1) & (at < 4.3) & (value_noise(dice, 26, 26) > 0.3)
        fur = shade(flat(colours(paints)[0]), 0.88 + 0.24 * fractal(dice, 40, 20, 2))
        return lay(lay(fur, at <= 2.1, colours(paints)[1]), ring, colours(paints)[2])
    canvas = flat(colours(paints)[0])
    for paint in colours(paints)[1:]:
        blot = np.floor(np.repeat(np.repeat(fractal(dice, 4, 5, 4)[::2, ::2], 2, 0), 2, 1) * 100) / 100
        canvas = lay(canvas, blot > 0.56, paint)
    return canvas


def fabric(dice: Dice, ground: str, threads: str, period: int = 64) -> Canvas:
    """Tartan: the same bands in warp and weft, woven as a twill."""
    palette = colours(threads)
    line = np.full((period, 3), colour(ground))
    for place in range(5):
        at, wide = dice.whole(0, period), dice.whole(2, 12)
        line[(at + np.arange(wide)) % period] = palette[place % len(palette)]
    weft, warp = pick(line, ROW), pick(line, COLUMN)
    over = ((COLUMN + ROW) % 4 < 2)[..., None]
    return np.where(over, weft * 0.72 + warp * 0.28, warp * 0.72 + weft * 0.28)


def contours(dice: Dice, paints: str, line: str, count: int = 9) -> Canvas:
    """A relief map: tinted heights and contour lines."""
    height = fractal(dice, 2, 2, 4, 0.42) * count
    canvas = bands(paints, np.floor(height) / count)
    slope = np.hypot(height - np.roll(height, 1, 0), height - np.roll(height, 1, 1)) + 1e-6
    near = np.minimum(height % 1, 1 - height % 1) / slope
    return lay(canvas, np.clip(1.1 - near, 0, 1), line)


def foliage(dice: Dice, leaves: str, dark: str, flowers: str, count: int = 330) -> Canvas:
    """A hedge: overlapping leaves, the upper ones brighter; flowers among them."""
    canvas = shade(flat(dark), 0.7 + 0.6 * fractal(dice, 8, 8, 3))
    palette = colours(leaves)
    row, column = np.indices((15, 15)) - 7
    for place in range(count):
        turn, size, bright = dice.one(0, TURN), dice.one(3, 6.5), 0.55 + 0.5 * place / count
        along, side = column * np.cos(turn) + row * np.sin(turn), -column * np.sin(turn) + row * np.cos(turn)
        blade = np.abs(side) < size * 0.5 * np.clip(1 - (along / size) ** 2, 0, 1)
        x, y, paint = dice.one(0, SIZE), dice.one(-8, 122), palette[dice.whole(0, len(palette))] * bright
        patch(canvas, x, y, blade, paint)
        patch(canvas, x, y, blade & (side > 0.2), paint * 0.78)
    for place in range(26):
        x, y, paint = dice.one(0, SIZE), dice.one(0, 120), colours(flowers)[place % len(colours(flowers))]
        bloom = np.hypot(row, column) < 3.2 + 1.2 * np.cos(5 * np.arctan2(row, column))
        patch(canvas, x, y, bloom, paint)
        patch(canvas, x + 6, y + 6, np.ones((3, 3), bool), "ffe066")
    return canvas


def clay(dice: Dice, paints: str, ripples: int = 5) -> Canvas:
    """Sand or strata: thin wavy layers."""
    stir = fractal(dice, 2, 3, 4)
    field = stretched(Y * ripples * 2 + 2.2 * stir + 0.25 * np.sin(TURN * 3 * X + 5 * stir))
    layers = (field * ripples * 3) % 1
    return shade(ramp(paints, (np.floor(field * ripples * 3) * 0.37) % 1), 0.85 + 0.25 * layers)
