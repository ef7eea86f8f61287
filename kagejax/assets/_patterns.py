"""Brushes for geometry: stripes, checks, hexagons, scales, dots, mazes, tiles, rays, mosaics."""

import numpy as np

from kagejax.assets._landscapes import flat
from kagejax.assets._noise import COLUMN, ROW, SIZE, TURN, Dice, X, Y, fractal, gap, value_noise
from kagejax.assets._paint import bands, colours, distance, glow, lay, patch, pick, ramp, shade, smooth
from kagejax.assets._skies import Canvas


def stripes(dice: Dice, paints: str, repeats: int = 4, slope: float = 0.0, wobble: float = 0.0, soft: bool = False) -> Canvas:
    """Stripes; `slope` is columns per row, `wobble` bends them."""
    bend = wobble * np.sin(TURN * (Y * 2 + dice.one()) + TURN * X)
    field = ((COLUMN + slope * ROW + bend) * repeats / SIZE) % 1.0
    if soft:
        return ramp(f"{paints} {paints.split()[0]}", field)
    return bands(paints, field)


def checks(dice: Dice, paints: str, cell: int = 16, bevel: float = 0.15, skew: bool = False) -> Canvas:
    """A chequered board, straight or on its corner, each square bevelled."""
    x, y = (COLUMN + ROW, COLUMN - ROW + SIZE) if skew else (COLUMN, ROW)
    palette = colours(paints)
    tile = (x // cell + y // cell * (1 if len(palette) == 2 else 2)).astype(np.int64) % len(palette)
    inner_x, inner_y = x % cell, y % cell
    light = 1 + bevel * ((inner_x < 2) | (inner_y < 2)) - bevel * ((inner_x >= cell - 2) | (inner_y >= cell - 2))
    return shade(pick(palette, tile), light + 0.05 * (fractal(dice, 16, 16, 2) - 0.5))


def waves(dice: Dice, paints: str, high: int = 16, across: int = 8) -> Canvas:
    """Rows of round wave crests, each hiding the foot of the row behind (seigaiha)."""
    palette = colours(paints)
    wide = SIZE / across
    canvas = np.zeros((SIZE, SIZE, 3))
    for place in range(-2, SIZE // high * 2 + 3):
        middle_y = place * high / 2
        x = (COLUMN + 0.5 + (place % 2) * wide / 2) % wide - wide / 2
        radius = np.hypot(x, (ROW + 0.5 - middle_y) * wide / high * 0.62)
        ring = np.clip(radius / (wide / 2) * len(palette), 0, len(palette) - 1).astype(np.int64)
        canvas = lay(canvas, radius < wide / 2, pick(palette, ring))
    return shade(canvas, 0.94 + 0.12 * value_noise(dice, 4, 4))


def hexagons(dice: Dice, paints: str, edge: str, across: int = 8, lit: float = 0.0) -> Canvas:
    """A honeycomb; a share `lit` of the cells glows."""
    wide = SIZE / across
    high = wide * 0.75
    best, cell = np.full((SIZE, SIZE), 1e9), np.zeros((SIZE, SIZE), np.int64)
    second = best.copy()
    rows = round(SIZE / high)
    for row in range(-1, rows + 2):
        near_x = (COLUMN + 0.5 - (row % 2) * wide / 2) / wide
        column = np.floor(near_x)
        x = (near_x - column - 0.5) * wide
        for side in (-1, 0, 1):
            reach = (x - side * wide) ** 2 + ((ROW + 0.5 - row * SIZE / rows) * 1.155 * 0.866 * high / (SIZE / rows)) ** 2
            closer = reach < best
            second = np.where(closer, best, np.minimum(second, reach))
            cell = np.where(closer, (row % rows) * across + (column + side).astype(np.int64) % across, cell)
            best = np.where(closer, reach, best)
    margin = np.sqrt(second) - np.sqrt(best)
    chance = dice.uniform(shape=(rows * across,))[cell]
    canvas = shade(ramp(paints, dice.uniform(shape=(rows * across,))[cell]), 0.8 + 0.3 * smooth(margin, 1, wide * 0.5))
    if lit:
        canvas = glow(canvas, (chance < lit) * (1 - np.sqrt(best) / wide), colours(paints)[-1])
    return lay(canvas, 1 - smooth(margin, 1.2, 2.6), edge)


def dots(dice: Dice, ground: str, paints: str, pitch: int = 16, size: float = 0.36) -> Canvas:
    """Polka dots in a brick lattice, each with a highlight."""
    row = (ROW // pitch).astype(np.int64)
    x = (COLUMN + (row % 2) * pitch // 2) % SIZE
    column = (x // pitch).astype(np.int64)
    sides = SIZE // pitch
    radius = pitch * size
    palette = colours(paints)
    paint = pick(palette, dice.integers(0, len(palette), (sides, sides))[row, column])
    away = np.hypot(x % pitch + 0.5 - pitch / 2, ROW % pitch + 0.5 - pitch / 2)
    shine = np.hypot(x % pitch + 0.5 - pitch * 0.4, ROW % pitch + 0.5 - pitch * 0.4) < radius * 0.3
    canvas = lay(flat(ground), np.clip(radius - away + 0.5, 0, 1), paint)
    return lay(canvas, shine & (away < radius), "ffffff", 0.5)


def truchet(dice: Dice, ground: str, line: str, inner: str, cell: int = 16, width: float = 3.0) -> Canvas:
    """Quarter arcs in random turns, which join into loops."""
    flip = dice.uniform(shape=(SIZE // cell, SIZE // cell))[(ROW // cell).astype(int), (COLUMN // cell).astype(int)] < 0.5
    x, y = COLUMN % cell + 0.5, ROW % cell + 0.5
    x = np.where(flip, cell - x, x)
    reach = np.minimum(np.hypot(x, y), np.hypot(cell - x, cell - y))
    away = np.abs(reach - cell / 2)
    canvas = lay(flat(ground), np.clip(width - away + 0.5, 0, 1), line)
    return lay(canvas, np.clip(width * 0.35 - away + 0.5, 0, 1), inner)


def maze(dice: Dice, wall: str, path: str, pellets: str, cell: int = 8) -> Canvas:
    """Corridors: each cell has a wall above or at its left (a binary-tree maze)."""
    flip = dice.uniform(shape=(SIZE // cell, SIZE // cell))[(ROW // cell).astype(int), (COLUMN // cell).astype(int)] < 0.5
    x, y = COLUMN % cell, ROW % cell
    solid = np.where(flip, x < 2, y < 2) | ((x < 2) & (y < 2))
    floor = shade(flat(path), 0.85 + 0.3 * value_noise(dice, 6, 6))
    canvas = lay(floor, np.roll(solid, (1, 1), (0, 1)), colours(path)[0] * 0.5)
    canvas = lay(canvas, solid, shade(flat(wall), np.where((x == 0) | (y == 0), 1.25, 0.9)))
    return lay(canvas, (x >= cell // 2) & (x <= cell // 2 + 1) & (y >= cell // 2) & (y <= cell // 2 + 1), pellets)


def triangles(dice: Dice, paints: str, cell: int = 16) -> Canvas:
    """Low-poly facets: triangles shaded by a smooth field and a little chance."""
    sides = SIZE // cell
    row, column = (ROW // cell).astype(np.int64), (COLUMN // cell).astype(np.int64)
    upper = np.where((row + column) % 2 == 0, COLUMN % cell > ROW % cell, COLUMN % cell + ROW % cell < cell).astype(np.int64)
    field = fractal(dice, 2, 2, 2)[cell // 2 :: cell, cell // 2 :: cell]
    tone = field[row, column] + 0.26 * (dice.uniform(shape=(sides, sides, 2))[row, column, upper] - 0.5)
    return ramp(paints, np.clip(tone, 0, 1))


def rings(dice: Dice, paints: str, centres: int = 3, width: float = 6.0) -> Canvas:
    """Circles around several centres, each region belonging to the nearest."""
    reach, nearest = np.full((SIZE, SIZE), 1e9), np.zeros((SIZE, SIZE), np.int64)
    for place in range(centres):
        away = distance(SIZE * (place + dice.one(0.2, 0.8)) / centres, dice.one(20, 108))
        nearest, reach = np.where(away < reach, place, nearest), np.minimum(reach, away)
    palette = colours(paints)
    return pick(palette, reach // width + nearest * 2)


def mosaic(dice: Dice, paints: str, grout: str, cell: int = 8, chance: float = 0.35) -> Canvas:
    """Small square tiles whose colours follow a smooth field."""
    sides = SIZE // cell
    row, column = (ROW // cell).astype(np.int64), (COLUMN // cell).astype(np.int64)
    field = fractal(dice, 2, 2, 3)[cell // 2 :: cell, cell // 2 :: cell]
    tone = np.clip(field + chance * (dice.uniform(shape=(sides, sides)) - 0.5), 0, 0.999)
    canvas = shade(bands(paints, tone[row, column]), 1.0 + 0.1 * (ROW % cell < 2) - 0.1 * (ROW % cell >= cell - 1))
    return lay(canvas, (COLUMN % cell < 1) | (ROW % cell < 1), grout)


def glitch(dice: Dice, paints: str, ground: str, bars: int = 240) -> Canvas:
    """Bars and blocks of a broken screen."""
    canvas = shade(flat(ground), 0.85 + 0.3 * (ROW % 2) + 0 * COLUMN)
    palette = colours(paints)
    for _ in range(bars):
        wide, tall = int(2 + 44 * dice.one() ** 3), int(1 + 7 * dice.one() ** 2)
        patch(canvas, dice.one(0, SIZE), dice.one(0, SIZE), np.ones((tall, wide), bool), palette[dice.whole(0, len(palette))])
    return np.where((dice.uniform(shape=(SIZE, 1)) < 0.2)[..., None], np.roll(canvas, 9, 1), canvas)


def argyle(dice: Dice, paints: str, line: str, across: int = 4) -> Canvas:
    """Diamonds with a crossed dashed line."""
    wide = SIZE / across
    x, y = (COLUMN + 0.5) / wide, (ROW + 0.5) / (wide * 1.34)
    diagonal, other = np.floor(x + y), np.floor(x - y + 64)
    palette = colours(paints)
    canvas = shade(pick(palette, (diagonal + other) % 2 + (diagonal % 2) * 2), 0.95 + 0.1 * ((COLUMN + ROW) % 2))
    seam = np.minimum(np.abs((x + y) % 1 - 0.5), np.abs((x - y + 64) % 1 - 0.5)) < 0.03
    return lay(canvas, seam & ((ROW // 2) % 2 == 0), line)


def sunburst(dice: Dice, paints: str, rays: int, x: float, y: float) -> Canvas:
    """Rays of alternating colours from one point, mirrored left and right so that they meet at the seam."""
    across, down = np.abs(gap(COLUMN + 0.5, x)), ROW + 0.5 - y
    turn = np.arctan2(down, across) / TURN * rays + dice.one(0, 0.3)
    fade = np.clip(1.15 - 0.35 * np.hypot(across, down) / 110, 0.6, 1.15)
    return shade(bands(paints, turn % 1.0), fade)
