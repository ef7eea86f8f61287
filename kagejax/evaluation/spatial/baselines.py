"""Players without a model, asked and judged as models are: random legal moves, and shortest paths. SPEC 10.3."""

import heapq
import itertools
import random

from kagejax.envs.spatial.names import ACTIONS
from kagejax.envs.spatial.puzzles import Path, Position, Puzzle

from .exchange import Reply, Request
from .parsing import MARKER
from .prompts import positions


class Random:
    """Uniform among legal moves; a whole answer is a walk until its end or until no move is left. Never steps back."""

    def __init__(self, seed: int = 0):
        self._seed = seed

    async def __call__(self, request: Request) -> Reply:
        """The reply, the same for the same seed, puzzle, sample and number of the request."""
        draw = random.Random(f"{self._seed}/{request.puzzle.id}/{request.sample}/{request.number}")
        if request.legal:
            return _move(draw.choice(_forward(request)))
        path = list(request.path)
        while path[-1] != request.puzzle.end:
            onward = [n for n in _neighbours(request.puzzle, path[-1]) if n not in path]
            if not onward:
                break
            path.append(draw.choice(onward))
        return _answer(tuple(path))


class AStar:
    """The shortest path to the end that avoids gaps and cells and heeds no rule; where there is none, random legal moves.

    Of several shortest paths it takes one that an A* with Manhattan distance finds: which one depends on how ties are broken,
    which is not published. Ties go to the position nearer to the end, then to the one found first, with neighbours in the order
    of the actions.
    """

    def __init__(self, seed: int = 0):
        self._random = Random(seed)

    async def __call__(self, request: Request) -> Reply:
        """The reply."""
        path = shortest(request.puzzle, request.path)
        if path is None:
            return await self._random(request)
        if not request.legal:
            return _answer(path)
        (x, y), (next_x, next_y) = path[len(request.path) - 1 : len(request.path) + 1]
        return _move(next(i for i, action in enumerate(ACTIONS) if (action.dx, action.dy) == (next_x - x, next_y - y)))


def shortest(puzzle: Puzzle, path: Path) -> Path | None:
    """`path` and the shortest way on from it to the end, or None if there is none."""
    order = itertools.count()
    waiting = [(_distance(path[-1], puzzle.end), _distance(path[-1], puzzle.end), next(order), path[-1])]
    before: dict[Position, Position | None] = {path[-1]: None}
    moves = {path[-1]: 0}
    while waiting:
        here = heapq.heappop(waiting)[-1]
        if here == puzzle.end:
            way = [here]
            while before[way[-1]] is not None:
                way.append(before[way[-1]])
            return (*path, *way[-2::-1])
        for there in _neighbours(puzzle, here):
            if there not in path and moves[here] + 1 < moves.get(there, 10**9):
                before[there], moves[there] = here, moves[here] + 1
                left = _distance(there, puzzle.end)
                heapq.heappush(waiting, (moves[there] + left, left, next(order), there))
    return None


def _forward(request: Request) -> list[int]:
    """Legal actions but the one that takes the line back, unless there is no other."""
    x, y = request.path[-1]
    onward = [a for a in request.legal if (x + ACTIONS[a].dx, y + ACTIONS[a].dy) not in request.path]
    return onward or list(request.legal)


def _neighbours(puzzle: Puzzle, position: Position) -> list[Position]:
    """Where a line can go from `position`, by the order of actions."""
    around = [(position[0] + action.dx, position[1] + action.dy) for action in ACTIONS]
    return [
        (x, y)
        for x, y in around
        if 0 <= x < puzzle.lattice_w and 0 <= y < puzzle.lattice_h and not (x % 2 and y % 2) and (x, y) not in puzzle.gaps
    ]


def _distance(one: Position, other: Position) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def _move(action: int) -> Reply:
    return Reply(content=f"Final: {action}", finish="stop")


def _answer(path: Path) -> Reply:
    return Reply(content=f"{MARKER}\n{positions(path)}", finish="stop")
