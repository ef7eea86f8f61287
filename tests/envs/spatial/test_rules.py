"""The rules on the device against recorded verdicts and the oracle, on boards of many sizes."""

import itertools
import json
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.spatial import rules
from kagejax.envs.spatial.names import RULES
from tests.oracles import spatial, spatial_golden, spatial_puzzles
from tests.oracles.spatial_golden import HAS_PUBLIC, WITHOUT_PUBLIC

from .conftest import LONGEST, Table, assert_same, on_host, random_records

CASES = spatial_golden.cases()
SYMBOL_RULES = rules.Marks._fields


def assert_is_the_oracles(verdicts, entries, boards):
    """Compares every verdict on each path, those on symbols wherever the oracle gives one; returns the oracle's."""
    judged = [spatial.judge(boards[place], path) for place, path in entries]
    for name in rules.Line._fields:
        expected = [v["gaps"]["ok"] if name == "avoids_gaps" else v["structure"][name] for v in judged]
        assert getattr(verdicts.line, name).tolist() == expected, name
    for name in SYMBOL_RULES:
        known = [place for place, v in enumerate(judged) if v[name] is not None]
        wrong = [place for place in known if getattr(verdicts.marks, name)[place] != judged[place][name]["ok"]]
        assert not wrong, (name, len(wrong), entries[wrong[0]], judged[wrong[0]][name])
    assert verdicts.valid.tolist() == [v["valid"] for v in judged]
    return judged


def lines_of(records, count, seed, first=0):
    """`count` random lines of each puzzle that has one, with the places of the puzzles in the table."""
    rng = np.random.default_rng(seed)
    drawn = [(first + place, spatial_puzzles.random_line(rng, r)) for place, r in enumerate(records) for _ in range(count)]
    return [(place, path) for place, path in drawn if path is not None]


# Recorded verdicts.


@pytest.fixture(scope="module")
def recorded(table):
    """Verdicts on all recorded paths, in one call."""
    return table.judge([(table.index[case["puzzle_id"]], case["path"]) for case in CASES])


@pytest.mark.parametrize("place", range(len(CASES)), ids=[case["case_id"] for case in CASES])
def test_a_recorded_path_is_judged_as_recorded(recorded, place):
    expected = CASES[place]["reference"]
    structure = {name: bool(getattr(recorded.line, name)[place]) for name in expected["structure"]}
    assert structure == expected["structure"]
    assert recorded.line.avoids_gaps[place] == expected["gaps"]["ok"]
    assert recorded.marks.dots[place] == expected["dots"]["ok"]
    for rule in ("squares", "stars", "triangles", "polys"):
        # Where the positions leave the board nothing is said of symbols.
        assert expected[rule] is None or getattr(recorded.marks, rule)[place] == expected[rule]["ok"], rule
    assert recorded.valid[place] == expected["valid"]


@pytest.mark.skipif(not HAS_PUBLIC, reason=WITHOUT_PUBLIC)
def test_candidates_of_public_puzzles_are_judged_as_recorded(table):
    candidates = [(name, found) for name, several in spatial_golden.public_candidates().items() for found in several]
    assert len(candidates) == 4104
    verdicts = table.judge([(table.index[name], candidate.path) for name, candidate in candidates])
    for rule in SYMBOL_RULES:
        assert getattr(verdicts.marks, rule).tolist() == [candidate.rules[rule] for _, candidate in candidates], rule
    assert all(leaf.all() for leaf in verdicts.line)
    assert verdicts.valid.tolist() == [candidate.valid for _, candidate in candidates]


# Random puzzles.


def test_random_lines_of_random_puzzles_are_judged_as_the_oracle_judges_them(table):
    first = table.index["X01"] + 1
    entries = lines_of(table.records[first : first + 1170], 10, seed=3, first=first)
    entries += [(place, path) for place in range(first, first + 90) for path in table.boards[place].solutions]
    assert len(entries) > 10_000
    judged = assert_is_the_oracles(table.judge(entries), entries, table.boards)
    met = Counter(str(entry["why"]) for v in judged for entry in v["polys"]["detail"])
    met.update("cancels" for v in judged for e in v["polys"]["detail"] if e["net"] == 0 and e["ok"])
    met.update("with ylops" for v in judged for e in v["polys"]["detail"] if e["ylop_area"] and e["net"] and e["ok"])
    met.update(("valid", v["valid"]) for v in judged)
    met.update((rule, v[rule]["ok"]) for v in judged for rule in SYMBOL_RULES)
    assert min(met[why] for why in ("None", "area", "fit", "net<0", "cancels", "with ylops")) > 60, met
    assert min(met["valid", flag] for flag in (True, False)) > 500
    assert min(met[rule, flag] for rule in SYMBOL_RULES for flag in (True, False)) > 500


def test_sets_of_positions_that_are_no_line_are_judged_as_the_oracle_judges_them(table):
    rng, entries = np.random.default_rng(4), []
    for place in rng.integers(0, len(table.boards), 2048).tolist():
        board = table.boards[place]
        path = spatial_puzzles.random_line(rng, board) or (board.start,)
        cut = int(rng.integers(0, len(path) + 1))
        spoils = (
            lambda path, cut, board: path[:cut],
            lambda path, cut, board: path[cut:],
            lambda path, cut, board: path[::-1],
            lambda path, cut, board: (*path[:cut], *path[max(0, cut - 2) :]),  # back and forth
            lambda path, cut, board: (*path[:cut], *path[cut + 1 :]),  # a hole
            lambda path, cut, board: (*path, path[max(0, len(path) - 2)]),  # on after the end
            lambda path, cut, board: (*path[:cut], (int(rng.integers(-2, 15)), int(rng.integers(-2, 15))), *path[cut:]),
            lambda path, cut, board: tuple(map(tuple, rng.integers(-1, 2 * board.columns + 2, (cut, 2)).tolist())),
            lambda path, cut, board: (*path[:-1], (board.width, board.end[1])),  # into the padding of the lattice
        )
        entries.append((place, spoils[int(rng.integers(len(spoils)))](path, cut, board)))
    judged = assert_is_the_oracles(table.judge(entries), entries, table.boards)
    counts = Counter((name, flag) for v in judged for name, flag in v["structure"].items())
    assert min(counts[name, flag] for name in judged[0]["structure"] for flag in (True, False)) > 50, counts


def test_one_program_judges_all_puzzles(table):
    table.judge([(0, table.boards[0].solutions[0])])
    compiled = Table.programs()[0]
    for place in (1, 50, len(table.boards) - 1):
        table.judge([(place, (table.boards[place].start,))])
    assert Table.programs()[0] == compiled


# Other lattices.


def without_difficulty(records):
    """The records without what only boards of the usual sizes have."""
    return [{name: value for name, value in record.items() if "difficulty" not in name} for record in records]


def test_a_bank_without_pieces_is_judged_too():
    records = [r for r in spatial_golden.puzzles().values() if not any(s.shape for s in spatial.read(r).symbols.values())]
    table = Table(records)
    assert (len(records), table.env.plan.most_ylops) == (50, 0)
    entries = [(table.index[case["puzzle_id"]], case["path"]) for case in CASES if case["puzzle_id"] in table.index]
    verdicts = table.judge(entries)
    assert_is_the_oracles(verdicts, entries, table.boards)
    assert verdicts.marks.polys.all()


ONE, TWO, TALL, L, T = "1", "17", "3", "19", "562"
BOXES = {
    ONE: [(0, 0)], TWO: [(0, 0), (1, 0)], TALL: [(0, 0), (0, 1)], L: [(0, 0), (0, 1), (1, 0)],
    T: [(0, 0), (1, 0), (2, 0), (1, 1)],
}  # fmt: skip
"""Cells (column, row) of shapes."""


def filled(columns, rows, counts, name):
    """A record with polys on its first cells, start and end in the upper corners; counts are by shape."""
    array = [["+N"[x % 2 * (y % 2)] for x in range(2 * columns + 1)] for y in range(2 * rows + 1)]
    array[0][0], array[0][-1] = "S", "E"
    pieces = [f"P-{'RBGY'[k % 4]}-{shape}" for shape, count in counts.items() for k in range(count)]
    for place, piece in enumerate(pieces):
        array[2 * (place // columns) + 1][2 * (place % columns) + 1] = piece
    boxes = {s: [[int((column, row) in BOXES[s]) for column in range(4)] for row in range(4)] for s in counts}
    size = {"width": columns, "height": rows}
    return {"id": name, "grid_size": size, "puzzle_array": array, "polyshapes": json.dumps(boxes)}


FILLED = [
    ((8, 4), {ONE: 30, TALL: 1}, True),
    ((5, 7), {ONE: 27, TALL: 2, T: 1}, True),
    ((5, 7), {ONE: 31}, False),  # an area of 31 on a board of 35
    ((8, 4), {ONE: 28, T: 1}, True),
    ((8, 4), {ONE: 29, T: 1}, False),  # 33 cells
    ((1, 7), {ONE: 4, L: 1}, False),  # 7 cells, but no room for the corner
    ((8, 1), {TWO: 4}, True),
    ((8, 1), {TWO: 3, TALL: 1}, False),
    ((8, 7), {T: 14}, False),  # none of them reaches a lower corner
]
"""Boards with polys and nothing else, and whether these tile them."""


@pytest.mark.slow
def test_up_to_31_pieces_tile_a_board_if_and_only_if_they_can():
    records = [filled(*size, counts, f"filled {k}") for k, (size, counts, _) in enumerate(FILLED)]
    table = Table(records, {"lattice.cells_w": 8, "lattice.cells_h": 7}, batch=8)
    assert table.params.bank.symbols.piece_sizes.shape == (len(FILLED), 31)
    along_the_border = [tuple((x, 0) for x in range(2 * columns + 1)) for (columns, _), *_ in FILLED]
    verdicts = table.judge(list(enumerate(along_the_border)))
    assert verdicts.marks.polys.tolist() == [expected for *_, expected in FILLED]
    assert all(leaf.all() for leaf in verdicts.line)


def test_large_boards_with_many_ylops_are_judged_as_the_oracle_judges_them(monkeypatch):
    monkeypatch.setitem(spatial_puzzles.MOST, "ylop", 6)
    monkeypatch.setitem(spatial_puzzles.MOST, "poly", 6)
    records = without_difficulty(random_records(5, 108, [(8, 7), (7, 7), (8, 3), (3, 7), (8, 1), (1, 7)]))
    table = Table(records, {"lattice.cells_w": 8, "lattice.cells_h": 7}, batch=512)
    assert (table.env.plan.lattice.words, table.env.plan.most_ylops) == (3, 6)
    entries = lines_of(table.records, 4, seed=6)
    judged = assert_is_the_oracles(table.judge(entries), entries, table.boards)
    met = Counter((entry["ylop_area"] > 0, entry["why"]) for v in judged for entry in v["polys"]["detail"])
    assert min(met[ylops, why] for ylops in (True, False) for why in (None, "fit")) >= 10, met


@pytest.mark.slow
def test_the_largest_boards_are_judged_as_the_oracle_judges_them():
    records = without_difficulty(random_records(8, 60, [(15, 15), (15, 2), (2, 15), (9, 9)]))
    table = Table(records, {"lattice.cells_w": 15, "lattice.cells_h": 15}, batch=64)
    assert table.env.plan.lattice.words == 8
    entries = [(place, path) for place, path in lines_of(records, 6, seed=9) if len(path) <= LONGEST]
    assert len(entries) > 200
    assert_is_the_oracles(table.judge(entries), entries, table.boards)


# Batches.


@pytest.fixture(scope="module")
def few(small):
    """24 lines of the small table: puzzle, visited positions, and what is to be said of the symbols."""
    entries = lines_of(small.records, 2, seed=7)[-24:]
    verdicts = small.judge(entries)
    assert_is_the_oracles(verdicts, entries, small.boards)
    lattice = small.env.plan.lattice
    visited = np.zeros((len(entries), lattice.positions), bool)
    for row, (_, path) in zip(visited, entries, strict=True):
        row[[y * lattice.width + x for x, y in path]] = True
    assert len({tuple(marks) for marks in zip(*(leaf.tolist() for leaf in verdicts.marks), strict=True)}) >= 5
    return np.array([place for place, _ in entries], np.int32), visited, verdicts.marks


def judged_by(small, axes, *arguments):
    """Marks of the judge under a `vmap` for each of some axes of (puzzle, visited, asked), from the inside out."""
    judge = rules.judge(small.env.plan.lattice, small.env.plan.most_ylops)
    mapped = judge
    for each in axes:
        mapped = jax.vmap(mapped, (*each, None))
    return on_host(jax.jit(mapped)(*arguments, small.params.bank))


def test_only_those_that_are_asked_for_are_judged(small, few):
    puzzles, visited, expected = few
    for asked in (np.arange(24) % 3 == 0, np.ones(24, bool), np.zeros(24, bool), np.arange(24) == 23):
        found = judged_by(small, [(0, 0, 0)], puzzles, visited, asked)
        assert_same(found, rules.Marks(*(leaf & asked for leaf in expected)))


def test_batches_within_batches_are_judged_as_one(small, few):
    puzzles, visited, expected = few
    asked = np.arange(24) % 4 != 1
    square = [x.reshape(4, 6, *x.shape[1:]) for x in (puzzles, visited, asked)]
    found = judged_by(small, [(0, 0, 0), (0, 0, 0)], *square)
    assert_same(found, rules.Marks(*((leaf & asked).reshape(4, 6) for leaf in expected)))


def test_what_a_batch_shares_need_not_be_repeated(small, few):
    puzzles, visited, expected = few
    found = judged_by(small, [(None, None, 0)], puzzles[5], visited[5], np.array([True, False, True]))
    assert_same(found, rules.Marks(*(np.array([leaf[5], False, leaf[5]]) for leaf in expected)))


def test_a_line_alone_is_judged_as_in_a_batch(small, few):
    puzzles, visited, expected = few
    alone = jax.jit(rules.judge(small.env.plan.lattice, small.env.plan.most_ylops))
    for place in range(6):
        found = alone(puzzles[place], visited[place], jnp.bool_(True), small.params.bank)
        assert_same(found, rules.Marks(*(leaf[place] for leaf in expected)))
    assert not any(alone(puzzles[0], visited[0], jnp.bool_(False), small.params.bank))


def test_a_batch_of_more_than_a_turn_is_judged_whole(small, few):
    puzzles, visited, expected = few
    repeated = [np.concatenate([x] * 9)[: 24 * 9 - 5] for x in (puzzles, visited)]
    asked = np.random.default_rng(0).random(24 * 9 - 5) < 0.8
    assert len(asked) > 3 * rules.LEAST_TURN
    found = judged_by(small, [(0, 0, 0)], *repeated, asked)
    assert_same(found, rules.Marks(*(np.concatenate([leaf] * 9)[: 24 * 9 - 5] & asked for leaf in expected)))


# The line.


@pytest.mark.parametrize(("before", "after"), list(itertools.product(range(4), repeat=2)))
def test_a_move_forth_and_the_move_back_undo_each_other(before, after):
    assert (rules.BACK[before] == after) == (
        tuple(map(sum, zip(spatial.STEPS[before], spatial.STEPS[after], strict=True))) == (0, 0)
    )


def test_the_verdicts_are_those_of_the_specification_in_its_order():
    assert RULES == (
        "reached_target", "path_not_crossing", "no_gap_violations", "all_dots_collected", "square_color_separation",
        "star_pairing_exact", "triangles_edge_count", "poly_ylop_area",
    )  # fmt: skip
    assert SYMBOL_RULES == ("dots", "squares", "stars", "triangles", "polys")
