"""Replay files: the configuration, the seed and the actions of played episodes, from which the same pictures come again.

A file is JSON. A digest of each moment says whether another version of kagejax or jax still draws what was played.
"""

import dataclasses
import hashlib
import importlib.metadata
import json
import os
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pydantic
import yaml

import kagejax
from kagejax.config import registry
from kagejax.config.difference import diff
from kagejax.config.loader import load
from kagejax.config.problems import ConfigError, Problem, Where
from kagejax.config.rendering import to_yaml
from kagejax.config.schema import ConfigModel

ENDING = ".replay"
KIND, FORMAT = "kagejax replay", 1
DIGITS = set("0123456789abcdef")


@dataclasses.dataclass(frozen=True)
class Episode:
    """One episode: `digests` has one more than `actions`, that of the first moment in front."""

    number: int
    actions: tuple
    digests: tuple[str, ...]
    total: float  # its return, as far as it was played
    ended: str | None  # "terminated", "truncated" or, where it was left, None


@dataclasses.dataclass(frozen=True)
class Replay:
    """What a replay file holds. `config` is the resolved configuration as YAML has it, `env` included."""

    kagejax: str
    jax: str
    config: Mapping[str, Any]
    seed: int
    fps: float
    episodes: tuple[Episode, ...]

    @classmethod
    def of(cls, config: ConfigModel, seed: int, fps: float, episodes: list[Episode]) -> "Replay":
        """A replay of what was played just now. Paths of pictures and skins become absolute."""
        resolved = yaml.safe_load(to_yaml(config, registry.room_of(config).id))
        return cls(kagejax.__version__, importlib.metadata.version("jax"), resolved, seed, fps, tuple(episodes))

    @property
    def config_hash(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of the configuration as sorted JSON."""
        return hashlib.sha256(json.dumps(self.config, sort_keys=True).encode()).hexdigest()[:16]

    def write(self, path: str | pathlib.Path) -> None:
        """Writes the file; it appears complete or not at all. Raises OSError."""
        head = {"kind": KIND, "format": FORMAT, "kagejax": self.kagejax, "jax": self.jax, "seed": self.seed, "fps": self.fps}
        head |= {"config_hash": self.config_hash, "config": self.config}
        lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
        episodes = ",\n    ".join(json.dumps(dataclasses.asdict(each)) for each in self.episodes)
        path = pathlib.Path(path)
        draft = path.with_name(path.name + ".part")
        body = ",\n  ".join(lines)
        draft.write_text("{\n  " + body + ',\n  "episodes": [\n    ' + episodes + "\n  ]\n}\n", encoding="utf-8")
        os.replace(draft, path)


def read(path: str | pathlib.Path) -> Replay:
    """The replay in a file. Raises ConfigError, which says what is wrong with it."""
    where = Where(str(path))

    def require(condition: bool, key: str, message: str) -> None:
        if not condition:
            raise ConfigError(Problem(where, key, message))

    try:
        content = json.loads(pathlib.Path(path).read_bytes())
    except FileNotFoundError:
        raise ConfigError(Problem(where, "", "There is no such file.")) from None
    except OSError as error:
        raise ConfigError(Problem(where, "", f"It cannot be read: {error.strerror}.")) from None
    except (ValueError, RecursionError):
        raise ConfigError(Problem(where, "", "This is not a replay: it is no JSON, or not all of one.")) from None
    is_ours = isinstance(content, dict) and content.get("kind") == KIND
    require(is_ours, "", f'This is not a replay: "kind" must be "{KIND}". `kagejax play --replay FILE` writes one.')
    message = f"Found {content.get('format')!r}; allowed: {FORMAT}. It was written by another version of kagejax."
    require(content.get("format") == FORMAT, "format", message)
    for key, kind, allowed in (
        ("kagejax", str, "a version"),
        ("jax", str, "a version"),
        ("config", dict, "a configuration"),
        ("seed", int, "a whole number from 0 to 2^32 - 1"),
        ("fps", int | float, "a number above 0"),
        ("episodes", list, "a list of episodes"),
    ):
        found = content.get(key)
        require(isinstance(found, kind) and not isinstance(found, bool), key, f"It is missing or damaged; allowed: {allowed}.")
    require(0 <= content["seed"] < 2**32, "seed", f"Found {content['seed']}; allowed: 0 to 2^32 - 1.")
    require(0 < content["fps"] <= 1000, "fps", f"Found {content['fps']}; allowed: above 0, to 1000.")
    require(bool(content["episodes"]), "episodes", "There is none; nothing was played.")
    episodes = []
    for place, each in enumerate(content["episodes"]):
        require(_is_episode(each), f"episodes[{place}]", "It is damaged: it needs number, actions, and one digest more.")
        episodes.append(Episode(each["number"], tuple(each["actions"]), tuple(each["digests"]), each["total"], each["ended"]))
    names = ("kagejax", "jax", "config", "seed", "fps")
    replay = Replay(*(content[name] for name in names), tuple(episodes))
    message = "Its hash is not that of the file: it was edited after the game, or the file is damaged."
    require(content.get("config_hash") == replay.config_hash, "config", message)
    return replay


def _is_episode(each: Any) -> bool:
    if not isinstance(each, dict) or set(each) != {"number", "actions", "digests", "total", "ended"}:
        return False
    lists = isinstance(each["actions"], list) and isinstance(each["digests"], list)
    return (
        lists
        and isinstance(each["number"], int)
        and 0 <= each["number"] < 2**32
        and isinstance(each["total"], int | float)
        and each["ended"] in ("terminated", "truncated", None)
        and len(each["digests"]) == len(each["actions"]) + 1
        and all(isinstance(digest, str) and set(digest) <= DIGITS for digest in each["digests"])
    )


def config_of(replay: Replay, path: str, on_top: Mapping[str, Any]) -> ConfigModel:
    """The configuration of a replay, with settings of its looks on top.

    Raises ConfigError where this version does not understand it, and for settings that change the game.
    """
    values = dict(replay.config)
    where = Where(path)
    model = registry.room(str(values.pop("env", None)), where).model
    try:
        config = model.model_validate(values)
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        message = f"{first['msg']}. It was made by kagejax {replay.kagejax}; this is {kagejax.__version__}."
        raise ConfigError(Problem(where, f"config.{key}" if key else "config", message)) from None
    changed = load(config, on_top, origin="--set") if on_top else config
    game = [each.path for each in diff(config, changed) if not each.inert and each.affects in ("control", "both")]
    if game:
        message = "This would change the game, in which the actions mean something else; allowed: settings of the picture."
        raise ConfigError([Problem(Where("--set"), key, message) for key in game])
    return changed


class Mismatch(NamedTuple):
    """The first moment that is not what was recorded."""

    episode: int
    step: int


def moments(replay: Replay, path: str, session: Any) -> Iterator[Any]:
    """Plays a replay again, moment by moment. Raises ConfigError for actions that the environment does not have."""
    for place, each in enumerate(replay.episodes):
        moment = session.start(each.number)
        yield moment
        for step, action in enumerate(each.actions):
            if not _is_action(session.env.action_space, action):
                message = f"Found {action!r}; it is no action of {replay.config.get('env')}."
                raise ConfigError(Problem(Where(path), f"episodes[{place}].actions[{step}]", message))
            moment = session.act(moment, action)
            yield moment


def _is_action(space: Any, action: Any) -> bool:
    try:
        value = np.asarray(action)
        return value.dtype.kind in "if" and space.contains(value if hasattr(space, "n") else value.astype(space.dtype))
    except (ValueError, TypeError, OverflowError):
        return False


def compare(replay: Replay, found: list[str]) -> Mismatch | None:
    """Where the digests of moments, in order, first differ from those recorded."""
    recorded = [(each.number, step, digest) for each in replay.episodes for step, digest in enumerate(each.digests)]
    pairs = zip(recorded, found, strict=True)
    return next((Mismatch(number, step) for (number, step, digest), now in pairs if digest != now), None)
