"""A YAML file as nodes that know their lines, and as a layer of values by dotted path."""

import dataclasses
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from .parameters import parameters, sections
from .problems import ConfigError, Problem, Where, found, listing, nearest
from .schema import ConfigModel

DIRECTIVES = ("env", "extends")
"""Keys of a file that speak to the loader, not to the environment."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """A value and the place that it came from; `item_lines` are the lines of a list's items."""

    value: Any
    where: Where
    item_lines: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True)
class Layer:
    """What one file, or one set of overrides, says."""

    name: str
    entries: Mapping[str, Entry]
    sections: frozenset[str] = frozenset()
    folder: pathlib.Path | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The values alone, by dotted path."""
        return {path: entry.value for path, entry in self.entries.items()}


@dataclasses.dataclass(frozen=True)
class Document:
    """A file before its keys are looked at. `folder` is None for files that are part of kagejax."""

    name: str
    root: yaml.MappingNode
    folder: pathlib.Path | None = None

    def directive(self, key: str) -> Entry | None:
        """What the file says for `env` or `extends`, which must be text. Raises ConfigError."""
        for key_node, node in self.root.value:
            if key_node.value == key:
                value, where = construct(node, self.name), Where(self.name, key_node.start_mark.line + 1)
                if not isinstance(value, str):
                    raise ConfigError(Problem(where, key, f"Found {found(value)}; allowed: text."))
                return Entry(value, where)
        return None


def parse(text: str | bytes, name: str, folder: pathlib.Path | None = None) -> Document:
    """The document in `text`. Raises ConfigError for what is not YAML, or not a mapping of keys. An empty text has no keys."""
    try:
        root = yaml.compose(text.decode("utf-8-sig") if isinstance(text, bytes) else text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise ConfigError(Problem(Where(name), "", f"This is no UTF-8 text (byte {error.start}); save it as UTF-8.")) from None
    except RecursionError:
        raise ConfigError(Problem(Where(name), "", "This is nested too deeply to be a configuration.")) from None
    except yaml.YAMLError as error:
        raise ConfigError(_syntax(error, name)) from None
    if root is None or (isinstance(root, yaml.ScalarNode) and construct(root, name) is None):
        root = yaml.MappingNode("tag:yaml.org,2002:map", [])
    if not isinstance(root, yaml.MappingNode):
        where = Where(name, root.start_mark.line + 1)
        message = f"A configuration is a mapping of keys, like 'W: 128'. Found {found(construct(root, name))}."
        raise ConfigError(Problem(where, "", message))
    return Document(name, root, folder)


def _syntax(error: yaml.YAMLError, name: str) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    parts = [getattr(error, "context", None), getattr(error, "problem", None) or getattr(error, "reason", None)]
    said = ", ".join(part for part in parts if part) or "unreadable"
    column = f" at column {mark.column + 1}" if mark else ""
    hint = " Indent with spaces, not tabs." if "'\\t'" in said else ""
    return Problem(Where(name, mark.line + 1 if mark else None), "", f"This is not valid YAML: {said}{column}.{hint}")


def construct(node: yaml.Node, name: str) -> Any:
    """The value of a node. Raises ConfigError for a tag that makes no sense."""
    try:
        return yaml.constructor.SafeConstructor().construct_document(node)
    except RecursionError:
        reason = "it is nested too deeply"
    except Exception as error:  # a forced tag (!!int x) can fail in whatever way Python's own conversions do
        reason = getattr(error, "problem", None) or str(error) or type(error).__name__
    raise ConfigError(Problem(Where(name, node.start_mark.line + 1), "", f"This value cannot be read: {reason}."))


def read_layer(document: Document, model: type[ConfigModel]) -> tuple[Layer, list[Problem]]:
    """The values of `document` by dotted path of `model`, and what is wrong with its keys."""
    reader = _Reader(document, model)
    for key_node, node in reader.pairs(document.root):
        reader.place("", key_node, node)
    return Layer(document.name, reader.entries, frozenset(reader.sections), document.folder), reader.problems


class _Reader:
    """Walks a document along the keys of a model; sections may be nested, or their keys dotted."""

    def __init__(self, document: Document, model: type[ConfigModel]):
        self.name = document.name
        self.model = model
        self.entries: dict[str, Entry] = {}
        self.sections: set[str] = set()
        self.problems: list[Problem] = []
        self.lines: dict[str, int] = {}

    def pairs(self, mapping: yaml.MappingNode, inside: tuple[int, ...] = ()) -> Iterator[tuple[yaml.Node, yaml.Node]]:
        """Keys and values; what `<<` merges in comes last and gives way to the mapping's own keys."""
        merged, own = [], set()
        for key_node, node in mapping.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                merged += node.value if isinstance(node, yaml.SequenceNode) else [node]
            else:
                own.add(key_node.value if isinstance(key_node, yaml.ScalarNode) else None)
                yield key_node, node
        for node in merged:
            if not isinstance(node, yaml.MappingNode) or id(node) in inside:
                self.problem(node, "<<", "Only other mappings can be merged in.")
                continue
            for key_node, deep in self.pairs(node, (*inside, id(mapping))):
                if key_node.value not in own:
                    own.add(key_node.value)
                    yield key_node, deep

    def problem(self, node: yaml.Node, path: str, message: str) -> None:
        self.problems.append(Problem(Where(self.name, node.start_mark.line + 1), path, message))

    def place(self, section: str, key_node: yaml.Node, node: yaml.Node) -> None:
        """Enters one key of the file: a value, a section, or a problem."""
        if not isinstance(key_node, yaml.ScalarNode):
            self.problem(key_node, section, "A list or mapping cannot be a key; keys are names.")
            return
        path = f"{section}.{key_node.value}" if section else key_node.value
        if path in self.lines:
            self.problem(key_node, path, f"This key is given twice; line {self.lines[path]} has it already. Keep one.")
            return
        self.lines[path] = key_node.start_mark.line + 1
        if path in sections(self.model):
            self.section(path, key_node, node)
        elif path in parameters(self.model):
            self.leaf(path, key_node, node)
        elif path not in DIRECTIVES:
            self.problem(key_node, path, unknown(path, self.model))

    def section(self, path: str, key_node: yaml.Node, node: yaml.Node) -> None:
        if isinstance(node, yaml.MappingNode):
            self.sections.add(path)
            for inner_key, inner in self.pairs(node):
                self.place(path, inner_key, inner)
        elif (value := self.value(path, node)) is not None:
            first = next(key for key in parameters(self.model) if key.startswith(f"{path}."))
            self.problem(key_node, path, f"Found {found(value)}; this is a section with keys of its own, such as {first}.")

    def leaf(self, path: str, key_node: yaml.Node, node: yaml.Node) -> None:
        self.sections.add(path.rpartition(".")[0])
        count = len(self.problems)
        value = self.value(path, node)
        if len(self.problems) == count:
            items = node.value if isinstance(node, yaml.SequenceNode) else ()
            lines = tuple(item.start_mark.line + 1 for item in items)
            self.entries[path] = Entry(value, Where(self.name, key_node.start_mark.line + 1), lines)

    def value(self, path: str, node: yaml.Node) -> Any:
        try:
            return construct(node, self.name)
        except ConfigError as error:
            self.problems += [dataclasses.replace(problem, path=path) for problem in error.problems]
            return None


def unknown(path: str, model: type[ConfigModel]) -> str:
    """What to say about a key that `model` does not have: where it belongs, the nearest known key, or all there are."""
    section, _, key = path.rpartition(".")
    by_key: dict[str, list[str]] = {}
    for known in parameters(model):
        by_key.setdefault(known.rpartition(".")[2], []).append(known)
    if key in by_key:
        return f"Unknown key; {key} is {listing(by_key[key])}."
    siblings = [known.rpartition(".")[2] for known in parameters(model) if known.rpartition(".")[0] == section]
    if section in sections(model):
        close = nearest(key, siblings)
        known = f"did you mean {section}.{close[0]}?" if close else f"{section} has {listing(siblings, 'and')}."
        return f"Unknown key; {known}"
    close = nearest(path, parameters(model)) if section else nearest(path, [*sections(model), *siblings, *DIRECTIVES])
    if not close and (alike := nearest(key, by_key)):
        close = by_key[alike[0]]
    if close:
        return f"Unknown key; did you mean {listing(close)}?"
    return (
        f"Unknown key; the sections are {listing(sections(model), 'and')}, the keys outside them {listing(_top(model), 'and')}."
    )


def _top(model: type[ConfigModel]) -> list[str]:
    return [path for path in parameters(model) if "." not in path]
