"""A toy environment for tests of everything that is not an environment: walk a corridor to its far end."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp

from kagejax.core import Box, Discrete, Environment, Transition


class Params(NamedTuple):
    max_length: jax.Array  # i32, cells
    time_limit: jax.Array  # i32, steps
    brightness: jax.Array  # f32, look of the walker


class State(NamedTuple):
    length: jax.Array  # i32, cells
    cell: jax.Array  # i32
    t: jax.Array  # i32, steps


def params(max_length=9, time_limit=20, brightness=1.0) -> Params:
    return Params(jnp.int32(max_length), jnp.int32(time_limit), jnp.float32(brightness))


@dataclasses.dataclass(frozen=True)
class Corridor(Environment):
    """Actions: left, stay, right. Reward 1 at the far end, which ends the episode; the time limit truncates it."""

    height: int = 8
    width: int = 8

    def init(self, key, params):
        length = jax.random.randint(key, (), 2, params.max_length + 1, jnp.int32)
        return State(length, jnp.int32(0), jnp.int32(0))

    def transition(self, key, state, action, params):
        cell = jnp.clip(state.cell + action.astype(jnp.int32) - 1, 0, state.length - 1)
        at_end = cell == state.length - 1
        after = State(state.length, cell, state.t + 1)
        progress = cell.astype(jnp.float32) / (state.length - 1).astype(jnp.float32)
        return Transition(after, at_end.astype(jnp.float32), at_end, {"progress": progress})

    def truncated(self, state, params):
        return state.t >= params.time_limit

    def observe(self, state, params):
        column = jnp.arange(self.width) * state.length // self.width
        row = jnp.where(column == state.cell, 200 * params.brightness, 20.0).astype(jnp.uint8)
        return jnp.broadcast_to(row[None, :, None], (self.height, self.width, 3))

    @property
    def action_space(self):
        return Discrete(3)

    @property
    def observation_space(self):
        return Box(0, 255, (self.height, self.width, 3), jnp.uint8)
