"""The canvas: flat u8 frames, where rounding is defined, and how a kernel is kept apart.

A batch of frames is u8 [batch, height, 3 * width], RGB interleaved along the last axis; its picture form [batch, height, width,
3] has the same bytes in the same order. XLA:CPU vectorises pixel kernels over the long flat axis and not over one of length 3,
so everything up to the last reshape works on the flat form.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

FINE = 256
"""Steps per grey level of a u16 frame, which is what filters read where some of them are already done."""


def quantise(image: jax.Array) -> jax.Array:
    """Grey levels to u8: clipped to [0, 255], then truncated. The one place where rounding of pixels is defined."""
    return jnp.clip(image, 0.0, 255.0).astype(jnp.uint8)


def as_fine(levels: jax.Array) -> jax.Array:
    """u8 levels as those of a u16 frame."""
    return levels.astype(jnp.uint16) * jnp.uint16(FINE)


def stripes(color: jax.Array, width: int) -> jax.Array:
    """One row of a single colour: [..., 3] to [..., 3 * width]."""
    phase = jnp.arange(3 * width, dtype=jnp.int32) % 3
    red, green, blue = (color[..., k : k + 1] for k in range(3))
    return jnp.where(phase == 0, red, jnp.where(phase == 1, green, blue))


def as_pictures(frames: jax.Array) -> jax.Array:
    """u8 [batch, height, 3 * width] as [batch, height, width, 3]."""
    batch, height, flat = frames.shape
    return frames.reshape(batch, height, flat // 3, 3)


def separately(certain: jax.Array, compute: Callable[..., Any], *operands: Any) -> Any:
    """`compute(*operands)` in kernels of its own on a CPU: operands and results go through memory.

    XLA:CPU fuses cheap producers into each of their consumers, so that a value per row or column would be computed again for
    every pixel, and fuses a last reshape to [..., 3] into the pixel kernel, which then no longer vectorises; only a conditional
    ends a fusion there. `certain` is a bool that is always true, which the compiler cannot know. Elsewhere a plain call.
    """

    def on_cpu(*operands):
        blank = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(compute, *operands))
        return jax.lax.cond(certain, compute, lambda *_: blank, *operands)

    return jax.lax.platform_dependent(*operands, cpu=on_cpu, default=compute)
