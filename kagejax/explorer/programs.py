"""Compiled programs that play an episode and draw it, one of each per static shape. Few are kept.

They meet the same random numbers as `evaluation.episodes.record`, so a picture is the one of `kagejax render` with that seed.
"""

import concurrent.futures
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from kagejax.evaluation import episodes

from .shelf import Shelf

MOST_STEPS = 1000
"""Steps of an episode that are played; their actions are kept, for the other side to repeat."""


class Scene(NamedTuple):
    """An episode after `t` steps."""

    t: jax.Array  # i32
    state: Any
    actions: jax.Array  # [MOST_STEPS, ...], of which the first t have been taken
    reward: jax.Array  # f32, of the last step
    total: jax.Array  # f32, undiscounted
    metrics: dict[str, jax.Array]  # scalars, of the last step
    ended: jax.Array  # bool, an episode that has ended stands still


PARTS = {
    "start": "(params, key) -> Scene",
    "observe": "(params, state) -> observation",
    "go_on": "(params, scene, keys, given actions, how many of them, until t) -> Scene",
}
"""A program is three executables, each compiled when it is first needed: a first picture needs no `go_on`."""


class Programs:
    """Programs by environment, shapes of params, and policy: a name of `episodes.actors`, all of which read the state alone."""

    def __init__(self, room: int = 10):
        self._sources, self._executables = Shelf(room), Shelf(len(PARTS) * room)
        self._compilers = concurrent.futures.ThreadPoolExecutor(len(PARTS), "compile")

    def has(self, env: Any, params: Any, policy: str, moves: bool) -> bool:
        """Whether everything is compiled that a first picture needs, or, if it `moves`, a later one."""
        return all(_key(part, env, params, policy) in self._executables for part in _needed(moves))

    def prepare(self, env: Any, params: Any, policy: str, moves: bool) -> None:
        """Compiles what is not there, all parts at the same time. Raises KeyError for an unknown policy."""
        for job in [self._compilers.submit(self.part, part, env, params, policy) for part in _needed(moves)]:
            job.result()

    def warm(self, env: Any, params: Any, policy: str) -> None:
        """Begins to compile what a later picture will need, and does not wait for it."""
        self._compilers.submit(self.part, "go_on", env, params, policy)

    def part(self, part: str, env: Any, params: Any, policy: str) -> Callable:
        """One of PARTS."""

        def make() -> Callable:
            sources = self._sources.get((policy, *_shapes_of(env, params)), lambda: _sources(env, params, policy))
            return _compiled(*sources[part])

        return self._executables.get(_key(part, env, params, policy), make)


def _needed(moves: bool) -> tuple[str, ...]:
    return tuple(PARTS) if moves else ("start", "observe")


def _key(part: str, env: Any, params: Any, policy: str) -> Hashable:
    return (part, policy if part == "go_on" else "", *_shapes_of(env, params))


def _shapes_of(env: Any, params: Any) -> tuple[Hashable, ...]:
    leaves, structure = jax.tree.flatten(params)
    return env, structure, tuple((leaf.shape, leaf.dtype) for leaf in leaves)


def _sources(env: Any, params: Any, policy: str) -> dict[str, tuple[Callable, tuple]]:
    """The functions of PARTS with the shapes of their arguments."""
    actor = episodes.actors(env)[policy]

    def start(params, key):
        state = env.init(key, params)
        action, metrics = _shapes(env, params, state)
        zero = jnp.float32(0)
        actions = jnp.zeros((MOST_STEPS, *action.shape), action.dtype)
        blank = {name: jnp.zeros((), metric.dtype) for name, metric in metrics.items()}
        return Scene(jnp.int32(0), state, actions, zero, zero, blank, jnp.bool_(False))

    def observe(params, state):
        return env.observe(state, params)

    def go_on(params, scene, keys, given, known, until):
        def step(scene):
            play_key, act_key = (jax.random.fold_in(key, scene.t.astype(jnp.uint32)) for key in keys)
            own = actor(None, act_key, scene.state, None, params)
            action = jnp.where(scene.t < known, given[scene.t], own.astype(given.dtype))
            state, reward, terminated, truncated, info = env.advance(play_key, scene.state, action, params)
            return Scene(
                t=scene.t + 1,
                state=state,
                actions=scene.actions.at[scene.t].set(action),
                reward=reward,
                total=scene.total + reward,
                metrics={name: info[name] for name in scene.metrics},
                ended=terminated | truncated,
            )

        return jax.lax.while_loop(lambda scene: (scene.t < until) & ~scene.ended, step, scene)

    # The shapes alone: a program that held on to the arrays would keep a whole bank of pictures.
    like = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype), params)
    key = jax.random.key(0)
    scene = jax.eval_shape(start, like, key)
    count = jax.ShapeDtypeStruct((), jnp.int32)
    moving = (like, scene, (key, key), scene.actions, count, count)
    return {"start": (start, (like, key)), "observe": (observe, (like, scene.state)), "go_on": (go_on, moving)}


def _compiled(function: Callable, shapes: tuple) -> Callable:
    """In haste on a CPU: a picture at a time is drawn fast enough, and compiling well would take longer."""
    options = {"xla_backend_optimization_level": 0} if jax.default_backend() == "cpu" else None
    return jax.jit(function).lower(*shapes).compile(compiler_options=options)


def _shapes(env: Any, params: Any, state: Any) -> tuple[Any, dict[str, Any]]:
    """Shapes of an action, and of the metrics that are scalars."""
    key = jax.random.key(0)
    action = jax.eval_shape(env.action_space.sample, key)
    info = jax.eval_shape(lambda action: env.advance(key, state, action, params)[4], action)
    return action, {name: part for name, part in info.items() if name != "final_state" and getattr(part, "shape", None) == ()}
