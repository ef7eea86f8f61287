"""`check_env`: the conformance test that every registered environment passes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .environment import Environment
from .vector import VectorEnvironment


def check_env(env: Environment, params: Any, key: jax.Array | None = None, steps: int = 8) -> None:
    """Raises AssertionError, saying what is wrong, unless `env` keeps the contract.

    Checks: hashable instance; observations and actions in their spaces, dtypes exact; one pytree structure, shape and dtype
    for the state of reset and step; reward f32 and flags bool; same key, same trajectory; jit and vmap change nothing, bit for
    bit; environment i of a batch does not depend on the batch size; `observe` is pure; params are a pytree of arrays.
    """
    key = jax.random.key(0) if key is None else key
    hash(env)
    _require(all(hasattr(x, "dtype") for x in jax.tree.leaves(params)), "every leaf of params must be an array")

    reset, step = jax.jit(env.reset), jax.jit(env.step)
    observation, state = reset(key, params)
    _require(_contains(env.observation_space, observation), "reset's observation is outside observation_space (shape, dtype?)")
    first_state = state
    actions = [env.action_space.sample(k) for k in jax.random.split(key, steps)]
    trail = [(observation, state)]
    for t, action in enumerate(actions):
        _require(env.action_space.contains(action), f"action_space.sample gave {action}, which it does not contain")
        observation, state, reward, terminated, truncated, info = step(jax.random.fold_in(key, t), state, action, params)
        _require(_contains(env.observation_space, observation), f"observation of step {t} is outside observation_space")
        _require(_spec(state) == _spec(first_state), "state of step and of reset differ in structure, shape or dtype")
        _require(_spec(info["final_state"]) == _spec(first_state), "info['final_state'] is not a state")
        _require(reward.dtype == jnp.float32 and reward.shape == (), "reward must be a f32 scalar")
        for name, flag in (("terminated", terminated), ("truncated", truncated)):
            _require(flag.dtype == jnp.bool_ and flag.shape == (), f"{name} must be a bool scalar")
        trail.append((observation, state))

    again = reset(key, params)
    _require(_equal(again, trail[0]), "the same key gave another first observation or state")
    _require(_equal(jax.jit(env.observe)(first_state, params), trail[0][0]), "observe(state) differs from reset's picture")
    with jax.disable_jit():
        plain = env.advance(key, first_state, actions[0], params)[:4]
    _require(_close(plain, jax.jit(env.advance)(key, first_state, actions[0], params)[:4]), "jit changes the dynamics")
    _check_batch(env, params, key, actions)


def _check_batch(env: Environment, params: Any, key: jax.Array, actions: list) -> None:
    def rollout(num_envs: int) -> Any:
        batch = VectorEnvironment(env, num_envs)
        reset, step = jax.jit(batch.reset), jax.jit(batch.step)
        observation, state = reset(key, params)
        frames = [observation]
        for t, action in enumerate(actions):
            stacked = jnp.broadcast_to(jnp.asarray(action), (num_envs, *jnp.shape(action)))
            observation, state, reward, *_ = step(jax.random.fold_in(key, t), state, stacked, params)
            frames.append((observation, reward))
        return frames, state.env

    small, large = rollout(2), rollout(3)
    _require(_equal(small, jax.tree.map(lambda x: x[:2], large)), "environment i depends on the batch size")
    single = jax.jit(env.reset)(jax.random.fold_in(key, 1), params)
    _require(_equal(single[0], jax.tree.map(lambda x: x[1], small[0][0])), "vmap changes the first observation")


def _require(condition: bool, complaint: str) -> None:
    if not condition:
        raise AssertionError(f"check_env: {complaint}")


def _contains(space: Any, value: Any) -> bool:
    return space.contains(jax.tree.map(np.asarray, value))


def _spec(tree: Any) -> Any:
    return jax.tree.structure(tree), [(x.shape, x.dtype) for x in jax.tree.leaves(tree)]


def _pairs(a: Any, b: Any) -> Any:
    def data(x):
        return np.asarray(jax.random.key_data(x) if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x)

    return [(data(x), data(y)) for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)]


def _equal(a: Any, b: Any) -> bool:
    return all(np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in _pairs(a, b))


def _close(a: Any, b: Any) -> bool:
    return all(np.allclose(x, y, rtol=1e-6, atol=1e-6) for x, y in _pairs(a, b))
