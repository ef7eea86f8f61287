"""Frames of tiles: two ways to lay them, one picture, whatever the batch."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PIL import Image

from kagejax.envs.sliding import pictures, rules
from kagejax.envs.sliding.build import build_batch
from kagejax.raster import glyphs, tiles
from tests.oracles import sliding_pictures

from .games import KEY, assert_same, config_of, draw, made, params_at

SIZES = [
    ((1, 1), (1, 1), (1, 1)), ((3, 3), (4, 5), (12, 15)), ((3, 3), (4, 5), (10, 13)), ((2, 4), (5, 3), (6, 10)),
    ((4, 2), (3, 7), (12, 8)), ((1, 5), (6, 2), (3, 10)), ((5, 1), (2, 6), (9, 6)), ((3, 2), (4, 4), (8, 8)),
]  # fmt: skip
"""Grids, sizes of tiles, and sizes of frames; the last ones cut tiles short, or off."""


def composed(sheet, which, height, width):
    """The frame of one board, by NumPy."""
    rows = [np.concatenate([sheet[i] for i in row], axis=1) for row in which]
    return np.concatenate(rows)[:height, : 3 * width]


@functools.partial(jax.jit, static_argnums=(2, 3, 4))
def lay(sheet, which, height, width, method):
    return tiles.lay(sheet, which, height, width, method)


@pytest.mark.parametrize(("grid", "tile", "frame"), SIZES)
def test_both_ways_to_lay_tiles_give_the_picture_that_they_make_up(grid, tile, frame):
    random = np.random.default_rng([*grid, *tile, *frame])
    sheet = random.integers(0, 256, (20, tile[0], 3 * tile[1]), np.uint8)
    which = random.integers(0, 20, (4, *grid), np.int32)
    expected = [composed(sheet, each, *frame) for each in which]
    for method in ("push", "pull", "auto"):
        np.testing.assert_array_equal(lay(sheet, which, *frame, method), expected, err_msg=method)


def test_a_way_of_laying_tiles_that_there_is_not_is_an_error():
    with pytest.raises(KeyError, match="pop"):
        tiles.lay(jnp.zeros((1, 2, 6), jnp.uint8), jnp.zeros((1, 1, 1), jnp.int32), 2, 2, "pop")


@pytest.mark.parametrize(
    ("kind", "grid", "size"),
    [
        ("image", (3, 3), (20, 25)), ("image", (2, 4), (11, 14)), ("image", (4, 1), (10, 5)), ("image", (3, 3), (12, 12)),
        ("board", (5, 5), (84, 84)),
    ],
)  # fmt: skip
def test_both_renderers_draw_the_same_frames(kind, grid, size):
    values = {"observation.kind": kind, "observation.height": size[0], "observation.width": size[1], "pictures.pool_size": 3}
    env, params = made(grid, values | {"observation.background_color": [9, 99, 199]})
    states = begun(env, params, grid)
    frames = [seen(type(env)(env.plan, way), params, states) for way in ("push", "pull", "auto")]
    assert frames[0].shape == (6, *size, 3)
    assert_same(frames[0], frames[1])
    assert_same(frames[0], frames[2])
    assert len({frame.tobytes() for frame in np.asarray(frames[0])}) > 3


def begun(env, params, grid):
    """Six episodes from boards and pictures at random."""
    boards = np.array([np.random.default_rng(i).permutation(grid[0] * grid[1]) for i in range(6)])
    return jax.vmap(env.start, (0, 0, None))(boards, jax.random.split(jax.random.key(2), 6), params)


@functools.partial(jax.jit, static_argnums=0)
def seen(env, params, states):
    return jax.vmap(env.observe, (0, None))(states, params)


@pytest.mark.parametrize(("size", "grid"), [((27, 33), (3, 4)), ((84, 84), (5, 5)), ((10, 9), (2, 2))])
def test_frames_of_a_file_are_those_of_the_oracle(tmp_path, size, grid):
    random, background = np.random.default_rng(3), (255, 0, 127)
    Image.fromarray(random.integers(0, 256, (40, 50, 3), np.uint8)).save(tmp_path / "a.png")
    values = {"observation.height": size[0], "observation.width": size[1], "observation.background_color": background}
    env, params = made(grid, values | {"pictures.source": "folder", "pictures.folder": str(tmp_path)})
    cells = rules.Grid(*grid).cells
    boards = np.array([random.permutation(cells) for _ in range(4)])
    cut = sliding_pictures.cut(sliding_pictures.load(tmp_path / "a.png", *size), rules.Grid(*grid))
    expected = [sliding_pictures.compose(cut, board, rules.Grid(*grid), *size, background) for board in boards]
    np.testing.assert_array_equal(draw(env, params, boards), expected)


@pytest.fixture(scope="module", params=[{}, {"pictures.fresh": True, "observation.augment": ["crop", "shift"]}])
def small(request):
    return made((2, 3), {"observation.height": 14, "observation.width": 17, "pictures.pool_size": 4, **request.param})


def test_a_picture_is_the_same_alone_in_a_batch_and_in_any_nesting(small):
    env, params = small
    states = begun(env, params, env.plan.grid)
    together = seen(env, params, states)
    if not env.plan.fresh:
        pairs = jax.tree.map(lambda x: x.reshape(2, 3, *x.shape[1:]), states)
        nested = jax.jit(jax.vmap(jax.vmap(env.observe, (0, None)), (0, None)))(pairs, params)
        assert_same(nested.reshape(together.shape), together)
    alone = jax.jit(env.observe)
    for i in range(6):
        np.testing.assert_array_equal(alone(jax.tree.map(lambda x, i=i: x[i], states), params), together[i])
    assert len({frame.tobytes() for frame in np.asarray(together)}) == 6


def test_one_state_can_be_seen_by_many_configurations():
    values = {"observation.height": 8, "observation.width": 8, "pictures.pool_size": 2}
    colors = np.array([(0, 0, 0), (255, 0, 0), (0, 0, 255)])
    env, stacked = build_batch([config_of((2, 2), {**values, "observation.background_color": color}) for color in colors])
    state = env.start(jnp.array([0, 1, 3, 2]), KEY, params_at(env, stacked, 0))
    frames = jax.jit(jax.vmap(env.observe, (None, env.params_axes(stacked))))(state, stacked)
    alone = jax.jit(env.observe)
    for i, color in enumerate(colors):
        assert (frames[i, :4, :4] == color).all()
        np.testing.assert_array_equal(frames[i], alone(state, params_at(env, stacked, i)))


def test_one_state_can_be_seen_over_many_background_colors_alone():
    values = {"observation.height": 8, "observation.width": 8, "pictures.fresh": True, "pictures.visual_difficulty": 0.0}
    env, params = made((2, 2), values)
    state = env.start(jnp.array([0, 1, 3, 2]), KEY, params)
    colors = jnp.array([(0, 0, 0), (255, 0, 0), (0, 0, 255)], jnp.uint8)

    def over(color):
        return env.observe(state, params._replace(look=params.look._replace(background=color)))

    frames = jax.jit(jax.vmap(over))(colors)
    assert (frames[:, :4, :4] == colors[:, None, None]).all()
    assert (frames[:, 4:] == frames[:1, 4:]).all()


def test_numbers_on_tiles_tell_them_apart():
    for grid, tile in ((rules.Grid(3, 3), (28, 28)), (rules.Grid(5, 7), (16, 13)), (rules.Grid(4, 4), (7, 10))):
        made_tiles = pictures.numbered(grid, tile, (1, 2, 3))
        assert made_tiles.shape == (grid.cells, *tile, 3)
        assert len({each.tobytes() for each in made_tiles}) == grid.cells
        assert (made_tiles[0] == (1, 2, 3)).all()


def test_a_number_is_centred_and_leaves_a_margin():
    mask = glyphs.number(88, 40, 60)
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    assert abs(rows[0] - (39 - rows[-1])) <= 1 and abs(columns[0] - (59 - columns[-1])) <= 1
    assert rows[0] >= 1 and columns[0] >= 1


def test_a_tile_too_small_for_its_number_is_plain():
    assert not glyphs.number(12, 5, 5).any()
    assert glyphs.number(1, 7, 5).any()
