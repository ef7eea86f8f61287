"""Agents as pure functions, so that all episodes of a split are played at once on the device."""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from .metering import Model, captured, counted


class Weights(NamedTuple):
    """What an agent has learned. Both are shared by all episodes."""

    agent: Any = ()  # handed to `init`, and to `act` as `model.weights`
    dynamics: Any = ()  # handed to `dynamics` alone


@dataclasses.dataclass(frozen=True)
class Agent:
    """An agent. Its functions see one episode; they are module-level functions or other hashable callables.

    init: `(key, weights) -> memory`, a pytree of arrays, at the start of an episode.
    act: `(key, memory, observation, model) -> (action, memory)`. `key` is new at every step. The observation is
    {"board", "goal"}, u8 [64, 64, 3] each, or what `observes` says. The action is a whole number []; one outside 0 .. 3 fails
    the episode. The memory keeps its structure, shapes and dtypes. What was done before is not handed over: remember it. An
    action may ask for 256 predictions of `model`, see `metering.Model`.
    dynamics: `(weights, latents, actions) -> latents`, a batch of predictions of the next latent: what `model` applies.
    observes: the `observation.kind` that it plays on; entries see "pictures".
    forbidden: why the agent cannot be an entry, or None.
    """

    name: str
    init: Callable[[jax.Array, Any], Any]
    act: Callable[[jax.Array, Any, Any, Model], tuple[jax.Array, Any]]
    dynamics: Callable[[Any, Any, jax.Array], Any] | None = None
    observes: str = "pictures"
    forbidden: str | None = None


def begun(agent: Agent, weights: Weights, key: jax.Array) -> Any:
    """The memory of one episode before its first step."""
    return jax.tree.map(_strong, agent.init(key, weights.agent))


def decided(agent: Agent, weights: Weights, key: jax.Array, memory: Any, observation: Any) -> tuple[jax.Array, Any, jax.Array]:
    """One decision: `(action i32 [], memory, predictions i32 [])`.

    Raises TypeError for an action that is no whole number [], and for a memory that changes its form.
    """
    (action, after), calls = counted(_act(agent))(weights, key, memory, observation)
    forms = [jax.tree.map(_form, tree) for tree in (memory, after)]
    if forms[0] != forms[1]:
        raise TypeError(f"The memory of agent {agent.name!r} must keep its form: it was {forms[0]} and became {forms[1]}.")
    if action.shape or not jnp.issubdtype(action.dtype, jnp.integer):
        found = f"{action.dtype} {list(action.shape)}"
        raise TypeError(f"The action of agent {agent.name!r} must be a whole number without axes, not {found}.")
    # Whole numbers of other widths must not become legal actions by being cut to 32 bits.
    legal = (action >= 0) & (action < 4)
    return jnp.where(legal, action, -1).astype(jnp.int32), jax.tree.map(_strong, after), calls


def parameter_count(agent: Agent, weights: Weights, observation: Any) -> int:
    """Numbers that an agent has: its weights, an array in both halves once, and arrays that its functions close over.

    `observation`: one of those that it plays on, or a pytree of `jax.ShapeDtypeStruct`.
    """
    leaves = {id(leaf): int(np.size(leaf)) for leaf in jax.tree.leaves(weights)}
    key = jax.random.key(0)
    memory = jax.eval_shape(lambda key, weights: begun(agent, weights, key), key, weights)
    hidden = captured(lambda key, own: agent.init(key, own), key, weights.agent)
    return sum(leaves.values()) + hidden + captured(_act(agent), weights, key, memory, observation)


def _act(agent: Agent) -> Callable:
    def act(weights, key, memory, observation):
        action, memory = agent.act(key, memory, observation, Model(agent.dynamics, weights.agent, weights.dynamics))
        return jnp.asarray(action), memory

    return act


def _strong(leaf: Any) -> jax.Array:
    """Without the weak type that Python's numbers leave, which would have the next step compiled again."""
    leaf = jnp.asarray(leaf)
    return leaf if jnp.issubdtype(leaf.dtype, jax.dtypes.extended) else jnp.asarray(leaf, leaf.dtype)


def _form(leaf: Any) -> str:
    leaf = jnp.asarray(leaf)
    return f"{leaf.dtype} {list(leaf.shape)}"
