"""The last finished episodes of a batch of environments: success rate, when it first reached a goal, how long it is perfect."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

WINDOW = 100
"""Episodes of a success rate, as SPGym counts them."""


class Successes(NamedTuple):
    """Finished episodes in the order of their ends; those of one step in the order of their environments."""

    recent: jax.Array  # bool [WINDOW], the newest last
    episodes: jax.Array  # i32, finished so far
    run: jax.Array  # i32, successes since the last failure
    reached: jax.Array  # i32, environment steps when the rate first was at the goal; -1 before


def none() -> Successes:
    """Before the first episode."""
    return Successes(jnp.zeros(WINDOW, bool), jnp.int32(0), jnp.int32(0), jnp.int32(-1))


def add(before: Successes, done: jax.Array, success: jax.Array, step: jax.Array, goal: float) -> Successes:
    """With the episodes that a step ended: `done` and `success` are bool [environments], `step` i32 counts environment steps
    up to and with it. A rate is one only over WINDOW episodes."""
    place = jnp.cumsum(done, dtype=jnp.int32) - 1
    count = done.sum(dtype=jnp.int32)
    fresh = jnp.zeros(done.shape, bool).at[jnp.where(done, place, done.shape[0])].set(success, mode="drop")
    recent = jax.lax.dynamic_slice(jnp.concatenate([before.recent, fresh]), (count,), (WINDOW,))
    episodes = before.episodes + count
    last_failure = jnp.max(jnp.where(done & ~success, place, -1))
    run = jnp.where(last_failure < 0, before.run, 0) + count - 1 - last_failure
    good = (episodes >= WINDOW) & (recent.sum(dtype=jnp.int32) >= jnp.float32(goal * WINDOW))
    reached = jnp.where((before.reached < 0) & good, step, before.reached)
    return Successes(recent, episodes, run, reached)


def rate(found: Successes) -> jax.Array:
    """Share of successes among the last WINDOW episodes, f32; of all, while there are fewer, and 0 before the first."""
    return found.recent.sum(dtype=jnp.float32) / jnp.clip(found.episodes, 1, WINDOW).astype(jnp.float32)


def perfect_episodes(found: Successes) -> jax.Array:
    """How many episodes in a row, up to the last, had a window of nothing but successes at their end; i32."""
    return jnp.maximum(found.run - WINDOW + 1, 0)
