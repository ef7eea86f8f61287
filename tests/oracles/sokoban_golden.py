"""The golden files of Sokoban, as levels, episodes, pictures and cases of the harness."""

import functools
import json
import pathlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .sokoban import LETTERS
from .sokoban_evaluation import Act
from .sokoban_pictures import DEFAULT_THEME

FOLDER = pathlib.Path(__file__).parent.parent / "golden" / "sokoban"
FLAGS = ("moved", "pushed", "invalid", "solved", "truncated", "done")
BOARD_SIZES = (6, 7, 8, 10)
TILES: Mapping[str, tuple[str, ...]] = {
    "floor": (),
    "wall": ("wall",),
    "goal": ("goal",),
    "box": ("box",),
    "box_on_goal": ("box", "goal"),
    "player": ("player",),
    "player_on_goal": ("player", "goal"),
}  # what lies on a recorded tile


class GoldenLevel(NamedTuple):
    """A recorded level."""

    name: str  # its split and its place there, such as "A3"
    text: str
    rows: int
    columns: int
    boxes: frozenset[int]
    goals: frozenset[int]
    player: int
    optimal_length: int
    max_steps: int
    solution: tuple[int, ...]
    theme: Mapping[str, Any] | None
    exact: Mapping[str, int] | None  # free_cells, index_size, solvable_states, max_distance; none for split E
    tier: int | None  # of hidden levels: tier, place in it, shortest and longest solution allowed
    index_in_tier: int | None
    band: tuple[int, int] | None

    @property
    def split(self) -> str:
        return self.name[0]


class Rollout(NamedTuple):
    """A recorded episode of T steps; everything but the actions is after each step."""

    level: str
    kind: str
    max_steps: int
    actions: tuple[int, ...]
    players: tuple[int, ...]
    boxes: tuple[frozenset[int], ...]
    flags: Mapping[str, np.ndarray]  # bool [T] by the names in FLAGS
    corner_dead: np.ndarray  # bool [T]
    exact_dead: np.ndarray | None  # bool [T]; none for split E
    distances: np.ndarray | None  # i64 [T], -1 for dead states
    final_text: str


class GoldenFrame(NamedTuple):
    """A recorded picture."""

    index: int
    text: str  # of the state, or of the first state of the level if the picture is of the goal
    is_goal: bool
    theme: Mapping[str, Any]
    has_noise: bool
    digest: str  # SHA-256 of the bytes
    picture: np.ndarray  # u8 [64, 64, 3]


class Case(NamedTuple):
    """A scripted episode of the harness with what was recorded of it, enforcing the cap ("strict") and not ("lenient")."""

    text: str
    optimal_length: int
    max_steps: int
    acts: tuple[Act, ...]
    episodes: Mapping[str, Mapping[str, Any]]


@functools.cache
def archive(name: str) -> dict[str, np.ndarray]:
    """All arrays of one npz file."""
    with np.load(FOLDER / f"{name}.npz") as data:
        return {key: data[key] for key in data.files}


@functools.cache
def document(name: str) -> Any:
    """The contents of one json file."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def actions(letters: str) -> tuple[int, ...]:
    return tuple(LETTERS.index(letter) for letter in letters)


def _flags(digits: str) -> np.ndarray:
    return np.array([digit == "1" for digit in digits])


@functools.cache
def levels() -> Mapping[str, GoldenLevel]:
    """The 40 recorded levels by name."""
    found = {}
    for entry in document("levels")["levels"]:
        columns = entry["width"]

        def cells(places: list[list[int]], columns: int = columns) -> frozenset[int]:
            return frozenset(row * columns + column for row, column in places)

        (player,) = cells([entry["player"]])
        found[entry["id"]] = GoldenLevel(
            name=entry["id"],
            text=entry["ascii"],
            rows=entry["height"],
            columns=columns,
            boxes=cells(entry["boxes"]),
            goals=cells(entry["goals"]),
            player=player,
            optimal_length=entry["optimal_len"],
            max_steps=entry["max_steps"],
            solution=actions(entry["solution"]),
            theme=entry.get("theme"),
            exact=entry["exact"],
            tier=entry.get("tier"),
            index_in_tier=entry.get("index_in_tier"),
            band=tuple(entry["band"]) if "band" in entry else None,
        )
    return found


@functools.cache
def rollouts() -> tuple[Rollout, ...]:
    """The 132 recorded episodes."""
    return tuple(
        Rollout(
            level=entry["level"],
            kind=entry["kind"],
            max_steps=entry["max_steps"],
            actions=actions(entry["actions"]),
            players=tuple(entry["player"]),
            boxes=tuple(map(frozenset, entry["boxes"])),
            flags={name: _flags(entry[name]) for name in FLAGS},
            corner_dead=_flags(entry["corner_dead"]),
            exact_dead=None if entry["exact_dead"] is None else _flags(entry["exact_dead"]),
            distances=None if entry["dist"] is None else np.array(entry["dist"]),
            final_text=entry["final_ascii"],
        )
        for entry in document("rollouts")
    )


@functools.cache
def frames() -> tuple[GoldenFrame, ...]:
    """The 62 recorded pictures."""
    pictures = archive("frames")["frames"]
    return tuple(_frame(entry, pictures[entry["i"]]) for entry in document("frames"))


def _frame(entry: Mapping[str, Any], picture: np.ndarray) -> GoldenFrame:
    what, has_noise = entry["what"], "with its noise" in entry["theme"]
    level = levels().get(what.get("level"))
    theme = DEFAULT_THEME if entry["theme"] == "default" else level.theme
    return GoldenFrame(
        index=entry["i"],
        text=what.get("ascii") or level.text,
        is_goal=what["state"] == "goal_image",
        theme=theme if has_noise else {**theme, "noise_std": 0.0},
        has_noise=has_noise,
        digest=entry["sha256"],
        picture=picture,
    )


@functools.cache
def cases() -> tuple[Case, ...]:
    """The six scripted episodes of the harness."""
    data = document("eval_cases")
    return tuple(
        Case(
            text=entry["ascii"],
            optimal_length=entry["optimal_len"],
            max_steps=entry["max_steps"],
            acts=tuple(map(Act, actions(script["actions"]), script["ticks"])),
            episodes={mode: data["results"][mode]["episodes"][index] for mode in ("strict", "lenient")},
        )
        for index, (entry, script) in enumerate(zip(data["split"]["levels"], data["scripts"], strict=True))
    )
