"""Training data: episodes as symbols, small on disk, with exact labels, and drawn on device when they are read. SPEC section 7.

An episode is a level and its actions; boards, flags and labels follow from these. The public shard layout with all its
pictures can be written and read too (`shards.py`).
"""

import pathlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from . import generate, rules, solver, table, text
from .ledger import Ledger
from .text import Level

KINDS = ("random", "solver", "perturbed", "near_deadlock")
RANDOM, SOLVER, PERTURBED, NEAR_DEADLOCK = range(len(KINDS))
MIX = {"random": 0.5, "solver": 0.3, "perturbed": 0.2}
INSERTED = 3
"""Random actions in a perturbed solution."""
NO_ACTION = -1
DEAD = -1


class Recipe(NamedTuple):
    """What a data set is made of."""

    laws: tuple[str, ...] = ("dataset",)  # levels take them in turn; several of unlike boxes make a mixture
    mix: tuple[tuple[str, float], ...] = tuple(MIX.items())  # shares of episodes by kind; exact counts, largest remainders
    max_steps: int = 80


RECIPES = {
    "classic": Recipe(),
    "near_deadlock": Recipe(mix=(("random", 0.3), ("solver", 0.3), ("perturbed", 0.1), ("near_deadlock", 0.3))),
    "mixed_crates": Recipe(laws=("T1", "T2", "T3", "T4")),
}
"""The published mixture; one with episodes around fatal pushes; one over the crate counts of a hidden set."""


class Episodes(NamedTuple):
    """A data set, NumPy. S: steps, boards of an episode are one more; padded at the end with its last board."""

    levels: tuple[Level, ...]
    kind: np.ndarray  # i8 [E], index into KINDS
    actions: np.ndarray  # i8 [E, S], NO_ACTION after the end
    lengths: np.ndarray  # i32 [E], steps
    boxes: np.ndarray  # u32 [E, S + 1, words]
    player: np.ndarray  # i16 [E, S + 1]
    pushed: np.ndarray  # bool [E, S]
    invalid: np.ndarray  # bool [E, S]
    solved: np.ndarray  # bool [E]
    distance: np.ndarray  # i16 [E, S + 1], least number of moves to solved; DEAD where no moves lead there
    optimal: np.ndarray  # u8 [E, S + 1], bit a: action a begins an optimal solution

    @property
    def transitions(self) -> int:
        """Steps of all episodes."""
        return int(self.lengths.sum())


def counts(mix: Sequence[tuple[str, float]], episodes: int) -> dict[str, int]:
    """How many episodes of each kind, by largest remainders. Raises ValueError for unknown kinds and shares that sum to 0."""
    unknown = [kind for kind, _ in mix if kind not in KINDS]
    total = sum(share for _, share in mix)
    if unknown or total <= 0 or any(share < 0 for _, share in mix):
        raise ValueError(f"A mix gives shares of {', '.join(KINDS)}, none below 0 and some above; found {dict(mix)}.")
    exact = dict.fromkeys((kind for kind, _ in mix), 0.0)
    for kind, share in mix:
        exact[kind] += episodes * share / total
    whole = {kind: int(value) for kind, value in exact.items()}
    for kind in sorted(exact, key=lambda kind: whole[kind] - exact[kind])[: episodes - sum(whole.values())]:
        whole[kind] += 1
    return whole


def make(
    recipe: Recipe, episodes: int, seed: int, ledger: Ledger | None = None, progress: Callable[[int], None] = lambda done: None
) -> Episodes:
    """A data set; episode i depends on recipe, seed and i alone, but for its kind, which is dealt by exact counts.

    Every transition is entered in `ledger`, if there is one, before the next episode is made; it raises BudgetSpent when full.
    """
    dealt = [KINDS.index(kind) for kind, count in counts(recipe.mix, episodes).items() for _ in range(count)]
    kinds = np.random.default_rng([seed, 1]).permutation(np.array(dealt, np.int8))
    rows = []
    for index, kind in enumerate(kinds):
        name = recipe.laws[index % len(recipe.laws)]
        law = generate.LAWS[name]
        random = np.random.default_rng([seed, 2, index])
        wanted = law.band if law.last_band is None else (law.band[0], law.last_band[1])
        found = generate.find(law, wanted, random)
        rows.append(
            record(found.level, actions_of(int(kind), found.level, random, recipe.max_steps), int(kind), recipe.max_steps)
        )
        if ledger is not None:
            ledger.spend(int(rows[-1].lengths[0]))
        progress(index + 1)
    return joined(rows)


def actions_of(kind: int, level: Level, random: np.random.Generator, max_steps: int) -> list[int]:
    """Actions of an episode of a kind."""
    if kind == RANDOM:
        return random.integers(4, size=max_steps).tolist()
    actions = list(solver.solve(level).actions)
    if kind == PERTURBED:
        for _ in range(INSERTED):
            actions.insert(int(random.integers(len(actions) + 1)), int(random.integers(4)))
    if kind == NEAR_DEADLOCK:
        actions = _towards_a_fatal_push(level, actions, random, max_steps)
    return actions


def _towards_a_fatal_push(level: Level, solution: list[int], random: np.random.Generator, max_steps: int) -> list[int]:
    """An optimal solution up to a board from which some action is fatal, that action half of the time, and then on: by the
    solution where the board still has one, else by chance."""
    known = table.Table(level)
    boxes, player = known.start
    fatal: list[tuple[int, int]] = []
    for step, action in enumerate(solution):
        for other in range(4):
            after = table.played(level.walls, boxes, player, other)
            if after is not None and known.is_dead(*after):
                fatal.append((step, other))
        boxes, player = table.played(level.walls, boxes, player, action)
    if not fatal:
        return solution
    step, push = fatal[int(random.integers(len(fatal)))]
    if random.integers(2):
        return solution
    return [*solution[:step], push, *random.integers(4, size=max(0, max_steps - step - 1)).tolist()]


def record(level: Level, actions: Sequence[int], kind: int, max_steps: int) -> Episodes:
    """One episode: `actions` played until the board is solved or `max_steps` are over, with its labels.

    Raises ValueError for what is no action.
    """
    strange = [int(action) for action in actions if not 0 <= action < 4]
    if strange:
        raise ValueError(f"actions are 0 to 3, not {strange[0]}")
    known = table.Table(level)
    boxes, player = known.start
    goals = table.cells_of(level.goals)
    boards, pushed, invalid, taken = [(boxes, player)], [], [], []
    for action in list(actions)[:max_steps]:
        if boxes == goals:
            break
        after = table.played(level.walls, boxes, player, int(action))
        invalid.append(after is None)
        pushed.append(after is not None and after[0] != boxes)
        boxes, player = after or (boxes, player)
        boards.append((boxes, player))
        taken.append(int(action))
    best = [sum(1 << a for a in np.flatnonzero(known.optimal_actions(*board))) for board in boards]
    distances = [known.distance(*board) for board in boards]
    return Episodes(
        levels=(level,),
        kind=np.array([kind], np.int8),
        actions=np.array([taken], np.int8).reshape(1, -1),
        lengths=np.array([len(taken)], np.int32),
        boxes=np.stack([_mask(level, cells) for cells, _ in boards])[None],
        player=np.array([[player for _, player in boards]], np.int16),
        pushed=np.array([pushed], bool).reshape(1, -1),
        invalid=np.array([invalid], bool).reshape(1, -1),
        solved=np.array([boards[-1][0] == goals]),
        distance=np.array([[DEAD if d is None else d for d in distances]], np.int16),
        optimal=np.array([best], np.uint8),
    )


def _mask(level: Level, cells: Sequence[int]) -> np.ndarray:
    board = np.zeros(level.walls.shape, bool)
    board.reshape(-1)[list(cells)] = True
    return rules.mask_of(board)


def joined(parts: Sequence[Episodes]) -> Episodes:
    """Data sets as one, padded to the longest. Raises ValueError for boards of unlike sizes."""
    sizes = {level.walls.shape for part in parts for level in part.levels}
    if len(sizes) > 1:
        raise ValueError(f"Boards of one data set share their size; found {sorted(sizes)}.")
    steps = max(part.actions.shape[1] for part in parts)

    def padded(name: str, fill: int | None, length: int) -> np.ndarray:
        rows = []
        for part in parts:
            x = getattr(part, name)
            extra = [(0, 0), (0, length - x.shape[1]), *((0, 0),) * (x.ndim - 2)]
            rows.append(np.pad(x, extra, mode="edge") if fill is None else np.pad(x, extra, constant_values=fill))
        return np.concatenate(rows)

    return Episodes(
        levels=tuple(level for part in parts for level in part.levels),
        kind=np.concatenate([part.kind for part in parts]),
        actions=padded("actions", NO_ACTION, steps),
        lengths=np.concatenate([part.lengths for part in parts]),
        boxes=padded("boxes", None, steps + 1),
        player=padded("player", None, steps + 1),
        pushed=padded("pushed", 0, steps),
        invalid=padded("invalid", 0, steps),
        solved=np.concatenate([part.solved for part in parts]),
        distance=padded("distance", None, steps + 1),
        optimal=padded("optimal", None, steps + 1),
    )


def save(path: str | pathlib.Path, data: Episodes) -> None:
    """Writes a data set as one .npz, levels as text; it appears complete or not at all."""
    path = pathlib.Path(path)
    draft = path.with_name(path.name + ".part")
    arrays = {name: value for name, value in data._asdict().items() if name != "levels"}
    with draft.open("wb") as file:
        np.savez_compressed(file, levels=np.array([text.write(level) for level in data.levels]), **arrays)
    draft.replace(path)


def load(path: str | pathlib.Path) -> Episodes:
    """The data set of a file that `save` wrote."""
    with np.load(path) as found:
        levels = tuple(text.parse(str(level)) for level in found["levels"])
        return Episodes(levels=levels, **{name: found[name] for name in Episodes._fields[1:]})


def shares(data: Episodes) -> dict[str, dict[str, float]]:
    """By kind: its share of episodes and of transitions, and what part of its episodes was solved."""
    found = {}
    for index in np.unique(data.kind):
        chosen = data.kind == index
        found[KINDS[index]] = {
            "episodes": float(chosen.mean()),
            "transitions": float(data.lengths[chosen].sum() / max(data.transitions, 1)),
            "solved": float(data.solved[chosen].mean()),
        }
    return found
