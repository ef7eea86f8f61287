import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.evaluation import rollouts
from tests.corridor import Corridor, params

ENV = Corridor()
STACKED = jax.tree.map(lambda *x: jnp.stack(x), params(), params(brightness=0.5), params(time_limit=1))


@dataclasses.dataclass(frozen=True)
class Always:
    """The same action everywhere."""

    action: int

    def __call__(self, parameters, key, frames):
        return jnp.full(frames.shape[0], self.action, jnp.int32)


@dataclasses.dataclass(frozen=True)
class Random:
    """Uniform actions."""

    def __call__(self, parameters, key, frames):
        return jax.random.randint(key, (frames.shape[0],), 0, 3, jnp.int32)


def play(policy, **options):
    return rollouts.play(ENV, STACKED, policy, None, jax.random.key(0), 16, **options)


def test_every_episode_is_played_to_its_end_and_counted_once():
    metrics = play(Always(2)).metrics
    lengths = np.asarray(metrics["length"][0])
    assert lengths.min() >= 1
    assert lengths.max() <= 8  # corridors of at most 9 cells
    np.testing.assert_array_equal(metrics["return"][0], np.ones(16))
    np.testing.assert_array_equal(metrics["progress"][0], np.ones(16))


def test_a_time_limit_ends_an_episode():
    metrics = play(Always(1)).metrics
    np.testing.assert_array_equal(metrics["length"][:, 0], [20, 20, 1])
    assert not metrics["return"].any()


def test_configurations_that_differ_in_looks_alone_give_equal_rows():
    metrics = play(Random()).metrics
    for values in metrics.values():
        np.testing.assert_array_equal(values[0], values[1])
    assert (metrics["length"][0] != metrics["length"][2]).any()


def test_an_episode_without_end_counts_as_it_stands():
    endless = jax.tree.map(lambda x: x[None], params(time_limit=1_000_000))
    metrics = rollouts.play(ENV, endless, Always(0), None, jax.random.key(0), 2, longest=30).metrics
    np.testing.assert_array_equal(metrics["length"], [[32, 32]])  # whole strides


def test_the_film_has_every_fourth_frame_of_the_first_episode():
    film = play(Always(1), keep_film=True).film
    assert film.shape == (5, 3, 8, 8, 3)
    assert film.dtype == np.uint8
    assert (film[:, 0, 0, 0, 0] == 200).all()
    assert (film[:, 1, 0, 0, 0] == 100).all()


def test_params_that_are_not_stacked_are_refused():
    with pytest.raises(ValueError, match="not those of kagejax.make_batch"):
        rollouts.configurations(ENV, params())


def test_with_a_key_for_each_configuration_each_plays_for_itself():
    keys = jax.vmap(jax.random.key)(jnp.arange(3))
    together = rollouts.play(ENV, STACKED, Random(), None, keys, 16).metrics
    alone = rollouts.play(ENV, jax.tree.map(lambda x: x[1:2], STACKED), Random(), None, jax.random.key(1), 16).metrics
    np.testing.assert_array_equal(together["length"][1], alone["length"][0])
    assert (together["length"][0] != together["length"][1]).any()


class Guided(Corridor):
    """A corridor that says that going left is of no use."""

    def action_mask(self, state, params):
        return jnp.array([False, True, True])


@dataclasses.dataclass(frozen=True)
class First:
    """The first action that the mask allows."""

    masked: bool = True

    def __call__(self, parameters, key, frames, mask):
        return jnp.argmax(mask, axis=1).astype(jnp.int32)


def test_a_policy_that_asks_for_masks_gets_them():
    assert Guided().has_action_mask and not ENV.has_action_mask
    metrics = rollouts.play(Guided(), STACKED, First(), None, jax.random.key(0), 4).metrics
    np.testing.assert_array_equal(metrics["length"][:, 0], [20, 20, 1])  # it stays where it is
