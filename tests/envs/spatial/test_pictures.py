"""Pictures of puzzles: the line where it went and nowhere else, every symbol told apart, and one picture both ways."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.spatial import build, scene
from kagejax.envs.spatial.env import SpatialEnv
from kagejax.envs.spatial.params import Episode, Lattice, State
from kagejax.envs.spatial.pictures import picture, state_of
from kagejax.envs.spatial.puzzles import Puzzle, Symbol
from kagejax.envs.spatial.tracks import tracks
from tests.oracles import spatial, spatial_episodes, spatial_golden, spatial_puzzles

from .conftest import Table, assert_same, config_of, observe, on_host

WHITE, LANE, CELL, GROUND, DARK = (255, 255, 255), (70, 75, 88), (158, 163, 172), (36, 39, 48), (18, 19, 24)
COLORS = ("red", "blue", "yellow", "green", "black", "purple", "orange", "white")
CENTRES = (16, 40, 64, 88, 112)
"""Of the five lattice lines of a board of 2x2 cells in 128 px: lanes of 16 px, cells of 32 px, 8 px around."""


def states_of(env, params, entries):
    """The states of lines on puzzles of a bank, by their places. Moves behind the head are what is left of earlier ones."""
    lattice, states, rng = env.plan.lattice, [], np.random.default_rng(0)
    for place, path in entries:
        moves = spatial.moves(path)
        stack = rng.integers(0, 4, -(-lattice.longest // 16) * 16).astype(np.uint64)
        stack[: len(moves)] = moves
        words = (stack.reshape(-1, 16) << np.arange(0, 32, 2, dtype=np.uint64)).sum(1).astype(np.uint32)
        places = [y * lattice.width + x for x, y in path]
        visited = np.isin(np.arange(lattice.positions), places)
        fresh = on_host(_start(env, jnp.int32(place), params))
        tick = fresh.tick._replace(position=np.int32(places[-1]), visited=visited, moves=words, length=np.int32(len(moves)))
        states.append(State(Episode(np.int32(place)), tick))
    return jax.tree.map(lambda *leaves: np.stack(leaves), *states)


@functools.partial(jax.jit, static_argnums=0)
def _start(env, place, params):
    return env.start(place, params)


def beginnings(rng, board, place, count):
    """Some beginnings of random lines; a few go on past the end."""
    found = []
    while len(found) < count:
        path = spatial_puzzles.random_line(rng, board)
        cut = int(rng.integers(1, len(path) + 3))
        for _ in range(cut - len(path)):
            legal = spatial_episodes.legal(board, path)
            path = (*path, spatial.ahead(path[-1], legal[rng.integers(len(legal))])) if legal else path
        found.append((place, path[:cut]))
    return found


def plain(columns, rows, start, end, **more):
    return Puzzle("plain", columns, rows, start, end, **more)


# Ways to draw.


@pytest.fixture(scope="module")
def gallery():
    """Golden puzzles of many sizes in pictures of 72x96, and 96 lines on them."""
    names = ("A01", "A05", "B06", "C04", "D08", "E08", "F11", "F12", "G01", "R24", "R27", "R30", "X01")
    values = {"lattice.cells_w": 4, "lattice.cells_h": 5, "observation.kind": "picture"}
    table = Table(
        (spatial_golden.puzzles()[name] for name in names), values | {"observation.height": 72, "observation.width": 96}
    )
    rng = np.random.default_rng(0)
    entries = [e for place, board in enumerate(table.boards) for e in beginnings(rng, board, place, 8)][:96]
    return table, states_of(table.env, table.params, entries)


def without_boards(params):
    """The params of a bank whose finished boards would take too much memory."""
    return params._replace(bank=params.bank._replace(pictures=params.bank.pictures._replace(boards=None)))


def test_all_ways_of_drawing_give_the_same_pictures(gallery):
    table, states = gallery
    assert table.params.bank.pictures.boards is not None
    kept, pull = (np.asarray(observe(SpatialEnv(table.env.plan, way), table.params, states)) for way in ("push", "pull"))
    push = np.asarray(observe(SpatialEnv(table.env.plan, "push"), without_boards(table.params), states))
    np.testing.assert_array_equal(push, pull)
    np.testing.assert_array_equal(kept, pull)
    assert (push.shape, push.dtype) == ((96, 72, 96, 3), np.uint8)
    assert len({each.tobytes() for each in push}) > 80


def test_a_picture_does_not_depend_on_the_batch(gallery):
    table, states = gallery
    many = np.asarray(observe(table.env, table.params, states))
    few = np.asarray(observe(table.env, table.params, jax.tree.map(lambda x: x[5:8], states)))
    np.testing.assert_array_equal(few, many[5:8])
    nested = jax.jit(jax.vmap(jax.vmap(table.env.observe, (0, None)), (0, None)))
    square = jax.tree.map(lambda x: x.reshape(8, 12, *x.shape[1:]), states)
    np.testing.assert_array_equal(np.asarray(nested(square, table.params)).reshape(many.shape), many)
    alone = jax.jit(table.env.observe)
    for k in (0, 50, 95):
        one = jax.tree.map(lambda x, k=k: x[k], states)
        np.testing.assert_array_equal(alone(one, table.params), many[k])


def test_a_line_drawn_by_hand_looks_like_the_same_line_played(small):
    place = small.index["R32"]
    moves = spatial.moves(small.boards[place].solutions[0])
    state, move = on_host(_start(small.env, jnp.int32(place), small.params)), jax.jit(small.env.transition)
    for k, action in enumerate(moves):
        state = on_host(move(np.zeros(2, np.uint32), state, np.int32(action), small.params).state)
        made = states_of(small.env, small.params, [(place, small.boards[place].solutions[0][: k + 2])])
        for field in ("position", "visited", "length"):
            np.testing.assert_array_equal(getattr(made.tick, field)[0], getattr(state.tick, field))
        bits = [tick.moves.reshape(-1)[0] & np.uint32((1 << 2 * k + 2) - 1) for tick in (made.tick, state.tick)]
        assert bits[0] == bits[1]
    host = state_of(small.env, small.params, small.puzzles[0], ())  # of puzzle 0, nothing drawn
    assert_same(on_host(host), on_host(_start(small.env, jnp.int32(0), small.params)))


# The line.


def test_a_line_is_white_where_it_went_and_nowhere_else():
    puzzle = plain(2, 2, (0, 4), (4, 0))
    path = spatial.walk((0, 4), "UURRDDRRUUUU")
    walkable = [(x, y) for x in range(5) for y in range(5) if not spatial.is_cell((x, y))]
    assert path[-1] == puzzle.end
    for length in range(1, len(path) + 1):
        seen = picture(puzzle, path[:length])
        for x, y in walkable:
            expected = WHITE if (x, y) in path[:length] else LANE
            assert tuple(seen[CENTRES[y], CENTRES[x]]) == expected, (length, x, y)
        for x, y in itertools.product((1, 3), repeat=2):
            assert tuple(seen[CENTRES[y], CENTRES[x]]) == CELL
        assert (seen[:8] == GROUND).all() and (seen[:, -8:] == GROUND).all()


def test_start_end_dot_and_gap_are_told_apart():
    seen = picture(plain(2, 2, (0, 4), (4, 0), dots=((2, 2), (1, 0)), gaps=((3, 2), (2, 3))))

    def at(x, y, right=0, down=0):
        return tuple(seen[CENTRES[y] + down, CENTRES[x] + right].tolist())

    assert at(0, 4) == at(0, 4, right=6) == WHITE  # a disc
    assert (at(4, 0), at(4, 0, right=6)) == (LANE, WHITE)  # a ring
    assert at(2, 2) == at(1, 0) == DARK
    assert at(2, 2, right=7) == at(1, 0, right=7) == LANE
    assert at(3, 2) == at(2, 3) == at(3, 2, down=7) == at(2, 3, right=7) == GROUND
    assert at(3, 2, right=15) == at(2, 3, down=-15) == LANE
    assert at(1, 2) == at(2, 1) == LANE


def test_a_dot_is_seen_on_a_line_and_stepping_back_leaves_it():
    puzzle = plain(2, 2, (0, 4), (4, 0), dots=((0, 2),))
    before, on, after, back = (picture(puzzle, spatial.walk((0, 4), moves)) for moves in ("U", "UU", "UUU", "U"))
    place = CENTRES[2], CENTRES[0]
    assert tuple(before[place]) == tuple(on[place]) == tuple(after[place]) == DARK
    np.testing.assert_array_equal(before, back)
    around = slice(CENTRES[2] - 8, CENTRES[2] + 8), slice(CENTRES[0] - 8, CENTRES[0] + 8)
    assert len({each[around].tobytes() for each in (before, on, after)}) == 3


def joined(path, length=5):
    """Whether the line goes from each position to the one on its right, and below, from the path itself."""
    right, down = np.zeros((length, length), bool), np.zeros((length, length), bool)
    for (ax, ay), (bx, by) in itertools.pairwise(path):
        (right if ay == by else down)[min(ay, by), min(ax, bx)] = True
    return right, down


BESIDE = {
    "an old vertex ahead of the head on an edge": ((0, 0), "RRDDLLU"),  # (0, 1) beside (0, 0)
    "a start on an edge beside a later vertex": ((1, 0), "RRRDDLLLLUU"),
    "a head on an edge beside the start": ((0, 1), "DDDRRUUUUL"),
    "a head that closes a ring around a cell": ((1, 0), "RDDLLUU"),
    "a start between a vertex behind and one ahead": ((1, 0), "LDDRRUU"),
    "both ends on edges of one cell": ((1, 0), "RDDLLU"),
    "head and start on the edges of one vertex": ((0, 1), "DRRUUL"),
    "two edges next to each other are no neighbours": ((1, 0), "R"),
    "a start alone": ((1, 0), ""),
}
"""Lines with an end on an edge beside a vertex that they visit at another time, on boards of 2x2 cells."""


def lines_beside():
    found = [spatial.walk(start, moves) for start, moves in BESIDE.values()]
    board = spatial_puzzles._bare(np.random.default_rng(0), 2, 2)
    rng = np.random.default_rng(1)
    border = [(x, y) for x in range(5) for y in range(5) if (0 in (x, y) or 4 in (x, y))]
    while len(found) < 600:  # random walks until they are stuck or long enough, and their beginnings
        path = [border[rng.integers(len(border))]]
        for _ in range(int(rng.integers(1, 21))):
            ways = [spatial.ahead(path[-1], action) for action in range(4)]
            ways = [w for w in ways if board.holds(w) and not spatial.is_cell(w) and w not in path]
            if not ways:
                break
            path.append(ways[rng.integers(len(ways))])
        found.append(tuple(path))
    return found


def test_neighbours_are_joined_if_and_only_if_the_line_goes_from_one_to_the_other():
    lattice, ambiguous, lines = Lattice(2, 2), 0, lines_beside()
    ticks, starts = [], []
    for path in lines:
        env, params = _bare_board(path[0])
        ticks.append(jax.tree.map(lambda x: x[0], states_of(env, params, [(0, path)])).tick)
        starts.append(np.int32(path[0][1] * 5 + path[0][0]))
        touching = {(a, b) for a, b in itertools.combinations(path, 2) if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1}
        ambiguous += len(touching) > len(path) - 1
    ticks = jax.tree.map(lambda *leaves: np.stack(leaves), *ticks)
    join = jax.jit(jax.vmap(lambda tick, start: scene.connections(tick, start, lattice)))
    right, down = on_host(join(ticks, np.array(starts)))
    for k, path in enumerate(lines):
        expected = joined(path)
        assert right[k].tolist() == expected[0].tolist(), path
        assert down[k].tolist() == expected[1].tolist(), path
    assert ambiguous > 60


@functools.cache
def _bare_board(start):
    end = (4, 4) if start != (4, 4) else (0, 0)
    return build.from_puzzles([plain(2, 2, start, end)])


@pytest.mark.parametrize("name", BESIDE)
def test_a_line_is_drawn_segment_by_segment(name):
    start, moves = BESIDE[name]
    path = spatial.walk(start, moves)
    end = next(place for place in ((4, 4), (0, 4), (4, 0)) if place not in path)
    right, down = joined(path)
    seen = picture(plain(2, 2, start, end), path)
    for x, y in itertools.product(range(5), repeat=2):
        # Just inside the edge's tile, where only a segment reaches.
        if x < 4 and y % 2 == 0:
            middle = CENTRES[x] + (8 if x % 2 == 0 else 15)
            assert tuple(seen[CENTRES[y], middle]) == (WHITE if right[y, x] else LANE), ("right", x, y)
        if y < 4 and x % 2 == 0:
            middle = CENTRES[y] + (8 if y % 2 == 0 else 15)
            assert tuple(seen[middle, CENTRES[x]]) == (WHITE if down[y, x] else LANE), ("down", x, y)


def test_no_two_lines_look_alike_even_in_the_smallest_picture():
    values = {"lattice.cells_w": 6, "lattice.cells_h": 6, "observation.kind": "picture"}
    values |= {"observation.height": 60, "observation.width": 60}
    table = Table([spatial_golden.puzzles()["R24"]], values)
    rng, lines = np.random.default_rng(0), set()
    while len(lines) < 256:
        lines.update(path for _, path in beginnings(rng, table.boards[0], 0, 16))
    lines = sorted(lines)[:256]
    seen = np.asarray(observe(table.env, table.params, states_of(table.env, table.params, [(0, path) for path in lines])))
    assert len({each.tobytes() for each in seen}) == 256


# Where the board lies.


def extent(seen):
    inside = (seen != GROUND).any(-1)
    rows, columns = np.flatnonzero(inside.any(1)), np.flatnonzero(inside.any(0))
    assert inside[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].all()
    return (rows[0], rows[-1] + 1), (columns[0], columns[-1] + 1)


MIDDLE = {
    # Lanes of 6 px, cells of 13 px, 4 px around all of 6x6.
    "A02": ((42, 86), (42, 86)),
    "A01": ((42, 67), (42, 67)),  # to a whole cell: 2 to the left and 3 to the right
    "R27": ((4, 4 + 6 * 6 + 5 * 13), (42, 86)),
    "R07": ((42, 86), (4, 105)),
}
"""Rows and columns of the picture that boards of 2x2, 1x1, 2x5 and 5x2 cells take."""


def test_smaller_puzzles_stand_in_the_middle():
    table = Table((spatial_golden.puzzles()[name] for name in MIDDLE), {"observation.kind": "picture"})
    states = states_of(table.env, table.params, [(k, (board.start,)) for k, board in enumerate(table.boards)])
    for name, seen in zip(MIDDLE, np.asarray(observe(table.env, table.params, states)), strict=True):
        assert extent(seen) == MIDDLE[name]


@pytest.mark.parametrize(
    ("cells", "height", "width", "lane", "cell", "top", "left"),
    [
        ((6, 6), 128, 128, 6, 13, 4, 4),
        ((2, 2), 128, 128, 16, 32, 8, 8),
        ((4, 2), 64, 96, 6, 15, 8, 3),
        ((1, 1), 16, 16, 3, 7, 1, 1),
    ],
)
def test_tracks_fill_the_picture_as_far_as_they_fit(cells, height, width, lane, cell, top, left):
    found = tracks(Lattice(*cells), height, width)
    assert found == (lane, cell, top, left)
    for size, count, margin in ((width, cells[0], left), (height, cells[1], top)):
        assert 0 <= size - 2 * margin - lane * (count + 1) - cell * count <= 1


# Symbols.


def looks():
    """Every kind and colour of symbol, with the boxes of the shapes in use."""
    seen = spatial_golden.document("polyshapes_seen")
    distinct = {}
    for key, box in seen.items():
        distinct.setdefault(spatial._shape(box), key)
    found = [(kind, color, 0, "") for kind in ("square", "star") for color in COLORS]
    found += [("triangle", color, count, "") for color in COLORS for count in (1, 2, 3, 4)]
    found += [(kind, color, 0, "624") for kind in ("poly", "ylop") for color in COLORS]
    others = [key for shape, key in distinct.items() if shape != spatial._shape(seen["624"])]
    found += [(kind, "red", 0, key) for kind in ("poly", "ylop") for key in others]
    return found, {key: tuple(map(tuple, box)) for key, box in seen.items()}


@functools.cache
def tiles(cells, pixels):
    """What each look is drawn as, by look, on boards of cells x cells."""
    found, boxes = looks()
    places = [(x, y) for y in range(1, 2 * cells, 2) for x in range(1, 2 * cells, 2)]
    parts = [found[first : first + 30] for first in range(0, len(found), 30)]  # one cell and more stay empty
    puzzles = []
    for part in parts:
        symbols = tuple(Symbol(x, y, *look) for (x, y), look in zip(places, part, strict=False))
        used = {symbol.shape: boxes[symbol.shape] for symbol in symbols if symbol.shape}
        puzzles.append(Puzzle(str(len(puzzles)), cells, cells, (0, 0), (2 * cells, 0), symbols=symbols, shapes=used))
    values = {"lattice.cells_w": cells, "lattice.cells_h": cells, "observation.kind": "picture"}
    env, params = build.from_puzzles(puzzles, config_of(values | {"observation.height": pixels, "observation.width": pixels}))
    states = states_of(env, params, [(k, ((0, 0),)) for k in range(len(puzzles))])
    seen = np.asarray(observe(env, params, states))
    lane, cell, top, left = tracks(Lattice(cells, cells), pixels, pixels)
    cut = {}
    for k, part in enumerate(parts):
        for (x, y), look in zip(places, [*part, "empty"], strict=False):
            across, down = left + lane + (x // 2) * (lane + cell), top + lane + (y // 2) * (lane + cell)
            cut[look] = seen[k, down : down + cell, across : across + cell]
    return cut


@pytest.mark.parametrize(("cells", "pixels"), [(6, 60), (6, 128)])
def test_every_symbol_has_a_look_of_its_own(cells, pixels):
    cut = tiles(cells, pixels)
    assert len(cut) > 150
    by_look = {}
    for look, tile in cut.items():
        by_look.setdefault(tile.tobytes(), []).append(look)
    assert [several for several in by_look.values() if len(several) > 1] == []


INK = {
    "red": (208, 40, 45), "blue": (36, 84, 214), "yellow": (255, 221, 64), "green": (28, 132, 62), "black": (22, 22, 26),
    "purple": (140, 52, 176), "orange": (243, 134, 28), "white": (252, 252, 252),
}  # fmt: skip


def test_symbols_have_their_colour():
    for look, tile in tiles(6, 128).items():
        if look == "empty":
            assert (tile == CELL).all()
        else:
            kind, color, *_ = look
            away = np.abs(tile.astype(int) - INK[color]).sum(-1)
            assert away.min() <= (0 if kind in ("square", "star") else 160), look
            assert (tile[0] == CELL).all() and (tile[:, -1] == CELL).all(), look


def test_a_ylop_is_a_hollow_poly():
    # Lanes of 25 px, a cell of 53 px, 12 px around; the block of a shape is 12.7 px wide and stands in the middle.
    for kind, middle in (("poly", INK["blue"]), ("ylop", CELL)):
        symbol = Symbol(1, 1, kind, "blue", 0, "16")
        shapes = {"16": ((0, 1, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))}
        seen = picture(plain(1, 1, (0, 0), (2, 2), symbols=(symbol,), shapes=shapes))
        assert tuple(seen[63, 63]) == middle
        assert tuple(seen[63, 67]) == tuple(seen[59, 63]) == INK["blue"]
        assert tuple(seen[63, 71]) == tuple(seen[55, 63]) == CELL


def test_a_triangle_shows_as_many_as_it_counts():
    for count in (1, 2, 3, 4):
        inked = (tiles(6, 128)["triangle", "black", count, ""].astype(int) - INK["black"]).__abs__().sum(-1) < 120
        labels = 0
        left = {tuple(place) for place in np.argwhere(inked).tolist()}
        while left:
            labels += 1
            stack = [left.pop()]
            while stack:
                y, x = stack.pop()
                for beyond in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
                    if beyond in left:
                        left.remove(beyond)
                        stack.append(beyond)
        assert labels == count


# Wrong ones.


@pytest.mark.parametrize(
    "path",
    [
        ((0, 3), (0, 2)),  # begins elsewhere
        ((0, 4), (0, 2)),  # a jump
        ((0, 4), (0, 5)),  # off the board
        ((0, 4), (-1, 4)),
        ((0, 4), (0, 3), (0, 4)),  # back
        ((0, 4), (1, 3)),
        ((0, 4), (0, 3), (1, 3)),  # into a rule cell
    ],
)
def test_what_is_no_line_is_not_drawn(path):
    with pytest.raises(ValueError) as caught:
        picture(plain(2, 2, (0, 4), (4, 0)), path)
    assert str(caught.value) == f"A line must go from (0, 4) in unit steps on the board, nowhere twice; found {path}."


def test_a_picture_too_small_for_its_cells_is_refused():
    with pytest.raises(ValueError) as caught:
        picture(plain(6, 5, (0, 0), (12, 0)), height=50, width=59)
    assert str(caught.value).startswith("A picture of 50x59 px cannot show 6x5 cells: ")
    assert str(caught.value).endswith(" sides are whole numbers, 51x60 to 4096x4096 px.")
    assert picture(plain(6, 5, (0, 0), (12, 0)), height=51, width=60).shape == (51, 60, 3)
