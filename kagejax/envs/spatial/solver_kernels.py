"""The search for lines, compiled by numba; see `solver.py`. Numbers of vertices and edges are as in `region_kernels.py`.

numba notices changes of this file only: after a change in one of the other kernels, touch this one too.
"""

from typing import NamedTuple

import numpy as np

from .mask_kernels import ONE, compiled, earlier, keep, kept, later, single, some
from .region_kernels import Edges, counted, grown, hopeful, spread

DONE, PAUSED, FULL = range(3)
DEPTH, NODES, FOUND, BEST = range(4)
"""In `progress`: vertices on the line, moves tried, lines found since it was set to 0, and vertices of the shortest."""
MOVES = 4


class Lattice(NamedTuple):
    """Where lines may run. Directions are numbered in the order of `names.SOLUTION_ORDER`. Sets are words: u64, or a pair."""

    ways: np.ndarray  # i64 [places, 4], vertex that a move leads to; -1: none, or past the start or the end
    leaves: np.ndarray  # i64 [places], direction of the end, where it is on an edge of the vertex; -1
    roots: np.ndarray  # i64 [R], vertices that a line may have first
    goal: np.ndarray  # set, of the end where it is a vertex
    gates: np.ndarray  # set, vertices of the edge that the end is on, if it is
    far: np.ndarray  # i64 [places], least number of vertices behind this one
    vertices: np.ndarray  # set of all
    across: np.ndarray  # set, edges that a line may run along from end to end
    down: np.ndarray  # set
    first_across: np.ndarray  # set, edges that start and end are on: surely on the line
    first_down: np.ndarray  # set
    dots: np.ndarray  # set, dots on vertices
    dots_across: np.ndarray  # set, dots on edges
    dots_down: np.ndarray  # set


class Stack(NamedTuple):
    """The line and, for each of its vertices, what was so when it was reached. D: most vertices of a line, and one."""

    heads: np.ndarray  # i64 [D], vertices from place 1 on
    turns: np.ndarray  # i64 [D], next direction to try; at 0 the next root
    visited: np.ndarray  # u64 [D, W]
    across: np.ndarray  # u64 [D, W]
    down: np.ndarray  # u64 [D, W]
    closed: np.ndarray  # u64 [D, W], cells of regions that are closed off and right


@compiled
def standing(lattice, symbols, memo, scratch, near, edges, closed):
    """Whether all rules may still be kept, and the cells that are settled; `near`: vertices on the line or within reach."""
    across, down = edges.across | edges.open_across, edges.down | edges.open_down
    missed = some(lattice.dots & ~near) or some(lattice.dots_across & ~across) or some(lattice.dots_down & ~down)
    if missed or not counted(symbols, edges):
        return False, closed
    return hopeful(symbols, memo, scratch, edges, closed)


@compiled
def within_reach(lattice, stride, head, visited):
    """Vertices that the line may still run over, with its head; without the end none of them counts."""
    start = single(head, visited)
    fixed = start | lattice.goal | lattice.gates
    free = start | (lattice.vertices & ~visited & ~lattice.goal)
    right, down = free & earlier(free, ONE) & lattice.across, free & earlier(free, stride) & lattice.down
    reached = spread(start, right, down, stride)
    if not some(reached & (lattice.gates | grown(lattice.goal, lattice.across, lattice.down, stride))):
        return visited ^ visited
    reached = reached | lattice.goal
    while True:  # dead ends
        right, down = reached & earlier(reached, ONE) & lattice.across, reached & earlier(reached, stride) & lattice.down
        left, up = later(right, ONE), later(down, stride)
        passable = (left & right) | (up & down) | ((left | right) & (up | down))
        smaller = reached & (passable | fixed)
        if smaller == reached:
            return reached
        reached = smaller


@compiled
def promising(lattice, symbols, memo, scratch, head, visited, across, down, closed):
    """Whether a line that has come to a vertex before the end may still become a solution, and the cells that are settled."""
    stride = symbols.stride
    reached = within_reach(lattice, stride, head, visited)
    if not some(reached):
        return False, closed
    open_across = reached & earlier(reached, ONE) & lattice.across
    open_down = reached & earlier(reached, stride) & lattice.down
    edges = Edges(across, down, open_across, open_down)
    return standing(lattice, symbols, memo, scratch, visited | reached, edges, closed)


@compiled
def complete(lattice, symbols, memo, scratch, visited, across, down, closed):
    """Whether a line that has come to the end keeps all rules."""
    none = visited ^ visited
    fine, _ = standing(lattice, symbols, memo, scratch, visited, Edges(across, down, none, none), closed)
    return fine


@compiled
def search(lattice, symbols, memo, scratch, stack, progress, found, lengths, most, shorter):
    """Goes on with a search: DONE, PAUSED once `most` moves and steps were tried, or FULL if `found` is.

    Vertices of lines go to the rows of `found` i16 [N, D] and how many each has to `lengths` i64 [N]. `shorter`: only a line
    shorter than all before counts.
    """
    none = symbols.cells ^ symbols.cells
    depth = progress[DEPTH]
    while progress[NODES] + scratch.steps[0] < most:
        head, vertex, turn = stack.heads[depth], -1, stack.turns[depth]
        stack.turns[depth] += 1
        if depth == 0:
            if turn == lattice.roots.shape[0]:
                return DONE
            vertex = lattice.roots[turn]
        elif turn == MOVES:
            depth -= 1
            continue
        elif lattice.leaves[head] != turn:
            vertex = lattice.ways[head, turn]
            if vertex < 0:
                continue
        visited, closed = kept(stack.visited, depth, none), kept(stack.closed, depth, none)
        across, down = kept(stack.across, depth, none), kept(stack.down, depth, none)
        reached = none if vertex < 0 else single(vertex, none)
        if some(reached & visited):
            continue
        if depth > 0 and vertex >= 0:
            edge = single(min(head, vertex), none)
            if abs(head - vertex) == 1:
                across = across | edge
            else:
                down = down | edge
        visited = visited | reached
        length = depth + (vertex >= 0)
        progress[NODES] += 1
        if vertex < 0 or some(reached & lattice.goal):
            fresh = not shorter or length < progress[BEST]
            if fresh and complete(lattice, symbols, memo, scratch, visited, across, down, closed):
                row = progress[FOUND]
                found[row, :depth] = stack.heads[1 : depth + 1]
                found[row, depth] = vertex
                lengths[row] = length
                progress[FOUND], progress[BEST] = row + 1, length
                if progress[FOUND] == lengths.shape[0]:
                    progress[DEPTH] = depth
                    return FULL
            continue
        if shorter and length + lattice.far[vertex] >= progress[BEST]:
            continue
        hope, closed = promising(lattice, symbols, memo, scratch, vertex, visited, across, down, closed)
        if hope:
            depth += 1
            stack.heads[depth], stack.turns[depth] = vertex, 0
            keep(stack.visited, depth, visited)
            keep(stack.across, depth, across)
            keep(stack.down, depth, down)
            keep(stack.closed, depth, closed)
    progress[DEPTH] = depth
    return PAUSED
