"""From a validated configuration to an environment: plan, params, banks of levels and tiles. Host side."""

import functools
import importlib.resources
import pathlib
from collections.abc import Sequence

import jax
import numpy as np

from kagejax.config.problems import ConfigError
from kagejax.core import first_of

from . import levels as splits
from . import text, themes
from .config import SokobanConfig
from .env import SokobanEnv
from .levels import Split
from .params import Bank, Control, Levels, Look, Params, Plan, union
from .rules import Board, mask_of

TEXTS = (".txt", ".sok", ".xsb")
PUBLIC = ("W", "S", "A", "B", "C", "D", "E", "B-plus", "C-plus", "D-hard", "hidden-style")
"""Splits of 100 levels that come with kagejax, made by `kagejax sokoban generate` with seed 1001."""
MOST_CELLS = themes.SIZE // 3
"""A side of the largest board: on tiles of fewer than 3 px no box can be seen."""


def build(config: SokobanConfig) -> tuple[SokobanEnv, Params]:
    """The environment and params of one configuration. Raises ConfigError for levels that cannot be used."""
    env, params = build_batch([config])
    return env, first_of(params, env.params_axes(params))


def build_batch(configs: Sequence[SokobanConfig]) -> tuple[SokobanEnv, Params]:
    """One environment for all `configs`, and their params stacked along a leading axis, but for the shared banks.

    Raises ValueError if they differ in board size or kind of observation, ConfigError for levels that cannot be used.
    """
    chosen = [load(config) for config in configs]
    looks = [_themes(config, split) for config, split in zip(configs, chosen, strict=True)]
    plans = [_plan(config, split, found) for config, split, found in zip(configs, chosen, looks, strict=True)]
    plan = functools.reduce(union, plans)
    parts, first_level, first_theme = [], 0, 0
    for config, split, found in zip(configs, chosen, looks, strict=True):
        parts.append((_control(config, first_level, len(split.entries)), Look(np.int32(first_theme), np.int32(len(found)))))
        first_level += len(split.entries)
        first_theme += len(found)
    control, look = jax.tree.map(lambda *leaves: jax.device_put(np.stack(leaves)), *parts)
    return SokobanEnv(plan), Params(control, look, _bank(chosen, [theme for found in looks for theme in found], plan))


def load(config: SokobanConfig) -> Split:
    """The levels of a configuration. Raises ConfigError, with file, line and key, for those that cannot be used."""
    part = config.levels
    key = "levels.file" if part.source == "file" else "levels.split"
    try:
        if part.source == "file":
            split = read((config.base_dir("levels.file") or pathlib.Path()) / pathlib.Path(part.file).expanduser())
        else:
            split = public(part.split)
    except OSError as error:
        raise ConfigError([config.problem(key, f"{error.filename} cannot be read: {error.strerror}.")]) from None
    except text.LevelError as error:
        raise ConfigError([config.problem(key, str(error))]) from None
    last = len(split.entries) if part.count is None else part.first + part.count
    if not part.first < last <= len(split.entries):
        there = f"There are {len(split.entries)} levels, 0 to {len(split.entries) - 1}"
        asked = f"levels.first is {part.first}" + (f" and levels.count {part.count}" if part.count else "")
        raise ConfigError([config.problem(key, f"{there}; {asked}.")])
    split = split._replace(entries=split.entries[part.first : last])
    complaint = unfit(split)
    if complaint:
        raise ConfigError([config.problem(key, complaint)])
    return split


def unfit(split: Split) -> str:
    """Why the boards of a split cannot be those of one environment; nothing if they can."""
    sizes = sorted({entry.level.walls.shape for entry in split.entries})
    if len(sizes) != 1:
        shown = ", ".join(f"{rows}x{columns}" for rows, columns in sizes)
        return f"The levels differ in size ({shown}); an environment has boards of one size." if sizes else "There is no level."
    if max(sizes[0]) > MOST_CELLS:
        return f"Boards of more than {MOST_CELLS} cells a side do not fit the picture; found {sizes[0][0]}x{sizes[0][1]}."
    return ""


def public(name: str) -> Split:
    """A split that comes with kagejax."""
    file = importlib.resources.files("kagejax.envs.sokoban").joinpath("splits").joinpath(f"split_{name}.json")
    with importlib.resources.as_file(file) as path:
        return splits.read_split(path)


def from_split(split: Split, config: SokobanConfig | None = None) -> tuple[SokobanEnv, Params]:
    """The environment and params of levels in hand, with everything else as in `config` (the defaults).

    Raises ValueError for boards that differ in size or are too large for a picture.
    """
    config = config or SokobanConfig()
    complaint = unfit(split)
    if complaint:
        raise ValueError(complaint)
    found = _themes(config, split)
    plan = _plan(config, split, found)
    control, look = _control(config, 0, len(split.entries)), Look(np.int32(0), np.int32(len(found)))
    control, look = jax.device_put((control, look))
    return SokobanEnv(plan), Params(control, look, _bank([split], found, plan))


def read(path: pathlib.Path) -> Split:
    """The levels of a file: text, or a split. Raises LevelError for what is none, OSError for what cannot be read."""
    if path.suffix.lower() in TEXTS:
        entries = tuple(splits.Entry(level, None, None, None, {}) for level in text.read(path))
        return Split(path.stem, None, None, entries, {})
    return splits.read_split(path)


def _themes(config: SokobanConfig, split: Split) -> list[themes.Theme]:
    """Themes that the levels take in turn."""
    law, count = config.theme.law, len(split.entries)
    if law in themes.LAWS:
        return [themes.drawn(law, config.theme.seed, i) for i in range(min(config.theme.count or count, count))]
    given = [entry.theme for entry in split.entries]
    if law == "default" or not any(given):
        return [themes.DEFAULT]
    return [themes.from_json(theme) if theme else themes.DEFAULT for theme in given]


def _plan(config: SokobanConfig, split: Split, found: Sequence[themes.Theme]) -> Plan:
    seen = config.observation.kind != "symbolic"
    return Plan(
        board=Board(*split.entries[0].level.walls.shape),
        kind=config.observation.kind,
        noisy=seen and any(theme.noise_std > 0 for theme in found),
        lit=seen and any(theme.light != (0.0, 0.0) for theme in found),
    )


def _control(config: SokobanConfig, first: int, count: int) -> Control:
    reward = config.reward
    return Control(
        first_level=np.int32(first),
        levels=np.int32(count),
        max_steps=np.int32(config.play.max_steps or 0),
        win=np.float32(reward.win),
        step_cost=np.float32(reward.step_cost),
        shaping=np.float32(reward.shaping),
        gamma=np.float32(reward.gamma),
    )


def bank_of(split: Split) -> Levels:
    """The levels of a split as arrays, NumPy."""
    entries = split.entries
    return Levels(
        walls=np.stack([mask_of(entry.level.walls) for entry in entries]),
        goals=np.stack([mask_of(entry.level.goals) for entry in entries]),
        boxes=np.stack([mask_of(entry.level.boxes) for entry in entries]),
        player=np.array([entry.level.player for entry in entries], np.int32),
        max_steps=np.array([split.limit(entry) for entry in entries], np.int32),
        optimal=np.array([entry.optimal_length or 0 for entry in entries], np.int32),
    )


def _bank(chosen: Sequence[Split], found: Sequence[themes.Theme], plan: Plan) -> Bank:
    levels = jax.tree.map(lambda *parts: jax.device_put(np.concatenate(parts)), *(bank_of(split) for split in chosen))
    cell = themes.geometry(*plan.board).cell
    tiles = np.stack([themes.tiles(theme, cell) for theme in found])
    light = np.stack([np.repeat(themes.light(theme), 3, axis=1) for theme in found]) if plan.lit else None
    return Bank(
        levels=levels,
        tiles=jax.device_put(tiles.reshape(-1, cell, 3 * cell)),
        margin=jax.device_put(np.array([theme.floor for theme in found], np.uint8)),
        noise_std=jax.device_put(np.array([theme.noise_std for theme in found], np.float32)),
        light=None if light is None else jax.device_put(light),
    )
