"""The sets that come with kagejax: right, apart from each other, and drawn as is said."""

import numpy as np
import pytest

from kagejax.envs.spatial import build, difficulty, generate, generate_sets

SIZES = {"balanced": 500, "balanced-test": 500, "first-steps": 1400, "first-steps-test": 280}


@pytest.mark.parametrize(("name", "size"), SIZES.items())
def test_a_set_has_its_size_and_no_puzzle_twice(name, size):
    puzzles = build.public(name)
    assert len(puzzles) == len({puzzle.id for puzzle in puzzles}) == size
    assert all(1 <= len(puzzle.solutions) <= 50 for puzzle in puzzles)


@pytest.mark.parametrize("name", ["balanced", "first-steps"])
def test_no_puzzle_of_a_test_set_is_in_the_set_it_tests(name):
    def content(puzzle):
        return puzzle.start, puzzle.end, puzzle.grid

    known = {content(puzzle) for puzzle in build.public(name)}
    assert not known & {content(puzzle) for puzzle in build.public(f"{name}-test")}


def test_levels_have_the_public_shares():
    counts = np.bincount([puzzle.level for puzzle in build.public("balanced")], minlength=6)
    assert counts.tolist() == [0, 86, 118, 121, 86, 89]


def test_difficulties_are_those_of_the_formula():
    for puzzle in build.public("balanced-test"):
        kinds = {symbol.kind for symbol in puzzle.symbols}
        score = difficulty.score(puzzle.cells_w * puzzle.cells_h, len(puzzle.symbols), len(kinds))
        assert puzzle.score == pytest.approx(score, abs=1e-9) and puzzle.level == int(score) + 1


def test_first_steps_hold_every_choice_of_their_rules_alike():
    kinds = [frozenset(puzzle.kinds) for puzzle in build.public("first-steps")]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        frozenset(rules): 200
        for rules in (
            {"dot"}, {"gap"}, {"square"}, {"dot", "gap"}, {"dot", "square"}, {"gap", "square"}, {"dot", "gap", "square"},
        )
    }  # fmt: skip


def test_a_set_begins_as_it_is_drawn():
    assert generate.draw(12, generate_sets.SEEDS["balanced"]) == build.public("balanced")[:12]


@pytest.mark.slow
def test_the_sets_are_drawn_again_byte_for_byte(tmp_path):
    for name in SIZES:
        assert generate_sets.drawn(name) == build.public(name)
