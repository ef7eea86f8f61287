"""The numbers of a configuration as arrays (`Params`), what must be static about it (`Plan`), and the state of an episode."""

from typing import NamedTuple

import jax

from .rules import Board, Position, Puzzle


class Control(NamedTuple):
    """Everything that dynamics, reward and horizon read, beyond the levels."""

    first_level: jax.Array  # i32, entry of the bank
    levels: jax.Array  # i32, how many follow from there
    max_steps: jax.Array  # i32, of every episode; 0: those of its level
    win: jax.Array  # f32, reward of the move that solves
    step_cost: jax.Array  # f32, taken from the reward of every step
    shaping: jax.Array  # f32, weight of the potential: boxes on goals over boxes
    gamma: jax.Array  # f32, discount of the shaping


class Look(NamedTuple):
    """Everything that only the picture reads."""

    first_theme: jax.Array  # i32, entry of the bank
    themes: jax.Array  # i32, how many there are; 1: the same for all, else level i has theme i modulo this


class Levels(NamedTuple):
    """A bank of levels, [levels, ...]."""

    walls: jax.Array  # u32 [levels, words]
    goals: jax.Array  # u32 [levels, words]
    boxes: jax.Array  # u32 [levels, words]
    player: jax.Array  # i32 [levels]
    max_steps: jax.Array  # i32 [levels]
    optimal: jax.Array  # i32 [levels], least number of moves; 0 where it is not known


class Bank(NamedTuple):
    """Arrays shared by all environments and configurations of a batch."""

    levels: Levels
    tiles: jax.Array  # u8 [themes * 14, cell, 3 * cell], by kind and parity of the cell
    margin: jax.Array  # u8 [themes, 3]
    noise_std: jax.Array  # f32 [themes]
    light: jax.Array | None  # u16 [themes, 64, 192], gain in 1/256


class Params(NamedTuple):
    """Every number of a configuration."""

    control: Control
    look: Look
    bank: Bank


class Plan(NamedTuple):
    """Static facts. Configurations of one batch agree on all but the last two, which join by or."""

    board: Board
    kind: str
    noisy: bool = False  # some theme has noise
    lit: bool = False  # some theme has a fall of light


class Episode(NamedTuple):
    """Fixed until the next reset."""

    puzzle: Puzzle
    level: jax.Array  # i32, which of the configuration's levels; -1: none of the bank
    theme: jax.Array  # i32, entry of the bank
    boxes: jax.Array  # i32, how many there are
    max_steps: jax.Array  # i32
    optimal: jax.Array  # i32, least number of moves; 0 where it is not known
    seed: jax.Array | None  # u32 [2], of the noise in pictures


class Tick(NamedTuple):
    """What moves at each step."""

    position: Position
    t: jax.Array  # i32, steps
    pushes: jax.Array  # i32


class State(NamedTuple):
    """One environment."""

    episode: Episode
    tick: Tick


def union(first: Plan, second: Plan) -> Plan:
    """The plan that serves both. Raises ValueError, naming what differs, if there is none."""
    if first.board != second.board:
        sizes = " and ".join(f"{board.rows}x{board.columns}" for board in (first.board, second.board))
        raise ValueError(f"configurations of one batch must share the size of their boards; found {sizes}")
    if first.kind != second.kind:
        raise ValueError(f"configurations of one batch must share observation.kind; found {first.kind!r} and {second.kind!r}")
    return first._replace(noisy=first.noisy or second.noisy, lit=first.lit or second.lit)
