"""Oracle of Sokoban: level texts, moves and flags, the corner test, laws of layouts and of their lengths, in plain Python.

A cell is its number in reading order, row * columns + column. Cells outside the board count as wall.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

UP, DOWN, LEFT, RIGHT = range(4)
LETTERS = "UDLR"
STEPS = {UP: (-1, 0), DOWN: (1, 0), LEFT: (0, -1), RIGHT: (0, 1)}
SPLIT_LIMITS = {"W": 40, "A": 80, "B": 80, "C": 120, "D": 80, "E": 160}
HIDDEN_TIERS = (  # levels, boxes, wall density, band at the start, band at the end
    (25, 1, 0.10, (4, 8), (14, 20)),
    (25, 2, 0.12, (9, 14), (22, 30)),
    (30, 3, 0.14, (13, 18), (28, 38)),
    (20, 4, 0.18, (17, 23), (34, 46)),
)
DIAGNOSTIC_BANDS = ((4, 8), (14, 20))  # of split S, at its start and at its end


class Board(NamedTuple):
    """What stays for an episode."""

    rows: int
    columns: int
    walls: frozenset[int]
    goals: frozenset[int]

    @property
    def free(self) -> list[int]:
        """Cells that are no wall, those that cannot be reached too."""
        return [cell for cell in range(self.rows * self.columns) if cell not in self.walls]


class Game(NamedTuple):
    """A running episode."""

    boxes: frozenset[int]
    player: int
    t: int = 0


class Outcome(NamedTuple):
    """What a step gives besides the next game."""

    moved: bool
    pushed: bool
    invalid: bool
    solved: bool
    truncated: bool

    @property
    def done(self) -> bool:
        return self.solved or self.truncated


def parse(text: str) -> tuple[Board, Game]:
    """A level by the forgiving law of the reference: no more than a player is asked for.

    Empty lines are dropped, short rows end in floor, characters without a meaning are floor, the last player counts.
    Raises ValueError without a player.
    """
    rows = [row for row in text.split("\n") if row]
    columns = max(map(len, rows), default=0)
    marks = list(enumerate("".join(row.ljust(columns) for row in rows)))
    players = [cell for cell, mark in marks if mark in "@+"]
    if not players:
        raise ValueError("no player")
    walls = frozenset(cell for cell, mark in marks if mark == "#")
    goals = frozenset(cell for cell, mark in marks if mark in ".*+")
    boxes = frozenset(cell for cell, mark in marks if mark in "$*")
    return Board(len(rows), columns, walls, goals), Game(boxes, players[-1])


def write(board: Board, boxes: Iterable[int], player: int) -> str:
    """The text of a state: a wall covers everything, a box the player."""

    def mark(cell: int) -> str:
        on_goal = cell in board.goals
        if cell in board.walls:
            return "#"
        if cell in boxes:
            return "*" if on_goal else "$"
        if cell == player:
            return "+" if on_goal else "@"
        return "." if on_goal else " "

    marks = [mark(cell) for cell in range(board.rows * board.columns)]
    return "\n".join("".join(marks[row * board.columns : (row + 1) * board.columns]) for row in range(board.rows))


def neighbour(board: Board, cell: int, action: int) -> int | None:
    """The next cell in the direction of an action, or None outside the board."""
    row, column = divmod(cell, board.columns)
    down, right = STEPS[action]
    row, column = row + down, column + right
    return row * board.columns + column if 0 <= row < board.rows and 0 <= column < board.columns else None


def is_wall(board: Board, cell: int | None) -> bool:
    return cell is None or cell in board.walls


def is_solved(board: Board, boxes: Iterable[int]) -> bool:
    return frozenset(boxes) == board.goals


def step(board: Board, game: Game, action: int, max_steps: int) -> tuple[Game, Outcome]:
    """One step; a move against a wall or a stuck box stays and counts. Raises ValueError for an action outside 0..3."""
    action = int(action)
    if action not in STEPS:
        raise ValueError(f"no action {action}")
    boxes, player = game.boxes, game.player
    moved = pushed = False
    ahead = neighbour(board, player, action)
    if not is_wall(board, ahead):
        if ahead not in boxes:
            player, moved = ahead, True
        else:
            beyond = neighbour(board, ahead, action)
            if not is_wall(board, beyond) and beyond not in boxes:
                boxes, player = boxes - {ahead} | {beyond}, ahead
                moved = pushed = True
    t = game.t + 1
    solved = is_solved(board, boxes)
    return Game(boxes, player, t), Outcome(moved, pushed, not moved, solved, t >= max_steps and not solved)


def play(board: Board, game: Game, actions: Iterable[int], max_steps: int) -> list[tuple[Game, Outcome]]:
    """Game and outcome of each action, up to the first that ends the episode."""
    steps = []
    for action in actions:
        game, outcome = step(board, game, action, max_steps)
        steps.append((game, outcome))
        if outcome.done:
            break
    return steps


def corners(board: Board) -> frozenset[int]:
    """Free cells that are no goal and have a wall above or below and another to the left or to the right."""

    def closed(cell: int, *actions: int) -> bool:
        return any(is_wall(board, neighbour(board, cell, action)) for action in actions)

    return frozenset(cell for cell in board.free if closed(cell, UP, DOWN) and closed(cell, LEFT, RIGHT)) - board.goals


def corner_dead(board: Board, boxes: Iterable[int]) -> bool:
    """Whether a box stands in a corner: enough for a dead state, not needed."""
    return not corners(board).isdisjoint(boxes)


def reachable(board: Board, game: Game) -> frozenset[int]:
    """Cells where the player can walk without a push, its own too."""
    seen, frontier = {game.player}, [game.player]
    while frontier:
        cell = frontier.pop()
        for action in STEPS:
            ahead = neighbour(board, cell, action)
            if not is_wall(board, ahead) and ahead not in game.boxes and ahead not in seen:
                seen.add(ahead)
                frontier.append(ahead)
    return frozenset(seen)


def first_pushes(board: Board, game: Game) -> list[Game]:
    """The games after each push that the player can reach without another."""
    results = []
    for cell in sorted(reachable(board, game)):
        for action in STEPS:
            after, outcome = step(board, Game(game.boxes, cell), action, max_steps=2)
            if outcome.pushed:
                results.append(after)
    return results


def random_layout(rng: np.random.Generator, size: int, boxes: int, density: float) -> tuple[Board, Game] | None:
    """A square board with its border closed, drawn before any acceptance; None where too few cells are free."""
    cells = np.arange(size * size).reshape(size, size)
    inner = cells[1:-1, 1:-1].ravel()
    count = rng.binomial(inner.size, density)
    walls = frozenset(cells.ravel().tolist()) - frozenset(inner.tolist())
    walls |= frozenset(rng.choice(inner, count, replace=False).tolist())
    free = [cell for cell in inner.tolist() if cell not in walls]
    if len(free) < 2 * boxes + 1:
        return None
    drawn = rng.choice(free, 2 * boxes + 1, replace=False).tolist()
    board = Board(size, size, walls, frozenset(drawn[boxes:-1]))
    return board, Game(frozenset(drawn[:boxes]), drawn[-1])


def length_band(start: tuple[int, int], end: tuple[int, int], index: int, count: int) -> tuple[int, int]:
    """Shortest and longest optimal length of level `index` of `count`; halves are rounded to even."""
    share = index / (count - 1)
    least, most = (round(first + share * (last - first)) for first, last in zip(start, end, strict=True))
    return least, max(most, least + 2)


def step_limit(split: str, optimal_length: int) -> int:
    """Time limit of a level: flat for most splits, three times the shortest solution for S and for the hidden set (H)."""
    return SPLIT_LIMITS.get(split, max(30, 3 * optimal_length))
