"""Sokoban keeps the contract of an environment, in every kind of observation and with 64-bit types enabled."""

import os
import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.core import VectorEnvironment, check_env
from kagejax.envs.sokoban.build import build
from kagejax.envs.sokoban.env import SokobanEnv

from .games import KEY, assert_same, config_of, draw, entry_of, made, on_host, play

FEW = {"levels.split": "W", "levels.count": 4, "play.max_steps": 2}
CASES = {
    "pictures, default": FEW | {"theme.law": "default"},
    "pictures, plus": FEW | {"theme.law": "plus", "levels.split": "A"},
    "board, classic": FEW | {"observation.kind": "board", "theme.law": "classic"},
    "symbolic": FEW | {"observation.kind": "symbolic", "levels.split": "E"},
}


@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_environment_keeps_the_contract(case):
    check_env(*build(config_of(CASES[case])), steps=2)


def on_paper(values):
    """Shapes and dtypes of params, first observation and state, and all that a step gives."""
    env, params = build(config_of(values))
    key = jax.random.key(0)
    observation, state = jax.eval_shape(env.reset, key, params)
    action = jax.eval_shape(env.action_space.sample, key)
    return env, params, observation, state, jax.eval_shape(env.step, key, state, action, params)


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_wider_than_32_bits(case):
    env, params, observation, state, step = on_paper(CASES[case])
    assert {leaf.dtype.itemsize for leaf in jax.tree.leaves((params, observation, state, step))} <= {1, 2, 4}

    def spec(tree):
        return jax.tree.map(lambda x: (x.shape, x.dtype), tree)

    assert spec(step[1]) == spec(state)
    assert spec(step[0]) == spec(observation)
    space = env.observation_space
    spaces = space.spaces if isinstance(observation, dict) else {"": space}
    seen = observation if isinstance(observation, dict) else {"": observation}
    assert {name: (x.shape, x.dtype) for name, x in seen.items()} == {n: (s.shape, s.dtype) for n, s in spaces.items()}


def test_a_state_holds_no_picture():
    for case in CASES.values():
        *_, state, _ = on_paper(case)
        assert sum(x.size * x.dtype.itemsize for x in jax.tree.leaves(state)) <= 100


def test_a_step_has_these_metrics():
    *_, step = on_paper(FEW)
    assert step[5].keys() == {
        "moved", "pushed", "invalid", "success_once", "episode_steps", "pushes", "boxes_on_goals", "optimality", "final_state",
    }  # fmt: skip


def test_symbols_are_planes_of_walls_goals_boxes_and_player():
    env, params = made([entry_of("#####\n#@$.#\n#+*.#\n#####")], {"observation.kind": "symbolic"})
    seen = draw(env, params, jnp.zeros(1, jnp.int32))[0]
    assert [np.flatnonzero(seen[..., plane]).tolist() for plane in range(4)] == [
        [0, 1, 2, 3, 4, 5, 9, 10, 14, 15, 16, 17, 18, 19], [8, 11, 12, 13], [7, 12], [11],
    ]  # fmt: skip
    assert (seen.shape, seen.dtype) == ((4, 5, 4), np.uint8)


def test_an_action_of_any_integer_type_does_the_same():
    env, params = made([entry_of("#####\n#   #\n#@$.#\n#####")], {"observation.kind": "symbolic"})
    state, advance = jax.jit(env.start)(jnp.int32(0), KEY, params), jax.jit(env.advance)
    for action in range(5):
        results = [advance(KEY, state, jnp.asarray(action, dtype), params) for dtype in ("int32", "uint8", "int8")]
        for other in results[1:]:
            assert_same(results[0], other)


def test_typed_and_raw_keys_begin_the_same_episode():
    env, params = build(config_of({"levels.split": "B"}))
    first, second = (jax.jit(env.init)(key, params) for key in (jax.random.key(5), jax.random.PRNGKey(5)))
    assert_same(first, second)


def test_every_level_is_drawn_and_no_other():
    env, params = build(config_of({"levels.split": "A", "levels.first": 20, "levels.count": 7, "observation.kind": "symbolic"}))
    whole = build(config_of({"levels.split": "A"}))[1]
    states = on_host(jax.jit(jax.vmap(env.init, (0, None)))(jax.random.split(jax.random.key(0), 200), params))
    assert sorted(set(states.episode.level.tolist())) == list(range(7))
    np.testing.assert_array_equal(states.tick.position.player, whole.bank.levels.player[20 + states.episode.level])
    np.testing.assert_array_equal(states.episode.puzzle.walls, whole.bank.levels.walls[20 + states.episode.level])
    np.testing.assert_array_equal(states.episode.optimal, whole.bank.levels.optimal[20 + states.episode.level])


def test_an_episode_that_ends_is_followed_by_another():
    env, params = made([entry_of("#####\n#@$.#\n#####", max_steps=3)], {"observation.kind": "symbolic"})
    batch = VectorEnvironment(env, 2)
    _, state = batch.reset(KEY, params)
    step, ends, lengths = jax.jit(batch.step), [], []
    for _ in range(4):
        actions = jnp.array([3, 0])  # solves at once; walks into a wall
        _, state, _, terminated, truncated, info = step(KEY, state, actions, params)
        ends.append((terminated.tolist(), truncated.tolist()))
        lengths.append(info["episode"].last_length.tolist())
        assert info["final_state"].tick.t.tolist() == [1, len(ends) % 3 or 3]
    cut = ([True, False], [False, True])
    assert ends == [([True, False], [False, False])] * 2 + [cut, ([True, False], [False, False])]
    assert lengths == [[1, 0], [1, 0], [1, 3], [1, 3]]


def test_optimality_is_the_share_of_moves_that_were_needed():
    entry = entry_of("######\n#@$ .#\n#    #\n######", max_steps=9)._replace(optimal_length=2)
    unknown = entry._replace(optimal_length=None)
    env, params = made([entry, unknown], {"observation.kind": "symbolic"})
    state = jax.jit(jax.vmap(env.start, (0, None, None)))(jnp.arange(2), KEY, params)
    transition = jax.jit(jax.vmap(env.transition, (None, 0, None, None)))
    shares, on_goals = [], []
    for action in (0, 3, 2, 3, 3):
        state, *_, metrics = transition(KEY, state, jnp.int32(action), params)
        shares.append(metrics["optimality"].tolist())
        on_goals.append(metrics["boxes_on_goals"].tolist())
        assert metrics["episode_steps"].tolist() == [float(len(shares))] * 2
    assert shares == [[0.0, 0.0]] * 4 + [[pytest.approx(2 / 5), 0.0]]
    assert on_goals == [[0.0, 0.0]] * 4 + [[1.0, 1.0]]
    assert metrics["success_once"].tolist() == [1.0, 1.0]
    assert metrics["pushes"].tolist() == [2.0, 2.0]


@pytest.mark.parametrize(("own", "configured", "expected"), [(7, None, 7), (None, None, 40), (7, 3, 3)])
def test_the_limit_is_the_configuration_s_else_the_level_s_else_forty(own, configured, expected):
    values = {"observation.kind": "symbolic", "play.max_steps": configured}
    env, params = made([entry_of("#####\n#@$.#\n#####", max_steps=own)], values)
    trace = play(env, params, [[0] * 45])
    assert trace.truncated[0].tolist() == [t >= expected for t in range(1, 46)]


def test_forced_ways_of_drawing_are_part_of_the_environment():
    env, _ = build(config_of(FEW))
    assert env == SokobanEnv(env.plan) != SokobanEnv(env.plan, "pull")
    assert hash(env) == hash(SokobanEnv(env.plan, "auto"))


def test_everything_is_the_same_with_64_bit_types_enabled():
    here = pathlib.Path(__file__).parent
    chosen = [
        "test_contract.py::test_nothing_is_wider_than_32_bits",
        "test_contract.py::test_symbols_are_planes_of_walls_goals_boxes_and_player",
        "test_recorded_episodes.py::test_positions_are_the_recorded_ones[10x10]",
        "test_recorded_episodes.py::test_flags_are_the_recorded_ones[10x10]",
        "test_recorded_pictures.py::test_recorded_pictures_are_drawn_again[size1]",
        "test_pictures.py::test_noise_is_normal_and_cut_off_below",
        "test_rewards.py::test_shaping_is_the_change_of_the_share_of_boxes_on_goals",
    ]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *[str(here / name) for name in chosen]]
    environment = {**os.environ, "JAX_ENABLE_X64": "1"}
    finished = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=here.parents[2], check=False)
    assert finished.returncode == 0, finished.stdout[-3000:] + finished.stderr[-1000:]
