"""Play in a terminal, over ssh too: half-block characters in 24-bit colours, keys without waiting for a line."""

import contextlib
import dataclasses
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kagejax.config.problems import ConfigError, Problem, Where

from . import blocks, page
from .drawing import enlarged, shrunk
from .loading import Loading
from .player import Player

FEWEST = (24, 10)
"""Columns and lines below which no picture is shown."""
SIDE = 34
"""Columns of the text beside a picture; where there are fewer, it stands below."""
ESCAPE_S = 0.05
"""Seconds after which an escape is the key, not the beginning of an arrow."""
CLEAR, HOME, TO_END = "\x1b[2J", "\x1b[H", "\x1b[K"
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[0m\x1b[?25h\x1b[?1049l"
"""The other screen without a cursor, and back."""
BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
NAMES = {" ": "space", "\r": "return", "\n": "return"}
PATIENCE = 0.25


class Terminal:
    """Standard input and output as a screen with a keyboard. Raises ConfigError where they are none."""

    def __init__(self, title: str):
        def require(condition: bool, message: str) -> None:
            if not condition:
                raise ConfigError(Problem(Where("--terminal"), "", message))

        try:
            import termios  # noqa: F401
        except ImportError:
            require(False, "This system has no such terminals; play in a window, without --terminal.")
        tty = sys.stdin.isatty() and sys.stdout.isatty()
        require(tty, "Input and output must be a terminal; they lead elsewhere.")
        require(os.environ.get("TERM", "") not in ("", "dumb"), "This terminal can show no colours (see the variable TERM).")
        try:
            blocks.HALF.encode(sys.stdout.encoding or "ascii")
        except UnicodeEncodeError:
            require(False, f"Output is {sys.stdout.encoding}, which has no {ascii(blocks.HALF)}; set LC_ALL to a UTF-8 one.")
        self.title = title
        self._pending, self._shown, self._size = "", [], (0, 0)

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Takes over the terminal within, and gives it back as it was, whatever happens. Ctrl-C still interrupts."""
        import termios
        import tty

        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
        stopped = signal.signal(signal.SIGTERM, _exit)
        try:
            tty.setcbreak(descriptor)
            own = termios.tcgetattr(descriptor)
            own[6][termios.VSUSP] = b"\0"  # asleep we could not give the terminal back
            termios.tcsetattr(descriptor, termios.TCSADRAIN, own)
            self._write(ENTER + CLEAR)
            yield
        finally:
            self._write(LEAVE)
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
            signal.signal(signal.SIGTERM, stopped)

    def keys(self, seconds: float) -> list[str]:
        """Keys pressed, after so long at most; returns at the first."""
        patience = ESCAPE_S if self._pending else seconds
        ready, _, _ = select.select([sys.stdin], [], [], patience)
        text = os.read(sys.stdin.fileno(), 1024).decode("utf-8", "replace") if ready else ""
        if ready and not text:  # the other side has hung up
            return ["q"]
        found, self._pending = decoded(self._pending + text, whole=not ready)
        return found

    def show(self, lines: list[str]) -> None:
        """Shows lines, writing only those that changed."""
        size = os.get_terminal_size(sys.stdout.fileno())
        lines = lines[: size.lines]
        if size != self._size:
            self._size, self._shown = size, []
            self._write(CLEAR)
        old = self._shown + [""] * (len(lines) - len(self._shown))
        parts = [f"\x1b[{row + 1}H{line}{TO_END}" for row, line in enumerate(lines) if line != old[row]]
        if len(self._shown) > len(lines):
            parts.append(f"\x1b[{len(lines) + 1}H\x1b[J")
        self._shown = lines
        self._write("".join(parts))

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        return tuple(os.get_terminal_size(sys.stdout.fileno()))

    def _write(self, text: str) -> None:
        if text:
            sys.stdout.write(text)
            sys.stdout.flush()


def decoded(text: str, whole: bool) -> tuple[list[str], str]:
    """Names of the keys that a terminal sent, and what may be the beginning of another; none is left if it is the `whole`."""
    keys = []
    while text:
        if text[0] != "\x1b":
            keys.append(NAMES.get(text[0], text[0].lower()))
            text = text[1:]
        elif len(text) == 1 or text in ("\x1b[", "\x1bO"):
            if not whole:
                return keys, text
            keys.append("escape")
            text = ""
        elif text[1] in "[O":
            end = next((place for place, sign in enumerate(text[2:], 2) if "@" <= sign <= "~"), None)
            if end is None:
                return keys, "" if whole else text
            keys += [ARROWS[text[end]]] if text[end] in ARROWS else []
            text = text[end + 1 :]
        else:  # a key with Alt
            text = text[2:]
    return keys, ""


def composed(words: page.Words, picture: np.ndarray, columns: int, rows: int) -> list[str]:
    """The lines of a screen: picture, words beside or above it, and the keys."""
    if columns < FEWEST[0] or rows < FEWEST[1]:
        return [f"{columns} x {rows} characters are too few;"[:columns], f"enlarge to {FEWEST[0]} x {FEWEST[1]}"[:columns]]
    keys = _wrapped([f"{BOLD}{key}{PLAIN} {about}" for key, about in words.keys], columns)
    free = rows - len(keys) - 1
    width = columns - SIDE - 2
    if columns >= SIDE + 32 and width >= min(picture.shape[1], 2 * (free - 1)):
        shown, note = _fitted(picture, (width, 2 * free))
        told, body = _column(words, note), blocks.lines(shown)
        height = max(len(body), min(len(told), free))
        body += [" " * shown.shape[1]] * (height - len(body))
        told = (told + [""] * height)[:height]
        return [*(f"{line}  {words}" for line, words in zip(body, told, strict=True)), "", *keys]
    shown, note = _fitted(picture, (columns, 2 * (free - 2)))
    figures = "  ".join(f"{name} {value}" for name, value in words.figures)
    head = [f"{words.title}: {words.status}"[:columns], figures[:columns]]
    return [*head, *blocks.lines(shown), *([f"{DIM}{' '.join(note)[:columns]}{PLAIN}"] if note else []), *keys]


def _fitted(picture: np.ndarray, room: tuple[int, int]) -> tuple[np.ndarray, list[str]]:
    """A picture as large as there is room for, (columns, half lines), and what to say where that is smaller than it is."""
    height, width = picture.shape[:2]
    room = max(2, room[0]), max(2, room[1])
    factor = min(room[0] // width, room[1] // height)
    if factor >= 1:
        return enlarged(picture, factor), []
    small = shrunk(picture, room[1], room[0])
    need = f"{width} x {-(-height // 2)} characters"
    return small, [f"{small.shape[1]} x {small.shape[0]} of {width} x {height} px;", f"all take {need}"]


def _column(words: page.Words, note: list[str]) -> list[str]:
    """What stands beside a picture: title, status, figures and metrics, the most important first."""
    title = [f"{BOLD}{words.title[:SIDE]}{PLAIN}", *(part[:SIDE] for part in (words.subtitle, *words.notes))]
    figures = [f"{name} {BOLD}{value}{PLAIN}" for name, value in words.figures]
    metrics = [f"{DIM}{name[:24]:<24}{PLAIN} {value:>8}" for name, value in words.metrics]
    return [
        *title,
        *(f"{DIM}{line}{PLAIN}" for line in note),
        f"{BOLD}{words.status[:SIDE]}{PLAIN}",
        "",
        *figures,
        "",
        *metrics,
    ]


def _wrapped(parts: list[str], columns: int) -> list[str]:
    lines, used = [""], 0
    for part in parts:
        width = len(part) - len(BOLD) - len(PLAIN) + 2
        if used and used + width > columns:
            lines.append("")
            used = 0
        lines[-1] += part + "  "
        used += width
    return lines


def run(terminal: Terminal, loading: Loading, player_of: Callable[[Loading], Player]) -> Player | None:
    """Plays until the person leaves; the player, or None if that was before there was a picture.

    Raises what went wrong in making the session.
    """
    began = time.monotonic()
    while loading.moment is None:
        loading.raise_error()
        seconds = time.monotonic() - began
        terminal.show([terminal.title, f"{loading.stage} ... {seconds:.0f} s"])
        if {"q", "escape"} & set(terminal.keys(0.1)):
            return None
    player, stale, size = player_of(loading), True, terminal.size
    while not player.left:
        loading.raise_error()
        if stale:
            _draw(terminal, player)
        was_ready, now = player.session.ready, time.monotonic()
        patience = player.patience(now)
        keys = terminal.keys(PATIENCE if patience is None else min(patience, PATIENCE))
        for key in keys:
            player.press(key, time.monotonic())
        stale = player.tick(time.monotonic()) or bool(keys) or player.session.ready != was_ready or terminal.size != size
        size = terminal.size
    return player


def _draw(terminal: Terminal, player: Player) -> None:
    from kagejax.evaluation.views import fitted

    words, picture = page.words_of(player, terminal.title), player.moment.picture
    if player.agent_view:
        seen = player.session.seen(player.moment, small=True)
        told = (line for part in seen for line in (part.title, *part.text.splitlines()))
        words = dataclasses.replace(words, notes=("the agent sees", *told))
        picture = np.concatenate(list(fitted([part.picture for part in seen])), axis=1)
    terminal.show(composed(words, picture, *terminal.size))


def _exit(number: int, frame: Any) -> None:
    raise SystemExit(128 + number)
