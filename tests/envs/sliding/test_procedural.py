"""Procedural pictures: what they follow from, how far they differ, and new ones in every episode."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax import load_config
from kagejax.envs.sliding import pictures, procedural
from kagejax.envs.sliding.build import build, build_batch

from .games import KEY, draw, made, params_at

SIDE = 24


@functools.partial(jax.jit, static_argnums=(2, 3))
def painted(keys, difficulty, height, width):
    return jax.lax.map(lambda key: procedural.picture(key, difficulty, height, width), keys)


def gallery(difficulty, seed=0, side=SIDE):
    """Pictures of 24 keys, as floats."""
    keys = jax.random.key_data(jax.random.split(jax.random.key(seed), 24))
    return np.asarray(painted(keys, jnp.float32(difficulty), side, side)).astype(float)


def apart(gallery):
    """The mean difference between two pictures, in grey levels."""
    pairs = np.abs(gallery[:, None] - gallery[None]).mean((2, 3, 4))
    return pairs.sum() / (len(gallery) * (len(gallery) - 1))


def test_the_same_key_is_the_same_picture_and_another_key_another():
    first, again, others = gallery(1.0), gallery(1.0), gallery(1.0, seed=1)
    np.testing.assert_array_equal(first, again)
    assert len({picture.tobytes() for picture in (*first, *others)}) == 48


def test_without_difficulty_all_pictures_are_equal():
    flat = gallery(0.0)
    assert (flat == flat[0]).all()
    assert len(np.unique(flat[0].reshape(-1, 3), axis=0)) > SIDE  # and no plain surface


def test_pictures_are_the_further_apart_the_greater_the_difficulty():
    distances = [apart(gallery(difficulty)) for difficulty in (0.0, 0.25, 0.5, 1.0)]
    assert distances[0] == 0
    assert all(nearer + 4 < farther for nearer, farther in zip(distances, distances[1:], strict=False))


def test_any_two_pictures_differ_all_over():
    first = gallery(1.0)
    pairs = np.abs(first[:, None] - first[None]).max(-1) > 16
    share = pairs.mean((2, 3))[~np.eye(len(first), dtype=bool)]
    assert share.min() > 0.3


def test_every_tile_of_a_picture_can_be_told_from_the_others():
    for picture in gallery(1.0):
        tiles = pictures.cut(picture.astype(np.uint8), pictures.Grid(3, 3), (SIDE // 3, SIDE // 3), (0, 0, 0))[1:].astype(float)
        pairs = np.abs(tiles[:, None] - tiles[None]).mean((2, 3, 4))
        assert pairs[~np.eye(8, dtype=bool)].min() > 1.5


def test_a_picture_shows_the_same_at_any_size():
    small, large = gallery(1.0), gallery(1.0, side=3 * SIDE)
    means = large.reshape(24, SIDE, 3, SIDE, 3, 3).mean((2, 4))
    assert np.abs(means - small).mean() < 12


def pool(**values):
    """Pictures of a pool as the bank holds them, [pictures, bytes]."""
    size = {"height": SIDE, "width": SIDE}
    _, params = build(load_config("sliding", observation=size, pictures={"pool_size": 6, "held_out_size": 6, **values}))
    return np.asarray(params.bank.tiles).reshape(-1, 3 * SIDE * SIDE)


def test_a_pool_follows_from_its_seed_and_smaller_ones_lie_within_it():
    np.testing.assert_array_equal(pool(), pool())
    np.testing.assert_array_equal(pool(pool_size=None), pool()[:1])
    seeds = np.concatenate([pool(pool_seed=seed) for seed in range(3)])
    assert len(np.unique(seeds, axis=0)) == 18


def test_held_out_pictures_are_in_no_pool():
    held_out = pool(split="held_out")
    np.testing.assert_array_equal(held_out, pool(split="held_out", pool_size=1))
    assert len(np.unique(np.concatenate([held_out, pool()]), axis=0)) == 12


@pytest.mark.parametrize(("grid", "size"), [((3, 3), (24, 24)), ((2, 4), (21, 30))])
def test_a_fresh_picture_in_order_is_the_procedural_picture_of_its_seed(grid, size):
    values = {"observation.height": size[0], "observation.width": size[1], "observation.background_color": (1, 2, 3)}
    env, params = made(grid, values | {"pictures.fresh": True, "pictures.visual_difficulty": 0.75})
    tall, wide = env.plan.canvas
    board = np.random.default_rng(0).permutation(grid[0] * grid[1])
    frames = np.asarray(draw(env, params, np.array([(np.arange(grid[0] * grid[1]) + 1) % (grid[0] * grid[1]), board])))
    state = env.start(board, KEY, params)
    picture = np.asarray(painted(state.episode.seed[None], jnp.float32(0.75), tall, wide))[0]
    # The same few numbers, summed by another program: a last bit may show as one grey level.
    th, tw = env.plan.tile
    solved = picture.copy()
    solved[-th:, -tw:] = (1, 2, 3)
    assert np.abs(frames[0].astype(int) - solved[: size[0], : size[1]]).max() <= 1
    cut = pictures.cut(picture, env.plan.grid, env.plan.tile, (1, 2, 3))
    rows = [np.concatenate([cut[tile] for tile in row], axis=1) for row in board.reshape(grid)]
    assert np.abs(frames[1].astype(int) - np.concatenate(rows)[: size[0], : size[1]]).max() <= 1


@functools.partial(jax.jit, static_argnums=0)
def begun(env, params, keys):
    return jax.vmap(env.start, (None, 0, None))(jnp.array([1, 2, 3, 0]), keys, params)


@pytest.fixture(scope="module")
def fresh():
    values = {"observation.height": 8, "observation.width": 8, "play.max_steps": 3}
    return made((2, 2), values | {"pictures.fresh": True})


def test_fresh_pictures_change_with_every_episode_and_with_nothing_else(fresh):
    env, params = fresh
    states = begun(env, params, jax.random.split(jax.random.key(0), 2))
    actions = jnp.array([[1, 0, 1, 1, 1, 1, 0]] * 2)

    @jax.jit
    def play(states):
        def step(states, x):
            keys, action = x
            return (jax.vmap(env.step, (0, 0, 0, None))(keys, states, action, params)[1],) * 2

        keys = jax.random.split(jax.random.key(1), (actions.shape[1], 2))
        return jax.lax.scan(step, states, (keys, actions.T))[1]

    seeds = np.asarray(play(states).episode.seed)
    episodes = (np.asarray(play(states).tick.t) == 0).cumsum(0)
    assert episodes[-1].min() >= 2
    for i in range(2):
        found = {(int(episode), seed.tobytes()) for episode, seed in zip(episodes[:, i], seeds[:, i], strict=True)}
        assert len(found) == len({seed for _, seed in found}) == episodes[-1, i] + 1
    assert not set(map(bytes, seeds[:, 0])) & set(map(bytes, seeds[:, 1]))


def test_difficulty_and_background_reach_fresh_pictures_of_one_batch(fresh):
    changes = [{}, {"pictures.visual_difficulty": 0.0}, {"observation.background_color": (255, 255, 255)}]
    base = load_config(
        "sliding", grid={"rows": 2, "columns": 2}, observation={"height": 8, "width": 8}, pictures={"fresh": True}
    )
    env, stacked = build_batch([load_config(base, **change) for change in changes])
    frames = [np.asarray(draw(env, params_at(env, stacked, i), np.array([[0, 1, 2, 3]])))[0] for i in range(3)]
    np.testing.assert_array_equal(frames[0][:, 4:], frames[2][:, 4:])
    assert (frames[2][:4, :4] == 255).all() and (frames[0][:4, :4] == 0).all()
    assert (frames[0][:, 4:] != frames[1][:, 4:]).mean() > 0.5


def test_a_fresh_configuration_has_no_bank(fresh):
    env, params = fresh
    assert params.bank.tiles is None
