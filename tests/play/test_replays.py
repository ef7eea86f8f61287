"""Replay files: the same pictures again, and everything that can be wrong with one."""

import json

import numpy as np
import PIL.Image
import pytest

from kagejax.config.problems import ConfigError
from kagejax.play import recording, replays
from kagejax.play.session import Session, digest
from tests.play.rooms import CorridorConfig, corridor_room, walk  # noqa: F401

pytestmark = pytest.mark.usefixtures("corridor_room")


def played(config=None, film=False):
    """A session of two episodes, and its recording."""
    config = config or CorridorConfig()
    session, kept = Session(config, seed=3), recording.Recording(film)
    for number, actions in ((0, [2, 1, 0]), (1, []), (4, [1] * 20)):
        first, *moments = walk(session, session.start(number), actions)
        kept.begin(first)
        for action, moment in zip(actions, moments, strict=True):
            kept.add(action, moment)
    return session, kept


def again(replay, session):
    return [digest(moment) for moment in replays.moments(replay, "a.replay", session)]


def test_a_file_gives_the_same_moments_again(tmp_path):
    session, kept = played()
    kept.replay(CorridorConfig(), 3, 30.0).write(tmp_path / "a.replay")
    replay = replays.read(tmp_path / "a.replay")
    assert [(each.number, len(each.actions), each.ended) for each in replay.episodes] == [(0, 3, None), (4, 20, "truncated")]
    assert replay.seed == 3 and replay.config["env"] == "corridor"
    assert replays.config_of(replay, "a.replay", {}) == CorridorConfig()
    assert replays.compare(replay, again(replay, Session(CorridorConfig(), replay.seed))) is None
    assert [path.name for path in tmp_path.iterdir()] == ["a.replay"]


def test_an_episode_without_a_step_is_not_kept():
    _, kept = played()
    assert [each.number for each in kept.played] == [0, 4]


def test_the_first_moment_that_is_not_what_was_played_is_named():
    session, kept = played()
    replay = kept.replay(CorridorConfig(), 3, 30.0)
    darker = Session(CorridorConfig(brightness=0.5), 3)
    assert replays.compare(replay, again(replay, darker)) == (0, 0)
    found = again(replay, session)
    found[6] = "0" * 16
    assert replays.compare(replay, found) == (4, 2)


def test_settings_of_the_look_may_be_laid_on_top_and_those_of_the_game_not():
    _, kept = played()
    replay = kept.replay(CorridorConfig(), 3, 30.0)
    assert replays.config_of(replay, "a.replay", {"brightness": 0.5}).brightness == 0.5
    with pytest.raises(ConfigError, match=r"--set: limit\n    This would change the game"):
        replays.config_of(replay, "a.replay", {"limit": 5})


def test_a_film_has_the_pictures_of_all_moments(tmp_path):
    session, kept = played(film=True)
    assert kept.write_film(tmp_path / "a.gif", 2, 10.0) == (25, 0)
    with PIL.Image.open(tmp_path / "a.gif") as film:
        assert film.size == (16, 16)
        first = np.asarray(film.convert("RGB"))
    np.testing.assert_array_equal(first, session.start(0).film.repeat(2, 0).repeat(2, 1))


def test_a_film_too_large_for_the_memory_is_cut_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "LARGEST", 10 * 8 * 8 * 3)
    _, kept = played(film=True)
    assert kept.write_film(tmp_path / "a.gif", 1, 10.0) == (10, 15)


def test_a_gif_is_no_faster_than_viewers_show_it(tmp_path):
    assert recording.paced(tmp_path / "a.gif", list(range(6)), 120.0) == ([0, 3], 40.0)
    assert recording.paced(tmp_path / "a.gif", list(range(6)), 50.0) == (list(range(6)), 50.0)
    assert recording.paced(tmp_path / "a.mp4", list(range(6)), 120.0) == (list(range(6)), 120.0)


def changed(content, path, value):
    *parents, last = path
    for parent in parents:
        content = content[parent]
    content[last] = value


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["kind"], "film", 'This is not a replay: "kind" must be "kagejax replay".'),
        (["format"], 2, "format\n    Found 2; allowed: 1. It was written by another version of kagejax."),
        (["seed"], "x", "seed\n    It is missing or damaged; allowed: a whole number from 0 to 2^32 - 1."),
        (["seed"], -1, "seed\n    Found -1; allowed: 0 to 2^32 - 1."),
        (["fps"], 0, "fps\n    Found 0; allowed: above 0, to 1000."),
        (["config", "limit"], 9, "config\n    Its hash is not that of the file"),
        (["episodes"], [], "episodes\n    There is none; nothing was played."),
        (["episodes", 0, "actions"], [1], "episodes[0]\n    It is damaged: it needs number, actions, and one digest"),
        (["episodes", 1, "digests", 3], 7, "episodes[1]\n    It is damaged"),
        (["episodes", 1], None, "episodes[1]\n    It is damaged"),
    ],
)
def test_a_damaged_file_says_where_and_what(tmp_path, path, value, message):
    _, kept = played()
    kept.replay(CorridorConfig(), 3, 30.0).write(tmp_path / "a.replay")
    content = json.loads((tmp_path / "a.replay").read_text())
    changed(content, path, value)
    (tmp_path / "a.replay").write_text(json.dumps(content))
    with pytest.raises(ConfigError) as found:
        replays.read(tmp_path / "a.replay")
    assert message in str(found.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "it is no JSON, or not all of one"), ("\x00\xff", "it is no JSON"), ("[]", '"kind" must be "kagejax replay"')],
)
def test_what_is_no_replay_is_told_so(tmp_path, text, message):
    (tmp_path / "a.replay").write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError) as found:
        replays.read(tmp_path / "a.replay")
    assert message in str(found.value)


def test_a_missing_file_is_told_so(tmp_path):
    with pytest.raises(ConfigError, match="There is no such file"):
        replays.read(tmp_path / "a.replay")


@pytest.mark.parametrize("action", [3, -1, 1.5, "left", [1, 2], None, True, 10**30])
def test_an_action_that_the_environment_lacks_is_refused(action):
    session, kept = played()
    replay = kept.replay(CorridorConfig(), 3, 30.0)
    broken = replays.Episode(0, (1, action), ("0", "0", "0"), 0.0, None)
    wrong = replays.dataclasses.replace(replay, episodes=(broken,))
    with pytest.raises(ConfigError, match=r"episodes\[0\]\.actions\[1\]\n    Found .*; it is no action of corridor"):
        again(wrong, session)


def test_a_configuration_that_this_version_does_not_know_names_the_other_version():
    _, kept = played()
    replay = kept.replay(CorridorConfig(), 3, 30.0)
    other = replays.dataclasses.replace(replay, kagejax="0.0.7", config={**replay.config, "gravity": 3})
    with pytest.raises(ConfigError) as found:
        replays.config_of(other, "a.replay", {})
    assert "a.replay: config.gravity Extra inputs are not permitted. It was made by kagejax 0.0.7; this is 0.1.0." in " ".join(
        str(found.value).split()
    )
