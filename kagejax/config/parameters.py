"""The keys of a configuration model as data: one `Parameter` per dotted path, read from the model's own fields."""

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any

import annotated_types
from pydantic import BaseModel
from pydantic.fields import FieldInfo

Affects = typing.Literal["render", "control", "both", "metric", "none"]
"""What a key reaches: the picture, the game, both, a metric in `info`, or nothing (a dead key)."""


KINDS = {
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "str": "a text",
    "list[str]": "a list of texts",
    "list[int]": "a list of integers",
    "[int,int,int]": "a list of three integers",
    "str|list[str]": "a text or a list of texts",
}
"""Types in words."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One key of a configuration, as its model describes it."""

    path: str  # dotted
    type: str  # 'int', 'float', 'bool', 'str', 'list[...]', '[int,int,int]'; '|null' or 'str|list[str]' where both are accepted
    default: Any
    absent: Any  # what a published file means when it lacks the key
    minimum: float | None
    maximum: float | None
    above: float | None  # a minimum that is itself not allowed
    below: float | None  # a maximum that is itself not allowed
    choices: tuple[str, ...] | None
    unit: str | None
    affects: Affects
    about: str
    alias_of: str | None  # dotted path that this is another name of
    asset: bool  # names files, sought beside the YAML
    ours: bool  # published files do not have it

    @property
    def shape(self) -> str:
        """The type in words: 'an integer of 1 or more', 'a number from 0 to 1', 'a list of names'."""
        kind, null, _ = self.type.partition("|null")
        words = KINDS[kind].replace("text", "name") if self.choices else KINDS[kind]
        return f"{words}{self._limits()}{' or null' if null else ''}"

    def _limits(self) -> str:
        each = ", each" if self.type.startswith("[") else ""
        if self.above is not None:
            return f" above {self.above:g}" + (f" and up to {self.maximum:g}" if self.maximum is not None else "")
        if self.below is not None:
            return (f"{each} of {self.minimum:g} or more and" if self.minimum is not None else each) + f" below {self.below:g}"
        if self.minimum is not None and self.maximum is not None:
            return f"{each} from {self.minimum:g} to {self.maximum:g}"
        if self.minimum is not None:
            return f"{each} of {self.minimum:g} or more"
        return "" if self.maximum is None else f"{each} of {self.maximum:g} or less"

    @property
    def allowed(self) -> str:
        """All that is allowed, in words, with the names to choose from."""
        if not self.choices:
            return self.shape
        names = ", ".join(self.choices)
        if self.type in ("str", "str|null"):
            return f"{names} or null" if self.type == "str|null" else names
        return f"{self.shape}: {names}"


@functools.cache
def parameters(model: type[BaseModel]) -> Mapping[str, Parameter]:
    """Every dotted path of `model`, in its order, old names and dead keys included."""
    found: dict[str, Parameter] = {}
    for key, field in model.model_fields.items():
        if is_section(field):
            found |= {f"{key}.{inner}": _parameter(key, inner, deep) for inner, deep in field.annotation.model_fields.items()}
        else:
            found[key] = _parameter("", key, field)
    for path, old in found.items():
        if old.alias_of:
            target = found[old.alias_of]
            found[path] = dataclasses.replace(old, default=target.default, absent=target.absent)
    return types.MappingProxyType(found)


@functools.cache
def sections(model: type[BaseModel]) -> tuple[str, ...]:
    """Names of the model's sections."""
    return tuple(key for key, field in model.model_fields.items() if is_section(field))


def is_section(field: FieldInfo) -> bool:
    """Whether a field of a model is a mapping of further fields."""
    return isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)


def defaults(model: type[BaseModel]) -> dict[str, Any]:
    """The default of each path; without dead keys and old names."""
    return {path: key.default for path, key in parameters(model).items() if key.affects != "none" and not key.alias_of}


def absent_defaults(model: type[BaseModel]) -> dict[str, Any]:
    """What a published file means by each path that it lacks; without dead keys and old names."""
    return {path: key.absent for path, key in parameters(model).items() if key.affects != "none" and not key.alias_of}


def flatten(nested: Mapping[str, Any]) -> dict[str, Any]:
    """{'a': {'b': 1}} to {'a.b': 1}, one level deep, as configurations are."""
    flat: dict[str, Any] = {}
    for key, value in nested.items():
        if isinstance(value, Mapping):
            flat |= {f"{key}.{inner}": deep for inner, deep in value.items()}
        else:
            flat[key] = value
    return flat


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `flatten`."""
    nested: dict[str, Any] = {}
    for path, value in flat.items():
        section, _, key = path.rpartition(".")
        (nested.setdefault(section, {}) if section else nested)[key] = value
    return nested


def _parameter(section: str, key: str, field: FieldInfo) -> Parameter:
    extra: dict[str, Any] = field.json_schema_extra or {}
    dotted = f"{section}." if section else ""
    alias = extra.get("alias_of")
    type_text, choices, inner = _read(field.annotation)
    if any(type_accepts_one(part) for part in field.metadata):
        type_text = f"str|{type_text}"
    limits = [*field.metadata, *inner]
    return Parameter(
        path=f"{dotted}{key}",
        type=type_text,
        default=field.default,
        absent=extra.get("absent", field.default),
        minimum=_limit(limits, annotated_types.Ge, "ge"),
        maximum=_limit(limits, annotated_types.Le, "le"),
        above=_limit(limits, annotated_types.Gt, "gt"),
        below=_limit(limits, annotated_types.Lt, "lt"),
        choices=choices,
        unit=extra.get("unit"),
        affects=extra["affects"],
        about=field.description or "",
        alias_of=f"{dotted}{alias}" if alias else None,
        asset=extra.get("asset", False),
        ours=extra.get("ours", False),
    )


def type_accepts_one(part: Any) -> bool:
    """Whether a validator of a list field also takes a single name (see `schema.name_or_names`)."""
    return getattr(getattr(part, "func", None), "accepts_one", False)


def _limit(limits: list[Any], kind: type, attribute: str) -> float | None:
    return next((getattr(limit, attribute) for limit in limits if isinstance(limit, kind)), None)


def _read(annotation: Any) -> tuple[str, tuple[str, ...] | None, list[Any]]:
    """Type in words, names to choose from, and the constraints inside an annotation."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        text, choices, inner = _read(arguments[0])
        return (
            text,
            choices,
            [*arguments[1:], *(part for field in arguments[1:] for part in getattr(field, "metadata", [])), *inner],
        )
    if origin is typing.Literal:
        return "str", arguments, []
    if origin in (typing.Union, types.UnionType):
        text, choices, inner = _read(next(option for option in arguments if option is not type(None)))
        return f"{text}|null", choices, inner
    if origin is tuple:
        text, choices, inner = _read(arguments[0])
        return (f"list[{text}]" if arguments[-1] is ... else f"[{','.join([text] * len(arguments))}]"), choices, inner
    return annotation.__name__, None, []
