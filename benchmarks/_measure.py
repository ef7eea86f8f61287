"""Rows of the benchmark: compile, prove, warm up, time in blocks."""

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax

from . import _learner, _machine, _programs, _proof

LEAST_BLOCKS = 5


class Timing(NamedTuple):
    """How long a block is, and how many there are."""

    blocks: int = LEAST_BLOCKS
    seconds: float = 0.4


class Block(NamedTuple):
    """One timed call."""

    rate: float  # environment steps per second
    cpu: float  # microseconds of process CPU time per environment step


class LeftOut(RuntimeError):
    """A row that cannot be measured here; the message says why."""


def measure(
    name: str, env: Any, params: Any, envs: int, tiers: tuple[str, ...], devices: list, timing: Timing, say: Callable
) -> Iterator[dict]:
    """A row for each of `tiers`, with `envs` environments of the configuration called `name`.

    `say(tier)` is called before each. Raises LeftOut where the memory does not suffice, FramesNotDrawn where a program does not
    draw what it should.
    """
    stage = _programs.stage(env, params, envs, devices)
    own = [tier for tier in tiers if tier in _programs.PROGRAMS]
    if own:
        say("start")
        state = _programs.start(stage)
        yardstick = None
        for tier in own:
            say(tier)
            if tier != "dynamics" and yardstick is None:
                yardstick = _yardstick(stage, state)
            yield _row(name, stage, tier, _environment_tier(stage, state, tier, yardstick, timing))
    for tier in tiers:
        if tier in _learner.SETTINGS:
            say(tier)
            yield _row(name, stage, tier, _learner_tier(stage, tier, timing))


def _row(name: str, stage: Any, tier: str, found: dict) -> dict:
    devices = list(stage.mesh.devices.flat)
    row = {"config": name, "envs": stage.envs, "tier": tier, **found, "state_bytes": stage.state_bytes}
    return {**row, "frame_bytes": _programs.nbytes(stage.frame), **_machine.describe(devices)}


def _yardstick(stage: Any, state: Any) -> Any:
    return _programs.compile_loop(stage, _programs.fill(stage), _programs.first(stage, state, True))


def _environment_tier(stage: Any, state: Any, tier: str, yardstick: Any, timing: Timing) -> dict:
    draws = tier != "dynamics"
    devices = list(stage.mesh.devices.flat)
    peak = _machine.PeakMemory(devices)
    carry = _programs.first(stage, state, draws)
    program = _programs.compile_loop(stage, _programs.PROGRAMS[tier](stage), carry)
    needs = _machine.program_bytes(program.executable, stage.devices)
    if draws:
        _proof.require_drawing(program.executable.as_text(), stage.frame, stage.envs // stage.devices)
        _require_room(2 * needs, devices)
        carries = (_programs.first(stage, state, True)._replace(frames=_programs.blank(stage, value)) for value in (0, 255))
        _proof.require_whole(lambda before: program.call(1, before), carries)
    blocks, filled, last = alternate(stage.envs, carry, program.call, yardstick and yardstick.call, timing)
    found = _figures(blocks, program.seconds, peak.bytes(needs))
    if tier == "frames_reset":
        found["episodes_finished"] = int(last.finished.sum())
    if draws:
        rate = statistics.median(block.rate for block in filled)
        found |= {"fill_fraction": found["steps_per_s"] / rate, "fill_frames_per_s": rate}
        found["fill_cpu_us_per_frame"] = statistics.median(block.cpu for block in filled)
    return found


def _learner_tier(stage: Any, tier: str, timing: Timing) -> dict:
    devices = list(stage.mesh.devices.flat)
    peak = _machine.PeakMemory(devices)
    program = _learner.compile_update(stage, tier)
    needs = _machine.program_bytes(program.executable, stage.devices)
    _require_room(needs, devices)
    blocks, _, _ = alternate(program.batch, program.state, program.call, None, timing)
    return {**_figures(blocks, program.seconds, peak.bytes(needs)), "learners": program.learners, "settings": program.settings}


def _require_room(needs: int, devices: list) -> None:
    room = _machine.available_bytes(devices)
    if room is not None and needs > room:
        raise LeftOut(f"it needs {needs / 2**30:,.1f} GiB and {room / 2**30:,.1f} GiB are free")


def _figures(blocks: list[Block], compile_s: float, peak: int) -> dict:
    rates = [block.rate for block in blocks]
    return {
        "steps_per_s": statistics.median(rates),
        "fill_fraction": None,
        "compile_s": compile_s,
        "steps_per_s_min": min(rates),
        "steps_per_s_max": max(rates),
        "blocks": len(rates),
        "cpu_us_per_frame": statistics.median(block.cpu for block in blocks),
        "peak_memory_bytes": peak,
    }


def alternate(
    batch: int, carry: Any, run: Callable, fill: Callable | None, timing: Timing
) -> tuple[list[Block], list[Block], Any]:
    """Timed blocks of `run(steps, carry)` and, before each, one of `fill` on the same carry; and the last carry.

    A step counts for `batch` environment steps. Blocks take about `timing.seconds`; in the same minute, a busy machine slows
    both alike.
    """
    fillers = [] if fill is None else [fill]
    lengths = {}
    for call in (*fillers, run):
        carry, lengths[call] = _warm_up(carry, call, timing.seconds if call is run else timing.seconds / 4)
    timed: dict[Callable, list[Block]] = {call: [] for call in (*fillers, run)}
    for _ in range(timing.blocks):
        for call, blocks in timed.items():
            carry, block = _timed(carry, call, lengths[call], batch)
            blocks.append(block)
    return timed[run], timed[fill] if fillers else [], carry


def _warm_up(carry: Any, call: Callable, seconds: float) -> tuple[Any, int]:
    """Runs `call` until the number of steps that fill a block is known."""
    steps, took = 1, 0.0
    carry, _ = _timed(carry, call, steps, 1)
    while True:
        began = time.perf_counter()
        carry = call(steps, carry)
        took = time.perf_counter() - began
        if took > seconds / 3:
            return carry, max(1, round(steps * seconds / took))
        steps = max(steps + 1, min(16 * steps, round(steps * seconds / max(took, 1e-6))))


def _timed(carry: Any, call: Callable, steps: int, batch: int) -> tuple[Any, Block]:
    wall, cpu = time.perf_counter(), time.process_time()
    carry = call(steps, carry)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return carry, Block(rate=steps * batch / wall, cpu=1e6 * cpu / (steps * batch))


def out_of_memory(error: Exception) -> bool:
    """Whether `error` is the device's way of saying that a row is too large for it."""
    return isinstance(error, jax.errors.JaxRuntimeError) and "RESOURCE_EXHAUSTED" in str(error)
