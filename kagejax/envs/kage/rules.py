"""Kage, the game alone: physics, collision, camera, reward and metrics. No picture, no wrapper, no YAML. SPEC section 4.

Positions are rounded to whole pixels at every step and so lose sub-pixel motion; velocities keep their fraction. That, the
level-triggered jump and the penalty per press of jump define the benchmark.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from .level import Ground
from .params import Control
from .state import Body, Score

LEFT, RIGHT, JUMP = 1, 2, 4
ACTIONS = 8
UNROLLED = 16
FASTEST_RISE = -100.0


class Command(NamedTuple):
    """A decoded action bitmask."""

    direction: jax.Array  # f32, -1, 0 or 1; both directions cancel
    jump: jax.Array  # bool


def decode(action: jax.Array) -> Command:
    """Left = 1, right = 2, jump = 4; higher bits are ignored."""
    action = jnp.asarray(action).astype(jnp.int32)
    direction = (action & RIGHT) // RIGHT - (action & LEFT)
    return Command(direction.astype(jnp.float32), (action & JUMP) != 0)


def new_body(x: jax.Array, y: jax.Array) -> Body:
    """A body at rest at pixel (x, y)."""
    still = jnp.float32(0)
    return Body(x.astype(jnp.float32), y.astype(jnp.float32), still, still, jnp.bool_(False), jnp.int32(0))


def new_score(x: jax.Array) -> Score:
    """The account of an episode that starts at `x`."""
    zero = jnp.float32(0)
    return Score(jnp.int32(0), x.astype(jnp.float32), zero, jnp.int32(0), jnp.bool_(False), zero, zero)


def move(body: Body, command: Command, tops: jax.Array, control: Control, near_segments: int, most: tuple[int, int]) -> Body:
    """The body one step later. `most` (static): most pixels that x and y can change in a step."""
    x, y = _pixel(body.x), _pixel(body.y)
    ground = Ground(tops, x, control.half_width + most[0], near_segments, control)

    feet = y + control.half_height
    touching = ground.hit(x, feet + 1, feet + control.ground_snap_dist) & (control.ground_snap_dist > 0)
    grounded = touching & (body.vy >= 0)
    coyote = jnp.where(grounded, 0, jnp.minimum(body.coyote_timer + 1, control.coyote_time + 1))
    jumps = command.jump & (coyote <= control.coyote_time)
    grounded &= ~jumps
    coyote = jnp.where(jumps, control.coyote_time + 1, coyote)

    vx, vy = _accelerate(body, command, grounded, jumps, control)
    last_x, last_y = control.world_width - 1 - control.half_width, control.world_height - 1 - control.half_height
    wanted_x = _pixel(jnp.clip(body.x + vx, control.half_width, last_x))
    wanted_y = _pixel(jnp.clip(body.y + vy, control.half_height, last_y))
    new_x = _back_off(lambda column: ground.box(column, y), wanted_x, x, most[0])
    new_y = _back_off(lambda row: ground.box(new_x, row), wanted_y, y, most[1])
    return Body(
        x=new_x.astype(jnp.float32),
        y=new_y.astype(jnp.float32),
        vx=jnp.where(new_x == wanted_x, vx, 0.0),
        vy=jnp.where(new_y == wanted_y, vy, 0.0),
        grounded=grounded,
        coyote_timer=coyote,
    )


def _accelerate(body: Body, command: Command, grounded: jax.Array, jumps: jax.Array, control: Control) -> tuple:
    friction = jnp.where(grounded, control.ground_friction, control.air_resistance)
    push = jnp.where(grounded, control.ground_accel, control.air_accel)
    vx = jnp.clip(body.vx * friction + push * command.direction, -control.max_speed_x, control.max_speed_x)
    vy = jnp.where(jumps, control.jump_velocity, body.vy) + control.gravity
    return vx, jnp.clip(vy, FASTEST_RISE, control.terminal_velocity)


def _pixel(value: jax.Array) -> jax.Array:
    return jnp.round(value).astype(jnp.int32)


def _back_off(blocked: Callable, wanted: jax.Array, origin: jax.Array, most: int) -> jax.Array:
    """The free place nearest to `wanted` on the way back to `origin`, or `origin`."""
    step = jnp.sign(origin - wanted)

    def retreat(place):
        return jnp.where(blocked(place) & (place != origin), place + step, place)

    if most <= UNROLLED:
        for _ in range(most):
            wanted = retreat(wanted)
        return wanted
    return jax.lax.while_loop(lambda place: blocked(place) & (place != origin), lambda place: place + step, wanted)


def reward(before: jax.Array, after: jax.Array, x_max: jax.Array, jump: jax.Array, control: Control) -> jax.Array:
    """New ground gained, less the costs of jumping, of time and of standing still (f32). `x_max`: farthest x before."""
    gained = control.forward_reward_scale * jnp.maximum(after - x_max, 0.0)
    jumping = control.jump_penalty * jump.astype(jnp.float32)
    idling = control.idle_penalty * (after == before).astype(jnp.float32)
    return gained - jumping - control.timestep_penalty - idling


def count(score: Score, before: Body, after: Body, command: Command, initial_x: jax.Array, control: Control) -> tuple:
    """The account after a step, and the step's reward: `(score, reward)`."""
    gain = reward(before.x, after.x, score.x_max, command.jump, control)
    t = score.t + 1
    steps = t.astype(jnp.float32)
    return Score(
        t=t,
        x_max=jnp.maximum(score.x_max, after.x),
        episode_return=score.episode_return + gain,
        jump_count=score.jump_count + command.jump,
        success_once=score.success_once | (after.x - initial_x >= control.dist_to_success),
        vx_mean=(score.vx_mean * (steps - 1) + after.vx) / steps,
        vy_mean=(score.vy_mean * (steps - 1) + after.vy) / steps,
    ), gain


def metrics(score: Score, body: Body, initial_x: jax.Array, control: Control) -> dict[str, jax.Array]:
    """What the benchmark reports of a step, SPEC section 4.7. Distances in px, velocities in px/step."""
    distance = body.x - initial_x
    goal = control.dist_to_success
    return {
        "return": score.episode_return,
        "timestep": score.t,
        "x": body.x,
        "y": body.y,
        "vx": body.vx,
        "vy": body.vy,
        "jump_count": score.jump_count,
        "passed_distance": distance,
        "progress": jnp.where(goal > 0, distance / jnp.where(goal > 0, goal, 1.0), 0.0),
        "success": distance >= goal,
        "success_once": score.success_once,
        "vx_mean": score.vx_mean,
        "vy_mean": score.vy_mean,
    }


def follow(camera_x: jax.Array, x: jax.Array, margins: tuple, screen_width: int, world_width: jax.Array) -> jax.Array:
    """Camera after a dead-zone push scroll in both directions, f32 px; never beyond the world's ends."""
    left, right = margins
    on_screen = x - camera_x
    too_far_left = jnp.maximum(left - on_screen, 0.0)
    too_far_right = jnp.maximum(on_screen - (screen_width - right), 0.0)
    moved = jnp.where(too_far_left > 0, camera_x - too_far_left, camera_x + too_far_right)
    return keep_inside(moved, screen_width, world_width)


def keep_inside(camera_x: jax.Array, screen_width: int, world_width: jax.Array) -> jax.Array:
    """Clips a camera to the world."""
    return jnp.clip(camera_x, 0.0, jnp.maximum(world_width - screen_width, 0).astype(jnp.float32))
