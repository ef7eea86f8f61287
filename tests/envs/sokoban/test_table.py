import json

import numpy as np
import pytest

from kagejax.envs.sokoban.table import Statistics, Table, cells_of, survey

from . import boards
from .boards import GOLDEN, RECORDED, all_distances, cells, puzzle, random_puzzle, recorded, replayed, shortest

WITH_TABLE = [name for name, entry in RECORDED.items() if entry["exact"]]
ROLLOUTS = [rollout for rollout in json.loads((GOLDEN / "rollouts.json").read_text()) if rollout["dist"] is not None]


def serpentine(turns=9, length=29):
    """A corridor one cell wide, to and fro: a box near its far end has to be pushed one step."""
    rows = ["#" * (length + 2)]
    for turn in range(turns):
        rows.append("#" + " " * length + "#")
        rows.append("#" * (length + 2))
        rows[-1] = rows[-1][:-2] + " #" if turn % 2 == 0 else "# " + rows[-1][2:]
    rows[-1] = "#" * (length + 2)
    last = -2
    rows[1] = "#@" + rows[1][2:]
    rows[last] = rows[last][: length - 1] + "$.#"
    return puzzle(*rows)


@pytest.mark.parametrize("name", WITH_TABLE)
def test_sizes_and_reach_are_those_recorded(name):
    table = Table(recorded(name))
    assert table.statistics()._asdict() == RECORDED[name]["exact"]
    assert table.optimal_length == RECORDED[name]["optimal_len"]


@pytest.mark.parametrize("name", WITH_TABLE)
def test_solutions_have_the_recorded_length_and_solve(name):
    actions = Table(recorded(name)).solution()
    assert len(actions) == RECORDED[name]["optimal_len"]
    assert replayed(recorded(name), actions) == cells(recorded(name).goals)


@pytest.mark.slow  # tables of 42 million entries
@pytest.mark.parametrize("name", ["E0", "E1"])
def test_five_boxes_on_10x10_fit_in_a_table(name):
    assert Table(recorded(name)).optimal_length == RECORDED[name]["optimal_len"]


def test_distances_along_rollouts_are_those_recorded():
    tables = {name: Table(recorded(name)) for name in WITH_TABLE}
    for rollout in ROLLOUTS:
        table = tables[rollout["level"]]
        found = table.distances(np.array(rollout["boxes"]), np.array(rollout["player"]))
        assert found.tolist() == rollout["dist"]
        dead = [table.is_dead(*board) for board in zip(rollout["boxes"], rollout["player"], strict=True)]
        assert dead == [flag == "1" for flag in rollout["exact_dead"]]
    assert len(ROLLOUTS) > 100


@pytest.mark.parametrize("border", [True, False])
@pytest.mark.parametrize("boxes", [1, 2])
def test_every_board_of_small_levels_has_its_true_distance(boxes, border):
    rng = np.random.default_rng(boxes)
    for _ in range(8):
        level = random_puzzle(rng, 5 - (not border), 5, boxes, 0.2, border)
        true, table = all_distances(level), Table(level)
        assert table.statistics().solvable_states == len(true)
        assert table.statistics().max_distance == max(true.values())
        free = cells(~level.walls)
        every = [(b, p) for b in np.ndindex(*[level.walls.size] * boxes) for p in free if list(b) == sorted(set(b))]
        found = table.distances(np.array([b for b, _ in every]), np.array([p for _, p in every]))
        assert found.tolist() == [true.get(board, -1) for board in every]
        for board in every[:: max(len(every) // 50, 1)]:
            assert table.distance(*board) == true.get(board)


def test_optimal_actions_are_those_that_come_one_nearer():
    rng = np.random.default_rng(5)
    for _ in range(6):
        level = random_puzzle(rng, 5, 5, 2, 0.1, True)
        true, table = all_distances(level), Table(level)
        for board, distance in list(true.items())[::5]:
            after = [true.get(boards.after(level.walls, *board, action), 10**6) for action in range(4)]
            assert table.optimal_actions(*board).tolist() == [there == distance - 1 for there in after]


def test_of_equal_solutions_the_first_in_reading_order_of_actions_is_taken():
    level = puzzle("#####", "#@  #", "#   #", "# $ #", "# . #", "#####")
    assert Table(level).solution() == (1, 3, 1)
    assert Table(level).optimal_actions(level.boxes, level.player).tolist() == [False, True, False, True]


def test_fewest_pushes_then_fewest_moves():
    rng, solved = np.random.default_rng(11), 0
    for _ in range(100):
        level = random_puzzle(rng, 6, 6, 2, 0.1, True)
        table, start = Table(level, metric="pushes"), (cells(level.boxes), level.player)
        best = shortest(level, *start, by_pushes=True)
        assert table.distance(*start) == (None if best is None else best[0])
        assert table.optimal_length == (None if best is None else best[1])
        if best is not None:
            solved += 1
            assert len(table.solution()) == best[1]
            assert replayed(level, table.solution()) == cells(level.goals)
    assert solved > 10


def test_a_way_with_fewer_pushes_may_have_more_moves():
    level = puzzle("#######", "#  .  #", "# $#$ #", "#@ .  #", "#######")
    moves, pushes = Table(level), Table(level, metric="pushes")
    assert moves.optimal_length == shortest(level, cells(level.boxes), level.player)[1]
    assert (pushes.distance(*pushes.start), pushes.optimal_length) == shortest(level, cells(level.boxes), level.player, True)


def test_distances_beyond_a_byte_are_kept():
    level = serpentine()
    # Nine corridors of 29 cells and the eight steps between them, less the player's own cell and that of the goal.
    assert Table(level).optimal_length == 9 * 29 + 8 - 2
    assert Table(level).statistics().max_distance == 267


def test_boards_wider_than_a_word_are_solved():
    level = puzzle("#" * 63, "#@" + " " * 20 + "$" + " " * 37 + ".##", "#" * 63)
    assert Table(level).solution() == (3,) * 58


def test_a_player_walled_off_from_boxes_and_goals_is_dead_unless_all_is_solved():
    level = puzzle("#######", "#@#   #", "###$. #", "#######")
    table = Table(level)
    assert table.optimal_length is None
    assert table.solution() is None
    assert table.distance([18], 8) == 0
    assert table.statistics() == Statistics(free_cells=7, index_size=49, solvable_states=6, max_distance=0)


def test_boxes_out_of_reach_count_when_they_are_on_goals():
    level = puzzle("#########", "#@ $ .#*#", "#########")
    assert Table(level).solution() == (3, 3, 3)
    assert Table(level).distance([14, 16], 13) == 0
    assert Table(level).is_dead([12, 13], 10)


def test_what_is_no_board_is_dead():
    level = recorded("A0")
    table = Table(level)
    boxes = cells(level.boxes)
    assert table.distance(boxes, boxes[0]) is None  # the player in a box
    assert table.distance(boxes, 0) is None  # or in a wall
    assert table.distance(boxes[:2], level.player) is None  # a box too few
    assert table.distance([boxes[0], boxes[0], boxes[1]], level.player) is None
    assert table.distances(np.array([boxes, boxes[::-1]]), np.array([0, level.player])).tolist() == [-1, -1]


def test_a_level_that_starts_solved_needs_nothing():
    assert Table(puzzle("#####", "#@* #", "#####")).solution() == ()


def test_more_boxes_than_goals_are_never_solved():
    table = Table(puzzle("######", "#@$ .#", "# $  #", "#    #", "######"))
    assert table.optimal_length is None
    assert table.statistics().solvable_states == 0


def test_boxes_are_given_as_cells_in_any_order_or_as_a_mask():
    level = recorded("A0")
    assert cells_of(level.boxes) == cells(level.boxes) == cells_of(reversed(cells(level.boxes)))


def test_tables_too_large_are_refused_with_their_size():
    level = recorded("C0")
    entries = survey(level.walls, level.goals).entries
    with pytest.raises(ValueError, match=f"{entries:,} entries, more than 1,000"):
        Table(level, most_entries=1000)


def test_unknown_metrics_are_refused():
    with pytest.raises(ValueError, match="moves, pushes, not 'steps'"):
        Table(recorded("W0"), metric="steps")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"player": 0}, "The player, in cell 0"),
        ({"player": 36}, "The player, in cell 36"),
        ({"player": 15}, "The player, in cell 15"),
        ({"boxes": np.ones((6, 6), bool)}, "in a wall"),
        ({"goals": np.ones((6, 5), bool)}, "bool"),
        ({"walls": np.ones((6, 6), int)}, "bool"),
    ],
)
def test_what_is_no_level_is_refused(change, reason):
    with pytest.raises(ValueError, match=reason):
        Table(recorded("W0")._replace(**change))


def test_boards_of_more_than_63_columns_are_refused():
    with pytest.raises(ValueError, match="end at 63 columns"):
        Table(puzzle("#" * 64, "#@$." + " " * 59 + "#", "#" * 64))
