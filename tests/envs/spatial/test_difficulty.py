"""The formula of difficulty."""

import pytest

from kagejax.envs.spatial import difficulty
from tests.oracles import spatial_golden


def test_scores_are_those_recovered_from_the_public_puzzles():
    rows = spatial_golden.document("difficulty_scores")["rows"]
    assert len(rows) == 193
    for cells, occupied, kinds, expected in rows:
        assert difficulty.score(cells, occupied, kinds) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("score", "level"), [(0.0, 1), (0.9999, 1), (1.0, 2), (2.5, 3), (3.0, 4), (4.9996599654, 5), (5.0, 5)])
def test_levels_are_unit_intervals_of_the_score(score, level):
    assert difficulty.level(score) == level


def test_a_board_so_large_that_its_score_rounds_to_5_is_of_level_5():
    assert difficulty.score(400, 200, 5) == 5.0
    assert difficulty.level(difficulty.score(400, 200, 5)) == 5
