"""The numbers of one configuration: `Control` and `Look` as NumPy arrays. Host side."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kagejax.raster import filters, palette, shapes

from . import bake, scene
from .config import KageConfig
from .params import Agent, Animation, Background, Control, Crowd, Distractors, Lights, Look, Plan, Sticky


def control(config: KageConfig) -> Control:
    """All that dynamics, reward, horizon and metrics read."""
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


def look(config: KageConfig, assets: Any, plan: Plan) -> Look:
    """All that only the picture reads. `assets`: where its pixels lie in the banks."""
    stored = functools.partial(bake.stored, fine=plan.fine)
    ground = [palette.ground(name) for name in config.layout.layout_colors]
    draws = config.layout.random_color
    presets = config.filters.pop_filter_list
    return Look(
        left_margin=_f32(config.camera.left_margin),
        right_margin=_f32(config.camera.right_margin),
        ground_colors=stored(assets.paint(ground if draws else ground[-1:])),
        ground_count=_i32(len(ground) if draws else 1),
        background=_background(config, assets, stored),
        agent=_agent(config, assets, stored),
        npc=_npc(config, assets) if plan.npc_slots else None,
        sticky=_sticky(config, assets, plan.sticky_slots) if plan.sticky_slots else None,
        distractors=_distractors(config, assets, stored) if plan.distractor_slots else None,
        preset_count=_i32(len(presets)),
        presets=_i32([filters.PRESETS.index(name) for name in presets or ("none",)]),
        filters=_filters(config, assets.paint) if plan.filters or plan.presets else None,
        lights=_lights(config, plan.lights) if plan.lights else None,
    )


def _background(config: KageConfig, assets: Any, stored: Callable) -> Background:
    part = config.background
    colors = [palette.BACKGROUND[name] for name in (part.color_names if part.mode == "color" else ("black",))]
    counts = {"color": len(colors), "image": len(assets.pictures)}
    return Background(
        mode=_i32(scene.MODES.index(part.mode)),
        count=_i32(counts.get(part.mode, 1)),
        colors=stored(assets.paint(colors)),
        pictures=_i32(assets.pictures),
        width=_i32(assets.picture_width),
        tile=np.bool_(part.tile_horizontal),
        parallax=_f32(part.parallax_factor),
        switch_frequency=_f32(part.switch_frequency if part.mode != "black" else 0),
    )


def _agent(config: KageConfig, assets: Any, stored: Callable) -> Agent:
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
        colors=stored(assets.paint([palette.SHAPE[name] for name in character.shape_colors])),
        size=_f32(min(character.width, character.height)),
        radius_x=_f32(character.width / 2),
        radius_y=_f32(character.height / 2),
    )


def _npc(config: KageConfig, assets: Any) -> Crowd:
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


def _sticky(config: KageConfig, assets: Any, slots: int) -> Sticky:
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


def _distractors(config: KageConfig, assets: Any, stored: Callable) -> Distractors:
    part = config.distractors
    return Distractors(
        count=_i32(part.count if part.enabled else 0),
        shapes=_i32([shapes.KINDS.index(kind) for kind in part.shape_types]),
        shape_count=_i32(len(part.shape_types)),
        colors=stored(assets.paint([palette.SHAPE[name] for name in part.shape_colors])),
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


def _filters(config: KageConfig, paint: bake.Paint) -> filters.Filters:
    part = bake.left_over(config.filters) if paint.active else config.filters
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
