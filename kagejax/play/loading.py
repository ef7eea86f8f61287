"""A session made beside a window that is there already: a thread of its own imports jax and compiles."""

import os
import threading
from typing import Any

from kagejax.assets import cache
from kagejax.config.schema import ConfigModel

NOT_THE_GPU = "cpu"


class Unplayable(ValueError):
    """An environment whose actions no keys can give, or whose observations nothing can show."""


class Loading:
    """A session of `config` on its way.

    `stage` says what is being done. `moment`, the first of episode 0, is there before the session is ready to act. `error` is
    what went wrong instead.
    """

    def __init__(self, config: ConfigModel, seed: int):
        self.stage = "starting jax"
        self.session: Any = None
        self.moment: Any = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(config, seed), name="kagejax play")
        self._thread.start()

    def _run(self, config: ConfigModel, seed: int) -> None:
        try:
            prepare_jax()
            from .controls import controls_of
            from .session import Session

            session = Session(config, seed, self._tell)
            try:
                controls_of(session.env)
                moment = session.start()
            except ValueError as problem:
                raise Unplayable(str(problem)) from problem
            self.session, self.moment = session, moment
            self._tell("compiling the game")
            session.prepare()
        except BaseException as error:  # told by whoever waits, in the main thread
            self.error = error

    def _tell(self, stage: str) -> None:
        self.stage = stage

    def join(self, seconds: float | None = None) -> None:
        """Waits until all is compiled, or something went wrong. Raises what did."""
        self._thread.join(seconds)
        self.raise_error()

    def raise_error(self) -> None:
        """Raises what went wrong, if something did."""
        if self.error is not None:
            raise self.error


def prepare_jax() -> None:
    """Has jax play on the CPU, unless something else is asked for, and keep compiled programs for the next time.

    A GPU is left to what trains on it: jax would take most of its memory. Where jax is in use already, or has a folder for
    programs, nothing changes.
    """
    os.environ.setdefault("JAX_PLATFORMS", NOT_THE_GPU)
    cache.keep_programs()
