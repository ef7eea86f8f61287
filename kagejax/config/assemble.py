"""From layers (defaults, files, overrides) to one validated model, with every problem found on the way."""

import dataclasses
import inspect
import pathlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pydantic

from .document import Entry, Layer, unknown
from .parameters import Parameter, nest, parameters, sections
from .problems import ConfigError, DeadKeyWarning, Problem, Where, did_you_mean, found, show
from .schema import Complaint, ConfigModel

ABSENT = Where("absent key")


@dataclasses.dataclass
class Merged:
    """What all layers together say."""

    model: type[ConfigModel]
    entries: dict[str, Entry] = dataclasses.field(default_factory=dict)
    folders: dict[str, pathlib.Path | None] = dataclasses.field(default_factory=dict)
    order: dict[str, int] = dataclasses.field(default_factory=dict)
    """Number of the layer that gave a path, so that a message can point to what was said last."""

    def add(self, layer: Layer, number: int) -> None:
        """Lays `layer` over what is there. A source or look that it gives puts out the inherited ones of its group."""
        values = layer.values
        for path, off in self.model.replaced(values).items():
            if path in self.entries:
                self.entries[path] = dataclasses.replace(self.entries[path], value=off)
        for path, key in parameters(self.model).items():
            if key.alias_of and key.alias_of in values:
                self.entries.pop(path, None)
            elif key.alias_of and path in values:
                self.entries.pop(key.alias_of, None)
        self.entries |= layer.entries
        for path in layer.entries:
            self.folders[path], self.order[path] = layer.folder, number
        for path, key in parameters(self.model).items():
            if key.alias_of in values:
                self.entries.pop(path, None)

    def fill(self, values: Mapping[str, Any]) -> None:
        """Gives the paths that no layer has the `values` that published files mean by their absence."""
        renamed = {key.alias_of for path, key in parameters(self.model).items() if key.alias_of and path in self.entries}
        for path, value in values.items():
            if path not in self.entries and path not in renamed:
                self.entries[path] = Entry(value, ABSENT)


def assemble(
    model: type[ConfigModel], layers: Sequence[Layer], problems: Iterable[Problem] = (), published: Layer | None = None
) -> ConfigModel:
    """The configuration that `layers` give, later over earlier; `published` is the layer whose absent keys speak.

    Warns with DeadKeyWarning of keys that change nothing. Raises ConfigError with `problems` and everything else found.
    """
    merged, problems = Merged(model), list(problems)
    for number, layer in enumerate(layers):
        problems += _layer_problems(model, layer, published=layer is published)
        merged.add(layer, number)
    if published is not None:
        merged.fill(model.absent_values({path: entry.value for path, entry in merged.entries.items()}, published.sections))
    config = _validated(merged, problems)
    for path, folder in merged.folders.items():
        if parameters(model)[path].asset and merged.entries[path].value:
            config._places[path] = merged.entries[path].where
            if folder is not None:
                config._folders[path] = folder
    _warn_of_dead_keys(merged)
    return config


def _validated(merged: Merged, problems: list[Problem]) -> ConfigModel:
    try:
        config = merged.model.model_validate(nest({path: entry.value for path, entry in merged.entries.items()}))
    except pydantic.ValidationError as error:
        wrong = _translate(error, merged, {problem.path for problem in problems})
        problems += wrong
        bad = {problem.path for problem in (*wrong, *problems)}
        sound = {path: entry.value for path, entry in merged.entries.items() if path not in bad}
        try:  # again without the values that are wrong by themselves, for what does not fit together among the others
            merged.model.model_validate(nest(sound))
        except pydantic.ValidationError as second:
            problems += [problem for problem in _translate(second, merged, bad) if problem not in problems]
    if problems:
        raise ConfigError(problems)
    return config


def _layer_problems(model: type[ConfigModel], layer: Layer, published: bool) -> list[Problem]:
    values = layer.values
    complaints = model.layer_complaints(values, published)
    if not published:
        for path, key in parameters(model).items():
            if path in values and key.alias_of in values:
                complaints.append(((path, key.alias_of), f"Both name the same setting; keep {key.alias_of}."))
    problems = []
    for paths, message in complaints:
        last = max(paths, key=lambda path: layer.entries[path].where.line or 0)
        problems.append(Problem(layer.entries[last].where, last, f"{message}\n{_places(paths, layer.entries)}"))
    return problems


def _places(paths: Sequence[str], entries: Mapping[str, Entry]) -> str:
    said = [(path, entries[path]) for path in paths if path in entries]
    return "\n".join(
        f"{path}: {show(entry.value)} ({entry.where})" for path, entry in said if entry.where != ABSENT or entry.value
    )


def _translate(error: pydantic.ValidationError, merged: Merged, bad: Iterable[str] = ()) -> list[Problem]:
    """Pydantic's errors as problems with a place; complaints that concern `bad` paths are left out."""
    problems: dict[tuple, Problem] = {}
    for item in error.errors(include_url=False):
        if item["type"] == "complaints":
            for complaint in item["ctx"]["complaints"]:
                if not set(complaint[0]) & set(bad):
                    problem = _complaint_problem(complaint, merged)
                    problems[problem.path, problem.message] = problem
            continue
        depth = 2 if item["loc"][0] in sections(merged.model) else 1
        path = ".".join(map(str, item["loc"][:depth]))
        inside = item["loc"][depth:] if item["type"] != "missing" else ()
        if not (item["type"] == "too_short" and inside == () and any(key[0] == path for key in problems)):
            problems[path, inside] = _value_problem(path, inside, item["input"], merged)
    return list(problems.values())


def _complaint_problem(complaint: Complaint, merged: Merged) -> Problem:
    paths, message = complaint
    last = max(paths, key=lambda path: merged.order.get(path, -1))
    entry = merged.entries.get(last) or Entry(None, Where("default"))
    return Problem(entry.where, last, f"{message}\n{_places(paths, merged.entries)}".rstrip())


def _value_problem(path: str, inside: tuple, value: Any, merged: Merged) -> Problem:
    entry = merged.entries.get(path)
    if entry is None or path not in parameters(merged.model):
        return Problem(Where("configuration"), path, unknown(path, merged.model))
    where, key = entry.where, parameters(merged.model)[path]
    if inside and isinstance(inside[0], int):
        if inside[0] < len(entry.item_lines):
            where = dataclasses.replace(where, line=entry.item_lines[inside[0]])
        allowed = ", ".join(key.choices) if key.choices else key.allowed
        near = did_you_mean(value, key.choices or ())
        return Problem(where, path, f"Found {found(value)} as item {inside[0] + 1}; allowed: {allowed}.{near}")
    text = show(entry.value) if key.choices and isinstance(entry.value, str) else found(entry.value)
    return Problem(where, path, f"Found {text}; allowed: {key.allowed}.{_hint(key, entry.value)}")


def _hint(key: Parameter, value: Any) -> str:
    """What to do about a value of the wrong kind, where that is not plain from what is allowed."""
    kind = key.type.partition("|null")[0]
    if isinstance(value, str) and kind.startswith("list[str"):
        return f" Write [{value[:60]}] for a list of one."
    if isinstance(value, str) and kind in ("int", "float"):
        return _number_hint(value)
    if isinstance(value, float) and kind == "int" and value.is_integer():
        return f" Write {int(value)}."
    if isinstance(value, list | tuple) and kind == "str":
        return " One value, not a list."
    if isinstance(value, list | tuple) and not value:
        return " The list must not be empty."
    return did_you_mean(value, key.choices or ())


def _number_hint(text: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return ""
    mantissa, exponent, power = text.lower().partition("e")
    if exponent and not ("." in mantissa and power[:1] in "+-"):
        mantissa = mantissa if "." in mantissa else f"{mantissa}.0"
        return f" YAML reads {text} as text; write {mantissa}e{power if power[:1] in '+-' else f'+{power}'}."
    return f" Write {number:g} without quotes."


def _warn_of_dead_keys(merged: Merged) -> None:
    known = parameters(merged.model)
    dead = [f"{path} ({entry.where})" for path, entry in merged.entries.items() if known[path].affects == "none"]
    if dead:
        text = f"{', '.join(dead)}: accepted as in published files, but changes nothing."
        warnings.warn(text, DeadKeyWarning, stacklevel=_depth_of_caller())


def _depth_of_caller() -> int:
    """How far up the stack, seen from the caller of this, the first function outside kagejax is: there a warning belongs."""
    depth, frame = 1, inspect.currentframe().f_back
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "kagejax":
        depth, frame = depth + 1, frame.f_back
    return depth
