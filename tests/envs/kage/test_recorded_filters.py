"""Filters and lights against the reference, on a picture that fills the screen of a whole environment."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PIL import Image

from kagejax.envs.kage.build import build_batch
from kagejax.envs.kage.config import KageConfig
from tests.oracles import kage_golden

from .golden import params_at, stacked

GOLDEN = kage_golden.archive("filter_units")
NAMES = tuple(str(name) for name in GOLDEN["names"])
ARGUMENTS = json.loads(str(GOLDEN["params_json"]))
LIGHT = {
    "point_light_intensity": 3.0,
    "point_light_radius": 0.1,
    "point_light_falloff": 2.0,
    "point_light_count": 1,
    "point_light_color_names": ["warm_white"],
}
OUT_OF_SIGHT = {"base_ground_y": 200, "height_px": 256}


def config(arguments: dict, picture: str) -> KageConfig:
    lights = any(key.startswith("point_light") for key in arguments)
    sections = {"effects": {**LIGHT, **arguments}} if lights else {"filters": arguments}
    background = {"mode": "image", "image_path": picture, "parallax_factor": 0.0}
    alone = {"npc": {"enabled": False}, "distractors": {"enabled": False}}
    return KageConfig.model_validate({"H": 48, "W": 64, "background": background, "layout": OUT_OF_SIGHT, **alone, **sections})


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """The golden picture after every golden filter and light, drawn by one program."""
    picture = tmp_path_factory.mktemp("filters") / "input.png"
    Image.fromarray(GOLDEN["input"]).save(picture)
    env, params = build_batch([config(ARGUMENTS[name], str(picture)) for name in NAMES])
    first = jax.jit(env.init)(jnp.array([0, 0], jnp.uint32), params_at(env, params, 0))
    states = stacked([first] * len(NAMES))
    positions = jnp.asarray(GOLDEN["light_positions"][: env.plan.lights])
    episode = states.episode._replace(light_positions=jnp.broadcast_to(positions, (len(NAMES), *positions.shape)))
    observe = jax.jit(jax.vmap(env.observe, in_axes=(0, env.params_axes(params))))
    return np.asarray(observe(states._replace(episode=episode), params))


@pytest.mark.parametrize("name", NAMES)
def test_recorded_filters_and_lights_are_applied(name, outputs):
    difference = np.abs(outputs[NAMES.index(name)].astype(int) - GOLDEN["outputs"][NAMES.index(name)])
    assert difference.max() <= 1
    assert difference.mean() <= 0.5
