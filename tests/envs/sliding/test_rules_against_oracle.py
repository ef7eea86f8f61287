"""The rules of sliding against the oracle, on random boards of grids of many sizes, with all options."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagejax.envs.sliding import rules, text
from tests.oracles import sliding, sliding_text
from tests.oracles.sliding import Options

from .games import made_batch, play

GRIDS = ((1, 2), (5, 1), (2, 2), (2, 5), (3, 3), (4, 3), (6, 7), (7, 6))
STEPS, EPISODES = 30, 3
CORNERS = [
    Options(mode=mode, circular=circular, invalid=invalid, exponential=exponential, max_steps=max_steps)
    for mode, circular, (invalid, exponential, max_steps) in itertools.product(
        ("distances", "percent_solved", "sparse"),
        (False, True),
        ((-1.0, False, 1000), (None, True, 9), (-0.25, False, None)),
    )
] + [Options(mode="sparse", win=7.5, move=-2.0, invalid=-3.0), Options(win=0.0, move=0.0, invalid=None)]


def random_episodes(random, grid, noop):
    """Three boards, of any parity, one move from the goal and solved, and actions, some of them no actions at all."""
    back = sliding.DOWN if grid.rows > 1 else sliding.RIGHT
    near, _ = sliding.slide(sliding.solved_board(grid), back, grid)
    boards = np.array([random.permutation(grid.cells), near, sliding.solved_board(grid)])
    actions = random.integers(0, 5 if noop else 4, (EPISODES, STEPS))
    strange = random.random(actions.shape) < 0.05
    actions[strange] = random.choice([-1, 4, 5, 100, -(2**31)], strange.sum())
    actions[1, 0] = sliding.OPPOSITE[back]
    return boards, actions


def steps_of(board, actions, grid, options):
    """What the oracle makes of an episode: the games before and after each step, and its outcome."""
    game = sliding.fresh(board, options)
    for action in actions:
        before = game
        game, outcome = sliding.step(game, action, grid, options)
        yield before, game, outcome


@functools.cache
def played(size, noop):
    """Random episodes of all options, as kagejax and as the oracle play them."""
    grid, random = sliding.Grid(*size), np.random.default_rng([*size, noop])
    options = [each._replace(noop=noop, sticky_termination=i % 2 == 1) for i, each in enumerate(CORNERS)]
    boards, actions = random_episodes(random, grid, noop)
    env, stacked = made_batch(size, {"observation.kind": "raw"}, options)
    theirs = [
        list(steps_of(board, moves, grid, each)) for each in options for board, moves in zip(boards, actions, strict=True)
    ]
    return grid, options, play(env, stacked, boards, actions), theirs


@pytest.mark.parametrize("noop", [False, True])
@pytest.mark.parametrize("size", GRIDS)
def test_random_games_are_those_of_the_oracle(size, noop):
    grid, options, ours, theirs = played(size, noop)
    for i, steps in enumerate(theirs):
        trace = jax.tree.map(lambda x, i=i: x[i // EPISODES, i % EPISODES], ours)
        each = options[i // EPISODES]
        games, outcomes = [game for _, game, _ in steps], [outcome for *_, outcome in steps]
        np.testing.assert_array_equal(trace.board, [game.board for game in games], err_msg=str(each))
        np.testing.assert_array_equal(trace.t, [game.t for game in games])
        rewards = np.array([outcome.reward for outcome in outcomes], np.float32)
        np.testing.assert_allclose(trace.reward, rewards, rtol=3e-7 if each.exponential else 0, err_msg=str(each))
        np.testing.assert_array_equal(trace.terminated, [outcome.terminated for outcome in outcomes], err_msg=str(each))
        # Past its limit an episode is cut at any step, at those that do not count too.
        limit = np.inf if each.max_steps is None else each.max_steps
        np.testing.assert_array_equal(trace.truncated, [game.t >= limit for game in games])


@pytest.mark.parametrize("size", GRIDS)
def test_blank_and_distance_in_the_state_are_those_of_the_board(size):
    grid, _, ours, _ = played(size, False)
    boards = ours.board.reshape(-1, grid.cells)
    np.testing.assert_array_equal(ours.blank.ravel(), boards.argmin(1))
    same = rules.Grid(*grid)
    distances, wrong = jax.jit(jax.vmap(lambda board: (rules.distance(board, same), rules.wrong(board, same))))(boards)
    np.testing.assert_array_equal(ours.distance.ravel(), distances)
    some = slice(None, None, 7)
    np.testing.assert_array_equal(distances[some], [sliding.distance(board, grid) for board in boards[some]])
    np.testing.assert_array_equal(wrong[some], [sliding.wrong(board) for board in boards[some]])


def test_the_random_games_meet_what_they_are_to_test():
    met = set()
    for size, noop in itertools.product(GRIDS, [False, True]):
        *_, theirs = played(size, noop)
        for steps in theirs:
            for before, game, outcome in steps:
                met |= {("still counted", game.t > before.t and (game.board == before.board).all())}
                met |= {("rests", game.t == before.t), ("cut", outcome.truncated)}
                met |= {("solves", outcome.terminated and game.board.tolist() != before.board.tolist())}
                met |= {("flag outlives", outcome.terminated and game.board.tolist() == before.board.tolist())}
    assert {name for name, happened in met if happened} == {"still counted", "rests", "cut", "solves", "flag outlives"}


def test_more_cells_than_an_i8_holds_are_an_i16():
    grid = rules.Grid(12, 11)
    board = np.random.default_rng(0).permutation(grid.cells)
    env, stacked = made_batch(grid, {"observation.kind": "raw"}, [Options()])
    actions = np.random.default_rng(1).integers(0, 4, (1, 20))
    trace = play(env, stacked, board[None], actions)
    game = sliding.fresh(board)
    for t, action in enumerate(actions[0]):
        game, outcome = sliding.step(game, action, sliding.Grid(*grid))
        np.testing.assert_array_equal(trace.board[0, 0, t], game.board)
        assert trace.reward[0, 0, t] == np.float32(outcome.reward)
        assert trace.distance[0, 0, t] == sliding.distance(game.board, sliding.Grid(*grid))
    assert (trace.board.dtype, rules.Grid(11, 11).dtype) == (np.int16, jnp.int8)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_why_a_board_cannot_be_solved_agrees_with_parity(data):
    grid = rules.Grid(data.draw(st.integers(2, 6)), data.draw(st.integers(2, 7)))
    board = data.draw(st.permutations(range(grid.cells)))
    assert (rules.why_unsolvable(np.array(board), grid) is None) == sliding.solvable(board, sliding.Grid(*grid))


@pytest.mark.parametrize("size", [(2, 2), (2, 3), (3, 3), (4, 2), (1, 4), (3, 1)])
def test_solvable_boards_are_those_from_which_moves_lead_to_the_goal(size):
    grid, random = rules.Grid(*size), np.random.default_rng(2)
    reachable = sliding.optimal_lengths(sliding.Grid(*size))
    boards = np.array([random.permutation(grid.cells) for _ in range(150)] + [list(board) for board in list(reachable)[:50]])
    found = jax.jit(jax.vmap(lambda board: rules.solvable(board, grid)))(boards)
    assert found.tolist() == [tuple(board) in reachable for board in boards.tolist()]
    assert [rules.why_unsolvable(board, grid) is None for board in boards] == found.tolist()


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_texts_are_split_as_by_the_oracle(data):
    grid = rules.Grid(data.draw(st.integers(1, 4)), data.draw(st.integers(2, 4)))
    words = data.draw(st.text(alphabet="abc .|;\n\t", min_size=grid.cells, max_size=80))
    separators = data.draw(st.sampled_from([(" ", "\n"), ("|", ";"), (" ", " "), (", ", ". ")]))
    assert text.split(words, grid, *separators) == sliding_text.split(words, sliding.Grid(*grid), *separators)


@settings(max_examples=300, deadline=None)
@given(
    st.tuples(*[st.floats(-1, 1, width=32, allow_subnormal=False)] * 2),
    st.floats(0, 1, width=32, exclude_max=True, allow_subnormal=False),
)
def test_any_stick_is_the_action_of_the_oracle(stick, threshold):
    assert int(joystick(np.array(stick, np.float32), np.float32(threshold))) == sliding.joystick(stick, threshold)


joystick = jax.jit(rules.joystick)
