"""`kagejax render FILE.replay`: the pictures of what was played."""

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from kagejax.play import replays


class Drawn(NamedTuple):
    """The pictures of a replay."""

    frames: np.ndarray  # u8 [time, H, W, 3]
    steps: int
    fps: float
    same: bool  # whether they are, bit for bit, what was played


def is_replay(source: str) -> bool:
    """Whether a source is named as a replay is."""
    return source.endswith(replays.ENDING)


def draw(source: str, on_top: Mapping[str, Any]) -> Drawn:
    """Plays a replay again, under other looks if there are settings `on_top`; says on stderr if its pictures are others now.

    Raises ConfigError for a file that is no replay, and for settings that change the game.
    """
    replay = replays.read(source)
    config = replays.config_of(replay, source, on_top)
    from rich.console import Console

    from kagejax.play.loading import prepare_jax

    prepare_jax()
    from kagejax.evaluation.views import fitted
    from kagejax.play.session import Session, digest

    frames, digests, total = [], [], sum(len(each.digests) for each in replay.episodes)
    with Console(stderr=True).status("making") as status:
        session = Session(config, replay.seed, status.update)
        for moment in replays.moments(replay, source, session):
            frames.append(moment.film)
            digests.append(digest(moment))
            status.update(f"picture {len(frames):,} of {total:,}")
    apart = None if on_top else replays.compare(replay, digests)
    if apart:
        print(_told(source, replay, apart), file=sys.stderr)
    film = np.stack(frames if len({frame.shape for frame in frames}) == 1 else list(fitted(frames)))
    return Drawn(film, sum(len(each.actions) for each in replay.episodes), replay.fps, apart is None)


def _told(source: str, replay: replays.Replay, apart: replays.Mismatch) -> str:
    import importlib.metadata

    import kagejax

    then, now = f"kagejax {replay.kagejax} with jax {replay.jax}", f"kagejax {kagejax.__version__}"
    now += f" with jax {importlib.metadata.version('jax')}"
    place = f"from step {apart.step} of episode {apart.episode} on"
    why = "Other versions may draw or play otherwise; install those for the same pictures."
    if then == now:
        why = "The versions are the same: files of yours that it names may have changed, or this machine rounds otherwise."
    return f"{source}: NOT what was played, {place}. It was made by {then}; this is {now}. {why}"
