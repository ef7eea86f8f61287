"""Rendering: pictures, windows."""

import numpy as np
import pytest

import kagejax
from kagejax import core
from kagejax.adapters import pictures

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from kagejax.adapters.gymnasium import KagejaxEnv  # noqa: E402
from kagejax.adapters.vector import KagejaxVectorEnv  # noqa: E402
from tests.adapters.corridors import Windy  # noqa: E402
from tests.corridor import params  # noqa: E402


def test_a_picture_that_is_observed_is_what_is_rendered():
    env = KagejaxEnv(Windy(), params=params(), render_mode="rgb_array")
    observation, _ = env.reset(seed=0)
    np.testing.assert_array_equal(env.render(), observation)
    np.testing.assert_array_equal(env.step(2)[0], env.render())


@pytest.mark.parametrize(
    ("room", "overrides", "shape"),
    [
        ("sliding", {"observation.kind": "raw"}, (84, 84, 3)),
        ("sliding", {"observation.kind": "text"}, (84, 84, 3)),
        ("sokoban", {"observation.kind": "symbolic"}, (64, 64, 3)),
        ("spatial", {}, (128, 128, 3)),
    ],
)
def test_a_board_that_is_not_observed_as_a_picture_is_rendered_as_one(room, overrides, shape):
    env = gymnasium.make(f"kagejax/{room.capitalize()}-v0", render_mode="rgb_array", **overrides)
    env.reset(seed=1)
    first = env.render()
    assert first.shape == shape and first.dtype == np.uint8
    later = []
    for action in range(4):
        env.step(action)
        later.append(env.render())
    assert (np.stack(later) != first).any()


@pytest.mark.parametrize("forms", [("channels_first",), ("scaled",), ("channels_first", "scaled")])
def test_pictures_in_other_forms_are_rendered_as_bytes(forms):
    size = {"observation.height": 24, "observation.width": 30}
    plain, other = (
        gymnasium.make("kagejax/Sliding-v0", render_mode="rgb_array", **size, **form)
        for form in ({}, {f"observation.{form}": True for form in forms})
    )
    plain.reset(seed=2), other.reset(seed=2)
    np.testing.assert_array_equal(other.render(), plain.render())
    assert plain.render().shape == (24, 30, 3)


def test_parts_of_an_observation_stand_side_by_side():
    left, right = np.full((1, 2, 3, 3), 10, np.uint8), np.full((1, 2, 4, 3), 20, np.uint8)
    assert pictures.rgb({"board": left, "goal": right})[0, 0, :, 0].tolist() == [10, 10, 10, 20, 20, 20, 20]


def test_a_mosaic_is_filled_row_by_row():
    frames = np.arange(1, 6, dtype=np.uint8)[:, None, None, None] * np.ones((1, 2, 2, 3), np.uint8)
    assert pictures.mosaic(frames)[::2, ::2, 0].tolist() == [[1, 2, 3], [4, 5, 0]]


def test_layers_of_a_lattice_of_three_rows_are_no_picture():
    env, _ = kagejax.make("spatial/simplest")
    assert not pictures.is_picture(env.observation_space)
    assert not pictures.is_picture(core.Box(0, 1, (3, 7, 39), np.uint8))


def test_all_environments_of_a_batch_are_rendered():
    env = KagejaxVectorEnv(Windy(), params=params(), num_envs=3, render_mode="rgb_array")
    observation, _ = env.reset(seed=0)
    frames = env.render()
    assert isinstance(frames, tuple)
    np.testing.assert_array_equal(np.stack(frames), observation)


@pytest.fixture
def pygame(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return pytest.importorskip("pygame", reason="pygame-ce is not installed: pip install 'kagejax[play]'")


def test_a_window_shows_each_step_enlarged(pygame):
    env = KagejaxEnv(Windy(), params=params(), render_mode="human")
    observation, _ = env.reset(seed=0)
    for _ in range(2):
        shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
        np.testing.assert_array_equal(shown, observation.repeat(48, 0).repeat(48, 1))
        observation = env.step(2)[0]
    assert env.render() is None
    env.close()
    assert pygame.display.get_surface() is None
    env.close()


def test_a_window_that_was_closed_stays_closed(pygame):
    env = KagejaxEnv(Windy(), params=params(), render_mode="human")
    env.reset(seed=0)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(1)
    assert pygame.display.get_surface() is None
    env.step(1)
    assert pygame.display.get_surface() is None


def test_a_window_shows_a_batch_as_a_mosaic(pygame):
    env = KagejaxVectorEnv(Windy(), params=params(), num_envs=20, render_mode="human")
    observation, _ = env.reset(seed=0)
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    assert shown.shape == (384, 384, 3)  # 4x4 of 8x8 pixels, 12 times as large
    np.testing.assert_array_equal(shown[::12, ::12][8:16, :8], observation[4])
    env.close()


def test_a_render_without_a_mode_says_so():
    env = KagejaxEnv(Windy(), params=params())
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render does nothing without a render_mode"):
        assert env.render() is None


def test_rendering_leaves_the_episode_alone():
    plain, seen = (KagejaxVectorEnv(Windy(), params=params(), num_envs=2, render_mode=mode) for mode in (None, "rgb_array"))
    a, b = plain.reset(seed=0)[0], seen.reset(seed=0)[0]
    for _ in range(4):
        seen.render()
        np.testing.assert_array_equal(a, b)
        a, b = plain.step(np.full(2, 2))[0], seen.step(np.full(2, 2))[0]
