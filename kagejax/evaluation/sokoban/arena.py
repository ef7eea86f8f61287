"""Where agents are evaluated: the levels of a split, each played once, and steps of all of them at a time. SPEC 9.1 and 9.4."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.envs.sokoban import build, rules
from kagejax.envs.sokoban.config import SokobanConfig
from kagejax.envs.sokoban.env import SokobanEnv
from kagejax.envs.sokoban.levels import Split
from kagejax.envs.sokoban.params import Params, State

from .episodes import Record, shortest

PICTURES, CHOICES = range(2)
"""Streams of a seed: noise in pictures, and keys of the agent."""


class Arena(NamedTuple):
    """A split, ready to be played."""

    env: SokobanEnv
    params: Params
    split: Split
    optimal: tuple[int | None, ...]  # fewest moves, by level

    @property
    def name(self) -> str:
        """Of the split."""
        return self.split.name or "levels"

    def records(self) -> list[Record]:
        """An empty record for each level."""
        return [Record(entry.level, optimal) for entry, optimal in zip(self.split.entries, self.optimal, strict=True)]


def require_kind(agent: Any, arena: Arena) -> None:
    """Raises ValueError unless an agent (its `observes`, by default pictures) can play on `arena`."""
    wanted, found = getattr(agent, "observes", "pictures"), arena.env.plan.kind
    if wanted != found:
        raise ValueError(f"The agent plays on observation.kind {wanted!r}; these levels are shown as {found!r}.")


class Stage(NamedTuple):
    """Episodes under way, [episodes, ...]."""

    state: State
    observation: Any
    solved: jax.Array  # bool
    over: jax.Array  # bool, solved or cut


class Step(NamedTuple):
    """A step of each episode."""

    stage: Stage
    pushed: jax.Array  # bool [episodes]
    boxes: jax.Array  # u32 [episodes, words], after the step
    player: jax.Array  # i32 [episodes]


def arena_of(config: SokobanConfig) -> Arena:
    """The levels of a configuration, in order. Lengths that the split does not know are worked out, which needs numba.

    Raises ConfigError for levels that cannot be used.
    """
    split = build.load(config)
    lengths = tuple(shortest(entry.level) if entry.optimal_length is None else entry.optimal_length for entry in split.entries)
    return Arena(*build.build(config), split, lengths)


def public_arena(split: str, kind: str = "pictures", **levels: Any) -> Arena:
    """A public split such as "A", as `kind` of observation; `levels`: further keys of that section, such as `count`."""
    section = {"source": "split", "split": split, **levels}
    return arena_of(SokobanConfig.model_validate({"levels": section, "observation": {"kind": kind}}))


def file_arena(file: Any, kind: str = "pictures", **levels: Any) -> Arena:
    """The levels of a file, a split or a level text, as `kind` of observation."""
    section = {"source": "file", "file": str(file), **levels}
    return arena_of(SokobanConfig.model_validate({"levels": section, "observation": {"kind": kind}}))


def keys(seed: int, stream: int, levels: np.ndarray) -> jax.Array:
    """A key for each of `levels`, which depends on the seed, the stream and the level alone."""
    base = jax.random.fold_in(jax.random.key(seed), stream)
    return jax.vmap(jax.random.fold_in, (None, 0))(base, jnp.asarray(levels, jnp.uint32))


@functools.partial(jax.jit, static_argnames="env")
def begin(env: SokobanEnv, params: Params, levels: jax.Array, keys: jax.Array) -> Stage:
    """The first states of `levels`, i32 [episodes]; `keys` [episodes] are for noise in their pictures."""
    return _shown(env, params, jax.vmap(env.start, (0, 0, None))(levels, keys, params))


@functools.partial(jax.jit, static_argnames="env")
def advance(env: SokobanEnv, params: Params, state: State, action: jax.Array, executed: jax.Array) -> Step:
    """A step of each episode where `executed`, bool [episodes]; the others stay as they are. `action`: i32 [episodes]."""
    never_used = jax.random.key(0)  # moves are certain
    after, _, _, _, info = jax.vmap(env.advance, (None, 0, 0, None))(never_used, state, action, params)

    def chosen(old, new):
        return jnp.where(executed.reshape(-1, *[1] * (old.ndim - 1)), new, old)

    stage = _shown(env, params, jax.tree.map(chosen, state, after))
    boxes, player = stage.state.tick.position
    return Step(stage, info["pushed"] & executed, boxes, player)


def _shown(env: SokobanEnv, params: Params, state: State) -> Stage:
    solved = jax.vmap(rules.is_solved)(state.tick.position.boxes, state.episode.puzzle.goals)
    cut = jax.vmap(env.truncated, (0, None))(state, params)
    return Stage(state, jax.vmap(env.observe, (0, None))(state, params), solved, solved | cut)
