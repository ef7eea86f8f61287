"""The tier `ppo`: whole updates of agents/ppo.py, rollout and learning, one learner per device."""

import dataclasses
import functools
import importlib
import importlib.resources
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from kagejax.config import registry
from kagejax.learning import settings

from . import _programs

SETTINGS = {"ppo": "agents/ppo_kage_quick.yaml", "ppo_full": "agents/ppo_kage.yaml"}
"""Tiers of training, and the settings that they train with."""
BATCHES = {"ppo": (2**12, 2**19), "ppo_full": (2**9, 2**15)}
"""Environment steps per update and learner at most, on a CPU and on anything else; rollouts are shortened to fit. The work per
step stays the same but for one forward pass per rollout."""

SHOWN = ("frame_size", "network", "num_envs", "rollout_steps", "minibatches", "epochs")
"""Settings that a row tells, since they differ from row to row."""


class Learner(NamedTuple):
    """An update ready to run."""

    call: Callable  # (updates, state) -> state
    executable: Any
    seconds: float  # tracing, lowering and compiling
    state: Any  # [learners, ...]
    batch: int  # environment steps per update, of all learners together
    learners: int
    settings: dict  # those of SHOWN


def compile_update(stage: _programs.Stage, tier: str) -> Learner:
    """Compiles the update for the environments of `stage`. Raises ValueError for frames that the network cannot take."""
    ppo = agent("ppo")
    envs = stage.envs // stage.devices
    config = configure(ppo, tier, envs, stage.env)
    keys = jax.device_put(jax.random.split(stage.key, stage.devices), NamedSharding(stage.mesh, P(_programs.AXIS)))

    def begin(params, keys):
        return _lift(ppo.start(config, stage.env, params, keys[0]))

    def learn(params, updates, state):
        alone = jax.tree.map(lambda x: x[0], state)
        return _lift(jax.lax.fori_loop(0, updates, lambda _, now: ppo.update(config, stage.env, params, now)[0], alone))

    spread = functools.partial(jax.shard_map, mesh=stage.mesh, check_vma=False, out_specs=P(_programs.AXIS))
    hasty = _programs.options(hasty=True)
    starter = jax.jit(spread(begin, in_specs=(P(), P(_programs.AXIS)))).lower(stage.params, keys)
    state = starter.compile(compiler_options=hasty)(stage.params, keys)
    everywhere = NamedSharding(stage.mesh, P())
    count = jax.device_put(jnp.int32(1), everywhere)
    began = time.perf_counter()
    program = jax.jit(spread(learn, in_specs=(P(), P(), P(_programs.AXIS))), donate_argnums=2)
    executable = program.lower(stage.params, count, state).compile(compiler_options=_programs.options())

    def call(updates: int, state: Any) -> Any:
        count = jax.device_put(jnp.int32(updates), everywhere)
        return jax.block_until_ready(executable(stage.params, count, state))

    seconds = time.perf_counter() - began
    batch = config.batch_size * stage.devices
    shown = {
        name: getattr(config, name) for name in ("frame_size", "network", "num_envs", "rollout_steps", "minibatches", "epochs")
    }
    return Learner(call, executable, seconds, state, batch, stage.devices, shown)


def configure(ppo: Any, tier: str, envs: int, env: Any) -> Any:
    """The settings of `tier` for a learner of `envs` environments."""
    with importlib.resources.as_file(registry.packaged().joinpath(SETTINGS[tier])) as path:
        config = settings.load(ppo.Config, path)
    most = BATCHES[tier][jax.default_backend() != "cpu"]
    rollout = max(1, min(config.rollout_steps, most // envs))
    minibatches = next(count for count in range(config.minibatches, 0, -1) if envs * rollout % count == 0)
    size = config.frame_size if tier == "ppo" else env.observation_space.shape[0]
    changes = {"num_envs": envs, "rollout_steps": rollout, "minibatches": minibatches, "frame_size": size}
    return dataclasses.replace(config, **changes)


def agent(name: str) -> Any:
    """The module of an agent: beside these benchmarks, in a checkout as in an installed kagejax."""
    return importlib.import_module(f"{(__package__ or '').removesuffix('benchmarks')}agents.{name}")


def _lift(tree: Any) -> Any:
    return jax.tree.map(lambda x: x[None], tree)
