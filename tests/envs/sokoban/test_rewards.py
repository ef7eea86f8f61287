"""What a step of Sokoban earns: the solution, a cost, and a shaping that nothing is gained from by going in circles."""

import numpy as np
import pytest

from tests.oracles import sokoban, sokoban_golden

from .boards import random_puzzle
from .games import entry_of, made, play

FREELY = {"observation.kind": "symbolic", "play.max_steps": 1000}
SHUTTLE = "#######\n# @$. #\n#     #\n# $ . #\n#######"
ON_AND_OFF = [3, 1, 3, 3, 0, 2, 1, 2, 2, 0]
"""Pushes a box of SHUTTLE onto a goal, goes around it, pushes it back, and goes around it to where it began."""
TIMES = 5


def rewards_of(levels, values, actions):
    env, params = made([entry_of(level) for level in levels], FREELY | values)
    return play(env, params, actions)


def share(board, boxes):
    return np.float32(len(board.goals & boxes)) / np.float32(len(boxes))


def test_by_default_only_the_solution_is_worth_anything():
    trace = rewards_of(["#@$. #", "#@$ .#"], {}, [[3, 0, 2], [0, 3, 3]])
    assert trace.reward.tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert rewards_of([SHUTTLE], {}, [ON_AND_OFF]).reward.tolist() == [[0.0] * 10]


def test_every_step_costs_the_same_and_none_after_the_end():
    trace = rewards_of(["@$.##"] * 2, {"reward.win": 5.0, "reward.step_cost": 0.25}, [[0, 7, 3, 3], [2, 2, 2, 2]])
    assert trace.reward.tolist() == [[-0.25, -0.25, 4.75, 0.0], [-0.25] * 4]


def games(count):
    """Random levels and actions, and the share of boxes on goals before and after each step."""
    random, levels, actions, shares = np.random.default_rng(5), [], [], []
    for _ in range(count):
        puzzle = random_puzzle(random, 7, 7, 3, 0.0, border=True)
        board = sokoban.Board(7, 7, *(frozenset(np.flatnonzero(mask).tolist()) for mask in puzzle[:2]))
        game = sokoban.Game(frozenset(np.flatnonzero(puzzle.boxes).tolist()), puzzle.player)
        levels.append(sokoban.write(board, game.boxes, game.player))
        actions.append(random.integers(0, 4, 400).tolist())
        steps = sokoban.play(board, game, actions[-1], 1000)
        shares.append([share(board, game.boxes), *(share(board, after.boxes) for after, _ in steps)])
    return levels, actions, shares


@pytest.fixture(scope="module")
def random_games():
    found = games(30)
    assert sum(len(set(shares)) > 1 for shares in found[2]) >= 10
    return found


def test_shaping_is_the_change_of_the_share_of_boxes_on_goals(random_games):
    levels, actions, shares = random_games
    trace = rewards_of(levels, {"reward.win": 0.0, "reward.shaping": 0.5, "reward.gamma": 0.9}, actions)
    for reward, each in zip(trace.reward, shares, strict=True):
        expected = 0.5 * (np.float32(0.9) * np.array(each[1:], np.float64) - np.array(each[:-1], np.float64))
        np.testing.assert_allclose(reward[: len(expected)], expected, atol=1e-7)


def test_without_discount_shaping_sums_up_to_the_difference_of_the_ends(random_games):
    levels, actions, shares = random_games
    trace = rewards_of(levels, {"reward.win": 0.0, "reward.shaping": 2.0}, actions)
    for reward, each in zip(trace.reward.astype(np.float64), shares, strict=True):
        np.testing.assert_allclose(reward.sum(), 2 * (float(each[-1]) - float(each[0])), atol=1e-6)


def test_going_back_and_forth_earns_exactly_nothing(random_games):
    levels, actions, shares = random_games
    trace = rewards_of(levels, {"reward.win": 0.0, "reward.shaping": 3.7}, actions)
    cycles = 0
    for reward, each in zip(trace.reward.astype(np.float64), shares, strict=True):
        places: dict[float, int] = {}
        for step, value in enumerate(each):
            if value in places and len(set(each[places[value] : step])) > 1:
                assert reward[places[value] : step].sum() == 0.0
                cycles += 1
            places.setdefault(value, step)
    assert cycles > 100


@pytest.mark.parametrize("cost", [0.0, 0.01])
@pytest.mark.parametrize("gamma", [1.0, 0.99, 0.5])
def test_a_box_shuttled_onto_a_goal_and_off_it_is_never_a_gain(gamma, cost):
    values = {"reward.shaping": 1.0, "reward.gamma": gamma, "reward.step_cost": cost}
    trace = rewards_of([SHUTTLE], values, [ON_AND_OFF * TIMES])
    reward = trace.reward[0].astype(np.float64)
    assert ((trace.boxes[0, :, 0] >> np.uint32(11) & 1).sum(), trace.pushes[0, -1]) == (5 * TIMES, 2 * TIMES)
    discounted = reward * gamma ** np.arange(len(reward))
    expected = -cost * (gamma ** np.arange(len(reward))).sum()
    assert discounted.sum() == pytest.approx(expected, abs=1e-6)  # by the learner's discount, no more than the steps cost
    assert reward.sum() <= 0.0  # without it, neither
    assert (reward.sum() == 0.0) == (gamma == 1.0 and cost == 0.0)


def test_a_recorded_solution_earns_its_shaping_and_the_win():
    level = sokoban_golden.levels()["A0"]
    trace = rewards_of([level.text], {"reward.shaping": 1.0, "reward.step_cost": 0.5}, [level.solution])
    assert trace.reward.astype(np.float64).sum() == pytest.approx(2.0 - 0.5 * level.optimal_length, abs=1e-6)
    assert trace.terminated[0].tolist() == [False] * (level.optimal_length - 1) + [True]
