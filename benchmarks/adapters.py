"""What the Gymnasium vector environment costs on top of the bare compiled step, in one run.

    python benchmarks/adapters.py --config kage/simplest --envs 1024

Both sides play the same actions on batches that step alternately, in rounds; the median of each is compared. `numpy` ends with
frames, rewards and flags as NumPy arrays; `device` with everything computed but left where it is. Printed is the time of the
adapter's step over that of the bare `VectorEnvironment.step`, less one.
"""

import dataclasses
import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import tyro

import kagejax
from kagejax.adapters.batches import fetched
from kagejax.adapters.vector import KagejaxVectorEnv
from kagejax.core import VectorEnvironment

WARM = 3


@dataclasses.dataclass(frozen=True)
class Options:
    """What to measure."""

    config: str = "kage/simplest"
    """An id or a YAML file."""
    envs: int = 1024
    """Environments of the batch."""
    rounds: int = 40
    """Rounds; each steps both sides once, in turn first and second."""
    mode: str = "same_step"
    """Auto-reset: same_step, next_step or disabled."""


def bare(options: Options, host: bool) -> Callable[[np.ndarray], Any]:
    """Steps of the compiled core, its state donated as an agent would."""
    env, params = kagejax.make(options.config)
    batch = VectorEnvironment(env, options.envs, options.mode)
    key = jax.random.key(0)
    _, state = jax.jit(batch.reset)(key, params)
    step = jax.jit(
        lambda key, t, state, action: batch.step(jax.random.fold_in(key, t), state, action, params), donate_argnums=2
    )
    t = 0

    def once(actions: np.ndarray) -> Any:
        nonlocal state, t
        t += 1
        observation, state, *rest = step(key, np.uint32(t), state, actions)
        if host:
            return fetched((observation, *rest[:3], {k: v for k, v in rest[3].items() if k != "final_state"}))
        return jax.block_until_ready((observation, state, *rest))

    return once


def adapted(options: Options, host: bool) -> Callable[[np.ndarray], Any]:
    """Steps of the vector environment."""
    mode = {"same_step": "SameStep", "next_step": "NextStep", "disabled": "Disabled"}[options.mode]
    room = options.config.partition("/")[0]
    env = KagejaxVectorEnv(room, options.config, num_envs=options.envs, autoreset_mode=mode, device_observations=not host)
    env.reset(seed=0)
    return env.step if host else lambda actions: jax.block_until_ready(env.step(actions))


def compare(options: Options, host: bool) -> tuple[float, float]:
    """Median seconds of a bare and of an adapted step."""
    sides = bare(options, host), adapted(options, host)
    space = kagejax.make(options.config)[0].action_space
    sample = jax.jit(jax.vmap(space.sample))
    draw = [np.asarray(sample(jax.random.split(jax.random.key(t), options.envs))) for t in range(8)]
    times: tuple[list[float], list[float]] = ([], [])
    for t in range(WARM + options.rounds):
        for side in (0, 1) if t % 2 else (1, 0):
            start = time.perf_counter()
            kept = sides[side](draw[t % 8])
            if t >= WARM:
                times[side].append(time.perf_counter() - start)
            del kept
    return statistics.median(times[0]), statistics.median(times[1])


def main(options: Options) -> None:
    """Prints a row for NumPy and one for device arrays."""
    device = jax.devices()[0]
    print(f"{options.config}, {options.envs} environments, {options.mode}, {options.rounds} rounds, {device.device_kind}")
    print(f"{'results':<10}{'bare':>12}{'adapter':>12}{'overhead':>10}")
    for name, host in (("numpy", True), ("device", False)):
        plain, ours = compare(options, host)
        print(f"{name:<10}{1e3 * plain:>9.2f} ms{1e3 * ours:>9.2f} ms{100 * (ours / plain - 1):>9.1f}%")


if __name__ == "__main__":
    main(tyro.cli(Options, description=__doc__))
