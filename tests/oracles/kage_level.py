"""Oracle of kage levels: ground heights, solid pixels, and where the agent appears."""

import math

import jax
import jax.numpy as jnp
import numpy as np

from .kage_dynamics import box_hits


def ground_top(layout_key, config) -> np.ndarray:
    """Row of the surface in each world column, i32 [W_w]. The draws are JAX's own; the walk is plain Python."""
    width, run = config["layout.length"], config["layout.run_width"]
    segments = math.ceil(width / run)
    event_key, step_key = jax.random.split(jnp.asarray(layout_key))
    u = np.asarray(jax.random.uniform(event_key, (segments,), jnp.float32))
    low, high = config["layout.min_step_height"], config["layout.max_step_height"]
    steps = np.asarray(jax.random.randint(step_key, (segments,), low, high + 1, jnp.int32))

    flat = 1.0 - config["layout.p_change"]
    flat_or_up = np.float32(flat + config["layout.p_change"] * config["layout.p_up_given_change"])
    flat = np.float32(flat)
    lowest, highest = config["layout.min_height"], config["layout.max_height"]
    height = (lowest + highest) // 2
    heights = [height]
    for j in range(segments - 1):
        event = 0 if u[j] < flat else 1 if u[j] < flat_or_up else -1
        height = min(max(height + event * int(steps[j]), lowest), highest)
        heights.append(height)

    top = [config["layout.base_ground_y"] - config["layout.pix_per_unit"] * heights[c // run] for c in range(width)]
    return np.array(top, np.int32)


def solid_mask(top: np.ndarray, thickness: int, world_height: int) -> np.ndarray:
    """Which pixels are solid, bool [H_w, W_w]: a band of ground per column, and a wall where two columns differ."""
    mask = np.zeros((world_height, len(top)), bool)
    for c, row in enumerate(top):
        mask[max(row, 0) : max(row + thickness, 0), c] = True
        if c > 0 and top[c - 1] != row:
            upper, lower = sorted((top[c - 1], row))
            mask[max(upper, 0) : max(lower, 0), c] = True
    return mask


def spawn(mask: np.ndarray, top: np.ndarray, config) -> tuple[int, int]:
    """The first of twenty places, left to right, where the agent's box is free; (64, 64) if none is."""
    width = config["character.width"]
    half_width, half_height = width // 2, config["character.height"] // 2
    world_width = len(top)
    for i in range(20):
        x = min(max(64 + i * (width + 4), half_width), world_width - half_width - 1)
        y = int(top[x]) - half_height - 2
        if not box_hits(mask, x, y, half_width, half_height):
            return x, y
    return 64, 64
