"""Whole episodes of kage, picture by picture, against the oracle playing the same episodes by itself from the same keys."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kagejax.envs.kage.build import build_batch
from tests.oracles import kage_golden
from tests.oracles.kage_game import Game

from . import random_scenes
from .golden import config_from
from .test_pictures_against_oracle import borderline

CONFIGS, STEPS = 24, 40
QUICK = {
    "npc.animation_fps": 20.0,
    "character.animation_fps": 15.0,
    "npc.sticky_jump_probability": 0.1,
    "npc.sticky_y_min_offset": -20,
    "npc.sticky_y_max_offset": -4,
    "layout.max_height": 8,
    "layout.min_step_height": 1,
    "layout.max_step_height": 6,
    "distractors.max_size": 16,
    "character.shape_rotation_speed": 7.0,
}


def one_look(random: np.random.Generator, i: int) -> dict:
    """Looks in turn: sprites and NPCs, turning shapes, upright shapes; some with a background that changes."""
    kinds = (random_scenes.skinned, lambda r: random_scenes.shaped(r, True), lambda r: random_scenes.shaped(r, False))
    look = kinds[i % 3](random) | QUICK
    look["background.switch_frequency"] = float(random.choice([0.0, 0.2]))
    look["distractors.max_speed"] = float(random.choice([0.0, 1.0, 3.0]))
    for switch in ("distractors.can_move", "distractors.can_rotate", "npc.sticky_can_jump", "npc.sticky_y_randomize"):
        look[switch] = bool(random.random() < 0.7)
    look["npc.sticky_x_offsets"] = [[], [-20, 25], [7]][random.integers(3)]
    if random.random() < 0.3:
        look |= {"npc.sticky_x_min": None, "npc.sticky_x_max": None}
    look["character.enable_animation"] = bool(random.random() < 0.8)
    return look


def played(games: list[Game], actions: np.ndarray) -> tuple[list[list], np.ndarray, list]:
    """The oracle's episodes: per step, each game's state as it was drawn; and all frames [STEPS + 1, CONFIGS, H, W, 3]."""
    frames, outlines = [], []
    for t in range(len(actions) + 1):
        frames.append(np.stack([game.frame() for game in games]))
        cases = [kage_golden.Case({}, game.config, game.state, game.state["layout_ground_top"], None) for game in games]
        outlines.append(np.stack([borderline(case) for case in cases]))
        if t < len(actions):
            for game, action in zip(games, actions[t], strict=True):
                game.step(int(action))
    return np.stack(frames), np.stack(outlines)


@pytest.fixture(scope="module")
def episodes(asset_folder):
    """`(kagejax's frames, the oracle's frames, doubtful pixels)`, each [STEPS + 1, CONFIGS, H, W, ...]."""
    random = np.random.default_rng(7)
    looks = [one_look(random, i) for i in range(CONFIGS)]
    env, params = build_batch([config_from(look, asset_folder) for look in looks])
    axes = env.params_axes(params)
    keys = random.integers(0, 2**32, (CONFIGS, 2), dtype=np.uint32)
    actions = random.choice([0, 1, 2, 2, 2, 3, 6, 7], (STEPS, CONFIGS)).astype(np.int32)

    def play(keys, actions, params):
        first = jax.vmap(env.init, (0, axes))(keys, params)

        def step(states, action):
            after = jax.vmap(env.advance, (0, 0, 0, axes))(keys, states, action, params)[0]
            return after, after

        _, later = jax.lax.scan(step, first, actions)
        states = jax.tree.map(lambda x, xs: jnp.concatenate([x[None], xs]), first, later)
        return jax.lax.map(lambda states: jax.vmap(env.observe, (0, axes))(states, params), states)

    ours = np.asarray(jax.jit(play)(keys, actions, params))
    games = []
    for key, look in zip(keys, looks, strict=True):
        games.append(Game(key, look, **kage_golden.Case({}, look, {}, None, None).assets))
    return ours, *played(games, actions)


@pytest.mark.parametrize("config", range(CONFIGS))
def test_every_picture_of_an_episode_is_the_oracles(episodes, config):
    ours, expected, doubtful = (part[:, config] for part in episodes)
    difference = np.abs(ours.astype(int) - expected).max(axis=-1)
    assert not ((difference > 1) & ~doubtful).any(), "only the outline of a shape is open to the last bit of a cosine"
    assert (difference > 0).mean() < 1e-3
