"""A configuration model as text for others: resolved YAML, JSON Schema for editors, a Markdown table for a README."""

import pathlib
import re
from typing import Any

import yaml

from .parameters import defaults, nest, parameters, sections
from .schema import ConfigModel


class _Dumper(yaml.SafeDumper):
    """Short lists on one line, long ones wrapped; `1.0` stays a number with a point; line ends are written as `\\n`."""


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style='"' if "\n" in value else None)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(tuple, lambda dumper, value: dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=True))


def to_yaml(config: ConfigModel, room: str, changed: bool = False) -> str:
    """`config` as a file of ours that loads to an equal one; with `changed` only what differs from the defaults of `room`.

    Relative paths of the user's own pictures and skins become absolute, so that the text works from any folder.
    """
    values = {path: _located(value, config.base_dir(path)) for path, value in config.flat().items()}
    if changed:
        usual = defaults(type(config))
        values = {path: value for path, value in values.items() if value != usual[path]}
    return yaml.dump({"env": room} | nest(values), Dumper=_Dumper, sort_keys=False, width=100)


def _located(value: Any, folder: pathlib.Path | None) -> Any:
    """Paths that exist in `folder` made absolute; all else as it is."""
    if isinstance(value, tuple):
        return tuple(_located(item, folder) for item in value)
    if folder is None or not isinstance(value, str) or not (folder / value).exists():
        return value
    return str((folder / value).resolve())


def json_schema(model: type[ConfigModel], room: str) -> dict[str, Any]:
    """The JSON Schema of YAML files for `room`: nested sections, dotted keys, `env` and `extends`."""
    schema = model.model_json_schema()
    properties = schema["properties"]
    for name in sections(model):
        reference = properties[name]["$ref"]
        properties[name] = {"anyOf": [{"$ref": reference}, {"type": "null"}], "description": _about(model, name)}
    directives = {
        "env": {"const": room, "description": "The environment that this file configures."},
        "extends": {"type": "string", "description": "A file beside this one, or a configuration that comes with kagejax."},
    }
    dotted = {f"^{re.escape(path)}$": {"$ref": f"{_reference(model, path)}"} for path in parameters(model) if "." in path}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "properties": directives | properties,
        "patternProperties": dotted,
    }


def _about(model: type[ConfigModel], section: str) -> str:
    return (model.model_fields[section].annotation.__doc__ or "").strip()


def _reference(model: type[ConfigModel], path: str) -> str:
    section, _, key = path.partition(".")
    return f"#/$defs/{model.model_fields[section].annotation.__name__}/properties/{key}"


def markdown_table(model: type[ConfigModel]) -> str:
    """The keys of `model` as Markdown, one table per section, for the README of its room."""
    blocks = []
    for section in ("", *sections(model)):
        rows = [key for key in parameters(model).values() if key.path.rpartition(".")[0] == section]
        title = f"### `{section}`\n\n{_about(model, section)}" if section else "### Outside sections"
        lines = ["| key | default | allowed | unit | affects | meaning |", "|---|---|---|---|---|---|"]
        for key in rows:
            cells = [
                f"`{key.path.rpartition('.')[2]}`",
                f"`{yaml_value(key.default)}`",
                key.allowed,
                key.unit or "",
                key.affects,
                key.about,
            ]
            lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
        blocks.append("\n".join([title, "", *lines]))
    return "\n\n".join(blocks) + "\n"


def yaml_value(value: Any) -> str:
    """One value as YAML, on one line."""
    return yaml.dump(value, Dumper=_Dumper, default_flow_style=True, width=10**6).removesuffix("...\n").strip()
