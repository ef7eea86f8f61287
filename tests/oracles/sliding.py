"""Oracle of the sliding puzzle: moves, rewards, flags, first boards and vector observations, plain Python on NumPy boards.

A board is an integer array [N] in reading order, N = rows * columns: 0 is the blank, tile v is v in 1..N-1.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

UP, DOWN, LEFT, RIGHT, NOOP = range(5)
BLANK_STEPS = {
    UP: (1, 0),
    DOWN: (-1, 0),
    LEFT: (0, 1),
    RIGHT: (0, -1),
}  # an action names the tile's motion: the blank goes the other way
OPPOSITE = {UP: DOWN, DOWN: UP, LEFT: RIGHT, RIGHT: LEFT}


class Grid(NamedTuple):
    """Size of the board in cells."""

    rows: int
    columns: int

    @property
    def cells(self) -> int:
        return self.rows * self.columns


class Options(NamedTuple):
    """What the rules depend on besides the grid."""

    max_steps: int | None = 1000
    noop: bool = False  # whether action 4 is the no-op; it is an integer like any other if not
    circular: bool = False
    mode: str = "distances"  # or "percent_solved" or "sparse"
    win: float = 1.0
    move: float = -0.1
    invalid: float | None = -1.0  # None: the last reward again
    exponential: bool = False
    sticky_termination: bool = False  # the flag of the last counted move outlives invalid moves, no-ops and resets


DEFAULTS = Options()


class Game(NamedTuple):
    """A running episode."""

    board: np.ndarray  # i64 [N]
    t: int
    last_reward: float  # before `exponential`
    last_terminated: bool


class Outcome(NamedTuple):
    """What a step gives besides the next game."""

    reward: float
    terminated: bool
    truncated: bool


def solved_board(grid: Grid) -> np.ndarray:
    """Tiles in order, the blank in the bottom right corner."""
    return np.array([*range(1, grid.cells), 0])


def is_solved(board: Sequence[int]) -> bool:
    return list(board) == [*range(1, len(board)), 0]


def cell_of(index: int, grid: Grid) -> tuple[int, int]:
    """Row and column of a place in reading order."""
    return divmod(int(index), grid.columns)


def blank_index(board: Sequence[int]) -> int:
    return list(board).index(0)


def destination(blank: int, action: int, grid: Grid, circular: bool = False) -> int | None:
    """Where the blank goes, or None if the action would leave the grid."""
    row, column = cell_of(blank, grid)
    down, right = BLANK_STEPS[action]
    row, column = row + down, column + right
    if circular:
        row, column = row % grid.rows, column % grid.columns
    inside = 0 <= row < grid.rows and 0 <= column < grid.columns
    return row * grid.columns + column if inside else None


def valid_actions(board: Sequence[int], grid: Grid) -> list[bool]:
    """For each of the four moves whether it stays inside the grid (circular or not)."""
    return [destination(blank_index(board), action, grid) is not None for action in BLANK_STEPS]


def slide(board: Sequence[int], action: int, grid: Grid, circular: bool = False) -> tuple[np.ndarray, bool]:
    """The board after a move, and whether the move was one: nothing else than the four valid moves changes the board."""
    after = np.array(board)
    blank = blank_index(board)
    target = destination(blank, action, grid, circular) if action in BLANK_STEPS else None
    if target is None:
        return after, False
    after[[blank, target]] = after[[target, blank]]
    return after, True


def distance(board: Sequence[int], grid: Grid) -> int:
    """Sum of the city-block distances of all N cells, the blank too, from where they belong."""
    total = 0
    for index, value in enumerate(board):
        row, column = cell_of(index, grid)
        goal_row, goal_column = cell_of((value - 1) % grid.cells, grid)
        total += abs(goal_row - row) + abs(goal_column - column)
    return total


def normaliser(grid: Grid) -> int:
    """Sum over all cells of the distance to the farthest cell."""
    return sum(
        max(row, grid.rows - 1 - row) + max(column, grid.columns - 1 - column)
        for row in range(grid.rows)
        for column in range(grid.columns)
    )


def wrong(board: Sequence[int]) -> int:
    """How many of the first N - 1 cells do not hold their tile."""
    return sum(int(value) != index + 1 for index, value in enumerate(list(board)[:-1]))


def dense_reward(board: Sequence[int], grid: Grid) -> float:
    """Minus the share of the greatest distance, f64 in [-1, 0]; 0 for the solved board."""
    return -distance(board, grid) / normaliser(grid)


def board_reward(board: Sequence[int], grid: Grid, options: Options = DEFAULTS) -> float:
    """Reward of a move that leads to `board`, f64."""
    if is_solved(board):
        return float(options.win)
    if options.mode == "sparse":
        return float(options.move)
    if options.mode == "distances":
        return dense_reward(board, grid)
    return -wrong(board) / (grid.cells - 1)


def fresh(board: Sequence[int], options: Options = DEFAULTS, last_terminated: bool = False) -> Game:
    """An episode from any `board`, a solved one too. The flag of the episode before counts only if it is sticky."""
    return Game(np.array(board), 0, float(options.move), last_terminated and options.sticky_termination)


def step(game: Game, action: int, grid: Grid, options: Options = DEFAULTS) -> tuple[Game, Outcome]:
    """One step. An action that is neither a move nor the no-op counts, stays and is paid for the board as it is."""
    action = int(action)
    kept_flag = game.last_terminated and options.sticky_termination
    if action == NOOP and options.noop:
        return game, Outcome(_paid(game.last_reward, options), kept_flag, False)
    board, moved = slide(game.board, action, grid, options.circular)
    if action in BLANK_STEPS and not moved:
        reward = game.last_reward if options.invalid is None else float(options.invalid)
        terminated = kept_flag
    else:
        reward = board_reward(board, grid, options)
        terminated = is_solved(board) and (moved or options.sticky_termination)
    t = game.t + 1
    truncated = options.max_steps is not None and t >= options.max_steps
    return Game(board, t, reward, terminated), Outcome(_paid(reward, options), terminated, truncated)


def _paid(reward: float, options: Options) -> float:
    return math.exp(reward) if options.exponential else reward


def inversions(permutation: Sequence[int]) -> int:
    """Pairs of tiles in the wrong order."""
    tiles = list(permutation)
    return sum(first > second for i, first in enumerate(tiles) for second in tiles[i + 1 :])


def parity_allows(permutation: Sequence[int], blank_row: int, grid: Grid) -> bool:
    """Whether the tiles in reading order can be solved with the blank in that row (0 is the top)."""
    count = inversions(permutation)
    return count % 2 == 0 if grid.columns % 2 else (count + grid.rows - blank_row) % 2 == 1


def solvable(board: Sequence[int], grid: Grid) -> bool:
    blank = blank_index(board)
    return parity_allows([value for value in board if value], cell_of(blank, grid)[0], grid)


def arrange(permutation: Sequence[int], blank_row: int, blank_column: int, grid: Grid) -> np.ndarray:
    """The board of a permutation of the tiles and a place of the blank: the first two tiles change places if parity asks."""
    tiles = list(permutation)
    if not parity_allows(tiles, blank_row, grid):
        tiles[0], tiles[1] = tiles[1], tiles[0]
    tiles.insert(blank_row * grid.columns + blank_column, 0)
    return np.array(tiles)


def random_board(rng: np.random.Generator, grid: Grid) -> np.ndarray:
    """A board drawn as at reset: uniform over the solvable ones, a solved one moved once."""
    permutation = rng.permutation(np.arange(1, grid.cells))
    board = arrange(permutation, int(rng.integers(grid.rows)), int(rng.integers(grid.columns)), grid)
    if is_solved(board):
        valid = np.flatnonzero(valid_actions(board, grid))
        board, _ = slide(board, int(rng.choice(valid)), grid)
    return board


def scramble_choices(board: Sequence[int], previous: int | None, grid: Grid) -> list[int]:
    """Actions that a scramble may take: valid ones that do not undo the previous one. Empty in a dead end of a single line."""
    mask = valid_actions(board, grid)
    return [action for action in BLANK_STEPS if mask[action] and (previous is None or action != OPPOSITE[previous])]


def scramble_goes_on(board: Sequence[int], moves: int, grid: Grid, steps: int, target: float | None = None) -> bool:
    """Whether a scramble moves once more: it ends unsolved, after `steps` moves or at a dense reward of at most `target`."""
    if steps == 0:
        return False
    reached = target is not None and dense_reward(board, grid) <= target
    return is_solved(board) or not (moves >= steps or reached)


def scramble(rng: np.random.Generator, grid: Grid, steps: int, target: float | None = None) -> tuple[np.ndarray, list[int]]:
    """A board scrambled from the solved one by random moves, and the moves."""
    board, actions = solved_board(grid), []
    while scramble_goes_on(board, len(actions), grid, steps, target):
        action = int(rng.choice(scramble_choices(board, actions[-1] if actions else None, grid)))
        board, _ = slide(board, action, grid)
        actions.append(action)
    return board, actions


def raw(board: Sequence[int], grid: Grid, blank_value: int = -1) -> np.ndarray:
    """The board with `blank_value` in the blank cell, i32 [rows, columns]."""
    values = [value or blank_value for value in np.asarray(board).tolist()]
    return np.array(values, np.int32).reshape(grid)


def onehot(board: Sequence[int]) -> np.ndarray:
    """For each cell in reading order which of N classes it holds, class 0 the blank, f32 [N * N]."""
    return np.eye(len(board), dtype=np.float32)[np.asarray(board)].reshape(-1)


def normalized(board: Sequence[int], grid: Grid, blank_value: int = -1) -> np.ndarray:
    """Tiles over the largest tile, the blank as `blank_value`, f32 [rows, columns]."""
    values = [value / (grid.cells - 1) if value else blank_value for value in np.asarray(board).tolist()]
    return np.array(values, np.float32).reshape(grid)


def coordinates(board: Sequence[int], grid: Grid, normalize: bool = True) -> np.ndarray:
    """Row and column of place v for each cell that holds v, f32 [2 * N]; over the longer side less one if normalised."""
    pairs = np.array([cell_of(value, grid) for value in board], np.float32).reshape(-1)
    return pairs / np.float32(max(grid) - 1) if normalize else pairs


def joystick(push: Sequence[float], threshold: float = 0.0) -> int:
    """The action of a push (vertical, horizontal): the longer axis decides, ties are horizontal; 4 within the threshold."""
    vertical, horizontal = push
    if max(abs(vertical), abs(horizontal)) <= threshold:
        return NOOP
    if abs(vertical) > abs(horizontal):
        return UP if vertical > 0 else DOWN
    return LEFT if horizontal < 0 else RIGHT


@functools.cache
def optimal_lengths(grid: Grid) -> Mapping[tuple[int, ...], int]:
    """Fewest moves to the solved board from every board that can reach it. Breadth first: for up to nine cells."""
    start = tuple(solved_board(grid).tolist())
    ways = [[c for a in BLANK_STEPS if (c := destination(blank, a, grid)) is not None] for blank in range(grid.cells)]
    lengths, frontier = {start: 0}, [start]
    while frontier:
        reached = []
        for board in frontier:
            blank = board.index(0)
            for target in ways[blank]:
                after = list(board)
                after[blank], after[target] = after[target], 0
                key = tuple(after)
                if key not in lengths:
                    lengths[key] = lengths[board] + 1
                    reached.append(key)
        frontier = reached
    return lengths
