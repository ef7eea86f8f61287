"""Oracle of kage dynamics: one agent, one step, plain Python on float32 scalars and an explicit mask of solid pixels."""

import numpy as np

LEFT, RIGHT, JUMP = 1, 2, 4
f32 = np.float32


def fresh(x: int, y: int, config) -> dict:
    """Control state at the start of an episode with the agent at world pixel (x, y)."""
    zero = f32(0)
    return {
        "x": f32(x),
        "y": f32(y),
        "vx": zero,
        "vy": zero,
        "grounded": False,
        "coyote_timer": 0,
        "camera_x": f32(min(max(x - config["W"] // 2, 0), config["layout.length"] - config["W"])),
        "t": 0,
        "x_max": f32(x),
        "initial_x": f32(x),
        "episode_return": zero,
        "jump_count": 0,
        "success_once": False,
        "vx_mean": zero,
        "vy_mean": zero,
    }


def any_solid(mask: np.ndarray, top: int, bottom: int, left: int, right: int) -> bool:
    """Whether a solid pixel lies in the rectangle, ends included; coordinates outside the world mean its nearest pixel."""
    height, width = mask.shape
    rows = slice(min(max(top, 0), height - 1), min(max(bottom, 0), height - 1) + 1)
    columns = slice(min(max(left, 0), width - 1), min(max(right, 0), width - 1) + 1)
    return bool(mask[rows, columns].any())


def box_hits(mask: np.ndarray, x: int, y: int, half_width: int, half_height: int) -> bool:
    """Whether the agent's box, centred on (x, y), overlaps a solid pixel."""
    return any_solid(mask, y - half_height, y + half_height, x - half_width, x + half_width)


def rounded(value) -> int:
    """Half to even."""
    return int(np.rint(value))


def clipped(value, low, high):
    """`value` in [low, high], f32."""
    return f32(min(max(f32(value), f32(low)), f32(high)))


def accelerate(state: dict, action: int, config, mask: np.ndarray) -> dict:
    """Velocity after input, friction, jump and gravity, and the place it would lead to in free space."""
    half_width, half_height = config["character.width"] // 2, config["character.height"] // 2
    x, y = rounded(state["x"]), rounded(state["y"])
    direction = f32(bool(action & RIGHT)) - f32(bool(action & LEFT))

    below = y + half_height
    snap = config["physics.ground_snap_dist"]
    contact = snap > 0 and any_solid(mask, below + 1, below + snap, x - half_width, x + half_width)
    grounded = contact and state["vy"] >= 0
    coyote_time = config["physics.coyote_time"]
    coyote = 0 if grounded else min(state["coyote_timer"] + 1, coyote_time + 1)
    vy = state["vy"]
    if action & JUMP and coyote <= coyote_time:
        vy, grounded, coyote = f32(config["physics.jump_velocity"]), False, coyote_time + 1

    damping = f32(config["physics.ground_friction" if grounded else "physics.air_resistance"])
    gain = f32(config["physics.ground_accel" if grounded else "physics.air_accel"])
    limit = f32(config["physics.max_speed_x"])
    vx = clipped(state["vx"] * damping + gain * direction, -limit, limit)
    vy = clipped(vy + f32(config["physics.gravity"]), -100, config["physics.terminal_velocity"])
    height, width = mask.shape
    return {
        "vx": vx,
        "vy": vy,
        "x": clipped(state["x"] + vx, half_width, width - 1 - half_width),
        "y": clipped(state["y"] + vy, half_height, height - 1 - half_height),
        "grounded": grounded,
        "coyote_timer": coyote,
    }


def collide(before: dict, wanted: dict, config, mask: np.ndarray) -> dict:
    """The move with both axes backed out of solid ground pixel by pixel: x first, at the old row, then y."""
    half_width, half_height = config["character.width"] // 2, config["character.height"] // 2

    def back_out(start: int, end: int, hits) -> int:
        while start != end and hits(start):
            start += 1 if end > start else -1
        return start

    old_x, old_y = rounded(before["x"]), rounded(before["y"])
    new_x, new_y = rounded(wanted["x"]), rounded(wanted["y"])
    x = back_out(new_x, old_x, lambda x: box_hits(mask, x, old_y, half_width, half_height))
    y = back_out(new_y, old_y, lambda y: box_hits(mask, x, y, half_width, half_height))
    return {
        **wanted,
        "x": f32(x),
        "y": f32(y),
        "vx": wanted["vx"] if x == new_x else f32(0),
        "vy": wanted["vy"] if y == new_y else f32(0),
    }


def camera(camera_x, x, config) -> np.float32:
    """Dead-zone scroll: the camera moves only as far as it must to keep the agent between the margins."""
    screen_x = f32(x) - f32(camera_x)
    left, right = f32(config["camera.left_margin"]), f32(config["W"] - config["camera.right_margin"])
    if left - screen_x > 0:
        camera_x = camera_x - (left - screen_x)
    elif screen_x - right > 0:
        camera_x = camera_x + (screen_x - right)
    return clipped(camera_x, 0, config["layout.length"] - config["W"])


def reward(before: dict, after_x, action: int, config) -> np.float32:
    """New ground gained, less the costs of a jump press, of time and of standing still; float32, in that order."""
    gained = max(f32(0), after_x - before["x_max"])
    total = f32(config["forward_reward_scale"]) * gained
    total = total - f32(config["jump_penalty"]) * f32(bool(action & JUMP))
    total = total - f32(config["timestep_penalty"])
    return total - f32(config["idle_penalty"]) * f32(after_x == before["x"])


def step(state: dict, action: int, config, mask: np.ndarray) -> tuple[dict, np.float32, bool, dict]:
    """`(state, reward, truncated, metrics)` of one step; termination never happens."""
    moved = collide(state, accelerate(state, action, config, mask), config, mask)
    t = state["t"] + 1
    gain = reward(state, moved["x"], action, config)
    distance = moved["x"] - state["initial_x"]
    goal = f32(config["dist_to_success"])
    success = bool(distance >= goal)

    def mean(old, value):
        return (old * f32(t - 1) + value) / f32(t)

    after = {
        **state,
        **moved,
        "camera_x": camera(state["camera_x"], moved["x"], config),
        "t": t,
        "x_max": max(state["x_max"], moved["x"]),
        "episode_return": state["episode_return"] + gain,
        "jump_count": state["jump_count"] + bool(action & JUMP),
        "success_once": state["success_once"] or success,
        "vx_mean": mean(state["vx_mean"], moved["vx"]),
        "vy_mean": mean(state["vy_mean"], moved["vy"]),
    }
    metrics = {
        "return": after["episode_return"],
        "timestep": t,
        "passed_distance": distance,
        "progress": distance / goal if goal > 0 else f32(0),
        "success": success,
        **{name: after[name] for name in ("x", "y", "vx", "vy", "jump_count", "success_once", "vx_mean", "vy_mean")},
    }
    return after, gain, t >= config["episode_length"], metrics
