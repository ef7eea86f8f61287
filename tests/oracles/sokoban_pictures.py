"""Oracle of the look of Sokoban: 64x64 pictures cell by cell and pixel by pixel, their themes and their noise."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from .sokoban import Board

SIZE = 64
DEFAULT_THEME: Mapping[str, Any] = {
    "floor": (222, 214, 186),
    "floor_alt": (212, 204, 176),
    "wall": (94, 84, 74),
    "wall_edge": (64, 56, 48),
    "goal": (196, 60, 60),
    "box": (176, 122, 54),
    "box_edge": (120, 80, 30),
    "box_on_goal": (206, 160, 70),
    "player": (48, 108, 188),
    "checker": True,
    "noise_std": 0.0,
}
JITTER = {  # in the order in which they are drawn
    "floor": 70,
    "floor_alt": 18,
    "wall": 70,
    "wall_edge": 30,
    "goal": 45,
    "box": 45,
    "box_edge": 30,
    "box_on_goal": 45,
    "player": 45,
}
DARKEST, BRIGHTEST = 20, 235  # of a drawn colour
MOST_NOISE = 6.0


def geometry(rows: int, columns: int) -> tuple[int, int, int]:
    """Side of a cell, top and left margin, in pixels."""
    cell = SIZE // max(rows, columns)
    return cell, (SIZE - rows * cell) // 2, (SIZE - columns * cell) // 2


def frame(
    board: Board,
    boxes: Collection[int],
    player: int | None,
    theme: Mapping[str, Any] = DEFAULT_THEME,
    noise: np.ndarray | None = None,
) -> np.ndarray:
    """The picture of a state, u8 [64, 64, 3]; without `player` nobody is shown. `noise` [64, 64, 3]: grey levels added."""
    side, top, left = geometry(board.rows, board.columns)
    picture = np.empty((SIZE, SIZE, 3), np.uint8)
    picture[:] = theme["floor"]
    for cell in range(board.rows * board.columns):
        row, column = divmod(cell, board.columns)
        y, x = top + row * side, left + column * side
        kind = [name for name, cells in _kinds(board, boxes, player).items() if cell in cells]
        picture[y : y + side, x : x + side] = tile(kind, (row + column) % 2 == 1, side, theme)
    return picture if noise is None else noisy(picture, noise)


def goal_frame(board: Board, theme: Mapping[str, Any] = DEFAULT_THEME, noise: np.ndarray | None = None) -> np.ndarray:
    """The picture of the goal: every box on a goal, nobody shown."""
    return frame(board, board.goals, None, theme, noise)


def _kinds(board: Board, boxes: Collection[int], player: int | None) -> dict[str, Collection[int]]:
    return {"wall": board.walls, "goal": board.goals, "box": boxes, "player": [] if player is None else [player]}


def tile(kind: Collection[str], odd: bool, side: int, theme: Mapping[str, Any] = DEFAULT_THEME) -> np.ndarray:
    """A cell of `side` pixels that holds what `kind` names (wall, goal, box, player), u8 [side, side, 3]."""
    ground = theme["floor_alt"] if odd and theme["checker"] else theme["floor"]
    picture = np.empty((side, side, 3), np.uint8)
    picture[:] = ground
    if "wall" in kind:
        picture[:] = theme["wall_edge"]
        _fill(picture, 1, theme["wall"])
        return picture
    if "goal" in kind:
        outer = max(1, side // 4)
        _fill(picture, outer, theme["goal"])
        _fill(picture, outer + max(1, side // 6), ground)
    if "box" in kind:
        edge = max(1, side // 8)
        inner = theme["box_on_goal"] if "goal" in kind else theme["box"]
        _fill(picture, edge, theme["box_edge"] if side > 2 * (edge + 1) else inner)
        _fill(picture, edge + 1, inner)
    if "player" in kind:
        offset = np.arange(side) - (side - 1) / 2
        inside = offset[:, None] ** 2 + offset[None, :] ** 2 <= (0.38 * side) ** 2
        picture[inside] = theme["player"]
    return picture


def _fill(picture: np.ndarray, inset: int, colour: Collection[int]) -> None:
    """Fills the square that leaves `inset` pixels on each side, if there is one."""
    side = picture.shape[0]
    if side > 2 * inset:
        picture[inset : side - inset, inset : side - inset] = colour


def noisy(picture: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """`picture` with grey levels added in f32, cut to 0..255 and then down to whole numbers, u8."""
    return np.clip(picture.astype(np.float32) + noise.astype(np.float32), 0, 255).astype(np.uint8)


def random_theme(rng: np.random.Generator) -> dict[str, Any]:
    """A theme of split B. The second colour of the floor is near the first one's, all others are near the default's."""
    theme: dict[str, Any] = {}
    for name, most in JITTER.items():
        base = theme["floor"] if name == "floor_alt" else DEFAULT_THEME[name]
        drawn = np.array(base) + rng.integers(-most, most + 1, 3)
        theme[name] = np.clip(drawn, DARKEST, BRIGHTEST).tolist()
    return {**theme, "checker": bool(rng.integers(2)), "noise_std": float(rng.uniform(0, MOST_NOISE))}
