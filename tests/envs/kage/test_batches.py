"""Many configurations in one program."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import kagejax

SIDES = tuple(id for id in kagejax.ids() if id.endswith("/eval") and id.split("/")[1] in (
    "agent_appearance", "background", "distractors", "effects", "filters", "layout"
))  # fmt: skip
STEPS = 3


def play(env, params, key):
    """Observations of a few steps of right + jump, and the last body."""

    def one(state, t):
        observation, state, *_ = env.step(jax.random.fold_in(key, t), state, jnp.int32(6), params)
        return state, observation

    state, frames = jax.lax.scan(one, env.init(key, params), jnp.arange(STEPS))
    return frames, state.tick.body


@pytest.fixture(scope="module")
def together():
    env, params = kagejax.make_batch(SIDES)
    run = jax.jit(jax.vmap(lambda p, key: play(env, p, key), (env.params_axes(params), None)))
    frames, bodies = run(params, jax.random.key(4))
    assert run._cache_size() == 1
    return np.asarray(frames), bodies


def test_all_34_evaluation_configurations_run_in_one_program_and_share_their_game(together):
    frames, bodies = together
    assert frames.shape == (34, STEPS, 128, 128, 3)
    for leaf in bodies:
        assert (np.asarray(leaf) == np.asarray(leaf)[0]).all()
    shaded = [i for i, id in enumerate(SIDES) if "/filters/" in id or "/effects/" in id]
    assert len({frames[i].tobytes() for i in shaded}) == len(shaded) == 12


@pytest.mark.parametrize("id", [
    "kage/background/3/eval", "kage/background/5/eval", "kage/distractors/2/eval", "kage/filters/4/eval", "kage/effects/2/eval",
    "kage/agent_appearance/1/eval",
])  # fmt: skip
def test_a_configuration_looks_the_same_alone_and_in_the_batch(together, id):
    env, params = kagejax.make(id)
    frames, _ = jax.jit(lambda p, key: play(env, p, key))(params, jax.random.key(4))
    batched = together[0][SIDES.index(id)].astype(int)
    # Other programs round the last bit of a float differently, which a truncation can show as one grey level.
    assert np.abs(np.asarray(frames).astype(int) - batched).max() <= 1


def test_pictures_of_different_sizes_do_not_batch():
    with pytest.raises(ValueError, match=r"configurations of one batch must share H and W; found 128x128 and 64x64 pixels"):
        kagejax.make_batch(["kage", kagejax.load_config("kage", H=64, W=64)])


def test_a_bank_that_was_batched_says_what_to_do():
    env, params = kagejax.make_batch(["kage/simplest", "kage/simplest"])
    doubled = params._replace(bank=jax.tree.map(lambda x: jnp.stack([x, x]), params.bank))
    with pytest.raises(ValueError, match=r"in_axes=env.params_axes\(params\)"):
        jax.vmap(env.reset, (None, 0))(jax.random.key(0), doubled)


def test_a_state_holds_no_picture():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env, params = kagejax.make("kage/hardest")
    state = jax.eval_shape(env.init, jax.random.key(0), params)
    assert sum(x.size * x.dtype.itemsize for x in jax.tree.leaves(state)) < 5000
