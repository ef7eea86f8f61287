"""From a validated configuration to an environment: static plan, params, and the bank of pixels. Host side, NumPy.

A batch of configurations is built under the union of their plans: what a configuration lacks is there with a count of zero.
"""

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.raster import filters, palette, shapes

from . import art, scene
from .bank import PictureBank, SpriteBank, shape_sprite
from .config import KageConfig
from .env import KageEnv
from .params import Agent, Animation, Background, Control, Crowd, Distractors, Lights, Look, Params, Plan, Sticky, union

MOST_STEPS = 1000
"""Stands for "no bound is known": beyond rules.UNROLLED, where collisions walk in a loop instead."""


def build(config: KageConfig) -> tuple[KageEnv, Params]:
    """The environment and params of one configuration. Raises ConfigError for art that does not load."""
    env, params = build_batch([config])
    axes = env.params_axes(params)
    return env, jax.tree.map(lambda x, axis: x if axis is None else x[0], params, axes)


def build_batch(configs: Sequence[KageConfig]) -> tuple[KageEnv, Params]:
    """One environment for all `configs`, and their params stacked along a leading axis, but for the shared bank.

    Raises ValueError if their pictures differ in size, ConfigError for art that does not load.
    """
    pictures, sprites = PictureBank(), SpriteBank()
    assets = [_Assets(config, pictures, sprites) for config in configs]
    plans = [_plan(config, asset) for config, asset in zip(configs, assets, strict=True)]
    plan = plans[0]
    for other in plans[1:]:
        plan = union(plan, other)
    bank = sprites.bank(pictures.array(plan.height, plan.width))
    box = sprites.box
    plan = plan._replace(sprite_rows=box[0], sprite_columns=box[1], soft_alpha=sprites.soft)
    parts = [(_control(config), _look(config, asset, plan)) for config, asset in zip(configs, assets, strict=True)]
    control, look = jax.tree.map(_stacked, *parts)
    return KageEnv(plan), Params(control, look, jax.tree.map(jnp.asarray, bank))


def _stacked(*leaves: np.ndarray) -> jax.Array:
    """Arrays of one rank, padded at the end with their last entries to one shape, along a new first axis."""
    leaves = [np.asarray(leaf) for leaf in leaves]
    most = np.max([leaf.shape for leaf in leaves], axis=0)

    def padded(leaf):
        return np.pad(leaf, [(0, int(m) - have) for m, have in zip(most, leaf.shape, strict=True)], mode="edge")

    return jnp.asarray(np.stack([padded(leaf) if leaf.ndim else leaf for leaf in leaves]))


class _Assets:
    """Where the pixels of one configuration lie in the banks of the batch."""

    def __init__(self, config: KageConfig, pictures: PictureBank, sprites: SpriteBank):
        character = config.character
        loaded = art.load(config)
        tile = config.background.tile_horizontal
        self.pictures = [pictures.add(picture, tile, config.W) for picture in loaded.pictures] or [0]
        self.picture_width = loaded.pictures[0].shape[1] if loaded.pictures else 1

        def entries(skins: list[art.Skin]) -> list[list[int]]:
            return [[sprites.add_standing(frame, character.height // 2) for frame in skin] for skin in skins]

        self.npc, self.sticky, self.agent = entries(loaded.npc), entries(loaded.sticky), entries(loaded.agent)
        if not character.use_sprites and not character.use_shape:
            self.agent = [[sprites.add_centred(_rectangle(config))]]
        elif character.use_shape and not character.shape_rotate:
            self.agent = [
                [sprites.add_centred(shape_sprite(kind, palette.SHAPE[color], character.width, character.height))]
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
        filters=_passes(config.filters),
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


def _control(config: KageConfig) -> Control:
    layout, physics, character = config.layout, config.physics, config.character
    flat = 1 - layout.p_change
    return Control(
        episode_length=_i32(config.episode_length),
        forward_reward_scale=_f32(config.forward_reward_scale),
        jump_penalty=_f32(config.jump_penalty),
        timestep_penalty=_f32(config.timestep_penalty),
        idle_penalty=_f32(config.idle_penalty),
        dist_to_success=_f32(config.dist_to_success),
        half_width=_i32(character.width // 2),
        half_height=_i32(character.height // 2),
        spawn_stride=_i32(character.width + 4),
        world_width=_i32(layout.length),
        world_height=_i32(layout.height_px),
        base_ground_y=_i32(layout.base_ground_y),
        pix_per_unit=_i32(layout.pix_per_unit),
        ground_thickness=_i32(layout.ground_thickness),
        run_width=_i32(layout.run_width),
        flat_below=_f32(flat),
        up_below=_f32(flat + layout.p_change * layout.p_up_given_change),
        min_step=_i32(layout.min_step_height),
        max_step=_i32(layout.max_step_height),
        min_height=_i32(layout.min_height),
        max_height=_i32(layout.max_height),
        gravity=_f32(physics.gravity),
        max_speed_x=_f32(physics.max_speed_x),
        jump_velocity=_f32(physics.jump_velocity),
        terminal_velocity=_f32(physics.terminal_velocity),
        ground_friction=_f32(physics.ground_friction),
        air_resistance=_f32(physics.air_resistance),
        ground_accel=_f32(physics.ground_accel),
        air_accel=_f32(physics.air_accel),
        coyote_time=_i32(physics.coyote_time),
        ground_snap_dist=_i32(physics.ground_snap_dist),
    )


def _look(config: KageConfig, assets: _Assets, plan: Plan) -> Look:
    ground = [palette.ground(name) for name in config.layout.layout_colors]
    draws = config.layout.random_color
    presets = config.filters.pop_filter_list
    return Look(
        left_margin=_f32(config.camera.left_margin),
        right_margin=_f32(config.camera.right_margin),
        ground_colors=_u8(ground if draws else ground[-1:]),
        ground_count=_i32(len(ground) if draws else 1),
        background=_background(config, assets),
        agent=_agent(config, assets),
        npc=_npc(config, assets) if plan.npc_slots else None,
        sticky=_sticky(config, assets, plan.sticky_slots) if plan.sticky_slots else None,
        distractors=_distractors(config) if plan.distractor_slots else None,
        preset_count=_i32(len(presets)),
        presets=_i32([filters.PRESETS.index(name) for name in presets or ("none",)]),
        filters=_filters(config) if plan.filters or plan.presets else None,
        lights=_lights(config, plan.lights) if plan.lights else None,
    )


def _background(config: KageConfig, assets: _Assets) -> Background:
    part = config.background
    colors = [palette.BACKGROUND[name] for name in part.color_names]
    counts = {"color": len(colors), "image": len(assets.pictures)}
    return Background(
        mode=_i32(scene.MODES.index(part.mode)),
        count=_i32(counts.get(part.mode, 1)),
        colors=_u8(colors),
        pictures=_i32(assets.pictures),
        width=_i32(assets.picture_width),
        tile=np.bool_(part.tile_horizontal),
        parallax=_f32(part.parallax_factor),
        switch_frequency=_f32(part.switch_frequency if part.mode != "black" else 0),
    )


def _agent(config: KageConfig, assets: _Assets) -> Agent:
    character = config.character
    animated = character.use_sprites and character.enable_animation and assets.agent
    rotates = character.use_shape and character.shape_rotate
    frames = len(assets.agent[0]) if character.use_sprites and assets.agent else 1
    return Agent(
        skins=_table(assets.agent),
        skin_count=_i32(len(assets.agent) if character.use_sprites else 0),
        shape_count=_i32(len(character.shape_types) if character.use_shape else 0),
        color_count=_i32(len(character.shape_colors) if character.use_shape else 0),
        visible=np.bool_(bool(assets.agent) or rotates),
        animation=_animation(character.animation_fps if animated else 0, frames, character.idle_sprite_idx),
        rotates=np.bool_(rotates),
        rotation_speed=_f32(character.shape_rotation_speed),
        shapes=_i32([shapes.KINDS.index(kind) for kind in character.shape_types]),
        colors=_u8([palette.SHAPE[name] for name in character.shape_colors]),
        size=_f32(min(character.width, character.height)),
        radius_x=_f32(character.width / 2),
        radius_y=_f32(character.height / 2),
    )


def _npc(config: KageConfig, assets: _Assets) -> Crowd:
    counts = (config.npc.min_npc_count, config.npc.max_npc_count) if assets.npc else (0, 0)
    return _crowd(config, assets.npc, counts)


def _crowd(config: KageConfig, skins: list[list[int]], counts: tuple[int, int]) -> Crowd:
    return Crowd(
        skins=_table(skins),
        skin_count=_i32(len(skins)),
        min_count=_i32(counts[0]),
        max_count=_i32(counts[1]),
        spawn_y_offset=_i32(config.npc.spawn_y_offset),
        animation=_animation(config.npc.animation_fps, max((len(skin) for skin in skins), default=1), 0),
    )


def _sticky(config: KageConfig, assets: _Assets, slots: int) -> Sticky:
    npc = config.npc
    counts = (npc.min_sticky_count, npc.max_sticky_count) if assets.sticky else (0, 0)
    bounded = npc.sticky_x_min is not None and npc.sticky_x_max is not None
    spread = np.floor(np.linspace(-60, 60, max(npc.max_sticky_count, 1)))
    offsets = np.resize(npc.sticky_x_offsets or spread, slots)
    return Sticky(
        crowd=_crowd(config, assets.sticky, counts),
        can_jump=np.bool_(npc.sticky_can_jump),
        jump_probability=_f32(npc.sticky_jump_probability),
        randomize_y=np.bool_(npc.sticky_y_randomize),
        min_y=_i32(npc.sticky_y_min_offset),
        max_y=_i32(max(npc.sticky_y_min_offset, npc.sticky_y_max_offset)),
        offsets=_i32(offsets),
        draw_offsets=np.bool_(not npc.sticky_x_offsets and bounded),
        min_x=_i32(npc.sticky_x_min if bounded else 0),
        max_x=_i32(npc.sticky_x_max if bounded else 0),
    )


def _distractors(config: KageConfig) -> Distractors:
    part = config.distractors
    return Distractors(
        count=_i32(part.count if part.enabled else 0),
        shapes=_i32([shapes.KINDS.index(kind) for kind in part.shape_types]),
        shape_count=_i32(len(part.shape_types)),
        colors=_u8([palette.SHAPE[name] for name in part.shape_colors]),
        color_count=_i32(len(part.shape_colors)),
        can_move=np.bool_(part.can_move),
        max_speed=_f32(part.max_speed),
        can_rotate=np.bool_(part.can_rotate),
        min_rotation=_f32(part.min_rotation_speed),
        max_rotation=_f32(part.max_rotation_speed),
        radians_per_unit=_f32(1.0 if part.angle_unit == "radians" else math.pi / 180),
        min_size=_i32(part.min_size),
        max_size=_i32(part.max_size),
    )


def _filters(config: KageConfig) -> filters.Filters:
    part = config.filters
    names = set(filters.Filters._fields) - {"pop_filter", "pixelate_factor", "radial_light_color"}
    return filters.Filters(
        pop_filter=_i32(filters.PRESETS.index(part.pop_filter or "none")),
        pixelate_factor=_i32(part.pixelate_factor),
        radial_light_color=_f32(part.radial_light_color),
        **{name: _f32(getattr(part, name)) for name in names},
    )


def _lights(config: KageConfig, count: int) -> Lights:
    part = config.effects
    names = [part.point_light_color_names[i % len(part.point_light_color_names)] for i in range(count)]
    return Lights(
        count=_i32(part.point_light_count if part.point_light_enabled else 0),
        colors=_f32([palette.LIGHT[name] for name in names]) * np.float32(part.point_light_intensity),
        radius=_f32(math.hypot(config.H, config.W) * part.point_light_radius),
        falloff=_f32(part.point_light_falloff),
    )


def _animation(frames_per_second: float, frames: int, idle: int) -> Animation:
    period = 1 / frames_per_second if frames_per_second > 0 else math.inf
    return Animation(period=_f32(period), frames=_i32(frames), idle=_i32(idle))


def _table(skins: list[list[int]]) -> np.ndarray:
    """Entries of the bank per skin and frame; a skin with fewer frames shows its last one for the others."""
    longest = max((len(skin) for skin in skins), default=1)
    return _i32([skin + skin[-1:] * (longest - len(skin)) for skin in skins or [[0]]])


def _i32(value: Any) -> np.ndarray:
    return np.asarray(value, np.int32)


def _f32(value: Any) -> np.ndarray:
    return np.asarray(value, np.float32)


def _u8(value: Any) -> np.ndarray:
    return np.asarray(value, np.uint8)
