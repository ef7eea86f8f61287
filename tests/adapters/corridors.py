"""Toy environments for the adapters: a corridor with every kind of metric, an action mask, and chance."""

import dataclasses

import jax
import jax.numpy as jnp

from kagejax.core import Box, Dict, Text
from tests.corridor import Corridor


@dataclasses.dataclass(frozen=True)
class Windy(Corridor):
    """Each step, one time in four, goes the other way. Metrics are f32, i32, bool and an array; walls are masked."""

    def transition(self, key, state, action, params):
        blown = jax.random.bernoulli(key, 0.25)
        moved = super().transition(key, state, jnp.where(blown, 2 - action, action), params)
        more = {"cell": moved.state.cell, "blown": blown, "place": jnp.stack([moved.state.cell, moved.state.length])}
        return moved._replace(metrics={**moved.metrics, **more})

    def action_mask(self, state, params):
        return jnp.array([state.cell > 0, True, True])


@dataclasses.dataclass(frozen=True)
class Told(Windy):
    """Observes its length as a text of as many letters, beside the picture."""

    def observe(self, state, params):
        letters = jnp.where(jnp.arange(10) < state.length, 1 + jnp.arange(10) % 3, 0).astype(jnp.int32)
        return {"picture": super().observe(state, params), "text": letters}

    def text_of(self, observation):
        return "".join("abc"[token - 1] for token in observation if token)

    @property
    def observation_space(self):
        return Dict({"picture": Box(0, 255, (8, 8, 3), jnp.uint8), "text": Text(10, 4)})
