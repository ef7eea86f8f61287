"""The numbers of a configuration as arrays (`Params`), what must be static about it (`Plan`), and the state of an episode."""

from typing import Any, NamedTuple

import jax

from .rules import Grid
from .text import Tokens

REWARDS = ("distances", "percent_solved", "sparse")
STARTS = ("uniform", "scramble", "board")
PICTURES = ("image", "board")
"""Kinds of observation that are pictures."""


class Control(NamedTuple):
    """Everything that dynamics, reward and horizon read."""

    max_steps: jax.Array  # i32; the greatest i32 where there is no limit
    circular: jax.Array  # bool
    joystick_threshold: jax.Array  # f32
    sticky: jax.Array  # bool, a solved flag outlives its episode; read only where the plan says that some configuration's may
    reward_mode: jax.Array  # i32, index into REWARDS
    win: jax.Array  # f32
    move: jax.Array  # f32
    invalid: jax.Array  # f32
    invalid_repeats: jax.Array  # bool, the last reward again instead of `invalid`
    exponential: jax.Array  # bool
    start: jax.Array  # i32, index into STARTS
    scramble_steps: jax.Array  # i32
    scramble_enough: jax.Array  # i32, distance at which a scramble ends
    board: jax.Array  # [N], start of mode board


class Look(NamedTuple):
    """Everything that only the observation reads."""

    first_picture: jax.Array  # i32, entry of the bank
    pictures: jax.Array  # i32, how many follow from there; for kind text, of texts
    difficulty: jax.Array  # f32, of procedural pictures
    background: jax.Array  # u8 [3]
    text: Tokens | None


class Bank(NamedTuple):
    """Arrays shared by all environments and configurations of a batch."""

    tiles: jax.Array | None  # u8 [pictures * N, th, 3 * tw]; entry 0 of a picture is its blank, v its tile v
    optimal: jax.Array | None  # u8 [N!], least number of moves by rank of the board


class Params(NamedTuple):
    """Every number of a configuration."""

    control: Control
    look: Look
    bank: Bank


class Plan(NamedTuple):
    """Static facts. Configurations of one batch agree on all but the last five, which join."""

    grid: Grid
    kind: str
    height: int  # px
    width: int
    channels_first: bool
    scaled: bool
    normalize_coordinates: bool
    blank_value: int
    augment: tuple[str, ...]
    joystick: bool
    noop: bool
    fresh: bool  # a procedural picture per episode
    alphabet: str = ""  # of token ids
    text_length: int = 0  # tokens of an observation
    starts: tuple[str, ...] = ("uniform",)  # modes that some configuration uses
    sticky: bool = False  # some configuration lets a solved flag outlive its episode
    optimal: bool = False  # some configuration asks for optimal lengths

    @property
    def seeded(self) -> bool:
        """Whether an observation draws from a seed of its episode."""
        return self.fresh or bool(self.augment)

    @property
    def canvas(self) -> tuple[int, int]:
        """Rows and columns of pixels that whole tiles cover; at least height and width."""
        return self.grid.rows * self.tile[0], self.grid.columns * self.tile[1]

    @property
    def tile(self) -> tuple[int, int]:
        """Height and width of a tile."""
        return -(-self.inner[0] // self.grid.rows), -(-self.inner[1] // self.grid.columns)

    @property
    def inner(self) -> tuple[int, int]:
        """Height and width of the picture before `augment` crops it."""
        if "crop" in self.augment:
            return round(self.height * CROP), round(self.width * CROP)
        return self.height, self.width


CROP = 100 / 84
"""How much larger a picture is before a random part of it is cut out."""


class Episode(NamedTuple):
    """Fixed until the next reset."""

    picture: jax.Array  # i32, which of the configuration's pictures or texts
    seed: jax.Array | None  # u32 [2], of a fresh picture or of augmentations
    optimal: jax.Array | None  # u8, least number of moves from the first board


class Tick(NamedTuple):
    """What moves at each step."""

    board: jax.Array  # i8 or i16 [N]
    blank: jax.Array  # i32, cell of the blank
    distance: jax.Array  # i32, rules.distance of the board
    t: jax.Array  # i32, steps that counted
    last_reward: jax.Array  # f32
    solved: jax.Array | None  # bool, last terminated flag, where it may outlive its move


class State(NamedTuple):
    """One environment."""

    episode: Episode
    tick: Tick


def union(first: Plan, second: Plan) -> Plan:
    """The plan that serves both. Raises ValueError, naming what differs, if there is none."""
    names = {"grid": "grid", "joystick": "play.joystick", "noop": "play.noop", "fresh": "pictures.fresh"}
    shared = ("kind", "height", "width", "channels_first", "scaled", "normalize_coordinates", "blank_value", "augment")
    names |= {name: f"observation.{name}" for name in shared}
    for field, path in names.items():
        a, b = getattr(first, field), getattr(second, field)
        if a != b:
            raise ValueError(f"configurations of one batch must share {path}; found {_shown(a)} and {_shown(b)}")
    return first._replace(
        starts=tuple(sorted({*first.starts, *second.starts})),
        sticky=first.sticky or second.sticky,
        optimal=first.optimal or second.optimal,
    )


def _shown(value: Any) -> str:
    return f"{value.rows}x{value.columns}" if isinstance(value, Grid) else repr(value)
