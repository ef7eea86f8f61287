"""The numbers of a configuration as arrays (`Params`), and what must be static about it (`Plan`).

One compiled program serves every configuration with the same plan. `Control` is all that dynamics, reward and metrics read;
`Look` and `Bank` are all that the picture reads. Nothing else passes between the two.
"""

from typing import Any, NamedTuple

import jax


class Control(NamedTuple):
    """Everything that dynamics, reward, horizon and metrics read. Pixels, steps; f32 unless said otherwise."""

    episode_length: jax.Array  # i32, steps
    forward_reward_scale: jax.Array  # per pixel of new maximum x
    jump_penalty: jax.Array  # per step with the jump bit set
    timestep_penalty: jax.Array  # per step
    idle_penalty: jax.Array  # per step that leaves x unchanged
    dist_to_success: jax.Array  # px
    half_width: jax.Array  # i32, px
    half_height: jax.Array  # i32, px
    spawn_stride: jax.Array  # i32, px between places tried for the spawn
    world_width: jax.Array  # i32, px
    world_height: jax.Array  # i32, px
    base_ground_y: jax.Array  # i32, row of the ground at height 0
    pix_per_unit: jax.Array  # i32, px per unit of height
    ground_thickness: jax.Array  # i32, px
    run_width: jax.Array  # i32, columns per segment
    flat_below: jax.Array  # a uniform draw below this leaves the height unchanged
    up_below: jax.Array  # at or above `flat_below` and below this: up, else down
    min_step: jax.Array  # i32, height units
    max_step: jax.Array  # i32, height units
    min_height: jax.Array  # i32, height units
    max_height: jax.Array  # i32, height units
    gravity: jax.Array  # px/step^2
    max_speed_x: jax.Array  # px/step
    jump_velocity: jax.Array  # px/step, negative is up
    terminal_velocity: jax.Array  # px/step
    ground_friction: jax.Array  # factor on vx per grounded step
    air_resistance: jax.Array  # factor on vx per airborne step
    ground_accel: jax.Array  # px/step^2
    air_accel: jax.Array  # px/step^2
    coyote_time: jax.Array  # i32, steps
    ground_snap_dist: jax.Array  # i32, rows


class Background(NamedTuple):
    """What is behind everything."""

    mode: jax.Array  # i32, one of scene's BLACK, COLOR, IMAGE, NOISE
    count: jax.Array  # i32, how many entries an episode draws from
    colors: jax.Array  # [C, 3]; in mode BLACK one entry
    pictures: jax.Array  # i32 [P], entries of Bank.pictures
    width: jax.Array  # i32, px, period of a picture
    tile: jax.Array  # bool, wrap (else clamp) horizontally
    parallax: jax.Array  # f32, px of picture per px of camera
    switch_frequency: jax.Array  # f32, probability per step of a new draw


class Animation(NamedTuple):
    """Frames per second against 60 steps per second."""

    period: jax.Array  # f32, seconds per frame; infinite when nothing is animated
    frames: jax.Array  # i32, length of the cycle
    idle: jax.Array  # i32, frame shown at rest


class Agent(NamedTuple):
    """Appearance of the agent."""

    skins: jax.Array  # i32 [K, F], entries of Bank.sprites per skin and frame; shapes and the rectangle are skins of one frame
    skin_count: jax.Array  # i32, skins (folders) an episode draws from
    shape_count: jax.Array  # i32, shape types an episode draws from; 0 = not a shape
    color_count: jax.Array  # i32, shape colours an episode draws from
    visible: jax.Array  # bool
    animation: Animation
    rotates: jax.Array  # bool, drawn by the shape pass at `angle`, not from the bank
    rotation_speed: jax.Array  # f32, degrees per step
    shapes: jax.Array  # i32 [S], index into shapes.KINDS
    colors: jax.Array  # [C, 3]
    size: jax.Array  # f32, px
    radius_x: jax.Array  # f32, px, of the ellipse
    radius_y: jax.Array  # f32, px, of the ellipse


class Crowd(NamedTuple):
    """World NPCs and sticky NPCs."""

    skins: jax.Array  # i32 [K, F], entries of Bank.sprites
    skin_count: jax.Array  # i32
    min_count: jax.Array  # i32
    max_count: jax.Array  # i32
    spawn_y_offset: jax.Array  # i32, px up
    animation: Animation


class Sticky(NamedTuple):
    """What sticky NPCs have beyond a crowd."""

    crowd: Crowd
    can_jump: jax.Array  # bool
    jump_probability: jax.Array  # f32, per step at rest
    randomize_y: jax.Array  # bool
    min_y: jax.Array  # i32, px relative to the base line
    max_y: jax.Array  # i32
    offsets: jax.Array  # i32 [N], explicit x offsets already cycled over the slots
    draw_offsets: jax.Array  # bool, draw x offsets in [min_x, max_x] instead
    min_x: jax.Array  # i32
    max_x: jax.Array  # i32


class Distractors(NamedTuple):
    """Shapes that drift over the screen behind the ground."""

    count: jax.Array  # i32
    shapes: jax.Array  # i32 [S], index into shapes.KINDS
    shape_count: jax.Array  # i32
    colors: jax.Array  # [C, 3]
    color_count: jax.Array  # i32
    can_move: jax.Array  # bool
    max_speed: jax.Array  # f32, px/step per axis
    can_rotate: jax.Array  # bool
    min_rotation: jax.Array  # f32, per step, in the unit below
    max_rotation: jax.Array  # f32
    radians_per_unit: jax.Array  # f32, 1 where angles are radians, pi/180 where degrees
    min_size: jax.Array  # i32, px
    max_size: jax.Array  # i32, px


class Lights(NamedTuple):
    """Point lights, fixed to the screen."""

    count: jax.Array  # i32
    colors: jax.Array  # f32 [N, 3], grey levels, already times the intensity
    radius: jax.Array  # f32, px at which a light has half its strength
    falloff: jax.Array  # f32, exponent


class Look(NamedTuple):
    """Everything that only the picture reads. A part that the plan leaves out is None."""

    left_margin: jax.Array  # i32, px, dead zone of the camera
    right_margin: jax.Array  # i32, px
    ground_colors: jax.Array  # [G, 3]
    ground_count: jax.Array  # i32, colours an episode draws from (1 unless layout.random_color)
    background: Background
    agent: Agent
    npc: Crowd | None
    sticky: Sticky | None
    distractors: Distractors | None
    preset_count: jax.Array  # i32, presets an episode draws from
    presets: jax.Array  # i32 [N], index into filters.PRESETS
    filters: Any  # filters.Filters or None
    lights: Lights | None


class Bank(NamedTuple):
    """Pixels shared by all environments and configurations of a batch. They and all colours are u8, or u16 where Plan.fine."""

    pictures: jax.Array  # [P, H, 3 * (picture width + margins)], RGB interleaved
    sprites: jax.Array  # [K, rows, 3 * columns], padded with transparent pixels on all sides
    alpha: jax.Array  # u8, same shape as sprites
    anchor: jax.Array  # i32 [2], row and column of a sprite's anchor inside its unpadded box


class Params(NamedTuple):
    """Every number of a configuration."""

    control: Control
    look: Look
    bank: Bank


class Plan(NamedTuple):
    """Static facts: shapes, maximum counts, and which passes exist. The union of two plans serves both configurations.

    Numbers join by max, flags by or, sets (sorted tuples of names) by union; H and W must agree.
    """

    height: int  # px of the picture
    width: int
    segments: int  # runs of constant height in the level
    near_segments: int  # most runs that the collision box can reach in a step
    seen_segments: int  # most runs that the screen can show
    most_x: int  # px, most that x can change in a step
    most_y: int
    images: bool  # some configuration has picture backgrounds
    plain: bool  # ... black or coloured backgrounds
    noise: bool  # ... noise backgrounds
    switches: bool  # ... backgrounds that change within an episode
    npc_slots: int
    sticky_slots: int
    sticky_hops: bool
    distractor_slots: int
    distractor_shapes: tuple[str, ...]
    distractor_reach: int  # px, most that a distractor extends from its centre
    agent_shapes: tuple[str, ...]  # shapes that rotate while they are the agent; fixed shapes are sprites
    agent_reach: int
    sprite_rows: int  # px, box that holds every sprite of the bank
    sprite_columns: int
    soft_alpha: bool  # some sprite has pixels neither opaque nor transparent
    presets: tuple[str, ...]
    filters: tuple[str, ...]  # main-chain filters that some configuration uses
    fine: bool  # pixels are u16, in steps of 1 / canvas.FINE of a grey level, up to the filters
    lights: int
    falloff: int  # exponent shared by all lights when a whole number, 0 = any

    @property
    def stochastic(self) -> bool:
        """Whether some pass draws noise in every frame."""
        return bool({"color_jitter", "gaussian_noise", "poisson_noise"} & set(self.filters))

    @property
    def uses_key(self) -> bool:
        """Whether a state's key must advance at every step."""
        return self.stochastic or self.switches or self.sticky_hops


def union(first: Plan, second: Plan) -> Plan:
    """The smallest plan that serves both. Raises ValueError if the pictures differ in size."""
    if (first.height, first.width) != (second.height, second.width):
        sizes = f"{first.height}x{first.width} and {second.height}x{second.width}"
        raise ValueError(f"configurations of one batch must share H and W; found {sizes} pixels")
    joined = {}
    for name, a, b in zip(Plan._fields, first, second, strict=True):
        if isinstance(a, tuple):
            joined[name] = tuple(sorted(set(a) | set(b)))
        else:
            joined[name] = (a or b) if isinstance(a, bool) else max(a, b)
    if first.lights and second.lights and first.falloff != second.falloff:
        joined["falloff"] = 0
    return Plan(**joined)
