"""The page of the window: the enlarged picture, what the agent sees, figures and keys. Knows no window and no jax."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from .drawing import Canvas, enlarged, shrunk, width_of
from .layers import fitting

PAPER, PANEL, INK, QUIET, FAINT = (22, 23, 27), (32, 33, 39), (236, 236, 240), (158, 160, 170), (92, 94, 104)
MOODS = {"going": (96, 165, 250), "still": (190, 192, 200), "good": (98, 200, 120), "bad": (240, 150, 70)}
MARGIN = 16
SIDE = 400
"""Width of the column beside the picture."""
FACE = 512
"""Extent that the picture is enlarged to, about, where no scale is asked for."""
LEAST_HEIGHT = 640
SEEN = 176
"""Height that a part of an observation is enlarged to at most."""
ROW = 17
METRIC_WORDS = {True: "yes", False: "no"}


@dataclasses.dataclass(frozen=True)
class Words:
    """What a page says."""

    title: str
    subtitle: str
    status: str
    mood: str  # of MOODS
    figures: Sequence[tuple[str, str]]  # the large ones
    metrics: Sequence[tuple[str, str]]
    keys: Sequence[tuple[str, str]]
    notes: Sequence[str] = ()


def words_of(player: Any, title: str) -> Words:
    """What to say of a player's episode."""
    moment = player.moment
    status, mood = player.status()
    shown = {name: value for name, value in moment.metrics.items() if name != "return"}
    return Words(
        title,
        f"episode {moment.episode}, seed {player.session.seed}",
        status,
        mood,
        (("step", str(moment.step)), ("return", number(moment.total)), ("reward", number(moment.reward))),
        tuple((name.replace("_", " "), number(value)) for name, value in shown.items()),
        player.shown_keys() if player.help else (("H", "help"),),
        ("recording",) if player.recording.film else (),
    )


def number(value: Any) -> str:
    """A figure in a few characters; yes or no for what is one."""
    if isinstance(value, bool):
        return METRIC_WORDS[value]
    if isinstance(value, int) or float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.1f}"


def window_size(picture: Sequence[int], scale: int, most: tuple[int, int], seen: int = 0) -> tuple[int, int]:
    """Width and height of a window for pictures [height, width] magnified `scale` times (0: to about FACE), at most `most`.
    `seen`: height of what the agent sees."""
    scale = scale or max(1, round(FACE / max(picture[:2])))
    height = max(picture[0] * scale + 2 * MARGIN + _strip_height(2), LEAST_HEIGHT + max(0, seen + 36 - SEEN))
    return min(picture[1] * scale + SIDE + 3 * MARGIN, most[0]), min(height, most[1])


def compose(words: Words, picture: np.ndarray, seen: Sequence[Any], width: int, height: int, scale: int = 0) -> np.ndarray:
    """A page u8 [height, width, 3]. `seen` are parts of the observation; the picture is as large as fits, `scale` at most."""
    page = Canvas(width, height, PAPER)
    lines = _wrapped(words.keys, width - 2 * MARGIN)
    bottom = height - _strip_height(len(lines))
    _strip(page, lines, bottom)
    room = max(8, width - SIDE - 3 * MARGIN), max(8, bottom - 2 * MARGIN)
    large = fitted(picture, room, scale)
    page.picture(MARGIN + (room[0] - large.shape[1]) // 2, MARGIN + (room[1] - large.shape[0]) // 2, large)
    _side(page, words, seen, width - SIDE - MARGIN, bottom - MARGIN)
    return page.pixels


def waiting(title: str, stage: str, seconds: float, width: int, height: int) -> np.ndarray:
    """The page before there is a picture."""
    page = Canvas(width, height, PAPER)
    left, top = MARGIN * 2, height // 2 - 40
    page.text(left, top, title, 24, INK)
    page.text(left, top + 38, f"{stage} ... {seconds:.0f} s", 15, QUIET)
    length = width - 2 * left
    page.box(left, top + 66, length, 3, PANEL)
    page.box(left + round(length * 0.8 * (0.5 - 0.5 * np.cos(1.5 * seconds))), top + 66, length // 5, 3, MOODS["going"])
    return page.pixels


def fitted(picture: np.ndarray, room: tuple[int, int], most: int = 0) -> np.ndarray:
    """A picture enlarged by the greatest whole factor that fits into (width, height), `most` at most; else made smaller."""
    factor = min(room[0] // picture.shape[1], room[1] // picture.shape[0])
    if factor < 1:
        return shrunk(picture, room[1], room[0])
    return enlarged(picture, min(factor, most) if most else factor)


def _side(page: Canvas, words: Words, seen: Sequence[Any], left: int, bottom: int) -> None:
    top = MARGIN
    page.text(left, top, fitting(words.title, SIDE, 22), 22, INK)
    page.text(left, top + 30, " · ".join([words.subtitle, *words.notes]), 13, QUIET)
    top += 56
    page.box(left, top, SIDE, 30, PANEL)
    page.box(left, top, 4, 30, MOODS[words.mood])
    page.text(left + 14, top + 6, fitting(words.status, SIDE - 24, 15), 15, MOODS[words.mood])
    top += 44
    for place, (name, value) in enumerate(words.figures):
        x = left + place * SIDE // len(words.figures)
        page.text(x, top, name, 12, QUIET)
        page.text(x, top + 15, value, 24, INK)
    top = _seen(page, seen, left, top + 62, bottom)
    _metrics(page, words.metrics, left, top, bottom)


def _seen(page: Canvas, seen: Sequence[Any], left: int, top: int, bottom: int) -> int:
    """The observation, part beside part; gives the row below it."""
    if not seen or bottom - top < 80:
        return top
    page.text(left, top, "what the agent sees", 13, QUIET)
    share = (SIDE - MARGIN * (len(seen) - 1)) // len(seen)
    deepest = top + 20
    for place, part in enumerate(seen):
        x = left + place * (share + MARGIN)
        room = share, max(8, min(bottom - top - 40, max(SEEN, part.picture.shape[0])))
        small = fitted(part.picture, room)
        page.picture(x, top + 20, small)
        page.text(x, top + 24 + small.shape[0], fitting(f"{part.title}{_factor(part, small)}", share, 12), 12, FAINT)
        deepest = max(deepest, top + 24 + small.shape[0] + 14)
    return deepest + 16


def _factor(part: Any, shown: np.ndarray) -> str:
    if shown.shape[0] < part.picture.shape[0]:
        return ", shown smaller"
    factor = shown.shape[0] // part.picture.shape[0]
    return f", shown {factor}x" if part.exact and factor > 1 else ""


def _metrics(page: Canvas, metrics: Sequence[tuple[str, str]], left: int, top: int, bottom: int) -> None:
    """Names and values in two columns, as many as there is room for."""
    rows = max(0, (bottom - top) // ROW)
    columns = 1 if len(metrics) <= 5 else 2
    if len(metrics) > columns * rows:
        rows -= 1  # for the line that says so
    if not metrics or rows < 1:
        return
    share = (SIDE - MARGIN) // 2
    per_column = min(rows, -(-len(metrics) // columns))
    for place, (name, value) in enumerate(metrics[: columns * per_column]):
        x, y = left + place // per_column * (share + MARGIN), top + place % per_column * ROW
        page.text(x, y, fitting(name, share - width_of(value, 13) - 8, 13), 13, QUIET)
        page.text(x + share, y, value, 13, INK, align="right")
    left_out = len(metrics) - columns * per_column
    if left_out > 0:
        page.text(left + SIDE, bottom - 12, f"{left_out} more: enlarge the window", 11, FAINT, align="right")


def _strip_height(lines: int) -> int:
    return 14 + 24 * lines


def _wrapped(keys: Sequence[tuple[str, str]], width: int) -> list[list[tuple[str, str]]]:
    lines, used = [[]], 0
    for key, about in keys:
        need = _cap_width(key) + 6 + width_of(about, 13) + 18
        if lines[-1] and used + need > width:
            lines.append([])
            used = 0
        lines[-1].append((key, about))
        used += need
    return lines


def _cap_width(key: str) -> int:
    return sum(max(22, width_of(part, 13) + 10) + 3 for part in key.split())


def _strip(page: Canvas, lines: Sequence[Sequence[tuple[str, str]]], top: int) -> None:
    page.box(0, top, page.pixels.shape[1], page.pixels.shape[0] - top, PANEL)
    for row, line in enumerate(lines):
        x, y = MARGIN, top + 9 + 24 * row
        for key, about in line:
            for part in key.split():
                width = max(22, width_of(part, 13) + 10)
                page.box(x, y, width, 20, (56, 58, 68))
                page.text(x + (width - width_of(part, 13)) // 2, y + 2, part, 13, INK)
                x += width + 3
            x += 3 + page.text(x + 3, y + 2, about, 13, QUIET) + 18
