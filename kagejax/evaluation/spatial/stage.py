"""What the evaluation needs of the environment: boards to play on, verdicts and pictures. One program serves all puzzles.

`pictures.picture` makes an environment of the one puzzle that it is given; here all of a size are in one bank.
"""

import base64
import functools
import io
from collections.abc import Iterable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
import PIL.Image

from kagejax.envs.spatial import build, pictures, play
from kagejax.envs.spatial.config import SpatialConfig
from kagejax.envs.spatial.puzzles import Path, Puzzle

from .settings import Protocol


class Stage:
    """The puzzles of a run, to play by a protocol. Programs are compiled when they are first needed."""

    def __init__(self, puzzles: Sequence[Puzzle], protocol: Protocol):
        self.puzzles, self.protocol = tuple(puzzles), protocol
        self.session = play.Session(self.puzzles, protocol.traceback, protocol.max_steps)
        self._sizes: dict[tuple[int, int], tuple] = {}  # environment, params and ids of all puzzles of a size

    def warm(self, indices: Iterable[int]) -> None:
        """Compiles what playing these puzzles needs: seconds in which nothing else would be heard of."""
        indices = list(indices)
        first = self.puzzles[indices[0]]
        self.verdict(indices[0], (first.start,))
        if self.protocol.stepwise:
            snapshot = self.session.start(indices[0])
            self.session.act(snapshot, snapshot.legal[0])
        if self.protocol.view == "picture":
            sizes = {(self.puzzles[index].cells_w, self.puzzles[index].cells_h): index for index in indices}
            for index in sizes.values():
                self.picture_url(index, (self.puzzles[index].start,))

    def verdict(self, index: int, path: Path) -> dict[str, bool]:
        """What each of names.RULES says of a complete line on puzzle `index`; all of them: it is solved."""
        return self.session.check(index, path).rules

    def picture_url(self, index: int, path: Path) -> str:
        """Puzzle `index` with the line so far, as a PNG in a data URL; the board fills the picture."""
        puzzle = self.puzzles[index]
        env, params, ids = self._same_size(puzzle)
        place = params.control._replace(first_puzzle=jnp.int32(ids.index(puzzle.id)))
        params = params._replace(control=place)
        frame = _observe(env, pictures.state_of(env, params, puzzle, path), params)
        content = io.BytesIO()
        PIL.Image.fromarray(np.asarray(frame)).save(content, "PNG")
        return "data:image/png;base64," + base64.b64encode(content.getvalue()).decode()

    def _same_size(self, puzzle: Puzzle) -> tuple:
        size = (puzzle.cells_w, puzzle.cells_h)
        if size not in self._sizes:
            group = [other for other in self.puzzles if (other.cells_w, other.cells_h) == size]
            side = self.protocol.picture_size
            seen = {"kind": "picture", "height": side, "width": side}
            lattice = {"cells_w": size[0], "cells_h": size[1]}
            config = SpatialConfig.model_validate({"lattice": lattice, "observation": seen})
            self._sizes[size] = (*build.from_puzzles(group, config), [other.id for other in group])
        return self._sizes[size]


@functools.partial(jax.jit, static_argnums=0)
def _observe(env, state, params):
    return env.observe(state, params)
