"""What a new puzzle shall have: kinds and amounts that give a level of difficulty."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from . import difficulty
from . import generate_laws as laws
from .generate_lines import pick
from .names import KINDS

PLANS = 200
LARGE, USUAL = 36, 24
"""Boards of more than LARGE cells get as many times the usual amounts as they have USUAL cells."""


class Plan(NamedTuple):
    """What a puzzle shall have."""

    counts: dict[str, int]  # symbols by kind, each at least 1
    dots: int
    gaps: int
    colors: int


def amounts(cells: int, rules: Collection[str] | None, level: int) -> set[tuple[int, int]]:
    """Numbers of kinds and of symbols that give a level on so many cells; `rules`: exactly these, or None for any."""
    named = set(KINDS) & set(rules or ())
    kinds = range(len(KINDS) + 1) if rules is None else [len(named)]
    alone = named == {"star"}  # stars alone come in pairs
    return {
        (kind, occupied)
        for kind in kinds
        for occupied in range(2 * kind if alone else kind, cells + 1 if kind else 1)
        if difficulty.level(difficulty.score(cells, occupied, kind)) == level
    }


def possible_levels(cells: int, rules: Collection[str] | None = None) -> tuple[int, ...]:
    """Levels that boards of so many cells can have with these rules, or with any."""
    return tuple(level for level in difficulty.LEVELS if amounts(cells, rules, level))


def plan(random: np.random.Generator, cells: int, level: int | None, rules: Collection[str] | None) -> Plan | None:
    """A plan that gives a level, or any plan; None where many draws gave none. A level is needed where no rules are given."""
    times = 1 if cells <= LARGE else round(cells / USUAL)
    fitting = None if level is None else amounts(cells, rules, level)
    for _ in range(PLANS):
        kinds = _kinds(random, level, rules)
        counts = {kind: times * (1 + pick(random, laws.COUNT_WEIGHTS[kind])) for kind in kinds}
        total = sum(counts.values())
        if total <= cells and (fitting is None or (len(kinds), total) in fitting):
            if rules is None and (total > times * laws.MOST_SYMBOLS or (not kinds and random.random() >= laws.EMPTY_CHANCE)):
                continue
            table = (level or difficulty.level(difficulty.score(cells, total, len(kinds)))) - 1
            dots = times * _amount(random, laws.DOT_WEIGHTS[table], "dot", rules)
            gaps = times * _amount(random, laws.GAP_WEIGHTS[table], "gap", rules)
            return Plan(counts, dots, gaps, 1 + pick(random, laws.COLOR_WEIGHTS))
    return None


def _kinds(random: np.random.Generator, level: int | None, rules: Collection[str] | None) -> list[str]:
    """Of symbols: those of the rules, or some as at the level, ylops only with polys."""
    if rules is not None:
        return [kind for kind in KINDS if kind in rules]
    kinds = [kind for kind in KINDS if random.random() < laws.KIND_CHANCES[kind][level - 1]]
    return _kinds(random, level, rules) if "ylop" in kinds and "poly" not in kinds else kinds


def _amount(random: np.random.Generator, weights: Sequence[int], kind: str, rules: Collection[str] | None) -> int:
    """Of dots or gaps."""
    if rules is None:
        return pick(random, weights)
    return 1 + pick(random, weights[1:]) if kind in rules else 0
