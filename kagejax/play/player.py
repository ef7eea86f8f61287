"""What keys and passing time do to an episode. Knows neither window nor terminal."""

import dataclasses
from typing import Any

from .controls import ALIASES, COMMANDS, Controls
from .recording import Recording

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
MOST_AT_ONCE = 8
"""Steps caught up with between two pictures; where a machine is slower than that, time goes on more slowly."""
QUEUE = 16
"""Presses that wait while the game is being compiled."""


@dataclasses.dataclass
class Player:
    """An episode under a person's hands.

    Where time goes on by itself, it begins with the first key of an episode, and stops while paused. `sticky` is for terminals,
    which do not tell when a key is let go: left and right stay, down stops, anything else lasts a step.
    """

    session: Any
    controls: Controls
    moment: Any
    recording: Recording
    fps: float
    sticky: bool = False
    paused: bool = False
    waiting: bool = True
    help: bool = True
    agent_view: bool = False  # of a terminal, which shows one picture at a time
    left: bool = False
    speed: float = 1.0
    held: set = dataclasses.field(default_factory=set)
    tapped: list = dataclasses.field(default_factory=list)
    due: float = 0.0  # when the next step is

    def __post_init__(self):
        self.recording.begin(self.moment)

    def press(self, key: str, now: float) -> None:
        """A key goes down."""
        key = ALIASES.get(key, key)
        if key in self.controls.keys:
            self._act_key(key, now)
        elif key in COMMANDS:
            self._command(COMMANDS[key], now)
        elif self.sticky and key in ("down", "s"):
            self.held.clear()

    def release(self, key: str) -> None:
        """A key comes up."""
        self.held.discard(key)

    def release_all(self) -> None:
        """As when the window is no longer the one that hears the keyboard."""
        self.held.clear()

    def _act_key(self, key: str, now: float) -> None:
        if self.moment.over or len(self.tapped) >= QUEUE:
            return
        if self.waiting:
            self.waiting, self.due = False, now
        if not self.controls.held:
            self.tapped.append(key)
        elif not self.sticky:
            self.held.add(key)
            self.tapped.append(key)
        elif self.controls.keys[key] in ("LEFT", "RIGHT"):
            self.held = {key}
        else:
            self.tapped.append(key)

    def _command(self, command: str, now: float) -> None:
        if command == "quit":
            self.left = True
        elif command == "help":
            self.help = not self.help
        elif command == "view":
            self.agent_view = not self.agent_view
        elif command in ("again", "next"):
            self._start(self.moment.episode + (command == "next"))
        elif self.controls.held:
            self._time(command, now)

    def _time(self, command: str, now: float) -> None:
        place = SPEEDS.index(self.speed)
        if command == "pause":
            self.paused, self.due = not self.paused, now
        elif command == "faster":
            self.speed = SPEEDS[min(place + 1, len(SPEEDS) - 1)]
        elif command == "slower":
            self.speed = SPEEDS[max(place - 1, 0)]
        elif command == "one step" and self.session.ready and not self.moment.over:
            self.paused, self.waiting = True, False
            self._step(self.controls.action({*self.held, *self.tapped}))
            self.tapped.clear()

    def _start(self, number: int) -> None:
        self.moment = self.session.start(number)
        self.recording.begin(self.moment)
        self.waiting, self.paused = True, False
        self.tapped.clear()
        if self.sticky:
            self.held.clear()

    def _step(self, action: Any) -> None:
        self.moment = self.session.act(self.moment, action)
        self.recording.add(action, self.moment)
        if self.moment.over:
            self.tapped.clear()

    @property
    def running(self) -> bool:
        """Whether time goes on by itself just now."""
        return self.controls.held and self.session.ready and not (self.paused or self.waiting or self.moment.over)

    def tick(self, now: float) -> bool:
        """Takes the steps that are due; whether there were any."""
        if not self.session.ready:
            self.due = now
            return False
        before = self.moment
        if not self.controls.held:
            while self.tapped and not self.moment.over:
                self._step(self.controls.actions[self.controls.keys[self.tapped.pop(0)]])
            return self.moment is not before
        steps = 0
        while self.running and self.due <= now and steps < MOST_AT_ONCE:
            self._step(self.controls.action({*self.held, *self.tapped}))
            self.tapped.clear()
            self.due += 1 / (self.fps * self.speed)
            steps += 1
        self.due = max(self.due, now - 1 / (self.fps * self.speed))
        return self.moment is not before

    def shown_keys(self) -> tuple[tuple[str, str], ...]:
        """Pairs of keys and what they do, as the screen has them."""
        pairs, actions = self.controls.help(), len(self.controls.actions)
        if not self.sticky:
            return tuple(pair for pair in pairs if pair != ("V", "view"))
        stop = (("↓", "stop"),) if self.controls.held else ()
        return (*pairs[:actions], *stop, *pairs[actions:])

    def patience(self, now: float) -> float | None:
        """Seconds until something happens by itself; None: never."""
        if self.running:
            return max(0.0, self.due - now)
        return None if self.session.ready else 0.1

    def status(self) -> tuple[str, str]:
        """What to say about the episode, and its mood: going, still, good or bad."""
        moment = self.moment
        if moment.over:
            solved = bool(moment.metrics.get("success_once", moment.terminated))
            how = "solved" if solved and moment.terminated else "time is up" if moment.truncated else "over"
            reached = ", goal reached" if solved and not moment.terminated else ""
            return f"{how}{reached}: N next, R again", "good" if solved else "bad"
        if not self.session.ready:
            return "compiling the game ...", "still"
        if not self.controls.held:
            return "your move", "going"
        if self.waiting:
            return "press a key to begin", "still"
        speed = "" if self.speed == 1 else f", speed {self.speed:g}x"
        return (f"paused{speed}", "still") if self.paused else (f"playing{speed}", "going")
