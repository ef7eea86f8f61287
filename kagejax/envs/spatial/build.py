"""From a validated configuration to an environment: plan, params, bank of puzzles and tiles. Host side."""

import functools
import gzip
import importlib.resources
import pathlib
import typing
from collections.abc import Sequence

import jax
import numpy as np

from kagejax.config.problems import ConfigError
from kagejax.core import first_of

from . import art, bank
from .config import Set, SpatialConfig
from .env import SpatialEnv
from .params import Bank, Control, Lattice, Params, Plan, union
from .puzzles import Puzzle, RecordError, hub, read, read_lines

SETS = typing.get_args(Set)
"""Sets that come with kagejax."""


def build(config: SpatialConfig) -> tuple[SpatialEnv, Params]:
    """The environment and params of one configuration. Raises ConfigError for puzzles that cannot be used."""
    return _single(*build_batch([config]))


def build_batch(configs: Sequence[SpatialConfig]) -> tuple[SpatialEnv, Params]:
    """One environment for all `configs`, and their params stacked along a leading axis, but for the shared bank.

    Raises ValueError if they differ in what is static, ConfigError for puzzles that cannot be used.
    """
    return _assemble(configs, [load(config) for config in configs])


def from_puzzles(puzzles: Sequence[Puzzle], config: SpatialConfig | None = None) -> tuple[SpatialEnv, Params]:
    """The environment and params of puzzles in hand, with everything else as in `config` (the defaults).

    Without a configuration the lattice is as large as the puzzles need. Raises ValueError for puzzles that do not fit.
    """
    puzzles = tuple(puzzles)
    if not puzzles:
        raise ValueError("An environment needs a puzzle.")
    if config is None:
        size = {"cells_w": max(p.cells_w for p in puzzles), "cells_h": max(p.cells_h for p in puzzles)}
        config = SpatialConfig.model_validate({"lattice": size})
    for puzzle in puzzles:
        complaint = bank.complaint(puzzle, _lattice(config))
        if complaint:
            raise ValueError(f"Puzzle {puzzle.id}: {complaint}")
    return _single(*_assemble([config], [puzzles]))


def load(config: SpatialConfig) -> tuple[Puzzle, ...]:
    """The puzzles of a configuration. Raises ConfigError, with the key, for those that cannot be used."""
    part = config.puzzles
    key = {"set": "puzzles.set", "file": "puzzles.file", "hub": "puzzles.source"}[part.source]

    def refuse(message: str, at: str = key) -> ConfigError:
        return ConfigError([config.problem(at, message)])

    try:
        if part.source == "file":
            found = read((config.base_dir("puzzles.file") or pathlib.Path()) / pathlib.Path(part.file).expanduser())
        else:
            found = public(part.set) if part.source == "set" else _from_hub(part.hub_config, part.hub_split)
    except OSError as error:
        raise refuse(f"{error.filename} cannot be read: {error.strerror}.") from None
    except (RecordError, HubError) as error:
        raise refuse(str(error)) from None
    if part.levels:
        found = tuple(puzzle for puzzle in found if puzzle.level in part.levels)
        if not found:
            raise refuse(f"No puzzle has a level of {', '.join(map(str, part.levels))}.", "puzzles.levels")
    last = len(found) if part.count is None else part.first + part.count
    if not part.first < last <= len(found):
        asked = f"puzzles.first is {part.first}" + (f" and puzzles.count {part.count}" if part.count else "")
        left = f" Lower puzzles.count to {len(found) - part.first}." if part.first < len(found) else " Lower puzzles.first."
        raise refuse(f"There are {len(found)} puzzles, 0 to {len(found) - 1}; {asked}.{left}", "puzzles.first")
    found = found[part.first : last]
    for puzzle in found:
        complaint = bank.complaint(puzzle, _lattice(config))
        if complaint:
            largest = [max(getattr(each, side) for each in found) for side in ("cells_w", "cells_h")]
            room = f" All of them need {largest[0]}x{largest[1]}." if "lattice" in complaint else ""
            raise refuse(f"Puzzle {puzzle.id}: {complaint}{room}")
    return found


class HubError(RuntimeError):
    """The public data set cannot be had; the message has what its package says."""


def _from_hub(config: str, split: str) -> tuple[Puzzle, ...]:
    try:
        return hub(config=config, split=split)
    except RecordError:
        raise
    except Exception as error:  # no package, no network, no such configuration: `datasets` has an error of its own for each
        raise HubError(str(error)) from None


@functools.lru_cache(maxsize=8)
def public(name: str) -> tuple[Puzzle, ...]:
    """A set that comes with kagejax. Raises KeyError, naming those there are, for another name."""
    if name not in SETS:
        raise KeyError(f"No set is called {name!r}; there are {', '.join(SETS)}.")
    file = importlib.resources.files("kagejax.envs.spatial").joinpath("sets").joinpath(f"{name}.jsonl.gz")
    return read_lines(gzip.decompress(file.read_bytes()).decode().split("\n"), f"set {name}")


def index_of(puzzles: Sequence[Puzzle], id: str) -> int:
    """Where the puzzle with that id is. Raises KeyError, naming some that are there, if it is none of them."""
    for index, puzzle in enumerate(puzzles):
        if puzzle.id == id:
            return index
    raise KeyError(f"No puzzle has the id {id!r}; the {len(puzzles)} ids begin with {', '.join(p.id for p in puzzles[:3])}.")


def _lattice(config: SpatialConfig) -> Lattice:
    return Lattice(config.lattice.cells_w, config.lattice.cells_h)


def _single(env: SpatialEnv, params: Params) -> tuple[SpatialEnv, Params]:
    return env, first_of(params, env.params_axes(params))


def _assemble(configs: Sequence[SpatialConfig], chosen: Sequence[Sequence[Puzzle]]) -> tuple[SpatialEnv, Params]:
    plan = functools.reduce(union, [_plan(config, puzzles) for config, puzzles in zip(configs, chosen, strict=True)])
    first, controls = 0, []
    for config, puzzles in zip(configs, chosen, strict=True):
        controls.append(_control(config, first, len(puzzles)))
        first += len(puzzles)
    control = jax.tree.map(lambda *leaves: jax.device_put(np.stack(leaves)), *controls)
    return SpatialEnv(plan), Params(control, _bank([puzzle for puzzles in chosen for puzzle in puzzles], plan))


def _plan(config: SpatialConfig, puzzles: Sequence[Puzzle]) -> Plan:
    seen, picture = config.observation, config.observation.kind == "picture"
    return Plan(
        lattice=_lattice(config),
        kind=seen.kind,
        boxes=seen.shapes and not picture,
        height=seen.height if picture else 0,
        width=seen.width if picture else 0,
        most_ylops=max(sum(symbol.kind == "ylop" for symbol in puzzle.symbols) for puzzle in puzzles),
    )


def _control(config: SpatialConfig, first: int, count: int) -> Control:
    play, reward = config.play, config.reward
    return Control(
        first_puzzle=np.int32(first),
        puzzles=np.int32(count),
        max_steps=np.int32(play.max_steps),
        traceback=np.bool_(play.traceback),
        win=np.float32(reward.win),
        lose=np.float32(reward.lose),
        scale=np.float32(0.0 if reward.shaping == "none" else reward.scale),
        upstream=np.bool_(reward.shaping == "upstream"),
    )


def _bank(puzzles: Sequence[Puzzle], plan: Plan) -> Bank:
    numbers = bank.shapes_of(puzzles)
    found = Bank(
        symbols=bank.symbol_bank(puzzles, numbers, plan.lattice),
        shapes=bank.shape_bank(numbers, plan.lattice),
        lines=bank.line_bank(puzzles, plan.lattice, plan.boxes),
        solutions=bank.solution_bank(puzzles),
        pictures=art.pictures(puzzles, plan.lattice, plan.height, plan.width) if plan.kind == "picture" else None,
    )
    return jax.device_put(found)
