"""What the adapters refuse, and how they say so."""

import numpy as np
import pytest

import kagejax

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from kagejax.adapters.gymnasium import KagejaxEnv  # noqa: E402
from kagejax.adapters.vector import KagejaxVectorEnv  # noqa: E402
from tests.adapters.corridors import Told, Windy  # noqa: E402
from tests.corridor import params  # noqa: E402


def vector(**arguments):
    return KagejaxVectorEnv(Windy(), params=params(time_limit=2), **{"num_envs": 3, **arguments})


def reset(**arguments):
    env = vector()
    env.reset(seed=0)
    return lambda: env.reset(**arguments)


def step(actions):
    env = vector()
    env.reset(seed=0)
    return lambda: env.step(actions)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: vector(num_envs=0), ValueError, "num_envs is 0; at least 1 is needed"),
        (lambda: vector(autoreset_mode="later"), ValueError, "allowed: 'NextStep', 'SameStep', 'Disabled'"),
        (lambda: vector(render_mode="ansi"), ValueError, "render_mode is 'ansi'; allowed: 'rgb_array', 'human' or None"),
        (lambda: vector(size=3), TypeError, "config and overrides are for ours"),
        (reset(seed=[1, 2]), ValueError, "seed has 2 entries for 3 environments"),
        (reset(seed=-1), ValueError, r"seed is -1; allowed: 0 to 2\^64 - 1"),
        (reset(seed=2**64 - 2), ValueError, "seed is 18446744073709551616; allowed"),
        (reset(seed=0.5), TypeError, r"seed is 0.5 \(float\); a whole number is needed"),
        (reset(options={"level": 3}), ValueError, "options has 'level'; known: reset_mask"),
        (reset(options={"reset_mask": [True, False, True]}), TypeError, "is list; a NumPy array of bool is needed"),
        (reset(options={"reset_mask": np.ones(3)}), TypeError, "is an array of float64; a NumPy array of bool is needed"),
        (reset(options={"reset_mask": np.ones(2, bool)}), ValueError, r"has shape \(2,\); needed: \(3,\)"),
        (reset(options={"reset_mask": np.zeros(3, bool)}), ValueError, "is False everywhere"),
        (step(np.zeros(2, int)), ValueError, r"actions have shape \(2,\); needed: \(3,\)"),
        (step(np.array([0, 3, 1])), ValueError, "an action is 3; allowed: 0 to 2"),
        (step(np.array([0, -1, 1])), ValueError, "an action is -1; allowed: 0 to 2"),
        (step(np.zeros(3)), TypeError, "actions are float64; whole numbers from 0 to 2 are needed"),
        (lambda: vector().step(np.zeros(3, int)), gymnasium.error.ResetNeeded, "call reset first"),
        (lambda: vector(render_mode="rgb_array").render(), gymnasium.error.ResetNeeded, "call reset first"),
        (lambda: KagejaxEnv(Windy(), params=params()).step(0), gymnasium.error.ResetNeeded, "call reset first"),
        (lambda: KagejaxEnv(Windy(), params=params()).reset(options={"level": 3}), ValueError, "'level'; known: none"),
        (lambda: KagejaxEnv("kage", confg="kage"), TypeError, r"There is no argument 'confg'\. Did you mean config\?"),
        (
            lambda: gymnasium.make("kagejax/Kage-v0", config="sokoban"),
            kagejax.ConfigError,
            "This configures sokoban, not kage; make it as kagejax/Sokoban-v0",
        ),
        (lambda: gymnasium.make("kagejax/Kage-v0", config="kage/hardset"), kagejax.ConfigError, "kage/hardest"),
        (lambda: gymnasium.make_vec("kagejax/Kage-v0", epsiode_length=3), kagejax.ConfigError, "episode_length"),
    ],
)
def test_mistakes_are_named(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()


def test_a_step_past_the_end_is_refused_where_nothing_resets():
    env = vector(autoreset_mode="Disabled")
    env.reset(seed=0)
    for _ in range(2):
        env.step(np.ones(3, int))
    with pytest.raises(gymnasium.error.ResetNeeded, match="have ended in environments 0, 1, 2; reset them"):
        env.step(np.ones(3, int))


def test_some_cannot_be_reset_before_all_were():
    with pytest.raises(gymnasium.error.ResetNeeded, match="needs one of all first"):
        vector().reset(options={"reset_mask": np.array([True, False, False])})


def test_an_environment_without_pictures_cannot_be_rendered():
    env = KagejaxEnv(Told(), params=params(), render_mode="rgb_array")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="observations are pictures"):
        env.render()
