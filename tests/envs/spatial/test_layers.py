"""Layers are what a plain construction from the puzzle says, for every puzzle in the same shape."""

import jax
import numpy as np
import pytest

from kagejax.envs.spatial import layers
from tests.oracles import spatial, spatial_puzzles

from .conftest import EPISODES, STEPS, Table, observe, on_host

COLORS = {"red": "R", "blue": "B", "yellow": "Y", "green": "G", "black": "K", "purple": "P", "orange": "O", "white": "W"}
NAMES = [
    "visited", "gap", "agent", "target", "dot", "square", "star", "triangle", "poly", "ylop", "inside", *COLORS,
    "count 1", "count 2", "count 3", "count 4", *(f"shape {row} {column}" for row in range(4) for column in range(4)),
]  # fmt: skip


def expected_layer(name, board, boxes, path, size):
    """u8 [height, width] of one layer, from the oracle's reading of a record."""
    first, *rest = name.split(" ")
    symbols = board.symbols.items()
    places = {
        "visited": lambda: path,
        "gap": lambda: board.gaps,
        "agent": lambda: path[-1:],
        "target": lambda: [board.end],
        "dot": lambda: board.dots,
        "inside": lambda: [(x, y) for x in range(board.width) for y in range(board.height)],
        "count": lambda: [place for place, symbol in symbols if symbol.count == int(rest[0])],
        "shape": lambda: [p for p, s in symbols if s.shape and boxes[s.shape][int(rest[0])][int(rest[1])]],
    }
    for kind in ("square", "star", "triangle", "poly", "ylop"):
        places[kind] = lambda kind=kind: [place for place, symbol in symbols if symbol.kind == kind]
    for color, letter in COLORS.items():
        places[color] = lambda letter=letter: [place for place, symbol in symbols if symbol.color == letter]
    layer = np.zeros(size, np.uint8)
    for x, y in places[first]():
        layer[y, x] = 1
    return layer


SHARED = 1271
"""Golden and random puzzles: as many are in the table with the public ones and without."""


@pytest.fixture(scope="module")
def seen(table):
    """Observations of random states of random puzzles, and where they are."""
    rng, entries = np.random.default_rng(0), []
    while len(entries) < EPISODES:
        place = int(rng.integers(SHARED))
        path = spatial_puzzles.random_line(rng, table.boards[place])
        if path is not None:
            entries.append((place, path[: int(rng.integers(1, len(path) + 1))][: STEPS + 1]))
    states = table.after([(place, spatial.moves(path)) for place, path in entries])
    return entries, np.asarray(observe(table.env, table.params, states))


def test_the_layers_have_these_names():
    assert [*layers.LAYERS, *layers.SHAPE_LAYERS] == NAMES


def test_all_puzzles_are_seen_in_one_shape(table, seen):
    _, pictures = seen
    assert (pictures.shape, pictures.dtype) == ((EPISODES, 13, 13, 39), np.uint8)
    assert table.env.observation_space.shape == (13, 13, 39)
    assert set(np.unique(pictures).tolist()) == {0, 1}


@pytest.mark.parametrize("name", NAMES)
def test_layers_are_what_the_puzzle_says(table, seen, name):
    entries, pictures = seen
    for (place, path), picture in zip(entries, pictures, strict=True):
        boxes = table.puzzles[place].shapes
        expected = expected_layer(name, table.boards[place], boxes, path, (13, 13))
        np.testing.assert_array_equal(picture[..., NAMES.index(name)], expected, err_msg=table.records[place]["id"])
    drawn = pictures[..., NAMES.index(name)].any((1, 2)).sum()
    assert drawn  # in some of the pictures


def test_without_shapes_their_layers_are_missing(small):
    plain = Table(small.records, {"lattice.cells_w": 3, "lattice.cells_h": 3, "observation.shapes": False})
    places = np.arange(len(small.records), dtype=np.int32)
    states = jax.jit(jax.vmap(small.env.start, (0, None)))(places, small.params)
    less, more = (on_host(observe(table.env, table.params, states)) for table in (plain, small))
    assert plain.params.bank.lines.boxes is None
    assert less.shape == (16, 7, 7, 23) == (16, *plain.env.observation_space.shape)
    np.testing.assert_array_equal(less, more[..., :23])
    for board, picture in zip(small.boards, more, strict=True):
        np.testing.assert_array_equal(picture[..., 2], expected_layer("agent", board, {}, (board.start,), (7, 7)))
    assert more[..., 23:].any()
