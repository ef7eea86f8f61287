"""Membership and samples of spaces."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.core import Box, Dict, Discrete, Text

SPACES = [
    Discrete(5),
    Box(0, 255, (4, 3), jnp.uint8),
    Box(-1.0, 1.0, (2,), jnp.float32),
    Text(6, 10),
    Dict({"board": Box(0, 1, (2, 2), jnp.uint8), "goal": Discrete(3)}),
]


@pytest.mark.parametrize("space", SPACES, ids=lambda space: type(space).__name__)
def test_samples_are_members_and_differ(space):
    samples = [jax.tree.map(np.asarray, space.sample(jax.random.key(i))) for i in range(20)]
    assert all(space.contains(sample) for sample in samples)
    assert len({str(sample) for sample in samples}) > 1
    hash(space)


@pytest.mark.parametrize(
    ("space", "outsider"),
    [
        (Discrete(5), 5),
        (Discrete(5), -1),
        (Discrete(5), 1.0),
        (Box(0, 255, (2,), jnp.uint8), np.zeros(2, np.int32)),
        (Box(0, 255, (2,), jnp.uint8), np.zeros(3, np.uint8)),
        (Box(-1, 1, (2,)), np.array([0, 2], np.float32)),
        (Text(3, 4), np.array([0, 1, 4], np.int32)),
        (Dict({"goal": Discrete(3)}), {"goal": 1, "board": 0}),
        (Dict({"goal": Discrete(3)}), {"goal": 3}),
    ],
)
def test_what_is_outside_is_not_contained(space, outsider):
    assert not space.contains(outsider)


def test_every_value_of_a_discrete_space_is_drawn():
    draws = jax.vmap(Discrete(4).sample)(jax.random.split(jax.random.key(0), 400))
    assert np.bincount(draws, minlength=4).min() > 60


def test_an_integer_box_includes_its_upper_bound():
    assert Box(0, 3, (200,), jnp.uint8).sample(jax.random.key(0)).max() == 3
