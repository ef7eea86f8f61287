"""What an episode comes to: acts, their limits, and whether the board died. Host side. SPEC 3.3, 9.1 and 9.2."""

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kagejax.envs.sokoban.text import Level

SEARCHED = 2_000_000
"""Boards that a search may visit to tell whether a level too large for a table is dead."""
NOTIONS = ("exact", "bounded")
"""Of a dead board: no actions lead from it to solved; or a search of 50,000 boards, as published, does not find any."""


class Limits(NamedTuple):
    """What an act may take."""

    calls: int | None = 256  # predictions; None: any number
    strict: bool = True  # an act above a limit is not executed and fails the episode; else it is only reported
    milliseconds: float | None = None  # by the clock; None: any time


class Verdict(NamedTuple):
    """About one act, or an array of them; bool each."""

    illegal: np.ndarray  # no action, which fails the episode whether strict or not
    over: np.ndarray  # more predictions than allowed
    late: np.ndarray
    executed: np.ndarray


class Episode(NamedTuple):
    """One episode. The times and calls are those of all acts, one that was not executed too."""

    solved: bool
    steps: int  # executed
    optimal: int | None  # fewest moves; None: not known
    deadlocked: bool | None  # a push led to a dead board; None: not known
    plan_times_ms: tuple[float, ...]
    model_calls: tuple[int, ...]
    call_violation: bool
    deadlocked_bounded: bool | None = None  # by the published notion; None: not asked
    illegal_action: bool = False
    time_violation: bool = False
    actions: tuple[int, ...] = ()  # executed


def judged(limits: Limits, action: np.ndarray, calls: np.ndarray, milliseconds: np.ndarray | float) -> Verdict:
    """What `limits` say of an act, or of each of an array."""
    nothing = np.zeros(np.shape(action), bool)
    illegal = (np.asarray(action) < 0) | (np.asarray(action) > 3)
    over = nothing if limits.calls is None else np.asarray(calls) > limits.calls
    late = nothing if limits.milliseconds is None else nothing | (milliseconds > limits.milliseconds)
    return Verdict(illegal, over, late, ~(illegal | (limits.strict & (over | late))))


@dataclasses.dataclass
class Record:
    """An episode under way."""

    level: Level
    optimal: int | None
    actions: list[int] = dataclasses.field(default_factory=list)
    milliseconds: list[float] = dataclasses.field(default_factory=list)
    calls: list[int] = dataclasses.field(default_factory=list)
    pushed: list[tuple[np.ndarray, int]] = dataclasses.field(default_factory=list)  # boxes as mask and player, after each push
    violations: set[str] = dataclasses.field(default_factory=set)

    def add(self, action: int, calls: int, milliseconds: float, verdict: Verdict) -> None:
        """An act, executed or not."""
        self.milliseconds.append(float(milliseconds))
        self.calls.append(int(calls))
        self.violations |= {name for name in ("illegal", "over", "late") if getattr(verdict, name)}
        if verdict.executed:
            self.actions.append(int(action))

    def finished(self, solved: bool, notions: Sequence[str]) -> Episode:
        """The episode, with the answers to those of NOTIONS that are asked for."""
        return Episode(
            solved=bool(solved),
            steps=len(self.actions),
            optimal=self.optimal,
            deadlocked=self._died(solved) if "exact" in notions else None,
            plan_times_ms=tuple(self.milliseconds),
            model_calls=tuple(self.calls),
            call_violation="over" in self.violations,
            deadlocked_bounded=self._seemed_dead() if "bounded" in notions else None,
            illegal_action="illegal" in self.violations,
            time_violation="late" in self.violations,
            actions=tuple(self.actions),
        )

    def _died(self, solved: bool) -> bool | None:
        """A dead board stays dead, so that the last one answers for all."""
        return False if solved or not self.pushed else is_dead(self.level, *self.pushed[-1])

    def _seemed_dead(self) -> bool:
        from kagejax.envs.sokoban import solver

        return any(solver.bounded_dead(self.level, cells_of(self.level, boxes), player) for boxes, player in self.pushed)


def require_judges(notions: Sequence[str]) -> None:
    """Raises ValueError for what is not in NOTIONS, ImportError where numba is missing for them, before anything is played."""
    unknown = sorted(set(notions) - set(NOTIONS))
    if unknown:
        raise ValueError(f"Notions of a dead board are {' and '.join(NOTIONS)}; found {', '.join(unknown)}.")
    if notions:
        from kagejax.envs.sokoban import table

        table.kernels()


def cells_of(level: Level, mask: np.ndarray) -> np.ndarray:
    """A mask u32 [words] as bool [rows, columns]."""
    bits = np.unpackbits(np.asarray(mask).astype("<u4").view(np.uint8), bitorder="little")
    return bits[: level.walls.size].astype(bool).reshape(level.walls.shape)


def is_dead(level: Level, boxes: np.ndarray, player: int) -> bool | None:
    """Whether no actions lead from a board of `level` to solved; None if a search of SEARCHED boards does not tell.

    boxes: a mask u32 [words]. Needs numba.
    """
    found = _solved(level._replace(boxes=cells_of(level, boxes), player=int(player)))
    return None if found is None else found < 0


def shortest(level: Level) -> int | None:
    """The fewest moves that solve `level`; None if there are none, or if a search of SEARCHED boards does not tell.

    Needs numba.
    """
    found = _solved(level)
    return None if found is None or found < 0 else found


def _solved(level: Level) -> int | None:
    """Fewest moves, -1 where there are none, None where that is not known."""
    from kagejax.envs.sokoban import solver

    outcome = solver.solve(level, solver.Budget(nodes=SEARCHED))
    if isinstance(outcome, solver.Solved):
        return outcome.length
    return -1 if isinstance(outcome, solver.Unsolvable) else None
