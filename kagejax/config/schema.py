"""What a room's configuration model is made of: fields that know their unit, range and reach, and the rules between keys.

A room writes one `ConfigModel` with sections of `Section`, each field made by `setting`. Everything else is read from that
model: defaults, messages, the JSON Schema for editors, the parameter table of the room's README.
"""

import math
import pathlib
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

import pydantic
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr
from pydantic_core import PydanticCustomError

from .parameters import Affects, absent_defaults, defaults, flatten
from .problems import Problem, Where

Complaint = tuple[tuple[str, ...], str]
"""Dotted paths that do not fit together, and a sentence that says why and what to do."""

SAME: Any = object()


def setting(
    default: Any,
    about: str,
    affects: Affects,
    *,
    absent: Any = SAME,
    unit: str | None = None,
    asset: bool = False,
    ours: bool = False,
    **limits: Any,
) -> Any:
    """A field of a configuration.

    `absent` is the value that a published file means when it lacks the key (the default, unless said). `asset` marks paths of
    files, sought beside the YAML that names them; `ours` marks keys that published files do not have. `limits` are pydantic's:
    ge, gt, le, lt, min_length.
    """
    extra = {"affects": affects, "unit": unit, "asset": asset or None, "ours": ours or None}
    extra = {key: value for key, value in extra.items() if value is not None}
    if absent is not SAME:
        extra["absent"] = absent
    return Field(default, description=about, json_schema_extra=extra, exclude=affects == "none" or None, **limits)


def old_name(target: str, about: str, affects: Affects, *, unit: str | None = None, **limits: Any) -> Any:
    """A field that is another name of the field `target` of the same section: accepted on input, never read, never written."""
    extra = {"affects": affects, "alias_of": target} | ({"unit": unit} if unit else {})
    return Field(None, description=about, json_schema_extra=extra, exclude=True, **limits)


def _fits_int32(value: int) -> int:
    if not -(2**31) <= value < 2**31:
        raise ValueError("does not fit into 32 bits")
    return value


def _fits_float32(value: float) -> float:
    if not math.isfinite(value) or abs(value) > 3.4028235e38:
        raise ValueError("does not fit into a 32-bit float")
    return value


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _one_or_more(value: Any) -> Any:
    return (value,) if isinstance(value, str) else _frozen(value)


_one_or_more.accepts_one = True


def _some_or_none(value: Any) -> Any:
    return () if value is None else _frozen(value)


Integer = Annotated[int, pydantic.AfterValidator(_fits_int32)]
Number = Annotated[float, pydantic.AfterValidator(_fits_float32)]
Channel = Annotated[int, Field(ge=0, le=255)]
Colour = Annotated[tuple[Channel, Channel, Channel], pydantic.BeforeValidator(_frozen)]
Integers = Annotated[tuple[Integer, ...], pydantic.BeforeValidator(_frozen)]
Paths = Annotated[tuple[str, ...], pydantic.BeforeValidator(_some_or_none, json_schema_input_type=list[str] | None)]


def names(choice: Any) -> Any:
    """The type of a list of names, each one of the Literal `choice`. A plain string is an error."""
    return Annotated[tuple[choice, ...], pydantic.BeforeValidator(_frozen)]


def name_or_names(choice: Any) -> Any:
    """The type of one name or a list of names, each one of the Literal `choice`; always a tuple once validated."""
    return Annotated[tuple[choice, ...], pydantic.BeforeValidator(_one_or_more, json_schema_input_type=choice | list[choice])]


STRICT = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)


class Section(BaseModel):
    """A group of settings: one mapping of the YAML."""

    model_config = STRICT

    @pydantic.model_validator(mode="after")
    def _read_old_names(self):
        for key, field in type(self).model_fields.items():
            target = (field.json_schema_extra or {}).get("alias_of")
            if target and key in self.model_fields_set:
                if target not in self.model_fields_set:
                    # The model is frozen for everybody else; here it is still being made.
                    self.__dict__[target] = float(getattr(self, key))
                self.__dict__[key] = None
        return self


class ConfigModel(BaseModel):
    """The configuration of one environment, as its YAML file has it. Frozen; equal values are equal configurations.

    A subclass adds fields and sections, and overrides the class variables and methods below where its keys depend on another.
    """

    model_config = STRICT

    exclusive: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Groups of paths of which at most one may be given: sources of the same thing, or switches that exclude each other."""

    _folders: dict[str, pathlib.Path] = PrivateAttr(default_factory=dict)
    _places: dict[str, Where] = PrivateAttr(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.__dict__ == other.__dict__ and self._folders == other._folders

    @classmethod
    def absent_values(cls, given: Mapping[str, Any], sections: Iterable[str]) -> dict[str, Any]:
        """What a published file means by each path that is not in `given`; `sections` are those that the file has at all."""
        return {path: value for path, value in absent_defaults(cls).items() if path not in given}

    @classmethod
    def replaced(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Inherited paths that a file with the values `given` switches off, with the value that does so."""
        usual, off = defaults(cls), {}
        for group in cls.exclusive:
            if any(given.get(path) for path in group):
                off |= {path: False if isinstance(usual[path], bool) else None for path in group if path not in given}
        return off

    @classmethod
    def layer_complaints(cls, given: Mapping[str, Any], published: bool) -> list[Complaint]:
        """What does not fit together within one file or one set of overrides. `published`: by the rules of published files."""
        complaints: list[Complaint] = []
        for group in cls.exclusive:
            chosen = tuple(path for path in group if given.get(path))
            if len(chosen) > 1:
                complaints.append((chosen, f"These exclude one another; keep one of {' and '.join(chosen)}."))
        return complaints

    def complaints(self) -> list[Complaint]:
        """What does not fit together in the finished configuration."""
        return []

    def inert(self) -> frozenset[str]:
        """Paths whose value changes nothing, given the others."""
        return frozenset()

    def base_dir(self, prefix: str) -> pathlib.Path | None:
        """Folder of the file that set a path of assets beginning with `prefix` ("background.image", "npc.sticky_sprite").

        Relative paths of assets are sought there. None where the value is built in or was given in code.
        """
        return next((folder for path, folder in self._folders.items() if path.startswith(prefix)), None)

    def problem(self, prefix: str, message: str) -> Problem:
        """`message` about the path of assets in use that begins with `prefix`, with the place that set it."""
        values = self.flat()
        path = next((path for path in self.flat() if path.startswith(prefix) and values[path]), prefix)
        return Problem(self._places.get(path, Where("configuration")), path, message)

    def flat(self) -> dict[str, Any]:
        """Every value by dotted path, in the order of the model; without dead keys and old names."""
        return flatten(self.model_dump())

    @pydantic.model_validator(mode="before")
    @classmethod
    def _later_given_wins(cls, data: Any) -> Any:
        """So that `KageConfig(background={"image_path": "a.png"})` need not say that the default folder is not meant."""
        if not isinstance(data, Mapping):
            return data
        plain = {key: dict(value) if isinstance(value, Mapping) else value for key, value in data.items()}
        for path, value in cls.replaced(flatten(plain)).items():
            section, _, key = path.rpartition(".")
            place = plain.setdefault(section, {}) if section else plain
            if isinstance(place, dict):
                place.setdefault(key, value)
        return plain

    @pydantic.model_validator(mode="after")
    def _fits_together(self):
        complaints = self.layer_complaints(self.flat(), published=False) + self.complaints()
        if complaints:
            text = " ".join(message for _, message in complaints)
            raise PydanticCustomError("complaints", "{text}", {"text": text, "complaints": complaints})
        return self
