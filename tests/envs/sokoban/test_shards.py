"""Shards of the public layout, and batches drawn on device: pictures and labels of the same episodes."""

import functools
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.sokoban import dataset, pipeline, shards, text
from kagejax.envs.sokoban.dataset import Recipe
from tests.oracles import sokoban_dataset, sokoban_golden

GOLDEN = sokoban_golden.FOLDER / "shard_small.npz"
MIX = (0.5, 0.3, 0.2)


@pytest.fixture(scope="module")
def recorded():
    """The recorded shard as episodes."""
    return shards.read(GOLDEN)


def test_the_recorded_shard_is_written_again_bit_for_bit(recorded):
    ours, theirs = shards.arrays(recorded), sokoban_golden.archive("shard_small")
    assert ours.keys() == theirs.keys()
    for name, values in ours.items():
        assert (values.dtype, values.shape) == (theirs[name].dtype, theirs[name].shape), name
        np.testing.assert_array_equal(values, theirs[name], err_msg=name)


def test_the_recorded_note_is_written_again(recorded):
    ours = shards.sidecar(sokoban_golden.archive("shard_small"), seed=11, number=0, boxes=3, mix=MIX)
    assert {**ours, "transition_shares": None} == {**sokoban_golden.document("shard_small"), "transition_shares": None}
    lengths, kinds = sokoban_golden.archive("shard_small")["episode_lens"] - 1, sokoban_golden.archive("shard_small")["kind"]
    expected = {dataset.KINDS[kind]: lengths[kinds == kind].sum() / 529 for kind in set(kinds.tolist())}
    assert ours["transition_shares"] == pytest.approx(expected)


def test_shards_of_new_episodes_are_those_of_the_oracle():
    data = dataset.make(Recipe(laws=("W",), max_steps=12), 5, seed=8)
    episodes = [
        sokoban_dataset.Episode(text.write(level), actions[:length].tolist(), int(kind))
        for level, actions, length, kind in zip(data.levels, data.actions, data.lengths, data.kind, strict=True)
    ]
    expected = sokoban_dataset.shard(episodes, 12)
    for name, values in shards.arrays(data).items():
        np.testing.assert_array_equal(values, expected[name], err_msg=name)


def test_a_shard_is_read_as_it_was_written(recorded, tmp_path):
    written = shards.arrays(recorded)
    path = shards.write(tmp_path, 12, written, {"shard": 12})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["shard_0012.json", "shard_0012.npz"]
    assert json.loads(path.with_suffix(".json").read_text()) == {"shard": 12}
    for name, values in shards.read(path)._asdict().items():
        if name != "levels":
            np.testing.assert_array_equal(values, getattr(recorded, name))


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [("pushed", 3, True), ("pushed", 56, False), ("invalid", 7, None), ("solved", 1, None), ("actions", 56, None),
     ("actions", 5, 4), ("actions", 5, -1)],
)  # fmt: skip
def test_a_shard_whose_flags_are_not_those_of_its_actions_is_refused(tmp_path, name, place, value):
    changed = {key: values.copy() for key, values in sokoban_golden.archive("shard_small").items()}
    old = changed[name][place]
    changed[name][place] = value if value is not None else ~old if old.dtype == bool else old ^ 1
    assert changed[name][place] != old
    path = shards.write(tmp_path, 0, changed, {})
    with pytest.raises(ValueError, match=r"shard_0000.npz: episode \d does not go as its actions say"):
        shards.read(path)


@functools.partial(jax.jit, static_argnums=0)
def batch(env, data, places):
    return pipeline.batch(env, data, places)


@pytest.fixture(scope="module")
def drawn(recorded):
    """All transitions of the recorded shard, drawn in one batch."""
    env, source = pipeline.source(recorded)
    found = batch(env, source, jnp.arange(recorded.transitions, dtype=jnp.int32))
    return jax.tree.map(np.asarray, found)


def places_of(recorded):
    """Where each transition's first frame lies in the shard, and in which episode and at which step it is."""
    starts = sokoban_golden.archive("shard_small")["episode_starts"]
    pairs = [(e, step) for e, length in enumerate(recorded.lengths) for step in range(length)]
    return np.array([starts[e] + step for e, step in pairs]), *np.array(pairs).T


def test_a_batch_shows_the_recorded_pictures(recorded, drawn):
    shard, (frame, episode, _) = sokoban_golden.archive("shard_small"), places_of(recorded)
    np.testing.assert_array_equal(drawn.board, shard["frames"][frame])
    np.testing.assert_array_equal(drawn.next_board, shard["frames"][frame + 1])
    np.testing.assert_array_equal(drawn.goal, shard["goal_frames"][episode])
    np.testing.assert_array_equal(drawn.action, shard["actions"][frame])


def test_a_batch_has_the_labels_of_its_boards(recorded, drawn):
    _, episode, step = places_of(recorded)
    np.testing.assert_array_equal(drawn.distance, recorded.distance[episode, step])
    np.testing.assert_array_equal(drawn.dead, recorded.distance[episode, step] < 0)
    bits = (drawn.optimal * (1 << np.arange(4))).sum(1)
    np.testing.assert_array_equal(bits, recorded.optimal[episode, step])
    assert (drawn.optimal.any(1) == ~drawn.dead).all()


def test_a_sample_is_drawn_from_all_transitions_by_its_key(recorded):
    env, source = pipeline.source(recorded)
    sample = jax.jit(pipeline.sample, static_argnums=(0, 3))
    first, again, other = (sample(env, source, jax.random.key(seed), 64) for seed in (1, 1, 2))
    for one, same in zip(jax.tree.leaves(first), jax.tree.leaves(again), strict=True):
        np.testing.assert_array_equal(one, same)
    assert (np.asarray(first.board) != np.asarray(other.board)).any()
    goals = {picture.tobytes() for batch in (first, other) for picture in np.asarray(batch.goal)}
    assert len(goals) >= 7  # of 8 episodes
    assert [x.dtype for x in first] == [np.uint8, np.int32, np.uint8, np.uint8, np.int32, bool, bool]
