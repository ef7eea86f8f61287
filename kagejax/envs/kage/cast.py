"""All that moves in the picture without touching the game: backgrounds, animations, NPCs, distractors. SPEC sections 2, 5, 8.

Draws follow the reference's key tree, so that the same reset key gives the same episode.
"""

import jax
import jax.numpy as jnp

from kagejax.core.pixel_rng import seed_of

from . import level
from .draws import Draws
from .params import Animation, Background, Control, Crowd, Distractors, Plan, Sticky
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


def draw_background(key: jax.Array, background: Background, plan: Plan) -> tuple[jax.Array, jax.Array | None]:
    """Index into the configuration's colours or pictures, and the seed of a noise background."""
    index = jax.random.randint(key, (), 0, jnp.maximum(background.count, 1), jnp.int32)
    return index, noise_seed(key) if plan.noise else None


def noise_seed(key: jax.Array) -> jax.Array:
    """Seed of a noise background, u32 [2]."""
    return seed_of(key, BACKGROUND_STREAM)


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


def place_npcs(
    drawn_x: jax.Array, skin: jax.Array, count: jax.Array, tops: jax.Array, crowd: Crowd, control: Control
) -> NpcEpisode:
    """World NPCs at the columns `drawn_x` [slots], standing 2 px above the ground; the first `count` of them."""
    top = jax.vmap(level.top_at, (None, 0, None))(tops, drawn_x, control)
    y = top - control.half_height - level.FIRST_ROW_ABOVE - crowd.spawn_y_offset
    used = jnp.arange(drawn_x.shape[0], dtype=jnp.int32) < count
    return jax.tree.map(lambda value: jnp.where(used, value, 0), NpcEpisode(drawn_x, y, skin))


def npc_columns(control: Control) -> tuple[int, jax.Array]:
    """Columns that world NPCs are drawn from: first, and one past the last."""
    return NPC_FIRST_X, jnp.maximum(NPC_FIRST_X + 100, control.world_width - NPC_FIRST_X)


def ask_sticky(draws: Draws, keys: jax.Array, sticky: Sticky, slots: int) -> tuple:
    """Notes the draws of sticky NPCs. `keys`: links for count, offsets, rows and skins."""
    crowd = sticky.crowd
    count = draws.integers(keys[:1], crowd.min_count, crowd.max_count + 1)
    low = jnp.stack([sticky.min_x, sticky.min_y, jnp.int32(0)])
    high = jnp.stack([sticky.max_x + 1, sticky.max_y + 1, crowd.skin_count])
    return count, draws.integers(keys[1:4], low, high, slots)


def place_sticky(count: jax.Array, drawn: jax.Array, sticky: Sticky, control: Control) -> tuple[StickyEpisode, StickyTick]:
    """Sticky NPCs of an episode, at rest, from their `drawn` offsets, rows and skins, i32 [3, slots]."""
    offset, rise, skin = drawn
    slots = offset.shape[0]
    home = control.base_ground_y - sticky.crowd.spawn_y_offset + jnp.where(sticky.randomize_y, rise, sticky.min_y)
    offset = jnp.where(sticky.draw_offsets, offset, sticky.offsets)
    return StickyEpisode(offset, home, skin, count), StickyTick(home, jnp.zeros(slots, jnp.float32), jnp.ones(slots, bool))


def hop(key: jax.Array, tick: StickyTick, home: jax.Array, sticky: Sticky, control: Control) -> StickyTick:
    """Sticky NPCs one step later: some that rest hop, those in the air fall, none below its resting row."""
    roll = jax.random.uniform(jax.random.split(key)[1], tick.y.shape, jnp.float32)
    hops = sticky.can_jump & (roll < sticky.jump_probability) & tick.on_ground
    vy = jnp.where(hops, control.jump_velocity, tick.vy) + control.gravity
    y = tick.y.astype(jnp.float32) + vy
    landed = y >= home
    return StickyTick(y=jnp.where(landed, home, y.astype(jnp.int32)), vy=jnp.where(landed, 0.0, vy), on_ground=landed)


def ask_distractors(draws: Draws, keys: jax.Array, part: Distractors, screen: tuple[int, int], slots: int) -> tuple:
    """Notes the draws of distractors on a screen of (height, width). `keys`: nine links of a chain.

    The reference takes no link for speeds where nothing moves, nor for a rotation where nothing turns.
    """
    height, width = screen
    angle_link = jnp.where(part.can_move, 4, 2)
    rotation_link = angle_link + 1
    shape_link = jnp.where(part.can_rotate, rotation_link + 1, rotation_link)
    speed = jnp.where(part.can_move, part.max_speed, 0.0)
    turn = jnp.where(part.can_rotate, 1.0, 0.0)
    margin = jnp.float32(DISTRACTOR_MARGIN)
    low = jnp.stack([margin, margin, -speed, -speed, jnp.float32(0), turn * part.min_rotation])
    high = jnp.stack([width - margin, height - margin, speed, speed, jnp.float32(360), turn * part.max_rotation])
    links = jnp.stack([0, 1, 2, 3, angle_link, rotation_link])
    motion = draws.uniforms(keys[links], low, high, slots)
    low = jnp.stack([0, 0, part.min_size])
    high = jnp.stack([part.shape_count, part.color_count, part.max_size + 1])
    return motion, draws.integers(keys[shape_link + jnp.arange(3, dtype=jnp.int32)], low, high, slots)


def place_distractors(motion: jax.Array, looks: jax.Array, part: Distractors) -> tuple[DistractorEpisode, DistractorTick]:
    """Distractors of an episode, from f32 [6, slots] and i32 [3, slots] as `ask_distractors` notes them."""
    x, y, vx, vy, angle, rotation = motion
    shape, color, size = looks
    return DistractorEpisode(rotation, part.shapes[shape], color, size), DistractorTick(x, y, vx, vy, angle)


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
