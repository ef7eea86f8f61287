"""Many configurations in one program: each plays and looks as it does alone."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PIL import Image

import kagejax
from kagejax import load_config
from kagejax.envs.sliding import rules
from tests.oracles import sliding

from .games import KEY, assert_same, config_of, draw, on_host, params_at

STEPS = 12
SMALL = {"observation.height": 10, "observation.width": 13, "play.max_steps": 5}


@functools.partial(jax.jit, static_argnums=0)
def roll(env, params, key):
    """Boards, rewards, flags and pictures of a run with new episodes on the way."""

    def step(state, t):
        key_t = jax.random.fold_in(key, t)
        observation, state, reward, terminated, truncated, info = env.step(
            key_t, state, jax.random.randint(key_t, (), 0, 4), params
        )
        return state, (observation, state.tick.board, reward, terminated, truncated, info["manhattan"])

    first, state = env.reset(key, params)
    return first, state.tick.board, jax.lax.scan(step, state, jnp.arange(STEPS))[1]


@functools.partial(jax.jit, static_argnums=0)
def roll_all(env, stacked, key):
    return jax.vmap(lambda params: roll(env, params, key), (env.params_axes(stacked),))(stacked)


def configs(folder):
    """Configurations of one shape that differ in all that may differ within a batch."""
    for i in range(3):
        Image.fromarray(np.random.default_rng(i).integers(0, 256, (9, 9, 3), np.uint8)).save(folder / f"{i}.png")
    files = {"pictures.source": "folder", "pictures.folder": str(folder)}
    near = [1, 2, 3, 4, 5, 6, 7, 0, 8]
    return [
        config_of((3, 3), SMALL | {"pictures.pool_size": 4}),
        config_of((3, 3), SMALL | files | {"observation.background_color": (9, 8, 7), "start.mode": "scramble",
                                           "start.scramble_steps": 3, "reward.mode": "sparse", "reward.move": -0.5}),
        config_of((3, 3), SMALL | {"pictures.pool_size": 2, "pictures.visual_difficulty": 0.3, "start.mode": "board",
                                   "start.board": near, "play.circular": True, "play.max_steps": 2,
                                   "reward.invalid": None, "reward.exponential": True, "pictures.split": "held_out",
                                   "pictures.held_out_size": 3}),
    ]  # fmt: skip


def test_a_configuration_plays_and_looks_alone_as_it_does_in_a_batch(tmp_path):
    chosen = configs(tmp_path)
    env, stacked = kagejax.make_batch(chosen)
    together = on_host(roll_all(env, stacked, jax.random.key(3)))
    for i, config in enumerate(chosen):
        alone = roll(*kagejax.make(config), jax.random.key(3))
        mine = jax.tree.map(lambda x, i=i: x[i], together)
        for one, other in zip(jax.tree.leaves(on_host(alone)), jax.tree.leaves(mine), strict=True):
            # Another program may round the last bit of exp differently.
            np.testing.assert_allclose(one, other, rtol=2e-7, atol=0)
    assert len({frames.tobytes() for frames in together[2][0]}) == 3
    assert together[2][4].sum(1).tolist() == [2, 2, 6]


def test_pools_lie_one_after_the_other_and_equal_ones_are_held_once(tmp_path):
    first, second, third = configs(tmp_path)
    env, stacked = kagejax.make_batch([first, second, third, first])
    assert stacked.look.first_picture.tolist() == [0, 4, 7, 0]
    assert stacked.look.pictures.tolist() == [4, 3, 3, 4]
    assert stacked.bank.tiles.shape == (10 * 9, 4, 3 * 5)
    apart = [kagejax.make(config)[1].bank.tiles for config in (first, second, third)]
    np.testing.assert_array_equal(stacked.bank.tiles, np.concatenate(apart))


def test_texts_of_a_batch_read_as_they_do_alone():
    texts = [
        {"text.texts": ["one two three four", "a b c d"], "text.blank_text": "*"},
        {"text.texts": ["Einer geht, keiner kommt"], "text.word_separator": " | ", "text.row_separator": "/"},
        {"text.texts": ["xyzw", "ABCDEFGH", "the fox ran off"], "text.compat_separators": True},
    ]
    chosen = [config_of((2, 2), {"observation.kind": "text", **each}) for each in texts]
    env, stacked = kagejax.make_batch(chosen)
    boards = np.array([[1, 2, 3, 0], [0, 3, 1, 2], [2, 0, 3, 1]])
    keys = jax.random.split(jax.random.key(0), 12)

    @functools.partial(jax.jit, static_argnums=0)
    def tokens_of(env, params):
        def seen(board, key):
            return env.observe(env.start(board, key, params), params)

        return jax.vmap(jax.vmap(seen, (0, None)), (None, 0))(boards, keys)

    def read(env, params):
        tokens = tokens_of(env, params)
        assert env.observation_space.contains(tokens[0, 0])
        return [[env.text_of(each) for each in row] for row in tokens]

    for i, config in enumerate(chosen):
        alone = read(*kagejax.make(config))
        assert alone == read(env, params_at(env, stacked, i))
        assert len({row[0] for row in alone}) == len(texts[i]["text.texts"])


def test_a_sticky_flag_sticks_to_its_own_configuration():
    values = {"observation.kind": "raw", "start.mode": "board", "start.board": [1, 2, 0, 3]}
    chosen = [config_of((2, 2), values | {"play.compat_sticky_termination": sticky}) for sticky in (True, False)]
    env, stacked = kagejax.make_batch(chosen)

    @jax.jit
    def play(stacked):
        def one(params):
            state = env.start(jnp.array([1, 2, 0, 3]), KEY, params)
            flags = []
            for action in (rules.LEFT, rules.UP, rules.RIGHT):  # solves; then, in the next episode, leaves the grid twice
                _, state, reward, terminated, *_ = env.step(KEY, state, jnp.int32(action), params)
                flags.append((terminated, reward))
            return flags

        return jax.vmap(one, (env.params_axes(stacked),))(stacked)

    (first, _), (second, reward), (third, _) = play(stacked)
    assert (first.tolist(), second.tolist(), third.tolist()) == ([True, True], [True, False], [True, False])
    assert reward.tolist() == [-1.0, -1.0]


@pytest.mark.parametrize(("steps", "flag"), [(1, False), (0, True)])
def test_moves_of_a_scramble_clear_a_sticky_flag(steps, flag):
    values = {"observation.kind": "raw", "play.compat_sticky_termination": True}
    env, params = kagejax.make(config_of((2, 2), values | {"start.mode": "scramble", "start.scramble_steps": steps}))
    state = env.start(jnp.array([1, 2, 0, 3]), KEY, params)
    after = env.advance(KEY, state, jnp.int32(rules.LEFT), params)[0]
    assert bool(after.tick.solved)
    step = jax.jit(env.reset_where)
    assert bool(step(jnp.bool_(True), KEY, after, params).tick.solved) == flag
    assert bool(step(jnp.bool_(False), KEY, after, params).tick.solved)


def test_optimal_lengths_are_reported_with_the_share_that_was_needed():
    lengths = sliding.optimal_lengths(sliding.Grid(2, 3))
    env, params = kagejax.make(config_of((2, 3), {"observation.kind": "raw", "play.optimality": True}))
    boards = np.array(list(lengths))
    states = jax.vmap(env.start, (0, None, None))(boards, KEY, params)
    np.testing.assert_array_equal(states.episode.optimal, list(lengths.values()))
    state = env.start(jnp.array([1, 2, 3, 4, 0, 5]), KEY, params)
    shares = []
    for action in (rules.UP, rules.LEFT):
        state, *_, metrics = env.transition(KEY, state, jnp.int32(action), params)
        shares.append((float(metrics["optimality"]), float(metrics["optimal_length"]), float(metrics["success_once"])))
    assert shares == [(0.0, 1.0, 0.0), (0.5, 1.0, 1.0)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"grid.rows": 4}, "must share grid; found 3x3 and 4x3"),
        ({"observation.kind": "board"}, "must share observation.kind; found 'image' and 'board'"),
        ({"observation.height": 60}, "must share observation.height; found 84 and 60"),
        ({"observation.augment": ["crop"]}, r"must share observation.augment; found \(\) and \('crop',\)"),
        ({"play.noop": True}, "must share play.noop; found False and True"),
        ({"play.joystick": True}, "must share play.joystick; found False and True"),
        ({"pictures.fresh": True}, "must share pictures.fresh; found False and True"),
        ({"observation.scaled": True}, "must share observation.scaled; found False and True"),
    ],
)
def test_configurations_of_different_shape_do_not_batch(changes, message):
    with pytest.raises(ValueError, match=f"configurations of one batch {message}"):
        kagejax.make_batch(["sliding", load_config("sliding", **changes)])


@pytest.mark.parametrize(
    "changes", [{"observation.normalize_coordinates": False}, {"observation.blank_value": -3}, {"text.blank_text": "?"}]
)
def test_keys_that_are_not_in_use_keep_nobody_from_batching(changes):
    env, stacked = kagejax.make_batch(["sliding", load_config("sliding", **changes)])
    assert env == kagejax.make("sliding")[0]
    assert_same(params_at(env, stacked, 0), params_at(env, stacked, 1))


def test_optimal_lengths_of_two_ways_to_move_do_not_batch():
    with pytest.raises(ValueError, match=r"ask for play.optimality must share play.circular"):
        kagejax.make_batch([config_of((2, 2), {"play.optimality": True, "play.circular": way}) for way in (False, True)])


def test_every_picture_of_a_configuration_is_drawn_and_no_other(tmp_path):
    env, stacked = kagejax.make_batch(configs(tmp_path))
    keys = jax.random.split(jax.random.key(0), 200)
    chosen = jax.vmap(lambda params: jax.vmap(lambda key: env.start(rules.goal(rules.Grid(3, 3)), key, params))(keys))
    pictures = jax.vmap(chosen.__wrapped__, (env.params_axes(stacked),))(stacked).episode.picture
    assert [sorted({*row.tolist()}) for row in np.asarray(pictures)] == [[0, 1, 2, 3], [0, 1, 2], [0, 1, 2]]
    assert draw(env, params_at(env, stacked, 1), np.arange(9)[None])[0, 0, 0].tolist() == [9, 8, 7]
