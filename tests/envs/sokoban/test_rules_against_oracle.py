"""The rules of Sokoban against the oracle, on random boards of many sizes, closed and open at their edges."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagejax.envs.sokoban import rules
from tests.oracles import sokoban

from .boards import random_puzzle
from .games import cells_of, entry_of, made, outcomes_of, play

SIZES = ((3, 3), (1, 7), (4, 10), (8, 4), (8, 8), (10, 10), (12, 11))
"""Masks of one word, of exactly 32 and 64 cells, of several words, and lines."""
EPISODES, STEPS = 40, 60
NO_ACTIONS = (-1, 4, 5, 100, -(2**31), 2**31 - 1)
FLAGS = ("moved", "pushed", "invalid", "truncated")


class Game:
    """A random level with random actions, and what the oracle makes of them."""

    def __init__(self, random, size):
        cells = size[0] * size[1]
        count = min(int(random.integers(1, 4)), (cells - 1) // 2)
        closed = min(size) > 4 and random.random() < 0.5
        puzzle = random_puzzle(random, *size, count, random.choice([0.0, 0.1, 0.25]), closed)
        self.board = sokoban.Board(*size, *(frozenset(np.flatnonzero(mask).tolist()) for mask in puzzle[:2]))
        boxes = frozenset(np.flatnonzero(puzzle.boxes).tolist())
        if random.random() < 0.3:  # near its end, or solved at once
            self.board = self.board._replace(goals=boxes)
        self.start = sokoban.Game(boxes, puzzle.player)
        self.max_steps = int(random.choice([1, 5, 30, 1000]))
        self.actions = random.integers(0, 4, STEPS)
        strange = random.random(STEPS) < 0.05
        self.actions[strange] = random.choice(NO_ACTIONS, strange.sum())
        solved = sokoban.is_solved(self.board, boxes)
        self.steps = [] if solved else outcomes_of(self.board, self.start, self.actions.tolist(), self.max_steps)

    @property
    def entry(self):
        return entry_of(sokoban.write(self.board, self.start.boxes, self.start.player), self.max_steps)


@functools.cache
def played(size, seed=0):
    """Random games on boards of a size, and the same as kagejax plays them."""
    random = np.random.default_rng([*size, seed])
    games = [Game(random, size) for _ in range(EPISODES)]
    env, params = made([game.entry for game in games], {"observation.kind": "symbolic"})
    return games, play(env, params, [game.actions.tolist() for game in games])


def assert_is_the_oracles(games, trace):
    for e, game in enumerate(games):
        states, outcomes = [state for state, _ in game.steps], [outcome for _, outcome in game.steps]
        steps = len(states)
        assert cells_of(trace.boxes[e, :steps]) == [state.boxes for state in states]
        assert trace.player[e, :steps].tolist() == [state.player for state in states]
        assert trace.t[e, :steps].tolist() == [state.t for state in states]
        assert trace.terminated[e, :steps].tolist() == [outcome.solved for outcome in outcomes]
        for name in FLAGS:
            assert getattr(trace, name)[e, :steps].tolist() == [getattr(outcome, name) for outcome in outcomes], name


@pytest.mark.parametrize("size", SIZES)
def test_random_games_are_those_of_the_oracle(size):
    assert_is_the_oracles(*played(size))


@given(seed=st.integers(1, 2**32))
@settings(max_examples=12, deadline=None)
def test_other_random_games_are_those_of_the_oracle_too(seed):
    assert_is_the_oracles(*played.__wrapped__((4, 10), seed))


@pytest.mark.parametrize("size", SIZES)
def test_what_is_over_stays_as_it_is(size):
    games, trace = played(size)
    for e, game in enumerate(games):
        if game.steps and not game.steps[-1][1].done:
            continue
        last, outcome = game.steps[-1] if game.steps else (game.start, None)
        rest = slice(len(game.steps), None)
        assert set(cells_of(trace.boxes[e, rest])) <= {last.boxes}
        assert (trace.player[e, rest] == last.player).all()
        assert (trace.t[e, rest] == last.t).all()
        assert (trace.terminated[e, rest] == (outcome is None or outcome.solved)).all()
        assert (trace.truncated[e, rest] == (outcome is not None and outcome.truncated)).all()
        for name in ("reward", "moved", "pushed", "invalid"):
            assert not getattr(trace, name)[e, rest].any()


@pytest.mark.parametrize("size", SIZES)
def test_actions_that_are_none_move_nothing_and_count(size):
    games, trace = played(size)
    met = 0
    for e, game in enumerate(games):
        for step in range(1, len(game.steps)):
            if game.actions[step] in NO_ACTIONS:
                met += 1
                assert trace.player[e, step] == trace.player[e, step - 1]
                assert (trace.boxes[e, step] == trace.boxes[e, step - 1]).all()
                assert trace.invalid[e, step]
                assert trace.t[e, step] == step + 1
    assert met


def test_the_random_games_meet_what_they_are_to_test():
    met = set()
    for size in SIZES:
        for game in played(size)[0]:
            before = game.start
            for action, (after, outcome) in zip(game.actions, game.steps, strict=False):
                if action in sokoban.STEPS:
                    ahead = sokoban.neighbour(game.board, before.player, action)
                    beyond = None if ahead is None else sokoban.neighbour(game.board, ahead, action)
                    met |= {"walks out"} if ahead is None else set()
                    met |= {"pushes out"} if ahead in before.boxes and beyond is None else set()
                    met |= {"box on box"} if ahead in before.boxes and beyond in before.boxes else set()
                    met |= {"box on wall"} if ahead in before.boxes and beyond in game.board.walls else set()
                met |= {name for name in (*FLAGS, "solved") if getattr(outcome, name)}
                before = after
            met |= {"solved at once"} if not game.steps else set()
    assert met >= {"walks out", "pushes out", "box on box", "box on wall", "solved at once", "solved", *FLAGS}


def test_a_solve_in_the_last_step_is_a_solve():
    env, params = made([entry_of("@$ .", max_steps=2), entry_of("@$ .", max_steps=1)], {"observation.kind": "symbolic"})
    trace = play(env, params, [[3, 3, 3]] * 2)
    assert trace.terminated.tolist() == [[False, True, True], [False, False, False]]
    assert trace.truncated.tolist() == [[False, False, False], [True, True, True]]
    assert trace.reward.tolist() == [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]


def test_a_row_is_not_the_continuation_of_the_one_before():
    level = "  $@\n  . "
    env, params = made([entry_of(level, max_steps=9)], {"observation.kind": "symbolic"})
    trace = play(env, params, [[3, 1, 3, 2, 2, 2]])
    assert trace.player[0].tolist() == [3, 7, 7, 6, 5, 4]


@pytest.mark.parametrize("size", [(3, 3), (4, 8), (4, 10), (10, 10), (12, 11)])
def test_masks_hold_the_cells_they_are_made_of(size):
    board, cells = rules.Board(*size), np.random.default_rng(size).random(size) < 0.5
    mask = rules.mask_of(cells)
    assert (mask.dtype, mask.shape) == (np.uint32, (board.words,))
    np.testing.assert_array_equal(rules.spread(mask, board), cells)
    assert [bool(rules.holds(mask, np.int32(cell))) for cell in range(board.cells)] == cells.ravel().tolist()
