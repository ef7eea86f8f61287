"""What happens to a frame between the environment and the network."""

import jax
import jax.numpy as jnp


def shrink(frames: jax.Array, size: int) -> jax.Array:
    """Frames u8 [..., extent, extent, channels] averaged over blocks to u8 [..., size, size, channels], halves rounded up.

    Averaging, not subsampling: at 32x32 the ground of the platformer is half a cell. Raises ValueError unless frames are square
    and their extent is a multiple of `size`. Observations that are no such frames (floats, vectors) are given back as they are.
    """
    if frames.dtype != jnp.uint8:
        return frames
    *batch, height, width, channels = frames.shape
    if height != width or height % size:
        raise ValueError(f"frame_size is {size}; frames of {height}x{width} can only be averaged to a divisor of their extent")
    block = height // size
    if block == 1:
        return frames
    blocks = frames.reshape(*batch, size, block, size, block, channels).astype(jnp.uint32)
    total = blocks.sum((-4, -2), dtype=jnp.uint32)
    return ((total + block * block // 2) // (block * block)).astype(jnp.uint8)
