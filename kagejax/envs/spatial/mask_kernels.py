"""Sets of places on a board, compiled by numba, which this module imports.

Places are numbered in reading order, `stride` to a row. A set of up to 64 places is a u64, one of up to 128 a pair of them, the
lower places first. The kernels are written once, and numba compiles them for the one or the other: `&`, `|`, `^` and `~` of
pairs are defined here, for compiled code alone, and so are the functions below, which plain Python cannot call.
"""

import operator

import numba
import numpy as np
from numba.extending import overload

ONE, NONE = np.uint64(1), np.uint64(0)
WORD, LAST = np.uint64(64), np.uint64(63)
PRODUCT = 0x03F79D71B4CB0A89  # a de Bruijn sequence: shifted by 0 to 63 its top six bits are all different
PLACES = np.zeros(64, np.int64)
PLACES[[(PRODUCT << place & 2**64 - 1) >> 58 for place in range(64)]] = np.arange(64)
PRODUCT = np.uint64(PRODUCT)
PAIR = numba.types.UniTuple(numba.types.uint64, 2)


def compiled(function):
    """`function` as machine code, kept on disk where numba may write."""
    try:
        return numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # no folder to keep it in
        return numba.njit(function, nogil=True)


@overload(operator.and_)
def _and(a, b):
    if a == PAIR and b == PAIR:
        return lambda a, b: (a[0] & b[0], a[1] & b[1])


@overload(operator.or_)
def _or(a, b):
    if a == PAIR and b == PAIR:
        return lambda a, b: (a[0] | b[0], a[1] | b[1])


@overload(operator.xor)
def _xor(a, b):
    if a == PAIR and b == PAIR:
        return lambda a, b: (a[0] ^ b[0], a[1] ^ b[1])


@overload(operator.invert)
def _invert(a):
    if a == PAIR:
        return lambda a: (~a[0], ~a[1])


def later(places, by):
    """The set with every place moved `by` (u64, 1 to 63) on."""
    raise NotImplementedError


@overload(later)
def _later(places, by):
    if places == PAIR:
        return lambda places, by: (places[0] << by, places[1] << by | places[0] >> (WORD - by))
    return lambda places, by: places << by


def earlier(places, by):
    """The set with every place moved `by` (u64, 1 to 63) back."""
    raise NotImplementedError


@overload(earlier)
def _earlier(places, by):
    if places == PAIR:
        return lambda places, by: (places[0] >> by | places[1] << (WORD - by), places[1] >> by)
    return lambda places, by: places >> by


def some(places):
    """Whether there is a place in the set."""
    raise NotImplementedError


@overload(some)
def _some(places):
    if places == PAIR:
        return lambda places: (places[0] | places[1]) != NONE
    return lambda places: places != NONE


def size(places):
    """How many there are."""
    raise NotImplementedError


@overload(size)
def _size(places):
    if places == PAIR:
        return lambda places: size_of_word(places[0]) + size_of_word(places[1])
    return lambda places: size_of_word(places)


def first(places):
    """The lowest place of a set that has one."""
    raise NotImplementedError


@overload(first)
def _first(places):
    if places == PAIR:
        return lambda places: first_of_word(places[0]) if places[0] else first_of_word(places[1]) + 64
    return lambda places: first_of_word(places)


def single(place, like):
    """The set of one place, as many words as `like`."""
    raise NotImplementedError


@overload(single)
def _single(place, like):
    if like == PAIR:

        def pair(place, like):
            bit = ONE << (np.uint64(place) & LAST)
            return (bit, NONE) if place < 64 else (NONE, bit)

        return pair
    return lambda place, like: ONE << np.uint64(place)


def kept(words, row, like):
    """The set in a row of words, u64 [rows, W]."""
    raise NotImplementedError


@overload(kept)
def _kept(words, row, like):
    if like == PAIR:
        return lambda words, row, like: (words[row, 0], words[row, 1])
    return lambda words, row, like: words[row, 0]


def keep(words, row, places):
    """Writes a set into a row of words."""
    raise NotImplementedError


@overload(keep)
def _keep(words, row, places):
    if places == PAIR:

        def pair(words, row, places):
            words[row, 0], words[row, 1] = places

        return pair

    def one(words, row, places):
        words[row, 0] = places

    return one


@compiled
def first_of_word(word):
    """Number of the lowest bit of a word that is not 0."""
    return PLACES[((word & (~word + ONE)) * PRODUCT) >> np.uint64(58)]


@compiled
def size_of_word(word):
    """How many bits of a word are set."""
    word -= (word >> ONE) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def hashed(places):
    """A well mixed number for a set."""
    mixed = NONE
    for word in words_of(places):
        mixed = (mixed ^ word) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def words_of(places):
    """The words of a set, as a tuple."""
    raise NotImplementedError


@overload(words_of)
def _words_of(places):
    if places == PAIR:
        return lambda places: places
    return lambda places: (places,)
