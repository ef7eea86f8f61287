"""What the page says about one side of a pair, checked: values by path to a configuration, or problems at their fields."""

import pathlib
import tempfile
import threading
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from kagejax.config import registry
from kagejax.config.assemble import assemble
from kagejax.config.difference import diff, summary
from kagejax.config.loader import load, override_layer
from kagejax.config.parameters import defaults
from kagejax.config.problems import ConfigError, DeadKeyWarning, Problem, Where, did_you_mean
from kagejax.config.rendering import to_yaml, yaml_value
from kagejax.config.schema import ConfigModel
from kagejax.config.suites import files, find, ids, suites

from .description import plain

MOST_PIXELS = 1024
SIZES = ("H", "W", "observation.height", "observation.width")
"""Sides of pictures; the page draws none of more than MOST_PIXELS."""
_WARNINGS = threading.Lock()  # what is done with warnings is one setting for all threads


class Opened(NamedTuple):
    """A configuration that was named, and what to tell about it."""

    config: ConfigModel
    notes: tuple[str, ...]


def checked(room_id: str, values: Mapping[str, Any], touched: Mapping[str, Any]) -> ConfigModel:
    """The configuration with `values` (all or some of its paths) and, laid over them, what a person has just `touched`.

    Of settings that exclude one another the touched one wins. Relative paths are sought in the working directory. Raises
    ConfigError.
    """
    room, layers, problems = registry.room(room_id), [], []
    for given in (values, touched):
        if given:
            layer, wrong = override_layer(room.model, given, "page")
            # Of a folder, so that a saved file finds what it names from wherever it is.
            layers.append(layer.__class__(layer.name, layer.entries, folder=pathlib.Path.cwd()))
            problems += wrong
    config = assemble(room.model, layers, problems)
    flat = config.flat()
    large = [path for path in SIZES if path in flat and flat[path] > MOST_PIXELS and path not in config.inert()]
    if large:
        message = f"This page draws pictures of up to {MOST_PIXELS:,} px a side; the value itself is allowed."
        raise ConfigError([Problem(Where("page"), path, message) for path in large])
    return config


def told(error: ConfigError) -> list[dict[str, str]]:
    """Problems as JSON: path and message, with the place where that is a line of a file."""
    return [
        {"path": each.path, "message": each.message, "where": "" if each.where.name == "page" else str(each.where)}
        for each in error.problems
    ]


def opened(name: str) -> Opened:
    """The configuration that an id or the path of a YAML file names. Raises ConfigError."""
    with _WARNINGS, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DeadKeyWarning)
        config = load(name, {})
    return Opened(config, tuple(str(each.message) for each in caught))


def named(name: str) -> Opened:
    """The configuration with that id; files have no ids. Raises ConfigError."""
    known = (*(room.id for room in registry.rooms()), *files(), *ids())
    if name not in known and find(name) is None:
        near = did_you_mean(name, known)
        raise ConfigError(Problem(Where("page"), "", f"Nothing is called {name!r}; a file's name ends in .yaml.{near}"))
    return opened(name)


def opened_text(text: str, name: str) -> Opened:
    """The configuration in the text of a file called `name`. Raises ConfigError; what the text extends must be built in."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, pathlib.PurePath(name).name or "file.yaml").with_suffix(".yaml")
        path.write_text(text, encoding="utf-8")

        def renamed(said: str) -> str:
            return said.replace(str(path), name).replace(f"{folder}/", "")

        try:
            config, notes = opened(str(path))
        except ConfigError as error:
            problems = [
                Problem(Where(renamed(each.where.name), each.where.line), each.path, renamed(each.message))
                for each in error.problems
            ]
            raise ConfigError(problems) from None
    return Opened(config, tuple(map(renamed, notes)))


def state_of(config: ConfigModel) -> dict[str, Any]:
    """All values by path as JSON, those that are not in use, and those that are not the default.

    Paths of files are absolute where they were relative to a file's folder.
    """
    usual = defaults(type(config))
    values = {path: _placed(config, path, value) for path, value in config.flat().items()}
    return {
        "values": {path: plain(value) for path, value in values.items()},
        "inert": sorted(config.inert()),
        "changed": [path for path, value in values.items() if value != usual[path]],
    }


def _placed(config: ConfigModel, path: str, value: Any) -> Any:
    folder = config._folders.get(path)
    if folder is None or folder == pathlib.Path.cwd():
        return value
    if isinstance(value, tuple):
        return tuple(_placed(config, path, item) for item in value)
    return str(folder / value) if isinstance(value, str) and (folder / value).exists() else value


def compared(train: ConfigModel, evaluation: ConfigModel) -> dict[str, Any]:
    """The keys that differ, with both values in YAML, and what they reach, as JSON."""
    found = diff(train, evaluation)
    active = {each.affects for each in found if not each.inert}
    game, picture = active & {"control", "both"}, active & {"render", "both"}
    reach = "both" if game and picture else "control" if game else "render" if picture else "metric" if active else "none"
    rows = [
        {
            "path": each.path,
            "train": yaml_value(each.first),
            "eval": yaml_value(each.second),
            "affects": "unused" if each.inert else each.affects,
        }
        for each in found
    ]
    return {"rows": rows, "reach": reach, "summary": summary(found)}


def yaml_of(config: ConfigModel, changed: bool) -> str:
    """The configuration as a YAML file; with `changed` only what differs from the defaults."""
    return to_yaml(config, registry.room_of(config).id, changed)


def beginning(source: str, pair: tuple[str, str] | None) -> dict[str, Any]:
    """What the page begins with: `pair`, both sides of the pair that `source` names, or `source` twice. Raises ConfigError."""
    if pair is None:
        known = {each.id for suite in suites().values() for each in suite.pairs}
        pair = (f"{source}/train", f"{source}/eval") if source in known else (source, source)
    found = [opened(name) for name in pair]
    rooms = [registry.room_of(each.config).id for each in found]
    if rooms[0] != rooms[1]:
        message = f"{pair[0]} configures {rooms[0]} and {pair[1]} {rooms[1]}; a pair is two configurations of one environment."
        raise ConfigError(Problem(Where("--pair"), "", message))
    sides = [{"base": name, "notes": each.notes, **state_of(each.config)} for name, each in zip(pair, found, strict=True)]
    return {"env": rooms[0], "train": sides[0], "eval": sides[1]}
