"""Sliding against recorded episodes of the reference: moves, rewards, flags, quirks, the stick."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.sliding import rules
from tests.oracles import sliding_golden
from tests.oracles.sliding import Options

from .games import KEY, made, made_batch, play

MODES = ("distances", "percent_solved", "sparse")
THREE = rules.Grid(3, 3)


@pytest.fixture(scope="module", params=sliding_golden.TRANSITIONS)
def replay(request):
    """The name of a grid, its recorded episodes, and the same played by kagejax in all modes of reward."""
    name = request.param
    episodes = sliding_golden.episodes(name)
    options = [Options(mode=mode, max_steps=sliding_golden.max_steps(name)) for mode in MODES]
    env, stacked = made_batch(sliding_golden.grid_of(name), {"observation.kind": "raw"}, options)
    actions = np.full((len(episodes), max(len(episode.actions) for episode in episodes)), -1)
    for row, episode in zip(actions, episodes, strict=True):
        row[: len(episode.actions)] = episode.actions
    return name, episodes, play(env, stacked, [episode.boards[0] for episode in episodes], actions)


def test_boards_and_blanks_are_the_recorded_ones(replay):
    name, episodes, trace = replay
    for e, episode in enumerate(episodes):
        length = len(episode.actions)
        for mode in range(len(MODES)):
            np.testing.assert_array_equal(trace.board[mode, e, :length], episode.boards[1:])
            rows_and_columns = np.stack(np.divmod(trace.blank[mode, e, :length], sliding_golden.grid_of(name).columns), -1)
            np.testing.assert_array_equal(rows_and_columns, episode.blanks[1:])
            np.testing.assert_array_equal(trace.t[mode, e, :length], np.arange(1, length + 1))


@pytest.mark.parametrize("mode", MODES)
def test_rewards_are_the_recorded_ones_in_single_precision(replay, mode):
    _, episodes, trace = replay
    for e, episode in enumerate(episodes):
        rewards = trace.reward[MODES.index(mode), e, : len(episode.actions)]
        np.testing.assert_array_equal(rewards, episode.rewards[mode].astype(np.float32))


def test_flags_are_the_recorded_ones(replay):
    _, episodes, trace = replay
    for e, episode in enumerate(episodes):
        for mode in range(len(MODES)):
            np.testing.assert_array_equal(trace.terminated[mode, e, : len(episode.actions)], episode.terminated)
            np.testing.assert_array_equal(trace.truncated[mode, e, : len(episode.actions)], episode.truncated)


def test_moves_are_valid_where_they_were_recorded_as_such(replay):
    name, episodes, _ = replay
    grid = rules.Grid(*sliding_golden.grid_of(name))
    blanks = np.arange(grid.cells, dtype=np.int32)
    valid = np.asarray(jax.jit(jax.vmap(lambda blank: rules.valid_actions(blank, grid)))(blanks))
    for episode in episodes:
        places = episode.blanks[:-1, 0] * grid.columns + episode.blanks[:-1, 1]
        np.testing.assert_array_equal(valid[places, episode.actions], episode.valid)


def test_the_normaliser_is_the_recorded_one(replay):
    name, *_ = replay
    grid = rules.Grid(*sliding_golden.grid_of(name))
    assert rules.normaliser(grid) == sliding_golden.archive(f"transitions_{name}")["normaliser"]


@functools.partial(jax.jit, static_argnums=0)
def advanced(env, params, state, action):
    return env.advance(KEY, state, action, params)[:4]


@functools.partial(jax.jit, static_argnums=0)
def restarted(env, params, state):
    return env.reset_where(jnp.bool_(True), KEY, state, params)


def played(name, sticky):
    """The recorded steps of a quirk, each with the state, reward and flags of kagejax; recorded resets are resets."""
    options = sliding_golden.QUIRKS[name]._replace(sticky_termination=sticky)
    values = {
        "observation.kind": "raw",
        "start.mode": "board",
        "start.board": rules.goal(THREE),
        "start.allow_unsolvable": True,
    }
    env, params = made(THREE, values, options)
    state = env.start(rules.solved_board(THREE), KEY, params)
    for recorded in sliding_golden.quirk(name):
        if recorded.action is None:
            first = params._replace(control=params.control._replace(board=jnp.asarray(recorded.board)))
            state = restarted(env, first, state)
            np.testing.assert_array_equal(state.tick.board, recorded.board)
        else:
            state, reward, terminated, truncated = advanced(env, params, state, jnp.int32(recorded.action))
            yield recorded, state, float(reward), bool(terminated), bool(truncated)


@pytest.mark.parametrize("name", sliding_golden.QUIRKS)
@pytest.mark.parametrize("sticky", [True, False])
def test_recorded_quirks_play_again_but_for_the_flag(name, sticky):
    for recorded, state, reward, _, truncated in played(name, sticky):
        np.testing.assert_array_equal(state.tick.board, recorded.board)
        assert (int(state.tick.t), truncated) == (recorded.t, recorded.truncated)
        assert reward == np.float32(recorded.reward)


@pytest.mark.parametrize("name", sliding_golden.QUIRKS)
def test_recorded_termination_is_that_of_a_sticky_flag(name):
    assert all(terminated == recorded.terminated for recorded, _, _, terminated, _ in played(name, sticky=True))


@pytest.mark.parametrize("name", sliding_golden.QUIRKS)
def test_only_a_move_that_solves_terminates_by_default(name):
    for recorded, _, _, terminated, _ in played(name, sticky=False):
        assert terminated == (recorded.terminated and recorded.reward == 1)


def test_the_traces_that_a_sticky_flag_changes_are_the_known_ones():
    changed = {
        name
        for name in sliding_golden.QUIRKS
        if any(terminated != recorded.terminated for recorded, _, _, terminated, _ in played(name, sticky=False))
    }
    assert changed == set(sliding_golden.STICKY_QUIRKS)


def test_recorded_pushes_of_the_stick_are_the_same_actions():
    cases = sliding_golden.document("continuous_actions")
    sticks, thresholds = (np.array([case[key] for case in cases], np.float32) for key in ("input", "threshold"))
    actions = jax.jit(jax.vmap(rules.joystick))(sticks, thresholds)
    assert actions.tolist() == [case["discrete"] for case in cases]


def test_a_stick_moves_tiles_through_the_environment():
    env, params = made(THREE, {"observation.kind": "raw", "play.joystick": True, "play.joystick_threshold": 0.5})
    state = env.start(jnp.array([1, 2, 3, 4, 0, 5, 7, 8, 6]), KEY, params)
    still, reward, *_ = advanced(env, params, state, jnp.array([0.5, -0.5]))
    assert (int(still.tick.blank), int(still.tick.t), float(reward)) == (4, 0, pytest.approx(-0.1))
    left, *_ = advanced(env, params, still, jnp.array([0.6, -0.7]))
    assert (int(left.tick.blank), int(left.tick.t)) == (5, 1)
    up, _, terminated, _ = advanced(env, params, left, jnp.array([0.9, -0.7]))
    assert (int(up.tick.blank), bool(terminated)) == (8, True)
