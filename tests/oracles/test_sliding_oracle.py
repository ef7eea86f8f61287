"""The sliding oracle against recorded episodes, first boards and vector observations of the reference."""

import collections
import itertools
import math

import numpy as np
import pytest

from . import sliding, sliding_golden
from .sliding import Grid, Options

EVERY_FILE = sorted(path.stem for path in sliding_golden.FOLDER.glob("*.npz"))
THREE = Grid(3, 3)


def within_chance(counts, expected) -> bool:
    """Whether a chi-square sum is at most five standard deviations above what it is on average."""
    counts, expected = np.ravel(counts), np.ravel(expected)
    freedom = counts.size - 1
    return ((counts - expected) ** 2 / expected).sum() < freedom + 5 * math.sqrt(2 * freedom)


def test_the_loader_names_every_recorded_archive():
    names = [f"transitions_{name}" for name in sliding_golden.TRANSITIONS]
    names += [f"observations_{name}" for name in sliding_golden.OBSERVATIONS]
    names += [f"render_{name}" for name in (*sliding_golden.RENDERS, "chw_normalised_3x3")]
    assert sorted(names) == EVERY_FILE


@pytest.mark.parametrize("name", sliding_golden.TRANSITIONS)
@pytest.mark.parametrize("mode", ["distances", "percent_solved", "sparse"])
def test_recorded_episodes_replay(name, mode):
    grid, options = sliding_golden.grid_of(name), Options(mode=mode, max_steps=sliding_golden.max_steps(name))
    for episode in sliding_golden.episodes(name):
        game = sliding.fresh(episode.boards[0], options)
        outcomes = []
        for t, action in enumerate(episode.actions):
            game, outcome = sliding.step(game, action, grid, options)
            np.testing.assert_array_equal(game.board, episode.boards[t + 1])
            assert game.t == t + 1
            outcomes.append(outcome)
        reward, terminated, truncated = (np.array(values) for values in zip(*outcomes, strict=True))
        np.testing.assert_array_equal(reward, episode.rewards[mode])
        np.testing.assert_array_equal(terminated, episode.terminated)
        np.testing.assert_array_equal(truncated, episode.truncated)


@pytest.mark.parametrize("name", sliding_golden.TRANSITIONS)
def test_recorded_moves_are_valid_where_the_oracle_says_so(name):
    grid = sliding_golden.grid_of(name)
    for episode in sliding_golden.episodes(name):
        blanks = [sliding.cell_of(sliding.blank_index(board), grid) for board in episode.boards]
        np.testing.assert_array_equal(blanks, episode.blanks)
        valid = [sliding.valid_actions(b, grid)[a] for b, a in zip(episode.boards[:-1], episode.actions, strict=True)]
        np.testing.assert_array_equal(valid, episode.valid)


@pytest.mark.parametrize(
    ("size", "expected"), [((2, 2), 8), ((3, 3), 30), ((3, 4), 50), ((4, 3), 50), ((4, 4), 80), ((5, 5), 160)]
)
def test_the_normaliser_is_the_recorded_one(size, expected):
    assert sliding.normaliser(Grid(*size)) == expected


@pytest.mark.parametrize("name", sliding_golden.TRANSITIONS)
def test_the_normaliser_is_the_one_in_the_episodes(name):
    assert sliding.normaliser(sliding_golden.grid_of(name)) == sliding_golden.archive(f"transitions_{name}")["normaliser"]


def test_exponential_rewards_are_those_of_the_plain_game_exponentiated():
    episode = sliding_golden.episodes("3x3")[1]
    game = sliding.fresh(episode.boards[0])
    for action, plain in zip(episode.actions, episode.rewards["distances"], strict=True):
        game, outcome = sliding.step(game, action, THREE, Options(exponential=True))
        assert outcome.reward == math.exp(plain)


def played(name: str, options: Options):
    """The recorded trace of a quirk beside the oracle's game and outcome, resets left out."""
    game = None
    for recorded in sliding_golden.quirk(name):
        if recorded.action is None:
            game = sliding.fresh(recorded.board, options, game is not None and game.last_terminated)
        else:
            game, outcome = sliding.step(game, recorded.action, THREE, options)
            yield recorded, game, outcome


@pytest.mark.parametrize("name", sliding_golden.QUIRKS)
@pytest.mark.parametrize("sticky", [True, False])
def test_recorded_quirks_play_again_but_for_the_flag(name, sticky):
    options = sliding_golden.QUIRKS[name]._replace(sticky_termination=sticky)
    for recorded, game, outcome in played(name, options):
        np.testing.assert_array_equal(game.board, recorded.board)
        assert (game.t, outcome.reward, outcome.truncated) == (recorded.t, recorded.reward, recorded.truncated)


@pytest.mark.parametrize("name", sliding_golden.QUIRKS)
def test_recorded_termination_is_that_of_a_sticky_flag(name):
    options = sliding_golden.QUIRKS[name]._replace(sticky_termination=True)
    for recorded, _, outcome in played(name, options):
        assert outcome.terminated == recorded.terminated


@pytest.mark.parametrize("name", sliding_golden.QUIRKS)
def test_only_a_move_that_solves_terminates_when_the_flag_is_not_sticky(name):
    flags = [(o.terminated, r.terminated and r.reward == 1) for r, _, o in played(name, sliding_golden.QUIRKS[name])]
    assert all(given == expected for given, expected in flags)


def test_the_sticky_quirks_are_the_traces_that_differ():
    differing = {
        name
        for name, options in sliding_golden.QUIRKS.items()
        if any(outcome.terminated != recorded.terminated for recorded, _, outcome in played(name, options))
    }
    assert differing == set(sliding_golden.STICKY_QUIRKS)


def test_a_noop_terminates_only_with_the_sticky_flag():
    for sticky in (True, False):
        options = Options(noop=True, sticky_termination=sticky)
        game, _ = sliding.step(sliding.fresh([1, 2, 3, 4, 5, 6, 7, 0, 8], options), sliding.LEFT, THREE, options)
        _, outcome = sliding.step(game, sliding.NOOP, THREE, options)
        assert outcome == (1.0, sticky, False)


def test_a_counted_stay_on_a_solved_board_terminates_only_with_the_sticky_flag():
    for sticky in (True, False):
        options = Options(sticky_termination=sticky)
        game, outcome = sliding.step(sliding.fresh(sliding.solved_board(THREE)), 7, THREE, options)
        assert (game.t, outcome) == (1, (1.0, sticky, False))


@pytest.mark.parametrize("name", sliding_golden.PARITIES)
def test_recorded_permutations_are_arranged_again(name):
    grid = sliding_golden.grid_of(name)
    for case in sliding_golden.document("parity")[name]:
        row, column = case["blank"]
        assert sliding.inversions(case["perm"]) == case["inversions"]
        assert sliding.parity_allows(case["perm"], row, grid) == case["solvable"]
        board = sliding.arrange(case["perm"], row, column, grid)
        assert sliding.solvable(board, grid)
        assert sliding.is_solved(board) == case["was_solved_then_first_valid_action_applied"]
        if sliding.is_solved(board):
            board, _ = sliding.slide(board, sliding.valid_actions(board, grid).index(True), grid)
        np.testing.assert_array_equal(board, sliding_golden.boards(case["state"], grid))


@pytest.mark.parametrize("case", sliding_golden.document("serial_shuffle"))
def test_recorded_scrambles_replay(case):
    grid, steps, target = Grid(case["h"], case["w"]), case["shuffle_steps"], case["shuffle_target_reward"]
    board, previous = sliding.solved_board(grid), None
    for moves, action in enumerate(case["actions"]):
        assert sliding.scramble_goes_on(board, moves, grid, steps, target)
        assert action in sliding.scramble_choices(board, previous, grid)
        (board, _), previous = sliding.slide(board, action, grid), action
    assert not sliding.scramble_goes_on(board, len(case["actions"]), grid, steps, target)
    np.testing.assert_array_equal(board, sliding_golden.boards(case["state"], grid))
    assert sliding.dense_reward(board, grid) == case["final_dense_reward"]
    assert sliding.fresh(board).t == case["steps_counter"]


@pytest.mark.parametrize(("steps", "target"), [(0, None), (1, None), (12, None), (200, -0.4)])
def test_scrambles_are_drawn_by_the_rule_that_the_recorded_ones_obey(steps, target):
    board, actions = sliding.scramble(np.random.default_rng(0), THREE, steps, target)
    assert sliding.is_solved(board) == (steps == 0)
    assert len(actions) == steps or (target is not None and sliding.dense_reward(board, THREE) <= target)
    assert all(after != sliding.OPPOSITE[before] for before, after in itertools.pairwise(actions))


def test_recorded_first_boards_of_the_smallest_grid_have_their_exact_odds():
    grid, odds = Grid(2, 2), collections.Counter()
    for permutation in itertools.permutations([1, 2, 3]):
        for row, column in itertools.product(range(2), repeat=2):
            board = sliding.arrange(permutation, row, column, grid)
            moved = [sliding.slide(board, a, grid)[0] for a in np.flatnonzero(sliding.valid_actions(board, grid))]
            results = moved if sliding.is_solved(board) else [board]
            for result in results:
                odds[tuple(result.tolist())] += 1 / 24 / len(results)
    recorded = sliding_golden.document("initial_distribution")["2x2_state_counts_24000_resets"]
    counts = {tuple(max(int(value), 0) for value in key.split(",")): count for key, count in recorded.items()}
    assert counts.keys() == odds.keys()
    assert within_chance([counts[board] for board in odds], [24_000 * odds[board] for board in odds])


@pytest.mark.parametrize("name", ["3x3", "3x4", "4x4"])
def test_first_boards_are_drawn_like_the_recorded_ones(name):
    grid, rng, draws = sliding_golden.grid_of(name), np.random.default_rng(1), 3000
    recorded = sliding_golden.document("initial_distribution")[name]
    drawn = [sliding.random_board(rng, grid) for _ in range(draws)]
    assert all(sliding.solvable(board, grid) and not sliding.is_solved(board) for board in drawn)
    rewards = [sliding.dense_reward(board, grid) for board in drawn]
    error = recorded["std_dense_reward"] * math.sqrt(1 / draws + 1 / recorded["resets"])
    assert abs(np.mean(rewards) - recorded["mean_dense_reward"]) < 4 * error
    assert abs(np.std(rewards) - recorded["std_dense_reward"]) < 4 * error / math.sqrt(2)
    for value, key in enumerate(["blank_position_counts", "tile1_position_counts"]):
        places = [board.tolist().index(value) for board in drawn]
        assert within_chance(np.bincount(places, minlength=grid.cells), np.full(grid.cells, draws / grid.cells))
        assert within_chance(recorded[key], np.full(grid.cells, recorded["resets"] / grid.cells))


@pytest.mark.parametrize("name", sliding_golden.OBSERVATIONS)
def test_recorded_boards_are_observed_again(name):
    grid, data = sliding_golden.grid_of(name), sliding_golden.archive(f"observations_{name}")
    boards = sliding_golden.boards(data["states"], grid)
    observed = {
        "states": [sliding.raw(board, grid) for board in boards],
        "onehot": [sliding.onehot(board) for board in boards],
        "normalized": [sliding.normalized(board, grid) for board in boards],
        "coordinates": [sliding.coordinates(board, grid) for board in boards],
        "coordinates_unnormalised": [sliding.coordinates(board, grid, normalize=False) for board in boards],
    }
    for key, values in observed.items():
        np.testing.assert_array_equal(np.array(values), data[key], err_msg=key)
        assert np.array(values).dtype == data[key].dtype


@pytest.mark.parametrize("name", sliding_golden.OBSERVATIONS)
def test_recorded_boards_are_worth_the_same_again(name):
    grid, data = sliding_golden.grid_of(name), sliding_golden.archive(f"observations_{name}")
    boards = sliding_golden.boards(data["states"], grid)
    dense = [sliding.board_reward(board, grid) for board in boards]
    percent = [sliding.board_reward(board, grid, Options(mode="percent_solved")) for board in boards]
    np.testing.assert_array_equal(dense, data["dense_reward_of_state"])
    np.testing.assert_array_equal(percent, data["percent_reward_of_state"])
    np.testing.assert_allclose(np.exp(dense), data["exp_dense_reward"], rtol=0, atol=5e-16)
    np.testing.assert_array_equal([sliding.is_solved(board) for board in boards], data["solved"])
    np.testing.assert_array_equal([sliding.valid_actions(board, grid) for board in boards], data["valid_action_mask"])


def test_another_blank_value_is_observed_as_such():
    recorded = next(entry for entry in sliding_golden.document("quirks") if entry["name"] == "blank_value_0")["trace"][-1]
    board = sliding_golden.boards(recorded["state"], THREE)
    np.testing.assert_array_equal(sliding.raw(board, THREE, blank_value=0), recorded["state"])
    assert sliding.normalized(board, THREE, blank_value=0)[-1, -1] == 0


@pytest.mark.parametrize("case", sliding_golden.document("continuous_actions"))
def test_recorded_pushes_of_the_joystick_are_the_same_actions(case):
    assert sliding.joystick(case["input"], case["threshold"]) == case["discrete"]


@pytest.mark.parametrize("name", ["2x2", "2x3", "3x3"])
def test_recorded_optimal_lengths_are_found_again(name):
    recorded, lengths = sliding_golden.document("optimal_lengths")[name], sliding.optimal_lengths(sliding_golden.grid_of(name))
    histogram = collections.Counter(lengths.values())
    assert {str(length): count for length, count in histogram.items()} == recorded["histogram"]
    assert len(lengths) == recorded["solvable_states"]
    assert max(histogram) == recorded["max_optimal_moves"]
    assert np.mean(list(lengths.values())) == pytest.approx(recorded["mean_optimal_moves_all_states"], rel=1e-12)


def test_recorded_boards_take_as_many_moves_as_was_found():
    boards = sliding_golden.boards(sliding_golden.archive("observations_3x3")["states"], THREE)
    lengths = [sliding.optimal_lengths(THREE)[tuple(board.tolist())] for board in boards]
    assert lengths == sliding_golden.document("optimal_lengths")["optimal_moves_for_observations_3x3_states"]


@pytest.mark.parametrize("name", ["2x2", "2x3"])
def test_the_boards_that_parity_allows_are_those_that_can_be_solved(name):
    grid = sliding_golden.grid_of(name)
    allowed = {board for board in itertools.permutations(range(grid.cells)) if sliding.solvable(board, grid)}
    assert allowed == set(sliding.optimal_lengths(grid))
