"""Oracle of solutions and dead states of Sokoban: breadth-first searches over whole states, boxes as bits of an integer."""

import itertools
from collections import deque
from collections.abc import Iterable, Mapping

from . import sokoban
from .sokoban import STEPS, Board, Game

State = tuple[int, int]
"""Boxes, bit c for cell c, and the player's cell."""


def bits(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


def state_of(game: Game) -> State:
    return bits(game.boxes), game.player


def solution(board: Board, game: Game, most_expansions: int = 200_000) -> list[int] | None:
    """A shortest solution in moves; of several the first in the order up, down, left, right, empty if solved already.

    None if there is none or if it is not found within `most_expansions`. States with a box in a corner are not expanded.
    """
    goal, (boxes, player) = bits(board.goals), state_of(game)
    if boxes == goal:
        return []
    corners, ahead = bits(sokoban.corners(board)), _ahead(board)
    parents: dict[State, tuple[State, int] | None] = {(boxes, player): None}
    queue = deque([(boxes, player)])
    for _ in range(most_expansions):
        if not queue:
            return None
        state = queue.popleft()
        for action in STEPS:
            after = _moved(*state, ahead[action])
            if after is None or after in parents:
                continue
            parents[after] = state, action
            if after[0] == goal:
                return _actions_to(after, parents)
            if not after[0] & corners:
                queue.append(after)
    return None


def _ahead(board: Board) -> list[list[int]]:
    """For each action the next cell of each cell, -1 where that is a wall."""
    cells = range(board.rows * board.columns)
    ahead = [[sokoban.neighbour(board, cell, action) for cell in cells] for action in STEPS]
    return [[-1 if sokoban.is_wall(board, cell) else cell for cell in row] for row in ahead]


def _moved(boxes: int, player: int, ahead: list[int]) -> State | None:
    """The state after a move, or None if it does not move."""
    cell = ahead[player]
    if cell < 0:
        return None
    if not boxes >> cell & 1:
        return boxes, cell
    beyond = ahead[cell]
    if beyond < 0 or boxes >> beyond & 1:
        return None
    return boxes ^ (1 << cell) ^ (1 << beyond), cell


def _actions_to(state: State, parents: Mapping[State, tuple[State, int] | None]) -> list[int]:
    actions = []
    while parents[state] is not None:
        state, action = parents[state]
        actions.append(action)
    return actions[::-1]


def bounded_dead(board: Board, game: Game, most_expansions: int = 50_000) -> bool:
    """Whether no solution is found within `most_expansions`: dead states, and those that are hard to solve."""
    return solution(board, game, most_expansions) is None


def distances(board: Board) -> dict[State, int]:
    """Fewest moves to the goal of every state that can reach it, from any place of the player: backwards from the goal.

    Keeps all these states: for up to a million of them. States that are not in it are dead.
    """
    goal = bits(board.goals)
    frontier = [(goal, cell) for cell in board.free if not goal >> cell & 1]
    found = dict.fromkeys(frontier, 0)
    ahead = _ahead(board)
    # The cell behind the player in the direction of an action is the one ahead in the opposite direction.
    ways = [(ahead[action], ahead[action ^ 1]) for action in STEPS]
    for distance in itertools.count(1):
        reached = []
        for boxes, player in frontier:
            for front, back in ways:
                before = back[player]
                if before < 0 or boxes >> before & 1:
                    continue
                predecessors = [(boxes, before)]
                box = front[player]
                if box >= 0 and boxes >> box & 1:
                    predecessors.append((boxes ^ (1 << box) ^ (1 << player), before))
                for state in predecessors:
                    if state not in found:
                        found[state] = distance
                        reached.append(state)
        if not reached:
            return found
        frontier = reached


def exactly_dead(board: Board, game: Game) -> bool:
    """Whether no moves lead from here to the goal. Works the whole level out."""
    return state_of(game) not in distances(board)


def is_trap(board: Board, game: Game, most_expansions: int | None = None) -> bool:
    """Whether a first push that can be reached is fatal, exactly or by a search of at most `most_expansions`."""
    results = sokoban.first_pushes(board, game)
    if most_expansions is not None:
        return any(bounded_dead(board, after, most_expansions) for after in results)
    alive = distances(board)
    return any(state_of(after) not in alive for after in results)
