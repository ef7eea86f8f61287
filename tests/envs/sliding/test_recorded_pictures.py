"""Sliding against recorded pictures of the reference: from tiles, from source files, and along recorded moves."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.sliding import pictures, rules
from tests.oracles import sliding_golden

from .games import KEY, draw, made


def values_of(case, **more):
    return {
        "observation.height": case.height,
        "observation.width": case.width,
        "observation.background_color": case.background,
        "pictures.source": "list",
        "pictures.paths": [str(case.source)],
        **more,
    }


@pytest.fixture(scope="module", params=sliding_golden.RENDERS)
def recorded(request):
    """A recorded set of pictures, and the environment that is to draw them."""
    case = sliding_golden.render(request.param)
    return case, *made(case.grid, values_of(case))


def with_tiles(params, case):
    """Params with the recorded tiles; entry 0 is the blank's."""
    blank = np.broadcast_to(np.array(case.background, np.uint8), case.tiles[:1].shape)
    sheet = pictures.sheet([np.concatenate([blank, case.tiles[:-1]])])
    return params._replace(bank=params.bank._replace(tiles=jnp.asarray(sheet)))


def test_recorded_boards_are_drawn_from_recorded_tiles(recorded):
    case, env, params = recorded
    np.testing.assert_array_equal(draw(env, with_tiles(params, case), case.boards), case.frames)


def test_recorded_boards_are_drawn_from_their_source(recorded):
    case, env, params = recorded
    np.testing.assert_array_equal(draw(env, params, case.boards), case.frames)


def test_sources_are_read_and_cut_as_recorded(recorded):
    case, env, params = recorded
    picture = pictures.read(case.source, case.height, case.width, case.background)
    np.testing.assert_array_equal(picture, case.picture)
    tiles = pictures.cut(picture, rules.Grid(*case.grid), env.plan.tile, case.background)
    np.testing.assert_array_equal(tiles[1:], case.tiles[:-1])
    assert (tiles[0] == case.background).all()
    np.testing.assert_array_equal(pictures.sheet([tiles]), params.bank.tiles)


def test_recorded_moves_are_drawn_as_they_are_made(recorded):
    case, env, params = recorded

    @jax.jit
    def play(params, board, actions):
        def step(state, action):
            observation, state, *_ = env.step_env(KEY, state, action, params)
            return state, (state.tick.board, observation)

        first = env.start(board, KEY, params)
        return env.observe(first, params), jax.lax.scan(step, first, actions)[1]

    first, (boards, frames) = play(params, case.rollout_boards[0], case.rollout_actions.astype(np.int32))
    np.testing.assert_array_equal(first, case.rollout_frames[0])
    np.testing.assert_array_equal(boards, case.rollout_boards[1:])
    np.testing.assert_array_equal(frames, case.rollout_frames[1:])


def test_the_recorded_frame_with_channels_first_and_scaled_is_drawn_again():
    data, case = sliding_golden.archive("render_chw_normalised_3x3"), sliding_golden.render("3x3_84")
    env, params = made(case.grid, values_of(case, **{"observation.channels_first": True, "observation.scaled": True}))
    frame = draw(env, params, sliding_golden.boards(data["state"], case.grid)[None])[0]
    np.testing.assert_allclose(frame, data["obs"], rtol=1.2e-7, atol=0)
    assert (frame.dtype, frame.shape) == (data["obs"].dtype, (3, 84, 84))
    assert env.observation_space.contains(frame)


@functools.partial(jax.jit, static_argnums=0)
def reset(env, params):
    return env.reset(KEY, params)[0]


def test_forms_of_a_frame_are_the_same_picture():
    case = sliding_golden.render("3x4_84")
    values = {"observation.height": 27, "observation.width": 33, "start.mode": "board", "start.board": case.boards[1]}
    forms = {}
    for first in (False, True):
        for scaled in (False, True):
            form = {"observation.channels_first": first, "observation.scaled": scaled}
            forms[first, scaled] = np.asarray(reset(*made(case.grid, values_of(case) | values | form)))
    plain = forms[False, False]
    assert (plain.dtype, plain.shape) == (np.uint8, (27, 33, 3))
    np.testing.assert_array_equal(forms[True, False], plain.transpose(2, 0, 1))
    np.testing.assert_allclose(forms[False, True], plain.astype(np.float32) / 255, rtol=1.2e-7)
    np.testing.assert_array_equal(forms[True, True], forms[False, True].transpose(2, 0, 1))
