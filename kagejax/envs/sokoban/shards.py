"""The public shard layout: every picture of some episodes in one .npz. SPEC section 7."""

import json
import os
import pathlib
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import build, dataset, rules, scene, text
from .dataset import NO_ACTION, Episodes
from .levels import Entry, Split
from .params import Tick


def arrays(data: Episodes) -> dict[str, np.ndarray]:
    """A data set as the arrays of one shard, pictures drawn in the default theme."""
    boards, goals = _pictures(data)
    kept = np.arange(data.actions.shape[1] + 1)[None, :] <= data.lengths[:, None]

    def flat(values: np.ndarray, last: int) -> np.ndarray:
        return np.concatenate([values, np.full((len(values), 1), last, values.dtype)], axis=1)[kept]

    frames = data.lengths.astype(np.int64) + 1
    return {
        "frames": boards[kept],
        "actions": flat(data.actions, NO_ACTION),
        "pushed": flat(data.pushed, False),
        "invalid": flat(data.invalid, False),
        "episode_starts": np.cumsum([0, *frames[:-1]], dtype=np.int64),
        "episode_lens": frames,
        "goal_frames": goals,
        "solved": data.solved,
        "kind": data.kind,
        "levels": np.array([text.write(level) for level in data.levels]),
    }


def sidecar(shard: dict[str, np.ndarray], seed: int, number: int, boxes: int, mix: Sequence[float]) -> dict[str, Any]:
    """What stands beside a shard, with the share of transitions of each kind."""
    episodes, frames = len(shard["levels"]), len(shard["frames"])
    steps = shard["episode_lens"] - 1
    by_kind = {
        dataset.KINDS[kind]: float(steps[shard["kind"] == kind].sum() / max(steps.sum(), 1))
        for kind in np.unique(shard["kind"])
    }
    return {
        "episodes": episodes,
        "frames": frames,
        "transitions": frames - episodes,
        "solved_fraction": float(shard["solved"].mean()),
        "seed": seed,
        "shard": number,
        "board_size": len(str(shard["levels"][0]).split("\n")),
        "n_boxes": boxes,
        "mix": list(mix),
        "transition_shares": by_kind,
    }


def write(folder: str | pathlib.Path, number: int, shard: dict[str, np.ndarray], beside: dict[str, Any]) -> pathlib.Path:
    """Writes shard_NNNN.npz and .json; each appears complete or not at all. Gives the path of the first."""
    path = pathlib.Path(folder) / f"shard_{number:04d}.npz"
    draft = path.with_name(path.name + ".part")
    with draft.open("wb") as file:
        np.savez_compressed(file, **shard)
    note = path.with_suffix(".json")
    note.with_name(note.name + ".part").write_text(json.dumps(beside, indent=2) + "\n")
    os.replace(note.with_name(note.name + ".part"), note)
    os.replace(draft, path)
    return path


def read(path: str | pathlib.Path) -> Episodes:
    """The episodes of a shard, with labels worked out anew. Raises ValueError if its flags are not those of its actions."""
    with np.load(path) as shard:
        parts = []
        for i, level in enumerate(shard["levels"]):
            first, frames = int(shard["episode_starts"][i]), int(shard["episode_lens"][i])
            actions = shard["actions"][first : first + frames - 1]
            wrong = ValueError(f"{path}: episode {i} does not go as its actions say")
            if not ((actions >= 0) & (actions < 4)).all():
                raise wrong
            part = dataset.record(text.parse(str(level), lenient=True), actions, int(shard["kind"][i]), frames - 1)
            same = part.lengths[0] == frames - 1 and part.solved[0] == shard["solved"][i]
            for name in ("pushed", "invalid"):
                same = same and (getattr(part, name)[0] == shard[name][first : first + frames - 1]).all()
            if not same:
                raise wrong
            parts.append(part)
    return dataset.joined(parts)


def _pictures(data: Episodes) -> tuple[np.ndarray, np.ndarray]:
    """Pictures of all boards u8 [E, S + 1, 64, 64, 3], and of all goals u8 [E, 64, 64, 3]."""
    entries = tuple(Entry(level, None, None, None, {}) for level in data.levels)
    env, params = build.from_split(Split(None, None, None, entries, {}))
    start = jax.vmap(env.start, (0, None, None))(jnp.arange(len(entries), dtype=jnp.int32), jax.random.key(0), params)

    @jax.jit
    def drawn(start, boxes, player):
        zero = jnp.zeros_like(player)
        state = start._replace(tick=Tick(rules.Position(boxes, player), zero, zero))
        return jax.vmap(scene.drawer(env.plan, "auto", False), (0, None))(state, params)

    boards = [
        np.asarray(drawn(start, jnp.asarray(data.boxes[:, step]), jnp.asarray(data.player[:, step], jnp.int32)))
        for step in range(data.boxes.shape[1])
    ]
    goals = np.asarray(jax.jit(jax.vmap(scene.drawer(env.plan, "auto", True), (0, None)))(start, params))
    return np.stack(boards, axis=1), goals
