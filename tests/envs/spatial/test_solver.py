"""Exact answers about path puzzles."""

import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagejax.envs.spatial import puzzles, solver, solver_problem
from kagejax.envs.spatial.puzzles import Puzzle
from kagejax.envs.spatial.solver import GaveUp, Solved, Unsolvable
from tests.oracles import spatial, spatial_golden, spatial_puzzles

public = pytest.mark.skipif(not spatial_golden.HAS_PUBLIC, reason=spatial_golden.WITHOUT_PUBLIC)

OPEN = Puzzle("open", 2, 2, start=(0, 0), end=(4, 4))
CLOSED = Puzzle("closed", 2, 2, start=(0, 0), end=(4, 4), gaps=((1, 0), (0, 1)))
SMALL = [(1, 1), (2, 1), (1, 2), (3, 1), (2, 2), (3, 2), (2, 3)]


def stored(record):
    """The paths of a record, by hand."""
    return tuple(tuple((point["x"], point["y"]) for point in entry["path"]) for entry in record["solutions"])


def puzzle_of(record):
    return puzzles.from_record(record)


@pytest.fixture(params=[1, 2], ids=["one word", "two words"])
def words(request, monkeypatch):
    """Sets of so many words, also on boards that need fewer."""
    plain = solver_problem.Problem
    monkeypatch.setattr(solver, "Problem", lambda puzzle: plain(puzzle, request.param))


@pytest.mark.parametrize("name", spatial_golden.puzzles())
def test_all_solutions_of_golden_puzzles_come_in_the_stored_order(name, words):
    record = spatial_golden.puzzles()[name]
    found = solver.solutions(puzzle_of(record))
    assert found.complete
    assert found.paths == stored(record)


@public
def test_all_solutions_of_the_public_puzzles_come_in_the_stored_order(words):
    for record in spatial_golden.public_puzzles().values():
        found = solver.solutions(puzzle_of(record))
        assert (found.complete, found.paths) == (True, stored(record)), record["id"]


@public
def test_the_public_puzzles_take_seconds():
    boards = [puzzle_of(record) for record in spatial_golden.public_puzzles().values()]
    solver.solutions(boards[0])
    started = time.process_time()
    for puzzle in boards:
        solver.solutions(puzzle)
    assert time.process_time() - started < 30  # 1.2 s on one core; the figure to reach was 180


@public
def test_the_first_and_the_shortest_solution_are_found_without_the_others():
    for record in spatial_golden.public_puzzles().values():
        paths = stored(record)
        first, shortest = solver.first(puzzle_of(record)), solver.shortest(puzzle_of(record))
        assert first.path == paths[0], record["id"]
        assert shortest.path == min(paths, key=len), record["id"]


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from(SMALL), planted=st.booleans())
def test_random_puzzles_have_the_solutions_of_the_oracle(seed, size, planted):
    random = np.random.default_rng(seed)
    record = spatial_puzzles.planted_record(random, *size)[0] if planted else spatial_puzzles.random_record(random, *size)
    found = solver.solutions(puzzle_of(record))
    assert found.complete
    assert list(found.paths) == spatial.solutions(record)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), columns=st.integers(1, 5), rows=st.integers(1, 5))
def test_a_planted_line_is_among_the_solutions_and_all_of_them_are_valid(seed, columns, rows):
    record, path = spatial_puzzles.planted_record(np.random.default_rng(seed), columns, rows)
    puzzle = puzzle_of(record)
    assert solver.valid(puzzle, path)
    found = solver.solutions(puzzle, limit=300, nodes=300_000)
    assert not found.complete or path in found.paths
    assert all(spatial.judge(record, each)["valid"] for each in found.paths[:20])


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([*SMALL, (3, 3), (4, 2), (2, 4)]))
def test_a_puzzle_walked_backwards_has_its_solutions_backwards(seed, size):
    record = spatial_puzzles.planted_record(np.random.default_rng(seed), *size)[0]
    puzzle = puzzle_of(record)
    fields = {name: getattr(puzzle, name) for name in ("cells_w", "cells_h", "dots", "gaps", "symbols", "shapes")}
    found = solver.solutions(puzzle, limit=5000)
    back = solver.solutions(Puzzle("back", start=puzzle.end, end=puzzle.start, **fields), limit=5000)
    assert {path[::-1] for path in back.paths} == set(found.paths)


@pytest.mark.parametrize("case", spatial_golden.cases(), ids=lambda case: case["case_id"])
def test_golden_paths_are_valid_or_not(case):
    puzzle = puzzle_of(spatial_golden.puzzles()[case["puzzle_id"]])
    assert solver.valid(puzzle, case["path"]) == case["reference"]["valid"]


@public
def test_lines_on_public_puzzles_are_valid_or_not():
    for name, candidates in spatial_golden.public_candidates().items():
        puzzle = puzzle_of(spatial_golden.public_puzzles()[name])
        for candidate in candidates:
            assert solver.valid(puzzle, candidate.path) == candidate.valid, (name, candidate.path)


def test_no_path_at_all_is_valid_nowhere():
    assert not solver.valid(OPEN, ())
    assert not solver.valid(OPEN, [(0, 0)])


def test_a_limit_takes_the_first_solutions():
    all_of_them = solver.solutions(OPEN)
    some = solver.solutions(OPEN, limit=5)
    assert (len(all_of_them.paths), all_of_them.complete) == (12, True)  # simple paths between corners of a 3x3 grid
    assert (some.paths, some.complete) == (all_of_them.paths[:5], False)
    assert solver.solutions(OPEN, limit=0).paths == ()
    assert solver.solutions(OPEN, limit=12).complete is False  # it did not look for a thirteenth
    assert solver.solutions(OPEN, limit=13).complete is True


def test_more_solutions_than_come_at_once_are_in_order_too():
    puzzle = Puzzle("wide", 4, 4, start=(0, 0), end=(8, 8))
    paths = solver.solutions(puzzle).paths
    turns = {"L": 0, "R": 1, "U": 2, "D": 3}
    ranks = [tuple(turns[letter] for letter in puzzles.letters(path)) for path in paths]
    assert len(paths) == 8512  # simple paths between opposite corners of a 5x5 grid
    assert ranks == sorted(set(ranks))


def test_spent_nodes_are_said_and_never_a_proof():
    assert solver.solutions(OPEN, nodes=3) == ((), False, 3)
    assert solver.first(OPEN, nodes=0) == GaveUp(0)
    assert isinstance(solver.shortest(OPEN, nodes=12), GaveUp)
    assert solver.shortest(OPEN, nodes=12).best is not None


def test_a_puzzle_without_a_solution_is_proved_to_have_none():
    assert solver.solutions(CLOSED).complete
    assert solver.solutions(CLOSED).paths == ()
    assert isinstance(solver.first(CLOSED), Unsolvable)
    assert isinstance(solver.shortest(CLOSED), Unsolvable)


def test_the_first_solution_begins_left_before_right_before_up_before_down():
    found = solver.first(Puzzle("middle", 2, 1, start=(2, 0), end=(2, 2)))
    assert isinstance(found, Solved)
    assert puzzles.letters(found.path) == "LLDDRR"


@pytest.mark.parametrize(
    ("start", "end", "moves"),
    [((1, 0), (0, 1), {"LD", "RDDLLU"}), ((1, 0), (2, 0), {"R", "LDDRRUU"}), ((0, 0), (1, 0), {"R", "DDRRUUL"})],
)
def test_lines_may_start_and_end_on_edges(start, end, moves):
    found = solver.solutions(Puzzle("edges", 1, 1, start=start, end=end))
    assert {puzzles.letters(path) for path in found.paths} == moves


def test_a_line_does_not_run_past_its_end():
    found = solver.solutions(Puzzle("through", 2, 1, start=(0, 0), end=(2, 0)))
    assert all(path.index((2, 0)) == len(path) - 1 for path in found.paths)
    assert [puzzles.letters(path) for path in found.paths] == ["RR", "DDRRRRUULL", "DDRRUU"]


def test_boards_of_10x10_cells_are_searched():
    across = tuple((x, 2 * y) for y in range(11) for x in range(1, 21, 2))
    upright = tuple((20 if row % 2 == 0 else 0, 2 * row + 1) for row in range(10))
    downs = {(2 * x, 2 * row + 1) for row in range(10) for x in range(11)} - set(upright)
    puzzle = Puzzle("snake", 10, 10, start=(0, 0), end=(20, 20), dots=across[:3], gaps=tuple(sorted(downs)))
    found = solver.solutions(puzzle)
    assert found.complete
    assert [len(path) for path in found.paths] == [241]  # 121 vertices and the 120 edges between them


@pytest.mark.parametrize(("width", "height"), [(11, 10), (63, 1)])
def test_a_board_that_is_too_large_is_told(width, height):
    with pytest.raises(
        ValueError, match=f"The board has {width} x {height} cells; exact answers are for boards with up to 128"
    ):
        solver.first(Puzzle("large", width, height, start=(0, 0), end=(2, 0)))


@pytest.mark.parametrize("option", ["limit", "nodes"])
def test_a_limit_below_0_is_refused(option):
    with pytest.raises(ValueError, match=f"Found {option} = -1; allowed: 0 or more, or None for no limit."):
        solver.solutions(OPEN, **{option: -1})


def test_without_numba_it_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "kagejax.envs.spatial.piece_kernels", None)
    monkeypatch.delattr("kagejax.envs.spatial.piece_kernels")
    solver_problem.kernels.cache_clear()
    with pytest.raises(ImportError, match=r"pip install 'kagejax\[solver\]'"):
        solver.first(OPEN)
    solver_problem.kernels.cache_clear()


def test_loading_the_solver_does_not_load_numba():
    import subprocess
    import sys

    code = "import sys, kagejax.envs.spatial.solver, kagejax.envs.spatial.generate; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_answers_are_plain_numbers():
    found = solver.solutions(OPEN)
    assert json.dumps(found.paths)
    assert type(found.nodes) is int
