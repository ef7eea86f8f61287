import json
import sys

import numpy as np
import pytest

from kagejax.envs.sokoban import search, solver, table
from kagejax.envs.sokoban.search import Budget, GaveUp, Solved, Unsolvable
from kagejax.envs.sokoban.solver import Push

from . import boards
from .boards import GOLDEN, LETTERS, RECORDED, cells, puzzle, random_puzzle, recorded, replayed, shortest

ROLLOUTS = json.loads((GOLDEN / "rollouts.json").read_text())


def solves(level, outcome):
    return replayed(level, outcome.actions) == cells(level.goals) and len(outcome.actions) == outcome.length


def small_levels(count, seed):
    rng = np.random.default_rng(seed)
    for index in range(count):
        rows, columns, boxes = rng.integers(5, 7), rng.integers(5, 7), rng.integers(1, 3)
        border = index % 4 > 0
        yield random_puzzle(rng, rows - 2 * (not border), columns - (not border), boxes, 0.15, border)


@pytest.mark.parametrize("name", RECORDED)
def test_optimal_lengths_are_those_recorded(name):
    outcome = solver.solve(recorded(name))
    assert outcome.length == RECORDED[name]["optimal_len"]
    assert solves(recorded(name), outcome)


@pytest.mark.parametrize("name", RECORDED)
def test_the_search_finds_the_recorded_lengths(name):
    outcome = search.shortest(recorded(name))
    assert outcome.length == RECORDED[name]["optimal_len"]
    assert solves(recorded(name), outcome)


@pytest.mark.parametrize("name", RECORDED)
def test_the_plain_search_finds_the_very_actions_recorded(name):
    outcome = solver.breadth_first(recorded(name))
    assert "".join(LETTERS[action] for action in outcome.actions) == RECORDED[name]["solution"]


def test_table_and_searches_agree_with_brute_force_on_small_levels():
    solvable = 0
    for level in small_levels(500, seed=1):
        best = shortest(level, cells(level.boxes), level.player)
        outcomes = solver.solve(level), search.shortest(level), solver.breadth_first(level)
        if best is None:
            assert all(isinstance(outcome, Unsolvable) for outcome in outcomes)
        else:
            solvable += 1
            assert [outcome.length for outcome in outcomes] == [best[1]] * 3
            assert all(solves(level, outcome) for outcome in outcomes)
        assert solver.is_solvable(level) == (best is not None)
        assert solver.is_solvable(level, most_entries=0) == (best is not None)
    assert 50 < solvable < 450


def test_fewest_pushes_agree_with_brute_force():
    for level in small_levels(60, seed=2):
        best, outcome = shortest(level, cells(level.boxes), level.player, by_pushes=True), solver.solve(level, metric="pushes")
        assert isinstance(outcome, Unsolvable) if best is None else outcome.length == best[1]


def test_searches_with_little_room_to_begin_with_find_the_same(monkeypatch):
    monkeypatch.setattr(search, "FIRST_NODES", 32)
    monkeypatch.setattr(solver, "FEW_EXPANSIONS", 1)
    for name in ("A0", "C3", "E1", "H8"):
        assert search.shortest(recorded(name)).length == RECORDED[name]["optimal_len"]
        assert solver.breadth_first(recorded(name)).length == RECORDED[name]["optimal_len"]


@pytest.mark.parametrize("most_entries", [0, 2**22])
def test_a_level_that_starts_solved_needs_nothing(most_entries):
    level = puzzle("#####", "#@* #", "#####")
    assert solver.solve(level, most_entries=most_entries) == solver.breadth_first(level) == Solved(0, ())


def test_searches_work_on_boards_of_several_words():
    rng, solvable = np.random.default_rng(3), 0
    for _ in range(60):
        level = random_puzzle(rng, 7, 13, 2, 0.1, False)
        outcomes = solver.solve(level), search.shortest(level), solver.breadth_first(level, 10**6)
        assert len({type(outcome) for outcome in outcomes}) == 1
        if isinstance(outcomes[0], Solved):
            solvable += 1
            assert len({outcome.length for outcome in outcomes}) == 1
            assert all(solves(level, outcome) for outcome in outcomes)
    assert solvable > 20


def test_spent_budgets_are_told_from_unsolvable_levels():
    level = recorded("E0")
    few = search.shortest(level, Budget(nodes=10))
    assert isinstance(few, GaveUp)
    assert 0 < few.nodes < 10_000
    assert isinstance(search.shortest(level, Budget(seconds=0.0)), GaveUp)
    assert isinstance(solver.solve(level, Budget(nodes=10)), GaveUp)
    assert isinstance(search.shortest(level, Budget(nodes=10**9, seconds=1000.0)), Solved)
    assert solver.breadth_first(recorded("H8"), 10_000).nodes == 10_000


@pytest.mark.parametrize("most_entries", [0, 2**22])
@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (("######", "#@$$ #", "#   .#", "#    #", "######"), "2 boxes for 1 goals"),
        (("#####", "#@$ #", "#. .#", "#####"), "1 boxes for 2 goals"),
        (("#####", "#$  #", "# @.#", "#####"), "cannot be brought to any goal"),
        (("#######", "#@#$ .#", "#######"), "no|never"),
        (("######", "#@ $ #", "# $  #", "###..#", "######"), "no actions|goal"),
    ],
)
def test_unsolvable_levels_are_proved_so_with_a_reason(rows, reason, most_entries):
    level = puzzle(*rows)
    assert shortest(level, cells(level.boxes), level.player) is None
    outcome = solver.solve(level, most_entries=most_entries)
    assert isinstance(outcome, Unsolvable)
    assert any(part in outcome.reason for part in reason.split("|"))
    assert not solver.is_solvable(level, most_entries)


def test_dead_boards_along_rollouts_are_those_recorded():
    for rollout in ROLLOUTS[::6]:
        if rollout["exact_dead"] is None:
            continue
        level = recorded(rollout["level"])
        steps = list(zip(rollout["boxes"], rollout["player"], rollout["exact_dead"], strict=True))
        for boxes, player, flag in steps[:: max(len(steps) // 6, 1)]:
            assert solver.dead(level, boxes, player) == (flag == "1")
            assert solver.dead(level, boxes, player, most_entries=0) == (flag == "1")


def test_dead_corners_along_rollouts_are_those_recorded():
    for rollout in ROLLOUTS:
        level = recorded(rollout["level"])
        masks = np.zeros((len(rollout["boxes"]), level.walls.size), bool)
        np.put_along_axis(masks, np.array(rollout["boxes"]), True, 1)
        found = solver.corner_dead(level.walls, level.goals, masks.reshape(-1, *level.walls.shape))
        assert found.tolist() == [flag == "1" for flag in rollout["corner_dead"]]


@pytest.mark.parametrize("split", "WSAD")
def test_random_play_ends_in_boards_dead_by_bounded_search_as_often_as_recorded(split):
    record = json.loads((GOLDEN / "eval_cases.json").read_text())["random_agent_numpy_seed0"][split]
    rng, stuck = np.random.default_rng(0), []
    for entry in (entry for entry in RECORDED.values() if entry["split"] == split):
        level, flag = recorded(entry["id"]), False
        boxes, player = cells(level.boxes), level.player
        for _ in range(entry["max_steps"]):
            before, (boxes, player) = boxes, boards.after(level.walls, boxes, player, int(rng.integers(4)))
            flag = flag or (boxes != before and solver.bounded_dead(level, boxes, player))
            if boxes == cells(level.goals):
                break
        stuck.append(flag)
    assert np.mean(stuck) == record["deadlock_rate"]


def test_bounded_search_calls_a_solvable_board_dead():
    level = recorded("H8")
    assert solver.bounded_dead(level, level.boxes, level.player)
    assert not solver.bounded_dead(level, level.boxes, level.player, expansions=10**6)
    assert not solver.dead(level, level.boxes, level.player)


def test_first_pushes_name_the_fatal_ones():
    level = puzzle("#######", "#     #", "# $@. #", "#     #", "#######")
    # From the right it goes to the wall, up and down too: only to the right does it come to the goal.
    assert solver.first_pushes(level) == [
        Push(player=9, action=1, dead=True),
        Push(player=15, action=3, dead=False),
        Push(player=17, action=2, dead=True),
        Push(player=23, action=0, dead=True),
    ]


def test_first_pushes_are_those_of_brute_force():
    for level in small_levels(40, seed=4):
        boxes = cells(level.boxes)
        reached = [level.player]
        for player in reached:
            moves = [boards.after(level.walls, boxes, player, action) for action in range(4)]
            reached += {there for moved, there in moves if moved == boxes} - set(reached)
        expected = [
            (player, action, shortest(level, *moved) is None)
            for player in sorted(reached)
            for action in range(4)
            if (moved := boards.after(level.walls, boxes, player, action))[0] != boxes
        ]
        assert solver.first_pushes(level) == expected
        assert solver.first_pushes(level, most_entries=0) == expected


def test_what_is_no_board_is_refused():
    level = recorded("A0")
    with pytest.raises(ValueError, match="The player, in cell 0"):
        solver.dead(level, level.boxes, 0)
    with pytest.raises(ValueError, match="not all on a board"):
        solver.dead(level, [10, 11, 64], level.player)


def test_a_missing_numba_is_named_with_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "kagejax.envs.sokoban.kernels", raising=False)
    monkeypatch.delattr("kagejax.envs.sokoban.kernels", raising=False)
    table.kernels.cache_clear()
    with pytest.raises(ImportError, match=r"kagejax\[solver\]"):
        solver.solve(recorded("W0"))
