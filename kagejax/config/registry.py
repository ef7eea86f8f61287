"""Which environments there are, by id. Knows names alone: models and builders are imported when they are asked for."""

import dataclasses
import functools
import importlib
import importlib.resources
import importlib.resources.abc
import pathlib
from collections.abc import Callable
from typing import Any

from .problems import ConfigError, Problem, Where, did_you_mean
from .schema import ConfigModel


@dataclasses.dataclass(frozen=True)
class Room:
    """An environment as it registers itself. All fields but the first two are 'module:name', imported on first use."""

    id: str
    published: bool  # files with neither `env` nor `extends` are taken for this environment's
    config: str
    builder: str  # build(config) -> (env, params)
    batch_builder: str  # build_batch(configs) -> (env, params)
    art: str  # load(config): loads the pictures and skins it names; raises ConfigError for those that do not load

    @property
    def model(self) -> type[ConfigModel]:
        """The configuration model."""
        return imported(self.config)


_ROOMS: dict[str, Room] = {}


def register(id: str, *, config: str, builder: str, batch_builder: str, art: str, published: bool = False) -> None:
    """Adds an environment. Registering the same id again replaces it."""
    _ROOMS[id] = Room(id, published, config, builder, batch_builder, art)


def rooms() -> tuple[Room, ...]:
    """All environments, in the order of their registration."""
    return tuple(_ROOMS.values())


def room(id: str, where: Where | None = None) -> Room:
    """The environment `id`. Raises ConfigError with the nearest id, at `where`."""
    if id not in _ROOMS:
        message = f"Unknown environment {id!r}; allowed: {', '.join(_ROOMS)}.{did_you_mean(id, _ROOMS)}"
        raise ConfigError(Problem(where or Where(id), "env" if where else "", message))
    return _ROOMS[id]


def room_of(config: ConfigModel) -> Room:
    """The environment that `config` configures. Raises TypeError if it is none of ours."""
    for candidate in rooms():
        if isinstance(config, candidate.model):
            return candidate
    raise TypeError(f"{type(config).__name__} is the configuration of no registered environment.")


def imported(name: str) -> Any:
    """The object that 'module:name' names."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


@functools.cache
def packaged() -> importlib.resources.abc.Traversable | pathlib.Path:
    """The folder of the configurations that come with kagejax."""
    try:
        return importlib.resources.files("kagejax.configs")
    except ModuleNotFoundError:  # run from a checkout that is not installed: the folder stands beside the library
        return pathlib.Path(__file__).parents[2] / "configs"


def builder(config: ConfigModel, batch: bool = False) -> Callable[..., Any]:
    """The function that turns `config` (or a list like it) into `(env, params)`."""
    found = room_of(config)
    return imported(found.batch_builder if batch else found.builder)
