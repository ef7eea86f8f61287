"""Agents of the published protocol, PyTorch or NumPy, played unmodified, one episode at a time. SPEC section 8.

An agent is an object with `reset()`, called once per episode, and `act(obs, goal, history) -> int`: two pictures, u8
[64, 64, 3] each, and the list of the actions done so far. Before each `reset` it is given a `call_meter`, and is trusted to
tick it once for each prediction of a next latent: B candidates over H steps are B * H.
"""

import functools
import importlib
import operator
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from . import arena as arenas
from .arena import Arena, Stage
from .episodes import Episode, Limits, Record, judged, require_judges
from .harness import SEEDS, reported
from .references import RandomAgent

Factory = Callable[[], Any]
"""Makes an agent; a class, called without arguments."""


class MeterError(ValueError):
    """An agent did with its meter what is not allowed."""


class CallMeter:
    """Predictions of an agent in one episode."""

    __slots__ = ("__total",)

    def __init__(self):
        self.__total = 0

    @property
    def total(self) -> int:
        """All so far."""
        return self.__total

    def tick(self, n: int = 1) -> None:
        """Counts `n` predictions. Raises MeterError unless it is a whole number of 0 or more."""
        whole = int(n)
        if whole != n or whole < 0:
            raise MeterError(f"A call meter counts whole numbers of 0 or more, not {n!r}.")
        self.__total += whole


def play(
    factory: Factory,
    arena: Arena,
    seed: int = 0,
    limits: Limits | None = None,
    notions: Sequence[str] = ("exact",),
) -> list[Episode]:
    """One episode on each level of `arena`, in their order, by one new agent.

    An agent with a method `seed` is told the seed, `agent.seed(seed)`, before its first episode. Noise in pictures is that of
    `harness.play`. An act that gives no action ends its episode. Raises MeterError for an agent that changes its meter or takes
    ticks back; what else an agent raises goes through.
    """
    agent, limits = factory(), limits or Limits()
    arenas.require_kind(agent, arena)
    require_judges(notions)
    if callable(getattr(agent, "seed", None)):
        agent.seed(seed)
    levels = np.arange(len(arena.split.entries))
    keys = arenas.keys(seed, arenas.PICTURES, levels)
    episodes = []
    for level, record in enumerate(arena.records()):
        at = slice(level, level + 1)
        stage = arenas.begin(arena.env, arena.params, jnp.asarray(levels[at], jnp.int32), keys[at])
        episodes.append(record.finished(_play(agent, arena, stage, limits, record), notions))
    return episodes


def _play(agent: Any, arena: Arena, stage: Stage, limits: Limits, record: Record) -> bool:
    """Fills `record` with an episode from `stage`, of one episode; whether it was solved."""
    meter = CallMeter()
    agent.call_meter = meter
    agent.reset()
    history, running = [], not stage.over[0]
    while running:
        seen, goal = _pictures(stage)
        before = meter.total
        started = time.perf_counter()
        answer = agent.act(seen, goal, list(history))
        milliseconds = 1000 * (time.perf_counter() - started)
        if agent.call_meter is not meter:
            raise MeterError("The agent put another call meter in the place of its own.")
        action, calls = _number(answer), meter.total - before
        if calls < 0:
            raise MeterError("The agent took ticks of its call meter back.")
        verdict = judged(limits, np.int64(action), np.int64(calls), milliseconds)
        record.add(action, calls, milliseconds, verdict)
        if not verdict.executed:
            break
        history.append(action)
        step = arenas.advance(arena.env, arena.params, stage.state, jnp.array([action], jnp.int32), jnp.ones(1, bool))
        if step.pushed[0]:
            record.pushed.append((np.asarray(step.boxes[0]), int(step.player[0])))
        stage = step.stage
        running = not stage.over[0]
    return bool(stage.solved[0])


def _pictures(stage: Stage) -> tuple[np.ndarray, np.ndarray | None]:
    """Board and goal as arrays of the agent's own; one that does not see pictures of goals gets None."""
    seen = stage.observation
    if isinstance(seen, dict):
        return np.array(seen["board"][0]), np.array(seen["goal"][0])
    return np.array(seen[0]), None


def _number(answer: Any) -> int:
    """The action that an agent means, or -1 if it is none."""
    try:
        action = operator.index(answer)
    except TypeError:
        return -1
    return action if 0 <= action <= 3 else -1


def evaluate(
    factory: Factory,
    splits: Sequence[Arena],
    seeds: Sequence[int] = SEEDS,
    limits: Limits | None = None,
    compat: bool = False,
) -> dict[str, Any]:
    """The report of an agent, as `metrics.report` gives it: a new agent for each split and seed."""
    name = getattr(factory, "name", None) or getattr(factory, "__name__", "agent")
    play_on = functools.partial(play, factory)
    return reported(play_on, name, getattr(factory, "forbidden", None), splits, seeds, limits, compat)


def load_agent(name: str) -> Factory:
    """The agent "module:Class", sought from the working directory on, or the built-in "random".

    Raises ValueError, saying what is missing.
    """
    if name == "random":
        return RandomAgent
    module_name, colon, class_name = name.partition(":")
    if not (colon and module_name and class_name):
        raise ValueError(f"An agent is named as module:Class, or random; found {name!r}.")
    sys.path.insert(0, "")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name != module_name.partition(".")[0] and error.name != module_name:
            raise  # the module is there, and lacks something itself
        raise ValueError(f"There is no module {module_name!r} for the agent {name!r}.") from None
    finally:
        sys.path.remove("")
    factory = getattr(module, class_name, None)
    if factory is None:
        raise ValueError(f"The module {module_name!r} has no {class_name!r}.")
    missing = [method for method in ("reset", "act") if not callable(getattr(factory, method, None))]
    if missing:
        raise ValueError(f"The agent {name!r} has no {' and no '.join(missing)}.")
    return factory
