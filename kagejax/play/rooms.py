"""What a person needs beside the agent's view: a picture where the agent sees none, and names for layers."""

from typing import Any

import numpy as np

from kagejax.core import Box, Dict

SIZE = 256
"""Height and width of pictures that are for people alone."""
PICTURES = {
    "sliding": {
        "observation.kind": "board",
        "observation.height": SIZE,
        "observation.width": SIZE,
        "observation.channels_first": False,
        "observation.scaled": False,
        "observation.augment": [],
    },
    "sokoban": {"observation.kind": "board"},
    "spatial": {"observation.kind": "picture", "observation.height": SIZE, "observation.width": SIZE},
}
"""By environment: settings with which it shows a picture, whatever the agent sees. They change the observation alone."""


def is_picture(space: Any) -> bool:
    """Whether observations are pictures, or a dictionary of them."""
    if isinstance(space, Dict):
        return all(is_picture(part) for part in space.spaces.values())
    if not isinstance(space, Box) or len(space.shape) != 3 or 3 not in (space.shape[0], space.shape[-1]):
        return False
    return space.high > 1 or not np.issubdtype(space.dtype, np.integer)  # whole numbers up to 1 are layers of bits


def layer_names(room: str, count: int) -> tuple[str, ...]:
    """Names of the last axis of observations that are layers [height, width, count]."""
    if room == "spatial":
        from kagejax.envs.spatial.layers import LAYERS, SHAPE_LAYERS

        return (*LAYERS, *SHAPE_LAYERS)[:count]
    if room == "sokoban":
        return ("walls", "goals", "boxes", "player")
    return tuple(str(number) for number in range(count))
