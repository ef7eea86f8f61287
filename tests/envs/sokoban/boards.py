"""Levels for the tests of the solver, and a solver of ten lines to compare it with: plain Python, from SPEC 3.1 and 6.2."""

import heapq
import itertools
import json
import pathlib
from typing import NamedTuple

import numpy as np

GOLDEN = pathlib.Path(__file__).parents[2] / "golden/sokoban"
RECORDED = {entry["id"]: entry for entry in json.loads((GOLDEN / "levels.json").read_text())["levels"]}
LETTERS = "UDLR"


class Puzzle(NamedTuple):
    walls: np.ndarray
    goals: np.ndarray
    boxes: np.ndarray
    player: int


def puzzle(*rows):
    marks = np.array([list(row.ljust(max(map(len, rows)))) for row in rows])
    player = int(np.isin(marks, ["@", "+"]).argmax())
    return Puzzle(marks == "#", np.isin(marks, [".", "*", "+"]), np.isin(marks, ["$", "*"]), player)


def recorded(name):
    return puzzle(*RECORDED[name]["ascii"].split("\n"))


def cells(mask):
    return tuple(np.flatnonzero(mask).tolist())


def random_puzzle(rng, rows, columns, boxes, density, border):
    """A layout by the sampler of SPEC 5.1, or, without `border`, on a board that may be open at its edges."""
    walls = rng.random((rows, columns)) < density
    if border:
        walls[[0, -1]], walls[:, [0, -1]] = True, True
    free = np.flatnonzero(~walls)
    if free.size < 2 * boxes + 1:
        return random_puzzle(rng, rows, columns, boxes, density, border)
    chosen = rng.permutation(free)[: 2 * boxes + 1]
    masks = np.zeros((2, rows * columns), bool)
    masks[0, chosen[:boxes]], masks[1, chosen[boxes:-1]] = True, True
    return Puzzle(walls, masks[1].reshape(rows, columns), masks[0].reshape(rows, columns), int(chosen[-1]))


def after(walls, boxes, player, action):
    """Boxes and player after an action."""
    by_row, by_column = [(-1, 0), (1, 0), (0, -1), (0, 1)][action]

    def ahead(steps):
        row, column = player // walls.shape[1] + steps * by_row, player % walls.shape[1] + steps * by_column
        inside = 0 <= row < walls.shape[0] and 0 <= column < walls.shape[1]
        return row * walls.shape[1] + column if inside and not walls[row, column] else None

    there, beyond = ahead(1), ahead(2)
    if there is None or (there in boxes and (beyond is None or beyond in boxes)):
        return boxes, player
    return tuple(sorted(beyond if box == there else box for box in boxes)), there


def replayed(level, actions):
    """Boxes after the actions, each of which has to move something."""
    boxes, player = cells(level.boxes), level.player
    for action in actions:
        moved = after(level.walls, boxes, player, action)
        assert moved != (boxes, player), "an action that moves nothing"
        boxes, player = moved
    return boxes


def shortest(level, boxes, player, by_pushes=False):
    """Least (pushes, moves) to solved, or least (0, moves); None if there is no way. Dijkstra, forward."""
    best, heap = {}, [((0, 0), boxes, player)]
    while heap:
        cost, boxes, player = heapq.heappop(heap)
        if (boxes, player) in best:
            continue
        best[boxes, player] = cost
        if boxes == cells(level.goals):
            return cost
        for action in range(4):
            moved = after(level.walls, boxes, player, action)
            if moved not in best:
                heapq.heappush(heap, ((cost[0] + (by_pushes and moved[0] != boxes), cost[1] + 1), *moved))
    return None


def all_distances(level):
    """Fewest moves to solved of all boards of a level that have a solution: all boards forward, then backward from solved."""
    free, count = cells(~level.walls), int(level.boxes.sum())
    before = {}
    for boxes in itertools.combinations(free, count):
        for player in set(free) - set(boxes):
            for action in range(4):
                before.setdefault(after(level.walls, boxes, player, action), []).append((boxes, player))
    goals = cells(level.goals)
    distance = {(goals, player): 0 for player in set(free) - set(goals)}
    found = list(distance)
    for board in found:
        for earlier in before.get(board, ()):
            if earlier not in distance:
                distance[earlier] = distance[board] + 1
                found.append(earlier)
    return distance
