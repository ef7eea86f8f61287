"""The vector environment is, step by step, what Gymnasium's own SyncVectorEnv makes of single environments."""

import numpy as np
import pytest

import kagejax  # noqa: F401  (registers the environments)

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from gymnasium.utils.env_checker import data_equivalence  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from kagejax.adapters.gymnasium import KagejaxEnv  # noqa: E402
from kagejax.adapters.vector import KagejaxVectorEnv  # noqa: E402
from tests.adapters.corridors import Told, Windy  # noqa: E402
from tests.corridor import params  # noqa: E402

MODES = list(AutoresetMode)
SHORT = params(max_length=6, time_limit=5)


def pair(mode, env=None, p=SHORT, num_envs=5):
    """Ours and Gymnasium's."""
    env = env or Windy()
    ours = KagejaxVectorEnv(env, params=p, num_envs=num_envs, autoreset_mode=mode)
    theirs = SyncVectorEnv([lambda: KagejaxEnv(env, params=p)] * num_envs, autoreset_mode=mode)
    return ours, theirs


def assert_same(ours, theirs, where):
    assert len(ours) == len(theirs)
    for name, a, b in zip(("observation", "reward", "terminated", "truncated", "info"), ours, theirs, strict=False):
        assert data_equivalence(a, b, exact=True), (where, name, a, b)


def play_both(ours, theirs, steps, seed=7, highest=3):
    """Plays the same random actions in both; in disabled mode, resets those that end. Gives how many episodes ended."""
    draw, ended = np.random.default_rng(0), 0
    assert_same(ours.reset(seed=seed), theirs.reset(seed=seed), "reset")
    for step in range(steps):
        actions = draw.integers(0, highest, ours.num_envs)
        mine, other = ours.step(actions), theirs.step(actions)
        assert_same(mine[:1] + mine[4:], other[:1] + other[4:], step)
        assert_same(mine, other, step)
        done = mine[2] | mine[3]
        ended += done.sum()
        if ours.metadata["autoreset_mode"] == AutoresetMode.DISABLED and done.any():
            assert_same(
                ours.reset(options={"reset_mask": done}), theirs.reset(options={"reset_mask": done.copy()}), f"reset {step}"
            )
    return ended


@pytest.mark.parametrize("mode", MODES)
def test_each_step_is_that_of_the_sync_vector_environment(mode):
    assert play_both(*pair(mode), steps=40) > 20


@pytest.mark.parametrize("mode", MODES)
def test_dictionaries_and_texts_are_those_of_the_sync_vector_environment(mode):
    ours, theirs = pair(mode, Told(), num_envs=3)
    assert ours.observation_space == theirs.observation_space
    assert play_both(ours, theirs, steps=12) > 3
    assert ours.reset(seed=0)[0] in ours.observation_space


@pytest.mark.parametrize("mode", MODES)
def test_episodes_that_all_end_at_once_leave_out_the_same_keys(mode):
    ours, theirs = pair(mode, p=params(max_length=9, time_limit=2), num_envs=3)
    assert play_both(ours, theirs, steps=7) >= 6


def test_many_final_observations_are_drawn_in_turns():
    ours, theirs = pair(AutoresetMode.SAME_STEP, p=params(max_length=9, time_limit=2), num_envs=21)
    assert play_both(ours, theirs, steps=5) >= 42


@pytest.mark.parametrize(
    ("room", "overrides", "steps"),
    [
        ("kage", {"config": "kage/simplest", "H": 32, "W": 32, "episode_length": 3}, 7),
        ("sliding", {"observation.height": 24, "observation.width": 24, "play.max_steps": 3}, 7),
        ("sliding", {"observation.kind": "text", "play.max_steps": 3}, 5),
        ("sokoban", {"config": "sokoban/simplest", "play.max_steps": 3}, 7),
        ("spatial", {"config": "spatial/simplest", "play.max_steps": 3}, 7),
    ],
)
def test_every_environment_plays_the_same_in_one_call(room, overrides, steps):
    name = f"kagejax/{room.capitalize()}-v0"
    ours = gymnasium.make_vec(name, num_envs=2, vectorization_mode="vector_entry_point", autoreset_mode="SameStep", **overrides)
    theirs = gymnasium.make_vec(
        name, num_envs=2, vectorization_mode="sync", vector_kwargs={"autoreset_mode": "SameStep"}, **overrides
    )
    assert isinstance(ours, KagejaxVectorEnv) and isinstance(theirs, SyncVectorEnv)
    assert (ours.observation_space, ours.action_space) == (theirs.observation_space, theirs.action_space)
    assert play_both(ours, theirs, steps, highest=4) >= 2


def test_make_vec_takes_our_vector_environment_by_itself_with_next_step_resets():
    env = gymnasium.make_vec("kagejax/Sliding-v0", num_envs=3)
    assert isinstance(env, KagejaxVectorEnv) and env.num_envs == 3
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert env.spec.id == "kagejax/Sliding-v0"


def frames_of(env, seed, steps=12):
    env.reset(seed=seed)
    return np.array([env.step(np.full(env.num_envs, 2))[0] for _ in range(steps)])


def test_an_environment_does_not_know_how_many_neighbours_it_has():
    p = params(max_length=9, time_limit=50)
    few, many = (KagejaxVectorEnv(Windy(), params=p, num_envs=n, autoreset_mode="Disabled") for n in (2, 6))
    np.testing.assert_array_equal(frames_of(few, 3, 1), frames_of(many, 3, 1)[:, :2])
    assert frames_of(few, 3, 1).any()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_seed_repeats_everything_that_follows(mode):
    env = KagejaxVectorEnv(Windy(), params=SHORT, num_envs=4, autoreset_mode=mode)
    first, other, again = (frames_of(env, seed) for seed in (5, 6, 5))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    np.testing.assert_array_equal(first, frames_of(env, [5, 6, 7, 8]))
    np.testing.assert_array_equal(first[:, 0], frames_of(env, [5, 1, 1, 1])[:, 0])


def test_environments_without_a_seed_differ():
    envs = [KagejaxVectorEnv(Windy(), params=params(max_length=2**30), num_envs=8) for _ in range(2)]
    for env in envs:
        env.reset()
    lengths = np.concatenate([env.step(np.full(8, 1))[4]["place"][:, 1] for env in envs])
    assert len(set(lengths.tolist())) == 16


def test_none_in_a_list_of_seeds_lets_that_environment_go_on_with_its_own():
    env, other = (KagejaxVectorEnv(Windy(), params=SHORT, num_envs=2) for _ in range(2))
    for each in (env, other):
        each.reset(seed=1)
    a, b = env.reset(seed=[9, None])[0], other.reset()[0]
    np.testing.assert_array_equal(a[1], b[1])
    np.testing.assert_array_equal(a[0], other.reset(seed=9)[0][0])


@pytest.mark.parametrize("mode", MODES)
def test_nothing_that_was_given_changes_later(mode):
    env = KagejaxVectorEnv(Windy(), params=SHORT, num_envs=3, autoreset_mode=mode)
    given = [env.reset(seed=0)[0]]
    copies = [given[0].copy()]
    for _ in range(12):
        observation, _, terminated, truncated, _ = env.step(np.full(3, 2))
        given.append(observation)
        copies.append(observation.copy())
        if mode == AutoresetMode.DISABLED and (terminated | truncated).any():
            env.reset(options={"reset_mask": terminated | truncated})
    for now, then in zip(given, copies, strict=True):
        np.testing.assert_array_equal(now, then)


def test_observations_are_the_memory_of_the_device_and_cannot_be_written_to():
    env = KagejaxVectorEnv(Windy(), params=SHORT, num_envs=3)
    for observation in (env.reset(seed=0)[0], env.step(np.zeros(3, int))[0]):
        assert not observation.flags.writeable
        owner = observation
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        assert not owner.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        observation[0] = 0


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_statistics_of_episodes_are_those_of_the_sync_vector_environment(mode):
    ours, theirs = (gymnasium.wrappers.vector.RecordEpisodeStatistics(env) for env in pair(AutoresetMode(mode)))
    draw = np.random.default_rng(1)
    for env in (ours, theirs):
        env.reset(seed=3)
    for _ in range(30):
        actions = draw.integers(0, 3, 5)
        mine, other = ours.step(actions)[4], theirs.step(actions)[4]
        assert ("episode" in mine) == ("episode" in other)
        if "episode" in mine:
            for key in ("r", "l"):
                np.testing.assert_array_equal(mine["episode"][key], other["episode"][key])
    assert ours.episode_count == theirs.episode_count > 20
    assert list(ours.return_queue) == list(theirs.return_queue)


def test_statistics_survive_a_reset_of_some_environments():
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        KagejaxVectorEnv(Windy(), params=SHORT, num_envs=2, autoreset_mode="Disabled")
    )
    env.reset(seed=0)
    env.step(np.array([1, 1]))
    env.reset(options={"reset_mask": np.array([True, False])})
    assert env.episode_lengths.tolist() == [0, 1]
