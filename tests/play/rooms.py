"""The toy corridor as a room with a configuration, for tests of play that need no pixels worth looking at."""

import dataclasses

import pytest

from kagejax.config import registry
from kagejax.config.schema import ConfigModel, Integer, Number, setting
from tests import corridor


class CorridorConfig(ConfigModel):
    """A corridor."""

    length: Integer = setting(9, "Most cells.", "control", ours=True)
    limit: Integer = setting(20, "Steps.", "control", ours=True)
    brightness: Number = setting(1.0, "Of the walker.", "render", ours=True)
    blind: bool = setting(False, "Observations of no known form.", "render", ours=True)


@dataclasses.dataclass(frozen=True)
class Named(corridor.Corridor):
    """A corridor that names its actions."""

    blind: bool = False
    action_names = ("LEFT", "STAY", "RIGHT")

    def observe(self, state, params):
        picture = super().observe(state, params)
        return picture[None, None] if self.blind else picture


def build(config):
    return Named(blind=config.blind), corridor.params(config.length, config.limit, config.brightness)


@pytest.fixture
def corridor_room():
    """Registers the room for a test."""
    place = "tests.play.rooms"
    registry.register("corridor", config=f"{place}:CorridorConfig", builder=f"{place}:build", batch_builder="", art="")
    yield
    del registry._ROOMS["corridor"]


def walk(session, moment, actions):
    """The moments along some actions, the first included."""
    moments = [moment]
    for action in actions:
        moments.append(session.act(moments[-1], action))
    return moments
