"""First boards of sliding: the recorded rule as a function, recorded scrambles, and the odds of what is drawn."""

import collections
import functools
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.sliding import rules
from tests.oracles import sliding, sliding_golden

from .games import draw, made, within_chance

THREE = rules.Grid(3, 3)


def keys(count, seed=0):
    return jax.random.split(jax.random.key(seed), count)


@functools.partial(jax.jit, static_argnums=1)
def drawn(keys, grid):
    return jax.vmap(lambda key: rules.random_board(key, grid))(keys)


@functools.partial(jax.jit, static_argnums=3)
def _scrambled(keys, steps, enough, grid):
    return jax.vmap(lambda key: rules.scramble(key, steps, enough, grid))(keys)


def scrambled(count, grid, steps, target=None):
    return _scrambled(keys(count), jnp.int32(steps), jnp.int32(rules.distance_for(target, grid)), grid)


def counted(boards):
    return collections.Counter(map(tuple, np.asarray(boards).tolist()))


def assert_drawn_with(odds, boards):
    """`boards` are all the keys of `odds` and no others, about as often as these say."""
    counts = counted(boards)
    assert counts.keys() == odds.keys()
    assert within_chance([counts[board] for board in odds], [len(boards) * odds[board] for board in odds])


def test_permutations_are_arranged_as_recorded():
    for name in sliding_golden.PARITIES:
        grid = rules.Grid(*sliding_golden.grid_of(name))
        cases = sliding_golden.document("parity")[name]
        permutations = np.array([case["perm"] for case in cases], np.int32)
        blanks = np.array([case["blank"][0] * grid.columns + case["blank"][1] for case in cases], np.int32)

        @jax.jit
        def arranged(permutation, blank, grid=grid):
            board, inverted = rules.arrange(permutation, blank, grid), rules.inversions(permutation)
            first = jnp.argmax(rules.valid_actions(blank, grid))
            solved = rules.is_solved(board, grid)
            moved = jnp.where(solved, rules.slide(board, blank, first, grid)[0], board)
            return moved, inverted, rules.has_solution(inverted, blank // grid.columns, grid), solved

        boards, inverted, solvable, solved = jax.vmap(arranged)(permutations, blanks)
        np.testing.assert_array_equal(boards, [sliding_golden.boards(case["state"], grid) for case in cases])
        for ours, key in ((inverted, "inversions"), (solvable, "solvable")):
            np.testing.assert_array_equal(ours, [case[key] for case in cases])
        np.testing.assert_array_equal(solved, [case["was_solved_then_first_valid_action_applied"] for case in cases])


@pytest.mark.parametrize("name", ["2x2", "3x3", "3x4", "4x4"])
def test_recorded_scrambles_replay(name):
    grid = rules.Grid(*sliding_golden.grid_of(name))
    cases = [case for case in sliding_golden.document("serial_shuffle") if (case["h"], case["w"]) == grid]
    actions = np.full((len(cases), max(len(case["actions"]) for case in cases)), rules.NOOP, np.int32)
    for row, case in zip(actions, cases, strict=True):
        row[: len(case["actions"])] = case["actions"]

    @jax.jit
    @jax.vmap
    def replay(actions):
        def move(at, action):
            return rules.slide(*at, action, grid)[:2], rules.slide(*at, action, grid)[2]

        (board, _), moved = jax.lax.scan(move, (rules.solved_board(grid), jnp.int32(grid.cells - 1)), actions)
        return board, moved.sum(), rules.distance(board, grid)

    boards, moved, distances = replay(actions)
    assert len(cases) == 20
    np.testing.assert_array_equal(boards, [sliding_golden.boards(case["state"], grid) for case in cases])
    np.testing.assert_array_equal(moved, [len(case["actions"]) for case in cases])
    dense = [case["final_dense_reward"] for case in cases]
    np.testing.assert_allclose(-np.asarray(distances) / rules.normaliser(grid), dense, rtol=1e-12)


def test_first_boards_of_the_smallest_grid_have_their_exact_odds():
    recorded = sliding_golden.document("initial_distribution")["2x2_state_counts_24000_resets"]
    reachable = set(sliding.optimal_lengths(sliding.Grid(2, 2)))
    goal = (1, 2, 3, 0)
    neighbours = {
        tuple(sliding.slide(goal, action, sliding.Grid(2, 2))[0].tolist()) for action in (sliding.DOWN, sliding.RIGHT)
    }
    odds = {board: (1.5 if board in neighbours else 1) / 12 for board in reachable - {goal}}
    boards = drawn(keys(24_000), rules.Grid(2, 2))
    assert len(recorded) == len(odds) == 11 and math.isclose(sum(odds.values()), 1)
    assert_drawn_with(odds, boards)
    counts = counted(boards)
    drawn_there = {tuple(max(int(value), 0) for value in key.split(",")): count for key, count in recorded.items()}
    assert all(abs(counts[board] - count) < 6 * math.sqrt(count) for board, count in drawn_there.items())


@pytest.mark.parametrize("name", ["3x3", "3x4", "4x4"])
def test_first_boards_are_drawn_like_the_recorded_ones(name):
    grid, draws = rules.Grid(*sliding_golden.grid_of(name)), 10_000
    recorded = sliding_golden.document("initial_distribution")[name]
    boards = drawn(keys(draws, 1), grid)
    rewards = -np.asarray(jax.vmap(lambda board: rules.distance(board, grid))(boards)) / rules.normaliser(grid)
    error = recorded["std_dense_reward"] * math.sqrt(1 / draws + 1 / recorded["resets"])
    assert abs(rewards.mean() - recorded["mean_dense_reward"]) < 4 * error
    assert abs(rewards.std() - recorded["std_dense_reward"]) < 4 * error / math.sqrt(2)
    for value, key in enumerate(["blank_position_counts", "tile1_position_counts"]):
        counts = np.bincount((np.asarray(boards) == value).argmax(1), minlength=grid.cells)
        assert within_chance(counts, np.full(grid.cells, draws / grid.cells))
        both = np.array([counts, np.ravel(recorded[key])])
        assert within_chance(both, both.mean(0, keepdims=True).repeat(2, 0), constraints=grid.cells + 1)
    for board in np.asarray(boards[:200]):
        assert sliding.solvable(board, sliding.Grid(*grid)) and not sliding.is_solved(board)


def test_a_line_begins_with_its_tiles_in_order_around_any_blank_but_the_last():
    odds = {(0, 1, 2, 3): 1 / 4, (1, 0, 2, 3): 1 / 4, (1, 2, 0, 3): 1 / 2}
    assert_drawn_with(odds, drawn(keys(4000), rules.Grid(1, 4)))
    assert_drawn_with(odds, drawn(keys(4000), rules.Grid(4, 1)))
    assert counted(drawn(keys(10), rules.Grid(1, 2))) == {(0, 1): 10}


def test_board_and_picture_of_an_episode_are_independent():
    env, params = made((2, 2), {"observation.height": 2, "observation.width": 2, "pictures.pool_size": 3})
    states = jax.jit(jax.vmap(env.init, (0, None)))(keys(12_000), params)
    boards = sorted(counted(states.tick.board))
    table = np.zeros((len(boards), 3))
    for board, picture in zip(np.asarray(states.tick.board).tolist(), np.asarray(states.episode.picture), strict=True):
        table[boards.index(tuple(board)), picture] += 1
    assert within_chance(table, table.sum(1, keepdims=True) * np.full(3, 1 / 3), constraints=len(boards))


def scramble_odds(grid, steps, target=None):
    """The odds of each board that a scramble may end with, by following all its choices."""
    odds, going = collections.Counter(), {(tuple(sliding.solved_board(grid).tolist()), None): 1.0}
    for moves in itertools.count():
        following = collections.Counter()
        for (board, previous), chance in going.items():
            if not sliding.scramble_goes_on(board, moves, grid, steps, target):
                odds[board] += chance
                continue
            choices = sliding.scramble_choices(board, previous, grid)
            for action in choices:
                after, _ = sliding.slide(board, action, grid)
                following[tuple(after.tolist()), action] += chance / len(choices)
        if not following:
            return odds
        going = following


@pytest.mark.parametrize(
    ("grid", "steps", "target"),
    [
        ((3, 3), 1, None), ((3, 3), 2, None), ((3, 3), 4, None), ((3, 3), 7, -0.2), ((3, 3), 5, -0.9), ((2, 3), 6, -0.3),
        ((3, 4), 6, -0.1), ((2, 2), 5, None),
    ],
)  # fmt: skip
def test_scrambles_end_with_the_odds_of_their_rule(grid, steps, target):
    odds = scramble_odds(sliding.Grid(*grid), steps, target)
    assert_drawn_with(odds, scrambled(4000, rules.Grid(*grid), steps, target))


def test_a_scramble_stops_at_the_very_distance_of_its_target():
    for grid in (rules.Grid(2, 2), rules.Grid(3, 4), rules.Grid(5, 5)):
        z = rules.normaliser(grid)
        for target in (-1.5, -1.0, -0.4, -0.3, -0.2, -0.1, -1 / z, -1e-9):
            enough = [distance for distance in range(z + 1) if -distance / z <= target]
            assert rules.distance_for(target, grid) == min(enough, default=z + 1)
        assert rules.distance_for(None, grid) == z + 1


def test_a_scramble_that_ends_where_it_began_goes_on():
    # On 2x2 a scramble runs in a circle: after 12 moves it is solved, and goes on for one more, either way around.
    odds = scramble_odds(sliding.Grid(2, 2), 12)
    assert odds == {(1, 2, 0, 3): 0.5, (1, 0, 3, 2): 0.5}
    assert_drawn_with(odds, scrambled(1000, rules.Grid(2, 2), 12))


def test_no_scramble_leaves_the_board_solved():
    boards = scrambled(3, THREE, 0, -0.5)
    np.testing.assert_array_equal(boards, [rules.goal(THREE)] * 3)


def test_a_scramble_of_a_line_stops_at_its_far_end():
    for grid in (rules.Grid(1, 4), rules.Grid(4, 1)):
        ends = [scrambled(1, grid, steps)[0].tolist() for steps in (1, 2, 3, 9)]
        assert ends == [[1, 2, 0, 3], [1, 0, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]]


def test_a_configuration_begins_as_its_mode_says():
    starts = {"observation.kind": "raw", "start.mode": "scramble", "start.scramble_steps": 1}
    env, params = made((3, 3), starts)
    assert_drawn_with(
        scramble_odds(sliding.Grid(3, 3), 1), jax.jit(jax.vmap(env.init, (0, None)))(keys(400), params).tick.board
    )
    board = [0, 2, 3, 1, 4, 5, 7, 8, 6]
    env, params = made((3, 3), {"observation.kind": "raw", "start.mode": "board", "start.board": board})
    first = jax.jit(jax.vmap(env.reset, (0, None)))(keys(2), params)[1]
    assert first.tick.board.tolist() == [board, board]
    assert (first.tick.blank.tolist(), first.tick.t.tolist()) == ([0, 0], [0, 0])


def test_a_board_given_to_an_episode_is_where_it_begins():
    env, params = made((2, 2), {"observation.kind": "raw"})
    boards = np.array([[3, 1, 0, 2], [1, 2, 3, 0], [0, 1, 2, 3]])
    np.testing.assert_array_equal(draw(env, params, boards), np.where(boards == 0, -1, boards).reshape(3, 2, 2))
