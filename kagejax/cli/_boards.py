"""Pictures of Sokoban levels and solutions for people."""

import pathlib
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from kagejax.config.problems import ConfigError, Problem, Where
from kagejax.envs.sokoban import build, levels, solver
from kagejax.evaluation import films
from kagejax.raster.sheet import contact_sheet


def write_sheet(path: pathlib.Path, entries: Sequence[Any], names: Sequence[object], scale: int, columns: int) -> None:
    """The first boards of many levels, each with its name and optimal length."""
    lengths = ["" if entry.optimal_length is None else f": {entry.optimal_length}" for entry in entries]
    labels = [f"{name}{length}" for name, length in zip(names, lengths, strict=True)]
    Image.fromarray(contact_sheet(first_boards(entries), min(columns, len(entries)), labels, scale)).save(path)


def first_boards(entries: Sequence[Any]) -> list[np.ndarray]:
    """The picture of each level at its start, u8 [64, 64, 3], in its own theme."""
    pictures: dict[int, np.ndarray] = {}
    for size in {entry.level.walls.shape for entry in entries}:
        places = [i for i, entry in enumerate(entries) if entry.level.walls.shape == size]
        env, params = build.from_split(_split([entries[i] for i in places]))
        start = jax.vmap(env.start, (0, None, None))(jnp.arange(len(places)), jax.random.key(0), params)
        drawn = np.asarray(jax.jit(jax.vmap(env.observe, (0, None)))(start, params)["board"])
        pictures |= dict(zip(places, drawn, strict=True))
    return [pictures[i] for i in range(len(entries))]


def write_solution(path: pathlib.Path, entry: Any, scale: int, columns: int, fps: float) -> int:
    """An optimal solution as a strip (.png) or a film (.gif), the goal first or beside it. Gives the number of moves."""
    found = solver.solve(entry.level)
    if not isinstance(found, solver.Solved):
        reason = found.reason if isinstance(found, solver.Unsolvable) else "none was found"
        raise ConfigError(Problem(Where("--level"), "", f"It has no solution to show: {reason}."))
    boards, goal = play(entry, found.actions)
    if path.suffix == ".gif":
        frames = np.stack([np.concatenate([board, goal], axis=1) for board in boards])
        frames = frames.repeat(scale, 1).repeat(scale, 2)
        moves = ["start", *("UDLR"[action] for action in found.actions)]
        films.write_gif(
            path, np.stack([_stamped(f, f"{i} {m}") for i, (f, m) in enumerate(zip(frames, moves, strict=True))]), fps
        )
    else:
        labels = ["goal", *(str(step) for step in range(len(boards)))]
        Image.fromarray(contact_sheet([goal, *boards], columns, labels, scale)).save(path)
    return len(found.actions)


def play(entry: Any, actions: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Pictures u8 [moves + 1, 64, 64, 3] of a level under `actions`, and its goal's, in the level's own theme."""
    env, params = build.from_split(_split([entry._replace(max_steps=len(actions) + 1)]))
    state = env.start(jnp.int32(0), jax.random.key(0), params)

    def step(state, action):
        after = env.advance(jax.random.key(0), state, action, params)[0]
        return after, env.observe(after, params)["board"]

    def run(state, actions):
        first = env.observe(state, params)
        return first, jax.lax.scan(step, state, actions)[1]

    first, later = jax.jit(run)(state, jnp.asarray(actions, jnp.int32))
    return np.concatenate([np.asarray(first["board"])[None], np.asarray(later)]), np.asarray(first["goal"])


def _split(entries: Sequence[Any]) -> levels.Split:
    return levels.Split(None, None, None, tuple(entries), {})


def _stamped(frame: np.ndarray, label: str) -> np.ndarray:
    page = Image.fromarray(frame)
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(12)
    pen.rectangle((0, 0, int(font.getlength(label)) + 7, 16), fill=(0, 0, 0))
    pen.text((3, 1), label, fill=(255, 255, 255), font=font)
    return np.asarray(page)
