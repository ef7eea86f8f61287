"""What the arguments of `kagejax sokoban` name: splits, levels, files. Raises ConfigError for a user's mistake."""

import json
import pathlib
from typing import Any

from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean, listing


def levels_of(source: str) -> Any:
    """A public split by its name, or the levels of a file."""
    from kagejax.envs.sokoban import build, text

    if source in build.PUBLIC:
        return build.public(source)
    path = pathlib.Path(source)
    if not path.is_file():
        message = f"There is neither such a file nor such a split; splits are {listing(list(build.PUBLIC))}."
        raise ConfigError(Problem(Where(source), "", message + did_you_mean(source, build.PUBLIC)))
    try:
        return build.read(path)
    except (OSError, text.LevelError) as problem:
        raise ConfigError(Problem(Where(source), "", str(problem))) from None


def chosen_of(split: Any, level: int) -> range:
    """The level with that number, or all for -1."""
    count = len(split.entries)
    require(-1 <= level < count, "--level", f"Found {level}; allowed: 0 to {count - 1}, or -1 for all.")
    return range(count) if level < 0 else range(level, level + 1)


def json_of(name: str) -> dict:
    """The JSON object in a file."""
    try:
        content = json.loads(pathlib.Path(name).read_text())
    except (OSError, ValueError) as problem:
        raise ConfigError(Problem(Where(name), "", f"It cannot be read: {problem}.")) from None
    if not isinstance(content, dict):
        raise ConfigError(Problem(Where(name), "", "It must hold a JSON object."))
    return content


def new_file(name: str, endings: tuple[str, ...], option: str = "--out") -> pathlib.Path:
    """The path of a file that can be written."""
    path = pathlib.Path(name)
    require(path.suffix in endings, option, f"Found {name!r}; the name must end in {listing(list(endings))}.")
    require(path.parent.is_dir(), option, f"Found {name!r}; there is no folder {str(path.parent)!r}. Make it first.")
    return path


def require_split(split: str, count: int) -> None:
    """That levels of such a split can be drawn."""
    from kagejax.envs.sokoban import generate as laws

    names = (*laws.LAWS, laws.RAMP)
    require(split in names, "split", f"Found {split!r}; allowed: {listing(list(names))}.{did_you_mean(split, names)}")
    require(1 <= count <= 100_000, "--count", f"Found {count}; allowed: 1 to 100,000.")


def require(condition: bool, option: str, message: str) -> None:
    """Raises ConfigError about `option` unless the condition holds."""
    if not condition:
        raise ConfigError(Problem(Where(option), "", message))
