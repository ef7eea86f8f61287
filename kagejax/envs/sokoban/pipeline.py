"""Batches of transitions with pictures and labels, made on device from a symbolic data set."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from . import build, rules, scene
from .dataset import DEAD, Episodes
from .env import SokobanEnv
from .levels import Entry, Split
from .params import Params, State, Tick


class Source(NamedTuple):
    """A data set on device."""

    params: Params  # its levels are the bank
    episode: jax.Array  # i32 [transitions]
    step: jax.Array  # i32 [transitions], within its episode
    actions: jax.Array  # i8 [E, S]
    boxes: jax.Array  # u32 [E, S + 1, words]
    player: jax.Array  # i16 [E, S + 1]
    distance: jax.Array  # i16 [E, S + 1]
    optimal: jax.Array  # u8 [E, S + 1]


class Batch(NamedTuple):
    """Transitions, [batch, ...]."""

    board: jax.Array  # u8 [batch, 64, 64, 3]
    action: jax.Array  # i32
    next_board: jax.Array  # u8 [batch, 64, 64, 3]
    goal: jax.Array  # u8 [batch, 64, 64, 3]
    distance: jax.Array  # i32, least number of moves from `board`; -1 where none lead to the goal
    optimal: jax.Array  # bool [batch, 4], actions that begin an optimal solution
    dead: jax.Array  # bool


def source(data: Episodes) -> tuple[SokobanEnv, Source]:
    """The data set on device, and the environment that draws it."""
    entries = tuple(Entry(level, None, None, None, {}) for level in data.levels)
    env, params = build.from_split(Split(None, None, None, entries, {}))
    episode = np.repeat(np.arange(len(data.levels), dtype=np.int32), data.lengths)
    step = np.concatenate([np.arange(length, dtype=np.int32) for length in data.lengths])
    arrays = (episode, step, data.actions, data.boxes, data.player, data.distance, data.optimal)
    return env, Source(params, *(jnp.asarray(array) for array in arrays))


def sample(env: SokobanEnv, data: Source, key: jax.Array, size: int) -> Batch:
    """`size` transitions, drawn uniformly with replacement from `key`. For `jax.jit` with `env` and `size` static."""
    return batch(env, data, jax.random.randint(key, (size,), 0, data.episode.shape[0], jnp.int32))


def batch(env: SokobanEnv, data: Source, places: jax.Array) -> Batch:
    """The transitions at `places` (i32 [batch])."""
    episode, step = data.episode[places], data.step[places]
    start = jax.vmap(env.start, (0, None, None))(episode, jax.random.key(0), data.params)

    def at(step: jax.Array) -> State:
        position = rules.Position(data.boxes[episode, step], data.player[episode, step].astype(jnp.int32))
        return start._replace(tick=Tick(position, step, jnp.zeros_like(step)))

    def drawn(state: State, goal: bool) -> Any:
        draw = scene.drawer(env.plan, env.renderer, goal)
        return jax.vmap(draw, (0, None))(state, data.params)

    distance = data.distance[episode, step].astype(jnp.int32)
    bits = (data.optimal[episode, step][:, None] >> jnp.arange(4, dtype=jnp.uint8)) & 1
    return Batch(
        board=drawn(at(step), False),
        action=data.actions[episode, step].astype(jnp.int32),
        next_board=drawn(at(step + 1), False),
        goal=drawn(at(step), True),
        distance=distance,
        optimal=bits.astype(bool),
        dead=distance == DEAD,
    )
