"""What keys and passing time do to an episode."""

import dataclasses
import types
from typing import Any

import pytest

from kagejax.play.controls import Controls
from kagejax.play.player import Player

KAGE = Controls({"LEFT": 1, "RIGHT": 2, "JUMP": 4}, {"left": "LEFT", "right": "RIGHT", "space": "JUMP"}, held=True, rest=0)
PUZZLE = Controls({"UP": 0, "DOWN": 1}, {"up": "UP", "down": "DOWN"}, held=False)


@dataclasses.dataclass
class Session:
    """Counts steps, and ends an episode after `length`."""

    length: int = 1000
    ready: bool = True
    seed: int = 0
    acted: list = dataclasses.field(default_factory=list)

    def start(self, number):
        return self._moment(number, 0)

    def act(self, moment, action):
        self.acted.append(action)
        return self._moment(moment.episode, moment.step + 1)

    def _moment(self, number, step):
        over = step == self.length
        return types.SimpleNamespace(episode=number, step=step, over=over, terminated=over, truncated=False, metrics={})


class Recording:
    """Counts what it is told."""

    def __init__(self):
        self.begun, self.added = [], 0

    def begin(self, moment):
        self.begun.append(moment.episode)

    def add(self, action, moment):
        self.added += 1


def player(controls=KAGE, session=None, **more) -> Any:
    session = session or Session()
    return Player(session, controls, session.start(0), Recording(), 10.0, **more)


def test_a_puzzle_takes_one_step_for_each_press_however_much_time_passes():
    playing = player(PUZZLE)
    assert not playing.tick(100.0)
    playing.press("up", 100.0)
    playing.press("down", 100.0)
    assert playing.tick(100.0) and not playing.tick(200.0)
    assert playing.session.acted == [0, 1]
    assert playing.patience(200.0) is None


def test_time_begins_with_the_first_key_and_goes_on_by_itself():
    playing = player()
    assert not playing.tick(50.0) and playing.waiting
    playing.press("right", 50.0)
    playing.tick(50.0)
    playing.release("right")
    playing.tick(50.25)
    assert playing.session.acted == [2, 0, 0]
    assert playing.patience(50.25) == pytest.approx(0.05)


def test_keys_held_together_are_one_action():
    playing = player()
    playing.press("right", 0.0)
    playing.press("space", 0.0)
    playing.tick(0.0)
    playing.release("space")
    playing.tick(0.1)
    assert playing.session.acted == [6, 2]


def test_a_key_pressed_and_let_go_between_two_steps_is_not_lost():
    playing = player()
    playing.press("right", 0.0)
    playing.tick(0.0)
    playing.press("space", 0.03)
    playing.release("space")
    playing.tick(0.1)
    playing.tick(0.2)
    assert playing.session.acted == [2, 6, 2]


def test_all_keys_are_let_go_when_another_window_hears_the_keyboard():
    playing = player()
    playing.press("right", 0.0)
    playing.tick(0.0)
    playing.release_all()
    playing.tick(0.1)
    assert playing.session.acted == [2, 0]


def test_a_machine_that_was_asleep_does_not_catch_up_for_ever():
    playing = player()
    playing.press("right", 0.0)
    playing.tick(1000.0)
    assert len(playing.session.acted) == 8
    playing.tick(1000.0)
    assert len(playing.session.acted) == 10  # at most the step that was due, and one


def test_a_pause_stops_time_and_a_single_step_can_be_taken_in_it():
    playing = player()
    playing.press("right", 0.0)
    playing.tick(0.0)
    playing.press("p", 0.0)
    assert not playing.tick(10.0)
    assert playing.status() == ("paused", "still")
    playing.press(".", 10.0)
    assert playing.session.acted == [2, 2]
    playing.press("p", 20.0)
    playing.tick(20.0)
    assert len(playing.session.acted) == 3


def test_speed_goes_up_and_down_within_limits():
    playing = player()
    playing.press("right", 0.0)
    playing.press("=", 0.0)
    assert playing.status() == ("playing, speed 2x", "going")
    for _ in range(9):
        playing.press("+", 0.0)
    assert playing.speed == 8.0
    for _ in range(9):
        playing.press("-", 0.0)
    assert playing.speed == 0.1


def test_the_same_episode_or_the_next_can_be_begun_at_any_time():
    playing = player(PUZZLE)
    playing.press("r", 0.0)
    playing.press("n", 0.0)
    playing.press("return", 0.0)
    assert playing.recording.begun == [0, 0, 1, 2]


def test_a_new_episode_is_not_paused_but_waits_for_a_key():
    playing = player()
    playing.press("right", 0.0)
    playing.press("p", 0.0)
    playing.press("n", 0.0)
    assert not playing.tick(5.0) and playing.status() == ("press a key to begin", "still")
    playing.press("right", 5.0)
    assert playing.tick(5.0)


def test_an_episode_that_is_over_takes_no_more_steps():
    playing = player(session=Session(length=3))
    playing.press("right", 0.0)
    playing.tick(9.0)
    assert len(playing.session.acted) == 3
    playing.press(".", 9.0)
    playing.press("right", 9.0)
    playing.tick(10.0)
    assert len(playing.session.acted) == playing.recording.added == 3
    assert playing.status() == ("solved: N next, R again", "good")


def test_presses_wait_for_the_compiler():
    session = Session(ready=False)
    playing = player(PUZZLE, session)
    playing.press("up", 0.0)
    assert not playing.tick(0.0)
    assert playing.patience(0.0) == 0.1
    assert playing.status() == ("compiling the game ...", "still")
    session.ready = True
    assert playing.tick(1.0) and session.acted == [0]


def test_in_a_terminal_a_direction_stays_until_down_and_a_jump_lasts_a_step():
    playing = player(sticky=True)
    playing.press("left", 0.0)
    playing.tick(0.0)
    playing.press("right", 0.0)
    playing.tick(0.1)
    playing.press("space", 0.1)
    playing.tick(0.2)
    playing.tick(0.31)
    playing.press("down", 0.35)
    playing.tick(0.41)
    assert playing.session.acted == [1, 2, 6, 2, 0]
    assert ("↓", "stop") in playing.shown_keys()


def test_it_is_left_by_q_or_escape():
    for key in ("q", "escape"):
        playing = player()
        playing.press(key, 0.0)
        assert playing.left
