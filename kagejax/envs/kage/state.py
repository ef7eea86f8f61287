"""State of a kage episode: what is fixed until reset (`Episode`) and what moves each step (`Tick`).

The game reads `Episode.tops`, `Episode.initial_x` and `Tick.body`; all else is the look of the episode. A part that the plan
leaves out is None and takes no memory.
"""

from typing import NamedTuple

import jax


class Body(NamedTuple):
    """The agent as physics sees it. Pixels and pixels per step; positions are whole numbers after every step."""

    x: jax.Array  # f32, centre
    y: jax.Array  # f32, centre, growing downwards
    vx: jax.Array  # f32
    vy: jax.Array  # f32
    grounded: jax.Array  # bool, ground contact before the last move, False where it jumped
    coyote_timer: jax.Array  # i32, steps since ground contact, saturating one past coyote_time


class Score(NamedTuple):
    """Running account of an episode."""

    t: jax.Array  # i32, steps taken
    x_max: jax.Array  # f32, px, farthest x so far
    episode_return: jax.Array  # f32
    jump_count: jax.Array  # i32, steps with the jump bit set
    success_once: jax.Array  # bool
    vx_mean: jax.Array  # f32, px/step
    vy_mean: jax.Array  # f32, px/step


class NpcEpisode(NamedTuple):
    """World NPCs, [slots]. They never move; x is 0 in unused slots."""

    x: jax.Array  # i32, px
    y: jax.Array  # i32, px
    skin: jax.Array  # i32


class StickyEpisode(NamedTuple):
    """Sticky NPCs, [slots]."""

    offset: jax.Array  # i32, px from the agent on screen
    home: jax.Array  # i32, resting row
    skin: jax.Array  # i32
    count: jax.Array  # i32 scalar, slots drawn


class StickyTick(NamedTuple):
    """What sticky NPCs change by hopping, [slots]."""

    y: jax.Array  # i32, row
    vy: jax.Array  # f32, px/step
    on_ground: jax.Array  # bool


class DistractorEpisode(NamedTuple):
    """Distractors, [slots]."""

    rotation: jax.Array  # f32, added to the angle each step
    shape: jax.Array  # i32, index into shapes.KINDS
    color: jax.Array  # i32, index into the configuration's colours
    size: jax.Array  # i32, px


class DistractorTick(NamedTuple):
    """Distractors on the move, [slots]."""

    x: jax.Array  # f32, px on screen
    y: jax.Array  # f32
    vx: jax.Array  # f32, px/step
    vy: jax.Array  # f32
    angle: jax.Array  # f32, in [0, 360)


class Frame(NamedTuple):
    """Position in an animation cycle."""

    index: jax.Array  # i32
    timer: jax.Array  # f32, seconds since the index last changed


class Episode(NamedTuple):
    """Fixed from reset to reset."""

    tops: jax.Array  # i32 [segments], row of the ground's top in each run
    initial_x: jax.Array  # f32, px
    skin: jax.Array  # i32, row of Agent.skins
    shape: jax.Array  # i32, index into shapes.KINDS
    color: jax.Array  # i32, index into Agent.colors
    ground_color: jax.Array  # i32, index into Look.ground_colors
    preset: jax.Array | None  # i32, index into Look.presets
    light_positions: jax.Array | None  # f32 [lights, 2], x and y as fractions of the screen
    npc: NpcEpisode | None
    sticky: StickyEpisode | None
    distractors: DistractorEpisode | None


class Tick(NamedTuple):
    """What changes from step to step."""

    body: Body
    score: Score
    camera_x: jax.Array  # f32, world x of the left screen column
    key: jax.Array  # u32 [2], source of every later draw of the picture
    background: jax.Array  # i32, which picture or colour of the configuration
    noise_seed: jax.Array | None  # u32 [2], of a noise background
    agent_frame: Frame
    angle: jax.Array  # f32, degrees, of a shape agent
    npc_frame: Frame | None  # of world and sticky NPCs, which start together and keep one pace; modulo each one's cycle
    sticky: StickyTick | None
    distractors: DistractorTick | None


class State(NamedTuple):
    """A kage environment."""

    episode: Episode
    tick: Tick
