"""`kagejax config`: show, validate, schema, diff."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import tyro
import yaml

from kagejax import envs  # noqa: F401  (registers the environments)
from kagejax.config import registry
from kagejax.config.difference import Difference, diff, summary
from kagejax.config.loader import load
from kagejax.config.problems import ConfigError, Problem, Where
from kagejax.config.rendering import json_schema, to_yaml, yaml_value

Source = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ID|FILE")]
Settings = Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(name="set", metavar="KEY=VALUE")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `kagejax config ARGUMENTS` and gives the exit status. Raises ConfigError for a user's mistake."""
    commands = {"show": show_config, "validate": validate, "schema": schema, "diff": compare}
    return tyro.extras.subcommand_cli_from_dict(commands, prog="kagejax config", args=arguments, use_underscores=False)


def overrides(settings: Sequence[str]) -> dict[str, Any]:
    """`--set KEY=VALUE` as overrides, values read as YAML. Raises ConfigError for what has no `=`, or the same key twice."""
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key.strip():
            message = f"Found {setting!r}; allowed: KEY=VALUE, such as background.mode=noise."
            raise ConfigError(Problem(Where("--set"), "", message))
        if key.strip() in values:
            raise ConfigError(Problem(Where("--set"), key.strip(), "This key is given twice. Keep one."))
        try:
            values[key.strip()] = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError):
            message = f"{text!r} is not a value in YAML; write text with special characters in quotes."
            raise ConfigError(Problem(Where("--set"), key.strip(), message)) from None
    return values


def show_config(source: Source, settings: Settings = (), *, changed: bool = False) -> int:
    """Print a configuration as YAML, with all that it inherits.

    For example:
      kagejax config show kage
      kagejax config show my.yaml --changed
      kagejax config show kage/background/1/eval --set filters.hue_shift=90

    Args:
        source: An id, such as kage or kage/background/1/eval, or a YAML file.
        settings: Set a key to a value (in YAML) on top; may be given several times.
        changed: Print only what differs from the defaults.
    """
    config = load(source, overrides(settings), origin="--set")
    print(to_yaml(config, registry.room_of(config).id, changed), end="")
    return 0


def validate(sources: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="ID|FILE")]) -> int:
    """Check configurations and the art they name; say ok, or all that is wrong with file, line, key and what is allowed.

    For example:
      kagejax config validate my.yaml
      kagejax config validate configs/*.yaml

    Args:
        sources: Ids or YAML files, one or more.
    """
    if not sources:
        raise ConfigError(Problem(Where("kagejax config validate"), "", "Name one or more files or ids to check."))
    wrong = 0
    for source in sources:
        try:
            config = load(source, {})
            registry.imported(registry.room_of(config).art)(config)
        except ConfigError as error:
            wrong += 1
            print(f"{source}: {error}", file=sys.stderr)
        else:
            print(f"{source}: ok")
    return 2 if wrong else 0


def schema(environment: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ENV")] = "kage") -> int:
    """Print the JSON Schema of an environment's YAML files, for completion and checks in an editor.

    For example:
      kagejax config schema kage > kage.schema.json
      (then begin a YAML file with: # yaml-language-server: $schema=kage.schema.json)

    Args:
        environment: The environment, such as kage.
    """
    print(json.dumps(json_schema(registry.room(environment).model, environment), indent=2))
    return 0


def compare(first: Source, second: Source, settings: Settings = ()) -> int:
    """List the keys in which two configurations differ, and say whether picture or game differ.

    For example:
      kagejax config diff kage/background/1/train kage/background/1/eval
      kagejax config diff kage my.yaml

    Args:
        first: An id or a YAML file.
        second: An id or a YAML file.
        settings: Set a key to a value (in YAML) on top of both; may be given several times.
    """
    on_top: Mapping[str, Any] = overrides(settings)
    differences = diff(load(first, on_top, origin="--set"), load(second, on_top, origin="--set"))
    if differences:
        _print_table(differences, first, second)
    print(summary(differences))
    return 0


def _print_table(differences: Sequence[Difference], first: str, second: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("key", no_wrap=True)
    for title in ("first", "second", "affects"):
        table.add_column(title, overflow="fold")
    for each in differences:
        reach = "unused" if each.inert else each.affects
        values = (each.path, yaml_value(each.first), yaml_value(each.second), reach)
        table.add_row(*(Text(value) for value in values), style="dim" if each.inert else None)
    print(f"first:  {first}\nsecond: {second}\n")
    Console(highlight=False).print(table)
    print()
