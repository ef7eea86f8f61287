"""The environment against the oracle, step by step, and as its contract has it."""

import json
import os
import pathlib
import subprocess
import sys
from collections import Counter
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagejax.core import check_env
from kagejax.envs.spatial.build import build, build_batch
from kagejax.envs.spatial.env import SpatialEnv
from tests.oracles import spatial, spatial_episodes, spatial_golden
from tests.oracles.spatial import DOWN, LEFT, RIGHT, UP

from .conftest import EPISODES, KEY, NOTHING, SHAPINGS, STEPS, Table, assert_same, config_of, on_host

STRANGE = (-1, 4, 5, 100, -(2**31), 2**31 - 1)
"""No actions."""
KINDS = ("dot", "gap", "square", "star", "triangle", "poly", "ylop")
RULES = (
    "reached_target", "path_not_crossing", "no_gap_violations", "all_dots_collected", "square_color_separation",
    "star_pairing_exact", "triangles_edge_count", "poly_ylop_area",
)  # fmt: skip
MARKS = ("dots", "squares", "stars", "triangles", "polys")
GOING_ON, END, STUCK, LATE = range(4)


class Episode(NamedTuple):
    """An episode of the oracle, which goes on past its end."""

    place: int  # of the puzzle in the table
    shaping: str
    traceback: bool
    max_steps: int
    actions: list
    games: list  # one more than there are actions
    outcomes: list

    @property
    def control(self):
        return {"traceback": self.traceback, "max_steps": self.max_steps, **SHAPINGS[self.shaping]}


def chosen(rng, board, path, traceback):
    """An action: along a solution, anywhere that is legal, back, or anything at all."""
    legal = spatial_episodes.legal(board, path, traceback)
    ahead = [s[len(path)] for s in board.solutions if s[: len(path)] == path and len(s) > len(path)]
    sort = rng.random()
    if sort < 0.55 and ahead:
        return spatial.moves((path[-1], ahead[rng.integers(len(ahead))]))[0]
    if sort < 0.7 and len(path) > 1:
        return spatial.moves((path[-1], path[-2]))[0]
    if sort < 0.93 and legal:
        return legal[rng.integers(len(legal))]
    return int(rng.choice(STRANGE)) if sort > 0.97 else int(rng.integers(4))


def episode_of(rng, table, place=None, shaping=None):
    place = int(rng.integers(len(table.boards))) if place is None else place
    board = table.boards[place]
    shaping = shaping or str(rng.choice([*SHAPINGS]))
    traceback, max_steps = bool(rng.random() < 0.5), int(rng.choice([1, 4, 8, 16, 30, 1000]))
    games, actions, outcomes = [spatial_episodes.start(board)], [], []
    for _ in range(STEPS):
        actions.append(chosen(rng, board, games[-1].path, traceback))
        game, outcome = spatial_episodes.step(board, games[-1], actions[-1], traceback, max_steps, shaping)
        games.append(game)
        outcomes.append(outcome)
    return Episode(place, shaping, traceback, max_steps, actions, games, outcomes)


def played(table, episodes):
    """Their trace on the device."""
    return table.play([e.place for e in episodes], [e.actions for e in episodes], [e.control for e in episodes])


def assert_is_the_oracles(table, episodes, trace):
    width = table.env.plan.lattice.width
    for k, episode in enumerate(episodes):
        board, games, outcomes = table.boards[episode.place], episode.games[1:], episode.outcomes
        paths = [game.path for game in games]
        assert trace.tick.position[k].tolist() == [path[-1][1] * width + path[-1][0] for path in paths]
        assert trace.tick.length[k].tolist() == [len(path) - 1 for path in paths]
        assert trace.tick.matched[k].tolist() == [spatial_episodes.matched(board, path) for path in paths]
        assert trace.tick.t[k].tolist() == list(range(1, STEPS + 1))
        for step in range(0, STEPS, 7):
            visited = sorted(y * width + x for x, y in paths[step])
            assert np.flatnonzero(trace.tick.visited[k, step]).tolist() == visited
        assert trace.reward[k].tolist() == [np.float32(outcome.reward) for outcome in outcomes]
        assert trace.terminated[k].tolist() == [outcome.terminated for outcome in outcomes]
        assert trace.truncated[k].tolist() == [outcome.truncated for outcome in outcomes]
        legal = [spatial_episodes.legal(board, game.path, episode.traceback) for game in episode.games]
        assert [np.flatnonzero(flags).tolist() for flags in trace.legal[k]] == legal
        assert_metrics_are_the_oracles(table, episode, {name: value[k] for name, value in trace.metrics.items()})


def assert_metrics_are_the_oracles(table, episode, metrics):
    board, games, outcomes = table.boards[episode.place], episode.games[1:], episode.outcomes
    lengths = [len(game.path) - 1 for game in games]
    solved = [outcome.outcome == 1 for outcome in outcomes]
    shortest = min((len(solution) - 1 for solution in board.solutions), default=0)
    backwards = [len(after.path) < len(before.path) for before, after in zip(episode.games, games, strict=False)]

    def cause(game, outcome):
        if outcome.terminated:
            return END
        return STUCK if outcome.stuck else LATE if game.steps >= episode.max_steps else GOING_ON

    def verdicts(game, outcome):
        if not outcome.terminated:
            return [False] * 8
        judged = spatial.judge(board, game.path)
        return [True] * 3 + [judged[rule]["ok"] for rule in MARKS]

    causes = [cause(game, outcome) for game, outcome in zip(games, outcomes, strict=True)]
    rules = [verdicts(game, outcome) for game, outcome in zip(games, outcomes, strict=True)]
    kinds = {symbol.kind for symbol in board.symbols.values()}
    kinds |= ({"dot"} if board.dots else set()) | ({"gap"} if board.gaps else set())
    expected = {
        "success_once": solved,
        "episode_steps": list(range(1, STEPS + 1)),
        "path_length": lengths,
        "optimality": [np.float32(shortest) / np.float32(n) if won else 0 for n, won in zip(lengths, solved, strict=True)],
        "invalid_actions": np.cumsum([not outcome.moved for outcome in outcomes]).tolist(),
        "backtracks": np.cumsum(backwards).tolist(),
        "no_legal_move": [each == STUCK for each in causes],
        "step_limit": [each == LATE for each in causes],
        **{name: list(flags) for name, flags in zip(RULES, zip(*rules, strict=True), strict=True)},
        "cause": causes,
        "puzzle": [episode.place] * STEPS,
        "level": [table.records[episode.place]["difficulty_level"]] * STEPS,
        "kinds": [sum(1 << k for k, kind in enumerate(KINDS) if kind in kinds)] * STEPS,
    }
    assert metrics.keys() == expected.keys()
    for name, values in expected.items():
        assert metrics[name].tolist() == values, name


# Against the oracle.


@pytest.fixture(scope="module")
def games(table):
    """Episodes on all golden puzzles and as many others, and their trace."""
    rng = np.random.default_rng(0)
    golden = range(len(spatial_golden.puzzles()))
    found = [episode_of(rng, table, place) for place in golden] + [episode_of(rng, table) for _ in range(91)]
    parts = [found[first : first + EPISODES] for first in range(0, len(found), EPISODES)]
    return found, [(part, played(table, part)) for part in parts]


def test_random_episodes_are_those_of_the_oracle(table, games):
    for episodes, trace in games[1]:
        assert_is_the_oracles(table, episodes, trace)


@given(seed=st.integers(1, 2**32))
@settings(max_examples=8, deadline=None)
def test_other_random_episodes_are_those_of_the_oracle_too(table, seed):
    rng = np.random.default_rng(seed)
    episodes = [episode_of(rng, table) for _ in range(EPISODES)]
    assert_is_the_oracles(table, episodes, played(table, episodes))


def test_the_random_episodes_meet_what_they_are_to_test(table, games):
    met = Counter()
    for episode in games[0]:
        solvable = bool(table.boards[episode.place].solutions)
        for before, after, action, outcome in zip(
            episode.games, episode.games[1:], episode.actions, episode.outcomes, strict=False
        ):
            met["solved"] += outcome.outcome == 1
            met["wrong at the end"] += outcome.terminated and outcome.outcome == -1
            met["on past the end"] += before.path[-1] == table.boards[episode.place].end and outcome.moved
            met["stuck"] += outcome.stuck and not outcome.terminated
            met["late"] += outcome.truncated and not outcome.stuck
            met["end in the last step"] += outcome.terminated and after.steps == episode.max_steps
            met["strange action"] += action in STRANGE
            met["against a wall"] += not outcome.moved and action not in STRANGE
            met["back"] += len(after.path) < len(before.path)
            met["back to the start"] += len(after.path) < len(before.path) and len(after.path) == 1
            met["without solutions"] += outcome.moved and not solvable
            met[episode.shaping, episode.traceback, outcome.reward] += 1
    few = {name: count for name, count in met.items() if isinstance(name, str) and count < 3}
    assert not few
    for traceback in (True, False):
        assert met["upstream", traceback, 0.01] and met["upstream", traceback, -0.01] and met["potential", traceback, 0.01]
    assert met["potential", True, -0.01]
    assert not met["potential", False, -0.01]
    assert {reward for shaping, _, reward in (key for key in met if isinstance(key, tuple)) if shaping == "none"} <= {0, 1, -1}


def test_what_shaping_by_potential_pays_depends_on_the_line_alone(table):
    """So that no detour, however it turns, is worth anything: each closed loop sums to nothing."""
    rng = np.random.default_rng(1)
    episodes = [
        episode_of(rng, table, place, "potential")._replace(traceback=True, max_steps=1000)
        for place in rng.integers(0, 191, EPISODES).tolist()
    ]
    trace = played(table, episodes)
    loops = 0
    for k in range(EPISODES):
        over = trace.terminated[k] | trace.truncated[k]
        sums = np.cumsum(np.where(over, 0, trace.reward[k].astype(np.float64)))
        if over.any():
            continue
        worth = {}
        for step in range(STEPS):
            line = trace.tick.visited[k, step].tobytes()
            loops += line in worth
            assert sums[step] == pytest.approx(worth.setdefault(line, sums[step]), abs=1e-6)
    assert loops > 100


def test_a_walk_out_and_back_earns_by_upstream_and_not_by_potential(table):
    place = table.index["A03"]
    (first, *_), *_ = [spatial.moves(solution) for solution in table.boards[place].solutions]
    there_and_back = [first, (first + 2) % 4] * (STEPS // 2)
    controls = [{"traceback": True, "max_steps": 1000, **SHAPINGS[name]} for name in ("upstream", "potential", "none")]
    trace = table.play([place] * EPISODES, [there_and_back] * EPISODES, controls + controls[:1] * (EPISODES - 3))
    share = float(np.float32(0.01))
    assert trace.reward[0].tolist() == [share] * STEPS
    assert trace.reward[1].tolist() == [share, -share] * (STEPS // 2)
    assert trace.reward[2].tolist() == [0.0] * STEPS


def test_win_lose_and_scale_are_those_of_the_configuration(table):
    place = table.index["A01"]  # its only solution goes right, right, down, down
    right, wrong = ([*moves, *[NOTHING] * (STEPS - 4)] for moves in ([RIGHT, RIGHT, DOWN, DOWN], [DOWN, DOWN, RIGHT, RIGHT]))
    control = {"win": 5.0, "lose": -0.25, "scale": 0.5, "upstream": True, "max_steps": 6}
    trace = table.play([place] * EPISODES, [right, wrong] * 32, [control] * EPISODES)
    assert trace.reward[:2, :4].tolist() == [[0.5, 0.5, 0.5, 5.0], [-0.5, -0.5, -0.5, -0.25]]


def test_the_causes_of_an_end_are_told_apart(table):
    cases = {
        ("A01", (DOWN, DOWN, RIGHT, RIGHT), 4): (END, True, False),  # in the last step: reaching the end counts
        ("A01", (DOWN, DOWN, RIGHT, UP), 4): (LATE, False, True),
        ("A01", (DOWN, DOWN, RIGHT), 4): (GOING_ON, False, False),
        ("B07", (RIGHT,), 100): (STUCK, False, True),  # gaps seal the start
        ("B07", (RIGHT,), 1): (STUCK, False, True),
    }
    places = [table.index[name] for name, *_ in cases]
    actions = [[*moves, *[NOTHING] * (STEPS - len(moves))] for _, moves, _ in cases]
    fill = EPISODES - len(cases)
    controls = [{"traceback": False, "max_steps": limit} for *_, limit in cases] + [{}] * fill
    trace = table.play(places + [0] * fill, actions + [actions[0]] * fill, controls)
    for k, ((_, moves, _), expected) in enumerate(cases.items()):
        last = len(moves) - 1
        assert (trace.metrics["cause"][k, last], trace.terminated[k, last], trace.truncated[k, last]) == expected


def test_one_program_plays_all_puzzles_and_configurations(table, games):
    compiled = Table.programs()[1]
    rng = np.random.default_rng(5)
    played(table, [episode_of(rng, table) for _ in range(EPISODES)])
    assert Table.programs()[1] == compiled


# Starts.


def test_a_start_is_the_same_whatever_was_played_before(table, games):
    episodes, trace = games[1][0]
    fresh = on_host(jax.jit(jax.vmap(table.env.start, (0, None)))(np.array([e.place for e in episodes]), table.params))
    again = played(table, episodes)  # after so many others
    assert_same(again, trace)
    boards = [table.boards[episode.place] for episode in episodes]
    assert fresh.tick.position.tolist() == [13 * board.start[1] + board.start[0] for board in boards]
    assert [np.flatnonzero(flags).tolist() for flags in fresh.tick.visited] == [[p] for p in fresh.tick.position.tolist()]
    counters = fresh.tick._replace(position=0, visited=0, node=0)
    assert not any(np.any(leaf) for leaf in jax.tree.leaves(counters))


def test_every_puzzle_is_drawn_about_as_often_and_no_other(small):
    states = on_host(jax.jit(jax.vmap(small.env.init, (0, None)))(jax.random.split(jax.random.key(0), 3200), small.params))
    counts = np.bincount(states.episode.puzzle, minlength=len(small.boards))
    assert len(counts) == len(small.boards) == 16
    assert (np.abs(counts - 200) < 5 * 200**0.5).all()
    lattice = small.env.plan.lattice
    starts = [board.start[1] * lattice.width + board.start[0] for board in small.boards]
    assert states.tick.position.tolist() == [starts[place] for place in states.episode.puzzle]


def test_typed_and_raw_keys_begin_the_same_episode(small):
    first, second = (jax.jit(small.env.init)(key, small.params) for key in (jax.random.key(5), jax.random.PRNGKey(5)))
    assert_same(first, second)


# Batches of configurations.


def file_of(folder, name, names):
    """A file with these golden puzzles."""
    path = folder / name
    path.write_text("".join(json.dumps(spatial_golden.puzzles()[each]) + "\n" for each in names))
    return str(path)


ONE_FILE, OTHER_FILE = ("A01", "C06", "D06", "F03"), ("B01", "E03", "G03", "G08", "A04")
SHARED = {"lattice.cells_w": 3, "lattice.cells_h": 3, "puzzles.source": "file"}
ENVIRONMENTS, TURNS = 6, 60


def configs_in(folder):
    return [
        config_of(SHARED | {"puzzles.file": file_of(folder, "one.jsonl", ONE_FILE), "play.max_steps": 9, "reward.win": 7.0}),
        config_of(SHARED | {
            "puzzles.file": file_of(folder, "other.jsonl", OTHER_FILE), "puzzles.first": 1, "play.traceback": True,
            "play.max_steps": 14, "reward.shaping": "potential", "reward.scale": 0.5, "reward.lose": -3.0,
        }),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """Environments of two configurations in one program, with new episodes on the way."""
    configs = configs_in(tmp_path_factory.mktemp("puzzles"))
    env, stacked = build_batch(configs)

    def environment(key, params):
        def step(state, t):
            key_t = jax.random.fold_in(key, t)
            able = env.action_mask(state, params)
            action = jax.random.categorical(key_t, jnp.where(able, 0.0, -3.0))
            observation, state, reward, terminated, truncated, info = env.step(key_t, state, action, params)
            return state, (observation, state, reward, terminated | truncated, info)

        first, state = env.reset(key, params)
        return first, state, jax.lax.scan(step, state, jnp.arange(TURNS))[1]

    keys = jax.random.split(jax.random.PRNGKey(0), (2, ENVIRONMENTS))
    play = jax.vmap(jax.vmap(environment, (0, None)), (0, env.params_axes(stacked)))
    first, state, later = on_host(jax.jit(play)(keys, stacked))
    return env, stacked, state, later, first


def test_each_configuration_of_a_batch_plays_its_own_puzzles(together):
    env, stacked, first, (_, states, _, _, info), _ = together
    assert stacked.control.first_puzzle.tolist() == [0, 4]
    assert stacked.control.puzzles.tolist() == [4, 4]
    for k, names in enumerate((ONE_FILE, OTHER_FILE[1:])):
        puzzles = np.concatenate([first.episode.puzzle[k].ravel(), states.episode.puzzle[k].ravel()])
        assert sorted(set(puzzles.tolist())) == list(range(4 * k, 4 * k + 4))
        np.testing.assert_array_equal(info["puzzle"][k], info["final_state"].episode.puzzle[k] - 4 * k)
        sizes = [spatial.read(spatial_golden.puzzles()[name]).columns for name in names]
        np.testing.assert_array_equal(stacked.bank.lines.size[4 * k : 4 * k + 4, 0], sizes)


def test_each_configuration_of_a_batch_has_its_own_rewards_and_limits(together):
    *_, (_, _, reward, over, info), _ = together
    assert info["episode_steps"].max((1, 2)).tolist() == [9, 14]
    assert (info["backtracks"].max((1, 2)) > 0).tolist() == [False, True]
    share = float(np.float32(0.01))
    for k, (ends, others) in enumerate([({7.0, -1.0}, {share, -share, 0.0}), ({1.0, -3.0}, {0.5, -0.5, 0.0})]):
        assert set(reward[k][over[k]].tolist()) == ends
        assert set(reward[k][~over[k]].tolist()) == others
        won = info["success_once"][k] == 1
        assert (reward[k][won] == max(ends)).all()
        assert won.any()


def test_what_follows_an_end_is_a_clean_start(together):
    env, stacked, _, (_, states, _, over, info), _ = together
    ended = jax.tree.map(lambda x: x[over], states)
    fresh = on_host(jax.jit(jax.vmap(env.start, (0, None)))(ended.episode.puzzle, jax.tree.map(
        lambda x, axis: x if axis is None else x[0], stacked, env.params_axes(stacked)
    )))  # fmt: skip
    assert_same(ended, fresh)
    assert over.sum() > 60
    assert len(set(info["cause"][over].tolist())) == 3
    assert (info["cause"][~over] == 0).all()


def test_observations_of_a_batch_are_those_of_the_states(together):
    env, stacked, first, (seen, states, *_), seen_first = together
    observe = jax.jit(jax.vmap(env.observe, (0, None)))
    np.testing.assert_array_equal(observe(jax.tree.map(lambda x: x[1, :, -1], states), stacked), seen[1, :, -1])
    np.testing.assert_array_equal(observe(jax.tree.map(lambda x: x[1], first), stacked), seen_first[1])


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({}, {"observation.kind": "picture"}, "must share observation.kind; found 'layers' and 'picture'"),
        (
            {"observation.kind": "picture"},
            {"observation.kind": "picture", "observation.width": 160},
            "must share the size of their pictures; found 128x128 and 128x160",
        ),
        ({}, {"lattice.cells_w": 4}, "must share lattice.cells_w and cells_h; found 3x3 and 4x3"),
        ({"observation.shapes": False}, {}, "must share observation.shapes; found true and false"),
    ],
)
def test_configurations_of_different_shape_do_not_batch(tmp_path, first, second, message):
    base = SHARED | {"puzzles.file": file_of(tmp_path, "one.jsonl", ONE_FILE)}
    with pytest.raises(ValueError) as caught:
        build_batch([config_of(base | first), config_of(base | second)])
    assert str(caught.value) == f"configurations of one batch {message}"


def test_configurations_that_differ_in_the_number_of_ylops_batch_by_the_most(together):
    env, stacked, *_ = together
    alone = [Table(spatial_golden.puzzles()[name] for name in names).env.plan for names in (ONE_FILE, OTHER_FILE)]
    assert [plan.most_ylops for plan in alone] == [0, 1]
    assert env.plan.most_ylops == 1
    assert stacked.bank.symbols.piece_sizes.shape[0] == 8


def test_a_batch_of_one_is_the_configuration(tmp_path):
    config = configs_in(tmp_path)[1]
    env, stacked = build_batch([config])
    alone, params = build(config)
    assert env == alone
    axes = env.params_axes(stacked)
    assert_same(jax.tree.map(lambda x, axis: x if axis is None else x[0], stacked, axes), params)


# The contract.


@pytest.fixture(scope="module")
def kinds_of_environments():
    names = ("A01", "E03"), ("B05", "G03")
    plain, pieces = ([spatial_golden.puzzles()[name] for name in several] for several in names)
    size = {"lattice.cells_w": 3, "lattice.cells_h": 2}
    picture = {"observation.kind": "picture", "observation.height": 48, "observation.width": 64}
    return {"layers": Table(plain, size), "picture": Table(pieces, size | picture)}


@pytest.mark.parametrize("kind", ["layers", pytest.param("picture", marks=pytest.mark.slow)])
def test_every_kind_of_environment_keeps_the_contract(kinds_of_environments, kind):
    table = kinds_of_environments[kind]
    check_env(table.env, table.params, steps=2)


@pytest.mark.parametrize("kind", ["layers", "picture"])
def test_nothing_is_wider_than_32_bits(kinds_of_environments, kind):
    env, params = kinds_of_environments[kind].env, kinds_of_environments[kind].params
    key = jax.random.key(0)
    observation, state = jax.eval_shape(env.reset, key, params)
    action = jax.eval_shape(env.action_space.sample, key)
    step = jax.eval_shape(env.step, key, state, action, params)
    assert {leaf.dtype.itemsize for leaf in jax.tree.leaves((params, observation, state, step))} <= {1, 2, 4}

    def spec(tree):
        return jax.tree.map(lambda x: (x.shape, x.dtype), tree)

    assert spec(step[1]) == spec(step[5]["final_state"]) == spec(state)
    assert spec(step[0]) == spec(observation) == (env.observation_space.shape, env.observation_space.dtype)
    assert (step[2].dtype, step[3].dtype, step[4].dtype) == (jnp.float32, jnp.bool_, jnp.bool_)
    metrics = {name: (leaf.shape, str(leaf.dtype)) for name, leaf in step[5].items() if name != "final_state"}
    whole = ("cause", "puzzle", "level", "kinds")
    assert metrics == {name: ((), "int32" if name in whole else "float32") for name in metrics}


def test_an_action_of_any_integer_type_does_the_same(small):
    actions = [RIGHT, UP, LEFT, DOWN, 4]
    state = jax.jit(small.env.start)(jnp.int32(3), small.params)
    moved = jax.jit(lambda action: small.env.transition(KEY, state, action, small.params).state.tick.position)
    found = [[int(moved(jnp.asarray(action, dtype))) for action in actions] for dtype in ("int32", "uint8", "int8")]
    assert found[0] == found[1] == found[2]
    assert len(set(found[0])) == 3


def test_forced_ways_of_drawing_are_part_of_the_environment(small):
    env = small.env
    assert env == SpatialEnv(env.plan) != SpatialEnv(env.plan, "pull")
    assert hash(env) == hash(SpatialEnv(env.plan, "auto"))


def test_the_latent_is_puzzle_and_line(small):
    state = jax.jit(small.env.start)(jnp.int32(3), small.params)
    assert_same(small.env.latent(state), (state.episode, state.tick))


def test_everything_is_the_same_with_64_bit_types_enabled():
    here = pathlib.Path(__file__).parent
    chosen = [
        "test_env.py::test_nothing_is_wider_than_32_bits",
        "test_bits.py::test_a_mask_tells_what_it_holds",
        "test_layers.py::test_without_shapes_their_layers_are_missing",
        "test_pictures.py::test_neighbours_are_joined_if_and_only_if_the_line_goes_from_one_to_the_other",
        "test_polys.py::test_a_cover_is_found_if_and_only_if_some_placement_is_one",
    ]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *[str(here / name) for name in chosen]]
    environment = {**os.environ, "JAX_ENABLE_X64": "1"}
    finished = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=here.parents[2], check=False)
    assert finished.returncode == 0, finished.stdout[-3000:] + finished.stderr[-1000:]
