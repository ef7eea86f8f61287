"""Oracle of everything drawn at the start of an episode, from one key, in the order that the key tree prescribes."""

import jax
import jax.numpy as jnp
import numpy as np

from . import kage_dynamics, kage_level

LIGHTS = 5


def uniform(key, shape=(), low=0.0, high=1.0) -> np.ndarray:
    """f32 in [low, high)."""
    return np.asarray(jax.random.uniform(key, shape, jnp.float32, low, high))


def integer(key, low: int, high: int, shape=()) -> np.ndarray:
    """i32 in [low, high)."""
    return np.asarray(jax.random.randint(key, shape, low, high, jnp.int32))


class Chain:
    """Subkeys one after another: `key, subkey = split(key)`."""

    def __init__(self, key):
        self.key = jnp.asarray(key)

    def next(self):
        """The next subkey."""
        self.key, subkey = jax.random.split(self.key)
        return subkey


def background(key, config, images: int):
    """What `background_key` chooses: an index (colour or image), a noise picture u8 [H, W, 3], or 0 when there is no choice."""
    mode = config["background.mode"]
    if mode == "color":
        return int(integer(key, 0, len(config["background.color_names"])))
    if mode == "image":
        return int(integer(key, 0, images)) if images > 1 else 0
    if mode == "noise":
        return uniform(key, (config["H"], config["W"], 3), 0.0, 256.0).astype(np.uint8)
    return 0


def lights(key, config) -> dict:
    """Where five lights stand, in fractions of the screen; radii and intensities are drawn and then ignored."""
    chain = Chain(key)
    factor = 0.8, 1.2
    return {
        "light_positions": uniform(chain.next(), (LIGHTS, 2), 0.15, 0.85),
        "light_radii": np.float32(config["effects.point_light_radius"]) * uniform(chain.next(), (LIGHTS,), *factor),
        "light_intensities": np.float32(config["effects.point_light_intensity"]) * uniform(chain.next(), (LIGHTS,), *factor),
    }


def world_npcs(key, config, top: np.ndarray, sets: int) -> dict:
    """Places and kinds of the NPCs that stand in the world; unused slots are zero."""
    slots = config["npc.max_npc_count"]
    chain = Chain(key)
    count = int(integer(chain.next(), config["npc.min_npc_count"], slots + 1))
    chain.next()
    x, y, kind = (np.zeros(slots, np.int32) for _ in range(3))
    for i in range(slots):
        place = int(integer(chain.next(), 200, max(300, len(top) - 200)))
        which = int(integer(chain.next(), 0, sets))
        if i < count:
            x[i], kind[i] = place, which
            row = min(max(place, 0), len(top) - 1)
            y[i] = top[row] - config["character.height"] // 2 - 2 - config["npc.spawn_y_offset"]
    return {
        "npc_x": x,
        "npc_y": y,
        "npc_types": kind,
        "npc_sprite_indices": np.zeros(slots, np.int32),
        "npc_animation_timers": np.zeros(slots, np.float32),
    }


def sticky_npcs(key, config, sets: int) -> dict:
    """Offsets, resting rows and kinds of the NPCs that follow the agent on the screen."""
    slots = config["npc.max_sticky_count"]
    chain = Chain(key)
    count = int(integer(chain.next(), config["npc.min_sticky_count"], slots + 1))

    offset_key = chain.next()
    explicit, low, high = (config[f"npc.sticky_x_{name}"] for name in ("offsets", "min", "max"))
    if explicit:
        offsets = np.array([explicit[i % len(explicit)] for i in range(slots)], np.int32)
    elif low is not None and high is not None:
        offsets = integer(offset_key, low, high + 1, (slots,))
    else:
        offsets = np.floor(np.linspace(-60, 60, slots)).astype(np.int32)

    row_key = chain.next()
    base = config["layout.base_ground_y"] - config["npc.spawn_y_offset"]
    lowest, highest = config["npc.sticky_y_min_offset"], config["npc.sticky_y_max_offset"]
    rise = integer(row_key, lowest, highest + 1, (slots,)) if config["npc.sticky_y_randomize"] else lowest
    rows = np.broadcast_to(base + rise, (slots,)).astype(np.int32)
    return {
        "sticky_x_offsets": offsets,
        "sticky_y": rows,
        "sticky_home_y": rows,
        "sticky_types": integer(chain.next(), 0, sets, (slots,)),
        "sticky_vy": np.zeros(slots, np.float32),
        "sticky_on_ground": np.ones(slots, bool),
        "sticky_sprite_indices": np.zeros(slots, np.int32),
        "sticky_animation_timers": np.zeros(slots, np.float32),
        "actual_sticky_count": count,
    }


def distractors(key, config) -> dict:
    """Places, velocities, angles and looks of the shapes that drift over the screen."""
    shape = (config["distractors.count"],)
    chain = Chain(key)
    zeros = np.zeros(shape, np.float32)
    fastest = config["distractors.max_speed"]
    drawn = {
        "dist_x": uniform(chain.next(), shape, 15.0, config["W"] - 15.0),
        "dist_y": uniform(chain.next(), shape, 15.0, config["H"] - 15.0),
    }
    for axis in ("dist_vx", "dist_vy"):
        drawn[axis] = uniform(chain.next(), shape, -fastest, fastest) if config["distractors.can_move"] else zeros
    drawn["dist_angles"] = uniform(chain.next(), shape, 0.0, 360.0)
    slowest_turn, fastest_turn = config["distractors.min_rotation_speed"], config["distractors.max_rotation_speed"]
    turning = config["distractors.can_rotate"]
    drawn["dist_rot_speeds"] = uniform(chain.next(), shape, slowest_turn, fastest_turn) if turning else zeros
    drawn["dist_shape_indices"] = integer(chain.next(), 0, len(config["distractors.shape_types"]), shape)
    drawn["dist_color_indices"] = integer(chain.next(), 0, len(config["distractors.shape_colors"]), shape)
    drawn["dist_sizes"] = integer(chain.next(), config["distractors.min_size"], config["distractors.max_size"] + 1, shape)
    return drawn


def reset(key, config, images: int = 0, skins: int = 0, npc_sets: int = 0, sticky_sets: int = 0) -> dict:
    """The whole state at the start of an episode, with the field names of the specification. Counts are of loaded assets."""
    key, layout_key, background_key, filter_key, light_key, npc_key, sticky_key, distractor_key = jax.random.split(
        jnp.asarray(key), 8
    )
    top = kage_level.ground_top(layout_key, config)
    mask = kage_level.solid_mask(top, config["layout.ground_thickness"], config["layout.height_px"])
    presets = len(config["filters.pop_filter_list"])
    state = {
        **kage_dynamics.fresh(*kage_level.spawn(mask, top, config), config),
        "layout_ground_top": top,
        "background": background(background_key, config, images),
        "selected_filter_idx": int(integer(filter_key, 0, presets)) if presets else 0,
        "filter_key": np.asarray(filter_key),
        **lights(light_key, config),
        "sprite_idx": config["character.idle_sprite_idx"],
        "animation_timer": np.float32(0),
        "shape_angle": np.float32(0),
        "char_skin_idx": 0,
        "shape_type_idx": 0,
        "shape_color_idx": 0,
    }
    chain = Chain(key)
    if skins > 1:
        state["char_skin_idx"] = int(integer(chain.next(), 0, skins))
    if config["character.use_shape"]:
        look = Chain(chain.key)
        state["shape_type_idx"] = int(integer(look.next(), 0, len(config["character.shape_types"])))
        state["shape_color_idx"] = int(integer(look.next(), 0, len(config["character.shape_colors"])))
    if config["npc.enabled"] and npc_sets:
        state.update(world_npcs(npc_key, config, top, npc_sets))
    if config["npc.sticky_enabled"] and sticky_sets:
        state.update(sticky_npcs(sticky_key, config, sticky_sets))
    if config["distractors.enabled"]:
        state.update(distractors(distractor_key, config))
    return state
