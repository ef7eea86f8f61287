"""Which key does which action, from the names that an environment gives its actions."""

import dataclasses
import importlib
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from kagejax.core import Box, Discrete

KEYS = {
    "LEFT": ("left", "a"),
    "RIGHT": ("right", "d"),
    "UP": ("up", "w"),
    "DOWN": ("down", "s"),
    "JUMP": ("space", "up", "w"),
    "NOOP": ("space",),
    "STAY": ("space",),
}
"""Names of actions as rooms write them, and the keys for each; keys are named as pygame does."""
DIGITS = "1234567890"
"""Keys of actions that have no names, in order."""
SHOWN = {"left": "←", "right": "→", "up": "↑", "down": "↓", "escape": "Esc", "space": "Space", "return": "Enter"}
COMMANDS = {
    "p": "pause",
    ".": "one step",
    "+": "faster",
    "-": "slower",
    "r": "again",
    "n": "next",
    "v": "view",
    "h": "help",
    "q": "quit",
}
"""Keys that are not the environment's, and what they do."""
ALIASES = {"escape": "q", "=": "+", "[+]": "+", "[-]": "-", "[.]": ".", "return": "n"}
OF_TIME = ("p", ".", "+", "-")
"""Commands that mean something only where time goes on by itself."""


@dataclasses.dataclass(frozen=True)
class Controls:
    """The keys of an environment.

    `held`: time goes on by itself, and the action of a step is that of all keys held together. Otherwise a step is one press.
    """

    actions: Mapping[str, Any]  # by name, in order: a number, or the position of a stick
    keys: Mapping[str, str]  # from the name of a key to the name of an action
    held: bool
    rest: Any = None  # the action while no key is held

    def action(self, held: Collection[str]) -> Any:
        """The action of keys held together; opposite directions are both given."""
        return self.rest | sum(self.actions[name] for name in {self.keys[key] for key in held if key in self.keys})

    def help(self) -> tuple[tuple[str, str], ...]:
        """Pairs of keys and what they do: actions first."""
        by_action = [(self._shown(name), name.lower()) for name in self.actions]
        kept = [(key.upper() if key.isalpha() else key, about) for key, about in COMMANDS.items()]
        return (*by_action, *(pair for pair in kept if self.held or pair[0].lower() not in OF_TIME))

    def _shown(self, action: str) -> str:
        own = [key for key, name in self.keys.items() if name == action]
        return " ".join(SHOWN.get(key, key.upper()) for key in own)


def controls_of(env: Any) -> Controls:
    """The keys for `env`. Raises ValueError for actions that no keys can give.

    Names come from `env.action_names` (a tuple, in the order of the actions) or from constants such as LEFT in the modules
    `names` and `rules` of the environment's room. Powers of two that fill the action space are buttons, held together.
    """
    space, names = env.action_space, _names(env)
    if isinstance(space, Box) and space.shape == (2,) and {"UP", "DOWN", "LEFT", "RIGHT"} <= set(names):
        return _one_by_one({name: _stick(env, names[name]) for name in ("UP", "DOWN", "LEFT", "RIGHT")})
    if not isinstance(space, Discrete):
        raise ValueError(f"actions are {space}; with keys one can play numbered actions alone")
    found = {name: number for name, number in names.items() if 0 <= number < space.n}
    bits = sorted(found.values()) == [2**place for place in range(len(found))]
    if found and bits and sum(found.values()) + 1 == space.n and space.n > 2:
        keys = {key: name for name in found for key in KEYS[name]}
        return Controls(found, keys, held=True, rest=0)
    if sorted(found.values()) != list(range(space.n)):
        if space.n > len(DIGITS):
            raise ValueError(f"there are {space.n} actions without names; keys are known for {len(DIGITS)}")
        found = {f"action {number}": number for number in range(space.n)}
    return _one_by_one(found)


def _one_by_one(actions: Mapping[str, Any]) -> Controls:
    free = iter(DIGITS)
    keys = {}
    for name in actions:
        keys |= dict.fromkeys(KEYS.get(name) or (next(free),), name)
    return Controls(actions, keys, held=False)


def _names(env: Any) -> dict[str, int]:
    named = getattr(env, "action_names", None)
    if named is not None:
        return {str(name): number for number, name in enumerate(named)}
    for module in ("names", "rules"):
        found = {name: getattr(_module(env, module), name, None) for name in KEYS}
        found = {name: number for name, number in found.items() if isinstance(number, int)}
        if found:
            return dict(sorted(found.items(), key=lambda pair: pair[1]))
    return {}


def _module(env: Any, name: str) -> Any:
    room = type(env).__module__.rpartition(".")[0]
    try:
        return importlib.import_module(f"{room}.{name}" if room else name)
    except ModuleNotFoundError:
        return None


def _stick(env: Any, action: int) -> np.ndarray:
    """The deflection f32 [2] that means an action, by the room's own rule."""
    joystick = _module(env, "rules").joystick
    deflections = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]], np.float32)
    return next(stick for stick in deflections if int(joystick(stick, 0)) == action)
