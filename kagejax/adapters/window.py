"""A window that shows pictures, for `render_mode="human"`."""

import os
from typing import Any

import numpy as np

from ._extras import missing

LEAST = 384
"""Least height of a window in pixels; smaller pictures are enlarged by a whole factor."""


class Window:
    """A window that opens with its first picture. When a user closes it, it stays closed."""

    def __init__(self, title: str, frames_per_second: float):
        self._title, self._frames_per_second = title, frames_per_second
        self._screen: Any = None
        self._closed = False

    def show(self, picture: np.ndarray) -> None:
        """Shows u8 [height, width, 3], and waits until the last one has been seen for its time."""
        if self._closed:
            return
        pygame = _pygame()
        factor = max(1, -(-LEAST // picture.shape[0]))
        large = picture.repeat(factor, 0).repeat(factor, 1).swapaxes(0, 1)
        if self._screen is None:
            pygame.display.init()
            pygame.display.set_caption(self._title)
            self._screen, self._clock = pygame.display.set_mode(large.shape[:2]), pygame.time.Clock()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            return self.close()
        pygame.surfarray.blit_array(self._screen, large)
        pygame.display.flip()
        self._clock.tick(self._frames_per_second)

    def close(self) -> None:
        """Closes the window, if it is open, for good."""
        if self._screen is not None:
            _pygame().display.quit()
            self._screen = None
        self._closed = True


def _pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as problem:
        raise missing("pygame-ce", "play") from problem
    return pygame
