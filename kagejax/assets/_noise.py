"""Randomness and noise for our art: integers hashed, floats in float64, every field periodic in x.

Nothing here keeps state or asks the platform for random numbers, so a picture is the same everywhere. Fields are f64
[SIZE, SIZE] (or broadcast to it) in [0, 1] unless said otherwise; "waves" and "cells" count repeats over the width, hence
are whole numbers.
"""

import functools
import math

import numpy as np

SIZE = 128
ROW, COLUMN = np.arange(SIZE, dtype=np.float64)[:, None], np.arange(SIZE, dtype=np.float64)[None, :]  # they broadcast
X, Y = (COLUMN + 0.5) / SIZE, (ROW + 0.5) / SIZE  # the same in (0, 1)
TURN = 2 * np.pi
AHEAD = 2048


def _mix(word: np.ndarray) -> np.ndarray:
    """SplitMix64's finaliser (Stafford's variant 13): u64 to u64, each input bit reaching every output bit."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


class Dice:
    """A reproducible source of numbers. Each draw takes the next stretch of one hashed counter."""

    def __init__(self, seed: int):
        self._seed = _mix(np.array([seed], np.uint64) + np.uint64(0x9E3779B97F4A7C15))
        self._made, self._used = np.empty(0), 0  # numbers are made ahead: one at a time would cost more than the painting

    def uniform(self, low: float = 0.0, high: float = 1.0, shape: tuple[int, ...] = ()) -> np.ndarray:
        """f64 in [low, high)."""
        return low + (high - low) * self._next(math.prod(shape)).reshape(shape)

    def _next(self, count: int) -> np.ndarray:
        if self._used + count > len(self._made):
            counter = np.arange(len(self._made), self._used + count + AHEAD, dtype=np.uint64)
            words = _mix(_mix(counter * np.uint64(0x9E3779B97F4A7C15)) ^ self._seed)
            self._made = np.concatenate([self._made, (words >> np.uint64(11)) * 2.0**-53])
        self._used += count
        return self._made[self._used - count : self._used]

    def integers(self, low: int, high: int, shape: tuple[int, ...] = ()) -> np.ndarray:
        """i64 in [low, high)."""
        return np.floor(self.uniform(low, high, shape)).astype(np.int64)

    def one(self, low: float = 0.0, high: float = 1.0) -> float:
        """A single float."""
        return low + (high - low) * float(self._next(1)[0])

    def whole(self, low: int, high: int) -> int:
        """A single int in [low, high)."""
        return math.floor(self.one(low, high))


@functools.lru_cache(maxsize=128)
def _nodes(cells: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each pixel of a line: the lattice nodes before and after it (periodic), and the share of the latter, eased."""
    position = (np.arange(SIZE) + 0.5) * cells / SIZE
    node = np.floor(position).astype(np.int64)
    share = position - node
    return node % cells, (node + 1) % cells, share * share * share * (share * (6 * share - 15) + 10)


def _joined(points: np.ndarray) -> np.ndarray:
    """Values on the first axis made into a smooth line of SIZE pixels. (A matrix product would wake a pool of threads.)"""
    before, after, share = _nodes(len(points))
    share = share.reshape(-1, *[1] * (points.ndim - 1))
    return points[before] * (1 - share) + points[after] * share


def value_noise(dice: Dice, waves_x: int, waves_y: int) -> np.ndarray:
    """Random values on a lattice, smoothly joined. Periodic in x and y."""
    return _joined(_joined(dice.uniform(shape=(waves_y, waves_x)).T).T)


def fractal(dice: Dice, waves_x: int, waves_y: int, octaves: int = 4, gain: float = 0.5) -> np.ndarray:
    """Octaves of value noise, each twice as fine and `gain` times as strong as the last; stretched to fill [0, 1]."""
    total = np.zeros((SIZE, SIZE))
    strength = 1.0
    for _ in range(octaves):
        total += strength * value_noise(dice, min(waves_x, SIZE), min(waves_y, SIZE))
        waves_x, waves_y, strength = waves_x * 2, waves_y * 2, strength * gain
    return stretched(total)


def curve(dice: Dice, waves: int, octaves: int = 4, gain: float = 0.5, sharp: bool = False) -> np.ndarray:
    """A periodic line, f64 [SIZE] in [0, 1]; `sharp` joins its points by straight lines."""
    total, strength = np.zeros(SIZE), 1.0
    for _ in range(octaves):
        waves = min(waves, SIZE)
        points = dice.uniform(shape=(waves,))
        if sharp:
            total += strength * np.interp(
                (np.arange(SIZE) + 0.5) * waves / SIZE, np.arange(waves + 1), np.append(points, points[0])
            )
        else:
            total += strength * (_joined(points))
        waves, strength = waves * 2, strength * gain
    return stretched(total)


def stretched(field: np.ndarray) -> np.ndarray:
    """Shifted and scaled to [0, 1]."""
    low, high = field.min(), field.max()
    return (field - low) / max(high - low, 1e-12)


def warped(field: np.ndarray, shift_x: np.ndarray, shift_y: np.ndarray) -> np.ndarray:
    """`field` ([SIZE, SIZE] or [SIZE, SIZE, channels]) read at displaced points; shifts in pixels; wraps both ways."""
    x, y = COLUMN + shift_x, ROW + shift_y
    left, top = np.floor(x), np.floor(y)
    fraction_x, fraction_y = x - left, y - top
    if field.ndim == 3:
        fraction_x, fraction_y = fraction_x[..., None], fraction_y[..., None]
    column, row = left.astype(np.int64) % SIZE, top.astype(np.int64) % SIZE
    column_next, row_next = (column + 1) % SIZE, (row + 1) % SIZE
    upper = field[row, column] * (1 - fraction_x) + field[row, column_next] * fraction_x
    lower = field[row_next, column] * (1 - fraction_x) + field[row_next, column_next] * fraction_x
    return upper * (1 - fraction_y) + lower * fraction_y


def gap(x: np.ndarray, centre: float) -> np.ndarray:
    """Signed distance x - centre in pixels the short way round, in [-SIZE / 2, SIZE / 2]."""
    away = x - centre
    return away - SIZE * np.rint(away / SIZE)  # far faster than a remainder of floats


def worley(dice: Dice, count: int, jitter: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances in pixels to the nearest and second nearest of about `count` points, and the index of the nearest.

    Points sit one to a cell of a square lattice, moved by up to half a cell times `jitter`; the plane wraps both ways.
    """
    side = max(2, round(count**0.5))
    cell = SIZE / side
    grid_y, grid_x = np.indices((side, side))
    x = (grid_x + 0.5 + jitter * dice.uniform(-0.5, 0.5, (side, side))) * cell
    y = (grid_y + 0.5 + jitter * dice.uniform(-0.5, 0.5, (side, side))) * cell
    home_x, home_y = (COLUMN // cell).astype(np.int64), (ROW // cell).astype(np.int64)
    first, second = np.full((SIZE, SIZE), 1e9), np.full((SIZE, SIZE), 1e9)
    nearest = np.zeros((SIZE, SIZE), np.int64)
    for step_y in (-1, 0, 1):
        for step_x in (-1, 0, 1):
            at = (home_y + step_y) % side, (home_x + step_x) % side
            distance = gap(COLUMN + 0.5, x[at]) ** 2 + gap(ROW + 0.5, y[at]) ** 2
            closer = distance < first
            second = np.where(closer, first, np.minimum(second, distance))
            first = np.where(closer, distance, first)
            nearest = np.where(closer, at[0] * side + at[1], nearest)
    return np.sqrt(first), np.sqrt(second), nearest
