"""Full episodes of one policy in one or many configurations at once, on the same levels."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.core import Environment

Policy = Callable[[Any, jax.Array, jax.Array], jax.Array]
"""`policy(parameters, key, observations)` gives an action for each of a batch of observations [episodes, ...]. Hashable: a
module-level function, or a frozen dataclass with a `__call__`. One whose attribute `masked` is true also gets the environment's
action masks, bool [episodes, actions]."""

LONGEST = 10_000
"""Steps after which an episode that has not ended counts as it stands."""
STRIDE = 4
"""Steps between frames of a film."""


class Play(NamedTuple):
    """Episodes under way, [configurations, episodes] each."""

    t: jax.Array  # i32 [], steps so far
    state: Any
    frame: jax.Array
    ended: jax.Array  # bool
    metrics: dict[str, jax.Array]  # f32, of the last step, or of the end where `ended`
    key: jax.Array  # [] or [configurations], source of action and step keys


class Episodes(NamedTuple):
    """What `play` gives."""

    metrics: dict[str, np.ndarray]  # f32 [configurations, episodes]
    film: np.ndarray  # [time, configurations, *frame], every STRIDE steps of episode 0 until it ended everywhere


def play(
    env: Environment,
    params: Any,
    policy: Policy,
    parameters: Any,
    key: jax.Array,
    episodes: int,
    longest: int = LONGEST,
    keep_film: bool = False,
) -> Episodes:
    """Plays `episodes` full episodes in each configuration of `params`; `env` and `params` are those of `kagejax.make_batch`.

    Episode i begins from the same key and meets the same action noise in every configuration, so configurations that look
    alike give equal rows; unless `key` has an axis of configurations, each of which then plays for itself. No episode is cut or
    counted twice: one that has ended waits for the others. The metrics are those of the environment at an episode's end, with
    `return` (undiscounted) and `length`. Raises ValueError for params not stacked.
    """
    going, film = in_haste(first, (0, 3))(env, params, key, episodes), []
    while int(going.t) < longest and not bool(going.ended.all()):
        if keep_film and not bool(going.ended[:, 0].all()):
            film.append(np.asarray(going.frame[:, 0]))
        going = go_on(env, params, policy, parameters, going)
    return Episodes(jax.device_get(going.metrics), np.stack(film) if film else np.zeros((0,)))


@functools.cache
def in_haste(function: Callable, static_argnums: tuple[int, ...]) -> Callable:
    """`jax.jit` for what runs once, such as the first reset: on a CPU, compiling it well would take longer than running it."""
    options = {"xla_backend_optimization_level": 1} if jax.default_backend() == "cpu" else None
    return jax.jit(function, static_argnums=static_argnums, compiler_options=options)


def first(env: Environment, params: Any, key: jax.Array, episodes: int) -> Play:
    """Episodes before their first step."""
    reset_key, key = _split(key, 2)
    shape = (configurations(env, params), episodes)
    state = _each(env, params, env.init, 1)(_keys(reset_key, shape))
    frame = _each(env, params, env.observe, 1)(state)
    advanced = jax.eval_shape(functools.partial(_advance, env, params), state, jnp.zeros(shape, jnp.int32), key)
    metrics = {name: jnp.zeros(shape, jnp.float32) for name in (*_metrics(advanced[4]), "return", "length")}
    return Play(jnp.int32(0), state, frame, jnp.zeros(shape, bool), metrics, key)


@functools.partial(jax.jit, static_argnames=("env", "policy"), donate_argnames="going")
def go_on(env: Environment, params: Any, policy: Policy, parameters: Any, going: Play) -> Play:
    """Episodes STRIDE steps later."""

    def step(_, going: Play) -> Play:
        action_key, step_key, key = _split(going.key, 3)
        seen = (going.frame, *masks(policy, _each(env, params, env.action_mask, 1), going.state))
        own = 0 if action_key.ndim else None
        action = jax.vmap(policy, (None, own, *(0 for _ in seen)))(parameters, action_key, *seen)
        state, reward, terminated, truncated, info = _advance(env, params, going.state, action, step_key)
        now = {name: value.astype(jnp.float32) for name, value in _metrics(info).items()}
        now["return"] = going.metrics["return"] + reward
        now["length"] = going.metrics["length"] + 1
        metrics = {name: jnp.where(going.ended, going.metrics[name], value) for name, value in now.items()}
        frame = _each(env, params, env.observe, 1)(state)
        return Play(going.t + 1, state, frame, going.ended | terminated | truncated, metrics, key)

    return jax.lax.fori_loop(0, STRIDE, step, going)


def masks(policy: Policy, action_mask: Callable, *state: Any) -> tuple[jax.Array, ...]:
    """What a policy gets behind its observations: `action_mask(*state)` if it asks for it, else nothing."""
    return (action_mask(*state),) if getattr(policy, "masked", False) else ()


def configurations(env: Environment, params: Any) -> int:
    """How many configurations `params` stacks. Raises ValueError if its leaves do not agree on one leading axis."""
    sizes: set[int | None] = set()

    def look(axis, part):
        if axis is not None:
            sizes.update(leaf.shape[0] if leaf.ndim else None for leaf in jax.tree.leaves(part))

    jax.tree.map(look, env.params_axes(params), params, is_leaf=lambda axis: axis is None)
    if len(sizes) != 1 or None in sizes:
        raise ValueError("params are not those of kagejax.make_batch: their leaves do not share one leading axis")
    return sizes.pop()


def _advance(env: Environment, params: Any, state: Any, action: jax.Array, key: jax.Array) -> tuple:
    return _each(env, params, env.advance, 3)(_keys(key, action.shape), state, action)


def _metrics(info: dict) -> dict[str, jax.Array]:
    return {name: value for name, value in info.items() if name not in ("final_state", "return", "length")}


def _split(key: jax.Array, count: int) -> tuple[jax.Array, ...]:
    """`jax.random.split` of a key, or of each of some."""
    return tuple(jnp.moveaxis(jnp.vectorize(lambda k: jax.random.split(k, count), signature="()->(n)")(key), -1, 0))


def _keys(key: jax.Array, shape: tuple[int, int]) -> jax.Array:
    """Keys [configurations, episodes], the same in every configuration if there is one key for all."""
    numbers = jnp.arange(shape[1], dtype=jnp.uint32)
    keys = jax.vmap(lambda k: jax.vmap(jax.random.fold_in, (None, 0))(k, numbers))(jnp.atleast_1d(key))
    return jnp.broadcast_to(keys, shape)


def _each(env: Environment, params: Any, function: Callable, arguments: int) -> Callable:
    """`function(*arguments, params)` over [configurations, episodes]."""
    axes = (0,) * arguments
    mapped = jax.vmap(jax.vmap(function, (*axes, None)), (*axes, env.params_axes(params)))
    return lambda *values: mapped(*values, params)
