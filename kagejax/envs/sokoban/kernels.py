"""The inner loops of the exact solver, compiled by numba, which this module imports; see `table.py` and `search.py`.

A set of cells is a row of W u64 words: bit b % 64 of word b // 64 for the cell with number b in the area (`table.Area`). One
instruction so moves the player, or asks about boxes, at 64 cells at once. Directions are 0 up, 1 down, 2 left, 3 right; `wide`
is the number of columns, at most 63; `landing` u64 [4, W] holds the cells that can be entered in a direction, `region` u64 [W]
those that are no wall. `work` u64 [rows, W + 2] is scratch: its first and last columns stay 0.
"""

import numba
import numpy as np

FRESH, OPEN, BOXES, BEYOND, MOVED, FROZEN, FREE, ROWS = range(8)  # rows of `work`, and how many
ONE, NONE, WORD = np.uint64(1), np.uint64(0), np.uint64(64)
PRODUCT = 0x03F79D71B4CB0A89  # a de Bruijn sequence: shifted by 0 to 63 its top six bits are all different
PLACES = np.zeros(64, np.int64)
PLACES[[(PRODUCT << place & 2**64 - 1) >> 58 for place in range(64)]] = np.arange(64)
PRODUCT = np.uint64(PRODUCT)


def compiled(function, **options):
    """`function` as machine code, kept on disk where numba may write."""
    try:
        return numba.njit(function, cache=True, nogil=True, **options)
    except RuntimeError:  # no folder to keep it in
        return numba.njit(function, nogil=True, **options)


def inlined(function):
    """`function` as machine code that becomes part of its callers."""
    return compiled(function, forceinline=True)


@inlined
def lowest(word):
    """Number of the lowest bit of a word that is not 0."""
    return PLACES[((word & (~word + ONE)) * PRODUCT) >> np.uint64(58)]


@inlined
def size(word):
    """How many bits of a word are set."""
    word -= (word >> ONE) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def bit(cell):
    """The word in which a cell is, and its bit there."""
    return cell >> 6, ONE << np.uint64(cell & 63)


@inlined
def step_of(direction, wide):
    """What a step adds to the number of a cell."""
    step = wide if direction < 2 else 1
    return step if direction & 1 else -step


@inlined
def moved(work, row, word, direction, landing, wide):
    """Word `word` of a row of `work` with all its cells moved in a direction, less those that meet a wall."""
    step = np.uint64(wide if direction < 2 else 1)
    if direction & 1:
        value = work[row, word + 1] << step | work[row, word] >> (WORD - step)
    else:
        value = work[row, word + 1] >> step | work[row, word + 2] << (WORD - step)
    return value & landing[direction, word]


@compiled
def spread(region, starts, lead):
    """All cells that a thing from `starts` gets to by single steps inside `region`, bool [rows, columns].

    lead 0: it walks. lead -1: it is a box, pushed by someone who stands behind it. lead 2: it is a box, pulled by someone who
    stands in front of it and needs the next cell too.
    """
    rows, columns = region.shape
    wide = columns + 4
    inside, reached = np.zeros((rows + 4) * wide, np.bool_), np.zeros((rows + 4) * wide, np.bool_)
    stack, count = np.empty(rows * columns, np.int64), 0
    for row in range(rows):
        for column in range(columns):
            cell = (row + 2) * wide + column + 2
            inside[cell] = region[row, column]
            if starts[row, column] and region[row, column]:
                reached[cell] = True
                stack[count] = cell
                count += 1
    while count:
        count -= 1
        cell = stack[count]
        for step in (-wide, wide, -1, 1):
            there = cell + step
            if inside[there] and inside[cell + lead * step] and not reached[there]:
                reached[there] = True
                stack[count] = there
                count += 1
    return reached.reshape(rows + 4, wide)[2:-2, 2:-2].copy()


@compiled
def list_boxes(boxes, cells, count):
    """Fills `boxes` (u64 [C, W], zeros) with all choices of `count` of `cells` (i64 [L], ascending), colexicographically."""
    chosen = np.arange(count + 1)
    chosen[count] = cells.shape[0]
    for row in range(boxes.shape[0]):
        for i in range(count):
            word, one = bit(cells[chosen[i]])
            boxes[row, word] |= one
        for i in range(count):
            chosen[i] += 1
            if chosen[i] < chosen[i + 1]:
                break
            chosen[i] = i


@compiled
def fill(keys, boxes, solved, binomial, rank, region, landing, wide, most, by_pushes):
    """Fills `keys` [C, cells of the area] with the cost of solving from each choice of boxes `boxes` [C, W] and player's cell.

    Breadth-first from all boards with the boxes `solved` (a row), over walks and pulls backwards; cells not reached are left as
    they are. Costs are moves or, `by_pushes`, pushes * 65536 + moves, the fewest moves among the solutions with fewest pushes.
    `rank` i64 [cells of the area]: which of the cells for boxes it is; `binomial` i64 [L, k]: [n, i] is C(n, i + 1).
    Returns the largest cost, or -1 when moves came to `most`.
    """
    total, words = boxes.shape
    area = keys.shape[1]
    seen = np.zeros((total, words), np.uint64)
    now, following = np.zeros((total, words), np.uint64), np.zeros((total, words), np.uint64)
    active, waiting = np.empty(total, np.int64), np.empty(total, np.int64)
    work = np.zeros((BOXES + 1, words + 2), np.uint64)
    event, later = np.empty((16, 2), np.int64), np.empty((16, 2), np.int64)  # pulls to come, by pushes: moves and board
    cursor, events, put_off = 0, 0, 0
    pushes, moves, largest = 0, 0, 0
    count, active[0] = 1, solved
    for word in range(words):
        now[solved, word] = region[word] & ~boxes[solved, word]
    while True:
        if count == 0:
            if cursor == events:
                if put_off == 0:
                    return largest
                event, later = later, event
                cursor, events, put_off, pushes = 0, put_off, 0, pushes + 1
            moves = event[cursor, 0]
        while cursor < events and event[cursor, 0] == moves:
            there, cell = event[cursor, 1] // area, event[cursor, 1] % area
            word, one = bit(cell)
            cursor += 1
            if seen[there, word] & one:
                continue
            if not now[there].any():
                active[count] = there
                count += 1
            now[there, word] |= one
        if moves >= most:
            return -1
        key = pushes * 65536 + moves
        next_count = 0
        for which in range(count):
            here = active[which]
            some = NONE
            for word in range(words):
                work[FRESH, word + 1] = now[here, word] & ~seen[here, word]
                some |= work[FRESH, word + 1]
                now[here, word] = NONE
                seen[here, word] |= work[FRESH, word + 1]
                work[BOXES, word + 1] = boxes[here, word]
                work[OPEN, word + 1] = region[word] & ~boxes[here, word]
            if some == NONE:
                continue
            largest = key
            queued = NONE
            some = NONE
            for word in range(words):
                fresh = work[FRESH, word + 1]
                queued |= following[here, word]
                walks = NONE
                for direction in range(4):
                    walks |= moved(work, FRESH, word, direction, landing, wide)
                walks &= work[OPEN, word + 1] & ~seen[here, word]
                some |= walks
                following[here, word] |= walks
                while fresh:
                    keys[here, word * 64 + lowest(fresh)] = key
                    fresh &= fresh - ONE
            if queued == NONE and some:
                waiting[next_count] = here
                next_count += 1
            for direction in range(4):
                step = step_of(direction, wide)
                for word in range(words):
                    pulls = work[FRESH, word + 1] & moved(work, BOXES, word, direction ^ 1, landing, wide)
                    pulls &= moved(work, OPEN, word, direction, landing, wide)
                    while pulls:
                        cell = word * 64 + lowest(pulls)
                        pulls &= pulls - ONE
                        from_word, from_bit = bit(cell + step)
                        to_word, to_bit = bit(cell)
                        there, i = 0, 0
                        for w in range(words):
                            rest = work[BOXES, w + 1]
                            if w == from_word:
                                rest ^= from_bit
                            if w == to_word:
                                rest |= to_bit
                            while rest:
                                there += binomial[rank[w * 64 + lowest(rest)], i]
                                i += 1
                                rest &= rest - ONE
                        player = cell - step
                        player_word, player_bit = bit(player)
                        if seen[there, player_word] & player_bit:
                            continue
                        if by_pushes:
                            if put_off == later.shape[0]:
                                longer = np.empty((2 * put_off, 2), np.int64)
                                longer[:put_off] = later
                                later = longer
                            later[put_off, 0], later[put_off, 1] = moves + 1, there * area + player
                            put_off += 1
                            continue
                        queued = NONE
                        for w in range(words):
                            queued |= following[there, w]
                        if queued == NONE:
                            waiting[next_count] = there
                            next_count += 1
                        following[there, player_word] |= player_bit
        now, following = following, now
        active, waiting = waiting, active
        count = next_count
        moves += 1
