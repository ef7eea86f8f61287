"""Sokoban environments for tests, and compiled ways to play and draw them."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.config.parameters import nest
from kagejax.envs.sokoban import build, text
from kagejax.envs.sokoban.config import SokobanConfig
from kagejax.envs.sokoban.env import SokobanEnv
from kagejax.envs.sokoban.levels import Entry, Split
from kagejax.envs.sokoban.params import Params
from tests.oracles import sokoban

KEY = np.zeros(2, np.uint32)


class Trace(NamedTuple):
    """What happens at each step, [episodes, steps, ...]."""

    boxes: Any  # u32 [words], after the step
    player: Any
    t: Any
    pushes: Any
    reward: Any
    terminated: Any
    truncated: Any
    moved: Any
    pushed: Any
    invalid: Any


def config_of(values: Mapping[str, Any] | None = None) -> SokobanConfig:
    """The default configuration with `values` by dotted key."""
    return SokobanConfig.model_validate(nest(dict(values or {})))


def entry_of(level: str, max_steps: int | None = None, theme: Mapping[str, Any] | None = None) -> Entry:
    """A level from its text, by the forgiving law."""
    return Entry(text.parse(level, lenient=True), None, max_steps, None if theme is None else dict(theme), {})


def split_of(entries: Iterable[Entry]) -> Split:
    return Split(None, None, None, tuple(entries), {})


def made(entries: Iterable[Entry], values: Mapping[str, Any] | None = None) -> tuple[SokobanEnv, Params]:
    """The environment of levels in hand."""
    return build.from_split(split_of(entries), config_of(values))


def params_at(env: SokobanEnv, stacked: Params, i: int) -> Params:
    """Configuration `i` of stacked params."""
    return jax.tree.map(lambda x, axis: x if axis is None else x[i], stacked, env.params_axes(stacked))


def on_host(tree: Any) -> Any:
    """The tree as NumPy arrays: slices of them compile nothing."""
    return jax.tree.map(np.asarray, tree)


def assert_same(first: Any, second: Any) -> None:
    """Both trees are equal, bit for bit."""
    assert jax.tree.structure(first) == jax.tree.structure(second)
    for one, other in zip(jax.tree.leaves(on_host(first)), jax.tree.leaves(on_host(second)), strict=True):
        np.testing.assert_array_equal(one, other)


@functools.partial(jax.jit, static_argnums=0)
def _play(env, params, levels, actions):
    def episode(level, actions):
        def step(state, action):
            state, reward, terminated, truncated, info = env.advance(KEY, state, action, params)
            tick, flags = state.tick, (info[name] for name in ("moved", "pushed", "invalid"))
            return state, Trace(*tick.position, tick.t, tick.pushes, reward, terminated, truncated, *flags)

        return jax.lax.scan(step, env.start(level, KEY, params), actions)[1]

    return jax.vmap(episode)(levels, actions)


def play(env: SokobanEnv, params: Params, actions: Sequence[Sequence[int]], levels: Sequence[int] | None = None) -> Trace:
    """Episodes along `actions` (shorter rows end in an action that moves nothing) from `levels`, or else all in order."""
    padded = np.full((len(actions), max(map(len, actions))), -1, np.int32)
    for row, given in zip(padded, actions, strict=True):
        row[: len(given)] = given
    chosen = np.arange(len(padded)) if levels is None else np.asarray(levels)
    return on_host(_play(env, params, jnp.asarray(chosen, jnp.int32), padded))


@functools.partial(jax.jit, static_argnums=0)
def draw(env: SokobanEnv, params: Params, levels: jax.Array) -> Any:
    """What is seen of the first boards of `levels` (i32 [B]), each with the same key."""
    states = jax.vmap(env.start, (0, None, None))(levels, KEY, params)
    return jax.vmap(env.observe, (0, None))(states, params)


def cells_of(masks: np.ndarray) -> list[frozenset[int]]:
    """Each mask of u32 [N, words] as a set of cells."""
    bits = np.unpackbits(np.ascontiguousarray(masks).view(np.uint8), axis=-1, bitorder="little")
    return [frozenset(np.flatnonzero(row).tolist()) for row in bits]


def outcomes_of(board: sokoban.Board, game: sokoban.Game, actions: Iterable[int], max_steps: int) -> list:
    """The oracle's games and outcomes of all actions; those that are none stay and count. It ends where the episode does."""
    steps = []
    for action in actions:
        if action in sokoban.STEPS:
            game, outcome = sokoban.step(board, game, action, max_steps)
        else:
            game, solved = game._replace(t=game.t + 1), sokoban.is_solved(board, game.boxes)
            outcome = sokoban.Outcome(False, False, True, solved, game.t >= max_steps and not solved)
        steps.append((game, outcome))
        if outcome.done:
            break
    return steps
