"""Frames of kage against the NumPy oracle, on random looks and random states, drawn many configurations at a time."""

import dataclasses

import jax
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kagejax.envs.kage.build import build_batch
from tests.oracles import kage_golden, kage_render, kage_shapes

from . import random_scenes
from .golden import config_from, params_at, stacked, state_from

CONFIGS = 20


def examples(count: int) -> settings:
    """The same examples at every run; a failing one is reported as it is, since a seed has nothing to shrink."""
    phases = (Phase.explicit, Phase.generate)
    return settings(max_examples=count, deadline=None, derandomize=True, phases=phases, suppress_health_check=list(HealthCheck))


class Gallery:
    """Twenty configurations behind one program, and the oracle's view of them."""

    def __init__(self, looks: list[dict], folder):
        self.looks = looks
        self.env, self.params = build_batch([config_from(look, folder) for look in looks])
        self.each = [params_at(self.env, self.params, i) for i in range(len(looks))]
        self.observe = self.drawn_by("auto")

    def drawn_by(self, method: str):
        """The program that draws all configurations, one state each, by one method of drawing."""
        env = dataclasses.replace(self.env, renderer=method)
        return jax.jit(jax.vmap(env.observe, in_axes=(0, env.params_axes(self.params))))

    def scenes(self, seed: int) -> list[tuple[kage_golden.Case, dict]]:
        """One random case per configuration."""
        random, cases = np.random.default_rng(seed), []
        for look in self.looks:
            fields, top = random_scenes.state(random, look)
            cases.append(kage_golden.Case({}, look, fields, top, None))
        return cases

    def draw(self, cases: list[kage_golden.Case], observe=None) -> np.ndarray:
        """The frames of kagejax."""
        states = [
            state_from(self.env, params, case.config, case.state, case.ground_top)
            for params, case in zip(self.each, cases, strict=True)
        ]
        return np.asarray((observe or self.observe)(stacked(states), self.params)).astype(int)


def oracle(case: kage_golden.Case) -> np.ndarray:
    return kage_render.render(case.state, case.config, case.mask, **case.assets).astype(int)


def gallery(kind, folder, seed: int = 0) -> Gallery:
    random = np.random.default_rng(seed)
    return Gallery([kind(random) for _ in range(CONFIGS)], folder)


@pytest.fixture(scope="module")
def sprites(asset_folder):
    return gallery(random_scenes.skinned, asset_folder)


@pytest.fixture(scope="module")
def turning_shapes(asset_folder):
    return gallery(lambda random: random_scenes.shaped(random, True), asset_folder)


@pytest.fixture(scope="module")
def upright_shapes(asset_folder):
    return gallery(lambda random: random_scenes.shaped(random, False), asset_folder)


@pytest.fixture(scope="module")
def filters(asset_folder):
    return gallery(random_scenes.filtered, asset_folder)


@pytest.fixture(scope="module")
def presets(asset_folder):
    return gallery(random_scenes.listed_presets, asset_folder)


@examples(12)
@given(seed=st.integers(0, 2**32 - 1))
def test_sprites_and_backgrounds_agree_with_the_oracle(sprites, seed):
    cases = sprites.scenes(seed)
    difference = np.abs(sprites.draw(cases) - np.stack([oracle(case) for case in cases]))
    assert difference.max() <= 1, "half-transparent pixels may be cut to either side of a whole number, nothing else may differ"
    assert (difference > 0).mean() < 1e-3


@examples(12)
@given(seed=st.integers(0, 2**32 - 1))
def test_turning_shapes_agree_with_the_oracle(turning_shapes, seed):
    check_shapes(turning_shapes, seed)


@examples(12)
@given(seed=st.integers(0, 2**32 - 1))
def test_upright_shapes_agree_with_the_oracle(upright_shapes, seed):
    check_shapes(upright_shapes, seed)


def check_shapes(shapes: Gallery, seed: int) -> None:
    cases = shapes.scenes(seed)
    for frame, case in zip(shapes.draw(cases), cases, strict=True):
        differs = (frame != oracle(case)).any(axis=-1)
        assert not (differs & ~borderline(case)).any(), "only pixels on the very outline of a turned shape may differ"


def borderline(case: kage_golden.Case) -> np.ndarray:
    """Pixels so near the outline of a shape that the last bit of a cosine or a quotient decides about them, bool [H, W]."""
    state, config = case.state, case.config
    doubtful = np.zeros((config["H"], config["W"]), bool)
    if config["distractors.enabled"]:
        for i, angle in enumerate(state["dist_angles"]):
            centre = int(np.rint(state["dist_x"][i])), int(np.rint(state["dist_y"][i]))
            kind = config["distractors.shape_types"][state["dist_shape_indices"][i]]
            doubtful |= outline(kind, doubtful.shape, centre, state["dist_sizes"][i], angle)
    width, height = config["character.width"], config["character.height"]
    centre = int(state["x"] - state["camera_x"]), int(state["y"]) + 1
    kind, size = config["character.shape_types"][state["shape_type_idx"]], min(width, height)
    angle = state["shape_angle"] * np.float32(np.pi / 180)
    return doubtful | outline(
        kind, doubtful.shape, centre, size, angle, ellipse=(width / 2, height / 2), diamond_height=size / 2
    )


def outline(kind: str, screen: tuple, centre: tuple, size, angle, **agent) -> np.ndarray:
    """What a slightly turned or scaled shape paints otherwise. Circles and upright boxes are exact in float32."""
    if kind == "circle" or (kind in ("square", "line", "cross") and angle == 0):
        return np.zeros(screen, bool)
    tilts, scales = (-1e-5, 0, 1e-5), (1 - 1e-5, 1, 1 + 1e-5)
    masks = [kage_shapes.painted(kind, *screen, centre, size * s, angle + tilt, **agent) for tilt in tilts for s in scales]
    return np.any(masks, axis=0) & ~np.all(masks, axis=0)


@pytest.mark.parametrize("kind", ["sprites", "turning_shapes"])
def test_both_ways_of_drawing_give_the_same_picture(kind, request):
    pictures = request.getfixturevalue(kind)
    pushed, pulled = (pictures.drawn_by(method) for method in ("push", "pull"))
    for seed in range(8):
        cases = pictures.scenes(seed)
        np.testing.assert_array_equal(pictures.draw(cases, pushed), pictures.draw(cases, pulled))


@examples(12)
@given(seed=st.integers(0, 2**32 - 1))
def test_filters_and_lights_agree_with_the_oracle(filters, seed):
    check_rounding(filters, seed)


@examples(8)
@given(seed=st.integers(0, 2**32 - 1))
def test_drawn_presets_agree_with_the_oracle(presets, seed):
    check_rounding(presets, seed)


def check_rounding(pictures: Gallery, seed: int) -> None:
    cases = pictures.scenes(seed)
    difference = np.abs(pictures.draw(cases) - np.stack([oracle(case) for case in cases]))
    assert difference.max() <= 1
    assert difference.mean() <= 0.5
