"""An agent's settings: a dataclass filled from defaults, a YAML file, `--set key=value` and flags, checked at the boundary."""

import argparse
import dataclasses
import pathlib
import sys
from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

import pydantic
import yaml

from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean, found, listing

Settings = TypeVar("Settings")

Count = Annotated[int, pydantic.Field(gt=0)]
"""A whole number of at least 1."""
Whole = Annotated[int, pydantic.Field(ge=0)]
"""A whole number of at least 0."""
Fraction = Annotated[float, pydantic.Field(ge=0, le=1)]
"""A number in [0, 1]."""
Amount = Annotated[float, pydantic.Field(ge=0, allow_inf_nan=False)]
"""A finite number of at least 0."""


def from_command_line(kind: type[Settings], description: str, arguments: Sequence[str] | None = None) -> Settings:
    """Settings of `kind` from the command line: `--config FILE`, then `--set key=value ...`, then a flag per field.

    `--help` prints the docstrings of the fields. Raises ConfigError for everything wrong with file, keys or values.
    """
    import tyro

    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config")
    parser.add_argument("--set", nargs="+", action="extend", default=[])
    known, rest = parser.parse_known_args(arguments)
    settings = load(kind, known.config, known.set)
    usage = "--config FILE.yaml reads settings from a file, --set key=value ... changes some; each is also a flag:"
    program = pathlib.Path(sys.argv[0]).name
    given = tyro.cli(kind, prog=program, description=f"{description}\n\n{usage}", default=settings, args=rest)
    return checked(kind, dataclasses.asdict(given), {})


def load(kind: type[Settings], path: str | pathlib.Path | None = None, assignments: Sequence[str] = ()) -> Settings:
    """Settings of `kind` from a YAML file (None: defaults alone) and assignments such as `learning_rate=1e-3`.

    Raises ConfigError, which lists every problem with its file, line, key, value and what is allowed.
    """
    values, places, problems = {}, {}, []
    if path is not None:
        values, places = read(path)
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        where = Where("--set")
        if not equals:
            problems.append(Problem(where, "", f"Found {found(assignment)}; write key=value, like total_steps=1000000."))
            continue
        try:
            values[key], places[key] = yaml.safe_load(text), where
        except yaml.YAMLError:
            problems.append(Problem(where, key, f"{found(text)} cannot be read as a YAML value."))
    if problems:
        raise ConfigError(problems)
    return checked(kind, values, places)


def assignments(texts: Sequence[str]) -> dict[str, Any]:
    """`key=value` texts as a mapping; values are read as YAML. Raises ConfigError for a text without `=`."""
    pairs = [text.partition("=") for text in texts]
    wrong = [Problem(Where("overrides"), "", f"Found {found(key)}; write key=value.") for key, equals, _ in pairs if not equals]
    if wrong:
        raise ConfigError(wrong)
    return {key: _number(yaml.safe_load(text)) for key, _, text in pairs}


def save(settings: Any, path: str | pathlib.Path) -> None:
    """Writes settings as a YAML file that `load` reads."""
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in dataclasses.asdict(settings).items()}
    pathlib.Path(path).write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")


def checked(kind: type[Settings], values: dict[str, Any], places: dict[str, Where]) -> Settings:
    """Settings of `kind` with `values`, each converted to the type of its field. Raises ConfigError."""
    names = [field.name for field in dataclasses.fields(kind)]
    switches = {field.name for field in dataclasses.fields(kind) if isinstance(field.default, bool)}
    nowhere = Where("settings")
    problems = [
        Problem(places.get(key, nowhere), key, f"Unknown key.{did_you_mean(key, names) or f' Known: {listing(names)}.'}")
        for key in values
        if key not in names
    ]
    problems += [
        Problem(places.get(key, nowhere), key, f"Found {found(value)}; this is not a switch.")
        for key, value in values.items()
        if isinstance(value, bool) and key in names and key not in switches
    ]
    values = {key: _number(value) for key, value in values.items() if key in names}
    try:
        settings = pydantic.TypeAdapter(kind).validate_python(values)
    except pydantic.ValidationError as error:
        for wrong in error.errors(include_url=False):
            key = str(wrong["loc"][0]) if wrong["loc"] else ""
            message = f"Found {found(wrong['input'])}. {_told(wrong)}."
            if wrong["type"] == "tuple_type":
                message = f"Found {found(wrong['input'])}. This is a list, which is written [{wrong['input']}]."
            problems.append(Problem(places.get(key, nowhere), key, message))
    if problems:
        raise ConfigError(problems)
    return settings


def _told(wrong: Any) -> str:
    """What is allowed instead, in the words of all other messages; what has no words of its own is in pydantic's."""
    limits = {"greater_than": ("gt", "above"), "greater_than_equal": ("ge", "at least")}
    limits |= {"less_than": ("lt", "below"), "less_than_equal": ("le", "at most")}
    if wrong["type"] in limits:
        key, word = limits[wrong["type"]]
        return f"Allowed: {word} {wrong['ctx'][key]:g}"
    if wrong["type"] == "literal_error":
        return f"Allowed: {wrong['ctx']['expected']}"
    kinds = {f"int_{end}": "a whole number" for end in ("type", "parsing", "from_float")} | {"finite_number": "a finite number"}
    kinds |= {"float_type": "a number", "float_parsing": "a number", "string_type": "a text"}
    kinds |= {"bool_type": "true or false", "bool_parsing": "true or false"}
    kind = kinds.get(wrong["type"])
    return f"Allowed: {kind}" if kind else wrong["msg"].removeprefix("Value error, ")


def read(path: str | pathlib.Path) -> tuple[dict[str, Any], dict[str, Where]]:
    """Values of a YAML file by key, unchecked, and the place of each. Raises ConfigError for what is not lines of keys."""
    path = pathlib.Path(path)
    if not path.is_file():
        raise ConfigError(Problem(Where(str(path)), "", "There is no such file. Give --config the path of a YAML file."))
    text = path.read_text(encoding="utf-8")
    try:
        node = yaml.compose(text, yaml.SafeLoader)
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or "unreadable"
        raise ConfigError(Problem(Where(str(path), mark and mark.line + 1), "", f"This is not valid YAML: {said}.")) from None
    if values is None:
        return {}, {}
    if not isinstance(values, dict):
        raise ConfigError(Problem(Where(str(path), 1), "", f"Settings are lines of 'key: value'. Found {found(values)}."))
    places, problems = {}, []
    for key_node, _ in node.value:
        where = Where(str(path), key_node.start_mark.line + 1)
        if key_node.value in places:
            first = places[key_node.value].line
            problems.append(Problem(where, key_node.value, f"This key is given twice; line {first} has it already. Keep one."))
        places[key_node.value] = where
    if problems:
        raise ConfigError(problems)
    return {str(key): value for key, value in values.items()}, places


def _number(value: Any) -> Any:
    """YAML 1.1 reads `5e-4` and `1e6` as texts; here they are numbers."""
    if isinstance(value, str) and value[:1] in "+-.0123456789":
        try:
            return float(value)
        except ValueError:
            return value
    return value
