"""Pictures of an episode, for a page that asks for many, each a little different from the last. Host side."""

import base64
import io
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.config import registry
from kagejax.config.loader import load
from kagejax.config.parameters import parameters
from kagejax.config.problems import ConfigError
from kagejax.config.schema import ConfigModel
from kagejax.evaluation import episodes, views
from kagejax.raster.sheet import contact_sheet

from .programs import MOST_STEPS, Programs, Scene
from .shelf import Shelf

LIMITS = ("episode_length", "play.max_steps")
"""Keys that say after how many steps an episode is cut."""
LAYER = 40
"""Pixels that a layer of an observation gets, about."""
PICTURES = ("image", "picture", "pictures", "board")
"""Kinds of observation that are pictures."""


class Level(NamedTuple):
    """Which episode: its seed, and the name of the policy that plays."""

    seed: int
    policy: str


class Drawn(NamedTuple):
    """A picture and where it is from."""

    pixels: np.ndarray  # u8 [height, width, 3]
    scene: Scene
    notes: tuple[str, ...] = ()


class Studio:
    """Environments, programs and pictures of the last requests. Methods may be called from several threads."""

    def __init__(self):
        self._made, self._scenes, self._pictures = Shelf(8), Shelf(48), Shelf(96)
        self.programs = Programs()

    def made(self, config: ConfigModel) -> tuple[Any, Any]:
        """Its environment and params. Raises ConfigError or AssetError for art that does not load."""
        return self._made.get(_name(config), lambda: registry.builder(config)(config))

    def ready(self, config: ConfigModel, policy: str, moves: bool) -> bool:
        """Whether nothing need be compiled for its first picture, or for later ones if it `moves`. Builds the environment."""
        return self.programs.has(*self.made(config), policy, moves)

    def prepare(self, config: ConfigModel, policy: str, moves: bool) -> None:
        """Compiles what its pictures need."""
        self.programs.prepare(*self.made(config), policy, moves)

    def warm(self, config: ConfigModel, policy: str) -> None:
        """Begins to compile what later pictures will need."""
        self.programs.warm(*self.made(config), policy)

    def _part(self, part: str, config: ConfigModel, policy: str) -> Callable:
        return self.programs.part(part, *self.made(config), policy)

    def reach(self, config: ConfigModel, level: Level, steps: int, leader: ConfigModel | None = None) -> Scene:
        """The episode after `steps` steps, or at its end. With a `leader` its actions are taken, as long as they last."""
        leader = None if leader == config else leader
        name = (_name(config), level, steps, leader and _name(leader))
        return self._scenes.get(name, lambda: self._reach(config, level, steps, leader))

    def _reach(self, config: ConfigModel, level: Level, steps: int, leader: ConfigModel | None) -> Scene:
        _, params = self.made(config)
        # Keys as in `episodes.record`, so that `kagejax render --seed` draws the same.
        first_key, *later_keys = jax.random.split(jax.random.key(level.seed), 3)
        scene = self._part("start", config, level.policy)(params, first_key)
        if steps == 0:
            return scene
        given, known = scene.actions, 0
        if leader is not None and self.same_actions(leader, config):
            led = self.reach(leader, level, steps)
            given, known = led.actions, led.t
        until = jnp.int32(min(steps, MOST_STEPS))
        return self._part("go_on", config, level.policy)(params, scene, tuple(later_keys), given, jnp.int32(known), until)

    def onward(self, config: ConfigModel, level: Level, scene: Scene, leader: Scene | None = None) -> Scene:
        """One step further than `scene`; with the action that took `leader` one step further than it."""
        _, params = self.made(config)
        _, *later_keys = jax.random.split(jax.random.key(level.seed), 3)
        given, known = (scene.actions, 0) if leader is None else (leader.actions, leader.t)
        go_on = self._part("go_on", config, level.policy)
        return go_on(params, scene, tuple(later_keys), given, jnp.int32(known), scene.t + 1)

    def same_actions(self, train: ConfigModel, evaluation: ConfigModel) -> bool:
        """Whether what one does the other can do."""
        return self.made(train)[0].action_space == self.made(evaluation)[0].action_space

    def picture(self, config: ConfigModel, level: Level, steps: int, leader: ConfigModel | None = None) -> Drawn:
        """The episode's picture after `steps` steps."""
        leader = None if leader == config else leader
        name = (_name(config), level, steps, leader and _name(leader))
        return self._pictures.get(name, lambda: self.seen(config, level, self.reach(config, level, steps, leader)))

    def seen(self, config: ConfigModel, level: Level, scene: Scene) -> Drawn:
        """What is to be seen of `scene`."""
        env, params = self.made(config)
        observation = jax.device_get(self._part("observe", config, level.policy)(params, scene.state))
        return Drawn(as_picture(env, observation), scene)


def as_picture(env: Any, observation: Any) -> np.ndarray:
    """One observation as u8 [height, width, 3], as `views.pictures` has it; layers, which have no view, on a sheet."""
    shape = () if isinstance(observation, dict) else np.shape(observation)
    if len(shape) != 3 or 3 in (shape[0], shape[-1]):
        return views.pictures(env, jax.tree.map(lambda part: np.asarray(part)[None, None], observation))[0, 0]
    # The layers are the axis that the other two, height and width, leave over; the last one where that is not plain.
    layers = np.asarray(observation) if shape[1] == shape[2] != shape[0] else np.moveaxis(observation, -1, 0)
    top = max(float(layers.max()), 1e-9)
    squares = (255 * np.clip(layers / top, 0, 1)).astype(np.uint8)[..., None].repeat(3, -1)
    return contact_sheet(list(squares), int(np.ceil(np.sqrt(len(layers)))), scale=max(1, LAYER // max(squares.shape[1:3])))


def for_people(config: ConfigModel) -> tuple[ConfigModel, str]:
    """The configuration with an observation that is a picture, where it has one; what the agent really sees, or nothing.

    That key is the picture's alone, so the game is the same.
    """
    key = parameters(type(config)).get("observation.kind")
    kind = config.flat().get("observation.kind")
    if key is None or kind in PICTURES or key.affects != "render":
        return config, ""
    wanted = next((choice for choice in key.choices or () if choice in PICTURES), None)
    if wanted is None:
        return config, kind
    try:
        return load(config, {"observation.kind": wanted}), kind
    except ConfigError:  # such as a picture too small for its cells
        return config, kind


def most_steps(config: ConfigModel) -> int:
    """Steps that an episode can have here."""
    flat = config.flat()
    return min([MOST_STEPS, *(flat[key] for key in LIMITS if flat.get(key))])


def policies(env: Any) -> list[str]:
    """Names of those who can play, the one that gets far first."""
    return sorted(episodes.actors(env), key=lambda name: name != "scripted")


def png(pixels: np.ndarray) -> str:
    """A picture as the address of a PNG for an <img>."""
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG", compress_level=1)
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()


def _name(config: ConfigModel) -> Hashable:
    folders = sorted((path, str(folder)) for path, folder in config._folders.items())
    return type(config), tuple(config.flat().items()), tuple(folders)
