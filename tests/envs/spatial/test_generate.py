"""New path puzzles."""

import collections
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagejax.envs.spatial import census, generate, generate_laws, generate_lines, generate_plans, generate_symbols, puzzles
from tests.oracles import spatial, spatial_golden

SEED = 11


@pytest.fixture(scope="module")
def mixture():
    """Puzzles like the public ones."""
    return generate.draw(150, SEED)


def test_the_same_seed_gives_the_same_puzzles(mixture):
    assert generate.draw(12, SEED) == mixture[:12]
    assert generate.draw(3, SEED + 1) != mixture[:3]


def test_puzzles_come_one_by_one(mixture):
    found = generate.each(150, SEED)
    assert next(found) == mixture[0]
    assert next(found) == mixture[1]


def test_every_puzzle_is_a_record_that_can_be_read_again(mixture):
    for puzzle in mixture:
        assert puzzles.from_record(puzzles.to_record(puzzle)) == puzzle


def test_every_stored_solution_is_valid_by_the_oracle(mixture):
    for puzzle in mixture:
        board = spatial.read(puzzles.to_record(puzzle))
        assert all(spatial.judge(board, path)["valid"] for path in puzzle.solutions)


def test_lists_of_small_boards_are_those_of_the_oracle(mixture):
    small = [puzzle for puzzle in mixture if puzzle.cells <= 6]
    assert len(small) > 20
    for puzzle in small:
        assert list(puzzle.solutions) == spatial.solutions(puzzles.to_record(puzzle))


def test_ids_are_hexadecimal_and_differ(mixture):
    assert len({puzzle.id for puzzle in mixture}) == 150
    assert all(re.fullmatch("[1-9a-f][0-9a-f]{0,15}", puzzle.id) for puzzle in mixture)


def test_an_id_depends_on_the_board_alone():
    (puzzle,) = generate.draw(1, 3)
    same = puzzles.from_record(puzzles.to_record(puzzle) | {"id": "other", "solution_count": 0, "solutions": []})
    assert generate.name_of(same) == puzzle.id


def test_levels_have_their_public_shares_from_the_first_puzzle_on(mixture):
    counts = collections.Counter(puzzle.level for puzzle in mixture[:50])
    assert counts == {1: 9, 2: 12, 3: 12, 4: 8, 5: 9}  # 8.6, 11.8, 12.1, 8.6, 8.9
    shares = dict(enumerate(generate_laws.LEVEL_SHARES, 1))
    assert collections.Counter(generate.turns(shares, 500)) == {1: 86, 2: 118, 3: 121, 4: 86, 5: 89}


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [
        ("solutions, median", 1),
        ("one solution, share", 12),
        ("with squares, share", 12),
        ("with polys, share", 12),
        ("with dots, share", 12),
        ("with gaps, share", 12),
        ("with triangles, share", 12),
        ("with stars, share", 12),
        ("occupied rule cells, share of cells", 8),
        ("triangles of count 1, share", 15),
        ("triangles of count 3, share", 0),
        ("polys of 4 cells, share", 12),
        ("one colour, share", 12),
        ("starts on edges, share", 12),
        ("ends on edges, share", 12),
        ("dots on edges, share", 12),
        ("level 2, rule cells", 1.5),
        ("level 4, shortest solution", 5),
    ],
)
def test_the_mixture_is_like_the_public_puzzles(mixture, name, tolerance):
    assert census.measure(mixture)[name] == pytest.approx(census.PUBLIC[name], abs=tolerance)  # 3 standard errors or so


def test_dots_gaps_colours_and_symbols_stay_in_the_public_range(mixture):
    assert max(len(puzzle.dots) for puzzle in mixture) <= 7
    assert max(len(puzzle.gaps) for puzzle in mixture) <= 7
    assert max(len(puzzle.symbols) for puzzle in mixture) <= 13
    assert all(1 <= len(puzzle.solutions) <= 50 for puzzle in mixture)
    assert {(puzzle.cells_w, puzzle.cells_h) for puzzle in mixture} <= set(generate_laws.SIZES)


@pytest.mark.parametrize(
    "rules",
    [set(), {"dot"}, {"gap"}, {"square"}, {"star"}, {"triangle"}, {"poly"}, {"poly", "ylop"}, {"dot", "square", "star"}],
)
def test_puzzles_have_exactly_the_rules_that_are_asked_for(rules):
    for puzzle in generate.draw(6, 1, rules):
        assert puzzle.kinds == rules


def test_all_rules_at_once_are_possible():
    (puzzle,) = generate.draw(1, 1, generate.RULE_KINDS)
    assert puzzle.kinds == set(generate.RULE_KINDS)


def test_sizes_levels_and_solutions_are_as_asked_for():
    found = generate.draw(8, 4, sizes=[(3, 2), (2, 4)], levels=[2, 3], solutions=(2, 3))
    assert {(puzzle.cells_w, puzzle.cells_h) for puzzle in found} == {(3, 2), (2, 4)}
    assert {puzzle.level for puzzle in found} == {2, 3}
    assert {len(puzzle.solutions) for puzzle in found} <= {2, 3}


def test_boards_beyond_the_public_sizes_can_be_drawn():
    (puzzle,) = generate.draw(1, 2, sizes=[(7, 4)])
    assert (puzzle.cells_w, puzzle.cells_h) == (7, 4)


def test_puzzles_are_told_one_by_one():
    told = []
    generate.draw(3, 0, sizes=[(2, 2)], say=told.append)
    assert told == [1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"count": -1}, "Found count -1 and seed 0; allowed: 0 or more."),
        ({"rules": {"squares"}}, "Found the rule 'squares'; allowed: dot, gap, square, star, triangle, poly, ylop."),
        ({"rules": {"ylop"}}, "A ylop takes cells away from polys: the rule ylop needs the rule poly."),
        ({"rules": {"star"}, "sizes": [(1, 1)]}, "The rules star need 2 cells; none of the boards has as many."),
        ({"solutions": (5, 4)}, "Found 5 to 4 solutions; allowed: 1 or more, the least first."),
        ({"solutions": (0, 4)}, "Found 0 to 4 solutions; allowed: 1 or more, the least first."),
        ({"sizes": []}, "Found the sizes none; allowed: 1x1 to 10x10."),
        ({"sizes": [(2, 11)]}, "Found the sizes 2x11; allowed: 1x1 to 10x10."),
        ({"levels": [6]}, "Found the levels 6; allowed: 1 to 5."),
        (
            {"levels": [5], "sizes": [(2, 2), (1, 2)]},
            "There is no puzzle of level 5 on these boards. Levels that they can have: 2x2: 1 2 3 4, 1x2: 1 2.",
        ),
        (
            {"levels": [1, 4], "sizes": [(3, 3)], "rules": {"square", "dot"}},
            "There is no puzzle of level 4 with the rules dot, square on these boards. Levels that they can have: 3x3: 1 2 3.",
        ),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_drawn(arguments, message):
    told = []
    with pytest.raises(generate.GenerateError) as caught:
        generate.draw(**{"count": 5, "seed": 0} | arguments, say=told.append)
    assert (str(caught.value), told) == (message, [])


def test_what_is_not_found_ends_with_a_message(monkeypatch):
    monkeypatch.setattr(generate, "TRIES", 200)
    with pytest.raises(generate.GenerateError) as caught:
        generate.draw(100, 0, rules=set(), sizes=[(1, 1)], solutions=(1, 1))
    assert re.fullmatch(
        r"None of 200 boards gave one more puzzle of any level with the rules none and 1 to 1 solutions; \d+ puzzles were "
        r"found before\. Ask for fewer puzzles, or for other levels, sizes, rules or solutions\.",
        str(caught.value),
    )


def test_a_search_that_spends_too_much_ends_too(monkeypatch):
    monkeypatch.setattr(generate, "ALL_NODES", 1000)
    with pytest.raises(generate.GenerateError, match="of any level with the rules dot and 1 to 50 solutions; 0 puzzles"):
        generate.draw(1, 0, rules={"dot"}, sizes=[(6, 6)])


def test_levels_that_a_board_can_have_follow_from_the_formula():
    assert generate_plans.possible_levels(4) == (1, 2, 3, 4)
    assert generate_plans.possible_levels(36) == (5,)
    assert generate_plans.possible_levels(4, {"dot"}) == (1,)
    assert generate_plans.possible_levels(9, {"square"}) == (1, 2, 3)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), columns=st.integers(1, 6), rows=st.integers(1, 6), triangles=st.booleans())
def test_a_random_line_is_a_line(seed, columns, rows, triangles):
    lattice = 2 * columns + 1, 2 * rows + 1
    path = generate_lines.winding(np.random.default_rng(seed), lattice, triangles)
    if path is not None:
        board = puzzles.Puzzle("line", columns, rows, path[0], path[-1])
        assert puzzles.line_flaw(board, path) is None


@pytest.mark.parametrize(("start", "cell"), [((1, 0), (1, 1)), ((0, 5), (1, 5)), ((3, 6), (3, 5)), ((6, 3), (5, 3))])
def test_a_wrapping_line_uses_all_edges_of_its_cell(start, cell):
    x, y = cell
    path = generate_lines.wrapped(np.random.default_rng(0), start)
    assert path[0] == start
    assert len(set(path)) == len(path) == 8
    assert {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} <= set(path)


@given(seed=st.integers(0, 2**32 - 1), columns=st.integers(1, 5), rows=st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_regions_are_those_of_the_oracle(seed, columns, rows):
    path = generate_lines.winding(np.random.default_rng(seed), (2 * columns + 1, 2 * rows + 1), False)
    if path is not None:
        board = spatial.read(puzzles.to_record(puzzles.Puzzle("regions", columns, rows, path[0], path[-1])))
        ours = generate_symbols.regions(columns, rows, path)
        cells = {frozenset((2 * x + 1, 2 * y + 1) for x, y in region) for region in ours}
        assert cells == {frozenset(region) for region in spatial.regions(board, path)}


def test_a_census_counts_what_is_there():
    record = spatial_golden.puzzles()["X01"]
    puzzle = puzzles.from_record(record)
    found = census.measure([puzzle])
    symbols = [text for row in record["puzzle_array"] for text in row]
    assert found["solutions, mean"] == 1
    assert found["one solution, share"] == 100
    assert found["squares each"] == sum(text.startswith("o-") for text in symbols)
    assert found["dots, most"] == symbols.count(".")
    assert found["gaps, most"] == symbols.count("G")
    assert found[f"level {puzzle.level}, share"] == 100
    assert set(found) <= set(census.PUBLIC)


def test_a_census_of_nothing_has_nothing_to_say():
    assert all(row.found in (None, 0) for row in census.compare([]))


@pytest.mark.skipif(not spatial_golden.HAS_PUBLIC, reason=spatial_golden.WITHOUT_PUBLIC)
def test_the_public_puzzles_at_hand_are_like_all_of_them():
    """350 of the 500, so shares may differ by three standard errors of a share of half, which is 8 per cent."""
    found = census.measure([puzzles.from_record(record) for record in spatial_golden.public_puzzles().values()])
    assert set(found) == set(census.PUBLIC)
    for name, public in census.PUBLIC.items():
        if name.endswith("share") and not name.startswith("ylops"):  # of which there are 21
            assert found[name] == pytest.approx(public, abs=8), name
