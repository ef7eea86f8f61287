"""All that moves in the picture without touching the game: backgrounds, animations, NPCs, distractors. SPEC sections 2, 5, 8.

Draws follow the reference's key tree, so that the same reset key gives the same episode.
"""

import jax
import jax.numpy as jnp

from kagejax.core.pixel_rng import seed_of

from . import level
from .params import Animation, Background, Control, Crowd, Distractors, Look, Plan, Sticky
from .state import (
    DistractorEpisode,
    DistractorTick,
    Frame,
    NpcEpisode,
    StickyEpisode,
    StickyTick,
)

SECONDS_PER_STEP = 1 / 60
STILL_BELOW = 0.1
NPC_FIRST_X = 200
DISTRACTOR_MARGIN = 15.0
BACKGROUND_STREAM = 1


def chain(key: jax.Array) -> tuple[jax.Array, jax.Array]:
    """One link of the reference's key chains: `(next key, key to use now)`."""
    following, use = jax.random.split(key)
    return following, use


def draw_index(key: jax.Array, count: jax.Array) -> jax.Array:
    """Uniform in 0 .. count - 1, i32; 0 where count is 0."""
    return jax.random.randint(key, (), 0, jnp.maximum(count, 1), jnp.int32)


def draw_background(key: jax.Array, background: Background, plan: Plan) -> tuple[jax.Array, jax.Array | None]:
    """Index into the configuration's colours or pictures, and the seed of a noise background."""
    return draw_index(key, background.count), seed_of(key, BACKGROUND_STREAM) if plan.noise else None


def advance_frame(frame: Frame, animation: Animation) -> Frame:
    """A frame counter one step later: it moves on whenever its timer reaches the period, and keeps the remainder."""
    timer = frame.timer + jnp.float32(SECONDS_PER_STEP)
    due = timer >= animation.period
    index = jnp.where(due, (frame.index + 1) % animation.frames, frame.index)
    return Frame(index, jnp.where(due, timer - animation.period, timer))


def advance_agent_frame(frame: Frame, vx: jax.Array, animation: Animation) -> Frame:
    """As `advance_frame` while the agent moves; the idle frame and a fresh timer while it does not."""
    moving = (jnp.abs(vx) > STILL_BELOW) & jnp.isfinite(animation.period)
    ahead = advance_frame(frame, animation)
    return Frame(jnp.where(moving, ahead.index, animation.idle), jnp.where(moving, ahead.timer, 0.0))


def draw_npcs(key: jax.Array, tops: jax.Array, crowd: Crowd, control: Control, slots: int) -> NpcEpisode:
    """World NPCs of an episode."""
    key, count_key = chain(key)
    count = jax.random.randint(count_key, (), crowd.min_count, crowd.max_count + 1, jnp.int32)
    key, _ = chain(key)
    last_x = jnp.maximum(NPC_FIRST_X + 100, control.world_width - NPC_FIRST_X)

    def place(key, slot):
        key, x_key = chain(key)
        key, skin_key = chain(key)
        x = jax.random.randint(x_key, (), NPC_FIRST_X, last_x, jnp.int32)
        y = level.top_at(tops, x, control) - control.half_height - level.FIRST_ROW_ABOVE - crowd.spawn_y_offset
        npc = NpcEpisode(x, y, draw_index(skin_key, crowd.skin_count))
        return key, jax.tree.map(lambda value: jnp.where(slot < count, value, 0), npc)

    return jax.lax.scan(place, key, jnp.arange(slots, dtype=jnp.int32))[1]


def draw_sticky(key: jax.Array, sticky: Sticky, control: Control, slots: int) -> tuple[StickyEpisode, StickyTick]:
    """Sticky NPCs of an episode, at rest."""
    crowd = sticky.crowd
    key, count_key = chain(key)
    key, offset_key = chain(key)
    key, y_key = chain(key)
    _, skin_key = chain(key)
    drawn_offset = jax.random.randint(offset_key, (slots,), sticky.min_x, sticky.max_x + 1, jnp.int32)
    drawn_y = jax.random.randint(y_key, (slots,), sticky.min_y, sticky.max_y + 1, jnp.int32)
    rise = jnp.where(sticky.randomize_y, drawn_y, sticky.min_y)
    home = control.base_ground_y - crowd.spawn_y_offset + rise
    episode = StickyEpisode(
        offset=jnp.where(sticky.draw_offsets, drawn_offset, sticky.offsets),
        home=home,
        skin=jax.random.randint(skin_key, (slots,), 0, jnp.maximum(crowd.skin_count, 1), jnp.int32),
        count=jax.random.randint(count_key, (), crowd.min_count, crowd.max_count + 1, jnp.int32),
    )
    return episode, StickyTick(home, jnp.zeros(slots, jnp.float32), jnp.ones(slots, bool))


def hop(key: jax.Array, tick: StickyTick, home: jax.Array, sticky: Sticky, control: Control) -> StickyTick:
    """Sticky NPCs one step later: some that rest hop, those in the air fall, none below its resting row."""
    _, roll_key = chain(key)
    roll = jax.random.uniform(roll_key, tick.y.shape, jnp.float32)
    hops = sticky.can_jump & (roll < sticky.jump_probability) & tick.on_ground
    vy = jnp.where(hops, control.jump_velocity, tick.vy) + control.gravity
    y = tick.y.astype(jnp.float32) + vy
    landed = y >= home
    return StickyTick(
        y=jnp.where(landed, home, y.astype(jnp.int32)), vy=jnp.where(landed, 0.0, vy), on_ground=landed
    )


def draw_distractors(
    key: jax.Array, distractors: Distractors, screen: tuple[int, int], slots: int
) -> tuple[DistractorEpisode, DistractorTick]:
    """Distractors of an episode on a screen of (height, width)."""
    height, width = screen

    def uniform(key, low, high):
        return jax.random.uniform(key, (slots,), jnp.float32, low, high)

    def integer(key, low, high):
        return jax.random.randint(key, (slots,), low, high, jnp.int32)

    key, x_key = chain(key)
    key, y_key = chain(key)
    after_vx, vx_key = chain(key)
    after_vy, vy_key = chain(after_vx)
    key = jnp.where(distractors.can_move, after_vy, key)
    key, angle_key = chain(key)
    after_rotation, rotation_key = chain(key)
    key = jnp.where(distractors.can_rotate, after_rotation, key)
    key, shape_key = chain(key)
    key, color_key = chain(key)
    _, size_key = chain(key)

    speed = jnp.where(distractors.can_move, distractors.max_speed, 0.0)
    rotation = uniform(rotation_key, distractors.min_rotation, distractors.max_rotation)
    episode = DistractorEpisode(
        rotation=jnp.where(distractors.can_rotate, rotation, 0.0),
        shape=distractors.shapes[integer(shape_key, 0, distractors.shape_count)],
        color=integer(color_key, 0, distractors.color_count),
        size=integer(size_key, distractors.min_size, distractors.max_size + 1),
    )
    return episode, DistractorTick(
        x=uniform(x_key, DISTRACTOR_MARGIN, width - DISTRACTOR_MARGIN),
        y=uniform(y_key, DISTRACTOR_MARGIN, height - DISTRACTOR_MARGIN),
        vx=uniform(vx_key, -speed, speed),
        vy=uniform(vy_key, -speed, speed),
        angle=uniform(angle_key, 0.0, 360.0),
    )


def drift(tick: DistractorTick, rotation: jax.Array, screen: tuple[int, int]) -> DistractorTick:
    """Distractors one step later; they turn back at a margin of 15 px."""
    height, width = screen

    def bounce(place, speed, size):
        place = place + speed
        outside = (place <= DISTRACTOR_MARGIN) | (place >= size - DISTRACTOR_MARGIN)
        return jnp.clip(place, DISTRACTOR_MARGIN, size - DISTRACTOR_MARGIN), jnp.where(outside, -speed, speed)

    x, vx = bounce(tick.x, tick.vx, width)
    y, vy = bounce(tick.y, tick.vy, height)
    return DistractorTick(x, y, vx, vy, angle=(tick.angle + rotation) % 360.0)


def draw_appearance(key: jax.Array, look: Look) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Skin, shape, shape colour and ground colour of an episode (i32 indices), from what is left of the reset key.

    Shape and ground colour come from the same subkey, as in the reference.
    """
    agent = look.agent
    after_skin, skin_key = chain(key)
    several = agent.skin_count > 1
    skin = jnp.where(several, draw_index(skin_key, agent.skin_count), 0)
    key = jnp.where(several, after_skin, key)
    after_shape, shape_key = chain(key)
    _, color_key = chain(after_shape)
    shape = draw_index(shape_key, agent.shape_count)
    color = draw_index(color_key, agent.color_count)
    return skin, shape, color, draw_index(shape_key, look.ground_count)
