"""The contract between environments and everything that uses them.

An environment writes `init`, `transition`, `observe` and its two spaces; `Environment` adds `reset` and `step` with the call
signature of gymnax 1.0, so that trainers written for it run unmodified.
"""

import dataclasses
import functools
from typing import Any, Generic, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

from .batching import batch_aware, batch_size
from .spaces import Space

State = TypeVar("State")
Params = TypeVar("Params")

RESET_STREAM = 0x52455345
"""Folded into a step's key for the reset it may need; far from the small numbers that `split` and users fold in."""
RESET_CHUNK = 8
RESET_TURNS = {"cpu": 128}
"""A batch starts new episodes in turns of RESET_CHUNK environments or more: as many as are needed, and at most this many (16 on
an accelerator, where a turn costs more than what it does)."""


class Transition(NamedTuple):
    """What one step of the dynamics gives, before any time limit or reset."""

    state: Any
    reward: jax.Array  # f32
    terminated: jax.Array  # bool, the episode ended by the rules of the game
    metrics: dict[str, jax.Array]  # what the benchmark reports; the same keys at every step


@dataclasses.dataclass(frozen=True)
class Environment(Generic[State, Params]):
    """A family of environments that one compiled program serves.

    The instance holds static facts alone (shapes, maximum counts, which render passes exist) and is hashable, so it can be a
    static argument of `jax.jit`. Every number of a configuration is in `params`, a pytree of arrays.
    """

    def init(self, key: jax.Array, params: Params) -> State:
        """First state of an episode; all its randomness comes from `key`."""
        raise NotImplementedError

    def transition(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> Transition:
        """Dynamics alone: draws no pixel and reads no render parameter."""
        raise NotImplementedError

    def observe(self, state: State, params: Params) -> Any:
        """What the agent sees of `state`: the same picture, bit for bit, for the same state and params."""
        raise NotImplementedError

    def latent(self, state: State) -> Any:
        """What the rules read of `state`, without what only decorates; `kagejax.verify_pair` compares it. Any pytree."""
        return ()

    def truncated(self, state: State, params: Params) -> jax.Array:
        """Whether a time limit cuts the episode at `state` (bool). Without a limit: never."""
        return jnp.bool_(False)

    def action_mask(self, state: State, params: Params) -> jax.Array:
        """Which actions are of any use in `state`, bool [actions]; for environments that say so (`has_action_mask`)."""
        raise NotImplementedError

    @property
    def has_action_mask(self) -> bool:
        """Whether this environment has an `action_mask`."""
        return type(self).action_mask is not Environment.action_mask

    @property
    def action_space(self) -> Space:
        """The actions that `transition` accepts."""
        raise NotImplementedError

    @property
    def observation_space(self) -> Space:
        """Shape, dtype and bounds of what `observe` gives."""
        raise NotImplementedError

    def params_axes(self, params: Params) -> Any:
        """`in_axes` for a `jax.vmap` over stacked params (see `kagejax.make_batch`); None marks what a batch shares."""
        return jax.tree.map(lambda _: 0, params)

    def reset(self, key: jax.Array, params: Params) -> tuple[Any, State]:
        """Starts an episode: `(observation, state)`."""
        state = self.init(key, params)
        return self.observe(state, params), state

    def step(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> tuple:
        """One step, with a new episode started at once where one ended.

        Gives `(observation, state, reward, terminated, truncated, info)`. Reward, flags and `info` speak of the finished step;
        observation and state are those of the new episode where one began. `info` holds the metrics and `final_state`, the
        state before any reset: `observe(final_state)` is the final observation, at no cost to those who do not ask.
        Under `vmap`, reset work is done on steps where some episode of the batch ends, and about as much as episodes end.
        """
        after, reward, terminated, truncated, info = self.advance(key, state, action, params)
        state = self.reset_where(terminated | truncated, key, after, params)
        return self.observe(state, params), state, reward, terminated, truncated, info

    def step_env(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> tuple:
        """As `step`, without the reset: past its end an episode goes on."""
        after, reward, terminated, truncated, info = self.advance(key, state, action, params)
        return self.observe(after, params), after, reward, terminated, truncated, info

    def advance(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> tuple:
        """Transition and time limit, no picture and no reset: `(state, reward, terminated, truncated, info)`."""
        after, reward, terminated, metrics = self.transition(key, state, action, params)
        return after, reward, terminated, self.truncated(after, params), {**metrics, "final_state": after}

    def reset_where(self, done: jax.Array, key: jax.Array, state: State, params: Params) -> State:
        """A new episode where `done`, else `state`. Under `vmap`, a batch pays for those that are done alone."""
        return _reset_where(self)(done, key, state, params)


@functools.lru_cache(maxsize=256)
def _reset_where(env: Environment) -> Any:
    def batched(axes, done, key, state, params):
        done_axis, key_axis, state_axes, params_axes = axes
        size = batch_size(axes, (done, key, state, params))
        done = jnp.broadcast_to(done, (size,))
        state = jax.tree.map(lambda x, a: x if a == 0 else jnp.broadcast_to(x, (size, *x.shape)), state, state_axes)
        chunk = min(size, max(RESET_CHUNK, -(-size // RESET_TURNS.get(jax.default_backend(), 16))))
        turns = -(-size // chunk)

        def fresh_episodes(state):
            ended = jnp.nonzero(done, size=turns * chunk, fill_value=size)[0]

            def turn(i, state):
                places = jax.lax.dynamic_slice(ended, (i * chunk,), (chunk,))
                keys, own = _rows((key, params), (key_axis, params_axes), places)
                streams = jax.vmap(jax.random.fold_in, (key_axis, None), axis_size=chunk)(keys, RESET_STREAM)
                fresh = jax.vmap(env.init, (0, params_axes), axis_size=chunk)(streams, own)
                return jax.tree.map(lambda old, new: old.at[places].set(new, mode="drop"), state, fresh)

            return jax.lax.fori_loop(0, -(-done.sum(dtype=jnp.int32) // chunk), turn, state)

        return jax.lax.cond(done.any(), fresh_episodes, lambda state: state, state)

    return batch_aware(batched, shared_argnums=(3,))


def _rows(tree: Any, axes: Any, places: jax.Array) -> Any:
    """The rows `places` of each leaf that has a batch axis; past the end, the last one."""
    return jax.tree.map(lambda x, a: x.at[places].get(mode="clip") if a == 0 else x, tree, axes)
