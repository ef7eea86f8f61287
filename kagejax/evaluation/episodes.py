"""Pictures of one episode under a policy, in one or many configurations at once."""

import dataclasses
import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.core import Environment

from .rollouts import in_haste, masks

Actor = Callable[[Any, jax.Array, Any, Any, Any], jax.Array]
"""`actor(parameters, key, state, observation, params)` gives the action of one environment. Hashable."""
CHUNK = 32
"""Steps per call of the compiled program."""


class Scene(NamedTuple):
    """An episode under way, [configurations] each."""

    t: jax.Array  # u32 [], steps so far
    state: Any
    observation: Any
    ended: jax.Array  # bool


@dataclasses.dataclass(frozen=True)
class Scripted:
    """An actor that reads the state: `policy(key, state, params)`."""

    policy: Callable

    def __call__(self, parameters: Any, key: jax.Array, state: Any, observation: Any, params: Any) -> jax.Array:
        """The policy's action."""
        return self.policy(key, state, params)


@dataclasses.dataclass(frozen=True)
class Trained:
    """An actor that sees what an agent sees: `policy(parameters, key, observations)` for a batch, as in `rollouts`."""

    policy: Callable
    env: Environment | None = None
    """Whose action masks a policy gets that asks for them."""

    def __call__(self, parameters: Any, key: jax.Array, state: Any, observation: Any, params: Any) -> jax.Array:
        """The policy's action for a batch of one."""
        seen = (observation, *masks(self.policy, lambda *now: self.env.action_mask(*now), state, params))
        return jax.tree.map(lambda x: x[0], self.policy(parameters, key, *jax.tree.map(lambda x: x[None], seen)))


@dataclasses.dataclass(frozen=True)
class Random:
    """An actor that draws uniformly from the action space of `env`."""

    env: Environment

    def __call__(self, parameters: Any, key: jax.Array, state: Any, observation: Any, params: Any) -> jax.Array:
        """A random action."""
        return self.env.action_space.sample(key)


def actors(env: Environment) -> dict[str, Actor]:
    """Actors by name: `random`, and those in `POLICIES` of the module `policies` beside the environment's, if it has one."""
    room = type(env).__module__.rpartition(".")[0]
    try:
        policies = importlib.import_module(f"{room}.policies").POLICIES
    except ModuleNotFoundError:
        policies = {}
    return {"random": Random(env), **{name: Scripted(policy) for name, policy in policies.items()}}


def record(
    env: Environment, params: Any, actor: Actor, parameters: Any, key: jax.Array, steps: int
) -> Iterator[tuple[Any, bool]]:
    """Plays one episode in each configuration of `params` (those of `kagejax.make_batch`), all from the same `key`.

    Gives chunks `(observations, over)`, NumPy [time, configurations, ...] (a dictionary where observations are one): the first
    observation, then one after each of at most `steps` steps. An episode that has ended stands still; when all have, `over` is
    true and no chunk follows. Every configuration meets the same noise, so those that differ in looks alone show the same play
    of a policy that does not look.
    """
    first_key, *later_keys = jax.random.split(key, 3)
    scene = in_haste(_first, (0,))(env, params, first_key)
    yield jax.tree.map(lambda x: np.asarray(x)[None], scene.observation), steps == 0
    for done in range(0, steps, CHUNK):
        scene, (observations, ended) = _go_on(env, actor, params, parameters, tuple(later_keys), scene)
        length = min(CHUNK, steps - done)
        standing = np.asarray(ended).all(1)[:length]
        over = bool(standing.any())
        length = int(standing.argmax()) + 1 if over else length
        chunk = jax.tree.map(lambda x, length=length: np.asarray(x)[:length], observations)
        yield chunk, over or done + CHUNK >= steps
        if over:
            return


def _first(env: Environment, params: Any, key: jax.Array) -> Scene:
    observation, state = jax.vmap(env.reset, (None, env.params_axes(params)))(key, params)
    ended = jnp.zeros(jax.tree.leaves(state)[0].shape[:1], bool)
    return Scene(jnp.uint32(0), state, observation, ended)


@functools.partial(jax.jit, static_argnames=("env", "actor"))
def _go_on(env: Environment, actor: Actor, params: Any, parameters: Any, keys: tuple, scene: Scene) -> tuple[Scene, Any]:
    axes = env.params_axes(params)

    def step(scene: Scene, _):
        play_key, act_key = (jax.random.fold_in(key, scene.t) for key in keys)
        act = jax.vmap(actor, (None, None, 0, 0, axes))
        action = act(parameters, act_key, scene.state, scene.observation, params)
        after, _, terminated, truncated, _ = jax.vmap(env.advance, (None, 0, 0, axes))(play_key, scene.state, action, params)
        state = jax.tree.map(lambda new, old: jnp.where(_column(scene.ended, new), old, new), after, scene.state)
        observation = jax.vmap(env.observe, (0, axes))(state, params)
        scene = Scene(scene.t + 1, state, observation, scene.ended | terminated | truncated)
        return scene, (observation, scene.ended)

    return jax.lax.scan(step, scene, length=CHUNK)


def _column(flags: jax.Array, like: jax.Array) -> jax.Array:
    return flags.reshape(-1, *(1,) * (like.ndim - 1))
