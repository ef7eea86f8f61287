"""Pictures of path puzzles for people: drawn on the host from the tiles of the environment, nothing is compiled."""

import math
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from kagejax.config.problems import ConfigError, Problem, Where
from kagejax.envs.spatial import art
from kagejax.envs.spatial.lattice import Lattice
from kagejax.envs.spatial.names import ACTIONS, DOWN, LEFT, RIGHT, UP
from kagejax.envs.spatial.tracks import (
    DOT,
    EDGES,
    END,
    FIRST_LEVEL,
    FIRST_UPRIGHT,
    FIRST_VERTEX,
    PLAIN,
    START,
    VERTICES,
    sizes,
    starts,
    tracks,
)
from kagejax.raster.sheet import contact_sheet

from ._arguments import require

LEAST_LANE = 3  # px, as in the environment: below, lines cannot be told apart
MOST_PIXELS = 2**28
"""Of a sheet, which takes three bytes each."""
START_RADIUS, START_COLOR = 0.26, (0, 160, 150)
"""Of the centre that tells the start of a line from its end: in parts of a lane, and teal, which no symbol has. A dark one
would make it the ring that an end is before the line reaches it."""


def write_sheet(
    path: pathlib.Path, found: Sequence[Any], places: Sequence[int], solution: bool, size: int, columns: int
) -> None:
    """The boards at `places`, each with its place and level, with the first solution drawn or with the start alone.

    columns: of the sheet; 0: about as many as rows. The start of a solution has a teal centre.
    """
    from .spatial import first_solution

    columns = min(columns or math.ceil(math.sqrt(len(places))), len(places))
    pixels = columns * -(-len(places) // columns) * size**2
    message = f"Found {size}; {len(places)} boards of it are {pixels:,} px; allowed: {MOST_PIXELS:,}. Choose fewer or smaller."
    require(pixels <= MOST_PIXELS, "--size", message)
    lines = {place: first_solution(found[place]) if solution else () for place in places}
    by_size: dict[Lattice, list[int]] = {}
    for place in places:
        by_size.setdefault(Lattice(found[place].cells_w, found[place].cells_h), []).append(place)
    drawn: dict[int, np.ndarray] = {}
    for lattice, group in by_size.items():
        if tracks(lattice, size, size).lane < LEAST_LANE:
            least = LEAST_LANE * (3 * max(lattice) + 2)
            message = (
                f"Puzzle {group[0]}: {size} px cannot show {lattice.cells_w}x{lattice.cells_h} cells; needed: {least} or more."
            )
            raise ConfigError(Problem(Where("--size"), "", message))
        together = max(1, art.MOST_BYTES // (3 * size**2))
        for first in range(0, len(group), together):
            some = group[first : first + together]
            boards = draw([found[place] for place in some], [lines[place] for place in some], lattice, size)
            drawn.update(zip(some, boards, strict=True))
    labels = [f"{place} level {found[place].level}" for place in places]
    sheet = contact_sheet([drawn[place] for place in places], columns, labels)
    Image.fromarray(sheet).save(path)


def draw(puzzles: Sequence[Any], lines: Sequence[Any], lattice: Lattice, size: int) -> list[np.ndarray]:
    """Puzzles of one size, each with a line or without: u8 [size, size, 3] each, as the environment shows them."""
    seen = art.pictures(puzzles, lattice, size, size)
    boards = seen.boards.reshape(len(puzzles), size, size, 3)
    tiles = seen.tiles.reshape(*seen.tiles.shape[:2], -1, 3)
    place = tracks(lattice, size, size)
    (heights, widths), (tops, lefts) = sizes(place, lattice), starts(place, lattice)
    for board, puzzle, line in zip(boards, puzzles, lines, strict=True):
        for (x, y), number in _strokes(puzzle, line):
            top, left, tall, wide = tops[y], lefts[x], heights[y], widths[x]
            board[top : top + tall, left : left + wide] = tiles[number, :tall, :wide]
        if line:
            x, y = line[0]
            _mark(board, lefts[x] + widths[x] / 2, tops[y] + heights[y] / 2, START_RADIUS * place.lane)
    return list(boards)


def _strokes(puzzle: Any, line: Any) -> list[tuple[tuple[int, int], int]]:
    """Each position of a line with the number of its tile."""
    steps = {(action.dx, action.dy): side for side, action in enumerate(ACTIONS)}
    sides: list[set[int]] = [set() for _ in line]
    for place, ((x, y), (next_x, next_y)) in enumerate(zip(line, line[1:], strict=False)):
        side = steps[next_x - x, next_y - y]
        sides[place].add(side)
        sides[place + 1].add((side + 2) % len(ACTIONS))
    marks = dict.fromkeys(puzzle.dots, DOT) | {puzzle.start: START, puzzle.end: END}
    found = []
    for place, ((x, y), goes) in enumerate(zip(line, sides, strict=True)):
        if x % 2 == y % 2:
            first, counts, bits = FIRST_VERTEX, VERTICES, sum(1 << side for side in goes)
        elif y % 2:
            first, counts, bits = FIRST_UPRIGHT, EDGES, (UP in goes) + 2 * (DOWN in goes)
        else:
            first, counts, bits = FIRST_LEVEL, EDGES, (LEFT in goes) + 2 * (RIGHT in goes)
        head = int(place == len(line) - 1)
        found.append(((x, y), first + (marks.get((x, y), PLAIN) * counts[1] + head) * counts[2] + bits))
    return found


def _mark(board: np.ndarray, x: float, y: float, radius: float) -> None:
    """The centre of a start."""
    image = Image.fromarray(board)
    ImageDraw.Draw(image).ellipse((x - radius, y - radius, x + radius - 1, y + radius - 1), fill=START_COLOR)
    board[:] = np.asarray(image)
