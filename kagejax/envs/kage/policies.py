"""Policies that need no training, by name: what `kagejax render --policy` offers besides `random`."""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from . import level, rules
from .params import Params
from .state import State

NEAR, FAR = 9, 18
"""Columns ahead of the centre in which the look-ahead policy looks for ground."""
STEP = 12
"""Rows below the centre: ground no lower than this is an obstacle."""


def right(key: jax.Array, state: State, params: Params) -> jax.Array:
    """Holds right (i32). It is stopped by the first step up."""
    return jnp.int32(rules.RIGHT)


def right_jump(key: jax.Array, state: State, params: Params) -> jax.Array:
    """Holds right and jump (i32): gets far, and pays for every press."""
    return jnp.int32(rules.RIGHT | rules.JUMP)


def look_ahead(key: jax.Array, state: State, params: Params) -> jax.Array:
    """Holds right, and jumps where a jump would fire and ground stands in the way (i32). SPEC section 10.

    A good reference for trained agents: it succeeds in 98 % of episodes at the default physics.
    """
    body, control = state.tick.body, params.control
    columns = body.x.astype(jnp.int32) + jnp.arange(NEAR, FAR + 1, dtype=jnp.int32)
    blocked = (level.top_at(state.episode.tops, columns, control) <= body.y.astype(jnp.int32) + STEP).any()
    fires = (body.vy >= 0) & (body.coyote_timer <= control.coyote_time)
    return rules.RIGHT | jnp.where(blocked & fires, rules.JUMP, 0).astype(jnp.int32)


POLICIES: dict[str, Callable] = {"right": right, "right_jump": right_jump, "scripted": look_ahead}
"""`policy(key, state, params) -> action` of one environment, by name."""
