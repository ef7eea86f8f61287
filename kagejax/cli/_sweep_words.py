"""The words of `kagejax sweep`: `suite=kage pairs=1,2 seeds=1..3 agent=FILE out=FOLDER program=FILE`."""

import importlib.util
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kagejax.config import registry
from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean, listing
from kagejax.config.suites import Pair, Protocol, Suite, protocols
from kagejax.evaluation import planning

WORDS = ("suite", "pairs", "seeds", "agent", "out", "program")
RESERVED = ("train", "evaluate", "seeds", "run_dir", "run_root", "resume")
"""Settings of an agent that a sweep gives itself."""
SEEDS, AGENT = "1..10", "ppo_kage"
"""The published protocol."""
MOST_SEEDS = 1000


class Words(NamedTuple):
    """What was asked."""

    suite: tuple[str, ...]  # names as given
    pairs: list[tuple[Suite, Pair]]
    seeds: tuple[int, ...]
    agent: pathlib.Path
    agent_name: str  # as given
    settings: Mapping[str, Any]  # of a protocol, over those of the agent's file
    out: pathlib.Path
    program: pathlib.Path | None  # None: agents/ppo.py


def parse(texts: Sequence[str]) -> Words:
    """The words. Raises ConfigError, which names the word, for what is unknown, missing, given twice or not there."""
    given = _split(texts)
    if "suite" not in given:
        message = "A sweep needs suite=NAME, such as suite=kage or suite=kage/background; `kagejax suites list` lists them."
        raise ConfigError(Problem(Where("suite"), "", message))
    names = tuple(name.strip() for name in given["suite"].split(",") if name.strip())
    protocol = protocols().get(names[0]) if len(names) == 1 else None
    suites = planning.find_suites(_suites_of(names, protocol))
    chosen = given["pairs"] if "pairs" in given else ",".join(protocol.pairs if protocol else ())
    out = pathlib.Path(given.get("out") or pathlib.Path("runs", "+".join(names).replace("/", "-")))
    name = given.get("agent") or (protocol.agent if protocol else AGENT)
    if out.exists() and not out.is_dir():
        raise ConfigError(Problem(Where("out"), "", f"Found {str(out)!r}, which is a file; name a folder."))
    return Words(
        suite=names,
        pairs=planning.choose(suites, expanded("pairs", chosen)),
        seeds=seeds(given.get("seeds") or (protocol.seeds if protocol else SEEDS)),
        agent=agent_file(name),
        agent_name=name,
        settings=protocol.settings if protocol and "agent" not in given else {},
        out=out,
        program=_program(given["program"]) if "program" in given else None,
    )


def _suites_of(names: Sequence[str], protocol: Protocol | None) -> Sequence[str]:
    if protocol is None and any(name in protocols() for name in names):
        raise ConfigError(
            Problem(Where("suite"), "", f"Found {', '.join(names)}; a protocol stands alone, such as suite=kage-mini.")
        )
    return protocol.suite if protocol else names


def _split(texts: Sequence[str]) -> dict[str, str]:
    given: dict[str, str] = {}
    for text in texts:
        word, equals, value = text.partition("=")
        if not equals:
            message = f"Found {text!r}; allowed: WORD=VALUE with the words {listing(WORDS)}.{did_you_mean(word, WORDS)}"
            raise ConfigError(Problem(Where("kagejax sweep"), "", message))
        if word not in WORDS:
            near = did_you_mean(word, WORDS) or f" A setting of the agent is written --set {text}."
            raise ConfigError(Problem(Where(text), "", f"There is no word {word!r}; allowed: {listing(WORDS)}.{near}"))
        if word in given:
            raise ConfigError(Problem(Where(word), "", "This word is given twice. Keep one."))
        if not value.strip():
            raise ConfigError(Problem(Where(word), "", f"Found nothing behind {word}=; give a value or leave the word out."))
        given[word] = value.strip()
    return given


def seeds(text: str) -> tuple[int, ...]:
    """`1..10`, `1,2,5` or `1..3,7`. Raises ConfigError."""
    found: list[int] = []
    for part in expanded("seeds", text):
        if not part.isdecimal() or int(part) >= 2**32:
            raise ConfigError(
                Problem(
                    Where("seeds"), "", f"Found {part!r}; allowed: whole numbers from 0 to 2^32 - 1, such as 1..10 or 1,2,5."
                )
            )
        found.append(int(part))
    twice = [seed for seed in found if found.count(seed) > 1]
    if twice:
        raise ConfigError(Problem(Where("seeds"), "", f"Seed {twice[0]} is given twice. Keep one."))
    return tuple(found)


def expanded(word: str, text: str) -> list[str]:
    """The items of a list with commas, ranges such as 1..3 written out."""
    items: list[str] = []
    for part in (part.strip() for part in text.split(",") if part.strip()):
        first, dots, last = part.partition("..")
        if not dots:
            items.append(part)
            continue
        prefix, slash, number = first.rpartition("/")
        if not number.isdecimal() or not last.isdecimal() or not int(number) <= int(last) < int(number) + MOST_SEEDS:
            message = f"Found {part!r}; a range is FIRST..LAST, such as 1..10, upwards, of {MOST_SEEDS:,} numbers at most."
            raise ConfigError(Problem(Where(word), "", message))
        items += [f"{prefix}{slash}{value}" for value in range(int(number), int(last) + 1)]
    return items


def agent_file(name: str) -> pathlib.Path:
    """A YAML file by its path, or one that comes with kagejax by its name. Raises ConfigError."""
    path = pathlib.Path(name)
    if path.is_file():
        return path
    folder = registry.packaged().joinpath("agents")
    known = sorted(file.name[:-5] for file in folder.iterdir() if file.name.endswith(".yaml"))
    if name in known:
        return pathlib.Path(str(folder.joinpath(f"{name}.yaml")))
    message = f"Found {name!r}; allowed: the path of a YAML file with an agent's settings, or {listing(known)}."
    raise ConfigError(Problem(Where("agent"), "", message + did_you_mean(path.stem, known)))


def _program(name: str) -> pathlib.Path:
    path = pathlib.Path(name)
    if not path.is_file():
        message = f"Found {name!r}; there is no such file. It is a Python file with the command line of agents/ppo.py."
        raise ConfigError(Problem(Where("program"), "", message))
    return path.resolve()


def standard_program() -> pathlib.Path:
    """The file of agents/ppo.py, wherever kagejax is installed."""
    # A checkout that is not installed has agents/ beside kagejax/, not inside it.
    package = "kagejax.agents" if importlib.util.find_spec("kagejax.agents") else "agents"
    return pathlib.Path(importlib.util.find_spec(f"{package}.ppo").origin)
