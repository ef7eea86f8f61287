"""What is kept of episodes while they are played: actions and digests for a replay, pictures for a film."""

import dataclasses
import math
import pathlib
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from .replays import Episode, Replay

FASTEST_GIF = 50
"""Pictures per second; viewers slow down those that are faster."""
LARGEST = 2**30
"""Bytes of a film before it is encoded; what does not fit is left out at the end."""


@dataclasses.dataclass
class Recording:
    """Everything played. An episode without a step is not kept. `film`: whether pictures are."""

    film: bool = False
    episodes: list = dataclasses.field(default_factory=list)
    now: Any = None  # the episode under way

    def begin(self, moment: Any) -> None:
        """An episode begins."""
        self._keep()
        self.now = _Episode(moment.episode)
        self._look(moment)

    def add(self, action: Any, moment: Any) -> None:
        """A step, and where it led."""
        self.now.actions.append(np.asarray(action).tolist())
        self.now.total = moment.total
        self.now.ended = "terminated" if moment.terminated else "truncated" if moment.truncated else None
        self._look(moment)

    def _look(self, moment: Any) -> None:
        from .session import digest

        self.now.digests.append(digest(moment))
        if self.film:
            self.now.pictures.append((moment.film.shape, zlib.compress(np.ascontiguousarray(moment.film), 1)))

    def _keep(self) -> None:
        if self.now is not None and self.now.actions:
            self.episodes.append(self.now)
        self.now = None

    @property
    def played(self) -> list:
        """All episodes with a step, the one under way included."""
        return [*self.episodes, *([self.now] if self.now is not None and self.now.actions else [])]

    def replay(self, config: Any, seed: int, fps: float) -> Replay:
        """What was played, to be kept."""
        played = [
            Episode(each.number, tuple(each.actions), tuple(each.digests), each.total, each.ended) for each in self.played
        ]
        return Replay.of(config, seed, fps, played)

    def write_film(self, path: pathlib.Path, scale: int, fps: float) -> tuple[int, int]:
        """Writes all pictures as GIF or MP4, `paced`; how many, and how many were left out for their size.

        Raises as `films.write`.
        """
        from kagejax.evaluation import films
        from kagejax.evaluation.views import fitted

        from .drawing import enlarged

        pictures = [picture for each in self.played for picture in each.pictures]
        most = max(1, LARGEST // max(int(np.prod(shape)) * scale**2 for shape, _ in pictures))
        kept = [np.frombuffer(zlib.decompress(data), np.uint8).reshape(shape) for shape, data in pictures[:most]]
        left_out = len(pictures) - len(kept)
        if len({picture.shape for picture in kept}) > 1:
            kept = list(fitted(kept))
        kept, fps = paced(path, kept, fps)
        films.write(path, np.stack([enlarged(picture, scale) for picture in kept]), fps)
        return len(kept), left_out


def paced(path: pathlib.Path, pictures: Sequence, fps: float) -> tuple[Sequence, float]:
    """Pictures of a film, and how many of them a second has: of a GIF faster than FASTEST_GIF every second, or fewer."""
    stride = -(-math.ceil(fps) // FASTEST_GIF) if path.suffix.lower() == ".gif" else 1
    return pictures[::stride], fps / stride


class _Episode:
    """An episode under way."""

    def __init__(self, number: int):
        self.number = number
        self.actions: list = []
        self.digests: list[str] = []
        self.pictures: list[tuple[tuple, bytes]] = []
        self.total = 0.0
        self.ended: str | None = None
