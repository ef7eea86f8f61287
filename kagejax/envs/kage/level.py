"""Levels: a walk of ground heights, and where it is solid. SPEC sections 2.1 and 3.

A level is the row of the ground's top in each run of `run_width` columns. The solid rows of any column form one interval:
the ground band, joined to the wall of a step that begins in that column.
"""

import jax
import jax.numpy as jnp

from .draws import Draws
from .params import Control

SPAWN_TRIES = 20
SPAWN_X = 64
FIRST_ROW_ABOVE = 2


def ask_level(draws: Draws, event_key: jax.Array, step_key: jax.Array, control: Control, segments: int) -> tuple:
    """Notes the draws of a level: whether, and by how much, the height changes at the end of each run."""
    events = draws.uniforms(event_key[None], 0.0, 1.0, segments)
    return events, draws.integers(step_key[None], control.min_step, control.max_step + 1, segments)


def shape_level(draw: jax.Array, size: jax.Array, control: Control) -> jax.Array:
    """Row of the ground's top in each run, i32 [segments], from the draws of `ask_level`, [segments] each."""
    event = jnp.where(draw < control.flat_below, 0, jnp.where(draw < control.up_below, 1, -1))

    def walk(height, change):
        return jnp.clip(height + change, control.min_height, control.max_height), height

    start = (control.min_height + control.max_height) // 2
    _, heights = jax.lax.scan(walk, start, event.astype(jnp.int32) * size)
    return control.base_ground_y - control.pix_per_unit * heights


def segment_of(column: jax.Array, run_width: jax.Array) -> jax.Array:
    """Run that a column belongs to, i32. Exact below 2^23 columns, and vectorises where integer division does not."""
    return jnp.floor(column.astype(jnp.float32) / run_width.astype(jnp.float32)).astype(jnp.int32)


def top_at(tops: jax.Array, column: jax.Array, control: Control) -> jax.Array:
    """Row of the ground's top at `column` (clamped to the world), i32."""
    return tops[segment_of(jnp.clip(column, 0, control.world_width - 1), control.run_width)]


def ground_rows(tops: jax.Array, columns: jax.Array, control: Control) -> tuple[jax.Array, jax.Array]:
    """First solid row and first row below it at each of `columns` (clamped to the world), i32 each."""
    columns = jnp.clip(columns, 0, control.world_width - 1)
    here = top_at(tops, columns, control)
    left = top_at(tops, columns - 1, control)
    return jnp.minimum(here, left), jnp.maximum(here + control.ground_thickness, left)


class Ground:
    """The runs within reach of a body, as scalars, for box tests that vectorise over a batch of environments."""

    def __init__(self, tops: jax.Array, x: jax.Array, reach: jax.Array, near_segments: int, control: Control):
        """`near_segments` (static) must cover the columns x - reach .. x + reach and one run to their left."""
        count = min(near_segments, tops.shape[0])
        wanted = segment_of(x - reach, control.run_width) - 1
        first = jnp.clip(wanted, 0, tops.shape[0] - count)
        window = jax.lax.dynamic_slice(tops, (first,), (count,))
        self.control = control
        self.runs = [(first + k, window[k], window[max(k - 1, 0)]) for k in range(count)]

    def hit(self, x: jax.Array, first_row: jax.Array, last_row: jax.Array) -> jax.Array:
        """Whether rows first_row..last_row (clamped to the world) of the columns under a body at `x` hold a solid pixel."""
        left, right = x - self.control.half_width, x + self.control.half_width
        first_row = jnp.clip(first_row, 0, self.control.world_height - 1)
        last_row = jnp.clip(last_row, 0, self.control.world_height - 1)
        found = jnp.bool_(False)
        for run, top, previous_top in self.runs:
            column = run * self.control.run_width
            under_run = (column <= right) & (column + self.control.run_width > left)
            band = (top <= last_row) & (top + self.control.ground_thickness > first_row)
            under_wall = (column <= right) & (column >= left)
            wall = (jnp.minimum(top, previous_top) <= last_row) & (jnp.maximum(top, previous_top) > first_row)
            found |= (under_run & band) | (under_wall & wall)
        return found

    def box(self, x: jax.Array, y: jax.Array) -> jax.Array:
        """Whether the body's box centred on (x, y) overlaps solid ground (bool)."""
        return self.hit(x, y - self.control.half_height, y + self.control.half_height)


def spawn(tops: jax.Array, control: Control, near_segments: int) -> tuple[jax.Array, jax.Array]:
    """Where an episode begins: the first of 20 places from x = 64 on whose box is free, else (64, 64). i32 px each."""
    tries = jnp.arange(SPAWN_TRIES, dtype=jnp.int32)
    x = jnp.clip(SPAWN_X + tries * control.spawn_stride, control.half_width, control.world_width - control.half_width - 1)
    y = jax.vmap(top_at, (None, 0, None))(tops, x, control) - control.half_height - FIRST_ROW_ABOVE
    blocked = jax.vmap(lambda cx, cy: Ground(tops, cx, control.half_width, near_segments, control).box(cx, cy))(x, y)
    first_free = jnp.argmin(blocked)
    nowhere = blocked.all()
    return jnp.where(nowhere, 64, x[first_free]), jnp.where(nowhere, 64, y[first_free])
