"""The harness: an agent of pure functions on all levels of a split at once, its predictions counted. SPEC section 9."""

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import arena as arenas
from . import metrics
from .agents import Agent, Weights, begun, decided, parameter_count
from .arena import Arena, Step
from .episodes import Episode, Limits, Record, Verdict, judged, require_judges

SEEDS = (0, 1, 2)


def play(
    agent: Agent,
    weights: Weights,
    arena: Arena,
    seed: int = 0,
    limits: Limits | None = None,
    notions: Sequence[str] = ("exact",),
    together: int | None = None,
) -> list[Episode]:
    """One episode on each level of `arena`, in their order.

    What an agent draws and the noise in pictures depend on (seed, level, step) alone; so the same agent and seed give the same
    episodes, all but the times, whatever is played beside. `together`: how many are played at once, by default all. The time of
    an act is that of the call which decided for all of them; 1 gives the time of a single decision. `notions` of a dead board:
    see `episodes.NOTIONS`; "exact" and "bounded" need numba.

    A decision above a limit or that is no action ends its own episode. Raises ValueError for an agent that plays on another
    kind of observation, TypeError for what `agents.decided` and `metering` do not accept.
    """
    arenas.require_kind(agent, arena)
    require_judges(notions)
    limits, records, solved = limits or Limits(), arena.records(), np.zeros(len(arena.split.entries), bool)
    size = together or len(records)
    for first in range(0, len(records), size):
        # The last group is filled up with its last level, so that it runs the program of the others.
        levels = np.minimum(np.arange(first, first + size), len(records) - 1)
        group = records[first : first + size]
        solved[first : first + len(group)] = _play(agent, weights, arena, seed, limits, levels, group)
    return [record.finished(won, notions) for record, won in zip(records, solved, strict=True)]


def _play(
    agent: Agent, weights: Weights, arena: Arena, seed: int, limits: Limits, levels: np.ndarray, records: Sequence[Record]
) -> np.ndarray:
    """Fills `records` with the episodes of the first of `levels`; which of them were solved, bool [records]."""
    env, params, count = arena.env, arena.params, len(records)
    stage = arenas.begin(env, params, jnp.asarray(levels, jnp.int32), arenas.keys(seed, arenas.PICTURES, levels))
    keys = arenas.keys(seed, arenas.CHOICES, levels)
    memory = _begin(agent, weights, keys)
    running = ~np.asarray(stage.over) & (np.arange(len(levels)) < count)
    t = 0
    if running.any():  # a program's first run takes longer, and is no decision
        jax.block_until_ready(_decide(agent, weights, keys, jnp.int32(t), memory, stage.observation))
    while running.any():
        started = time.perf_counter()
        decisions = _decide(agent, weights, keys, jnp.int32(t), memory, stage.observation)
        action, memory, calls = jax.block_until_ready(decisions)
        milliseconds = 1000 * (time.perf_counter() - started)
        action, calls = np.asarray(action), np.asarray(calls)
        verdict = judged(limits, action, calls, milliseconds)
        executed = running & verdict.executed
        step = arenas.advance(env, params, stage.state, jnp.asarray(action), jnp.asarray(executed))
        _note(records, running, action, calls, milliseconds, verdict, step)
        stage, t = step.stage, t + 1
        running = executed & ~np.asarray(stage.over)
    return np.asarray(stage.solved)[:count]


def _note(
    records: Sequence[Record],
    running: np.ndarray,
    action: np.ndarray,
    calls: np.ndarray,
    milliseconds: float,
    verdict: Verdict,
    step: Step,
) -> None:
    pushed, boxes, player = (np.asarray(part) for part in step[1:])
    for i in np.flatnonzero(running):
        records[i].add(action[i], calls[i], milliseconds, Verdict(*(part[i] for part in verdict)))
        if pushed[i]:
            records[i].pushed.append((boxes[i], int(player[i])))


@functools.partial(jax.jit, static_argnames="agent")
def _begin(agent: Agent, weights: Weights, keys: jax.Array) -> Any:
    return jax.vmap(lambda key: begun(agent, weights, key))(keys)


@functools.partial(jax.jit, static_argnames="agent")
def _decide(agent: Agent, weights: Weights, keys: jax.Array, t: jax.Array, memory: Any, observation: Any) -> tuple:
    """`(action, memory, predictions)` of each episode; the start had step 0 of `keys`, so this is step t + 1."""

    def one(key, memory, observation):
        return decided(agent, weights, jax.random.fold_in(key, t + 1), memory, observation)

    return jax.vmap(one)(keys, memory, observation)


def evaluate(
    agent: Agent,
    weights: Weights,
    splits: Sequence[Arena],
    seeds: Sequence[int] = SEEDS,
    limits: Limits | None = None,
    compat: bool = False,
    together: int | None = None,
) -> dict[str, Any]:
    """The report of an agent, as `metrics.report` gives it, with its parameters and how many decisions were timed as one.

    `compat` has it count as published, dead boards by bounded search. Raises ValueError for two splits of one name.
    """
    play_on = functools.partial(play, agent, weights, together=together)
    report = reported(play_on, agent.name, agent.forbidden, splits, seeds, limits, compat)
    if compat:
        return report
    at_once = {arena.name: together or len(arena.split.entries) for arena in splits}
    return report | {"parameter_count": parameter_count(agent, weights, _like(splits[0])), "decided_at_once": at_once}


def reported(
    play_on: Callable[..., list[Episode]],
    name: str,
    forbidden: str | None,
    splits: Sequence[Arena],
    seeds: Sequence[int],
    limits: Limits | None,
    compat: bool,
) -> dict[str, Any]:
    """The report on an agent that `play_on(arena, seed, limits, notions)` plays."""
    names = [arena.name for arena in splits]
    if len(set(names)) < len(names):
        raise ValueError(f"Splits of one report have different names; found {', '.join(names)}.")
    limits, notions = limits or Limits(), ("exact", "bounded") if compat else ("exact",)
    played = {arena.name: [play_on(arena, seed, limits, notions) for seed in seeds] for arena in splits}
    return metrics.report(name, forbidden, seeds, limits, played, compat)


def _like(arena: Arena) -> Any:
    """The form of an observation."""
    key = jax.eval_shape(lambda: jax.random.key(0))
    return jax.eval_shape(lambda key, params: arena.env.reset(key, params)[0], key, arena.params)
