"""The cache of what is slow to make."""

import threading

import pytest

from kagejax.explorer.shelf import Shelf


def test_the_last_used_are_kept():
    shelf = Shelf(2)
    for key in "abac":
        shelf.get(key, lambda key=key: key.upper())
    assert ("a" in shelf, "b" in shelf, "c" in shelf) == (True, False, True)


def test_a_value_is_made_once_for_all_who_ask_at_the_same_time():
    shelf, made, go, got = Shelf(2), [], threading.Event(), []

    def make():
        go.wait(10)
        made.append(1)
        return len(made)

    threads = [threading.Thread(target=lambda: got.append(shelf.get("a", make))) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert "a" not in shelf  # in the making
    go.set()
    for thread in threads:
        thread.join(10)
    assert (got, made) == ([1, 1, 1, 1], [1])


def test_a_failure_is_raised_and_not_kept():
    shelf = Shelf(2)
    with pytest.raises(ZeroDivisionError):
        shelf.get("a", lambda: 1 // 0)
    assert shelf.get("a", lambda: 2) == 2
