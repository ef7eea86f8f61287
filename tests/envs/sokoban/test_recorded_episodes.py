"""Sokoban against all recorded episodes of the reference."""

import numpy as np
import pytest

from tests.oracles import sokoban_golden

from .games import cells_of, entry_of, made, play

SIZES = sorted({(level.rows, level.columns) for level in sokoban_golden.levels().values()})


@pytest.fixture(scope="module", params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def replay(request):
    """Recorded episodes on boards of one size, and the same played by kagejax."""
    levels = sokoban_golden.levels()
    sizes = {name: (level.rows, level.columns) for name, level in levels.items()}
    episodes = [each for each in sokoban_golden.rollouts() if sizes[each.level] == request.param]
    entries = [entry_of(levels[each.level].text, each.max_steps) for each in episodes]
    env, params = made(entries, {"observation.kind": "symbolic"})
    # Past their recorded end episodes are played on.
    actions = [[*each.actions, *(0, 3, 1, 2) * 5] for each in episodes]
    trace = play(env, params, actions)
    return episodes, trace


def test_all_recorded_episodes_are_played():
    assert len(sokoban_golden.rollouts()) == 132
    assert SIZES == [(6, 6), (8, 8), (10, 10)]


def test_positions_are_the_recorded_ones(replay):
    episodes, trace = replay
    for e, episode in enumerate(episodes):
        steps = len(episode.actions)
        assert cells_of(trace.boxes[e, :steps]) == list(episode.boxes)
        assert trace.player[e, :steps].tolist() == list(episode.players)
        assert trace.t[e, :steps].tolist() == list(range(1, steps + 1))


def test_flags_are_the_recorded_ones(replay):
    episodes, trace = replay
    for e, episode in enumerate(episodes):
        flags = {name: getattr(trace, name)[e, : len(episode.actions)] for name in ("moved", "pushed", "invalid", "truncated")}
        flags |= {"solved": trace.terminated[e, : len(episode.actions)]}
        flags |= {"done": flags["solved"] | flags["truncated"]}
        assert flags.keys() == episode.flags.keys()
        for name, values in flags.items():
            np.testing.assert_array_equal(values, episode.flags[name], err_msg=f"{name} of {episode.level}")


def test_pushes_are_counted(replay):
    episodes, trace = replay
    for e, episode in enumerate(episodes):
        np.testing.assert_array_equal(trace.pushes[e, : len(episode.actions)], np.cumsum(episode.flags["pushed"]))


def test_only_a_move_that_solves_is_rewarded(replay):
    episodes, trace = replay
    for e, episode in enumerate(episodes):
        np.testing.assert_array_equal(trace.reward[e, : len(episode.actions)], episode.flags["solved"].astype(np.float32))


def test_episodes_stand_still_after_their_recorded_end(replay):
    episodes, trace = replay
    for e, episode in enumerate(episodes):
        last = len(episode.actions) - 1
        if episode.flags["done"][last]:
            for name in ("boxes", "player", "t", "pushes", "terminated", "truncated"):
                field = getattr(trace, name)[e, last:]
                np.testing.assert_array_equal(field, np.broadcast_to(field[0], field.shape))
            for name in ("reward", "moved", "pushed", "invalid"):
                assert not getattr(trace, name)[e, last + 1 :].any()


def test_recordings_end_in_all_ways():
    ends = [(each.flags["solved"][-1], each.flags["truncated"][-1]) for each in sokoban_golden.rollouts()]
    assert set(ends) == {(True, False), (False, True), (False, False)}
