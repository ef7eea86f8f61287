"""Proof by running that a pair of configurations shifts the observation and nothing else."""

import dataclasses
import os
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.core import Environment

from .episodes import actors
from .rollouts import in_haste

FRAME_EVERY = 16
"""Steps between frames that are compared."""


@dataclasses.dataclass(frozen=True)
class PairReport:
    """What `verify_pair` found. True as a condition exactly if the pair shifts only the observation."""

    train: str
    evaluation: str
    episodes: int
    steps: int
    params_differ: tuple[str, ...]
    """Control parameters that differ."""
    latents_differ: tuple[str, ...]
    """Parts of the latent trajectory (rewards, flags, metrics, what the rules read of the state) that differ anywhere."""
    first_step: int | None
    """First step at which a latent differs; None if none does."""
    frames_differ: float
    """Fraction of the compared frames that differ."""
    policy: str = "random"
    """Who played."""

    @property
    def only_observation(self) -> bool:
        """Whether the game is the same, bit for bit, and the picture is not."""
        return not self.params_differ and not self.latents_differ and self.frames_differ > 0

    def __bool__(self) -> bool:
        return self.only_observation

    def __str__(self) -> str:
        played = "random actions" if self.policy == "random" else f"the policy {self.policy!r}"
        title = f"{self.train} and {self.evaluation}, {self.episodes} environments for {self.steps} steps of {played}:"
        parts = []
        if self.params_differ:
            parts.append(f"control parameters differ: {', '.join(self.params_differ)}")
        if self.latents_differ:
            parts.append(f"latent trajectories differ from step {self.first_step} on: {', '.join(self.latents_differ)}")
        else:
            parts.append("latent trajectories are equal, bit for bit")
        parts.append(f"{self.frames_differ:.0%} of frames differ")
        verdict = "the pair shifts only the observation" if self else "the pair does NOT shift the observation alone"
        return "\n".join([title, *(f"  {part}" for part in parts), f"  => {verdict}"])


def verify_pair(
    train: Any, evaluation: Any, *, episodes: int = 8, steps: int = 640, seed: int = 0, policy: str = "random"
) -> PairReport:
    """Plays both configurations from the same keys with the same actions, and compares what must be equal.

    `train` and `evaluation` are what `kagejax.make` takes. Equal bit for bit must be: the control parameters
    (`params.control`), rewards, flags, metrics, and the part of the state that the rules read (`env.latent(state)`).
    Frames must differ somewhere. 640 steps go past the end of an episode, so resets are compared too. `policy` is a name of
    `episodes.actors`; random actions see less of a level than a policy that gets far. Raises ConfigError or AssetError for a
    configuration that cannot be made, TypeError for two environments that are not of one kind, KeyError for an unknown policy.
    """
    import kagejax

    sides = [kagejax.make(train), kagejax.make(evaluation)]
    names = (_name(train), _name(evaluation))
    return compare(*sides, names, episodes=episodes, steps=steps, seed=seed, policy=policy)


def _name(source: Any) -> str:
    return str(source) if isinstance(source, str | os.PathLike) else f"a {type(source).__name__}"


def compare(
    train: tuple[Environment, Any],
    evaluation: tuple[Environment, Any],
    names: tuple[str, str],
    episodes: int,
    steps: int,
    seed: int,
    policy: str = "random",
) -> PairReport:
    """`verify_pair` for two `(env, params)`."""
    kinds = [type(side[0]).__name__ for side in (train, evaluation)]
    if kinds[0] != kinds[1]:
        raise TypeError(
            f"{names[0]} is a {kinds[0]} and {names[1]} a {kinds[1]}; a pair is two configurations of one environment"
        )
    blocks = -(-steps // FRAME_EVERY)
    run = in_haste(trajectory, (0, 3, 4, 5))
    ours, theirs = (jax.device_get(run(*side, jax.random.key(seed), episodes, blocks, policy)) for side in (train, evaluation))
    apart = _where_apart(ours[0], theirs[0])
    frames = [np.asarray(side[1]).reshape(blocks * episodes, -1) for side in (ours, theirs)]
    same_size = frames[0].shape == frames[1].shape
    return PairReport(
        *names,
        episodes,
        blocks * FRAME_EVERY,
        params_differ=tuple(_where_apart(*(getattr(side[1], "control", ()) for side in (train, evaluation)))),
        latents_differ=tuple(apart),
        first_step=min(apart.values(), default=None),
        frames_differ=float((frames[0] != frames[1]).any(1).mean()) if same_size else 1.0,
        policy=policy,
    )


def trajectory(
    env: Environment, params: Any, key: jax.Array, episodes: int, blocks: int, policy: str = "random"
) -> tuple[dict, jax.Array]:
    """Latents [blocks * FRAME_EVERY, episodes] by name, and frames [blocks, episodes, ...], under a named policy."""
    actor = actors(env)[policy]
    init_key, key = jax.random.split(key)

    def keys(key):
        return jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(episodes, dtype=jnp.uint32))

    def step(state, t):
        action_key, step_key = jax.random.split(jax.random.fold_in(key, t))
        actions = jax.vmap(actor, (None, 0, 0, None, None))(None, keys(action_key), state, None, params)
        after, reward, terminated, truncated, info = jax.vmap(env.advance, (0, 0, 0, None))(
            keys(step_key), state, actions, params
        )
        metrics = {name: value for name, value in info.items() if name != "final_state"}
        flags = {"reward": reward, "terminated": terminated, "truncated": truncated}
        state = jax.vmap(env.reset_where, (0, 0, 0, None))(terminated | truncated, keys(step_key), after, params)
        return state, {**flags, "metrics": metrics, "state": env.latent(after)}

    def block(state, i):
        frame = jax.vmap(env.observe, (0, None))(state, params)
        state, latents = jax.lax.scan(step, state, i * FRAME_EVERY + jnp.arange(FRAME_EVERY, dtype=jnp.int32))
        return state, (latents, frame)

    state = jax.vmap(env.init, (0, None))(keys(init_key), params)
    _, (latents, frames) = jax.lax.scan(block, state, jnp.arange(blocks, dtype=jnp.int32))
    return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), latents), frames


def _where_apart(ours: Any, theirs: Any) -> dict[str, int]:
    """Names of the leaves that are not the same bits, each with the first index of its leading axis where they are not."""
    left, right = (jax.tree_util.tree_flatten_with_path(tree)[0] for tree in (ours, theirs))
    by_name = {jax.tree_util.keystr(path, simple=True, separator="."): leaf for path, leaf in right}
    apart = {}
    for path, leaf in left:
        name = jax.tree_util.keystr(path, simple=True, separator=".")
        first = _first_apart(np.asarray(leaf), np.asarray(by_name.pop(name, ())))
        if first is not None:
            apart[name] = first
    return apart | dict.fromkeys(by_name, 0)


def _first_apart(left: np.ndarray, right: np.ndarray) -> int | None:
    if left.shape != right.shape or left.dtype != right.dtype:
        return 0
    bits = [np.ascontiguousarray(x).view(np.uint8).reshape(len(x) if x.ndim else 1, -1) for x in (left, right)]
    rows = (bits[0] != bits[1]).any(1)
    return int(rows.argmax()) if rows.any() else None
