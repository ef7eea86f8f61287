import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.learning.advantages import generalized_advantages

GAMMA, LAMBDA = 0.9, 0.8


def by_loop(rewards, values, last_value, terminated, truncated, final_values):
    """Advantages as the definition has them: discounted sums of surprises up to the end of the episode, forwards in time."""
    time, batch = rewards.shape
    following = np.zeros((time, batch))
    for t in range(time):
        for n in range(batch):
            after = values[t + 1, n] if t + 1 < time else last_value[n]
            following[t, n] = 0.0 if terminated[t, n] else final_values[t, n] if truncated[t, n] else after
    surprise = rewards + GAMMA * following - values
    advantages = np.zeros((time, batch))
    for t in range(time):
        for n in range(batch):
            for k in range(t, time):
                advantages[t, n] += (GAMMA * LAMBDA) ** (k - t) * surprise[k, n]
                if terminated[k, n] or truncated[k, n]:
                    break
    return advantages


def arrays(seed):
    rng = np.random.default_rng(seed)
    rewards, values, final_values = rng.normal(size=(3, 12, 4)).astype(np.float32)
    terminated, truncated = rng.random((2, 12, 4)) < 0.2
    return rewards, values, rng.normal(size=4).astype(np.float32), terminated, truncated, final_values


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_the_definition_written_as_loops(seed):
    given = arrays(seed)
    found = generalized_advantages(*map(jnp.asarray, given), GAMMA, LAMBDA)
    np.testing.assert_allclose(found, by_loop(*given), rtol=1e-5, atol=1e-5)


def one_step(terminated, truncated, final_value):
    column = [jnp.full((1, 1), x, jnp.float32) for x in (1.0, 2.0)]
    flags = [jnp.full((1, 1), x) for x in (terminated, truncated)]
    return generalized_advantages(*column, jnp.full(1, 7.0), *flags, jnp.full((1, 1), final_value), 0.5, LAMBDA)[0, 0]


def test_an_episode_that_goes_on_counts_on_the_next_value():
    assert one_step(False, False, 4.0) == 1 + 0.5 * 7 - 2


def test_a_truncated_episode_counts_on_its_final_value():
    assert one_step(False, True, 4.0) == 1 + 0.5 * 4 - 2


def test_a_terminated_episode_counts_on_nothing_even_if_truncated_too():
    assert one_step(True, True, 4.0) == 1 - 2
