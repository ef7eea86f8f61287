"""What each background shows: a brush and its settings, in order of index."""

from collections.abc import Callable
from typing import Any, NamedTuple

from kagejax.assets import _skies


class Entry(NamedTuple):
    """One picture."""

    title: str
    brush: Callable[..., Any]
    settings: dict[str, Any]


def _first() -> tuple[Entry, ...]:
    hexes = [f"{(i * 97 + 40) % 256:02x}{(i * 57 + 90) % 256:02x}{(i * 31 + 150) % 256:02x}" for i in range(600)]
    out = []
    for i in range(128):
        a, b, c, d = hexes[i * 4 : i * 4 + 4]
        kind = i % 3
        if kind == 0:
            out.append(Entry(f"mountains {i}", _skies.mountains, dict(air=f"{a} {b}", rock=f"{b} {c} {d}", sun="ffe9a0")))
        elif kind == 1:
            out.append(Entry(f"clouds {i}", _skies.clouds, dict(air=f"{a} {b}", light="ffffff", dark=c)))
        else:
            out.append(Entry(f"plasma {i}", _skies.plasma, dict(paints=f"{a} {b} {c} {d}")))
    return tuple(out)


CATALOGUE = _first()
