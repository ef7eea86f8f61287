"""The two inner loops of the search for shortest solutions. Plain Python that numba compiles; see `search.py` for the ideas.

Cells, tiles and moves are i64, `neighbour` is that of `table.neighbours`. A pattern, the places of some of the tiles, has a
code: the sum of their cells times powers of N.
"""

import numpy as np

EXHAUSTED, FOUND, PAUSED = range(3)
DEPTH, NEXT_BOUND, NODES = range(3)


def pattern_distances(neighbour: np.ndarray, goals: np.ndarray, distances: np.ndarray) -> None:
    """Fills `distances` (u8 [N ** k], all 255): fewest moves of the k tiles with goals `goals` that bring these tiles home.

    Moves of other tiles are free, and the blank may begin anywhere. N is at most 64: a set of cells is the bits of a u64.
    """
    cells, tiles = neighbour.shape[0], goals.shape[0]
    bit = np.uint64(1) << np.arange(cells).astype(np.uint64)
    nowhere = np.uint64(0)
    seen = np.zeros(distances.shape[0], np.uint64)  # blanks met with each pattern
    stack, place = np.zeros(cells, np.int64), np.zeros(tiles, np.int64)
    weight = np.ones(tiles, np.int64)
    for i in range(1, tiles):
        weight[i] = weight[i - 1] * cells
    now, following = np.empty(1, np.int64), np.empty(1024, np.int64)  # pattern and blank: code * cells + blank
    now[0] = (goals * weight).sum() * cells + cells - 1
    waiting, moves = 1, 0
    while waiting:
        count = 0
        for entry in range(waiting):
            code, blank = now[entry] // cells, now[entry] % cells
            if seen[code] & bit[blank]:
                continue
            occupied = nowhere
            rest = code
            for i in range(tiles):
                place[i] = rest % cells
                rest //= cells
                occupied |= bit[place[i]]
            region = bit[blank]  # all that the blank reaches without moving these tiles
            stack[0] = blank
            size = 1
            while size:
                size -= 1
                here = stack[size]
                for action in range(4):
                    there = neighbour[here, action]
                    if there >= 0 and (region | occupied) & bit[there] == nowhere:
                        region |= bit[there]
                        stack[size] = there
                        size += 1
            seen[code] |= region
            if distances[code] == 255:
                distances[code] = moves
            for i in range(tiles):
                here = place[i]
                for action in range(4):
                    there = neighbour[here, action]
                    if there < 0 or region & bit[there] == nowhere:
                        continue
                    moved = code + (there - here) * weight[i]
                    if seen[moved] & bit[here]:
                        continue
                    if count == following.shape[0]:
                        longer = np.empty(2 * count, np.int64)
                        longer[:count] = following
                        following = longer
                    following[count] = moved * cells + here
                    count += 1
        now, following = following, now
        waiting = count
        moves += 1


def deepen(board, cell, tried, total, before, code, value, progress, neighbour, data, group, weight, place, bound, budget):
    """Depth-first search for a solution of at most `bound` moves; it stops as PAUSED after `budget` nodes and can be resumed.

    All that changes is in arrays: `board` [N]; for each depth, `cell` (of the blank), `tried` (actions), `total` (estimate,
    for each of the views) and `before` (what the last move replaced in `value`); `code` and `value` [views, groups] of the
    patterns now; `progress`. Fixed: `data` with the distances of all patterns, and for each view `group` and `weight` of a
    tile and `place` of a cell. Ends as EXHAUSTED with the least estimate above `bound` in progress[NEXT_BOUND], or as FOUND
    with the solution tried[:progress[DEPTH]] - 1.
    """
    views = group.shape[0]
    depth, following, nodes = progress[DEPTH], progress[NEXT_BOUND], 0
    while nodes < budget:
        if tried[depth] == 4:
            if depth == 0:
                progress[NEXT_BOUND] = following
                progress[NODES] += nodes
                return EXHAUSTED
            depth -= 1
            here, there = cell[depth], cell[depth + 1]
            tile = board[here]
            for view in range(views):
                g = group[view, tile]
                code[view, g] += weight[view, tile] * (place[view, there] - place[view, here])
                value[view, g] = before[depth, view]
            board[there], board[here] = tile, 0
            continue
        here = cell[depth]
        there = neighbour[here, tried[depth]]
        tried[depth] += 1
        if there < 0 or (depth > 0 and there == cell[depth - 1]):
            continue  # no move, or back to where the blank came from
        nodes += 1
        tile = board[there]
        most = 0
        for view in range(views):
            g = group[view, tile]
            moved = code[view, g] + weight[view, tile] * (place[view, here] - place[view, there])
            total[depth + 1, view] = total[depth, view] - value[view, g] + data[moved]
            most = max(most, total[depth + 1, view])
            if depth + 1 + most > bound:
                break
        if depth + 1 + most > bound:
            following = min(following, depth + 1 + most)
            continue
        for view in range(views):
            g = group[view, tile]
            before[depth, view] = value[view, g]
            code[view, g] += weight[view, tile] * (place[view, here] - place[view, there])
            value[view, g] += total[depth + 1, view] - total[depth, view]
        board[here], board[there] = tile, 0
        depth += 1
        cell[depth], tried[depth] = there, 0
        if most == 0:
            progress[DEPTH] = depth
            progress[NODES] += nodes
            return FOUND
    progress[DEPTH], progress[NEXT_BOUND] = depth, following
    progress[NODES] += nodes
    return PAUSED
