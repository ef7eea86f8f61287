"""Boards cut from pictures that come as an array."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import kagejax
from kagejax.envs.sliding.build import with_pictures

SMALL = {"observation.height": 24, "observation.width": 24}


def test_a_solved_board_shows_the_given_picture_but_for_its_last_tile():
    given = np.random.default_rng(0).integers(0, 256, (3, 24, 24, 3), np.uint8)
    env, params = kagejax.make("sliding", **SMALL)
    params = with_pictures(env, params, given)
    solved = jnp.array([1, 2, 3, 4, 5, 6, 7, 8, 0])
    for seed in range(5):
        state = jax.jit(env.start)(solved, jax.random.key(seed), params)
        frame = np.asarray(jax.jit(env.observe)(state, params))
        np.testing.assert_array_equal(frame[:16], given[int(state.episode.picture)][:16])
        assert not frame[16:, 16:].any()


def test_arrays_of_another_form_are_refused():
    env, params = kagejax.make("sliding", **SMALL)
    for wrong in (np.zeros((24, 24, 3), np.uint8), np.zeros((1, 24, 24, 3)), np.zeros((0, 24, 24, 3), np.uint8)):
        with pytest.raises(ValueError, match=r"pictures must be u8 \[pictures, height, width, 3\]; found"):
            with_pictures(env, params, wrong)
    with pytest.raises(ValueError, match="kind image"):
        with_pictures(*kagejax.make("sliding", **{"observation.kind": "raw"}), np.zeros((1, 24, 24, 3), np.uint8))
