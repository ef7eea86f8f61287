"""Many configurations in one program: each plays and looks as it does alone."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.sokoban.build import build, build_batch

from .games import assert_same, config_of, on_host, params_at

STEPS = 10
CONFIGS = [
    {"levels.split": "A", "levels.count": 5, "play.max_steps": 4},
    {"levels.split": "B", "levels.first": 30, "levels.count": 6, "reward.win": 2.0, "reward.step_cost": 0.25,
     "reward.shaping": 0.5, "reward.gamma": 0.9},
    {"levels.split": "D", "levels.first": 95, "play.max_steps": 3, "theme.law": "plus", "theme.count": 2,
     "reward.shaping": 1.0},
]  # fmt: skip


@functools.partial(jax.jit, static_argnums=0)
def roll(env, params, key):
    """Pictures, positions, rewards, flags and metrics of a run with new episodes on the way."""

    def step(state, t):
        key_t = jax.random.fold_in(key, t)
        action = jax.random.randint(key_t, (), 0, 4)
        observation, state, reward, terminated, truncated, info = env.step(key_t, state, action, params)
        metrics = {name: value for name, value in info.items() if name != "final_state"}
        return state, (observation, state.tick, state.episode.level, reward, terminated, truncated, metrics)

    first, state = env.reset(key, params)
    return first, state.tick, jax.lax.scan(step, state, jnp.arange(STEPS))[1]


@functools.partial(jax.jit, static_argnums=0)
def roll_all(env, stacked, key):
    return jax.vmap(lambda params: roll(env, params, key), (env.params_axes(stacked),))(stacked)


@pytest.fixture(scope="module")
def together():
    env, stacked = build_batch([config_of(values) for values in CONFIGS])
    return env, stacked, on_host(roll_all(env, stacked, jax.random.key(3)))


@pytest.mark.parametrize("i", range(len(CONFIGS)))
def test_a_configuration_plays_and_looks_alone_as_it_does_in_a_batch(together, i):
    _, _, batch = together
    alone = on_host(roll(*build(config_of(CONFIGS[i])), jax.random.key(3)))
    mine = jax.tree.map(lambda x: x[i], batch)
    for one, other in zip(jax.tree.leaves(alone), jax.tree.leaves(mine), strict=True):
        # Another program may round the last bit of a product and a sum differently.
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-7 if one.dtype == np.float32 else 0)


def test_the_configurations_of_the_batch_differ_in_what_they_may(together):
    env, stacked, (first, _, later) = together
    assert len({picture.tobytes() for picture in first["board"]}) == len(CONFIGS)
    assert later[5].sum(1).tolist() == [2, 0, 3]  # cut
    assert len({rewards.tobytes() for rewards in later[3]}) > 1
    assert (env.plan.noisy, env.plan.lit) == (True, True)
    assert [build(config_of(values))[0].plan[2:] for values in CONFIGS] == [(False, False), (True, False), (True, True)]
    assert stacked.control.first_level.tolist() == [0, 5, 11]
    assert stacked.control.levels.tolist() == [5, 6, 5]
    assert (stacked.look.first_theme.tolist(), stacked.look.themes.tolist()) == ([0, 1, 7], [1, 6, 2])


def test_banks_lie_one_after_the_other(together):
    env, stacked, _ = together
    apart = [build(config_of(values))[1].bank for values in CONFIGS]
    for name in stacked.bank.levels._fields:
        expected = np.concatenate([getattr(bank.levels, name) for bank in apart])
        np.testing.assert_array_equal(getattr(stacked.bank.levels, name), expected)
    np.testing.assert_array_equal(stacked.bank.tiles, np.concatenate([bank.tiles for bank in apart]))
    assert params_at(env, stacked, 2).bank.light.shape == (9, 64, 192)


def test_no_theme_touches_the_game():
    sides = [build(config_of({"levels.split": "B", "theme.law": law, "theme.seed": 5})) for law in ("default", "level", "plus")]
    key = jax.random.key(2)
    latents = [on_host(env.latent(jax.jit(env.init)(key, params))) for env, params in sides]
    assert_same(latents[0], latents[1])
    assert_same(latents[0], latents[2])


def test_a_batch_of_one_is_the_configuration():
    env, stacked = build_batch([config_of(CONFIGS[2])])
    alone, params = build(config_of(CONFIGS[2]))
    assert env == alone
    for one, other in zip(jax.tree.leaves(params_at(env, stacked, 0)), jax.tree.leaves(params), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels.split": "C"}, "must share the size of their boards; found 8x8 and 10x10"),
        ({"observation.kind": "board"}, "must share observation.kind; found 'pictures' and 'board'"),
    ],
)
def test_configurations_of_different_shape_do_not_batch(change, message):
    with pytest.raises(ValueError, match=f"configurations of one batch {message}"):
        build_batch([config_of(), config_of(change)])
