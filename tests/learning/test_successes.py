"""The window of finished episodes against a plain deque."""

import collections

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.learning import successes


def played(done, success, goal=0.8):
    """All steps of [steps, environments] flags, on device."""

    def step(found, t):
        return successes.add(found, done[t], success[t], 10 * (t + 1), goal), None

    steps = jnp.arange(done.shape[0], dtype=jnp.int32)
    return jax.jit(lambda: jax.lax.scan(step, successes.none(), steps)[0])()


def counted(done, success, goal=0.8):
    """The same with a deque, episode by episode."""
    window, run, perfect, reached = collections.deque(maxlen=successes.WINDOW), 0, 0, -1
    for t in range(done.shape[0]):
        for ended, won in zip(done[t], success[t], strict=True):
            if ended:
                window.append(won)
                run = run + 1 if won else 0
                whole = len(window) == successes.WINDOW and all(window)
                perfect = perfect + 1 if whole else 0
        if reached < 0 and len(window) == successes.WINDOW and np.mean(window) >= goal:
            reached = 10 * (t + 1)
    return np.mean(window) if window else 0.0, run, perfect, reached


def test_rate_run_and_goal_are_those_of_a_deque():
    random = np.random.default_rng(0)
    for chance in (0.3, 0.78, 0.85, 0.999, 1.0):
        done = random.random((60, 16)) < 0.4
        success = random.random((60, 16)) < chance
        found = played(jnp.asarray(done), jnp.asarray(success))
        rate, run, perfect, reached = counted(done, success)
        assert np.isclose(successes.rate(found), rate) and int(found.run) == run
        assert int(successes.perfect_episodes(found)) == perfect and int(found.reached) == reached
        assert int(found.episodes) == done.sum()


def test_a_rate_of_few_episodes_reaches_no_goal():
    found = played(jnp.ones((9, 11), bool), jnp.ones((9, 11), bool))
    assert float(successes.rate(found)) == 1.0 and int(found.reached) == -1
    assert int(played(jnp.ones((10, 10), bool), jnp.ones((10, 10), bool)).reached) == 100


def test_success_without_an_end_counts_nothing():
    found = played(jnp.zeros((5, 4), bool), jnp.ones((5, 4), bool))
    assert int(found.episodes) == 0 and float(successes.rate(found)) == 0.0
