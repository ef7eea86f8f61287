"""Oracle of what moves but never touches the game: animation, the turning shape, sticky NPCs, distractors."""

import jax
import jax.numpy as jnp
import numpy as np

f32 = np.float32
STEP_SECONDS = f32(1 / 60)
DISTRACTOR_BORDER = f32(15)


def step_keys(filter_key) -> tuple:
    """`(filter_key, sticky_key, background_switch_key, background_key)` of the next step."""
    return tuple(np.asarray(jax.random.split(jnp.asarray(filter_key), 4)))


def advance_frame(index: int, timer, fps: float, frames: int) -> tuple[int, np.float32]:
    """Animation clock of one sprite, advanced by one step."""
    timer, period = f32(timer) + STEP_SECONDS, f32(1 / fps)
    if timer >= period:
        return (index + 1) % frames, timer - period
    return index, timer


def animate_agent(index: int, timer, vx, frames: int, config) -> tuple[int, np.float32]:
    """The agent's frame: it walks while abs(vx) > 0.1 and stands otherwise."""
    if not config["character.enable_animation"] or not abs(vx) > f32(0.1):
        return config["character.idle_sprite_idx"], f32(0)
    return advance_frame(index, timer, config["character.animation_fps"], frames)


def turn(angle, config) -> np.float32:
    """Angle of the agent's shape, degrees in [0, 360)."""
    if config["character.use_shape"] and config["character.shape_rotate"]:
        return np.mod(f32(angle) + f32(config["character.shape_rotation_speed"]), f32(360))
    return f32(angle)


def animate_all(indices, timers, fps: float, frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Frames and clocks of a group of NPCs; `frames` is the largest frame count over the loaded sets."""
    pairs = [advance_frame(int(i), t, fps, frames) for i, t in zip(indices, timers, strict=True)]
    return np.array([i for i, _ in pairs], np.int32), np.array([t for _, t in pairs], np.float32)


def sticky_rolls(sticky_key, count: int) -> np.ndarray:
    """The uniform numbers, f32 [count], that decide who hops this step."""
    _, subkey = jax.random.split(jnp.asarray(sticky_key))
    return np.asarray(jax.random.uniform(subkey, (count,), jnp.float32))


def hop(y, vy, on_ground, home, rolls, config) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`(y, vy, on_ground)` of sticky NPCs after a step; y is cut towards zero to whole pixels."""
    chance = f32(config["npc.sticky_jump_probability"])
    gravity, impulse = f32(config["physics.gravity"]), f32(config["physics.jump_velocity"])
    ys, vys, rests = [], [], []
    for i in range(len(y)):
        leaps = config["npc.sticky_can_jump"] and rolls[i] < chance and on_ground[i]
        speed = (impulse if leaps else f32(vy[i])) + gravity
        row = f32(y[i]) + speed
        lands = bool(row >= home[i])
        ys.append(home[i] if lands else int(np.trunc(row)))
        vys.append(f32(0) if lands else speed)
        rests.append(lands)
    return np.array(ys, np.int32), np.array(vys, np.float32), np.array(rests, bool)


def drift(position, velocity, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Distractors along one axis of a screen `size` pixels long: move, then turn back for the next step at a border."""
    position, velocity = position.astype(np.float32) + velocity, velocity.astype(np.float32)
    far = f32(size) - DISTRACTOR_BORDER
    outside = (position <= DISTRACTOR_BORDER) | (position >= far)
    return np.clip(position, DISTRACTOR_BORDER, far), np.where(outside, -velocity, velocity)


def spin(angle, speed) -> np.ndarray:
    """Distractor angles, modulo 360 (the renderer reads them as radians)."""
    return np.mod(angle.astype(np.float32) + speed, f32(360))


def step(state: dict, vx, config, agent_frames: int, npc_frames: int, sticky_frames: int) -> dict:
    """Render state after one step. `vx` is the agent's velocity after collision; frame counts are 0 where nothing is loaded.

    The background of the episode is not touched: see `kage_reset.background` for a switch.
    """
    filter_key, sticky_key, _, _ = step_keys(state["filter_key"])
    after = {**state, "filter_key": filter_key, "shape_angle": turn(state["shape_angle"], config)}
    after["sprite_idx"], after["animation_timer"] = animate_agent(
        state["sprite_idx"], state["animation_timer"], vx, max(agent_frames, 1), config
    )
    fps = config["npc.animation_fps"]
    if config["npc.enabled"] and npc_frames:
        after["npc_sprite_indices"], after["npc_animation_timers"] = animate_all(
            state["npc_sprite_indices"], state["npc_animation_timers"], fps, npc_frames
        )
    if config["npc.sticky_enabled"] and sticky_frames:
        rolls = sticky_rolls(sticky_key, len(state["sticky_y"]))
        after["sticky_y"], after["sticky_vy"], after["sticky_on_ground"] = hop(
            state["sticky_y"], state["sticky_vy"], state["sticky_on_ground"], state["sticky_home_y"], rolls, config
        )
        after["sticky_sprite_indices"], after["sticky_animation_timers"] = animate_all(
            state["sticky_sprite_indices"], state["sticky_animation_timers"], fps, sticky_frames
        )
    if config["distractors.enabled"]:
        after["dist_x"], after["dist_vx"] = drift(state["dist_x"], state["dist_vx"], config["W"])
        after["dist_y"], after["dist_vy"] = drift(state["dist_y"], state["dist_vy"], config["H"])
        after["dist_angles"] = spin(state["dist_angles"], state["dist_rot_speeds"])
    return after
