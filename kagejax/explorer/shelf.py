"""A cache of what is slow to make."""

import collections
import concurrent.futures
import threading
from collections.abc import Callable, Hashable
from typing import Any


class Shelf:
    """The `room` values last asked for, by key. However many threads ask for one at the same time, it is made once."""

    def __init__(self, room: int):
        self._room = room
        self._lock = threading.Lock()
        self._entries: collections.OrderedDict[Hashable, concurrent.futures.Future] = collections.OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        """Whether the value is there, made and not only in the making."""
        with self._lock:
            entry = self._entries.get(key)
            return entry is not None and entry.done()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of `key`, by `make()` if it is not there. What `make` raises is raised to all who wait, and not kept."""
        with self._lock:
            entry = self._entries.get(key)
            ours = entry is None
            if ours:
                entry = self._entries[key] = concurrent.futures.Future()
            self._entries.move_to_end(key)
            while len(self._entries) > self._room:
                self._entries.popitem(last=False)
        if ours:
            try:
                entry.set_result(make())
            except BaseException as error:
                with self._lock:
                    if self._entries.get(key) is entry:
                        del self._entries[key]
                entry.set_exception(error)
        return entry.result()
