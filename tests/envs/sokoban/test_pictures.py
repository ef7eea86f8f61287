"""Pictures of Sokoban beyond the recorded ones: ways to draw them, themes, light and noise."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.sokoban import themes
from kagejax.envs.sokoban.build import build
from kagejax.envs.sokoban.env import SokobanEnv
from tests.oracles import sokoban_golden

from .games import KEY, config_of, draw, entry_of, made, on_host

LEVEL = "########\n#. @   #\n#   $  #\n#      #\n#  ## .#\n# $    #\n#      #\n########"
FLAT = dict.fromkeys(themes.COLORS, (128, 128, 128)) | {"checker": False}
STD = 5.0


def themed(**changes):
    return entry_of(LEVEL, theme=themes.to_json(themes.DEFAULT) | changes)


@pytest.mark.parametrize("values", [
    {"levels.split": "B", "theme.law": "level"}, {"levels.split": "A", "theme.law": "plus"},
    {"levels.split": "C", "theme.law": "classic", "observation.kind": "board"}, {"levels.split": "W"},
])  # fmt: skip
def test_both_ways_of_drawing_give_the_same_pictures(values):
    env, params = build(config_of(values))
    levels = jnp.arange(12, dtype=jnp.int32)
    ways = [on_host(draw(SokobanEnv(env.plan, way), params, levels)) for way in ("push", "pull")]
    for one, other in zip(jax.tree.leaves(ways[0]), jax.tree.leaves(ways[1]), strict=True):
        np.testing.assert_array_equal(one, other)
    assert len({picture.tobytes() for picture in jax.tree.leaves(ways[0])[0]}) == 12


def test_the_board_alone_is_the_board_of_both_pictures():
    levels = jnp.arange(5, dtype=jnp.int32)
    both, alone = (
        draw(*build(config_of({"levels.split": "B", "observation.kind": kind})), levels) for kind in ("pictures", "board")
    )
    np.testing.assert_array_equal(both["board"], alone)


@functools.partial(jax.jit, static_argnums=0)
def at_times(env, params, keys, times):
    """Board and goal of level 0 in episodes begun with `keys`, at `times` of the same board: [keys, times, ...]."""

    def one(key, t):
        state = env.start(jnp.int32(0), key, params)
        return env.observe(state._replace(tick=state.tick._replace(t=t)), params)

    return jax.vmap(jax.vmap(one, (None, 0)), (0, None))(keys, times)


@pytest.fixture(scope="module")
def noisy():
    """Flat grey boards and goals with noise of STD levels, f64 [episodes, steps, 64, 64, 3]."""
    env, params = made([entry_of(LEVEL, theme=FLAT | {"noise_std": STD})])
    keys = jax.random.split(jax.random.PRNGKey(3), 6)
    seen = on_host(at_times(env, params, keys, jnp.arange(7, dtype=jnp.int32)))
    assert all(picture.dtype == np.uint8 for picture in seen.values())
    return {name: pictures.astype(np.float64) for name, pictures in seen.items()}


def test_noise_is_normal_and_cut_off_below(noisy):
    for pictures in noisy.values():
        error = pictures[:, 0] - 128
        count = error.size
        # Cut to whole levels below: half a level darker, and the variance of a uniform draw of one level more.
        assert abs(error.mean() + 0.5) < 5 * STD / count**0.5
        assert error.std() == pytest.approx((STD**2 + 1 / 12) ** 0.5, rel=0.01)
        normal = (error + 0.5) / error.std()
        assert abs((normal**3).mean()) < 0.03
        assert (normal**4).mean() == pytest.approx(3, abs=0.15)
        within = [(np.abs(normal) < bound).mean() for bound in (1, 2, 3)]
        np.testing.assert_allclose(within, [0.6827, 0.9545, 0.9973], atol=0.02)


def correlation(first, second):
    return np.corrcoef(first.ravel(), second.ravel())[0, 1]


def test_noise_of_pixels_channels_steps_and_episodes_is_independent(noisy):
    board, goal = noisy["board"], noisy["goal"]
    limit = 5 / (64 * 64 * 3) ** 0.5
    for t in range(6):
        assert abs(correlation(board[0, t], board[0, t + 1])) < limit
        assert abs(correlation(board[t % 6, 0], board[(t + 1) % 6, 0])) < limit
        assert abs(correlation(board[0, t], goal[0, 0])) < limit
        one = board[0, t]
        assert abs(correlation(one[1:], one[:-1])) < limit
        assert abs(correlation(one[:, 1:], one[:, :-1])) < limit
        assert abs(correlation(one[..., 0], one[..., 1])) < limit * 3**0.5
        assert abs(correlation(one[..., 1], one[..., 2])) < limit * 3**0.5


def test_noise_of_the_board_is_new_at_every_step_and_that_of_the_goal_the_same_all_through(noisy):
    assert len({picture.tobytes() for picture in noisy["board"].reshape(-1, 64 * 64 * 3)}) == 6 * 7
    for episode in noisy["goal"]:
        assert len({picture.tobytes() for picture in episode}) == 1
    assert len({picture.tobytes() for picture in noisy["goal"][:, 0]}) == 6


def test_the_same_episode_and_step_show_the_same_noise_whatever_was_played():
    env, params = made([entry_of(LEVEL, theme=FLAT | {"noise_std": STD})])
    state = jax.jit(env.start)(jnp.int32(0), KEY, params)
    step = jax.jit(env.step_env)
    ends = []
    for actions in ([0, 1, 3], [3, 3, 2]):
        after = state
        for i, action in enumerate(actions):
            observation, after, *_ = step(jax.random.PRNGKey(i + 9 * action), after, jnp.int32(action), params)
        ends.append(on_host(observation))
    np.testing.assert_array_equal(ends[0]["board"], ends[1]["board"])  # all tiles are of one colour here: noise is all there is
    np.testing.assert_array_equal(ends[0]["goal"], ends[1]["goal"])
    fresh = jax.jit(env.start)(jnp.int32(0), jax.random.PRNGKey(1), params)
    assert (on_host(jax.jit(env.observe)(fresh, params))["goal"] != ends[0]["goal"]).any()


def test_recorded_noise_and_ours_have_the_same_size():
    frames = [frame for frame in sokoban_golden.frames() if frame.has_noise]
    looks = [*(frame.theme | {"noise_std": 0.0} for frame in frames), *(frame.theme for frame in frames)]
    env, params = made([entry_of(frame.text, theme=look) for look, frame in zip(looks, frames * 2, strict=True)])
    drawn = np.asarray(draw(env, params, jnp.arange(6, dtype=jnp.int32))["board"]).astype(np.float64)
    for frame, exact, noisy in zip(frames, drawn[:3], drawn[3:], strict=True):
        inside = (exact > 40) & (exact < 215)  # where nothing is cut at black or white
        theirs, ours = (frame.picture - exact)[inside], (noisy - exact)[inside]
        assert ours.std() == pytest.approx(theirs.std(), rel=0.04)
        assert ours.mean() == pytest.approx(theirs.mean(), abs=0.15)


def test_levels_without_noise_stay_exact_beside_noisy_ones():
    env, params = made([themed(), themed(noise_std=4.0), themed(light=(0.5, -1.0))])
    alone = draw(*made([themed()]), jnp.zeros(1, jnp.int32))
    together = draw(env, params, jnp.arange(3, dtype=jnp.int32))
    for name in ("board", "goal"):
        np.testing.assert_array_equal(together[name][0], alone[name][0])
        assert (together[name][1] != alone[name][0]).any()
        assert (together[name][2] != alone[name][0]).any()


def test_light_falls_across_the_whole_picture():
    # Brighter downwards by up to 17.5 % at the edge, darker to the right: gain 1 + 0.35 * (0.5 * down - 1 * right).
    env, params = made([entry_of(LEVEL, theme=FLAT | {"light": (0.5, -1.0)})])
    picture = np.asarray(draw(env, params, jnp.zeros(1, jnp.int32))["board"][0]).astype(int)
    place = (np.arange(64) + 0.5) / 64 - 0.5
    expected = 128 * (1 + 0.35 * (0.5 * place[:, None] - place[None, :]))
    assert np.abs(picture - expected[..., None]).max() <= 1.01
    assert (picture[..., 0] == picture[..., 2]).all()
