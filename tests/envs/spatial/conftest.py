"""Banks of path puzzles for tests, and compiled ways to judge, play and see them: one program each, whatever the puzzle."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.config.parameters import nest
from kagejax.envs.spatial import build, rules
from kagejax.envs.spatial.config import SpatialConfig
from kagejax.envs.spatial.env import SpatialEnv
from kagejax.envs.spatial.params import Episode, Params, State
from kagejax.envs.spatial.puzzles import from_record
from tests.oracles import spatial, spatial_golden, spatial_puzzles, spatial_records

KEY = np.zeros(2, np.uint32)
LONGEST = 160
"""Positions that a path to be judged is padded to."""
EPISODES, STEPS = 64, 64
"""Of one call that plays: all of them have this size."""
NOTHING = -1
"""An action that is none: it moves nothing and costs a step."""


def config_of(values: Mapping[str, Any] | None = None) -> SpatialConfig:
    """The default configuration with `values` by dotted key."""
    return SpatialConfig.model_validate(nest(dict(values or {})))


def on_host(tree: Any) -> Any:
    """The tree as NumPy arrays: slices of them compile nothing."""
    return jax.tree.map(np.asarray, tree)


def assert_same(first: Any, second: Any) -> None:
    """Both trees are equal, bit for bit."""
    assert jax.tree.structure(first) == jax.tree.structure(second)
    for one, other in zip(jax.tree.leaves(on_host(first)), jax.tree.leaves(on_host(second)), strict=True):
        np.testing.assert_array_equal(one, other)


class Verdicts(NamedTuple):
    """Of many paths, each leaf bool [paths]."""

    line: rules.Line
    marks: rules.Marks
    valid: Any


class Trace(NamedTuple):
    """What happens at each step, [episodes, steps, ...]."""

    tick: Any  # after the step
    reward: Any
    terminated: Any
    truncated: Any
    metrics: dict[str, Any]
    legal: Any  # bool [episodes, 1 + steps, 4], before the first step and after each


@functools.partial(jax.jit, static_argnums=0)
def _judge(env, params, puzzles, paths, counts):
    def one(puzzle, path, count):
        line, visited = rules.line(path, count, puzzle, params.bank, env.plan.lattice)
        judge = rules.judge(env.plan.lattice, env.plan.most_ylops)
        marks = judge(puzzle, visited, jnp.bool_(True), params.bank)
        return Verdicts(line, marks, rules.is_valid(line, marks))

    return jax.vmap(one)(puzzles, paths, counts)


@functools.partial(jax.jit, static_argnums=0)
def _play(env, params, puzzles, actions, controls):
    def episode(puzzle, actions, control):
        own = params._replace(control=control)

        def step(state, action):
            state, reward, terminated, truncated, info = env.advance(KEY, state, action, own)
            metrics = {name: value for name, value in info.items() if name != "final_state"}
            return state, Trace(state.tick, reward, terminated, truncated, metrics, env.action_mask(state, own))

        first = env.start(puzzle, own)
        trace = jax.lax.scan(step, first, actions)[1]
        return trace._replace(legal=jnp.concatenate([env.action_mask(first, own)[None], trace.legal]))

    return jax.vmap(episode)(puzzles, actions, controls)


@functools.partial(jax.jit, static_argnums=0)
def observe(env: SpatialEnv, params: Params, states: State) -> jax.Array:
    """What is seen of many states."""
    return jax.vmap(env.observe, (0, None))(states, params)


class Table:
    """Puzzles in one bank, with the oracle's reading of them."""

    def __init__(self, records: Iterable[Mapping[str, Any]], values: Mapping[str, Any] | None = None, batch: int = 256):
        self.records = tuple(records)
        self.boards = tuple(map(spatial.read, self.records))
        self.puzzles = tuple(from_record(record, f"record {place}") for place, record in enumerate(self.records))
        self.env, self.params = build.from_puzzles(self.puzzles, None if values is None else config_of(values))
        self.batch = batch
        self.index = {record["id"]: place for place, record in enumerate(self.records)}

    def judge(self, entries: Sequence[tuple[int, spatial.Path]]) -> Verdicts:
        """Of the paths, each on the puzzle whose place in the table comes with it; `batch` at a time."""
        size = -(-len(entries) // self.batch) * self.batch
        puzzles, counts = np.zeros(size, np.int32), np.zeros(size, np.int32)
        paths = np.zeros((size, LONGEST, 2), np.int32)
        for place, (puzzle, path) in enumerate(entries):
            puzzles[place], counts[place] = puzzle, len(path)
            paths[place, : len(path)] = np.reshape(path, (-1, 2))
        turns = [slice(first, first + self.batch) for first in range(0, size, self.batch)]
        found = [on_host(_judge(self.env, self.params, puzzles[turn], paths[turn], counts[turn])) for turn in turns]
        return jax.tree.map(lambda *leaves: np.concatenate(leaves)[: len(entries)], *found)

    def play(self, puzzles: Sequence[int], actions: Sequence[Sequence[int]], controls: Sequence[Mapping[str, Any]]) -> Trace:
        """Episodes of the puzzles, each with its own control: fields that differ from those of the table."""
        usual = on_host(self.params.control)
        changed = [usual._replace(**{k: np.asarray(v, getattr(usual, k).dtype) for k, v in c.items()}) for c in controls]
        stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *changed)
        return on_host(_play(self.env, self.params, np.asarray(puzzles, np.int32), np.asarray(actions, np.int32), stacked))

    def after(self, entries: Sequence[tuple[int, Sequence[int]]]) -> State:
        """The states, [EPISODES, ...], after at most STEPS legal moves on the puzzles of these places."""
        assert len(entries) == EPISODES
        actions = [[*moves, *[NOTHING] * (STEPS - len(moves))] for _, moves in entries]
        trace = self.play([place for place, _ in entries], actions, [{"traceback": True}] * EPISODES)
        assert trace.tick.invalid[:, -1].tolist() == [STEPS - len(moves) for _, moves in entries]
        return State(Episode(np.array([place for place, _ in entries], np.int32)), jax.tree.map(lambda x: x[:, -1], trace.tick))

    @staticmethod
    def programs() -> tuple[int, int]:
        """How many programs were compiled so far, for all tables, to judge and to play."""
        return _judge._cache_size(), _play._cache_size()


SHAPINGS = {
    "upstream": {"scale": 0.01, "upstream": True},
    "potential": {"scale": 0.01, "upstream": False},
    "none": {"scale": 0.0, "upstream": False},
}
"""Control of each `reward.shaping`."""


def random_records(seed: int, count: int, sizes: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """Planted, spoiled and arbitrary puzzles in turn."""
    rng, records = np.random.default_rng(seed), []
    for place in range(count):
        columns, rows = sizes[place // 3 % len(sizes)]
        if place % 3 == 0:
            records.append(spatial_puzzles.planted_record(rng, columns, rows)[0])
        elif place % 3 == 1:
            records.append(spatial_puzzles.spoiled_record(rng, spatial_puzzles.planted_record(rng, columns, rows)[0]))
        else:
            records.append(spatial_puzzles.random_record(rng, columns, rows))
    return records


ALL_SIZES = [(columns, rows) for columns in range(1, 7) for rows in range(1, 7)]
LISTED_SIZES = [(1, 1), (2, 1), (1, 3), (2, 2), (3, 2), (2, 3), (4, 1)]


@pytest.fixture(scope="session")
def table() -> Table:
    """All golden puzzles, some small random ones with all their solutions, many random ones without, and the public ones."""
    records = [*spatial_golden.puzzles().values()]
    records += [spatial_records.listed(record) for record in random_records(1, 90, LISTED_SIZES)]
    records += random_records(2, 1080, ALL_SIZES)
    records += spatial_golden.public_puzzles().values() if spatial_golden.HAS_PUBLIC else []
    return Table(records, {"observation.shapes": True}, batch=2048)


@pytest.fixture(scope="session")
def small() -> Table:
    """A few golden puzzles of at most 3x3 cells with every kind of symbol: programs for it compile fast."""
    names = ("A01", "A06", "B05", "C06", "D06", "E03", "F03", "F08", "F13", "G01", "G03", "G04", "G08", "R32", "R33", "X01")
    return Table(spatial_golden.puzzles()[name] for name in names)
