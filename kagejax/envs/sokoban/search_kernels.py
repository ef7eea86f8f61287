"""The inner loops of the searches for one solution, compiled by numba; see `search.py` for the ideas and `kernels.py` for sets.

The boxes of a board make a node. For each node and side (forward from the start, backward from the solved boards) the cells of
the player that were met are kept as sets, so that a visit of a node settles many boards at once. numba notices changes of this
file only: after a change in `kernels.py`, touch this one too.
"""

from typing import NamedTuple

import numpy as np

from .kernels import BEYOND, BOXES, FREE, FRESH, FROZEN, MOVED, NONE, ONE, OPEN  # isort: skip
from .kernels import bit, compiled, inlined, lowest, moved, size, step_of

FORWARD, BACKWARD = range(2)
NODES, RECORDS, COUNTED, NODE, CELL = range(5)  # in `Store.counts`: nodes and records in use, boards met; where sides meet
PHASE, CURSOR, DEPTH = range(3)  # in `Store.progress`: which half of frontier and queue is visited now, how far, and the round
FULL, PAUSED, DONE, FOUND = range(4)
GAVE_UP, EXHAUSTED = -2, -1


class Field(NamedTuple):
    """What never changes while a level is searched."""

    region: np.ndarray  # u64 [W], cells that the player may ever get to, were there no boxes
    landing: np.ndarray  # u64 [4, W], those that can be entered in a direction
    wide: int  # columns
    goals: np.ndarray  # u64 [W]
    allowed: np.ndarray  # u64 [2, W], cells where boxes have a future (forward) and may have come from (backward)
    mobile: np.ndarray  # u64 [2, W], cells next to one where boxes have a future: above or below (0), left or right (1)


class Store(NamedTuple):
    """Nodes met so far, and how the search goes on. N nodes, R records, S slots (a power of 2)."""

    slots: np.ndarray  # i64 [S], node + 1 by the hash of its boxes; 0: empty
    boxes: np.ndarray  # u64 [N, W]
    seen: np.ndarray  # u64 [2, N, W], by side: cells of the player that were visited
    frontier: np.ndarray  # u64 [2, 2, N, W], by side and phase: cells to visit in this and in the next round
    queue: np.ndarray  # i64 [2, 2, N], nodes with such cells
    last: np.ndarray  # i64 [2, N], latest record + 1 of a node; 0: none
    levels: np.ndarray  # i64 [R], distance of the boards of a record
    earlier: np.ndarray  # i64 [R], record + 1 before it of this node and side
    masks: np.ndarray  # u64 [R, W], its cells of the player
    counts: np.ndarray  # i64 [5]
    lengths: np.ndarray  # i64 [2, 2], of the parts of `queue`
    progress: np.ndarray  # i64 [2, 3], by side


@inlined
def slot_of(slots, boxes, work, row):
    """Where in `slots` the boxes in a row of `work` are, or would have to be put."""
    words = boxes.shape[1]
    mixed = NONE
    for word in range(words):
        mixed = (mixed ^ work[row, word + 1]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    last = np.uint64(slots.shape[0] - 1)
    place = mixed & last
    while slots[place]:
        same = True
        for word in range(words):
            same &= boxes[slots[place] - 1, word] == work[row, word + 1]
        if same:
            break
        place = (place + ONE) & last
    return place


@compiled
def find(store, work, row):
    """The node of the boxes in a row of `work`, or -1."""
    return store.slots[slot_of(store.slots, store.boxes, work, row)] - 1


@compiled
def put_in_slots(slots, boxes, nodes):
    """Fills `slots`, all 0, with the first nodes."""
    work = np.zeros((1, boxes.shape[1] + 2), np.uint64)
    for node in range(nodes):
        work[0, 1:-1] = boxes[node]
        slots[slot_of(slots, boxes, work, 0)] = node + 1


@compiled
def add(store, work, row):
    """The node of the boxes in a row of `work`, new if need be: there has to be room for it."""
    place = slot_of(store.slots, store.boxes, work, row)
    if not store.slots[place]:
        node = store.counts[NODES]
        store.counts[NODES] += 1
        store.slots[place] = node + 1
        for word in range(store.boxes.shape[1]):
            store.boxes[node, word] = work[row, word + 1]
    return store.slots[place] - 1


@compiled
def frozen(field, work):
    """Whether some box of row MOVED that is on no goal can never move again.

    Of all boxes those are taken away, again and again, that could be pushed along one axis if only the others left stood still.
    None of the rest can be the first of them to move, except to where boxes have no future.
    """
    words = field.region.shape[0]
    for word in range(words):
        work[FROZEN, word + 1] = work[MOVED, word + 1]
    changed = ONE
    while changed:
        for word in range(words):
            work[FREE, word + 1] = field.region[word] & ~work[FROZEN, word + 1]
        changed = NONE
        for word in range(words):
            can_move = NONE
            for axis in range(2):
                sides = moved(work, FREE, word, 2 * axis, field.landing, field.wide)
                sides &= moved(work, FREE, word, 2 * axis + 1, field.landing, field.wide)
                can_move |= sides & field.mobile[axis, word]
            changed |= work[FROZEN, word + 1] & can_move
            work[FROZEN, word + 1] &= ~can_move
    off_goals = NONE
    for word in range(words):
        off_goals |= work[FROZEN, word + 1] & ~field.goals[word]
    return off_goals != NONE


@inlined
def plan(store, side, node, word, cells):
    """Puts cells of the player, at least one, on the list for the next round of a side."""
    phase = 1 - store.progress[side, PHASE]
    waiting = NONE
    for each in range(store.boxes.shape[1]):
        waiting |= store.frontier[side, phase, node, each]
    if waiting == NONE:
        store.queue[side, phase, store.lengths[side, phase]] = node
        store.lengths[side, phase] += 1
    store.frontier[side, phase, node, word] |= cells


@inlined
def swapped(work, row, words, cell, other):
    """Row MOVED becomes a row of `work` with one cell less and another one more."""
    for word in range(words):
        work[MOVED, word + 1] = work[row, word + 1]
    word, one = bit(cell)
    work[MOVED, word + 1] ^= one
    word, one = bit(other)
    work[MOVED, word + 1] |= one


@compiled
def expand(field, store, work, side, room, most):
    """Visits the boards of a round of one side: DONE after the last, FULL if no room is left in the store for `room` nodes or a
    record, PAUSED after at least `most` boards, and FOUND where the other side has been: store.counts[NODE] and [CELL].
    """
    words = field.region.shape[0]
    phase, other = store.progress[side, PHASE], 1 - side
    enough = store.counts[COUNTED] + most
    while store.progress[side, CURSOR] < store.lengths[side, phase]:
        if store.counts[NODES] + room > store.boxes.shape[0] or store.counts[RECORDS] == store.levels.shape[0]:
            return FULL
        if store.counts[COUNTED] >= enough:
            return PAUSED
        here = store.queue[side, phase, store.progress[side, CURSOR]]
        store.progress[side, CURSOR] += 1
        some = NONE
        for word in range(words):
            fresh = store.frontier[side, phase, here, word] & ~store.seen[side, here, word]
            store.frontier[side, phase, here, word] = NONE
            store.seen[side, here, word] |= fresh
            store.counts[COUNTED] += size(fresh)
            work[FRESH, word + 1] = fresh
            work[BOXES, word + 1] = store.boxes[here, word]
            work[OPEN, word + 1] = field.region[word] & ~store.boxes[here, word]
            some |= fresh
        if some == NONE:
            continue
        record = store.counts[RECORDS]
        store.counts[RECORDS] += 1
        store.levels[record] = store.progress[side, DEPTH]
        store.earlier[record] = store.last[side, here]
        store.last[side, here] = record + 1
        for word in range(words):
            store.masks[record, word] = work[FRESH, word + 1]
            meeting = work[FRESH, word + 1] & store.seen[other, here, word]
            if meeting:
                store.counts[NODE], store.counts[CELL] = here, word * 64 + lowest(meeting)
                return FOUND
        for word in range(words):
            walks = NONE
            for direction in range(4):
                walks |= moved(work, FRESH, word, direction, field.landing, field.wide)
            walks &= work[OPEN, word + 1] & ~store.seen[side, here, word]
            if walks:
                plan(store, side, here, word, walks)
        for direction in range(4):
            step = step_of(direction, field.wide)
            for word in range(words):  # cells for a box: where it goes in a push, or came from by what is undone
                work[FREE, word + 1] = work[OPEN, word + 1] & field.allowed[side, word]
            for word in range(words):  # boxes with such a cell beyond, seen from the player
                beyond = moved(work, FREE, word, direction ^ 1, field.landing, field.wide)
                work[BEYOND, word + 1] = work[BOXES, word + 1] & (beyond if side == FORWARD else ~NONE)
            for word in range(words):
                players = work[FRESH, word + 1] & moved(work, BEYOND, word, direction ^ 1, field.landing, field.wide)
                if side == BACKWARD:
                    players &= field.allowed[side, word] & moved(work, OPEN, word, direction, field.landing, field.wide)
                while players:
                    cell = word * 64 + lowest(players)
                    players &= players - ONE
                    box = cell + step
                    swapped(work, BOXES, words, box, box + step if side == FORWARD else cell)
                    there = find(store, work, MOVED)
                    if there < 0:
                        if side == FORWARD and frozen(field, work):
                            continue
                        there = add(store, work, MOVED)
                    player_word, player = bit(box if side == FORWARD else cell - step)
                    if not store.seen[side, there, player_word] & player:
                        plan(store, side, there, player_word, player)
    store.lengths[side, phase] = 0
    store.progress[side] = 1 - phase, 0, store.progress[side, DEPTH] + 1
    return DONE


@compiled
def breadth_first(field, store, work, corners, queue, most):
    """The plain search of SPEC 6.1 from the board in queue[0]: its end in `queue`, EXHAUSTED, or GAVE_UP after `most` boards.

    First in, first out; up, down, left, right; boards are tested when they are met, and those with a box on `corners` (u64 [W])
    go no further. `queue` i64 [4 * most + 1, 4]: node, cell, place of the board before in `queue`, action from there.
    """
    words, area = field.region.shape[0], field.region.shape[0] * 64
    head, tail = 0, 1
    while head < tail:
        if head == most:
            return GAVE_UP
        node, player = queue[head, 0], queue[head, 1]
        for direction in range(4):
            step = step_of(direction, field.wide)
            cell = player + step
            if cell < 0 or cell >= area or not field.landing[direction, cell >> 6] & bit(cell)[1]:
                continue
            there = node
            if store.boxes[node, cell >> 6] & bit(cell)[1]:
                beyond = cell + step
                if beyond < 0 or beyond >= area or not field.landing[direction, beyond >> 6] & bit(beyond)[1]:
                    continue
                if store.boxes[node, beyond >> 6] & bit(beyond)[1]:
                    continue
                for word in range(words):
                    work[BOXES, word + 1] = store.boxes[node, word]
                swapped(work, BOXES, words, cell, beyond)
                there = add(store, work, MOVED)
            if store.seen[FORWARD, there, cell >> 6] & bit(cell)[1]:
                continue
            store.seen[FORWARD, there, cell >> 6] |= bit(cell)[1]
            solved, stuck = True, False
            for word in range(words):
                solved &= store.boxes[there, word] == field.goals[word]
                stuck |= (store.boxes[there, word] & corners[word]) != NONE
            if stuck and not solved:
                continue
            queue[tail] = there, cell, head, direction
            if solved:
                return tail
            tail += 1
        head += 1
    return EXHAUSTED
