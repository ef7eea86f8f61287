"""The programs that are timed: one compiled loop per tier, over a batch of environments spread over all devices.

Params are arguments, not constants of the program: constants would be folded into it. Every step's frames are written whole
into a buffer of the loop's carry that is reused (a fresh buffer costs ten times its filling in page faults), and a few pixels
of each are read. Environment i draws from `fold_in(key, i)` on whichever device it lies.
"""

import dataclasses
import functools
import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from kagejax.core import Environment
from kagejax.core.pixel_rng import mix

AXIS = "envs"
ACTIONS = 4096
"""Actions drawn ahead; which one environment i takes at step t is a hash of both."""
AGES = 512
"""Environments begin at ages spread over 0 .. AGES - 1 steps, so that episodes do not all end together."""
STEPS = 0x53544550
"""Folded into the key for steps, so that they draw from other keys than first states do."""
GLANCE = 64
"""Bytes of each frame that are read back."""
ONE_THREAD = {"xla_cpu_multi_thread_eigen": False}
"""On a CPU each device is one core; kernels split further would wait for each other."""


class Carry(NamedTuple):
    """What goes round the loop."""

    t: jax.Array  # u32 []
    state: Any  # [envs, ...]
    frames: Any  # u8 [envs, H, W, channels] as `observe` gives it; None where nothing is drawn
    reward: jax.Array  # f32 [envs], sum
    finished: jax.Array  # i32 [envs], episodes ended
    glance: jax.Array  # u32 [envs], sum of a few pixels of each frame


@dataclasses.dataclass(frozen=True)
class Stage:
    """A batch of environments, laid out over devices."""

    env: Environment
    params: Any
    envs: int
    mesh: Mesh
    key: jax.Array
    actions: Any  # [ACTIONS, ...]
    ids: jax.Array  # u32 [envs]

    @property
    def devices(self) -> int:
        """How many devices share the batch."""
        return self.mesh.size

    @property
    def frame(self) -> Any:
        """Shape and dtype of one observation, as `jax.ShapeDtypeStruct`s."""
        state = jax.eval_shape(self.env.init, self.key, self.params)
        return jax.eval_shape(self.env.observe, state, self.params)

    @property
    def state_bytes(self) -> int:
        """Bytes of one environment's state."""
        return nbytes(jax.eval_shape(self.env.init, self.key, self.params))


def nbytes(tree: Any) -> int:
    """Bytes of a pytree of arrays or shapes."""
    return sum(math.prod(leaf.shape) * np.dtype(leaf.dtype).itemsize for leaf in jax.tree.leaves(tree))


def stage(env: Environment, params: Any, envs: int, devices: list) -> Stage:
    """`envs` environments over as many of `devices` as divide them evenly."""
    count = next(count for count in range(min(len(devices), envs), 0, -1) if envs % count == 0)
    mesh = Mesh(np.array(devices[:count]), (AXIS,))
    everywhere, spread = NamedSharding(mesh, P()), NamedSharding(mesh, P(AXIS))
    key = jax.random.key(0)
    actions = jax.vmap(env.action_space.sample)(jax.random.split(jax.random.fold_in(key, 1), ACTIONS))
    params, key, actions = jax.device_put((params, key, actions), everywhere)
    return Stage(env, params, envs, mesh, key, actions, jax.device_put(jnp.arange(envs, dtype=jnp.uint32), spread))


def start(stage: Stage) -> Any:
    """States [envs, ...] of episodes under way, at ages spread over AGES steps."""

    def begin(params, key, actions, ids):
        state = jax.vmap(stage.env.init, (0, None))(_keys(key, ids), params)
        age = mix(ids + jnp.uint32(0x51ED)) % AGES

        def grow(t, state):
            after, *_ = _advance(stage.env, params, key, actions, ids, t.astype(jnp.uint32), state)
            young = t < age.astype(jnp.int32)
            return jax.tree.map(lambda new, old: jnp.where(young.reshape(-1, *(1,) * (new.ndim - 1)), new, old), after, state)

        return jax.lax.fori_loop(0, AGES, grow, state)

    program = _spread(stage, begin, (P(), P(), P(), P(AXIS)), P(AXIS), ())
    arguments = (stage.params, stage.key, stage.actions, stage.ids)
    return program.lower(*arguments).compile(compiler_options=options(hasty=True))(*arguments)


def first(stage: Stage, state: Any, drawn: bool) -> Carry:
    """The carry before the first step; `state` is copied, since programs consume what they are given."""
    return Carry(
        t=jax.device_put(jnp.uint32(AGES), NamedSharding(stage.mesh, P())),
        state=jax.tree.map(jnp.copy, state),
        frames=blank(stage, 0) if drawn else None,
        reward=_zeros(stage, (), jnp.float32),
        finished=_zeros(stage, (), jnp.int32),
        glance=_zeros(stage, (), jnp.uint32),
    )


def blank(stage: Stage, value: int) -> Any:
    """A buffer for the frames of the whole batch, filled with `value`."""
    return jax.tree.map(lambda leaf: _zeros(stage, leaf.shape, leaf.dtype, value), stage.frame)


def dynamics(stage: Stage) -> Callable:
    """The loop without pictures and without resets; as all of these `(params, key, actions, ids, steps, carry) -> carry`."""
    return _loop(stage, functools.partial(_play, stage.env, False, False))


def frames(stage: Stage) -> Callable:
    """Dynamics and pictures, without resets."""
    return _loop(stage, functools.partial(_play, stage.env, True, False))


def frames_reset(stage: Stage) -> Callable:
    """Dynamics, pictures and resets: `env.step` as a trainer calls it."""
    return _loop(stage, functools.partial(_play, stage.env, True, True))


def fill(stage: Stage) -> Callable:
    """The same loop, which writes the same buffer and does nothing else: the yardstick."""

    def write(params, key, actions, ids, carry):
        value = mix(carry.t)
        written = jax.tree.map(lambda old: jnp.full(old.shape, value.astype(old.dtype), old.dtype), carry.frames)
        return carry._replace(t=carry.t + 1, frames=written, glance=carry.glance + _glance(written, carry.t))

    return _loop(stage, write)


PROGRAMS = {"dynamics": dynamics, "frames": frames, "frames_reset": frames_reset}
"""Tiers of the environment alone."""


class Compiled(NamedTuple):
    """A program ready to run."""

    call: Callable  # (steps, carry) -> carry
    executable: Any  # jax.stages.Compiled
    seconds: float  # tracing, lowering and compiling


def compile_loop(stage: Stage, program: Callable, carry: Carry) -> Compiled:
    """Compiles a loop for carries like `carry`."""
    began = time.perf_counter()
    fixed = (stage.params, stage.key, stage.actions, stage.ids)
    everywhere = NamedSharding(stage.mesh, P())
    executable = program.lower(*fixed, jax.device_put(jnp.int32(1), everywhere), carry).compile(compiler_options=options())

    def call(steps: int, carry: Carry) -> Carry:
        return jax.block_until_ready(executable(*fixed, jax.device_put(jnp.int32(steps), everywhere), carry))

    return Compiled(call, executable, time.perf_counter() - began)


def options(hasty: bool = False) -> dict[str, Any]:
    """Compiler options for this backend; `hasty` for what runs once, where compiling well takes longer than running."""
    if jax.default_backend() != "cpu":
        return {}
    return {**ONE_THREAD, "xla_backend_optimization_level": 1} if hasty else ONE_THREAD


def _loop(stage: Stage, step: Callable) -> Callable:
    def run(params, key, actions, ids, steps, carry):
        return jax.lax.fori_loop(0, steps, lambda _, carry: step(params, key, actions, ids, carry), carry)

    layout = Carry(t=P(), **dict.fromkeys(Carry._fields[1:], P(AXIS)))
    return _spread(stage, run, (P(), P(), P(), P(AXIS), P(), layout), layout, (5,))


def _spread(stage: Stage, function: Callable, inputs: Any, outputs: Any, donated: tuple[int, ...]) -> Any:
    shared = jax.shard_map(function, mesh=stage.mesh, in_specs=inputs, out_specs=outputs, check_vma=False)
    return jax.jit(shared, donate_argnums=donated)


def _play(env: Environment, draws: bool, resets: bool, params: Any, key: Any, actions: Any, ids: Any, carry: Carry) -> Carry:
    t = carry.t
    state, keys, reward, done = _advance(env, params, key, actions, ids, t, carry.state)
    if resets:
        state = jax.vmap(env.reset_where, (0, 0, 0, None))(done, keys, state, params)
        carry = carry._replace(finished=carry.finished + done)
    carry = carry._replace(t=t + 1, state=state, reward=carry.reward + reward)
    if not draws:
        return carry
    drawn = jax.vmap(env.observe, (0, None))(state, params)
    return carry._replace(frames=drawn, glance=carry.glance + _glance(drawn, t))


def _advance(env: Environment, params: Any, key: Any, actions: Any, ids: jax.Array, t: jax.Array, state: Any) -> tuple:
    keys = _keys(jax.random.fold_in(jax.random.fold_in(key, STEPS), t), ids)
    choice = mix(ids ^ mix(t)) % ACTIONS
    action = jax.tree.map(lambda table: table[choice], actions)
    if env.has_action_mask:
        action = _legal(jax.vmap(env.action_mask, (0, None))(state, params), choice)
    state, reward, terminated, truncated, _ = jax.vmap(env.advance, (0, 0, 0, None))(keys, state, action, params)
    return state, keys, reward, terminated | truncated


def _legal(mask: jax.Array, choice: jax.Array) -> jax.Array:
    """One of the actions that the mask (bool [envs, actions]) allows, each as likely; the first where it allows none."""
    allowed = jnp.maximum(mask.sum(1, dtype=jnp.uint32), 1)
    rank = jnp.cumsum(mask, axis=1, dtype=jnp.uint32)
    return jnp.argmax(mask & (rank == (choice % allowed + 1)[:, None]), axis=1).astype(jnp.int32)


def _keys(key: jax.Array, ids: jax.Array) -> jax.Array:
    return jax.vmap(jax.random.fold_in, (None, 0))(key, ids)


def _glance(drawn: Any, t: jax.Array) -> jax.Array:
    """Sum of a few values along a row of each frame, u32 [envs]; the row changes with t."""
    total = jnp.uint32(0)
    for leaf in jax.tree.leaves(drawn):
        whole = leaf.reshape(leaf.shape[0], -1) if leaf.ndim < 3 else leaf.reshape(*leaf.shape[:2], -1)
        size = (leaf.shape[0], *(1,) * (whole.ndim - 2), min(GLANCE, whole.shape[-1]))
        place = ((t % whole.shape[1]).astype(jnp.int32),) if whole.ndim == 3 else ()
        seen = jax.lax.dynamic_slice(whole, (jnp.int32(0), *place, jnp.int32(0)), size)
        total = total + seen.reshape(leaf.shape[0], -1).astype(jnp.uint32).sum(1, dtype=jnp.uint32)
    return total


def _zeros(stage: Stage, shape: tuple[int, ...], dtype: Any, value: int = 0) -> jax.Array:
    make = jax.jit(lambda: jnp.full((stage.envs, *shape), value, dtype), out_shardings=NamedSharding(stage.mesh, P(AXIS)))
    return make()
