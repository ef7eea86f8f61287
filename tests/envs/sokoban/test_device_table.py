import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.sokoban import device_table
from kagejax.envs.sokoban.table import Table

from .boards import RECORDED, cells, random_puzzle, recorded


def made(levels, boxes):
    rows, columns = levels[0].walls.shape
    walls, goals = (jnp.stack([getattr(level, name) for level in levels]) for name in ("walls", "goals"))
    return device_table.distances(device_table.boards(rows, columns, boxes), walls, goals)


@pytest.mark.parametrize(("rows", "columns", "boxes"), [(5, 5, 1), (5, 6, 2), (6, 5, 3)])
def test_every_board_has_the_distance_of_the_table_on_the_host(rows, columns, boxes):
    rng = np.random.default_rng(rows * columns)
    levels = [random_puzzle(rng, rows, columns, boxes, 0.15, True) for _ in range(6)]
    inner = [row * columns + column for row in range(1, rows - 1) for column in range(1, columns - 1)]
    occupied = np.asarray(device_table.boards(rows, columns, boxes).occupied)
    chosen = np.array([np.array(inner)[row] for row in occupied])
    every = np.repeat(chosen, len(inner), 0), np.tile(inner, len(chosen))
    for level, found in zip(levels, np.asarray(made(levels, boxes)), strict=True):
        np.testing.assert_array_equal(found, Table(level).distances(*every))


def test_recorded_levels_have_their_recorded_reach_and_length():
    levels = [recorded(name) for name in ("H2", "H3")]
    tables = made(levels, 2)
    reach = [(int((row >= 0).sum()), int(row.max())) for row in tables]
    exact = [RECORDED[name]["exact"] for name in ("H2", "H3")]
    assert reach == [(each["solvable_states"], each["max_distance"]) for each in exact]
    boxes, players = jnp.stack([level.boxes for level in levels]), jnp.array([level.player for level in levels])
    assert device_table.look_up(tables, 2, boxes, players).tolist() == [14, 24]


def test_levels_may_be_mapped_over():
    levels = [recorded(name) for name in ("W0", "W1")]
    of_all = made(levels, 1)
    boards = device_table.boards(6, 6, 1)
    walls, goals = jnp.stack([level.walls for level in levels]), jnp.stack([level.goals for level in levels])
    mapped = jax.vmap(device_table.distances, in_axes=(None, 0, 0))(boards, walls, goals)
    np.testing.assert_array_equal(mapped, of_all)


def test_what_is_no_board_is_dead():
    level = recorded("H2")
    table = made([level], 2)[0]
    first, second = cells(level.boxes)
    look_up = jax.jit(device_table.look_up, static_argnums=1)
    boxes = jnp.asarray(level.boxes)
    assert look_up(table, 2, boxes, jnp.int32(level.player)) == 14
    assert look_up(table, 2, boxes, jnp.int32(first)) == -1  # the player in a box
    assert look_up(table, 2, boxes, jnp.int32(0)) == -1  # or in the border
    assert look_up(table, 2, boxes.reshape(-1).at[second].set(False).reshape(8, 8), jnp.int32(level.player)) == -1
    assert look_up(table, 2, boxes.at[0, 0].set(True), jnp.int32(level.player)) == -1


def test_sizes_too_large_are_refused_with_their_number_of_boards():
    with pytest.raises(ValueError, match="10x10 with 4 boxes has 40,664,064 boards"):
        device_table.boards(10, 10, 4)
