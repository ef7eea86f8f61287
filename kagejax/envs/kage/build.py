"""From a validated configuration to an environment: static plan, params, and the bank of pixels. Host side, NumPy.

A batch of configurations is built under the union of their plans: what a configuration lacks is there with a count of zero.
"""

import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from kagejax.core import first_of
from kagejax.raster import palette, shapes

from . import art, bake, numbers
from .bank import PictureBank, SpriteBank, shape_sprite
from .config import KageConfig
from .env import KageEnv
from .params import Params, Plan, union

MOST_STEPS = 1000
"""Stands for "no bound is known": beyond rules.UNROLLED, where collisions walk in a loop instead."""


def build(config: KageConfig) -> tuple[KageEnv, Params]:
    """The environment and params of one configuration. Raises ConfigError for art that does not load."""
    env, params = build_batch([config])
    return env, first_of(params, env.params_axes(params))


def build_batch(configs: Sequence[KageConfig]) -> tuple[KageEnv, Params]:
    """One environment for all `configs`, and their params stacked along a leading axis, but for the shared bank.

    Raises ValueError if their pictures differ in size, ConfigError for art that does not load.
    """
    arts = [art.load(config) for config in configs]
    pictures, sprites = PictureBank(), SpriteBank()
    given = zip(configs, arts, bake.paints(configs, arts), strict=True)
    assets = [_Assets(config, loaded, paint, pictures, sprites) for config, loaded, paint in given]
    plans = [_plan(config, asset) for config, asset in zip(configs, assets, strict=True)]
    plan = plans[0]
    for other in plans[1:]:
        plan = union(plan, other)
    bank = sprites.bank(pictures.array(plan.height, plan.width, plan.fine), plan.fine)
    box = sprites.box
    plan = plan._replace(sprite_rows=box[0], sprite_columns=box[1], soft_alpha=sprites.soft)
    parts = [
        (numbers.control(config), numbers.look(config, asset, plan)) for config, asset in zip(configs, assets, strict=True)
    ]
    control, look = jax.tree.map(_stacked, *parts)
    return KageEnv(plan), Params(control, look, jax.device_put(bank))


def _stacked(*leaves: np.ndarray) -> jax.Array:
    """Arrays of one rank, padded at the end with their last entries to one shape, along a new first axis."""
    leaves = [np.asarray(leaf) for leaf in leaves]
    most = np.max([leaf.shape for leaf in leaves], axis=0)

    def padded(leaf):
        return np.pad(leaf, [(0, int(m) - have) for m, have in zip(most, leaf.shape, strict=True)], mode="edge")

    return jax.device_put(np.stack([padded(leaf) if leaf.ndim else leaf for leaf in leaves]))


class _Assets:
    """Where the pixels of one configuration lie in the banks of the batch."""

    def __init__(self, config: KageConfig, loaded: art.Art, paint: bake.Paint, pictures: PictureBank, sprites: SpriteBank):
        character = config.character
        self.paint = paint
        tile = config.background.tile_horizontal
        self.pictures = [pictures.add(paint(picture), tile, config.W) for picture in loaded.pictures] or [0]
        self.picture_width = loaded.pictures[0].shape[1] if loaded.pictures else 1

        def entries(skins: list[art.Skin]) -> list[list[int]]:
            return [[sprites.add_standing(paint.sprite(frame), character.height // 2) for frame in skin] for skin in skins]

        self.npc, self.sticky, self.agent = entries(loaded.npc), entries(loaded.sticky), entries(loaded.agent)
        if not character.use_sprites and not character.use_shape:
            self.agent = [[sprites.add_centred(paint.sprite(_rectangle(config)))]]
        elif character.use_shape and not character.shape_rotate:
            self.agent = [
                [sprites.add_centred(paint.sprite(shape_sprite(kind, palette.SHAPE[color], character.width, character.height)))]
                for kind in character.shape_types
                for color in character.shape_colors
            ]


def _rectangle(config: KageConfig) -> np.ndarray:
    rows, columns = 2 * (config.character.height // 2) + 1, 2 * (config.character.width // 2) + 1
    return np.broadcast_to(np.array([*config.character.fallback_color, 255], np.uint8), (rows, columns, 4))


def _plan(config: KageConfig, assets: _Assets) -> Plan:
    character, npc, moving, layout = config.character, config.npc, config.distractors, config.layout
    reach = character.width // 2 + _most_x(config)
    rotating = character.use_shape and character.shape_rotate
    falloff = config.effects.point_light_falloff
    lit = config.effects.point_light_enabled
    passes = _passes(bake.left_over(config.filters) if assets.paint.active else config.filters)
    return Plan(
        height=config.H,
        width=config.W,
        segments=-(-layout.length // layout.run_width),
        near_segments=-(-2 * reach // layout.run_width) + 2,
        seen_segments=-(-config.W // layout.run_width) + 1,
        most_x=_most_x(config),
        most_y=_most_y(config),
        images=config.background.mode == "image",
        plain=config.background.mode in ("black", "color"),
        noise=config.background.mode == "noise",
        switches=config.background.switch_frequency > 0 and config.background.mode != "black",
        npc_slots=npc.max_npc_count if assets.npc else 0,
        sticky_slots=npc.max_sticky_count if assets.sticky else 0,
        sticky_hops=bool(assets.sticky) and npc.sticky_can_jump and npc.sticky_jump_probability > 0,
        distractor_slots=moving.count if moving.enabled else 0,
        distractor_shapes=tuple(sorted(set(moving.shape_types))) if moving.enabled else (),
        distractor_reach=shapes.reach(moving.shape_types, moving.max_size, 2.0) if moving.enabled else 0,
        agent_shapes=tuple(sorted(set(character.shape_types))) if rotating else (),
        agent_reach=shapes.reach(character.shape_types, max(character.width, character.height)) if rotating else 0,
        sprite_rows=1,
        sprite_columns=1,
        soft_alpha=False,
        presets=tuple(sorted(set(config.filters.pop_filter_list))),
        filters=passes,
        fine=assets.paint.active and bool(passes),
        lights=config.effects.point_light_count if lit else 0,
        falloff=int(falloff) if lit and float(falloff).is_integer() else 0,
    )


def _most_x(config: KageConfig) -> int:
    return math.ceil(abs(config.physics.max_speed_x))


def _most_y(config: KageConfig) -> int:
    """Most rows that a step can change y by, if every spawn lies within the world; MOST_STEPS if that is not sure."""
    physics, layout, half = config.physics, config.layout, config.character.height // 2
    fastest = max(abs(physics.terminal_velocity), abs(physics.jump_velocity + physics.gravity), abs(physics.gravity))
    highest = layout.base_ground_y - layout.pix_per_unit * layout.max_height - half - 2
    lowest = layout.base_ground_y - layout.pix_per_unit * layout.min_height - half - 2
    floor = layout.height_px - 1 - half
    sure = physics.gravity >= 0 and half <= min(highest, 64) and max(lowest, 64) <= floor
    return math.ceil(fastest) if sure else MOST_STEPS


def _passes(wanted: Any) -> tuple[str, ...]:
    """Names of the main-chain filters whose value is not neutral."""
    active = {
        "pop_filter": wanted.pop_filter is not None,
        "brightness": wanted.brightness != 0,
        "contrast": wanted.contrast != 1,
        "gamma": wanted.gamma != 1,
        "hue_saturation": wanted.saturation != 1 or wanted.hue_shift != 0,
        "color_temp": wanted.color_temp != 0,
        "color_jitter": wanted.color_jitter_std != 0,
        "blur": wanted.blur_sigma != 0,
        "sharpen": wanted.sharpen_amount != 0,
        "pixelate": wanted.pixelate_factor != 1,
        "gaussian_noise": wanted.gaussian_noise_std != 0,
        "poisson_noise": wanted.poisson_noise_scale != 0,
        "vignette": wanted.vignette_strength != 0,
        "radial_light": wanted.radial_light_strength != 0,
    }
    return tuple(sorted(name for name, on in active.items() if on))
