import collections
import itertools
import json
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagejax.envs.sliding import search, solver, table
from kagejax.envs.sliding.rules import DOWN, LEFT, RIGHT, UP, Grid

GOLDEN = pathlib.Path(__file__).parents[2] / "golden/sliding"
BLANK_STEP = {UP: (1, 0), DOWN: (-1, 0), LEFT: (0, 1), RIGHT: (0, -1)}
RECORDED = json.loads((GOLDEN / "optimal_lengths.json").read_text())


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    """No test reads or writes the user's own cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KAGEJAX_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def goal(grid):
    return [*range(1, grid.rows * grid.columns), 0]


def played(board, action, grid, circular=False):
    """The board after an action, or None where nothing moves. Plain Python, from SPEC 3.1 and 3.4."""
    board = [int(v) for v in board]
    blank = board.index(0)
    row, column = blank // grid.columns + BLANK_STEP[action][0], blank % grid.columns + BLANK_STEP[action][1]
    if circular:
        row, column = row % grid.rows, column % grid.columns
    elif not (0 <= row < grid.rows and 0 <= column < grid.columns):
        return None
    target = row * grid.columns + column
    board[blank], board[target] = board[target], 0
    return board


def replayed(board, actions, grid, circular=False):
    for action in actions:
        board = played(board, action, grid, circular)
        assert board is not None, "an illegal action"
    return board


def scrambled(grid, moves, seed):
    rng, board = np.random.default_rng(seed), goal(grid)
    for _ in range(moves):
        board = rng.choice([b for b in (played(board, a, grid) for a in range(4)) if b]).tolist()
    return board


def random_boards(grid, count, seed):
    """Solvable boards, drawn without the parity rule: whatever many moves from the goal reach."""
    return [scrambled(grid, 300 + k % 2, [seed, k]) for k in range(count)]


# Tables


@pytest.mark.parametrize("size", ["2x2", "2x3", "3x3"])
def test_optimal_lengths_are_spread_as_recorded(size):
    rows, columns = map(int, size.split("x"))
    distances = table.distance_table(Grid(rows, columns))
    counts = collections.Counter(distances[distances < table.UNREACHABLE].tolist())
    assert {str(length): count for length, count in counts.items()} == RECORDED[size]["histogram"]
    assert sum(counts.values()) == RECORDED[size]["solvable_states"]


def test_recorded_boards_have_their_recorded_lengths():
    with np.load(GOLDEN / "observations_3x3.npz") as file:
        boards = file["states"].reshape(-1, 9)
    boards = np.where(boards < 0, 0, boards)
    lengths = RECORDED["optimal_moves_for_observations_3x3_states"]
    assert solver.optimal_lengths(boards, Grid(3, 3)).tolist() == lengths
    assert [solver.solve(board, Grid(3, 3)).length for board in boards] == lengths


def test_boards_are_ranked_in_dictionary_order():
    boards = np.array(list(itertools.permutations(range(5))), np.int8)
    assert table.rank(boards).tolist() == list(range(120))


def test_a_table_is_looked_up_on_the_device_as_on_the_host():
    distances = table.distance_table(Grid(2, 3))
    boards = np.array(list(itertools.permutations(range(6))), np.int8)
    look_up = jax.jit(jax.vmap(table.look_up, (None, 0)))
    found = look_up(jnp.asarray(distances), jnp.asarray(boards))
    assert found.dtype == jnp.uint8 and table.rank(jnp.asarray(boards)).dtype == jnp.int32
    np.testing.assert_array_equal(found, distances)


@pytest.mark.parametrize(
    "rows, columns, circular", [(1, 2, True), (1, 5, False), (1, 5, True), (4, 2, False), (3, 2, True), (3, 3, True)]
)
def test_every_distance_is_one_more_than_that_of_the_nearest_neighbour(rows, columns, circular):
    grid = Grid(rows, columns)
    rng, distances = np.random.default_rng(0), table.distance_table(grid, circular)
    for board in [goal(grid), *(rng.permutation(rows * columns) for _ in range(200))]:
        around = [played(board, action, grid, circular) for action in range(4)]
        nearest = min(int(distances[table.rank(np.array(b))]) for b in around if b)
        here = int(distances[table.rank(np.array(board))])
        if list(board) == goal(grid):
            assert here == 0
        else:
            assert here == (nearest + 1 if nearest < table.UNREACHABLE else table.UNREACHABLE)


def test_a_table_is_worked_out_once_and_then_read_from_disk(monkeypatch, tmp_path):
    monkeypatch.setenv("KAGEJAX_CACHE", str(tmp_path))
    table.distance_table.cache_clear()
    first = table.distance_table(Grid(2, 3))
    monkeypatch.setattr(table, "breadth_first", None)
    assert table.distance_table(Grid(2, 3)) is first
    table.distance_table.cache_clear()
    second = table.distance_table(Grid(2, 3))
    np.testing.assert_array_equal(first, second)
    with pytest.raises(ValueError, match="read-only"):
        second[0] = 0


def test_tables_end_at_nine_cells():
    with pytest.raises(ValueError, match="too many boards of 2x5 for a table; tables end at 9 cells"):
        table.distance_table(Grid(2, 5))


# Solutions


@settings(deadline=None)
@given(st.permutations(range(8)), st.sampled_from([Grid(2, 4), Grid(4, 2)]), st.booleans())
def test_a_solution_is_legal_as_long_as_the_table_says_and_solves_the_board(board, grid, circular):
    if solver.why_stuck(board, grid, circular):
        return
    length, actions = solver.solve(np.array(board), grid, circular)
    assert replayed(board, actions, grid, circular) == goal(grid)
    assert len(actions) == length == solver.optimal_lengths(np.array(board), grid, circular)


@pytest.mark.parametrize("rows, columns", [(1, 4), (4, 1), (2, 2), (2, 3), (3, 2)])
@pytest.mark.parametrize("circular", [False, True])
def test_a_board_is_said_to_be_stuck_exactly_where_no_moves_lead_home(rows, columns, circular):
    grid = Grid(rows, columns)
    boards = np.array(list(itertools.permutations(range(rows * columns))))
    distances = table.look_up(table.distance_table(grid, circular), boards)
    for board, distance in zip(boards, distances, strict=True):
        assert (solver.why_stuck(board, grid, circular) is None) == (distance < table.UNREACHABLE), board


def test_optimal_actions_are_those_after_which_one_move_less_is_needed():
    for grid in (Grid(2, 3), Grid(3, 3)):
        for board in random_boards(grid, 20, seed=1):
            length = solver.optimal_lengths(np.array(board), grid)
            around = [played(board, action, grid) for action in range(4)]
            expected = [b is not None and solver.optimal_lengths(np.array(b), grid) == length - 1 for b in around]
            assert solver.optimal_actions(np.array(board), grid).tolist() == expected


def test_one_move_from_the_goal_only_its_inverse_is_optimal():
    assert solver.solve([1, 2, 3, 4, 5, 6, 7, 0, 8], Grid(3, 3)) == (1, (LEFT,))
    assert solver.solve([1, 2, 3, 4, 5, 0, 7, 8, 6], Grid(3, 3)) == (1, (UP,))
    assert solver.optimal_actions([1, 2, 3, 4, 5, 0, 7, 8, 6], Grid(3, 3)).tolist() == [True, False, False, False]


def test_nothing_is_left_to_do_on_a_solved_board():
    assert solver.solve(goal(Grid(3, 3)), Grid(3, 3)) == (0, ())
    assert not solver.optimal_actions(goal(Grid(3, 3)), Grid(3, 3)).any()


def test_lengths_keep_the_shape_of_their_batch():
    boards = np.array(random_boards(Grid(2, 3), 6, seed=2)).reshape(2, 3, 6)
    lengths = solver.optimal_lengths(boards, (2, 3))
    assert lengths.shape == (2, 3) and lengths.dtype == np.int32
    assert lengths[1, 2] == solver.solve(boards[1, 2], (2, 3)).length


@pytest.mark.parametrize("asked", [solver.solve, solver.optimal_actions, solver.optimal_lengths])
@pytest.mark.parametrize(
    "board, grid, reason",
    [
        ([2, 1, 3, 4, 5, 6, 7, 8, 0], Grid(3, 3), "1 inversions; with an odd number of columns only an even number"),
        ([2, 1, 3, 4, 5, 6, 7, 0], Grid(2, 4), "1 inversions and the blank in row 1 from the bottom; .* sum must be odd"),
        ([*range(1, 14), 15, 14, 0], Grid(4, 4), "1 inversions and the blank in row 1 from the bottom; .* sum must be odd"),
        ([2, 1, 0], Grid(1, 3), "In a single row or column the tiles must be in order"),
        ([1, 1, 2, 0], Grid(2, 2), "each of 0 .the blank. to 3 once, 4 numbers in reading order"),
        ([1, 2, 0], Grid(2, 2), "each of 0 .the blank. to 3 once, 4 numbers in reading order"),
    ],
)
def test_boards_without_a_solution_are_refused_with_the_reason(asked, board, grid, reason):
    with pytest.raises(ValueError, match=f"The {grid.rows}x{grid.columns} board .* cannot be solved.*{reason}"):
        asked(np.array(board), grid)


def test_going_around_the_edges_solves_what_parity_forbids_else():
    board = [2, 1, 3, 4, 5, 6, 7, 8, 0]
    length, actions = solver.solve(board, Grid(3, 3), circular=True)
    assert replayed(board, actions, Grid(3, 3), circular=True) == goal(Grid(3, 3)) and length == len(actions)
    with pytest.raises(ValueError, match="Around a single row or column the tiles must follow one another in order"):
        solver.solve([1, 3, 2, 4, 0], Grid(1, 5), circular=True)


# Search on larger grids


@pytest.fixture
def numba():
    return pytest.importorskip("numba")


@pytest.mark.parametrize("rows, columns, circular", [(3, 3, False), (2, 4, False), (4, 2, False), (3, 3, True), (2, 4, True)])
def test_the_search_agrees_with_the_table(numba, rows, columns, circular):
    grid = Grid(rows, columns)
    for board in random_boards(grid, 50, seed=3):
        run = search.shortest(np.array(board), grid, circular)
        assert len(run.actions) == solver.optimal_lengths(np.array(board), grid, circular)
        assert replayed(board, run.actions, grid, circular) == goal(grid)


def test_optimal_actions_by_search_are_those_by_table(numba, monkeypatch):
    boards = random_boards(Grid(3, 3), 20, seed=4)
    by_table = [solver.optimal_actions(np.array(board), Grid(3, 3)).tolist() for board in boards]
    monkeypatch.setattr(solver, "has_table", lambda grid: False)
    assert [solver.optimal_actions(np.array(board), Grid(3, 3)).tolist() for board in boards] == by_table


def test_a_search_goes_on_where_it_was_interrupted(numba, monkeypatch):
    board = np.array(random_boards(Grid(3, 3), 1, seed=5)[0])
    whole = search.shortest(board, Grid(3, 3))
    monkeypatch.setattr(search, "NODES_PER_CALL", 7)
    assert search.shortest(board, Grid(3, 3)) == whole and whole.nodes > 7


@pytest.mark.parametrize("rows, columns", [(2, 5), (3, 4), (4, 3)])
def test_shallow_scrambles_need_no_more_moves_than_were_made(numba, rows, columns):
    grid = Grid(rows, columns)
    for moves in range(13):
        board = scrambled(grid, moves, seed=moves)
        length, actions = solver.solve(board, grid)
        assert length <= moves and length % 2 == moves % 2 and len(actions) == length
        assert replayed(board, actions, grid) == goal(grid)


def test_random_boards_of_3x4_are_solved(numba):
    boards = np.array(random_boards(Grid(3, 4), 10, seed=6))
    lengths = solver.optimal_lengths(boards, Grid(3, 4))
    for board, length in zip(boards, lengths, strict=True):
        assert replayed(board, solver.solve(board, Grid(3, 4)).actions, Grid(3, 4)) == goal(Grid(3, 4))
        best = solver.optimal_actions(board, Grid(3, 4))
        after = [played(board, action, Grid(3, 4)) for action in np.flatnonzero(best)]
        assert best.any() and (solver.optimal_lengths(np.array(after), Grid(3, 4)) == length - 1).all()


def test_published_4x4_boards_have_their_published_lengths(numba):
    """The first four of the hundred boards of Korf (1985), turned by 180 degrees: there the blank's goal is the first cell."""
    published = {
        57: [14, 13, 15, 7, 11, 12, 9, 5, 6, 0, 2, 1, 4, 8, 10, 3],
        55: [13, 5, 4, 10, 9, 12, 8, 14, 2, 3, 7, 1, 0, 15, 11, 6],
        59: [14, 7, 8, 2, 13, 11, 10, 4, 9, 12, 5, 0, 3, 6, 1, 15],
        56: [5, 12, 10, 7, 15, 11, 14, 0, 8, 2, 1, 13, 3, 4, 9, 6],
    }
    for length, board in published.items():
        board = [16 - tile if tile else 0 for tile in reversed(board)]
        solution = solver.solve(board, Grid(4, 4))
        assert solution.length == length and replayed(board, solution.actions, Grid(4, 4)) == goal(Grid(4, 4))


@pytest.mark.parametrize("rows, columns", [(2, 5), (2, 6), (3, 4), (3, 5), (4, 4), (5, 5), (6, 6), (8, 8), (1, 10)])
def test_every_tile_is_in_one_database_and_all_fit_in_64_megabytes(rows, columns):
    groups = search.groups_of(Grid(rows, columns))
    assert sorted(itertools.chain(*groups)) == list(range(1, rows * columns))
    assert sum((rows * columns) ** len(tiles) for tiles in groups) <= 2**26


def test_grids_of_more_than_64_cells_are_refused():
    with pytest.raises(ValueError, match="Exact solutions end at 64 cells; 9x9 has 81"):
        solver.solve(goal(Grid(9, 9)), Grid(9, 9))


def test_who_has_no_numba_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    search.compiled.cache_clear()
    search.databases.cache_clear()
    monkeypatch.setattr(search, "kept", lambda name, size, build: build())
    with pytest.raises(ImportError, match=r"need numba; install it with: pip install 'kagejax\[solver\]'"):
        solver.solve(goal(Grid(2, 5)), Grid(2, 5))
    assert solver.solve(goal(Grid(3, 3)), Grid(3, 3)).length == 0
