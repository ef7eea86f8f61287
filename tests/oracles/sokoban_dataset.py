"""Oracle of the data set of Sokoban: what is played in an episode, and how episodes lie in a shard."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import sokoban, sokoban_pictures

RANDOM, SOLVER, PERTURBED = range(3)
INSERTED = 3  # random actions in a perturbed solution
NO_ACTION = -1


class Episode(NamedTuple):
    """An episode to be recorded; it stops at the first action that ends it."""

    text: str
    actions: Sequence[int]
    kind: int


def actions_of(kind: int, rng: np.random.Generator, solution: Sequence[int], max_steps: int) -> list[int]:
    """Actions of an episode of a kind, by chance but for the solver's."""
    if kind == RANDOM:
        return rng.integers(4, size=max_steps).tolist()
    actions = list(solution)
    for _ in range(INSERTED if kind == PERTURBED else 0):
        actions.insert(int(rng.integers(len(actions) + 1)), int(rng.integers(4)))
    return actions


def shard(episodes: Sequence[Episode], max_steps: int = 80) -> dict[str, np.ndarray]:
    """The arrays of a shard: all pictures after one another, an action of -1 at the last of each episode."""
    frames, actions, pushed, invalid, lengths, goals, solved = [], [], [], [], [], [], []
    for episode in episodes:
        board, game = sokoban.parse(episode.text)
        steps = sokoban.play(board, game, episode.actions, max_steps)
        games = [game, *(after for after, _ in steps)]
        outcomes = [outcome for _, outcome in steps]
        frames += [sokoban_pictures.frame(board, state.boxes, state.player) for state in games]
        actions += [*episode.actions[: len(steps)], NO_ACTION]
        pushed += [*(outcome.pushed for outcome in outcomes), False]
        invalid += [*(outcome.invalid for outcome in outcomes), False]
        lengths.append(len(games))
        goals.append(sokoban_pictures.goal_frame(board))
        solved.append(sokoban.is_solved(board, games[-1].boxes))
    return {
        "frames": np.stack(frames),
        "actions": np.array(actions, np.int8),
        "pushed": np.array(pushed),
        "invalid": np.array(invalid),
        "episode_starts": np.cumsum([0, *lengths[:-1]], dtype=np.int64),
        "episode_lens": np.array(lengths, np.int64),
        "goal_frames": np.stack(goals),
        "solved": np.array(solved),
        "kind": np.array([episode.kind for episode in episodes], np.int8),
        "levels": np.array([episode.text for episode in episodes]),
    }


def sidecar(
    arrays: Mapping[str, np.ndarray], seed: int, number: int, size: int, boxes: int, mix: Sequence[float]
) -> dict[str, Any]:
    """What stands beside a shard."""
    episodes, frames = len(arrays["levels"]), len(arrays["frames"])
    return {
        "episodes": episodes,
        "frames": frames,
        "transitions": frames - episodes,
        "solved_fraction": float(arrays["solved"].mean()),
        "seed": seed,
        "shard": number,
        "board_size": size,
        "n_boxes": boxes,
        "mix": list(mix),
    }
