"""Random changes of what a policy sees while it trains (RAD: Laskin et al., 2020), so that it leans less on looks.

As there, a change is drawn once per environment and rollout and holds for all its frames: the policy acts on what it then
learns from, and motion between frames stays what it was.
"""

import jax
import jax.numpy as jnp

NONE, CUTOUT_COLOR, CROP_RESIZE = "none", "cutout_color", "crop_resize"
NAMES = (NONE, CUTOUT_COLOR, CROP_RESIZE)
CUTOUT = (10 / 84, 30 / 84)
"""Least and greatest side of a coloured rectangle, as parts of the frame's: RAD's 10 to 30 pixels of 84."""
CROP = (0.6, 1.0)
"""Least and greatest side of a crop, as parts of the frame's."""


def augment(name: str, key: jax.Array, frame: jax.Array) -> jax.Array:
    """`frame` u8 [height, width, channels] changed as `key` says, of the same shape and dtype.

    `cutout_color` lays a rectangle of one random colour over it; `crop_resize` enlarges a random part, its sides drawn one by
    one, to the whole frame (bilinear). A stack of frames (3 channels each) gets the same change in each. Raises ValueError for
    another name.
    """
    changes = {NONE: lambda _, frame: frame, CUTOUT_COLOR: _cutout_color, CROP_RESIZE: _crop_resize}
    if name not in changes:
        raise ValueError(f"augmentation is {name!r}; allowed: {', '.join(map(repr, NAMES))}")
    return changes[name](key, frame)


def _cutout_color(key: jax.Array, frame: jax.Array) -> jax.Array:
    height, width, channels = frame.shape
    size_key, place_key, color_key = jax.random.split(key, 3)
    extent = jnp.array([height, width], jnp.float32)
    size = jnp.round(jax.random.uniform(size_key, (2,), jnp.float32, *CUTOUT) * extent)
    first = jnp.floor(jax.random.uniform(place_key, (2,), jnp.float32) * (extent - size + 1))
    colors = 3 if channels % 3 == 0 else channels
    color = jnp.tile(jax.random.bits(color_key, (colors,), jnp.uint8), channels // colors)
    inside = [(at >= first[i]) & (at < first[i] + size[i]) for i, at in enumerate((jnp.arange(height), jnp.arange(width)))]
    return jnp.where((inside[0][:, None] & inside[1])[..., None], color, frame)


def _crop_resize(key: jax.Array, frame: jax.Array) -> jax.Array:
    size_key, place_key = jax.random.split(key)
    size = jax.random.uniform(size_key, (2,), jnp.float32, *CROP)
    first = jax.random.uniform(place_key, (2,), jnp.float32) * (1 - size)
    scale = 1 / size
    move = -first * scale * jnp.array(frame.shape[:2], jnp.float32)
    drawn = jax.image.scale_and_translate(frame.astype(jnp.float32), frame.shape, (0, 1), scale, move, "linear")
    return jnp.clip(jnp.round(drawn), 0, 255).astype(jnp.uint8)
