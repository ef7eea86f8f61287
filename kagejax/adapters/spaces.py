"""Our spaces as Gymnasium's, and observations as members of those."""

from typing import Any

import numpy as np

from kagejax import core

from ._extras import missing

try:
    from gymnasium import spaces
except ImportError as problem:
    raise missing("Gymnasium", "gymnasium") from problem


def action_space(space: core.Space) -> spaces.Space:
    """Actions, Discrete or Box. Discrete is of Gymnasium's usual int64, for any integer will do."""
    if isinstance(space, core.Discrete):
        return spaces.Discrete(space.n)
    return _box(space)


def observation_space(env: core.Environment, tokens: bool = False) -> spaces.Space:
    """What `observation` gives, dtypes exact. Texts are strings, or with `tokens` their token ids."""
    return _space(env, env.observation_space, tokens)


def _space(env: core.Environment, space: core.Space, tokens: bool) -> spaces.Space:
    if isinstance(space, core.Dict):
        return spaces.Dict({name: _space(env, part, tokens) for name, part in space.spaces.items()})
    if isinstance(space, core.Text):
        if tokens:
            return spaces.Box(0, space.vocabulary - 1, space.shape, np.int32)
        letters = "".join(env.text_of(np.array([token])) for token in range(1, space.vocabulary))
        return spaces.Text(space.length, min_length=0, charset=letters)
    return _box(space)


def _box(space: core.Box) -> spaces.Box:
    return spaces.Box(space.low, space.high, space.shape, np.dtype(space.dtype).type)


def observations(env: core.Environment, values: Any, space: core.Space | None = None) -> Any:
    """NumPy observations with a leading axis as a member of the batched space: texts become a tuple of strings."""
    space = env.observation_space if space is None else space
    if isinstance(space, core.Dict):
        return {name: observations(env, values[name], part) for name, part in space.spaces.items()}
    if isinstance(space, core.Text):
        return tuple(env.text_of(row) for row in values)
    return values


def entry(values: Any, i: int) -> Any:
    """Observation i of a batch that `observations` gave, as arrays of its own."""
    if isinstance(values, dict):
        return {name: entry(part, i) for name, part in values.items()}
    return values[i] if isinstance(values, tuple) else np.array(values[i])
