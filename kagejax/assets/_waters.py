"""Brushes for seas, the world under them, and caves."""

import numpy as np

from kagejax.assets._landscapes import flat
from kagejax.assets._noise import COLUMN, ROW, SIZE, Dice, Y, curve, fractal, gap, warped, worley
from kagejax.assets._paint import below, colour, colours, disc, distance, glow, lay, patch, ramp, shade, sky, smooth, trail
from kagejax.assets._skies import Canvas, branch


def sea(dice: Dice, air: str, water: str, sun: str, foam: str = "ffffff", horizon: int = 56, ships: int = 0) -> Canvas:
    """Waves that grow towards us, a path of light, and perhaps sails."""
    x, y = dice.one(30, 98), dice.one(16, horizon - 12)
    canvas = sky(air, horizon / SIZE)
    canvas = lay(canvas, smooth(fractal(dice, 3, 12, 4), 0.58, 0.72) * (Y < 0.4), foam, 0.55)
    canvas = lay(glow(canvas, np.exp(-distance(x, y) / 15) * 0.4, sun), disc(x, y, 7), sun)
    depth = np.clip((ROW - horizon) / (SIZE - horizon), 0, 1)
    swell = np.sin(34 * np.sqrt(depth) * 2 + 7 * fractal(dice, 4, 5, 3) + 2 * np.sin(COLUMN * 6.283185307179586 * 2 / SIZE))
    body = shade(ramp(water, depth), 0.93 + 0.12 * swell * (0.3 + depth))
    canvas = lay(canvas, horizon <= ROW, body)
    crest = (swell > 0.8) * smooth(fractal(dice, 9, 14, 3), 0.45, 0.6) * (horizon + 3 < ROW)
    canvas = lay(canvas, crest, foam, 0.75)
    path = np.exp(-((gap(COLUMN, x) / (5 + 16 * depth)) ** 2)) * (swell > 0.1) * (horizon < ROW)
    canvas = lay(canvas, path, sun, 0.7)
    for place in range(ships):
        sail(canvas, SIZE * (place + dice.one(0.2, 0.8)) / ships, horizon + 6 + 18 * dice.one(), 12 + dice.one(0, 8))
    return canvas


def sail(canvas: Canvas, x: float, foot: float, tall: float) -> None:
    """A small sailing boat, in place."""
    rows = np.arange(int(tall))
    across = np.arange(12)
    patch(canvas, x, foot - tall - 2, np.ones((int(tall), 1), bool), "4a3020")
    patch(canvas, x + 1, foot - tall - 2, across[None, :] < rows[:, None] * 0.55, "fdfdf5")
    patch(canvas, x - 5, foot - tall, (11 - across)[None, :6] - 6 < rows[: len(rows) - 2, None] * 0.4, "e4572e")
    hull = np.abs(np.arange(17) - 8)[None, :] <= 8 - np.arange(4)[:, None]
    patch(canvas, x - 7, foot - 3, hull, "6b3f1d")


def icebergs(dice: Dice, air: str, water: str, ice: str, shadow: str) -> Canvas:
    """Blue-white bergs with facets, mirrored in cold water."""
    horizon = 76
    canvas = sky(air, 0.6)
    for place in range(5):
        x, wide, tall = SIZE * (place + dice.one(0.2, 0.8)) / 5, dice.one(10, 22), dice.one(16, 46)
        across = gap(COLUMN[0] + 0.5, x)
        line = horizon - tall * np.clip(1 - np.abs(across) / wide, 0, 1) ** 0.7 + 6 * curve(dice, 12, 2, sharp=True)
        facet = (gap(COLUMN + 0.5, x) + 0.5 * (ROW - horizon) * np.sin(place * 2.0) > 0) * 0.6 + 0.4 * fractal(dice, 6, 6, 2)
        canvas = lay(canvas, below(line) * (np.abs(across) < wide)[None, :], ramp(f"{ice} {shadow}", facet))
    mirrored = canvas[np.clip(2 * horizon - 1 - np.arange(SIZE), 0, SIZE - 1)]
    ripple = (3 * (fractal(dice, 6, 30, 2) - 0.5)) * np.ones_like(ROW)
    mirrored = warped(mirrored, 4 * ripple, 0 * ROW) * 0.55 + ramp(water, Y) * 0.45
    canvas = lay(canvas, horizon <= ROW, mirrored)
    return lay(canvas, (fractal(dice, 6, 50, 1) > 0.74) * (horizon + 1 < ROW), ice, 0.5)


def underwater(dice: Dice, water: str, coral: str, fish: str, weed: str = "1f7a4d", sand: str = "d8c48a") -> Canvas:
    """Light from above, coral and weed on the sea floor, a school of fish."""
    canvas = sky(water)
    slant = (COLUMN + ROW * 0.5).astype(np.int64) % SIZE
    canvas = glow(canvas, smooth(curve(dice, 9, 3)[slant], 0.5, 1) * (1 - Y) ** 1.5 * 0.35, "ffffff")
    line = 112 - 12 * curve(dice, 3, 4)
    canvas = lay(canvas, below(line - 14 * curve(dice, 4, 5)), colours(water)[-1] * 0.55)
    palette = colours(coral)
    for _ in range(9):
        x = dice.whole(0, SIZE)
        for _ in range(2):
            paint = palette[dice.whole(0, len(palette))]
            branch(dice, canvas, float(x), float(line[x]) + 3, -1.57 + dice.one(-0.5, 0.5), dice.one(6, 11), 3.0, paint)
    for _ in range(14):
        x, tall = dice.whole(0, SIZE), dice.whole(16, 52)
        up = np.arange(tall)
        green = colour(weed) * (0.7 + up / 130)[:, None]
        trail(canvas, x + 2.2 * np.sin(up / 4 + x), line[x] + 2 - up, green, 2)
        trail(canvas, (x + 2 + 2.2 * np.sin(up / 4 + x))[up % 6 < 3], (line[x] + 2 - up)[up % 6 < 3], colour(weed) * 0.8)
    canvas = lay(canvas, below(line), shade(flat(sand), 0.75 + 0.3 * fractal(dice, 16, 16, 3)))
    paints = colours(fish)
    for place in range(11):
        swim(canvas, dice.one(0, SIZE), dice.one(12, 88), dice.one(3, 7), paints[place % len(paints)])
    for _ in range(30):
        x, y, radius = dice.one(0, SIZE), dice.one(4, 110), dice.one(0.8, 2.4)
        ring = np.abs(distance(x, y) - radius) < 0.6
        canvas = lay(canvas, ring, "ffffff", 0.6)
    return canvas


def swim(canvas: Canvas, x: float, y: float, size: float, paint: np.ndarray) -> None:
    """A fish that looks to the right, in place."""
    row, column = np.indices((17, 25)) - np.array([8, 14])[:, None, None]
    body = (column / (size * 1.5)) ** 2 + (row / (size * 0.8)) ** 2 < 1
    tail = (column < -size * 1.1) & (column > -size * 2.1) & (np.abs(row) < (-column - size) * 0.9)
    patch(canvas, x, y, tail, paint * 0.75)
    patch(canvas, x, y, body, paint)
    patch(canvas, x, y, body & (np.abs(column) < size * 0.3), np.minimum(255, paint * 0.5 + 120))
    patch(canvas, x, y, body & (row > size * 0.35), paint * 0.8)
    patch(canvas, x + 14 + size * 0.8, y + 7, np.ones((1, 1), bool), "101018")


def cave(
    dice: Dice, air: str, rock: str, gems: str = "", pool: str = "", lava: bool = False, drips: int = 26, glowworms: str = ""
) -> Canvas:
    """Stalactites and stalagmites in three depths; crystals, a pool, lava or glow-worms by choice."""
    canvas = shade(sky(air), 0.75 + 0.5 * fractal(dice, 4, 4, 5))
    rough = fractal(dice, 9, 9, 5)
    for place in range(3):
        near = (place + 1) / 3
        paint = colour(rock) * (1.15 - 0.75 * near) + colours(air)[len(colours(air)) // 2] * (1 - near) * 0.4
        ceiling, floor = 34 - 12 * near + 12 * curve(dice, 5, 4), 98 + 12 * near - 12 * curve(dice, 4, 4)
        for _ in range(drips // 3):
            x, wide, tall = dice.one(0, SIZE), dice.one(2, 6), dice.one(8, 34)
            spike = np.clip(1 - np.abs(gap(COLUMN[0] + 0.5, x)) / wide, 0, 1) ** 1.6
            if dice.one() < 0.6:
                ceiling = np.maximum(ceiling, np.where(spike > 0, ceiling + tall * spike, 0))
            else:
                floor = np.minimum(floor, np.where(spike > 0, floor - tall * 0.7 * spike, SIZE))
        body = shade(flat(paint), 0.65 + 0.75 * rough)
        canvas = lay(lay(canvas, 1 - below(ceiling), body), below(floor), body)
        if gems and place > 0:
            canvas = _crystals(dice, canvas, floor, colours(gems))
    if lava or pool:
        line = 112 + 2 * np.sin(np.arange(SIZE) * 0.19634954084936207)
        surface = fractal(dice, 6, 24, 3)
        canvas = glow(canvas, np.exp(-np.abs(ROW - 112) / 16) * 0.45, pool or "ff5a14")
        canvas = lay(canvas, below(line), ramp("7a1408 ff5a14 ffd23f" if lava else f"{pool} ffffff", surface**2))
    for paint in np.resize(colours(glowworms), (70, 3)) if glowworms else ():
        x, y = dice.one(0, SIZE), 60 * dice.one() ** 1.5
        patch(canvas, x, y, np.ones((1 + int(dice.one() < 0.3), 1), bool), paint)
    return glow(canvas, np.exp(-((ROW - 64) ** 2) / 900) * 0.05, colours(air)[0])


def _crystals(dice: Dice, canvas: Canvas, floor: np.ndarray, palette: np.ndarray) -> Canvas:
    """Clusters of lit prisms on the floor."""
    for place in range(7):
        x, paint = dice.whole(0, SIZE), palette[place % len(palette)]
        canvas = glow(canvas, np.exp(-distance(float(x), float(floor[x]) - 6) / 11) * 0.4, paint)
        for lean in (-0.55, 0.5, -0.12):
            tall, wide = dice.one(10, 24) * (1.2 - abs(lean)), dice.one(1.8, 3.4)
            up = floor[x] + 3 - ROW
            across = gap(COLUMN + 0.5, x + 0.0) - lean * up
            width = np.minimum(wide, (tall - up) * 0.8)
            inside = (np.abs(across) < width) & (up > 0) & (up < tall)
            canvas = lay(canvas, inside, np.where((across < -width * 0.1)[..., None], paint * 0.5 + 127, paint * 0.75))
    return canvas


def pool_surface(dice: Dice, water: str, light: str, cells: int = 36) -> Canvas:
    """Light on the bottom of a swimming pool, seen from above."""
    first, second, _ = worley(dice, cells)
    shift = 8 * (fractal(dice, 4, 4, 3) - 0.5)
    net = warped(1 - smooth(second - first, 0, 4.5), shift, np.roll(shift, 40, 1))
    tiles = 1 - 0.1 * ((COLUMN % 16 == 0) | (ROW % 16 == 0))
    return lay(shade(ramp(water, fractal(dice, 3, 3, 3)), tiles), net, light, 0.75)
