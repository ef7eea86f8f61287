"""How kage looks. SPEC section 8: background, distractors, ground, NPCs, agent, filters, lights, in that order.

A frame is drawn in two steps. `sketch` turns one state into a few hundred numbers (intervals, places, indices) and is vmapped;
`draw` turns a batch of sketches into pixels, in as few passes over memory as the plan allows. Distractors lie behind the
ground, but are drawn after it with the ground masked out, so that ground and background are one pass.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from kagejax.core import batch_aware, batch_size
from kagejax.core.pixel_rng import seed_of
from kagejax.raster import canvas, filters, lights, noise, shapes, sprites

from . import level
from .params import Params, Plan
from .state import State

BLACK, COLOR, IMAGE, NOISE = range(4)
MODES = ("black", "color", "image", "noise")
LIGHT_PLACES = (0.15, 0.85)
"""Least and greatest place of a light, as fractions of the screen."""
SHAPE_WINDOW = 16
LANES = 8
GAUSSIAN_STREAM, POISSON_STREAM = 2, 3
CHUNK = 8


class Backdrop(NamedTuple):
    """What is behind everything, of one state."""

    mode: jax.Array  # i32
    color: jax.Array  # u8 or u16 [3]
    picture: jax.Array  # i32, entry of the bank
    column: jax.Array  # i32, first column of the bank's picture to show
    seed: jax.Array | None  # u32 [2]


class Sketch(NamedTuple):
    """One state as numbers to draw from. A part that the plan leaves out is None."""

    certain: jax.Array  # bool, always true; see canvas.separately
    backdrop: Backdrop
    ground: sprites.Ground
    ground_color: jax.Array  # u8 or u16 [3]
    distractors: sprites.Stamps | None
    blits: sprites.Blits
    agent_stamps: sprites.Stamps | None
    draws: filters.Draws
    lights: lights.PointLights | None


@functools.lru_cache(maxsize=256)
def drawer(plan: Plan, method: str) -> Callable[[State, Params], jax.Array]:
    """`(state, params) -> picture` u8 [H, W, 3], which under any `vmap` draws the whole batch at once."""

    def batched(axes, state, params):
        state_axes, params_axes = axes
        if any(axis is not None for axis in jax.tree.leaves(params_axes.bank, is_leaf=lambda x: x is None)):
            raise ValueError("params.bank is shared by a batch: vmap over params with in_axes=env.params_axes(params)")
        size = batch_size(axes, (state, params))
        in_axes = (state_axes, params_axes.control, params_axes.look)
        trace = jax.vmap(lambda *parts: sketch(*parts, params.bank, plan), in_axes, axis_size=size)
        values = None
        if params.look.filters is not None:
            values = jax.tree.map(lambda x, a: x if a == 0 else x[None], params.look.filters, params_axes.look.filters)
        certain = state.tick.score.t.reshape(-1)[0] >= 0
        sketches = canvas.separately(certain, trace, state, params.control, params.look)
        return draw(sketches, values, params.bank, plan, method)

    return batch_aware(batched, shared_argnums=(1,))


def sketch(state: State, control: Any, look: Any, bank: Any, plan: Plan) -> Sketch:
    """What `draw` needs of one state."""
    episode, tick = state
    camera = jnp.round(tick.camera_x).astype(jnp.int32)
    screen_x = tick.body.x - tick.camera_x
    agent_row, agent_column = (jnp.round(v).astype(jnp.int32) for v in (tick.body.y + 1.0, screen_x))
    return Sketch(
        certain=tick.score.t >= 0,
        backdrop=_backdrop(tick, look.background, plan),
        ground=_ground(episode.tops, camera, control, plan),
        ground_color=look.ground_colors[episode.ground_color],
        distractors=_distractors(episode.distractors, tick.distractors, look, plan) if plan.distractor_slots else None,
        blits=_blits(state, camera, agent_row, agent_column, look, bank, plan),
        agent_stamps=_agent_stamps(episode, tick, agent_row, agent_column, look, plan) if plan.agent_shapes else None,
        draws=_draws(episode, tick, look, plan),
        lights=_lights(episode.light_positions, look.lights, plan) if plan.lights else None,
    )


def draw(sketches: Sketch, values: filters.Filters | None, bank: Any, plan: Plan, method: str) -> jax.Array:
    """A batch of sketches as pictures, u8 [batch, H, W, 3]. `values`: strengths of the filters, [1 or batch, ...].

    Where filters make several passes, a CPU draws the batch in chunks that stay in its cache from the first to the last.
    """
    batch = sketches.certain.shape[0]
    filtered = plan.filters or plan.presets or plan.lights
    shared = values is not None and values.brightness.shape[0] == 1
    ready = filters.tables(values, plan.height, plan.width, plan.filters) if shared else None

    def paint(sketches, own_values):
        frames = _compose(sketches, bank, plan, method)
        return _finish(frames, sketches, values if shared else own_values, ready, plan) if filtered else frames

    chunk = max(size for size in range(1, CHUNK + 1) if batch % size == 0) if filtered else batch

    def in_chunks(*operands):
        split = jax.tree.map(lambda x: x.reshape(batch // chunk, chunk, *x.shape[1:]), operands)
        return jax.lax.map(lambda part: paint(*part), split).reshape(batch, plan.height, 3 * plan.width)

    operands = (sketches, None if shared else values)
    frames = jax.lax.platform_dependent(*operands, cpu=in_chunks if chunk < batch else paint, default=paint)
    return canvas.as_pictures(frames)


def _compose(sketches: Sketch, bank: Any, plan: Plan, method: str) -> jax.Array:
    """Everything up to the agent, u8 or u16 [batch, H, 3 * W]."""
    frames = _base(sketches, bank, plan)
    if plan.distractor_slots:
        frames = sprites.draw_stamps(frames, sketches.distractors, method, sketches.ground)
    sheet = sprites.Sheet(bank.sprites, bank.alpha)
    box = (plan.sprite_rows, plan.sprite_columns)
    frames = sprites.draw_sprites(frames, sketches.blits, sheet, box, plan.soft_alpha, method)
    if plan.agent_shapes:
        frames = sprites.draw_stamps(frames, sketches.agent_stamps, method)
    return frames


def _backdrop(tick: Any, background: Any, plan: Plan) -> Backdrop:
    picture, column = jnp.int32(0), jnp.int32(0)
    if plan.images:
        picture = background.pictures[tick.background]
        offset = jnp.round(tick.camera_x * background.parallax).astype(jnp.int32)
        clamped = jnp.clip(offset, -plan.width, background.width) + plan.width
        column = jnp.where(background.tile, offset % background.width, clamped)
    return Backdrop(background.mode, background.colors[tick.background], picture, column, tick.noise_seed)


def _ground(tops: jax.Array, camera: jax.Array, control: Any, plan: Plan) -> sprites.Ground:
    """Solid rows of each flat column, from the runs in view: a comparison per run and column, no look-up."""
    count = min(plan.seen_segments, plan.segments)
    wanted = level.segment_of(jnp.maximum(camera - 1, 0), control.run_width)
    first = jnp.clip(wanted, 0, plan.segments - count)
    runs = jax.lax.dynamic_slice(tops, (first,), (count,))
    edges = (first + jnp.arange(count, dtype=jnp.int32)) * control.run_width - camera
    dtype = jnp.uint8 if max(plan.height, plan.width) < 255 else jnp.uint16
    rows_type = dtype

    def narrow(x):
        return jnp.clip(x, 0, plan.height).astype(rows_type)

    def edge(x):
        return jnp.clip(x, 0, plan.width).astype(dtype)

    column = (jnp.arange(3 * plan.width, dtype=jnp.int32) // 3).astype(dtype)
    top, bottom = narrow(runs), narrow(runs + control.ground_thickness)
    here_top = left_top = jnp.broadcast_to(top[0], column.shape)
    here_bottom = jnp.broadcast_to(bottom[0], column.shape)
    for k in range(1, count):
        here = column >= edge(edges[k])
        here_top = jnp.where(here, top[k], here_top)
        here_bottom = jnp.where(here, bottom[k], here_bottom)
        left_top = jnp.where(column >= edge(edges[k] + 1), top[k], left_top)
    start = jnp.minimum(here_top, left_top)
    return sprites.Ground(start, jnp.maximum(here_bottom, left_top) - start)


def _distractors(episode: Any, tick: Any, look: Any, plan: Plan) -> sprites.Stamps:
    part = look.distractors
    above = min(plan.distractor_reach, SHAPE_WINDOW)
    rows = min(-(-(2 * above + 1) // LANES) * LANES, 2 * SHAPE_WINDOW)
    bits = range(SHAPE_WINDOW - above, min(SHAPE_WINDOW + above + 1, shapes.WORD))

    def stamp(x, y, angle, shape, size):
        column, row = jnp.round(x).astype(jnp.int32), jnp.round(y).astype(jnp.int32)
        diameter = size.astype(jnp.float32)
        figure = shapes.Shape(
            shape, column, row, diameter, angle * part.radians_per_unit, 0.5 * diameter, 0.3 * diameter, diameter
        )
        lines = row - above + jnp.arange(rows, dtype=jnp.int32)
        words = shapes.row_words(figure, plan.distractor_shapes, lines, column - SHAPE_WINDOW, bits)
        return words, row - above, column

    words, row, column = jax.vmap(stamp)(tick.x, tick.y, tick.angle, episode.shape, episode.size)
    slot = jnp.arange(plan.distractor_slots, dtype=jnp.int32)
    centre = row + above
    near = (centre > -SHAPE_WINDOW) & (centre < plan.height + SHAPE_WINDOW)
    near &= (column > -SHAPE_WINDOW) & (column < plan.width + SHAPE_WINDOW)
    left = column - SHAPE_WINDOW
    seen = sprites.on_screen(row, left, rows, shapes.WORD, plan.height, plan.width)
    return sprites.Stamps(words, row, left, part.colors[episode.color], (slot < part.count) & near & seen)


def _blits(state: State, camera: jax.Array, agent_row, agent_column, look: Any, bank: Any, plan: Plan) -> sprites.Blits:
    """World NPCs, sticky NPCs, agent: sprite, row and column of the anchor, and whether it is drawn."""
    episode, tick = state
    parts = []
    if plan.npc_slots:
        npc = episode.npc
        column = npc.x - camera
        parts.append((look.npc.skins[npc.skin, tick.npc_frame.index % look.npc.animation.frames], npc.y, column, npc.x > 0))
    if plan.sticky_slots:
        sticky = episode.sticky
        slot = jnp.arange(plan.sticky_slots, dtype=jnp.int32)
        crowd = look.sticky.crowd
        skin = crowd.skins[sticky.skin, tick.npc_frame.index % crowd.animation.frames]
        parts.append((skin, tick.sticky.y, agent_column + sticky.offset, slot < sticky.count))
    frame = jnp.clip(tick.agent_frame.index, 0, look.agent.skins.shape[1] - 1)
    shown = look.agent.visible & ~look.agent.rotates
    agent = (look.agent.skins[episode.skin, frame], agent_row, agent_column, shown)
    parts.append(tuple(x[None] for x in agent))
    sprite, row, column, visible = (jnp.concatenate(part) for part in zip(*parts, strict=True))
    row, column = row - bank.anchor[0], column - bank.anchor[1]
    seen = sprites.on_screen(row, column, plan.sprite_rows, plan.sprite_columns, plan.height, plan.width)
    return sprites.Blits(sprite, row, column, visible & seen)


def _agent_stamps(episode: Any, tick: Any, row: jax.Array, column: jax.Array, look: Any, plan: Plan) -> sprites.Stamps:
    """A rotating shape as one or more windows side by side."""
    agent, reach = look.agent, plan.agent_reach
    figure = shapes.Shape(
        episode.shape,
        column,
        row,
        agent.size,
        tick.angle * jnp.float32(jnp.pi / 180),
        agent.radius_x,
        agent.radius_y,
        agent.size / 2,
    )
    rows = 2 * reach + 1
    lines = row - reach + jnp.arange(rows, dtype=jnp.int32)
    lefts = column - reach + jnp.arange(0, rows, shapes.WORD, dtype=jnp.int32)
    words = jax.vmap(lambda left: shapes.row_words(figure, plan.agent_shapes, lines, left))(lefts)
    tops = jnp.full_like(lefts, row - reach)
    seen = sprites.on_screen(tops, lefts, rows, shapes.WORD, plan.height, plan.width)
    color = jnp.broadcast_to(agent.colors[episode.color], (lefts.shape[0], 3))
    return sprites.Stamps(words, tops, lefts, color, seen & agent.visible & agent.rotates)


def _draws(episode: Any, tick: Any, look: Any, plan: Plan) -> filters.Draws:
    preset = look.presets[episode.preset] if plan.presets else None
    jitter = None
    if "color_jitter" in plan.filters:
        _, key = jax.random.split(tick.key)
        std = look.filters.color_jitter_std
        mixing = jnp.eye(3, dtype=jnp.float32) + std * jax.random.normal(key, (3, 3), jnp.float32)
        jitter = mixing / jnp.abs(mixing).sum(axis=1, keepdims=True)
    return filters.Draws(
        preset=preset,
        jitter=jitter,
        gaussian_seed=seed_of(tick.key, GAUSSIAN_STREAM) if "gaussian_noise" in plan.filters else None,
        poisson_seed=seed_of(tick.key, POISSON_STREAM) if "poisson_noise" in plan.filters else None,
    )


def _lights(positions: jax.Array, part: Any, plan: Plan) -> lights.PointLights:
    on = (jnp.arange(plan.lights, dtype=jnp.int32) < part.count)[:, None]
    x, y = positions[:, 0] * plan.width, positions[:, 1] * plan.height
    return lights.PointLights(x, y, jnp.where(on, part.colors, 0.0), part.radius, part.falloff)


def _base(sketches: Sketch, bank: Any, plan: Plan) -> jax.Array:
    """Background and ground in one pass, u8 or u16 [batch, H, 3 * W]."""
    size = (plan.height, 3 * plan.width)

    def paint(backdrop, ground, ground_row, color_row):
        behind = color_row[:, None, :]
        mode = backdrop.mode[:, None, None]
        if plan.images:
            pictures = jax.vmap(window)(backdrop.picture, backdrop.column)
            behind = jnp.where(mode == IMAGE, pictures, behind) if plan.plain or plan.noise else pictures
        if plan.noise:
            levels = noise.uniform_levels(backdrop.seed, *size)
            behind = jnp.where(mode == NOISE, canvas.as_fine(levels) if plan.fine else levels, behind)
        row = jnp.arange(plan.height, dtype=ground.first.dtype)[None, :, None]
        solid = row - ground.first[:, None, :] < ground.length[:, None, :]
        return jnp.where(solid, ground_row[:, None, :], behind)

    def window(picture, column):
        return jax.lax.dynamic_slice(bank.pictures, (picture, jnp.int32(0), 3 * column), (1, *size))[0]

    backdrop = sketches.backdrop
    rows = (canvas.stripes(color, plan.width) for color in (sketches.ground_color, backdrop.color))
    return canvas.separately(sketches.certain[0], paint, backdrop, sketches.ground, *rows)


def _finish(
    frames: jax.Array, sketches: Sketch, values: filters.Filters | None, ready: filters.Tables | None, plan: Plan
) -> jax.Array:
    """Filters and lights. `ready`: tables for `values` if the batch shares them, else they are made here."""
    certain = sketches.certain[0]
    apart = functools.partial(canvas.separately, certain)
    if values is None:
        planes = apart(filters.planes_of, frames)
    else:
        if ready is None:
            ready = apart(lambda values: filters.tables(values, plan.height, plan.width, plan.filters), values)
        planes = filters.apply(frames, sketches.draws, values, ready, plan.filters, plan.presets, certain)
    if plan.lights:
        planes = lights.add(planes, sketches.lights, plan.falloff, certain)
    return apart(filters.interleave, tuple(plane.astype(jnp.uint8) for plane in planes))
