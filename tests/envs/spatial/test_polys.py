"""The search for a cover, alone, against trying all placements; and the shapes it reads."""

import functools
import itertools
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.spatial import bank, polys
from kagejax.envs.spatial.params import Lattice
from kagejax.envs.spatial.polys import Tasks
from kagejax.envs.spatial.puzzles import Puzzle, Symbol
from tests.oracles import spatial, spatial_golden, spatial_puzzles

from .conftest import on_host

ROOM = 1536
"""Tasks that a call has room for, many times the lanes."""


def box_of(shape):
    """The 4x4 box of a shape (cells x, y from its first one), at its left and top."""
    left = min(x for x, _ in shape)
    box = [[0] * 4 for _ in range(4)]
    for x, y in shape:
        box[y][x - left] = 1
    return tuple(map(tuple, box))


def puzzle_of(columns, rows, polys, ylops, name="0"):
    """A board with these pieces on its cells, in the order of reading."""
    shapes, symbols = {}, []
    cells = [(x, y) for y in range(1, 2 * rows, 2) for x in range(1, 2 * columns, 2)]
    pieces = [("poly", shape) for shape in polys] + [("ylop", shape) for shape in ylops]
    for (x, y), (kind, shape) in zip(cells, pieces, strict=False):
        key = next((key for key, box in shapes.items() if box == box_of(shape)), str(len(shapes)))
        shapes[key] = box_of(shape)
        symbols.append(Symbol(x, y, kind, "red", 0, key))
    assert len(symbols) == len(pieces)
    return Puzzle(name, columns, rows, (0, 0), (2 * columns, 0), symbols=tuple(symbols), shapes=shapes)


class Bank:
    """The pieces of some puzzles on one lattice, and the compiled search."""

    def __init__(self, puzzles, cells_w, cells_h, rows=ROOM, room=ROOM):
        self.puzzles, self.lattice = tuple(puzzles), Lattice(cells_w, cells_h)
        numbers = bank.shapes_of(self.puzzles)
        self.symbols = bank.symbol_bank(self.puzzles, numbers, self.lattice)
        self.shapes = bank.shape_bank(numbers, self.lattice)
        self.ylops = max(sum(symbol.kind == "ylop" for symbol in puzzle.symbols) for puzzle in self.puzzles)
        self.rows, self.room = rows, room

    def task(self, row, puzzle, target):
        """All pieces of a puzzle, to cover the cells (x, y) of the target."""
        members = sum(1 << slot for slot, size in enumerate(self.symbols.piece_sizes[puzzle]) if size)
        places = np.array([y * self.lattice.stride + x for x, y in target], np.int64)
        return row, puzzle, members, bank.packed(places, self.lattice.words)

    def uncovered(self, tasks, count=None):
        """Rows with a task, among the first `count`, that fails; behind the tasks the buffer holds the first one again."""
        filled = [*tasks, *[tasks[0]] * (self.room - len(tasks))]
        row, puzzle, members, need = (np.array(column) for column in zip(*filled, strict=True))
        buffer = Tasks(row.astype(np.int32), puzzle.astype(np.int32), members.astype(np.uint32), need.astype(np.uint32))
        count = np.int32(len(tasks) if count is None else count)
        found = _search(self.lattice, self.rows, self.ylops, buffer, count, self.symbols, self.shapes)
        return on_host(found)


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def _search(lattice, rows, ylops, tasks, count, symbols, shapes):
    from kagejax.envs.spatial.params import Bank as DeviceBank

    whole = DeviceBank(symbols, shapes, None, None, None)
    return polys.uncovered(jax.tree.map(jnp.asarray, tasks), count, rows, whole, lattice, ylops)


def sums_of(columns, rows, pieces):
    """Every sum of covers of a board that the pieces (sign, shape) have in some placement, as tuples of counts."""
    sums = {(0,) * (columns * rows)}
    for sign, shape in pieces:
        left, right, down = min(x for x, _ in shape), max(x for x, _ in shape), max(y for _, y in shape)
        covers = []
        for x, y in itertools.product(range(-left, columns - right), range(rows - down)):
            cover = [0] * (columns * rows)
            for across, along in shape:
                cover[(y + along) * columns + x + across] = sign
            covers.append(cover)
        sums = {tuple(map(sum, zip(old, cover, strict=True))) for old in sums for cover in covers}
    return sums


@pytest.fixture(scope="module")
def tried():
    """Random pieces on boards of up to 3x3 cells with targets of their area, and whether some placement covers these."""
    rng, puzzles, cases = np.random.default_rng(0), [], []
    while len(cases) < 1200:
        columns, rows = rng.integers(1, 4, 2).tolist()
        count = rng.integers(0, 5) if columns * rows > 4 else rng.integers(0, columns * rows + 1)
        ylops = rng.binomial(count, rng.choice([0.0, 0.3, 0.5]))
        pieces = [(-1 if k < ylops else 1, spatial_puzzles.random_shape(rng)) for k in range(count)]
        if len(pieces) > 1 and rng.random() < 0.4:  # pairs of equal ones
            pieces[-1] = (pieces[-1][0], pieces[0][1])
        sums = sums_of(columns, rows, pieces)
        net = sum(sign * len(shape) for sign, shape in pieces)
        board = list(itertools.product(range(columns), range(rows)))
        if not pieces or not 0 <= net <= len(board):
            continue
        regions = [sum_ for sum_ in sums if set(sum_) <= {0, 1}] if net else [(0,) * len(board)]
        targets = [tuple(sorted(board[k] for k in rng.permutation(len(board))[:net])) for _ in range(2)]
        if net and regions:
            region = regions[rng.integers(len(regions))]
            targets.append(tuple((k % columns, k // columns) for k, full in enumerate(region) if full))
        signed = {1: [shape for sign, shape in pieces if sign > 0], -1: [shape for sign, shape in pieces if sign < 0]}
        for target in set(targets):
            fits = tuple(int((x, y) in target) for y in range(rows) for x in range(columns)) in sums
            cases.append((len(puzzles), target, fits, bool(ylops), net > 0))
        puzzles.append(puzzle_of(columns, rows, signed[1], signed[-1]))
    met = Counter(case[2:] for case in cases)
    assert min(met[fits, ylops, True] for fits in (True, False) for ylops in (True, False)) > 50, met
    assert min(met[fits, True, False] for fits in (True, False)) > 20, met
    return Bank(puzzles, 3, 3), cases


def test_a_cover_is_found_if_and_only_if_some_placement_is_one(tried):
    here, cases = tried
    assert len(cases) > 4 * polys.LANES
    failed = here.uncovered([here.task(row, puzzle, target) for row, (puzzle, target, *_) in enumerate(cases)])
    assert failed[: len(cases)].tolist() == [not case[2] for case in cases]
    assert not failed[len(cases) :].any()


def test_a_row_fails_if_one_of_its_tasks_does(tried):
    here, cases = tried
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 300, len(cases))
    failed = here.uncovered([here.task(row, *case[:2]) for row, case in zip(rows, cases, strict=True)])
    expected = {row for row, case in zip(rows.tolist(), cases, strict=True) if not case[2]}
    assert set(np.flatnonzero(failed).tolist()) == expected
    assert 50 < len(expected) < 300


def test_what_lies_behind_the_count_is_not_searched(tried):
    here, cases = tried
    tasks = [here.task(row, *case[:2]) for row, case in enumerate(cases)]
    assert not here.uncovered(tasks, count=0).any()
    failed = here.uncovered(tasks, count=polys.LANES + 5)
    expected = [row for row, case in enumerate(cases[: polys.LANES + 5]) if not case[2]]
    assert np.flatnonzero(failed).tolist() == expected


def test_the_order_of_tasks_changes_nothing(tried):
    here, cases = tried
    tasks = [here.task(row, *case[:2]) for row, case in enumerate(cases)]
    order = np.random.default_rng(2).permutation(len(tasks))
    np.testing.assert_array_equal(here.uncovered([tasks[k] for k in order]), here.uncovered(tasks))


ONE, TWO, TALL, CORNER = ((0, 0),), ((0, 0), (1, 0)), ((0, 0), (0, 1)), ((0, 0), (1, 0), (0, 1))
PLUS = ((0, 0), (-1, 1), (0, 1), (1, 1), (0, 2))


def whole(columns, rows):
    return [(x, y) for y in range(rows) for x in range(columns)]


MANY = [
    ((8, 4), [ONE] * 30 + [TALL], [], whole(8, 4), True),
    ((8, 4), [ONE] * 29 + [CORNER], [], whole(8, 4), True),
    ((8, 4), [TWO] * 16, [], whole(8, 4), True),
    ((5, 5), [TWO] * 10 + [ONE] * 5, [], whole(5, 5), True),
    ((5, 5), [TWO] * 12 + [ONE], [], whole(5, 5), False),  # rows are odd
    ((1, 7), [ONE] * 4 + [CORNER], [], whole(1, 7), False),
    ((8, 1), [TWO] * 3 + [TALL], [], whole(8, 1), False),
    ((5, 5), [PLUS] * 5, [], whole(5, 5), False),
    # 31 pieces that cancel, in pairs and otherwise.
    ((8, 4), [ONE] * 16, [ONE] * 15, [(3, 2)], True),
    ((8, 4), [TWO] * 10 + [ONE], [ONE] * 20, [(0, 0)], True),
    ((8, 4), [ONE] * 20, [TWO] * 10, [], True),
    ((8, 4), [CORNER], [TWO, ONE], [], True),
    ((2, 1), [CORNER], [CORNER], [], False),  # they must lie on the board
    ((1, 2), [TALL], [TWO], [], False),
]
"""Size of a board, polys, ylops, the cells to cover, and whether it can be done."""


def test_up_to_31_pieces_are_searched():
    made = [puzzle_of(*size, positive, negative) for size, positive, negative, *_ in MANY]
    here = Bank(made, 8, 5, rows=len(MANY), room=len(MANY))
    assert here.symbols.piece_sizes.shape == (len(MANY), 31)
    failed = here.uncovered([here.task(row, row, target) for row, (*_, target, _) in enumerate(MANY)])
    assert failed.tolist() == [not expected for *_, expected in MANY]


@pytest.mark.parametrize(("ylops", "digits"), [(0, 1), (1, 2), (2, 2), (3, 3), (6, 3), (7, 4)])
def test_digits_hold_one_more_than_there_are_ylops(ylops, digits):
    assert polys.digits(ylops) == digits


# Shapes.


def test_a_shape_is_its_cells_wherever_it_stands_in_its_box():
    # 112 is column 1, rows 0 to 2; 624 has column 2, row 1 too.
    seen = spatial_golden.document("polyshapes_seen")
    assert bank.cells_of(seen["112"]).offsets == ((0, 0), (1, 0), (2, 0))
    assert bank.cells_of(seen["624"]).offsets == ((0, 0), (1, 0), (1, 1), (2, 0))
    assert bank.cells_of(seen["69904"]).offsets == ((0, 0), (0, 1), (0, 2))  # its fourth cell was cut off
    assert len(seen) == 78


def test_shapes_lie_where_they_fit_the_board_and_nowhere_else():
    lattice = Lattice(4, 3)
    numbers = {bank.cells_of(box_of(PLUS)): 0, bank.cells_of(box_of(TWO)): 1}
    covers = bank.shape_bank(numbers, lattice).covers
    assert covers.shape[1:] == (20, 1)

    def covered(shape):
        return {
            place: sorted(k for k in range(32) if words[0] >> k & 1) for place, words in enumerate(covers[shape]) if words.any()
        }

    # Five places in a row of four cells.
    assert covered(0) == {1: [1, 5, 6, 7, 11], 2: [2, 6, 7, 8, 12]}
    assert covered(1) == {5 * row + column: [5 * row + column, 5 * row + column + 1] for row in range(3) for column in range(3)}


def test_equal_pieces_are_side_by_side_and_polys_before_ylops():
    puzzle = puzzle_of(3, 3, [TWO, TALL, TWO, ONE], [TWO, ONE, TWO])
    here = Bank([puzzle], 3, 3)
    assert here.symbols.piece_sizes[0, 7:].sum() == 0
    order = [(int(here.symbols.ylops[0]) >> slot & 1, int(here.symbols.piece_shapes[0, slot])) for slot in range(7)]
    assert order == sorted(order)
    assert sorted(Counter(order).values()) == [1, 1, 1, 2, 2]
    assert here.symbols.piece_sizes[0].tolist().count(2) == 5
    for slot, sort in enumerate(order):
        behind = [other for other in range(7) if int(here.symbols.piece_after[0, slot]) >> other & 1]
        assert behind == [other for other in range(slot, 7) if order[other] != sort]


@pytest.mark.parametrize(("count", "fits"), [(31, True), (32, False)])
def test_a_puzzle_of_more_than_31_pieces_is_told_so(count, fits):
    puzzle = puzzle_of(8, 4, [ONE] * (count - 3), [ONE] * 3)
    message = "" if fits else "It has 32 polys and ylops; allowed: up to 31."
    assert bank.complaint(puzzle, Lattice(8, 4)) == message
    assert spatial.covers(8, 4, frozenset(whole(8, 4)[: count - 6]), (ONE,) * (count - 3), (ONE,) * 3)
