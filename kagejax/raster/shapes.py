"""Nine shapes as bit masks: one u32 word per row of a window 32 columns wide. SPEC section 8.3.

Polygons toggle, edge by edge, all columns left of a row's crossing (even-odd rule); circles are one interval a row; the rest
are inequalities in the rotated frame, tested per pixel. A word per row is 96 times smaller than the pixels it stands for.
"""

import functools
import math
from collections.abc import Iterable
from typing import NamedTuple

import jax
import jax.numpy as jnp

KINDS = ("circle", "square", "line", "ellipse", "triangle", "star", "polygon", "cross", "diamond")
CORNERS = {"triangle": 3, "polygon": 6, "star": 10}
WORD = 32
STAR_WAIST = math.sin(math.radians(18)) / math.sin(math.radians(54))


class Shape(NamedTuple):
    """One shape, scalars."""

    kind: jax.Array  # i32, index into KINDS
    column: jax.Array  # i32, centre
    row: jax.Array  # i32, centre
    size: jax.Array  # f32, diameter d
    angle: jax.Array  # f32, radians
    ellipse_x: jax.Array  # f32, semi-axis
    ellipse_y: jax.Array  # f32, semi-axis
    diamond_y: jax.Array  # f32, vertical half-diagonal


def reach(kinds: tuple[str, ...], size: int, diamond_ratio: float = 1.0) -> int:
    """Most pixels that a shape of diameter up to `size` extends from its centre at any angle (host side)."""
    factor = {"circle": 0.5, "ellipse": 0.5, "triangle": 0.5, "star": 0.5, "polygon": 0.5, "line": 0.52, "cross": 0.52}
    factor |= {"square": math.sqrt(0.5), "diamond": 0.5 * diamond_ratio}
    return max((math.ceil(factor[kind] * size) + 1 for kind in kinds), default=0)


def row_words(
    shape: Shape, kinds: tuple[str, ...], rows: jax.Array, first_column: jax.Array, bits: range = range(WORD)
) -> jax.Array:
    """Words of `shape`, u32 [rows]: bit j is the pixel at column first_column + j.

    `kinds` (static) are those that `shape.kind` may be; `rows` are absolute rows, i32. `bits` (static) are those that the shape
    can reach in the window, which saves testing the others.
    """
    by_pixel = tuple(kind for kind in kinds if kind in INSIDE)
    words = _pixel_words(shape, by_pixel, rows, first_column, bits) if by_pixel else jnp.zeros(rows.shape, jnp.uint32)
    if set(kinds) & set(CORNERS):
        words = jnp.where(_is(shape, CORNERS), _polygon_words(shape, kinds, rows, first_column), words)
    if "circle" in kinds:
        words = jnp.where(_is(shape, ("circle",)), _circle_words(shape, rows, first_column), words)
    return words


def _is(shape: Shape, kinds: Iterable[str]) -> jax.Array:
    return functools.reduce(jnp.logical_or, [shape.kind == KINDS.index(kind) for kind in kinds])


def first_bits(count: jax.Array) -> jax.Array:
    """A word whose lowest `count` bits are set; `count` is clipped to 0..32."""
    count = jnp.clip(count, 0, WORD)
    low = (jnp.uint32(1) << jnp.minimum(count, WORD - 1).astype(jnp.uint32)) - 1
    return jnp.where(count == WORD, jnp.uint32(0xFFFFFFFF), low)


def _circle_words(shape: Shape, rows: jax.Array, first_column: jax.Array) -> jax.Array:
    radius = shape.size / 2
    distance = (rows - shape.row).astype(jnp.float32)
    squared = radius * radius - distance * distance
    half = jnp.floor(jnp.sqrt(jnp.maximum(squared, 0.0))).astype(jnp.int32)
    start = shape.column - half - first_column
    words = first_bits(start + 2 * half + 1) ^ first_bits(start)
    return jnp.where(squared >= 0, words, jnp.uint32(0))


def _polygon_words(shape: Shape, kinds: tuple[str, ...], rows: jax.Array, first_column: jax.Array) -> jax.Array:
    corner_x, corner_y = _corners(shape, kinds)
    test_row = rows.astype(jnp.float32) + 0.5
    words = jnp.zeros(rows.shape, jnp.uint32)
    # Edges are unrolled: rows vectorise, a reduction over a short last axis does not.
    for edge in range(corner_x.shape[0]):
        end = (edge + 1) % corner_x.shape[0]
        x0, y0, x1, y1 = corner_x[edge], corner_y[edge], corner_x[end], corner_y[end]
        crosses = (y0 > test_row) != (y1 > test_row)
        height = jnp.where(y1 == y0, 1e-12, y1 - y0)
        crossing = x0 + (test_row - y0) * (x1 - x0) / height
        # A pixel is left of the crossing where its centre, column + 0.5, is; the subtraction is exact at these magnitudes.
        count = jnp.ceil(crossing - 0.5).astype(jnp.int32) - first_column
        words ^= jnp.where(crosses, first_bits(count), jnp.uint32(0))
    return words


def _corners(shape: Shape, kinds: tuple[str, ...]) -> tuple[jax.Array, jax.Array]:
    """Corners in absolute pixels, f32 [n] each; a shape with fewer repeats its first, which adds no edge."""
    most = max(CORNERS[kind] for kind in kinds if kind in CORNERS)
    corner = jnp.arange(most, dtype=jnp.int32)
    count = jnp.int32(most)
    for kind in CORNERS:
        count = jnp.where(shape.kind == KINDS.index(kind), min(CORNERS[kind], most), count)
    corner = jnp.where(corner < count, corner, 0).astype(jnp.float32)
    inner = (shape.kind == KINDS.index("star")) & (corner % 2 == 1)
    radius = shape.size / 2 * jnp.where(inner, jnp.float32(STAR_WAIST), jnp.float32(1))
    angle = jnp.float32(-math.pi / 2) + shape.angle + jnp.float32(2 * math.pi) * corner / count.astype(jnp.float32)
    x = (shape.column.astype(jnp.float32) + 0.5) + radius * jnp.cos(angle)
    y = (shape.row.astype(jnp.float32) + 0.5) + radius * jnp.sin(angle)
    return x, y


def _pixel_words(shape: Shape, kinds: tuple[str, ...], rows: jax.Array, first_column: jax.Array, bits: range) -> jax.Array:
    """Column by column: rows and shapes of a whole batch vectorise, and no mask of pixels is ever stored."""
    dy = (rows - shape.row).astype(jnp.float32)
    cos, sin = jnp.cos(shape.angle), jnp.sin(shape.angle)

    def add_column(column, words):
        dx = (first_column + column - shape.column).astype(jnp.float32)
        u, v = dx * cos - dy * sin, dx * sin + dy * cos
        inside = functools.reduce(jnp.logical_or, [_is(shape, (kind,)) & INSIDE[kind](shape, u, v) for kind in kinds])
        return words | jnp.where(inside, jnp.uint32(1) << column.astype(jnp.uint32), jnp.uint32(0))

    return jax.lax.fori_loop(jnp.int32(bits.start), jnp.int32(bits.stop), add_column, jnp.zeros(rows.shape, jnp.uint32))


def _in_square(shape: Shape, u: jax.Array, v: jax.Array) -> jax.Array:
    half = shape.size / 2
    return (jnp.abs(u) <= half) & (jnp.abs(v) <= half)


def _in_line(shape: Shape, u: jax.Array, v: jax.Array) -> jax.Array:
    return (jnp.abs(u) <= shape.size / 2) & (jnp.abs(v) <= jnp.maximum(1.0, shape.size / 8) / 2)


def _in_cross(shape: Shape, u: jax.Array, v: jax.Array) -> jax.Array:
    return _in_line(shape, u, v) | _in_line(shape, v, u)


def _in_ellipse(shape: Shape, u: jax.Array, v: jax.Array) -> jax.Array:
    return (u / shape.ellipse_x) ** 2 + (v / shape.ellipse_y) ** 2 <= 1


def _in_diamond(shape: Shape, u: jax.Array, v: jax.Array) -> jax.Array:
    return jnp.abs(u) / (shape.size / 2) + jnp.abs(v) / shape.diamond_y <= 1


INSIDE = {"square": _in_square, "line": _in_line, "cross": _in_cross, "ellipse": _in_ellipse, "diamond": _in_diamond}
"""Tests of a pixel in the rotated frame of its shape."""
