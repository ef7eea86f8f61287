"""Pictures made from a key, on device: a gradient, waves, figures, and noise at several scales.

A picture is a few dozen numbers (`Recipe`) and a formula of the place, so any part of it can be worked out by itself.
"""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp

from kagejax.core.pixel_rng import bits, mix

WAVES, FIGURES, OCTAVES = 3, 4, 3
RECIPE_STREAM, NOISE_STREAM = 0x52435045, 0x4E4F4953
BASE = (0x13198A2E, 0x03707344)
"""The picture that all others are when `visual_difficulty` is 0."""
Planes = tuple[jax.Array, jax.Array, jax.Array]


class Recipe(NamedTuple):
    """Numbers of one picture or a batch, [...] each unless said; colours in 0 .. 1."""

    corners: jax.Array  # f32 [..., 2, 3], colours of the gradient's ends
    direction: jax.Array  # f32, radians
    wave_numbers: jax.Array  # f32 [..., WAVES, 2], turns per picture down and across
    wave_phases: jax.Array  # f32 [..., WAVES], turns
    wave_colors: jax.Array  # f32 [..., WAVES, 3], in -0.25 .. 0.25
    figure_places: jax.Array  # f32 [..., FIGURES, 2], row and column
    figure_sizes: jax.Array  # f32 [..., FIGURES, 2], half height and half width
    figure_kinds: jax.Array  # f32 [..., FIGURES], 0 a box to 1 a disc
    figure_colors: jax.Array  # f32 [..., FIGURES, 3]
    noise_weights: jax.Array  # f32 [..., OCTAVES], in 0 .. 0.3
    noise_seed: jax.Array  # u32 [..., 2]
    difficulty: jax.Array  # f32


_SHAPES = (
    *((2, 3), (), (WAVES, 2), (WAVES,), (WAVES, 3)),
    *((FIGURES, 2), (FIGURES, 2), (FIGURES,), (FIGURES, 3), (OCTAVES,)),
)
_NUMBERS = sum(math.prod(shape) for shape in _SHAPES)


def recipe(key: jax.Array, difficulty: jax.Array) -> Recipe:
    """The picture of a raw key u32 [2]; `difficulty` (f32 in 0 .. 1) moves its numbers from those of BASE to its own."""
    place = jnp.arange(_NUMBERS, dtype=jnp.uint32)

    def numbers(words):
        return (bits(words ^ jnp.uint32(RECIPE_STREAM), place) >> 8).astype(jnp.float32) * jnp.float32(2**-24)

    base = numbers(jnp.array(BASE, jnp.uint32))
    values = base + difficulty * (numbers(key) - base)
    parts, at = [], 0
    for shape in _SHAPES:
        parts.append(values[at : at + math.prod(shape)].reshape(shape))
        at += math.prod(shape)
    corners, direction, waves, phases, wave_colors, places, sizes, kinds, colors, weights = parts
    return Recipe(
        corners=corners,
        direction=direction * jnp.float32(2 * jnp.pi),
        wave_numbers=(waves - 0.5) * 12.0,
        wave_phases=phases,
        wave_colors=(wave_colors - 0.5) * 0.5,
        figure_places=places,
        figure_sizes=0.06 + 0.24 * sizes,
        figure_kinds=kinds,
        figure_colors=colors,
        noise_weights=0.3 * weights,
        noise_seed=jnp.stack([mix(key[0] ^ jnp.uint32(NOISE_STREAM)), mix(key[1] + jnp.uint32(NOISE_STREAM))]),
        difficulty=difficulty,
    )


def paint(made: Recipe, row: jax.Array, column: jax.Array) -> Planes:
    """Red, green and blue in 0 .. 255 (f32 [h, w]) at places `row`, `column`, f32 [h, w], the picture being 0 .. 1 each way."""
    along = (row - 0.5) * jnp.sin(made.direction) + (column - 0.5) * jnp.cos(made.direction)
    blend = jnp.clip(along * jnp.float32(0.75) + 0.5, 0.0, 1.0)
    planes = [made.corners[0, k] + blend * (made.corners[1, k] - made.corners[0, k]) for k in range(3)]
    for i in range(WAVES):
        turn = row * made.wave_numbers[i, 0] + column * made.wave_numbers[i, 1] + made.wave_phases[i]
        wave = _wave(turn)
        planes = [plane + wave * made.wave_colors[i, k] for k, plane in enumerate(planes)]
    for i in range(FIGURES):
        down = jnp.abs(row - made.figure_places[i, 0]) / made.figure_sizes[i, 0]
        across = jnp.abs(column - made.figure_places[i, 1]) / made.figure_sizes[i, 1]
        box, disc = jnp.maximum(down, across), jnp.sqrt(down * down + across * across)
        edge = box + made.figure_kinds[i] * (disc - box)
        inside = jnp.clip((1.0 - edge) * 12.0, 0.0, 1.0)
        planes = [plane + inside * (made.figure_colors[i, k] - plane) for k, plane in enumerate(planes)]
    rough = jnp.float32(0)
    for octave in range(OCTAVES):
        rough = rough + made.noise_weights[octave] * _noise(made, row, column, 4 * 3**octave, octave)
    return tuple(jnp.clip((plane + rough) * 256.0, 0.0, 255.0) for plane in planes)


def picture(key: jax.Array, difficulty: jax.Array, height: int, width: int) -> jax.Array:
    """The whole picture of a raw key, u8 [height, width, 3]."""
    places = ((jnp.arange(size, dtype=jnp.float32) + 0.5) / size for size in (height, width))
    row, column = jnp.meshgrid(*places, indexing="ij")
    return jnp.stack([plane.astype(jnp.uint8) for plane in paint(recipe(key, difficulty), row, column)], axis=-1)


def _wave(turn: jax.Array) -> jax.Array:
    """A smooth wave of period 1 in -1 .. 1: two parabolas, much like a sine and far cheaper."""
    part = turn - jnp.floor(turn)
    half = 4.0 * part - jnp.where(part < 0.5, 1.0, 3.0)
    return jnp.where(part < 0.5, 1.0, -1.0) * (1.0 - half * half)


def _noise(made: Recipe, row: jax.Array, column: jax.Array, cells: int, octave: int) -> jax.Array:
    """Value noise in -1 .. 1 on a lattice of `cells`: BASE's at difficulty 0, the picture's own at 1."""
    y, x = row * cells, column * cells
    top, left = jnp.floor(y), jnp.floor(x)
    dy, dx = _ease(y - top), _ease(x - left)
    corner = (top.astype(jnp.int32) * (cells + 1) + left.astype(jnp.int32)).astype(jnp.uint32) + jnp.uint32(octave << 16)

    def at(step: int) -> jax.Array:
        def level(seed):
            word = bits(seed, corner + jnp.uint32(step))
            return (word >> 8).astype(jnp.int32).astype(jnp.float32) * jnp.float32(2**-23) - 1.0

        base = level(jnp.array(BASE, jnp.uint32))
        return base + made.difficulty * (level(made.noise_seed) - base)

    above = at(0) + dx * (at(1) - at(0))
    below = at(cells + 1) + dx * (at(cells + 2) - at(cells + 1))
    return above + dy * (below - above)


def _ease(part: jax.Array) -> jax.Array:
    return part * part * (3.0 - 2.0 * part)
