"""A window by pygame: shows pages, hears the keyboard, and draws only when something has changed."""

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from kagejax.config.problems import ConfigError, Problem, Where

from . import page
from .loading import Loading
from .player import Player

MISSING = "A window needs pygame-ce, which is not installed: pip install 'kagejax[play]'. Or play here with --terminal."
UNSEEN = ("dummy", "offscreen")
"""Drivers that pygame falls back to where nobody would see the window."""
PATIENCE = 0.25
"""Seconds between looks at the window where nothing happens by itself."""
EDGES = (32, 80)
"""Pixels of the screen, across and down, that a new window leaves free."""


class Window:
    """One window. Raises ConfigError where there is no package or no screen for it."""

    def __init__(self, title: str, shape: tuple[int, int], scale: int):
        self.pygame = pygame = _pygame()
        try:
            pygame.display.init()
            if pygame.display.get_driver() in UNSEEN and "SDL_VIDEODRIVER" not in os.environ:
                raise pygame.error("no screen was found")
            screen = pygame.display.get_desktop_sizes()[0]
            pygame.display.set_caption(f"kagejax play: {title}")
            size = page.window_size(shape, scale, (screen[0] - EDGES[0], screen[1] - EDGES[1]))
            pygame.display.set_mode(size, pygame.RESIZABLE)
        except pygame.error as error:
            pygame.display.quit()
            message = f"There is no screen for a window ({error}). Over ssh, play in the terminal: add --terminal."
            raise ConfigError(Problem(Where("kagejax play"), "", message)) from None
        self.title, self.scale = title, scale
        self._seen: tuple[Any, Any] = (None, ())

    def fit(self, player: Player) -> None:
        """Resizes the window, once the shapes of pictures are known."""
        screen = self.pygame.display.get_desktop_sizes()[0]
        seen = max(part.picture.shape[0] for part in self._parts(player))
        size = page.window_size(player.moment.picture.shape, self.scale, (screen[0] - EDGES[0], screen[1] - EDGES[1]), seen)
        if size != self.size:
            self.pygame.display.set_mode(size, self.pygame.RESIZABLE)

    def _parts(self, player: Player) -> Any:
        if self._seen[0] is not player.moment:
            self._seen = player.moment, player.session.seen(player.moment)
        return self._seen[1]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.pygame.display.get_surface().get_size()

    def show(self, pixels: np.ndarray) -> None:
        """Shows a page u8 [height, width, 3]."""
        surface = self.pygame.display.get_surface()
        if surface.get_size() != pixels.shape[1::-1]:  # resized since the page was composed
            return
        self.pygame.surfarray.blit_array(surface, pixels.transpose(1, 0, 2))
        self.pygame.display.flip()

    def draw(self, player: Player) -> None:
        """Shows a player's episode."""
        words = page.words_of(player, self.title)
        self.show(page.compose(words, player.moment.picture, self._parts(player), *self.size, self.scale))

    def wait(self, seconds: float) -> list[Any]:
        """Events, after so long at most."""
        first = self.pygame.event.wait(max(1, round(1000 * seconds)))
        return [event for event in (first, *self.pygame.event.get()) if event.type != self.pygame.NOEVENT]

    def close(self) -> None:
        """Closes it."""
        self.pygame.display.quit()


def _pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError:
        raise ConfigError(Problem(Where("kagejax play"), "", MISSING)) from None
    return pygame


def run(window: Window, loading: Loading, player_of: Callable[[Loading], Player]) -> Player | None:
    """Plays until the window is closed; the player, or None if it was closed before there was a picture.

    Raises what went wrong in making the session.
    """
    began = time.monotonic()
    while loading.moment is None:
        loading.raise_error()
        window.show(page.waiting(window.title, loading.stage, time.monotonic() - began, *window.size))
        for event in window.wait(0.05):
            if event.type == window.pygame.QUIT or _key(window, event, window.pygame.KEYDOWN) in ("escape", "q"):
                return None
    player = player_of(loading)
    window.fit(player)
    stale = True
    while not player.left:
        loading.raise_error()
        if stale:
            window.draw(player)
        was_ready, now = player.session.ready, time.monotonic()
        patience = player.patience(now)
        events = window.wait(PATIENCE if patience is None else min(patience, PATIENCE))
        for event in events:
            _hear(window, player, event)
        stale = player.tick(time.monotonic()) or bool(events) or player.session.ready != was_ready
    return player


def _hear(window: Window, player: Player, event: Any) -> None:
    pygame, now = window.pygame, time.monotonic()
    if event.type == pygame.QUIT:
        player.left = True
    elif event.type == pygame.WINDOWFOCUSLOST:
        player.release_all()
    elif (key := _key(window, event, pygame.KEYDOWN)) and not event.mod & (
        pygame.KMOD_CTRL | pygame.KMOD_ALT | pygame.KMOD_META
    ):
        player.press(key, now)
    elif key := _key(window, event, pygame.KEYUP):
        player.release(key)


def _key(window: Window, event: Any, kind: int) -> str:
    """The name of the key of an event of such a kind, else nothing."""
    return window.pygame.key.name(event.key) if event.type == kind else ""
