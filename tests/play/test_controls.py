"""Keys from the names of actions."""

import types

import numpy as np
import pytest

from kagejax.core import Box, Discrete
from kagejax.envs.kage.env import KageEnv
from kagejax.envs.sliding.env import SlidingEnv
from kagejax.envs.sokoban.env import SokobanEnv
from kagejax.envs.spatial.env import SpatialEnv
from kagejax.play.controls import controls_of
from kagejax.play.drawing import _mask
from tests.corridor import Corridor
from tests.play.rooms import Named


def sliding(joystick=False, noop=False):
    return SlidingEnv(types.SimpleNamespace(joystick=joystick, noop=noop))


def test_keys_of_kage_are_held_together():
    controls = controls_of(KageEnv(None))
    assert controls.held
    assert [controls.action(held) for held in ([], ["left"], ["d"], ["space"], ["right", "up"], ["a", "d", "w"])] == [
        0, 1, 2, 4, 6, 7,
    ]  # fmt: skip
    assert controls.action(["left", "a"]) == 1


@pytest.mark.parametrize(
    ("env", "actions"),
    [(SokobanEnv(None), [0, 1, 2, 3]), (sliding(), [0, 1, 2, 3]), (SpatialEnv(None), [1, 3, 2, 0])],
    ids=["sokoban", "sliding", "spatial"],
)
def test_puzzles_take_one_action_for_each_arrow_or_letter(env, actions):
    controls = controls_of(env)
    assert not controls.held
    for keys in (["up", "down", "left", "right"], "wsad"):
        assert [controls.actions[controls.keys[key]] for key in keys] == actions


def test_the_action_that_does_nothing_is_the_space_bar():
    controls = controls_of(sliding(noop=True))
    assert controls.actions[controls.keys["space"]] == 4
    assert "space" not in controls_of(sliding()).keys


def test_arrows_deflect_a_stick_the_way_the_room_reads_it():
    controls = controls_of(sliding(joystick=True))
    sticks = {name: stick.tolist() for name, stick in controls.actions.items()}
    assert sticks == {"UP": [1, 0], "DOWN": [-1, 0], "LEFT": [0, -1], "RIGHT": [0, 1]}
    assert controls.actions["UP"].dtype == np.float32


def test_an_environment_of_ones_own_names_its_actions_or_gets_digits():
    assert controls_of(Named()).keys == {"left": "LEFT", "a": "LEFT", "space": "STAY", "right": "RIGHT", "d": "RIGHT"}
    nameless = controls_of(Corridor())
    assert nameless.keys == {"1": "action 0", "2": "action 1", "3": "action 2"}
    assert nameless.actions["action 2"] == 2


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (Discrete(11), "there are 11 actions without names; keys are known for 10"),
        (Box(-1.0, 1.0, (3,)), "with keys one can play numbered actions alone"),
    ],
)
def test_actions_beyond_keys_are_refused(space, message):
    with pytest.raises(ValueError, match=message):
        controls_of(types.SimpleNamespace(action_space=space))


def test_the_help_names_every_action_and_command_in_signs_that_can_be_drawn():
    told = controls_of(KageEnv(None)).help()
    assert told[:3] == (("← A", "left"), ("→ D", "right"), ("Space ↑ W", "jump"))
    assert [about for _, about in told[3:]] == [
        "pause", "one step", "faster", "slower", "again", "next", "view", "help", "quit",
    ]  # fmt: skip
    assert [about for _, about in controls_of(SokobanEnv(None)).help()[4:]] == ["again", "next", "view", "help", "quit"]
    absent = _mask("\uffff", 13)
    for key, about in told:
        for sign in {*key, *about} - {" "}:
            mask = _mask(sign, 13)
            assert mask.any() and (mask.shape != absent.shape or (mask != absent).any()), sign
