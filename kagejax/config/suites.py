"""Suites: the train and eval pairs of a benchmark, as data.

A suite is a YAML file under configs/suites/<environment>/. Each of its pairs extends a configuration that comes with kagejax
and gives, by dotted keys, what both sides change (`both`), and what `train` and `eval` change on top.

A protocol is a YAML file in configs/suites/ itself: suites, with the agent and the seeds to run them with.
"""

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

import yaml

from . import registry

SIDES = {"train": "train", "eval": "eval", "val": "eval"}
"""Names of a pair's sides in ids; published files call the eval side val."""


@dataclasses.dataclass(frozen=True)
class Side:
    """One side of a pair: the configuration that it extends by name, and the values that it changes, by dotted path."""

    extends: str
    values: Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Pair:
    """A train and an eval configuration that differ along one axis."""

    id: str  # 'kage/background/1'
    title: str  # 'black -> noise'
    train: Side
    eval: Side


@dataclasses.dataclass(frozen=True)
class Suite:
    """Pairs along one axis. In an experiment all pairs share the train side."""

    id: str  # 'kage/background'
    title: str
    experiment: bool
    pairs: tuple[Pair, ...]


@dataclasses.dataclass(frozen=True)
class Protocol:
    """What a sweep does by one name: suites, pairs of them, an agent's settings and seeds."""

    id: str  # 'kage-mini'
    title: str
    suite: tuple[str, ...]
    pairs: tuple[str, ...]  # none: all
    seeds: str  # '1..3'
    agent: str  # name of a file in configs/agents
    settings: Mapping[str, Any]  # laid over the file's


@functools.cache
def files() -> tuple[str, ...]:
    """Names of the configurations that come with kagejax: 'kage/default', 'kage/hardest', ..."""
    names = []
    for room in registry.rooms():
        folder = registry.packaged().joinpath(room.id)
        if folder.is_dir():
            names += sorted(f"{room.id}/{file.name[:-5]}" for file in folder.iterdir() if file.name.endswith(".yaml"))
    return tuple(names)


@functools.cache
def suites() -> Mapping[str, Suite]:
    """All suites by id."""
    found: dict[str, Suite] = {}
    for room in registry.rooms():
        folder = registry.packaged().joinpath("suites").joinpath(room.id)
        if folder.is_dir():
            for file in sorted(folder.iterdir(), key=lambda file: file.name):
                if file.name.endswith(".yaml"):
                    suite = _suite(room.id, file.name[:-5], yaml.safe_load(file.read_text(encoding="utf-8")))
                    found[suite.id] = suite
    return found


@functools.cache
def protocols() -> Mapping[str, Protocol]:
    """All protocols by id."""
    found: dict[str, Protocol] = {}
    for file in sorted(registry.packaged().joinpath("suites").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".yaml"):
            id, data = file.name[:-5], yaml.safe_load(file.read_text(encoding="utf-8"))
            chosen, settings = tuple(map(str, data.get("pairs") or ())), data.get("set") or {}
            suite, seeds = tuple(data["suite"]), str(data["seeds"])
            found[id] = Protocol(id, data["title"], suite, chosen, seeds, data["agent"], settings)
    return found


def _suite(room: str, name: str, data: Mapping[str, Any]) -> Suite:
    id = f"{room}/{name}"
    shared = data.get("both") or {}
    pairs = []
    for key, pair in data["pairs"].items():
        both = shared | (pair.get("both") or {})
        extends = pair.get("extends") or data["extends"]
        train, evaluation = (
            Side(extends, both | (data.get(side) or {}) | (pair.get(side) or {})) for side in ("train", "eval")
        )
        pairs.append(Pair(f"{id}/{key}", pair["title"], train, evaluation))
    return Suite(id, data["title"], data.get("experiment", False), tuple(pairs))


def find(id: str) -> Side | None:
    """The side of a pair that `id` names ('kage/background/1/eval'), or None if no pair has that id."""
    pair, _, side = id.rpartition("/")
    if side not in SIDES:
        return None
    suite, _, key = pair.rpartition("/")
    found = suites().get(ALIASES.get(suite, suite))
    if found is None:
        return None
    return next((getattr(each, SIDES[side]) for each in found.pairs if each.id.rpartition("/")[2] == key), None)


def ids() -> tuple[str, ...]:
    """Every id that names a configuration of a suite, and every configuration that comes with kagejax beside the defaults."""
    named = [name for name in files() if not name.endswith("/default")]
    sides = [f"{pair.id}/{side}" for suite in suites().values() for pair in suite.pairs for side in ("train", "eval")]
    return (*named, *sides)


ALIASES = {
    "kage/agent": "kage/agent_appearance",
    "kage/num_of_train_bg_colors": "kage/background_colors",
    "kage/sticky_npcs": "kage/distractor_count",
}
"""Other names of suites: the folder names of published files where ours say what is varied, and a short one."""
