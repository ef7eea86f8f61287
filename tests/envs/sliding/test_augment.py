"""Changes to finished pictures: what each does, how often, and what it is drawn from."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.sliding import augment

from .games import KEY, made, on_host

HEIGHT, WIDTH, COUNT = 12, 15, 400
SIZE = {"observation.height": HEIGHT, "observation.width": WIDTH}
NAMES = ("crop", "shift", "channel_shuffle", "grayscale", "inversion")


def plan_of(*names):
    return made((3, 3), SIZE | {"observation.augment": names})[0].plan


@functools.partial(jax.jit, static_argnums=3)
def changed(frames, seed, t, plan):
    return augment.apply(frames, seed, t, plan, t[0] >= 0)


@functools.cache
def many(*names):
    """One frame changed with many seeds: the frame [h, w, 3], and what it became [COUNT, HEIGHT, WIDTH, 3]."""
    plan = plan_of(*names)
    frame = np.random.default_rng(0).integers(0, 256, (plan.inner[0], 3 * plan.inner[1]), np.uint8)
    seeds = np.random.default_rng(1).integers(0, 2**32, (COUNT, 2), np.uint32)
    frames = changed(np.broadcast_to(frame, (COUNT, *frame.shape)), seeds, jnp.zeros(COUNT, jnp.int32), plan)
    assert (frames.shape, frames.dtype) == ((COUNT, HEIGHT, 3 * WIDTH), np.uint8)
    return frame.reshape(*plan.inner, 3), np.asarray(frames).reshape(COUNT, HEIGHT, WIDTH, 3)


def kinds(frames, expected):
    """How many of `frames` are each of the `expected` pictures, every one of them being one."""
    counts = np.array([(frames == each).all((1, 2, 3)).sum() for each in expected])
    assert counts.sum() == len(frames)
    return counts


def assert_even(counts):
    assert (np.abs(counts - COUNT / len(counts)) < 5 * np.sqrt(COUNT / len(counts))).all()


def test_a_crop_is_any_part_of_a_picture_larger_by_100_to_84():
    frame, frames = many("crop")
    assert frame.shape == (14, 18, 3)
    parts = [frame[row : row + HEIGHT, column : column + WIDTH] for row in range(3) for column in range(4)]
    assert_even(kinds(frames, parts))


def test_pictures_that_are_cropped_are_made_at_their_larger_size():
    env, params = made((3, 3), {"observation.augment": ["crop"]})
    assert (env.plan.inner, env.plan.tile, env.plan.canvas) == ((100, 100), (34, 34), (102, 102))
    assert params.bank.tiles.shape == (9, 34, 3 * 34)
    assert env.observation_space.shape == (84, 84, 3)


def test_a_shift_is_by_up_to_4_pixels_and_repeats_the_edge():
    frame, frames = many("shift")
    padded = np.pad(frame, ((4, 4), (4, 4), (0, 0)), mode="edge")
    counts = kinds(frames, [padded[row : row + HEIGHT, column : column + WIDTH] for row in range(9) for column in range(9)])
    assert_even(counts.reshape(9, 9).sum(0))
    assert_even(counts.reshape(9, 9).sum(1))


def test_a_channel_shuffle_is_any_order_of_the_channels():
    frame, frames = many("channel_shuffle")
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    assert_even(kinds(frames, [frame[..., order] for order in orders]))


def test_a_picture_turns_grey_one_time_in_five():
    frame, frames = many("grayscale")
    grey = frame.astype(int).sum(-1, keepdims=True) // 3
    counts = kinds(frames, [frame, np.broadcast_to(grey, frame.shape)])
    assert abs(counts[1] - 80) < 5 * 8


def test_levels_are_inverted_one_time_in_five():
    frame, frames = many("inversion")
    counts = kinds(frames, [frame, 255 - frame])
    assert abs(counts[1] - 80) < 5 * 8


def test_changes_are_made_in_their_order():
    frame, frames = many("grayscale", "channel_shuffle")
    grey = frame.astype(int).sum(-1) // 3
    assert all((one == one[..., :1]).all() == (one[..., 0] == grey).all() for one in frames)
    frame, frames = many("shift", "crop")
    assert frames.shape == (COUNT, HEIGHT, WIDTH, 3)
    padded = np.pad(frame, ((4, 4), (4, 4), (0, 0)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (HEIGHT, WIDTH), (0, 1)).transpose(0, 1, 3, 4, 2)
    windows = {window.tobytes() for window in windows.reshape(-1, HEIGHT, WIDTH, 3)}
    assert {one.tobytes() for one in frames} <= windows and len({one.tobytes() for one in frames}) > 80


@pytest.mark.parametrize("name", NAMES)
def test_a_change_follows_from_seed_and_step_alone(name):
    plan = plan_of(name)
    frame = np.random.default_rng(0).integers(0, 256, (1, plan.inner[0], 3 * plan.inner[1]), np.uint8).repeat(60, 0)
    seeds = np.random.default_rng(2).integers(0, 2**32, (60, 2), np.uint32)
    steps = np.arange(60, dtype=np.int32)
    by_seed = np.asarray(changed(frame, seeds, np.zeros(60, np.int32), plan))
    np.testing.assert_array_equal(by_seed, changed(frame, seeds, np.zeros(60, np.int32), plan))
    np.testing.assert_array_equal(by_seed[::-1], changed(frame, seeds[::-1], np.zeros(60, np.int32), plan))
    by_step = np.asarray(changed(frame, seeds[:1].repeat(60, 0), steps, plan))
    assert len({one.tobytes() for one in by_seed}) > 1 and len({one.tobytes() for one in by_step}) > 1


def test_two_changes_do_not_share_their_draws():
    frame, frames = many("grayscale", "inversion")
    grey = np.broadcast_to(frame.astype(int).sum(-1, keepdims=True) // 3, frame.shape)
    counts = kinds(frames, [frame, grey, 255 - frame, 255 - grey])
    assert (np.abs(counts - COUNT * np.array([0.64, 0.16, 0.16, 0.04])) < 5 * np.sqrt(COUNT * 0.16)).all()
    assert counts[3] > 0


def test_an_episode_draws_its_changes_anew_at_each_step_and_a_state_looks_the_same_whenever_it_is_seen():
    values = {"observation.augment": ["shift"], "play.circular": True, "play.max_steps": None}
    env, params = made((3, 3), SIZE | values)
    state = env.start(np.array([1, 2, 3, 4, 0, 5, 7, 8, 6]), KEY, params)
    steps = [state._replace(tick=state.tick._replace(t=jnp.int32(t))) for t in range(12)]
    observe = jax.jit(env.observe)
    frames = [np.asarray(observe(step, params)).tobytes() for step in steps]
    assert len(set(frames)) > 8
    assert frames == [np.asarray(observe(step, params)).tobytes() for step in steps]


def test_other_forms_of_a_frame_come_after_its_changes():
    values = SIZE | {"observation.augment": ["crop", "inversion"], "pictures.pool_size": 2}
    sides = [
        made((3, 3), values),
        made((3, 3), values | {"observation.channels_first": True, "observation.scaled": True}),
    ]
    board, keys = np.arange(9), jax.random.split(jax.random.key(0), 8)
    frames = []
    for env, params in sides:
        states = jax.vmap(env.start, (None, 0, None))(board, keys, params)
        frames.append(on_host(jax.jit(jax.vmap(env.observe, (0, None)))(states, params)))
    assert frames[1].shape == (8, 3, HEIGHT, WIDTH)
    np.testing.assert_allclose(frames[1], frames[0].transpose(0, 3, 1, 2).astype(np.float32) / 255, rtol=1.2e-7)
