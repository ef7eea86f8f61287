"""From what names a configuration (an id, a YAML file, a model) to the validated model."""

import dataclasses
import functools
import os
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any

from . import registry, suites
from .assemble import assemble
from .document import Document, Entry, Layer, parse, read_layer, unknown
from .parameters import parameters, sections
from .problems import ConfigError, Problem, Where, did_you_mean, found, listing
from .registry import Room
from .schema import ConfigModel

Source = str | os.PathLike | ConfigModel
"""A registered id ("kage", "kage/background/1/eval"), the path of a YAML file, or a configuration."""


@dataclasses.dataclass(frozen=True)
class Stack:
    """A room, the layers of a configuration from the bottom up, and what is wrong with their keys."""

    room: Room
    layers: tuple[Layer, ...]
    problems: tuple[Problem, ...] = ()
    published: Layer | None = None  # the layer that is a published file, if any: its absent keys have values of their own


def load_config(source: Source, **overrides: Any) -> ConfigModel:
    """The validated configuration that `source` names, with `overrides` on top.

    Overrides come as groups, `background={"mode": "noise"}`, as dotted keys, `**{"background.mode": "noise"}`, or as keys
    outside a section, `W=64`. Warns with DeadKeyWarning of keys that change nothing. Raises ConfigError, which lists all
    that is wrong with its place.
    """
    return load(source, overrides)


def load(source: Source, overrides: Mapping[str, Any], origin: str = "override") -> ConfigModel:
    """`load_config` with the overrides in a mapping, called `origin` in messages."""
    stack = _stack(source)
    model, problems = stack.room.model, list(stack.problems)
    layers = list(stack.layers)
    if overrides:
        layer, wrong = override_layer(model, overrides, origin)
        layers.append(layer)
        problems += wrong
    if isinstance(source, ConfigModel) and not overrides:
        return source
    config = assemble(model, layers, problems, stack.published)
    if isinstance(source, ConfigModel):
        for path, value in config.flat().items():
            if value and path in source._places and path not in layers[-1].entries:
                config._places[path] = source._places[path]
                if path in source._folders:
                    config._folders[path] = source._folders[path]
    return config


def override_layer(model: type[ConfigModel], overrides: Mapping[str, Any], origin: str) -> tuple[Layer, list[Problem]]:
    """Overrides as a layer, and what is wrong with their keys."""
    where, entries, problems = Where(origin), {}, []

    def place(path: str, value: Any) -> None:
        if path in sections(model):
            if isinstance(value, Mapping):
                for key, inner in value.items():
                    place(f"{path}.{key}", inner)
            else:
                problems.append(Problem(where, path, f"Found {found(value)}; this is a section: give a mapping of its keys."))
        elif path not in parameters(model):
            problems.append(Problem(where, path, unknown(path, model)))
        elif path in entries:
            problems.append(Problem(where, path, "This key is given twice. Keep one."))
        else:
            entries[path] = Entry(_plain(value), where)

    for path, value in overrides.items():
        place(str(path), value)
    return Layer(origin, entries), problems


def _plain(value: Any) -> Any:
    """Arrays and paths as the plain values that YAML would give."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value.tolist() if hasattr(value, "tolist") else value


def _stack(source: Source) -> Stack:
    if isinstance(source, ConfigModel):
        where = Where("configuration")
        entries = {path: Entry(value, where) for path, value in source.flat().items()}
        return Stack(registry.room_of(source), (Layer("configuration", entries),))
    if isinstance(source, str):
        side = suites.find(source)
        if side is not None:
            below = _named(side.extends)
            layer, problems = override_layer(below.room.model, side.values, source)
            return Stack(below.room, (*below.layers, layer), (*below.problems, *problems))
        if not source.endswith((".yaml", ".yml")) and not os.path.isfile(source):
            return _named(source)
    elif not isinstance(source, os.PathLike):
        raise TypeError(f"A configuration is named by an id, a path or a model; found {type(source).__name__}.")
    document = _file(pathlib.Path(source), os.path.normpath(source), Where(str(source)))
    return _layered(_chain(document, (_identity(source),)))


@functools.cache
def _named(name: str) -> Stack:
    """The configuration that comes with kagejax as `name`: 'kage', or 'kage/hardest'. Raises ConfigError with near names."""
    name = f"{name}/default" if name in {room.id for room in registry.rooms()} else name
    if name not in suites.files():
        raise ConfigError(Problem(Where(name), "", _unknown_source(name)))
    return _layered(_chain(_builtin(name), (name,)))


def _unknown_source(name: str) -> str:
    known = [*(room.id for room in registry.rooms()), *suites.ids()]
    if f"{name}/train" in known:
        return f"This is a pair of configurations; give one side of it: {name}/train or {name}/eval."
    near = did_you_mean(name, known)
    rooms = listing([room.id for room in registry.rooms()], "and")
    return f"There is neither such an id nor such a file. Files end in .yaml; ids begin with {rooms}.{near}"


def _layered(documents: tuple[Document, ...]) -> Stack:
    """Documents from the bottom up as layers, over the room's default unless the lowest is a published file."""
    root, *_ = documents
    env = root.directive("env")
    published = env is None
    if env is not None:
        room = registry.room(env.value, env.where)
    else:
        room = next(candidate for candidate in registry.rooms() if candidate.published)
    base = () if published or root.name == _builtin_name(f"{room.id}/default") else _named(room.id).layers
    layers, problems = [], []
    for document in documents:
        other = document.directive("env")
        if other is not None and other.value != room.id:
            message = f"Found {other.value!r}, but what this file extends is for {room.id}; extend something else."
            problems.append(Problem(other.where, "env", message))
        layer, wrong = read_layer(document, room.model)
        layers.append(layer)
        problems += wrong
    return Stack(room, (*base, *layers), tuple(problems), layers[0] if published else None)


def _chain(document: Document, opened: tuple[str, ...]) -> tuple[Document, ...]:
    """`document` and all that it extends, the lowest first. Raises ConfigError for a circle or a missing file."""
    extends = document.directive("extends")
    if extends is None:
        return (document,)
    name, folder = extends.value, document.folder
    path = None if folder is None else folder / os.path.expanduser(name)
    if path is not None and (path.is_file() or name.endswith((".yaml", ".yml"))):
        identity, shown = _identity(path), os.path.normpath(os.path.join(os.path.dirname(document.name), name))
    else:
        name = name.removesuffix(".yaml")
        name, path = (f"{name}/default" if f"{name}/default" in suites.files() else name), None
        identity = name
        if name not in suites.files():
            near = did_you_mean(name, suites.files())
            allowed = f"a .yaml file beside this one, {listing(suites.files())}"
            raise ConfigError(Problem(extends.where, "extends", f"Found {extends.value!r}; allowed: {allowed}.{near}"))
    if identity in opened:
        circle = " -> ".join([*(pathlib.Path(each).name for each in opened), pathlib.Path(identity).name])
        raise ConfigError(Problem(extends.where, "extends", f"These files extend one another in a circle: {circle}."))
    below = _builtin(name) if path is None else _file(path, shown, extends.where, "extends")
    return (*_chain(below, (*opened, identity)), document)


def _identity(path: str | os.PathLike) -> str:
    """What two names of one file have in common. A name that no file can have is its own."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return os.fspath(path)


def _file(path: pathlib.Path, name: str, where: Where, key: str = "") -> Document:
    """The document in a file, called `name` in messages. Raises ConfigError at `where` if it cannot be read."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(Problem(where, key, f"There is no file {name}{_similar(path)}.")) from None
    except (OSError, ValueError) as error:
        raise ConfigError(Problem(where, key, f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.")) from None
    return parse(text, name, path.absolute().parent)


def _similar(path: pathlib.Path) -> str:
    try:
        beside: Iterable[str] = [other.name for other in path.parent.iterdir() if other.suffix in (".yaml", ".yml")]
    except (OSError, ValueError):
        return f" (there is no folder {path.parent})"
    near = did_you_mean(path.name, beside)
    return f" ({near.strip()})" if near else ""


def _builtin(name: str) -> Document:
    return parse(registry.packaged().joinpath(f"{name}.yaml").read_bytes(), _builtin_name(name))


def _builtin_name(name: str) -> str:
    return f"built-in {name}.yaml"
