"""The golden files of the sliding puzzle, as boards, episodes, options and pictures."""

import functools
import json
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .sliding import Grid, Options

FOLDER = pathlib.Path(__file__).parent.parent / "golden" / "sliding"
TRANSITIONS = ("2x2", "3x3", "3x4", "4x4", "5x5")
OBSERVATIONS = ("2x2", "3x3", "3x4", "4x4", "5x5")
PARITIES = ("2x2", "3x3", "3x4", "4x3", "4x4", "5x5")
RENDERS = ("2x2_84", "3x3_80", "3x3_84", "3x3_84_grey", "3x3_84_redbg", "3x3_84_resized", "3x4_84", "4x4_84", "5x5_84")
QUIRKS: Mapping[str, Options] = {
    "sticky_terminated_across_reset": Options(),
    "noop_action_4": Options(noop=True),
    "out_of_range_action_is_a_counted_stay": Options(),
    "invalid_move_reward_none": Options(invalid=None),
    "circular_actions": Options(circular=True),
    "continue_after_solved": Options(),
    "max_steps_3_truncation_and_beyond": Options(max_steps=3),
    "solve_on_last_allowed_step": Options(max_steps=1),
    "max_steps_none": Options(max_steps=None),
    "reset_to_solved_state_not_flagged": Options(),
    "blank_value_0": Options(),
}  # the files name the traces; these are the options behind the names
STICKY_QUIRKS = ("sticky_terminated_across_reset", "continue_after_solved")  # traces that a flag which is not sticky changes


class Episode(NamedTuple):
    """A recorded episode of T steps."""

    boards: np.ndarray  # i8 [T + 1, N]
    blanks: np.ndarray  # i8 [T + 1, 2], row and column
    actions: np.ndarray  # i8 [T]
    valid: np.ndarray  # bool [T]
    rewards: Mapping[str, np.ndarray]  # f64 [T] by reward mode
    terminated: np.ndarray  # bool [T]
    truncated: np.ndarray  # bool [T]


class Render(NamedTuple):
    """A recorded set of pictures of one source."""

    grid: Grid
    source: pathlib.Path
    height: int
    width: int
    background: tuple[int, int, int]
    picture: np.ndarray  # u8 [height, width, 3], the source at the size of an observation
    tiles: np.ndarray  # u8 [N, th, tw, 3]
    boards: np.ndarray  # i8 [5, N]
    frames: np.ndarray  # u8 [5, height, width, 3]
    rollout_actions: np.ndarray  # i64 [8]
    rollout_boards: np.ndarray  # i8 [9, N]
    rollout_frames: np.ndarray  # u8 [9, height, width, 3]


class QuirkStep(NamedTuple):
    """A recorded step or, without an action, a recorded reset."""

    action: int | None
    board: np.ndarray  # i8 [N]
    t: int = 0
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False


@functools.cache
def archive(name: str) -> dict[str, np.ndarray]:
    """All arrays of one npz file."""
    with np.load(FOLDER / f"{name}.npz") as data:
        return {key: data[key] for key in data.files}


@functools.cache
def document(name: str) -> Any:
    """The contents of one json file."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def boards(states: Sequence | np.ndarray, grid: Grid) -> np.ndarray:
    """Recorded states [..., rows, columns] with a blank of at most 0 as boards with a blank of 0, i8 [..., N]."""
    array = np.array(states)
    return np.where(array > 0, array, 0).astype(np.int8).reshape(*array.shape[:-2], grid.cells)


def grid_of(name: str) -> Grid:
    """The grid that a name such as "3x4" or "3x4_84" begins with."""
    rows, columns = name.split("_")[0].split("x")
    return Grid(int(rows), int(columns))


@functools.cache
def max_steps(name: str) -> int:
    """Time limit of the recorded episodes of a grid."""
    return int(archive(f"transitions_{name}")["max_steps"])


@functools.cache
def episodes(name: str) -> tuple[Episode, ...]:
    """The 48 recorded episodes of a grid."""
    data, grid = archive(f"transitions_{name}"), grid_of(name)
    modes = {"distances": "reward_dense", "percent_solved": "reward_percent", "sparse": "reward_sparse"}
    return tuple(
        Episode(
            boards=boards(data["states"][e, : length + 1], grid),
            blanks=data["blank"][e, : length + 1],
            actions=data["actions"][e, :length],
            valid=data["valid"][e, :length],
            rewards={mode: data[key][e, :length] for mode, key in modes.items()},
            terminated=data["terminated"][e, :length],
            truncated=data["truncated"][e, :length],
        )
        for e, length in enumerate(data["length"].tolist())
    )


@functools.cache
def render(name: str) -> Render:
    """A recorded set of pictures by name."""
    data = archive(f"render_{name}")
    grid = Grid(int(data["h"]), int(data["w"]))
    width, height = data["image_size_wh"].tolist()
    picture = data["resized_source"]
    return Render(
        grid=grid,
        source=FOLDER / "images" / str(data["source"]),
        height=height,
        width=width,
        background=tuple(data["background"].tolist()),
        picture=picture if picture.ndim == 3 else np.repeat(picture[..., None], 3, axis=2),
        tiles=data["tiles"],
        boards=boards(data["states"], grid),
        frames=data["obs"],
        rollout_actions=data["rollout_actions"],
        rollout_boards=boards(data["rollout_states"], grid),
        rollout_frames=data["rollout_obs"],
    )


@functools.cache
def quirk(name: str) -> tuple[QuirkStep, ...]:
    """A recorded trace on the 3x3 grid, resets included; a time limit that is none truncates nothing."""
    trace = next(entry["trace"] for entry in document("quirks") if entry["name"] == name)
    grid = Grid(3, 3)
    return tuple(
        QuirkStep(None, boards(row["state"], grid))
        if row["op"] == "reset"
        else QuirkStep(
            action=row["action"],
            board=boards(row["state"], grid),
            t=row["steps_counter"],
            reward=row["reward"],
            terminated=row["terminated"],
            truncated=bool(row["truncated"]),
        )
        for row in trace
    )
