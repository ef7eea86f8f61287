"""`kagejax play`, and what `kagejax render` makes of its replays, as a person at a terminal sees it."""

import json
import pathlib

import numpy as np
import PIL.Image
import pytest

from kagejax.cli import play as command
from kagejax.cli.main import main
from kagejax.config.loader import load
from kagejax.config.problems import ConfigError
from kagejax.play import recording
from kagejax.play.session import Session

ROOM = "sokoban/simplest"


@pytest.fixture(autouse=True)
def _terminal(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def played():
    """A replay and a film of one short episode."""
    config = load(ROOM, {"play.max_steps": 9})
    session, kept = Session(config, seed=2), recording.Recording(film=True)
    moment = session.start(0)
    kept.begin(moment)
    for action in (0, 3, 1, 2, 2, 0):
        moment = session.act(moment, action)
        kept.add(action, moment)
    kept.replay(config, 2, 25.0).write("a.replay")
    kept.write_film(pathlib.Path("a.gif"), 3, 25.0)
    return session


def run(capsys, *arguments):
    status = main([*arguments])
    captured = capsys.readouterr()
    return status, captured.out, " ".join(captured.err.split())


def test_render_turns_a_replay_into_the_film_that_was_recorded_byte_for_byte(played, capsys):
    assert run(capsys, "render", "a.replay", "--scale", "3", "--out", "b.gif")[:2] == (0, "b.gif: 6 steps\n")
    assert pathlib.Path("a.gif").read_bytes() == pathlib.Path("b.gif").read_bytes()


def test_a_replay_can_be_drawn_as_a_sheet_and_under_another_look(played, capsys):
    assert run(capsys, "render", "a.replay", "--out", "a.png")[0] == 0
    arguments = ("render", "a.replay", "--set", "theme.law=plus", "--set", "theme.seed=4", "--out", "b.png")
    assert run(capsys, *arguments) == (0, "b.png: 6 steps\n", "")
    one, other = (np.asarray(PIL.Image.open(name)) for name in ("a.png", "b.png"))
    assert one.shape == other.shape and (one != other).any()


def test_a_replay_whose_pictures_are_others_now_says_from_where_and_ends_with_status_1(played, capsys):
    content = json.loads(pathlib.Path("a.replay").read_text())
    content["kagejax"], content["episodes"][0]["digests"][4] = "0.0.7", "0" * 16
    pathlib.Path("a.replay").write_text(json.dumps(content))
    status, out, err = run(capsys, "render", "a.replay", "--out", "b.gif")
    assert (status, out) == (1, "b.gif: 6 steps, NOT as they were played\n")
    assert "a.replay: NOT what was played, from step 4 of episode 0 on. It was made by kagejax 0.0.7 with jax" in err
    assert "install those for the same pictures." in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "1"], "--seed: A replay says itself what is played; leave this out."),
        (["--policy", "right"], "--policy: A replay says itself what is played; leave this out."),
        (["--set", "play.max_steps=3"], "--set: play.max_steps This would change the game"),
    ],
)
def test_what_a_replay_says_itself_cannot_be_said_otherwise(played, capsys, arguments, message):
    status, _, err = run(capsys, "render", "a.replay", "--out", "b.gif", *arguments)
    assert status == 2 and message in err


def test_no_replay_is_told_so(capsys):
    pathlib.Path("a.replay").write_text("{}")
    status, _, err = run(capsys, "render", "a.replay", "--out", "b.gif")
    assert status == 2 and 'This is not a replay: "kind" must be "kagejax replay".' in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kagge"], "There is neither such an id nor such a file"),
        ([ROOM, "--seed", "-1"], "--seed:\n    Found -1; allowed: 0 to 2^32 - 1."),
        ([ROOM, "--fps", "0"], "--fps:\n    Found 0; allowed: above 0, to 240."),
        ([ROOM, "--scale", "65"], "--scale:\n    Found 65; allowed: 1 to 64, or 0 for what fits."),
        ([ROOM, "--record", "a.png"], "--record:\n    Found 'a.png'; the name must end in .gif or .mp4."),
        ([ROOM, "--record", "no/a.gif"], "--record:\n    Found 'no/a.gif'; there is no folder 'no'. Make it first."),
        ([ROOM, "--replay", "a.json"], "--replay:\n    Found 'a.json'; the name must end in .replay."),
        ([ROOM, "--set", "play.steps=1"], "--set: play.steps\n    Unknown key"),
    ],
)
def test_mistakes_are_answered_before_anything_is_shown(arguments, message):
    with pytest.raises(ConfigError) as found:
        command.main(arguments)
    assert message in str(found.value)


def test_a_terminal_that_is_none_is_told_so():
    with pytest.raises(ConfigError, match="Input and output must be a terminal; they lead elsewhere"):
        command.main([ROOM, "--terminal"])


def test_the_help_names_the_keys(capsys):
    with pytest.raises(SystemExit):
        command.main(["--help"])
    out = capsys.readouterr().out
    assert "kage       P pause, . one step, + faster, - slower" in out
    assert "others     arrows or W, A, S, D: one step for each press" in out
