"""Predictions are counted by the harness: in loops, branches and batches, and without the agent's help."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.evaluation.sokoban.metering import MOST, Model, captured, counted

Z, A = jnp.ones((8, 3)), jnp.zeros(8, jnp.int32)


def dynamics(weights, latents, actions):
    return latents + weights * actions[:, None]


def calls_of(plan, *args, dynamics=dynamics):
    """What `plan(model, *args)` predicts."""
    return counted(lambda *args: plan(Model(dynamics, None, 1.0), *args))(*args)[1]


def loop(model, turns):
    return jax.lax.fori_loop(0, turns, lambda _, z: model(z, A), Z)


def branch(model, n):
    return jax.lax.cond(n > 2, lambda: model(Z, A), lambda: model(model(Z, A), A))


def differentiated(model, z):
    return jax.grad(lambda z: jax.lax.scan(lambda z, _: (model(z, A), None), z, None, 5)[0].sum())(z)


def checkpointed(model, z):
    return jax.checkpoint(lambda z: model(model(z, A), A))(z)


def asking(model, z):
    """Predicts in the question whether to go on: for 24, 48, 72, 96 and 120."""
    return jax.lax.while_loop(lambda z: model(z, A).sum() < 100, lambda z: z + 1, z)


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (lambda model: Z, 0),
        (lambda model: model(Z, A), 8),
        (lambda model: model(model(Z, A), A), 16),
        (lambda model: jax.jit(model)(Z, A), 8),
        (lambda model: jax.lax.scan(lambda z, _: (model(z, A), z), Z, None, 5), 40),
        (lambda model: jax.lax.scan(lambda z, _: (loop(model, 3), z), Z, None, 5), 120),
        (lambda model: jax.lax.map(lambda z: model(z[None], A[:1]), Z), 8),
        (lambda model: jax.vmap(lambda a: model(Z, a))(jnp.zeros((4, 8), jnp.int32)), 32),
        (lambda model: jax.vmap(lambda z, a: model(z[None], a[None]))(Z, A), 8),
        (lambda model: jax.vmap(jax.vmap(lambda a: model(Z[:1], a[None])))(jnp.zeros((4, 5), jnp.int32)), 20),
        (lambda model: loop(model, jnp.int32(7)), 56),
        (lambda model: branch(model, 1), 16),
        (lambda model: branch(model, 3), 8),
        (lambda model: jax.lax.switch(1, [lambda z: z, lambda z: model(z, A)], Z), 8),
        (lambda model: asking(model, Z), 40),
        (lambda model: checkpointed(model, Z), 16),
        (lambda model: differentiated(model, Z), 40),
        (lambda model: jax.value_and_grad(lambda z: model(z, A).sum())(Z), 8),
        (lambda model: jax.nn.relu(model(Z, A)), 8),
    ],
)
def test_predictions_are_counted_where_they_are_made(plan, expected):
    assert int(jax.jit(lambda: calls_of(plan))()) == expected


@pytest.mark.parametrize(
    ("plan", "expected"),
    [(loop, [0, 8, 16, 24, 32]), (branch, [16, 16, 16, 8, 8])],
    ids=["loop", "branch"],
)
def test_each_episode_of_a_batch_has_a_count_of_its_own(plan, expected):
    calls = jax.jit(jax.vmap(lambda n: calls_of(plan, n)))(jnp.arange(5))
    np.testing.assert_array_equal(calls, expected)


def test_what_is_predicted_is_not_changed_by_counting():
    def plan(model, z):
        z, trace = jax.lax.scan(lambda z, a: (model(z, a), z.sum()), z, jnp.ones((4, 8), jnp.int32))
        return {"z": jax.lax.cond(trace[-1] > 0, lambda: z, lambda: -z), "trace": trace}

    out, calls = counted(lambda z: plan(Model(dynamics, None, 1.0), z))(Z)
    np.testing.assert_array_equal(out["z"], np.full((8, 3), 5.0))
    np.testing.assert_array_equal(out["trace"], [24, 48, 72, 96])
    assert int(calls) == 32


def test_a_prediction_that_is_thrown_away_counts():
    def plan(model):
        model(Z, A)
        return Z

    assert int(calls_of(plan)) == 8


def test_a_count_stops_where_it_would_become_negative():
    def plan(model):
        many = jnp.zeros((2**16, 1)), jnp.zeros(2**16, jnp.int32)
        return jax.lax.fori_loop(0, 2**16, lambda _, x: x + model(*many).sum() * 0, 0.0)

    assert int(jax.jit(lambda: calls_of(plan, dynamics=lambda w, z, a: z))()) >= MOST


def test_the_host_cannot_predict_for_the_agent():
    def plan(model):
        return jax.pure_callback(lambda z: np.asarray(model(z, A)), Z, Z)

    with pytest.raises(TypeError, match=r"may not leave its program \(pure_callback\)"):
        calls_of(plan)


def test_a_model_that_is_kept_cannot_be_called_later():
    kept = []
    calls_of(lambda model: kept.append(model) or Z)
    with pytest.raises(RuntimeError, match="outside the program of an agent's act"):
        kept[0](Z, A)
    with pytest.raises(Exception, match="sokoban_prediction"):
        jax.jit(kept[0])(Z, A)


def test_predictions_cannot_be_made_before_the_program_runs():
    def plan(model):
        with jax.ensure_compile_time_eval():
            return model(Z, A)

    with pytest.raises(RuntimeError, match="outside the program of an agent's act"):
        calls_of(plan)


def test_predictions_in_an_operation_that_cannot_be_counted_are_refused():
    def plan(model):
        def solve(matvec, b):
            return matvec(b)

        return jax.lax.custom_linear_solve(lambda z: model(z, A), Z, solve, symmetric=True)

    with pytest.raises(TypeError, match="inside 'custom_linear_solve'"):
        calls_of(plan)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model: model(Z, jnp.zeros((8, 1), jnp.int32)), "whole numbers \\[batch\\] as actions"),
        (lambda model: model(Z, jnp.zeros(8)), "whole numbers \\[batch\\] as actions, not float32"),
        (lambda model: model(Z[:4], A), "as many latents as actions"),
        (lambda model: model((), A), "as many latents as actions"),
    ],
)
def test_calls_of_another_form_are_refused(call, message):
    with pytest.raises(TypeError, match=message):
        calls_of(call)


def test_dynamics_predict_latents_of_the_same_form():
    with pytest.raises(TypeError, match="must give latents like those they take"):
        calls_of(lambda model: model(Z, A), dynamics=lambda w, z, a: jnp.concatenate([z, z]))


def test_an_agent_without_dynamics_has_no_model():
    with pytest.raises(TypeError, match="has no dynamics"):
        calls_of(lambda model: model(Z, A), dynamics=None)


def test_arrays_that_a_function_closes_over_are_counted():
    table, other = jnp.arange(100.0), np.arange(50.0, dtype=np.float32)
    assert captured(lambda x: x + 1, jnp.float32(1)) == 0
    assert captured(lambda x: x + table, jnp.float32(1)) == 100
    both = jax.jit(lambda x: (x + table).sum() + jax.lax.cond(x > 0, lambda: other * x, lambda: other - x))
    assert captured(both, 1.0) == 150
