"""The compiled programs behind the adapters: many environments, each with a stream of randomness of its own.

Environment i draws from a root key made of its own seed, and from how many calls (steps and resets) it has had since it was
seeded. So it plays the same whatever the number of its neighbours, and whether they step together or one by one.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.core import Environment
from kagejax.core.environment import RESET_STREAM

NEXT_STEP, SAME_STEP, DISABLED = "NextStep", "SameStep", "Disabled"
"""When a new episode follows an end, in Gymnasium's words."""


class Seeds(NamedTuple):
    """New seeds for the environments that get one, [n] each."""

    given: Any  # bool
    low: Any  # u32, lower half of the seed
    high: Any  # u32, upper half


class Carry(NamedTuple):
    """What a batch of n environments takes from one call to the next."""

    roots: jax.Array  # keys [n]
    calls: jax.Array  # u32 [n], steps and resets since the environment was seeded
    done: jax.Array  # bool [n], whether the last step ended the episode
    state: Any


class Final(NamedTuple):
    """The ends of the episodes that ended, before their environments were reset; 0 elsewhere."""

    ended: jax.Array  # bool [n]
    metrics: dict[str, jax.Array]
    action_mask: jax.Array | None
    state: Any  # of all n environments, for `Programs.draw` and `Programs.look`


class Outcome(NamedTuple):
    """What a call gives, [n] each."""

    observation: Any
    reward: jax.Array  # f32
    terminated: jax.Array  # bool
    truncated: jax.Array  # bool
    stepped: jax.Array  # bool, whether `metrics` speaks of this environment's last step; False where an episode has begun
    metrics: dict[str, jax.Array]  # 0 where not `stepped`
    action_mask: jax.Array | None  # i8 [n, actions], for environments that have one
    final: Final | None = None  # same-step alone


class Programs(NamedTuple):
    """Compiled on first use. Each takes its `Carry` for good: the arrays inside cannot be used again."""

    start: Callable  # (seeds, params) -> (observation, action_mask, carry), seeds for all
    restart: Callable  # (carry, mask, seeds, params) -> (observation, action_mask, carry)
    step: Callable  # (carry, actions, params) -> (outcome, carry)
    draw: Callable  # (state, places, params) -> observations at `places`
    look: Callable  # (state, params) -> observations of all


def programs(env: Environment, autoreset: str = DISABLED) -> Programs:
    """The programs of `env`."""
    return Programs(
        start=_compiled(_start, (), env),
        restart=_compiled(_restart, (0,), env),
        step=_compiled(_step, (0,), env, autoreset),
        draw=_compiled(_draw, (), env),
        look=_compiled(_look, (), env),
    )


@functools.lru_cache(maxsize=256)
def _compiled(function: Callable, donated: tuple[int, ...], *static: Any) -> Callable:
    """One jitted function for all who ask for the same, so that environments that are made alike compile once."""
    return jax.jit(functools.partial(function, *static), donate_argnums=donated)


def _start(env: Environment, seeds: Seeds, params: Any) -> tuple[Any, Any, Carry]:
    roots, calls = _roots(seeds), jnp.zeros(seeds.low.shape, jnp.uint32)
    streams = jax.vmap(jax.random.fold_in, (0, None))(_keys(roots, calls), RESET_STREAM)
    state = jax.vmap(env.init, (0, None))(streams, params)
    return *_seen(env, state, params), Carry(roots, calls + 1, jnp.zeros(calls.shape, bool), state)


def _restart(env: Environment, carry: Carry, mask: jax.Array, seeds: Seeds, params: Any) -> tuple[Any, Any, Carry]:
    """New episodes where `mask`; the action mask is of those alone, 0 elsewhere."""
    seeded = seeds.given & mask
    roots = jnp.where(seeded, _roots(seeds), carry.roots)
    calls = jnp.where(seeded, 0, carry.calls).astype(jnp.uint32)
    state = _reset_where(env, mask, _keys(roots, calls), carry.state, params)
    observation, action_mask = _seen(env, state, params)
    return observation, _where(mask, action_mask), Carry(roots, calls + mask.astype(jnp.uint32), carry.done & ~mask, state)


def _step(env: Environment, autoreset: str, carry: Carry, actions: jax.Array, params: Any) -> tuple[Outcome, Carry]:
    keys, calls = _keys(carry.roots, carry.calls), carry.calls + 1
    actions = jnp.asarray(actions).astype(env.action_space.dtype)
    advance = jax.vmap(env.advance, (0, 0, 0, None))
    after, reward, terminated, truncated, info = advance(keys, carry.state, actions, params)
    metrics = {name: value for name, value in info.items() if name != "final_state"}
    state, stepped, final = after, jnp.ones_like(terminated), None
    if autoreset == NEXT_STEP:
        # Where an episode has ended the call is a reset: its action counts for nothing and no step is reported.
        stepped = ~carry.done
        reward, terminated, truncated, metrics = _where(stepped, (reward, terminated, truncated, metrics))
        state = _reset_where(env, carry.done, keys, after, params)
    done = terminated | truncated
    if autoreset == SAME_STEP:
        state = _reset_where(env, done, _keys(carry.roots, calls), after, params)
        calls, stepped = calls + done.astype(jnp.uint32), ~done
        mask = _action_mask(env, after, params)
        final = Final(done, *_where(done, (metrics, mask)), after)
        metrics = _where(stepped, metrics)
    observation, mask = _seen(env, state, params)
    outcome = Outcome(observation, reward, terminated, truncated, stepped, metrics, mask, final)
    return outcome, Carry(carry.roots, calls, done, state)


def _draw(env: Environment, state: Any, places: jax.Array, params: Any) -> Any:
    return _look(env, jax.tree.map(lambda x: x[places], state), params)


def _look(env: Environment, state: Any, params: Any) -> Any:
    return jax.vmap(env.observe, (0, None))(state, params)


def _seen(env: Environment, state: Any, params: Any) -> tuple[Any, jax.Array | None]:
    return _look(env, state, params), _action_mask(env, state, params)


def _action_mask(env: Environment, state: Any, params: Any) -> jax.Array | None:
    """As Gymnasium's spaces take masks, i8."""
    return jax.vmap(env.action_mask, (0, None))(state, params).astype(jnp.int8) if env.has_action_mask else None


def _roots(seeds: Seeds) -> jax.Array:
    return jax.vmap(lambda low, high: jax.random.fold_in(jax.random.key(low), high))(seeds.low, seeds.high)


def _keys(roots: jax.Array, calls: jax.Array) -> jax.Array:
    return jax.vmap(jax.random.fold_in)(roots, calls)


def _reset_where(env: Environment, mask: jax.Array, keys: jax.Array, state: Any, params: Any) -> Any:
    return jax.vmap(env.reset_where, (0, 0, 0, None))(mask, keys, state, params)


def fetched(tree: Any) -> Any:
    """jax arrays as NumPy arrays that cannot be written to; those of a CPU are looked at where they are, without a copy."""
    on_cpu = all(device.platform == "cpu" for device in jax.tree.leaves(tree)[0].devices())
    return jax.tree.map(np.asarray, tree) if on_cpu else jax.device_get(tree)  # device_get copies what is not ready yet


def _where(mask: jax.Array, tree: Any) -> Any:
    """`tree` where `mask`, 0 elsewhere."""
    return jax.tree.map(lambda x: jnp.where(mask.reshape(-1, *(1,) * (x.ndim - 1)), x, jnp.zeros((), x.dtype)), tree)
