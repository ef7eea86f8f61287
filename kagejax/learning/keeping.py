"""What a run keeps on disk, so that one killed at any moment goes on as if nothing had happened.

    RUN/status.json            what state the run is in, replaced as a whole
    RUN/checkpoint/STEP/       the whole training state, by Orbax
    RUN/checkpoint/STEP.json   its step, score, settings and a digest of every number in it; written last

A checkpoint without its second file was never finished and counts as not there. The newest two and the best are kept.
"""

import contextlib
import hashlib
import json
import pathlib
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import jax
import numpy as np

from . import checkpoints, groups, machines
from .run import write_json

KEPT = 2
"""Newest checkpoints kept: if one is damaged, the one before it is there."""
RUNNING, FINISHED, INTERRUPTED, FAILED = "running", "finished", "interrupted", "failed"


class Kept(NamedTuple):
    """A finished checkpoint."""

    step: int
    score: float | None  # higher is better; None where nothing was evaluated
    settings: Mapping[str, Any]
    digest: str
    path: pathlib.Path


class SettingsDiffer(ValueError):
    """A checkpoint is one of another configuration; the message names the keys."""


def say_status(folder: pathlib.Path, state: str, step: int, total: int, error: str | None = None) -> None:
    """Replaces `status.json`."""
    updated = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    content = {"state": state, "step": step, "total_steps": total, "error": error, "updated": updated}
    write_json(folder / "status.json", content)


def status(folder: pathlib.Path) -> str | None:
    """The state that `status.json` says; None where there is none."""
    try:
        return json.loads((folder / "status.json").read_text())["state"]
    except (OSError, ValueError, KeyError):
        return None


def finished(folder: pathlib.Path, total: int, settings: Mapping[str, Any]) -> bool:
    """Whether a run of these settings has been trained for `total` steps, or ended early on its own.

    Raises SettingsDiffer if it is one of other settings.
    """
    if status(folder) != FINISHED or not listed(folder):
        return False
    _same(listed(folder)[-1], settings)
    return json.loads((folder / "status.json").read_text())["total_steps"] == total


@contextlib.contextmanager
def failing(folder: pathlib.Path, total: int) -> Iterator[None]:
    """Says in `status.json` that a run failed if the work within does; one of other settings is left as it is."""
    try:
        yield
    except SettingsDiffer:
        raise
    except Exception as error:
        found = listed(folder)
        step = found[-1].step if found else 0
        say_status(folder, FAILED, step, total, f"{type(error).__name__}: {error}")
        raise


def digest(tree: Any) -> str:
    """SHA-256 of every leaf of a tree: path, dtype, shape and bytes."""
    found = hashlib.sha256()
    for path, leaf in jax.tree_util.tree_leaves_with_path(groups.gathered(tree)):
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        array = np.ascontiguousarray(leaf)
        found.update(f"{jax.tree_util.keystr(path)} {array.dtype} {array.shape}".encode())
        found.update(array.data if array.size else b"")
    return found.hexdigest()


def save(folder: pathlib.Path, tree: Any, step: int, settings: Mapping[str, Any], score: float | None = None) -> None:
    """Writes a checkpoint of `folder`, and removes those that are neither among the newest nor the best. Where several machines
    train together, all of them call this."""
    place = folder / "checkpoint" / str(step)
    note = place.with_suffix(".json")
    if machines.first():
        note.unlink(missing_ok=True)
    checkpoints.save(place, tree)
    found = digest(tree)
    if not machines.first():
        return
    write_json(note, {"step": step, "score": score, "settings": settings, "digest": found})
    found = listed(folder)
    best = best_of(found)
    for old in found[:-KEPT]:
        if best is None or old.step != best.step:
            old.path.with_suffix(".json").unlink()
            shutil.rmtree(old.path)


def listed(folder: pathlib.Path) -> list[Kept]:
    """The finished checkpoints of a run, oldest first."""
    found = []
    for note in (folder / "checkpoint").glob("*.json"):
        try:
            content = json.loads(note.read_text())
            kept = Kept(content["step"], content["score"], content["settings"], content["digest"], note.with_suffix(""))
        except (ValueError, KeyError, TypeError):
            continue
        if kept.path.is_dir():
            found.append(kept)
    return sorted(found)


def best_of(found: list[Kept]) -> Kept | None:
    """The one with the highest score, of equals the oldest; None where none has a score."""
    scored = [kept for kept in found if kept.score is not None]
    return max(scored, key=lambda kept: (kept.score, -kept.step)) if scored else None


def newest(
    folder: pathlib.Path, like: Any, settings: Mapping[str, Any], warn: Callable[[str], None], latest: int | None = None
) -> Any | None:
    """The training state of the newest checkpoint that is whole, placed as `like`; None where there is none. `latest`: of those
    up to that step.

    One that is damaged is passed over, and `warn` is told. Raises SettingsDiffer if the newest one is of other `settings`.
    """
    for kept in reversed(listed(folder)):
        _same(kept, settings)
        if latest is not None and kept.step > latest:
            continue
        try:
            tree = checkpoints.restore(kept.path, like)
            if digest(tree) == kept.digest:
                return tree
            problem = "its numbers are not those that were saved"
        except Exception as error:  # Orbax raises errors of many kinds for files that are cut, missing or garbled
            problem = str(error).partition("\n")[0]
        warn(f"{kept.path} is damaged ({problem}); going on from the one before it.")
    return None


def _same(kept: Kept, settings: Mapping[str, Any]) -> None:
    differing = sorted(key for key in {*settings, *kept.settings} if kept.settings.get(key) != settings.get(key))
    if differing:
        shown = "; ".join(f"{key} was {kept.settings.get(key)!r} and is {settings.get(key)!r}" for key in differing[:5])
        raise SettingsDiffer(f"{kept.path} is a checkpoint of another configuration: {shown}. Use another run_dir.")


def cut(path: pathlib.Path, step: int) -> None:
    """Takes from a file of JSON lines those behind `step`: they are written again by the run that goes on from there."""
    if not path.exists():
        return
    lines = path.read_text().splitlines(keepends=True)
    kept = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= step]
    draft = path.with_name(path.name + ".part")
    draft.write_text("".join(kept))
    draft.replace(path)
