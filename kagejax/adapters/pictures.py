"""RGB pictures of states for `render`: what the agent sees where that is a picture, else what a person would want to see."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kagejax import core
from kagejax.config.schema import ConfigModel

from .batches import fetched, programs
from .inputs import built

VISIBLE = {
    "sliding": {
        "observation.kind": "board",
        "observation.channels_first": False,
        "observation.scaled": False,
        "observation.augment": (),
    },
    "sokoban": {"observation.kind": "board"},
    "spatial": {"observation.kind": "picture"},
}
"""What makes a picture of each environment whose observations may be none."""


def is_picture(space: core.Space) -> bool:
    """Whether observations are RGB pictures, in u8 or in floats from 0 to 1, or a dictionary of such."""
    if isinstance(space, core.Dict):
        return all(is_picture(part) for part in space.spaces.values())
    shaped = isinstance(space, core.Box) and len(space.shape) == 3 and 3 in (space.shape[0], space.shape[-1])
    return shaped and (space.high == 255 if np.dtype(space.dtype) == np.uint8 else np.dtype(space.dtype).kind == "f")


def rgb(observations: Any) -> np.ndarray:
    """Observations [n, ...] that are pictures, as u8 [n, height, width, 3]; the parts of a dictionary side by side."""
    if isinstance(observations, dict):
        return np.concatenate([rgb(part) for part in observations.values()], axis=2)
    pixels = np.asarray(observations)
    pixels = pixels if pixels.shape[-1] == 3 else pixels.transpose(0, 2, 3, 1)
    return pixels if pixels.dtype == np.uint8 else (255 * np.clip(pixels, 0, 1)).round().astype(np.uint8)


def painter(env: core.Environment, params: Any, room: str | None, config: ConfigModel | None) -> Callable[[Any], np.ndarray]:
    """A function from states [n] to RGB pictures u8 [n, height, width, 3].

    Raises ValueError for an environment of the user's own that observes no pictures.
    """
    if is_picture(env.observation_space):
        return lambda state: rgb(fetched(programs(env).look(state, params)))
    if room not in VISIBLE:
        raise ValueError("render needs an environment whose observations are pictures: u8 [height, width, 3]")
    seen, look = built(config, **VISIBLE[room])
    wanted = jax.eval_shape(jax.vmap(seen.init, (0, None)), jax.random.split(jax.random.key(0), 1), look)
    return lambda state: rgb(fetched(programs(seen).look(_fitted(state, wanted), look)))


def _fitted(state: Any, wanted: Any) -> Any:
    """`state` with the fields of `wanted`: those that drawing a picture needs besides (seeds of its noise) are 0."""
    size = jax.tree.leaves(state)[0].shape[0]

    def fit(part: Any, like: Any) -> Any:
        if like is None:
            return None
        if part is None:
            return jax.tree.map(lambda x: jnp.zeros((size, *x.shape[1:]), x.dtype), like)
        if isinstance(like, tuple):
            return type(like)(*(fit(*pair) for pair in zip(part, like, strict=True)))
        return part

    return fit(state, wanted)


def mosaic(frames: np.ndarray) -> np.ndarray:
    """Pictures u8 [n, height, width, 3] as one, row by row in a near-square."""
    columns = int(np.ceil(len(frames) ** 0.5))
    rows = -(-len(frames) // columns)
    _, height, width, _ = frames.shape
    sheet = np.zeros((rows * columns, height, width, 3), np.uint8)
    sheet[: len(frames)] = frames
    return sheet.reshape(rows, columns, height, width, 3).swapaxes(1, 2).reshape(rows * height, columns * width, 3)
