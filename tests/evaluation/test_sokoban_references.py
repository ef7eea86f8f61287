"""Agents to compare with."""

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.envs.sokoban import solver, text
from kagejax.evaluation.sokoban import harness, references
from kagejax.evaluation.sokoban.agents import Weights
from tests.oracles import sokoban, sokoban_golden

from .sokoban_cases import OPEN, TUNNEL, arena, without_times

UNSOLVABLE = "######\n#$   #\n#    #\n#@  .#\n######"


def golden_arena(folder, split, kind):
    levels = [level for level in sokoban_golden.levels().values() if level.split == split]
    entries = [{"ascii": x.text, "optimal_len": x.optimal_length, "max_steps": x.max_steps} for x in levels]
    return arena(folder, *entries, kind=kind, name=f"split_{split}")


def test_perfect_play_is_perfect(tmp_path):
    place = golden_arena(tmp_path, "A", "symbolic")
    report = harness.evaluate(references.SOLVER, references.solutions(place), [place], seeds=(0,))
    figures = report["splits"]["split_A"]
    assert (figures["success_rate"], figures["move_efficiency"], figures["deadlock_rate"]) == (1.0, 1.0, 0.0)
    assert figures["max_model_calls"] == 0
    assert report["forbidden"] == "it plays the solutions of an exact solver"


def test_perfect_play_gives_up_where_there_is_no_solution(tmp_path):
    place = arena(tmp_path, UNSOLVABLE, OPEN)
    lost, won = harness.play(references.SOLVER, references.solutions(place), place)
    assert (lost.solved, lost.steps, lost.illegal_action, lost.optimal) == (False, 0, True, None)
    assert won.solved


def test_random_play_depends_on_its_seed_alone(tmp_path):
    place = golden_arena(tmp_path, "W", "pictures")
    first, again, other = (without_times(harness.play(references.RANDOM, Weights(), place, seed)) for seed in (0, 0, 1))
    assert first == again
    assert first != other
    moves = np.concatenate([episode.actions for episode in first + other])
    assert np.bincount(moves, minlength=4).min() > len(moves) / 8


def test_greedy_play_pushes_towards_the_goal(tmp_path):
    place = arena(tmp_path, "########\n#      #\n#@ $  .#\n########")
    (episode,) = harness.play(references.GREEDY, Weights(), place)
    assert (episode.solved, episode.steps, episode.model_calls) == (True, 4, (4, 4, 4, 4))


def test_greedy_play_walks_into_traps(tmp_path):
    place = arena(tmp_path, "#######\n#@$ #.#\n#   # #\n#     #\n#######")
    (episode,) = harness.play(references.GREEDY, Weights(), place)
    assert (episode.solved, episode.deadlocked) == (False, True)


def test_greedy_play_asks_its_model_four_times_a_step_and_may_not_be_entered(tmp_path):
    report = harness.evaluate(references.GREEDY, Weights(), [arena(tmp_path, TUNNEL)], seeds=(0,))
    assert report["splits"]["split_X"]["max_model_calls"] == 4
    assert report["forbidden"] == "it sees the symbols of the board, and knows the rules"


def test_the_model_of_greedy_play_is_the_game():
    level = next(level for level in sokoban_golden.levels().values() if level.split == "C")
    board, game = sokoban.parse(level.text)
    weights = references.book([text.parse(level.text)], [()])
    planes = weights.agent.starts[0]
    random = np.random.default_rng(3)
    step = jax.jit(references.GREEDY.dynamics)
    for action in random.integers(4, size=60):
        game, _ = sokoban.step(board, game, int(action), 1000)
        planes = step((), planes[None], jnp.array([action]))[0]
        assert set(np.flatnonzero(planes[..., 2])) == game.boxes
        assert np.flatnonzero(planes[..., 3]).tolist() == [game.player]


def test_solutions_are_shortest():
    assert len(references.solution(text.parse(OPEN))) == solver.solve(text.parse(OPEN)).length
    assert references.solution(text.parse(UNSOLVABLE)) == ()
