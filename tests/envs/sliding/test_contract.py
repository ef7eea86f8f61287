"""Sliding keeps the contract of an environment, in every kind of observation and with 64-bit types enabled."""

import os
import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import kagejax
from kagejax.core import VectorEnvironment, check_env

from .games import KEY, config_of, made

TINY = {"observation.height": 9, "observation.width": 11}
FROM_A_BOARD = {"start.mode": "board", "start.board": [1, 2, 3, 0, 4, 6, 7, 5, 8]}
"""Uniform first boards ask for a sort, which takes longer to compile than all the rest."""
CASES = {
    "image, changed": ((3, 3), FROM_A_BOARD | {
        "pictures.pool_size": 3,
        "observation.augment": ["crop", "shift", "channel_shuffle", "grayscale", "inversion"],
    }),
    "fresh": ((3, 3), FROM_A_BOARD | {"pictures.fresh": True}),
    "board and joystick": ((3, 3), FROM_A_BOARD | {
        "observation.kind": "board", "play.joystick": True, "observation.channels_first": True, "observation.scaled": True,
    }),
    "raw, scrambled": ((3, 2), {"observation.kind": "raw", "start.mode": "scramble", "start.scramble_steps": 4}),
    "onehot, noop, sticky, optimality": ((3, 3), FROM_A_BOARD | {
        "observation.kind": "onehot", "play.noop": True, "play.compat_sticky_termination": True, "play.optimality": True,
    }),
    "normalized line": ((1, 4), {"observation.kind": "normalized"}),
    "coordinates": ((3, 3), FROM_A_BOARD | {"observation.kind": "coordinates", "observation.normalize_coordinates": False}),
    "text": ((2, 2), {
        "observation.kind": "text", "text.texts": ["a b c d", "one two three four"], "start.mode": "board",
        "start.board": [0, 1, 3, 2],
    }),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_environment_keeps_the_contract(case):
    grid, values = CASES[case]
    env, params = made(grid, TINY | {"play.max_steps": 2} | values)
    check_env(env, params, steps=2)


def on_paper(grid, values):
    """Shapes and dtypes of params, first observation and state, and all that a step gives."""
    env, params = made(grid, TINY | values)
    key = jax.random.key(0)
    observation, state = jax.eval_shape(env.reset, key, params)
    action = jax.eval_shape(env.action_space.sample, key)
    return env, params, observation, state, jax.eval_shape(env.step, key, state, action, params)


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_wider_than_32_bits(case):
    env, params, observation, state, step = on_paper(*CASES[case])
    assert {leaf.dtype.itemsize for leaf in jax.tree.leaves((params, observation, state, step))} <= {1, 2, 4}
    assert jax.tree.map(lambda x: (x.shape, x.dtype), step[1]) == jax.tree.map(lambda x: (x.shape, x.dtype), state)
    assert (observation.shape, observation.dtype) == (env.observation_space.shape, env.observation_space.dtype)
    assert (step[0].shape, step[0].dtype) == (observation.shape, observation.dtype)


def test_a_state_holds_no_picture():
    for values in ({}, {"pictures.fresh": True}, {"observation.kind": "text"}):
        *_, state, _ = on_paper((3, 3), values)
        assert sum(x.size * x.dtype.itemsize for x in jax.tree.leaves(state)) <= 40


def test_a_step_has_these_metrics():
    *_, step = on_paper((3, 3), {})
    plain = {"success_once", "manhattan", "episode_steps", "final_state"}
    assert step[5].keys() == plain
    *_, step = on_paper((3, 3), {"play.optimality": True})
    assert step[5].keys() == plain | {"optimality", "optimal_length"}


@pytest.mark.parametrize(
    ("values", "actions"), [({}, 4), ({"play.noop": True}, 5), ({"play.circular": True}, 4), ({"play.joystick": True}, None)]
)
def test_actions_are_four_moves_a_fifth_that_rests_or_a_stick(values, actions):
    space = made((3, 3), TINY | values)[0].action_space
    if actions is None:
        assert (space.shape, space.dtype, space.low, space.high) == ((2,), jnp.float32, -1.0, 1.0)
    else:
        assert space.n == actions


def test_an_action_of_any_integer_type_does_the_same():
    env, params = made((3, 3), {"observation.kind": "raw"})
    state = env.start(jnp.array([1, 2, 3, 4, 0, 5, 7, 8, 6]), KEY, params)
    for action in range(5):
        results = [env.advance(KEY, state, jnp.asarray(action, dtype), params) for dtype in ("int32", "uint8", "int8")]
        for other in results[1:]:
            same = jax.tree.map(lambda a, b: bool((a == b).all()) and a.dtype == b.dtype, results[0], other)
            assert all(jax.tree.leaves(same))


def test_typed_and_raw_keys_begin_the_same_episode():
    env, params = made((3, 3), TINY | FROM_A_BOARD | {"pictures.pool_size": 9, "observation.augment": ["shift"]})
    first, second = (jax.jit(env.init)(key, params) for key in (jax.random.key(5), jax.random.PRNGKey(5)))
    assert all(jax.tree.leaves(jax.tree.map(lambda a, b: bool((a == b).all()), first, second)))


def test_an_episode_without_a_limit_is_never_cut_and_ends_when_solved():
    values = {"observation.kind": "raw", "start.mode": "board", "start.board": [1, 2, 0, 3]}
    env, params = made((2, 2), values | {"play.max_steps": None})
    batch = VectorEnvironment(env, 2)
    _, state = batch.reset(KEY, params)
    step = jax.jit(batch.step)
    lengths = []
    for t in range(5):
        actions = jnp.array([0, 0 if t < 3 else 2])  # leaves the grid for ever; or three times, and then solves
        observation, state, reward, terminated, truncated, info = step(KEY, state, actions, params)
        assert not truncated.any()
        lengths.append(int(info["episode"].last_length[1]))
        if t == 3:
            assert (terminated.tolist(), reward.tolist()) == ([False, True], [-1.0, 1.0])
            np.testing.assert_array_equal(observation[1], [[1, 2], [-1, 3]])
            np.testing.assert_array_equal(info["final_state"].tick.board[1], [1, 2, 3, 0])
    assert lengths == [0, 0, 0, 4, 1]


def test_pairs_that_differ_in_the_picture_alone_are_found_to_do_so():
    base = config_of((3, 3), TINY | FROM_A_BOARD | {"pictures.pool_size": 2, "play.max_steps": 20})
    other = kagejax.load_config(base, pictures={"split": "held_out"}, observation={"background_color": [9, 9, 9]})
    assert kagejax.verify_pair(base, other, episodes=2, steps=48)
    assert not kagejax.verify_pair(base, kagejax.load_config(other, reward={"win": 2.0}), episodes=2, steps=48)


def test_everything_is_the_same_with_64_bit_types_enabled():
    here = pathlib.Path(__file__).parent
    chosen = [
        "test_contract.py::test_nothing_is_wider_than_32_bits",
        "test_recorded_episodes.py::test_boards_and_blanks_are_the_recorded_ones[3x4]",
        "test_recorded_episodes.py::test_flags_are_the_recorded_ones[3x4]",
        "test_recorded_episodes.py::test_rewards_are_the_recorded_ones_in_single_precision[3x4-distances]",
        "test_recorded_episodes.py::test_recorded_pushes_of_the_stick_are_the_same_actions",
        "test_recorded_views.py::test_recorded_boards_are_seen_again[3x4]",
        "test_first_boards.py::test_a_scramble_of_a_line_stops_at_its_far_end",
        "test_recorded_pictures.py::test_recorded_boards_are_drawn_from_their_source[3x3_80]",
        "test_procedural.py::test_a_fresh_picture_in_order_is_the_procedural_picture_of_its_seed[grid1-size1]",
        "test_augment.py::test_a_shift_is_by_up_to_4_pixels_and_repeats_the_edge",
    ]  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *[str(here / name) for name in chosen]]
    environment = {**os.environ, "JAX_ENABLE_X64": "1"}
    finished = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=here.parents[2], check=False)
    assert finished.returncode == 0, finished.stdout[-3000:] + finished.stderr[-1000:]
