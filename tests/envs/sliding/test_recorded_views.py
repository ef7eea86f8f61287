"""Sliding against recorded vector and text observations of the reference."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.sliding import scene, text
from kagejax.envs.sliding.build import build_batch
from tests.oracles import sliding_golden
from tests.oracles.sliding import Options

from .games import KEY, config_of, draw, made, params_at, play

VIEWS = {
    "states": {"observation.kind": "raw"},
    "onehot": {"observation.kind": "onehot"},
    "normalized": {"observation.kind": "normalized"},
    "coordinates": {"observation.kind": "coordinates"},
    "coordinates_unnormalised": {"observation.kind": "coordinates", "observation.normalize_coordinates": False},
}


def recorded(name):
    data = sliding_golden.archive(f"observations_{name}")
    return data, sliding_golden.boards(data["states"], sliding_golden.grid_of(name))


@pytest.mark.parametrize("name", sliding_golden.OBSERVATIONS)
def test_recorded_boards_are_seen_again(name):
    data, boards = recorded(name)
    sides = {key: made(sliding_golden.grid_of(name), values) for key, values in VIEWS.items()}

    @jax.jit
    def seen(params, boards):
        return {key: draw(env, params[key], boards) for key, (env, _) in sides.items()}

    for key, values in seen({key: params for key, (_, params) in sides.items()}, boards).items():
        np.testing.assert_array_equal(values, data[key], err_msg=key)
        assert values.dtype == data[key].dtype
        assert sides[key][0].observation_space.contains(values[0])


@pytest.mark.parametrize("name", sliding_golden.OBSERVATIONS)
def test_recorded_boards_are_worth_the_same_again(name):
    data, boards = recorded(name)
    grid, last = sliding_golden.grid_of(name), np.argmin(boards, 1)
    options = [
        Options(), Options(mode="percent_solved"), Options(exponential=True), Options(mode="percent_solved", exponential=True)
    ]  # fmt: skip
    env, stacked = build_batch([config_of(grid, {"observation.kind": "raw"}, each) for each in options])
    stays = np.full((len(boards), 1), 7)  # a step that is paid for the board as it is
    reward = play(env, stacked, boards, stays).reward[:, :, 0]
    dense, percent = data["dense_reward_of_state"], data["percent_reward_of_state"]
    expected = [dense, percent, np.where(data["solved"], np.e, data["exp_dense_reward"]), np.exp(percent)]
    np.testing.assert_allclose(reward, np.array(expected, np.float32), rtol=3e-7, atol=0)
    states = jax.vmap(env.start, (0, None, None))(boards, KEY, params_at(env, stacked, 0))
    np.testing.assert_array_equal(states.tick.distance == 0, data["solved"])
    np.testing.assert_array_equal(jax.vmap(env.valid_actions)(states), data["valid_action_mask"])
    np.testing.assert_array_equal(states.tick.blank, last)


def test_another_blank_value_is_seen_as_such():
    grid, board = (2, 2), np.array([[1, 0, 3, 2]])
    for kind, expected in (("raw", [[1, -5], [3, 2]]), ("normalized", [[np.float32(1 / 3), -5], [1, np.float32(2 / 3)]])):
        env, params = made(grid, {"observation.kind": kind, "observation.blank_value": -5})
        np.testing.assert_array_equal(draw(env, params, board)[0], np.array(expected, np.float32))
        assert env.observation_space.low == -5
    env, params = made(grid, {"observation.kind": "raw", "observation.blank_value": 0})
    np.testing.assert_array_equal(draw(env, params, board)[0], [[1, 0], [3, 2]])


def test_a_line_has_coordinates_too():
    board = jnp.array([1, 0])
    np.testing.assert_array_equal(scene.coordinates(board, scene.Grid(1, 2), True), [0, 1, 0, 0])
    np.testing.assert_array_equal(scene.coordinates(board, scene.Grid(2, 1), True), [1, 0, 0, 0])


def values_of(case):
    names = {"w_separator": "word_separator", "h_separator": "row_separator", "blank_tile_text": "blank_text"}
    given = {f"text.{names[key]}": value for key, value in case["options"].items()}
    return {"observation.kind": "text", "text.texts": [case["text"]], "text.compat_separators": True, **given}


@functools.cache
def batch_of_texts(grid):
    """One environment for all recorded texts of a grid."""
    cases = [case for case in sliding_golden.document("text_overlay") if (case["h"], case["w"]) == grid]
    return cases, *build_batch([config_of(grid, values_of(case)) for case in cases])


@pytest.mark.parametrize("grid", [(3, 3), (2, 3), (2, 2), (4, 4)])
def test_recorded_texts_are_read_again(grid):
    cases, env, stacked = batch_of_texts(grid)
    boards = np.array([sliding_golden.boards(case["state"], scene.Grid(*grid)) for case in cases])

    @jax.jit
    def read(stacked, boards):
        axes = env.params_axes(stacked)
        return jax.vmap(lambda params, board: env.observe(env.start(board, KEY, params), params), (axes, 0))(stacked, boards)

    assert [env.text_of(tokens) for tokens in read(stacked, boards)] == [case["observation"] for case in cases]


def test_the_recorded_texts_are_all_read():
    grids = {(case["h"], case["w"]) for case in sliding_golden.document("text_overlay")}
    assert grids == {(3, 3), (2, 3), (2, 2), (4, 4)}


@pytest.mark.parametrize("case", sliding_golden.document("text_overlay"))
def test_recorded_texts_are_split_again(case):
    separators = (case["options"].get("w_separator", " "), case["options"].get("h_separator", "\n"))
    assert text.split(case["text"], scene.Grid(case["h"], case["w"]), *separators) == case["tiles"]


def test_a_board_of_words_keeps_its_lines_by_default():
    env, params = made((2, 2), {"observation.kind": "text", "text.texts": ["a b c d"]})
    tokens = draw(env, params, np.array([[3, 0, 1, 2]]))[0]
    assert env.text_of(tokens) == "c ---\na b"
    assert env.observation_space.contains(tokens)


def test_tokens_after_the_end_of_a_text_stand_for_nothing():
    values = [{"text.texts": ["a b c d"]}, {"text.texts": ["long words are here"]}]
    env, stacked = build_batch([config_of((2, 2), {"observation.kind": "text", **value}) for value in values])
    tokens = draw(env, params_at(env, stacked, 0), np.array([[1, 2, 3, 0]]))[0]
    assert env.text_of(tokens) == "a b\nc ---"
    assert tokens[9:].tolist() == [0] * (env.plan.text_length - 9) != []
