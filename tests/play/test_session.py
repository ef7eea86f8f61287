"""Episodes for one person: the contract's own pictures and rewards, and the digest of each moment."""

import jax
import numpy as np
import pytest

import kagejax
from kagejax.cli.main import main
from kagejax.config.loader import load
from kagejax.play.loading import Loading, Unplayable
from kagejax.play.session import Session, digest
from tests.play.rooms import CorridorConfig, corridor_room, walk  # noqa: F401

RIGHT, STAY, LEFT = 2, 1, 0


@pytest.fixture
def session(corridor_room):  # noqa: F811
    return Session(CorridorConfig(), seed=3)


def test_a_step_tells_what_the_environment_tells(session):
    first = session.start(0)
    assert (first.step, first.total, first.over, first.metrics) == (0, 0.0, False, {})
    moments = walk(session, first, [RIGHT] * (int(first.state.length) - 1))
    last = moments[-1]
    assert (last.terminated, last.truncated, last.reward, last.total) == (True, False, 1.0, 1.0)
    assert last.metrics == {"progress": 1.0}
    assert last.step == int(first.state.length) - 1


def test_a_time_limit_is_told_apart_from_an_end(session):
    last = walk(session, session.start(0), [STAY] * 20)[-1]
    assert (last.terminated, last.truncated) == (False, True)


def test_the_same_number_is_the_same_episode_and_others_differ(session):
    lengths = [int(session.start(number).state.length) for number in range(20)]
    assert lengths == [int(session.start(number).state.length) for number in range(20)]
    assert len(set(lengths)) > 3


def test_a_digest_knows_picture_observation_reward_and_end(session):
    first = session.start(0)
    assert digest(first) == digest(session.start(0))
    others = [
        first._replace(film=first.film ^ 1),
        first._replace(observation=first.observation ^ 1),
        first._replace(reward=1.0),
        first._replace(truncated=True),
    ]
    assert len({digest(first), *map(digest, others)}) == 5
    assert digest(first._replace(total=7.0)) == digest(first)


def test_puzzles_are_seen_as_their_agents_see_them_bit_for_bit():
    session = Session(load("sokoban", {}), seed=5)
    moment = walk(session, session.start(0), [0, 2, 1, 3])[-1]
    env, params = kagejax.make("sokoban")
    np.testing.assert_array_equal(moment.observation["board"], jax.jit(env.observe)(moment.state, params)["board"])
    board, goal = session.seen(moment)
    assert (board.title, goal.title) == ("board u8 64 x 64 x 3", "goal u8 64 x 64 x 3")
    np.testing.assert_array_equal(board.picture, moment.observation["board"])
    np.testing.assert_array_equal(moment.film, np.concatenate([board.picture, goal.picture], axis=1))


def test_episode_0_begins_as_render_draws_it(tmp_path, monkeypatch):
    import PIL.Image

    monkeypatch.chdir(tmp_path)
    assert main(["render", "sokoban/simplest", "--seed", "7", "--steps", "0", "--out", "a.png"]) == 0
    first = Session(load("sokoban/simplest", {}), seed=7).start(0)
    np.testing.assert_array_equal(first.film, np.asarray(PIL.Image.open("a.png").convert("RGB")))


def test_where_the_agent_sees_no_picture_a_person_sees_the_same_game_as_one():
    words = Session(load("sokoban/simplest", {"observation.kind": "symbolic"}), seed=5)
    seen = Session(load("sokoban/simplest", {"observation.kind": "board"}), seed=5)
    actions = [0, 2, 1, 3, 3]
    for ours, theirs in zip(walk(words, words.start(2), actions), walk(seen, seen.start(2), actions), strict=True):
        np.testing.assert_array_equal(ours.picture, theirs.observation)
    (layers,) = words.seen(ours)
    assert layers.title == "u8 8 x 8 x 4" and not layers.exact
    (small,) = words.seen(ours, small=True)
    assert small.picture.shape == (8, 4 * 9 - 1, 3)


def test_what_cannot_be_shown_is_said(corridor_room):  # noqa: F811
    loading = Loading(CorridorConfig(blind=True), 0)
    with pytest.raises(Unplayable, match="have no view"):
        loading.join(120)


def test_a_session_is_loaded_beside_whatever_goes_on(corridor_room):  # noqa: F811
    loading = Loading(CorridorConfig(), 3)
    loading.join(120)
    assert loading.session.ready and loading.moment.step == 0
    assert loading.stage == "compiling the game"
