"""The Sokoban oracle against recorded levels, episodes and bands of the reference, and its laws of layouts and themes."""

import functools
import math

import numpy as np
import pytest

from . import sokoban, sokoban_golden, sokoban_search
from .sokoban import DOWN, LEFT, RIGHT, UP, Game

LEVELS = sokoban_golden.levels()
EXACT = [name for name, level in LEVELS.items() if level.exact]
STEPPED = sokoban_golden.rollouts()
IDS = [f"{rollout.level}-{rollout.kind}" for rollout in STEPPED]
TUNNEL = sokoban.parse("######\n#@$ .#\n######")


def replayed(rollout):
    board, game = sokoban.parse(LEVELS[rollout.level].text)
    return board, sokoban.play(board, game, rollout.actions, rollout.max_steps)


@functools.lru_cache(maxsize=1)  # the largest levels have hundreds of thousands of states
def table(name):
    return sokoban_search.distances(sokoban.parse(LEVELS[name].text)[0])


@pytest.mark.parametrize("name", LEVELS)
def test_recorded_levels_are_read_and_written_again(name):
    level = LEVELS[name]
    board, game = sokoban.parse(level.text)
    assert (board.rows, board.columns, board.goals) == (level.rows, level.columns, level.goals)
    assert game == Game(level.boxes, level.player)
    assert sokoban.write(board, game.boxes, game.player) == level.text


def test_a_text_without_a_player_is_an_error():
    with pytest.raises(ValueError, match="no player"):
        sokoban.parse("###")


@pytest.mark.parametrize("rollout", STEPPED, ids=IDS)
def test_recorded_episodes_replay(rollout):
    board, steps = replayed(rollout)
    assert tuple(game.player for game, _ in steps) == rollout.players
    assert tuple(game.boxes for game, _ in steps) == rollout.boxes
    assert [game.t for game, _ in steps] == list(range(1, len(rollout.actions) + 1))
    for name, flags in rollout.flags.items():
        np.testing.assert_array_equal([getattr(outcome, name) for _, outcome in steps], flags, err_msg=name)
    game, _ = steps[-1]
    assert sokoban.write(board, game.boxes, game.player) == rollout.final_text


@pytest.mark.parametrize("rollout", STEPPED, ids=IDS)
def test_recorded_boxes_in_corners_are_found_again(rollout):
    board, steps = replayed(rollout)
    np.testing.assert_array_equal([sokoban.corner_dead(board, game.boxes) for game, _ in steps], rollout.corner_dead)


@pytest.mark.parametrize("name", EXACT)
def test_recorded_counts_of_states_and_the_longest_way_are_found_again(name):
    level, lengths = LEVELS[name], table(name)
    free = len(sokoban.parse(level.text)[0].free)
    assert free == level.exact["free_cells"]
    assert math.comb(free, len(level.boxes)) * free == level.exact["index_size"]
    assert len(lengths) == level.exact["solvable_states"]
    assert max(lengths.values()) == level.exact["max_distance"]
    assert lengths[sokoban_search.state_of(Game(level.boxes, level.player))] == level.optimal_length
    # In the same test, because these tables are too large to keep more than one.
    for rollout in STEPPED:
        if rollout.level == name:
            found = [lengths.get(sokoban_search.state_of(game), -1) for game, _ in replayed(rollout)[1]]
            np.testing.assert_array_equal(found, rollout.distances)
            np.testing.assert_array_equal(np.array(found) < 0, rollout.exact_dead)


@pytest.mark.parametrize("name", LEVELS)
def test_recorded_solutions_are_found_again(name):
    level = LEVELS[name]
    found = sokoban_search.solution(*sokoban.parse(level.text))
    assert tuple(found) == level.solution
    assert len(found) == level.optimal_length


@pytest.mark.parametrize("name", ["W0", "S1", "H2", "A1"])
def test_a_state_in_a_corner_has_no_way_to_the_goal(name):
    board, _ = sokoban.parse(LEVELS[name].text)
    corners = sokoban_search.bits(sokoban.corners(board))
    assert not any(boxes & corners for boxes, _ in table(name))


def test_an_action_that_is_none_is_an_error():
    with pytest.raises(ValueError, match="no action 4"):
        sokoban.step(*TUNNEL, 4, 10)


def test_the_outside_of_an_open_board_is_wall():
    board, game = sokoban.parse("@ \n$ \n .")
    assert sokoban.step(board, game, UP, 10)[1].invalid
    assert sokoban.step(board, game, LEFT, 10)[1].invalid
    after, outcome = sokoban.step(board, game, DOWN, 10)
    assert outcome.pushed
    assert sokoban.step(board, after, DOWN, 10)[1].invalid
    assert sokoban.corner_dead(board, after.boxes)


def test_a_solution_on_the_last_step_is_one():
    board, game = TUNNEL
    game, outcome = sokoban.step(board, game, RIGHT, 2)
    assert not outcome.done
    _, outcome = sokoban.step(board, game, RIGHT, 2)
    assert (outcome.solved, outcome.truncated, outcome.done) == (True, False, True)


def test_a_step_against_a_wall_counts():
    game, outcome = sokoban.step(*TUNNEL, UP, 1)
    assert (game.t, outcome.invalid, outcome.truncated) == (1, True, True)


def test_a_box_is_not_pushed_against_another():
    board, game = sokoban.parse("#######\n#@$$..#\n#######")
    after, outcome = sokoban.step(board, game, RIGHT, 9)
    assert outcome.invalid
    assert after == game._replace(t=1)


def test_a_solved_start_takes_no_moves():
    assert sokoban_search.solution(*sokoban.parse("####\n#@*#\n####")) == []


def test_a_search_that_is_cut_short_finds_nothing():
    board, game = sokoban.parse(LEVELS["A0"].text)
    assert sokoban_search.bounded_dead(board, game, most_expansions=1000)
    assert not sokoban_search.bounded_dead(board, game)
    assert not sokoban_search.exactly_dead(board, game)


@pytest.mark.parametrize("name", ["W3", "S1", "H0", "H2"])
def test_both_notions_of_dead_agree_on_small_levels(name):
    board, game = sokoban.parse(LEVELS[name].text)
    pushes = sokoban.first_pushes(board, game)
    assert len(pushes) > 1
    for after in pushes:
        assert sokoban_search.bounded_dead(board, after) == sokoban_search.exactly_dead(board, after)


@pytest.mark.parametrize("name", [name for name in LEVELS if name.startswith("D")])
def test_levels_of_split_d_have_a_fatal_first_push(name):
    board, game = sokoban.parse(LEVELS[name].text)
    assert sokoban_search.is_trap(board, game, most_expansions=50_000)
    assert sokoban_search.is_trap(board, game)


def test_a_level_without_a_fatal_first_push_is_no_trap():
    assert not sokoban_search.is_trap(*sokoban.parse("######\n#@$ .#\n######"))


def test_bands_of_hidden_levels_are_the_recorded_ones():
    for tier, (count, boxes, density, start, end) in zip(
        sokoban_golden.document("bands")["hidden"], sokoban.HIDDEN_TIERS, strict=True
    ):
        assert (tier["n_boxes"], tier["wall_density"]) == (boxes, density)
        bands = [sokoban.length_band(start, end, index, count) for index in range(count)]
        assert bands == [tuple(band) for band in tier["levels"]]


@pytest.mark.parametrize("count", [20, 50, 100])
def test_bands_of_split_s_are_the_recorded_ones(count):
    recorded = sokoban_golden.document("bands")["split_S"][str(count)]
    bands = [sokoban.length_band(*sokoban.DIAGNOSTIC_BANDS, index, count) for index in range(count)]
    assert bands == [tuple(band) for band in recorded]


@pytest.mark.parametrize("name", [name for name in LEVELS if name[0] in "SH"])
def test_recorded_levels_lie_in_their_bands(name):
    level = LEVELS[name]
    if level.split == "S":
        band = sokoban.length_band(*sokoban.DIAGNOSTIC_BANDS, int(name[1:]), 5)
    else:
        count, boxes, _, start, end = sokoban.HIDDEN_TIERS[level.tier - 1]
        band = sokoban.length_band(start, end, level.index_in_tier, count)
        assert len(level.boxes) == boxes
        assert band == level.band
    assert band[0] <= level.optimal_length <= band[1]


@pytest.mark.parametrize("name", LEVELS)
def test_recorded_time_limits_are_those_of_the_split(name):
    level = LEVELS[name]
    assert sokoban.step_limit(level.split, level.optimal_length) == level.max_steps


@pytest.mark.parametrize(
    ("size", "boxes", "density", "in_corner", "solvable"),
    [(6, 1, 0.12, 0.39, 0.271), (8, 1, 0.10, 0.22, 0.443), (8, 2, 0.12, 0.41, 0.223)],
)
def test_layouts_are_as_often_hopeless_and_solvable_as_published(size, boxes, density, in_corner, solvable):
    rng, draws = np.random.default_rng(0), 800
    drawn = [sokoban.random_layout(rng, size, boxes, density) for _ in range(draws)]
    layouts = [layout for layout in drawn if layout is not None]
    assert all(len({*game.boxes, *board.goals, game.player} - board.walls) == 2 * boxes + 1 for board, game in layouts)
    stuck = [sokoban.corner_dead(board, game.boxes) for board, game in layouts]
    solved = [
        not corner and sokoban_search.solution(board, game) is not None
        for corner, (board, game) in zip(stuck, layouts, strict=True)
    ]
    for found, published in ((stuck, in_corner), (solved, solvable)):
        # The published shares come from thousands of layouts, and are rounded.
        error = math.sqrt(published * (1 - published) * (1 / draws + 1 / 3000))
        assert abs(np.mean(found) - published) < 4 * error + 0.005
