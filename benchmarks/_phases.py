"""The programs that training.py times: whole iterations, and the parts of one. Each is a loop over a carry that it reuses."""

import dataclasses
import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from . import _machine, _naive_scene, _programs, _proof, naive

STORAGES = {"ours": "frames", "latents": "latents"}
"""What the rollouts of agents/ppo.py keep, by the name of the program."""


class Program(NamedTuple):
    """One compiled loop and where it stands."""

    call: Callable  # (times, carry) -> carry
    carry: Any
    steps: int  # environment steps, or frames, per time
    bytes: int  # memory that it needs, by the compiler's account


class Block(NamedTuple):
    """One timed call."""

    micros: float  # wall time per environment step
    cores: float  # process CPU time / wall time


class Trial(NamedTuple):
    """What is measured."""

    ppo: Any  # the module agents.ppo
    config: Any  # its settings
    env: Any
    params: Any
    threads: str  # "all" or "one"
    baseline: str  # "unrolled", "scanned" or "none"

    @property
    def task(self) -> naive.Task:
        """The same for the baseline. Raises ValueError for a configuration that it cannot draw."""
        scene = _naive_scene.naive_scene(self.env, self.params)
        return naive.Task(self.config, self.env, scene, self.baseline == "unrolled")

    def storing(self, storage: str) -> Any:
        """The settings, with what rollouts keep."""
        return dataclasses.replace(self.config, rollout_storage=storage)


def learners(trial: Trial) -> dict[str, Callable[[], Program]]:
    """Whole iterations, compiled when called: agents/ppo.py with stored frames, with stored states, and the baseline."""

    def agent(storage: str) -> Program:
        config, ppo = trial.storing(storage), trial.ppo
        begin = functools.partial(ppo.start, config, trial.env)
        return _compile(trial, lambda params, state: ppo.update(config, trial.env, params, state)[0], begin)

    def hand_written() -> Program:
        # Called anew for each update, as such trainers do: inside of a loop its convolutions would be slow again.
        update, begin = functools.partial(naive.update, trial.task), functools.partial(naive.start, trial.task)
        return _compile(trial, update, begin, looped=False)

    found = {name: functools.partial(agent, storage) for name, storage in STORAGES.items()}
    return found | ({"naive": hand_written} if trial.baseline != "none" else {})


def parts(trial: Trial) -> dict[str, Callable[[], Program]]:
    """Parts of an iteration: the rollout alone, which leaves its batch in memory, and the pictures of the same states alone,
    written into a buffer of the same shape. Raises FramesNotDrawn where those are not the pictures that the rollout keeps."""
    ppo, env, params, key = trial.ppo, trial.env, trial.params, jax.random.key(0)
    roll = {storage: functools.partial(ppo.rollout, trial.storing(storage), env) for storage in STORAGES.values()}

    def play(params: Any, carry: tuple) -> tuple:
        return roll["frames"](params, carry[0])[:2]

    def begin(params: Any, key: jax.Array) -> tuple:
        state = ppo.start(trial.config, env, params, key)
        batch = jax.eval_shape(roll["frames"], params, state)[1]
        return state, jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), batch)

    def pictures(draw: Callable) -> Program:
        state = jax.jit(ppo.start, static_argnums=(0, 1))(trial.config, env, params, key)
        frames, states = (jax.jit(roll[storage])(params, state)[1].seen for storage in ("frames", "latents"))
        carry = (states, jnp.zeros_like(frames))
        # Called anew each time: in a loop around it the compiler could draw the same pictures just once.
        program = _compile(trial, functools.partial(draw_all, draw), lambda params, key: carry, looped=False)
        carry = program.call(1, program.carry)
        if not (carry[1] == frames).all():
            raise _proof.FramesNotDrawn("The program that times the pictures leaves others than a rollout keeps.")
        return program._replace(carry=carry)

    found = {"rollout": lambda: _compile(trial, play, begin)}
    found["rendering"] = lambda: pictures(functools.partial(ppo.drawn, trial.config, env))
    if trial.baseline != "none":
        found["naive_rendering"] = lambda: pictures(functools.partial(naive.draw, trial.task))
    return found


def draw_all(draw: Callable, params: Any, carry: tuple) -> tuple:
    """The pictures of states [time, envs], those of one time at once as in a rollout, over what is in the buffer."""
    states, frames = carry

    def one(t, frames):
        now = jax.tree.map(lambda x: jax.lax.dynamic_index_in_dim(x, t, keepdims=False), states)
        return jax.lax.dynamic_update_index_in_dim(frames, draw(params, now), t, 0)

    return states, jax.lax.fori_loop(0, frames.shape[0], one, frames)


def _compile(trial: Trial, step: Callable, begin: Callable, looped: bool = True) -> Program:
    """`step(params, carry) -> carry`, begun by `begin(params, key)`, in a loop of the program or (not `looped`) around it.

    Params are an argument, so that nothing of them is folded into the program.
    """

    def loop(params, carry, times):
        return jax.lax.fori_loop(0, times, lambda _, carry: step(params, carry), carry)

    starter = jax.jit(begin).lower(trial.params, jax.random.key(0)).compile(compiler_options=_programs.options(hasty=True))
    carry = starter(trial.params, jax.random.key(0))
    options = _programs.options() if trial.threads == "one" else {}
    counts = (jnp.int32(1),) if looped else ()
    lowered = jax.jit(loop if looped else step, donate_argnums=1).lower(trial.params, carry, *counts)
    executable = lowered.compile(compiler_options=options)

    def call(times: int, carry: Any) -> Any:
        if looped:
            return jax.block_until_ready(executable(trial.params, carry, jnp.int32(times)))
        for _ in range(times):
            carry = jax.block_until_ready(executable(trial.params, carry))
        return carry

    return Program(call, carry, trial.config.batch_size, _machine.program_bytes(executable, 1))


def take_turns(programs: dict[str, Program], blocks: int, seconds: float, say: Callable) -> dict[str, list[Block]]:
    """Timed blocks of about `seconds` of each program, one of each per turn, so that a busy machine slows all alike."""
    carries = {name: program.carry for name, program in programs.items()}
    found, times = {name: [] for name in programs}, {}
    for name, program in programs.items():
        carries[name], times[name] = _warm_up(program, seconds)
    for _ in range(blocks):
        for name, program in programs.items():
            wall, cpu = time.perf_counter(), time.process_time()
            carries[name] = program.call(times[name], carries[name])
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            found[name].append(Block(1e6 * wall / (times[name] * program.steps), cpu / wall))
        say("  ".join(f"{name} {1e6 / found[name][-1].micros:,.0f}/s" for name in programs))
    return found


def _warm_up(program: Program, seconds: float) -> tuple[Any, int]:
    """The carry after a few calls, and how many times fill `seconds`; at least once."""
    times, carry = 1, program.carry
    while True:
        began = time.perf_counter()
        carry = program.call(times, carry)
        took = time.perf_counter() - began
        if took > seconds / 4:
            return carry, max(1, round(times * seconds / took))
        times = max(times + 1, min(64 * times, round(times * seconds / took)))
