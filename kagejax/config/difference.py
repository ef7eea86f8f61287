"""How two configurations differ, and what the differences reach."""

import dataclasses
from typing import Any

from .parameters import Affects, parameters
from .schema import ConfigModel


@dataclasses.dataclass(frozen=True)
class Difference:
    """A key whose values differ. `inert`: it changes nothing on either side, because another key has it unused."""

    path: str
    first: Any
    second: Any
    affects: Affects
    inert: bool


def diff(first: ConfigModel, second: ConfigModel) -> tuple[Difference, ...]:
    """The keys whose values differ, in the order of the model. Raises TypeError if the two configure different environments."""
    if type(first) is not type(second):
        raise TypeError(f"{type(first).__name__} and {type(second).__name__} configure different environments.")
    known, left, right = parameters(type(first)), first.flat(), second.flat()
    unused = first.inert() & second.inert()
    return tuple(
        Difference(path, value, right[path], known[path].affects, path in unused)
        for path, value in left.items()
        if value != right[path]
    )


def summary(differences: tuple[Difference, ...]) -> str:
    """What the differences reach, all together: one sentence."""
    active = [difference for difference in differences if not difference.inert]
    if not differences:
        return "The two are the same."
    if not active:
        return "No differing key is in use: the two are the same in effect."
    picture = [difference for difference in active if difference.affects in ("render", "both")]
    game = [difference for difference in active if difference.affects in ("control", "both")]
    if picture and game:
        return "Both the picture and the game differ."
    if game:
        return "The game differs (control), the settings of the picture do not."
    return "Only the picture differs (render); the game is the same." if picture else "Only metrics differ."
