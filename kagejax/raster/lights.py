"""Point lights: screen-fixed glows, added last. SPEC section 8.9."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from .canvas import quantise, separately
from .filters import Planes


class PointLights(NamedTuple):
    """Lights of a batch, [batch, lights]."""

    x: jax.Array  # f32, px
    y: jax.Array  # f32, px
    color: jax.Array  # f32 [batch, lights, 3], grey levels at the centre; zeros where a light is off
    radius: jax.Array  # f32 [batch], px at which a light has half its strength
    falloff: jax.Array  # f32 [batch], exponent


def add(planes: Planes, lights: PointLights, falloff: int, certain: jax.Array) -> Planes:
    """Planes of grey levels with the lights added, as u8 planes: clipped, then truncated.

    `falloff` (static): the exponent if all lights share a whole one, else 0. `certain` is that of `canvas.separately`.
    """
    strengths = separately(certain, lambda lights: _strengths(lights, *planes[0].shape[1:], falloff), lights)
    for i, strength in enumerate(strengths):
        planes = tuple(plane + strength * lights.color[:, i, k, None, None] for k, plane in enumerate(planes))
    return tuple(quantise(plane) for plane in planes)


def _strengths(lights: PointLights, height: int, width: int, falloff: int) -> list[jax.Array]:
    """Of each light at each pixel, 1 at its centre and one half at its radius: f32 [batch, height, width]."""
    row = jnp.arange(height, dtype=jnp.float32)[None, :, None]
    column = jnp.arange(width, dtype=jnp.float32)[None, None, :]
    inverse_radius = (1.0 / lights.radius)[:, None, None]
    strengths = []
    for i in range(lights.x.shape[1]):
        dx = (column - lights.x[:, i, None, None]) * inverse_radius
        dy = (row - lights.y[:, i, None, None]) * inverse_radius
        strengths.append(1.0 / (1.0 + _power(dx * dx + dy * dy, lights.falloff[:, None, None], falloff)))
    return strengths


def _power(squared: jax.Array, exponent: jax.Array, whole: int) -> jax.Array:
    """`squared` ** (exponent / 2), without a logarithm where the exponent is a known whole number; equal either way."""
    if whole in _WHOLE:
        return _WHOLE[whole](squared)
    power = jnp.where(squared > 0, squared, 1e-30) ** (exponent * 0.5)
    for number, exact in _WHOLE.items():
        power = jnp.where(exponent == number, exact(squared), power)
    return power


_WHOLE = {
    1: jnp.sqrt,
    2: lambda squared: squared,
    3: lambda squared: squared * jnp.sqrt(squared),
    4: jnp.square,
}
