"""Sets of places as bit masks against Python's own sets."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.spatial import bits
from kagejax.envs.spatial.bits import Bits

WORDS = (1, 2, 3)
ROWS = 200


def random_sets(words, seed):
    """Sets of all densities, empty and full ones among them."""
    rng = np.random.default_rng([words, seed])
    shares = rng.choice([0.0, 0.02, 0.3, 0.9, 1.0], ROWS)
    return [frozenset(np.flatnonzero(rng.random(32 * words) < share).tolist()) for share in shares]


def made(sets, words):
    return Bits.of(jnp.asarray(np.stack([bits.packed(np.array(sorted(each), np.int64), words) for each in sets])))


def sets_of(found):
    array = np.stack([np.asarray(word) for word in found.words], axis=-1)
    assert array.dtype == np.uint32
    flags = np.unpackbits(array.view(np.uint8), axis=-1, bitorder="little")
    return [frozenset(np.flatnonzero(row).tolist()) for row in flags]


def test_a_mask_has_the_bits_of_its_places():
    assert bits.packed(np.array([0, 5, 31, 32, 63]), 2).tolist() == [1 + 2**5 + 2**31, 1 + 2**31]
    assert bits.packed(np.array([], np.int64), 3).tolist() == [0, 0, 0]
    assert bits.packed(np.array([33]), 2).dtype == np.uint32


@pytest.mark.parametrize("words", WORDS)
def test_operations_on_masks_are_those_on_sets(words):
    first, second = random_sets(words, 0), random_sets(words, 1)
    a, b = made(first, words), made(second, words)
    assert sets_of(a) == first
    pairs = list(zip(first, second, strict=True))
    assert sets_of(a & b) == [x & y for x, y in pairs]
    assert sets_of(a | b) == [x | y for x, y in pairs]
    assert sets_of(a ^ b) == [x ^ y for x, y in pairs]
    assert sets_of(a - b) == [x - y for x, y in pairs]
    assert a.meets(b).tolist() == [bool(x & y) for x, y in pairs]
    choice = np.arange(ROWS) % 3 == 0
    assert sets_of(bits.where(choice, a, b)) == [x if chosen else y for chosen, (x, y) in zip(choice, pairs, strict=True)]


@pytest.mark.parametrize("words", WORDS)
def test_a_mask_tells_what_it_holds(words):
    sets = random_sets(words, 2)
    mask = made(sets, words)
    assert mask.any().tolist() == [bool(each) for each in sets]
    assert mask.count().tolist() == [len(each) for each in sets]
    assert mask.count().dtype == jnp.int32
    assert mask.lowest().tolist() == [min(each, default=32 * words) for each in sets]
    assert mask.lowest().dtype == jnp.int32
    assert sets_of(mask.first()) == [frozenset(sorted(each)[:1]) for each in sets]


@pytest.mark.parametrize("words", WORDS)
def test_places_move_and_those_that_leave_are_lost(words):
    sets = random_sets(words, 3)
    mask = made(sets, words)
    for by in (0, 1, -1, 7, -7, 31, -31, 32, -32, 33, -33, 64, -64, 95, -95, 200, -200):
        moved = [frozenset(place + by for place in each if 0 <= place + by < 32 * words) for each in sets]
        assert sets_of(mask.moved(by)) == moved, by


@pytest.mark.parametrize("words", WORDS)
def test_the_places_after_a_place_are_cut_off_there(words):
    sets = random_sets(words, 4)
    mask = made(sets, words)
    for place in (0, 1, 30, 31, 32 * words - 1, *range(32, 32 * words, 15)):
        after = mask.above(jnp.full(ROWS, place, jnp.int32))
        assert sets_of(after) == [frozenset(other for other in each if other > place) for each in sets], place


@pytest.mark.parametrize("words", WORDS)
def test_a_single_place_is_a_set_of_one_and_none_is_the_empty_set(words):
    places = np.arange(-1, 32 * words, dtype=np.int32)
    expected = [frozenset(), *(frozenset({place}) for place in range(32 * words))]
    assert sets_of(Bits.single(jnp.asarray(places), words)) == expected


def test_the_least_bit_of_a_word_is_found():
    words = np.array([1, 2, 3, 12, 2**31, 2**32 - 1, 2**31 + 2**7], np.uint32)
    assert bits.trailing_zeros(jnp.asarray(words)).tolist() == [0, 1, 0, 2, 31, 0, 7]


def test_masks_go_through_compiled_code_as_they_are():
    sets = random_sets(2, 5)
    mask = made(sets, 2)
    assert sets_of(jax.jit(lambda mask: mask.moved(1) | mask)(mask)) == sets_of(mask.moved(1) | mask)
    one = jax.tree.map(lambda word: word[0], mask)
    assert one.count().shape == ()
