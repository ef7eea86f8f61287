"""Agents of pure functions on all levels at once: recorded cases, limits, mistakes, and the same result every time."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.sokoban import table
from kagejax.evaluation.sokoban import episodes as records
from kagejax.evaluation.sokoban import harness, references
from kagejax.evaluation.sokoban.agents import Agent, Weights, parameter_count
from kagejax.evaluation.sokoban.episodes import Episode, Limits
from tests.oracles import sokoban_golden

from .sokoban_cases import CAP, OPEN, TUNNEL, arena, golden_arenas, levels_of, recorded, scripts, without_times

RIGHT = 3
STEP_TWICE = [RIGHT, RIGHT]


class Script(NamedTuple):
    """Actions and predictions by level, as SOLVER finds its level."""

    book: references.Solutions
    ticks: jax.Array  # i32 [levels, longest]


def scripted_act(key, memory, observation, model):
    same = (model.weights.book.starts == observation).all((1, 2, 3))
    level = jnp.where(memory.t > 0, memory.level, same.argmax().astype(jnp.int32))
    ticks = model.weights.ticks[level, memory.t]
    latent = jax.lax.fori_loop(0, ticks, lambda _, z: model(z, jnp.zeros(1, jnp.int32)), jnp.zeros((1, 2)))
    action = model.weights.book.actions[level, memory.t] + (latent.sum() * 0).astype(jnp.int32)
    return action, references.Playing(level, memory.t + 1)


def stays(weights, latents, actions):
    return latents + 0.5


SCRIPTED = Agent(
    "scripted", lambda key, weights: references.Playing(jnp.int32(-1), jnp.int32(0)), scripted_act, stays, "symbolic"
)


def scripted(texts, actions, ticks):
    book = references.book(levels_of(*texts), actions)
    return Weights(Script(book.agent, jnp.asarray(scripts(ticks, book.agent.actions.shape[1]))))


def simply(act, memory=0, **options):
    """An agent that counts its steps in its memory, an i32, and acts by `act(t)`."""

    def run(key, memory, observation, model):
        return act(memory), memory + 1

    return Agent("simple", lambda key, weights: jnp.int32(memory), run, observes="symbolic", **options)


ALWAYS_RIGHT = simply(lambda t: jnp.int32(RIGHT))


@pytest.mark.parametrize("mode", ["strict", "lenient"])
def test_recorded_episodes_come_out_again(tmp_path, mode):
    limits = Limits(calls=CAP, strict=mode == "strict")
    for place, cases in golden_arenas(tmp_path):
        actions = [[act.action for act in case.acts] for case in cases]
        ticks = [[act.calls for act in case.acts] for case in cases]
        weights = scripted([case.text for case in cases], actions, ticks)
        found = harness.play(SCRIPTED, weights, place, limits=limits, notions=("exact", "bounded"))
        assert [recorded(episode) for episode in found] == [case.episodes[mode] for case in cases]
        assert [episode.deadlocked_bounded for episode in found] == [episode.deadlocked for episode in found]


def test_without_a_cap_nothing_is_a_violation(tmp_path):
    (episode,) = harness.play(
        SCRIPTED, scripted([TUNNEL], [STEP_TWICE], [[300, 300]]), arena(tmp_path, TUNNEL), limits=Limits(calls=None)
    )
    assert (episode.solved, episode.model_calls, episode.call_violation) == (True, (300, 300), False)


def test_a_level_that_starts_solved_takes_no_step(tmp_path):
    solved, other = harness.play(ALWAYS_RIGHT, Weights(), arena(tmp_path, "######\n#@* ##\n######", TUNNEL))
    assert solved == Episode(True, 0, 0, False, (), (), False)
    assert (other.solved, other.steps, other.actions) == (True, 2, (RIGHT, RIGHT))


@pytest.mark.parametrize("illegal", [-1, 4, 2**31 - 1])
@pytest.mark.parametrize("strict", [True, False])
def test_an_action_that_is_none_ends_its_own_episode_alone(tmp_path, illegal, strict):
    table = jnp.array([RIGHT, illegal, RIGHT, RIGHT])
    place = arena(tmp_path, TUNNEL, "######\n#@$. #\n######")
    failed, other = harness.play(simply(lambda t: table[t]), Weights(), place, limits=Limits(strict=strict))
    assert (failed.solved, failed.steps, failed.illegal_action, failed.actions) == (False, 1, True, (RIGHT,))
    assert len(failed.model_calls) == 2
    assert (other.solved, other.steps, other.illegal_action) == (True, 1, False)


def test_a_wide_action_does_not_become_legal_when_it_is_cut(tmp_path):
    with jax.enable_x64(True):
        (episode,) = harness.play(simply(lambda t: jnp.int64(2**32 + RIGHT)), Weights(), arena(tmp_path, TUNNEL))
    assert (episode.steps, episode.illegal_action) == (0, True)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (simply(lambda t: jnp.float32(1)), "must be a whole number without axes, not float32"),
        (simply(lambda t: jnp.zeros(1, jnp.int32)), r"without axes, not int32 \[1\]"),
        (
            Agent("grows", lambda key, w: jnp.zeros(1), lambda key, m, o, model: (0, jnp.append(m, 1)), observes="symbolic"),
            r"must keep its form: it was float32 \[1\] and became float32 \[2\]",
        ),
    ],
)
def test_an_agent_of_another_form_is_refused(tmp_path, agent, message):
    with pytest.raises(TypeError, match=message):
        harness.play(agent, Weights(), arena(tmp_path, TUNNEL))


def test_an_agent_plays_on_its_own_kind_of_observation(tmp_path):
    with pytest.raises(ValueError, match="plays on observation.kind 'symbolic'; these levels are shown as 'pictures'"):
        harness.play(ALWAYS_RIGHT, Weights(), arena(tmp_path, TUNNEL, kind="pictures"))


def test_a_late_act_is_not_executed(tmp_path):
    (episode,) = harness.play(ALWAYS_RIGHT, Weights(), arena(tmp_path, TUNNEL), limits=Limits(milliseconds=0.0))
    assert (episode.solved, episode.steps, episode.time_violation, len(episode.plan_times_ms)) == (False, 0, True, 1)


def test_a_late_act_is_only_reported_where_limits_are_lenient(tmp_path):
    (episode,) = harness.play(ALWAYS_RIGHT, Weights(), arena(tmp_path, TUNNEL), limits=Limits(strict=False, milliseconds=0.0))
    assert (episode.solved, episode.steps, episode.time_violation) == (True, 2, True)


def test_an_agent_cannot_take_predictions_back(tmp_path):
    """It drops the results of its model, gives its memory back as it was, and calls its dynamics a second time in vain."""

    def act(key, memory, observation, model):
        jax.lax.fori_loop(0, 40, lambda _, z: model(z, jnp.zeros(5, jnp.int32)), jnp.zeros((5, 2)))
        model._calls = jnp.int32(-1_000_000)
        return jnp.int32(RIGHT), memory

    agent = Agent("thief", lambda key, weights: jnp.int32(0), act, stays, "symbolic")
    (episode,) = harness.play(agent, Weights(), arena(tmp_path, TUNNEL))
    assert episode.model_calls == (200, 200)
    (episode,) = harness.play(agent, Weights(), arena(tmp_path, TUNNEL), limits=Limits(calls=199))
    assert (episode.solved, episode.call_violation) == (False, True)


def test_a_dead_board_is_seen(tmp_path):
    place = arena(tmp_path, OPEN, "######\n#    #\n#    #\n#@ $.#\n######", "######\n#    #\n# @  #\n#  $.#\n######")
    pushes_up = simply(lambda t: jnp.array([RIGHT, RIGHT, 0])[jnp.minimum(t, 2)])
    dead, solved, alive = harness.play(pushes_up, Weights(), place)
    assert [(episode.solved, episode.deadlocked) for episode in (dead, solved, alive)] == [
        (False, True),
        (True, False),
        (False, False),
    ]


def test_an_answer_that_a_search_does_not_give_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "_solved", lambda level: None)
    pushes_up = simply(lambda t: jnp.array([RIGHT, RIGHT, 0])[jnp.minimum(t, 2)])
    (episode,) = harness.play(pushes_up, Weights(), arena(tmp_path, OPEN))
    assert (episode.deadlocked, episode.optimal) == (None, None)


PEEPING = Agent(
    "peeping",
    lambda key, weights: jnp.uint32(0),
    lambda key, memory, observation, model: (
        ((observation["board"].sum(dtype=jnp.uint32) + jax.random.bits(key)) % 4).astype(jnp.int32),
        memory,
    ),
)
"""An agent whose moves depend on every pixel and on its key."""


def noisy(folder, *levels):
    theme = next(level.theme for level in sokoban_golden.levels().values() if level.theme)
    return arena(folder, *({"ascii": level, "theme": {**theme, "noise_std": 4.0}} for level in levels), kind="pictures")


def test_the_same_seed_gives_the_same_episodes_whatever_is_played_beside(tmp_path):
    place = noisy(tmp_path, "######\n#@$ .#\n######", "######\n# $@.#\n######", "######\n#@.$ #\n######")
    alike = without_times(harness.play(PEEPING, Weights(), place, seed=1))
    assert without_times(harness.play(PEEPING, Weights(), place, seed=1)) == alike
    assert without_times(harness.play(PEEPING, Weights(), place, seed=1, together=2)) == alike
    assert without_times(harness.play(PEEPING, Weights(), place, seed=2)) != alike


def test_a_report_has_the_figures_of_all_splits(tmp_path):
    places = [arena(tmp_path, TUNNEL, "######\n#@$. #\n######", name="split_A"), arena(tmp_path, TUNNEL, name="split_W")]
    report = harness.evaluate(ALWAYS_RIGHT, Weights(), places, seeds=(0, 1), limits=Limits(calls=10))
    assert (report["agent"], report["seeds"], report["call_cap"], report["strict_calls"]) == ("simple", [0, 1], 10, True)
    assert report["forbidden"] is None
    assert report["decided_at_once"] == {"split_A": 2, "split_W": 1}
    assert report["splits"]["split_A"]["success_rate"] == 1.0
    assert report["splits"]["split_W"]["avg_steps_solved"] == 2.0
    assert [len(runs) for runs in report["by_seed"].values()] == [2, 2]


def test_splits_of_a_report_have_different_names(tmp_path):
    place = arena(tmp_path, TUNNEL)
    with pytest.raises(ValueError, match="have different names; found split_X, split_X"):
        harness.evaluate(ALWAYS_RIGHT, Weights(), [place, place])


def test_all_weights_count_as_parameters(tmp_path):
    shared, table = jnp.arange(30.0), jnp.arange(500.0)
    seen = jax.ShapeDtypeStruct((3, 6, 4), jnp.uint8)
    weights = Weights({"shared": shared, "own": jnp.zeros((2, 5))}, (shared, jnp.zeros(7)))
    assert parameter_count(ALWAYS_RIGHT, weights, seen) == 30 + 10 + 7
    hides = dataclasses.replace(simply(lambda t: table[t].astype(jnp.int32)), name="hides")
    assert parameter_count(hides, weights, seen) == 30 + 10 + 7 + 500


def test_limits_judge_many_acts_as_they_judge_one():
    verdict = records.judged(Limits(calls=5, milliseconds=2.0), np.array([0, 4, 1, -1]), np.array([5, 5, 6, 6]), 1.0)
    assert [flags.tolist() for flags in verdict] == [
        [False, True, False, True],
        [False, False, True, True],
        [False] * 4,
        [True, False, False, False],
    ]
    late = records.judged(Limits(milliseconds=2.0), np.int64(0), np.int64(0), 2.5)
    assert (bool(late.late), bool(late.executed)) == (True, False)


def test_other_notions_of_dead_boards_are_refused_before_anything_is_played(tmp_path):
    with pytest.raises(ValueError, match="are exact and bounded; found corner"):
        harness.play(ALWAYS_RIGHT, Weights(), arena(tmp_path, TUNNEL), notions=("corner",))


def test_without_numba_nothing_is_played_in_vain(tmp_path, monkeypatch):
    place = arena(tmp_path, {"ascii": TUNNEL, "optimal_len": 2})

    def missing():
        raise ImportError("Exact Sokoban solutions need numba")

    monkeypatch.setattr(table, "kernels", missing)
    with pytest.raises(ImportError, match="need numba"):
        harness.play(ALWAYS_RIGHT, Weights(), place)
    (episode,) = harness.play(ALWAYS_RIGHT, Weights(), place, notions=())
    assert (episode.solved, episode.deadlocked, episode.optimal) == (True, None, 2)
