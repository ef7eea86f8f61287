"""Random looks and random states of kage, for tests that compare pictures with the oracle's."""

from typing import Any

import numpy as np

from tests.oracles import kage_config, kage_golden, kage_palette, kage_shapes

HEIGHT, WIDTH, WORLD = 48, 64, 300
SKIN_SETS = (["sprite_a"], ["sprite_a", "sprite_b"], ["sprite_c", "sprite_b"], ["sprite_c", "sprite_a", "sprite_b"])
BODIES = ((16, 24), (9, 13), (30, 11))
Flat = dict[str, Any]


def look(**changes: Any) -> Flat:
    """The oracle's flat configuration of a small screen with nothing but ground and agent on it; keys with _ for the dot."""
    base = kage_config.flat(kage_golden.base_tree())
    small = {"H": HEIGHT, "W": WIDTH, "layout.length": WORLD, "layout.base_ground_y": 40, "layout.height_px": 64}
    margins = {"camera.left_margin": 20, "camera.right_margin": 20}
    return {**base, **small, **margins, **{key.replace("__", "."): value for key, value in changes.items()}}


def backdrop(random: np.random.Generator) -> Flat:
    """Black, one of the colours, or the golden picture with any scroll."""
    mode = str(random.choice(["black", "color", "image", "image"]))
    chosen: Flat = {"background.mode": mode}
    if mode == "color":
        chosen["background.color_names"] = names(random, kage_palette.BACKGROUND)
    if mode == "image":
        chosen |= {
            "background.image_dir": None,
            "background.image_path": kage_golden.STRIP,
            "background.parallax_factor": float(random.choice([0.0, 0.3, 0.5, 1.0, 1.7, -0.4])),
            "background.tile_horizontal": bool(random.random() < 0.5),
        }
    return chosen


def names(random: np.random.Generator, table, most: int = 3) -> list[str]:
    """Up to `most` keys of a table, repeats allowed."""
    return [str(name) for name in random.choice(list(table), random.integers(1, most + 1))]


def ground(random: np.random.Generator) -> Flat:
    """Any colour and thickness of ground, any length of its runs."""
    return {
        "layout.layout_colors": names(random, kage_palette.BACKGROUND),
        "layout.ground_thickness": int(random.integers(1, 8)),
        "layout.run_width": int(random.integers(7, 40)),
    }


def body(random: np.random.Generator) -> Flat:
    """One of three sizes of agent."""
    width, height = BODIES[random.integers(len(BODIES))]
    return {"character.width": width, "character.height": height}


def skinned(random: np.random.Generator) -> Flat:
    """A scene of sprites: a skinned agent, NPCs in the world and at the agent's side."""
    chosen = look() | backdrop(random) | ground(random) | body(random)
    if random.random() < 0.8:
        skins = SKIN_SETS[random.integers(len(SKIN_SETS))]
        chosen |= {"character.use_shape": False, "character.use_sprites": True, "character.sprite_paths": skins}
        chosen["character.sprite_dir"] = None
    else:
        chosen |= {"character.use_shape": False, "character.use_sprites": False}
        chosen["character.fallback_color"] = [int(level) for level in random.integers(0, 256, 3)]
    if random.random() < 0.7:
        chosen |= {"npc.enabled": True, "npc.sprite_dir": None, "npc.sprite_paths": SKIN_SETS[random.integers(len(SKIN_SETS))]}
        chosen |= {"npc.min_npc_count": 1, "npc.max_npc_count": int(random.integers(1, 9))}
    if random.random() < 0.7:
        chosen |= {"npc.sticky_enabled": True, "npc.sticky_sprite_dir": None}
        chosen["npc.sticky_sprite_dirs"] = SKIN_SETS[random.integers(len(SKIN_SETS))]
        chosen |= {"npc.min_sticky_count": 0, "npc.max_sticky_count": int(random.integers(1, 6))}
    return chosen


def shaped(random: np.random.Generator, turning: bool) -> Flat:
    """A scene of shapes: the agent, upright or turning, and up to nine distractors."""
    chosen = look() | backdrop(random) | ground(random) | body(random)
    chosen |= {
        "character.shape_types": names(random, kage_shapes.SHAPES, 5),
        "character.shape_colors": names(random, kage_palette.SHAPE, 5),
        "character.shape_rotate": turning,
        "distractors.enabled": bool(random.random() < 0.8),
        "distractors.count": int(random.integers(1, 10)),
        "distractors.shape_types": names(random, kage_shapes.SHAPES, 9),
        "distractors.shape_colors": names(random, kage_palette.SHAPE, 9),
        "distractors.min_size": 1,
        "distractors.max_size": 40,
    }
    return chosen


def filtered(random: np.random.Generator) -> Flat:
    """A picture behind everything, and a few filters and lights over it."""
    chosen = look() | ground(random)
    chosen |= {"background.mode": "image", "background.image_dir": None, "background.image_path": kage_golden.STRIP}
    strengths = {
        "brightness": random.uniform(-1, 1),
        "contrast": random.uniform(0.1, 3),
        "gamma": random.uniform(0.5, 2),
        "saturation": random.uniform(0, 2),
        "hue_shift": random.uniform(-180, 180),
        "color_temp": random.uniform(-1, 1),
        "blur_sigma": random.uniform(0, 4),
        "sharpen_amount": random.uniform(0, 2),
        "pixelate_factor": random.integers(2, 10),
        "vignette_strength": random.uniform(0, 2),
        "radial_light_strength": random.uniform(0, 1),
    }
    used = random.choice(list(strengths), random.integers(0, 5), replace=False)
    for name in used:
        value = strengths[str(name)]
        chosen[f"filters.{name}"] = int(value) if name == "pixelate_factor" else round(float(value), 3)
    chosen["filters.radial_light_color"] = [int(level) for level in random.integers(0, 256, 3)]
    if random.random() < 0.3:
        chosen["filters.pop_filter"] = str(random.choice(["vintage", "retro", "cyberpunk", "horror", "noir"]))
    if random.random() < 0.5:
        chosen |= {
            "effects.point_light_enabled": True,
            "effects.point_light_intensity": round(float(random.uniform(0.1, 3)), 3),
            "effects.point_light_radius": round(float(random.uniform(0.02, 0.6)), 3),
            "effects.point_light_falloff": float(random.choice([1.0, 2.0, 2.5, 4.0])),
            "effects.point_light_count": int(random.integers(1, 6)),
            "effects.point_light_color_names": names(random, kage_palette.LIGHT, 6),
        }
    return chosen


def listed_presets(random: np.random.Generator) -> Flat:
    """A preset drawn from a list, with nothing after it that would magnify a rounding."""
    presets = names(random, ["vintage", "retro", "cyberpunk", "horror", "noir", "none"], 6)
    chosen = look() | ground(random) | {"filters.pop_filter_list": presets}
    return chosen | {"background.mode": "image", "background.image_dir": None, "background.image_path": kage_golden.STRIP}


def state(random: np.random.Generator, config: Flat) -> tuple[dict, np.ndarray]:
    """A state in the specification's names, anywhere on and around the screen, and its surface i32 [W_w]."""
    runs = -(-WORLD // config["layout.run_width"])
    top = np.repeat(random.integers(-4, HEIGHT + 6, runs), config["layout.run_width"])[:WORLD].astype(np.int32)
    camera = int(random.integers(0, WORLD - WIDTH + 1))
    colors = len(config["background.color_names"]) if config["background.mode"] == "color" else 1
    x, y = camera + random.integers(-20, WIDTH + 20), random.integers(-15, HEIGHT + 15)
    fields = {
        **{"x": np.float32(x), "y": np.float32(y), "vx": np.float32(0), "vy": np.float32(0)},
        **{"grounded": False, "coyote_timer": 0, "camera_x": np.float32(camera)},
        "filter_key": random.integers(0, 2**32, 2, dtype=np.uint32),
        "selected_filter_idx": int(random.integers(0, max(len(config["filters.pop_filter_list"]), 1))),
        "light_positions": random.uniform(0.15, 0.85, (5, 2)).astype(np.float32),
        "background": int(random.integers(colors)),
        "sprite_idx": int(random.integers(0, 3)),
        "animation_timer": np.float32(0),
        "shape_angle": np.float32(random.choice([0.0, random.integers(0, 360), random.uniform(0, 360)])),
        "char_skin_idx": int(random.integers(0, max(len(config["character.sprite_paths"] or ()), 1))),
        "shape_type_idx": int(random.integers(len(config["character.shape_types"]))),
        "shape_color_idx": int(random.integers(len(config["character.shape_colors"]))),
    }
    if not config["character.shape_rotate"]:
        fields["shape_angle"] = np.float32(0)
    return fields | _npcs(random, config, camera) | _sticky(random, config) | _distractors(random, config), top


def _npcs(random: np.random.Generator, config: Flat, camera: int) -> dict:
    slots = config["npc.max_npc_count"]
    used = (random.random(slots) < 0.9) & config["npc.enabled"]
    x = np.maximum(camera + random.integers(-25, WIDTH + 25, slots), 1) * used
    return {
        "npc_x": x.astype(np.int32),
        "npc_y": random.integers(-20, HEIGHT + 20, slots).astype(np.int32),
        "npc_types": random.integers(0, max(len(config["npc.sprite_paths"]), 1), slots).astype(np.int32),
        "npc_sprite_indices": np.full(slots, 1, np.int32),
        "npc_animation_timers": np.zeros(slots, np.float32),
    }


def _sticky(random: np.random.Generator, config: Flat) -> dict:
    slots = config["npc.max_sticky_count"]
    y = random.integers(-20, HEIGHT + 20, slots).astype(np.int32)
    return {
        "sticky_x_offsets": random.integers(-60, 61, slots).astype(np.int32),
        **{"sticky_y": y, "sticky_home_y": y},
        "sticky_types": random.integers(0, max(len(config["npc.sticky_sprite_dirs"]), 1), slots).astype(np.int32),
        **{"sticky_vy": np.zeros(slots, np.float32), "sticky_on_ground": np.ones(slots, bool)},
        "sticky_sprite_indices": np.full(slots, 1, np.int32),
        "sticky_animation_timers": np.zeros(slots, np.float32),
        "actual_sticky_count": int(random.integers(0, slots + 1)) if config["npc.sticky_enabled"] else 0,
    }


def _distractors(random: np.random.Generator, config: Flat) -> dict:
    count = config["distractors.count"]

    def places(size):
        return np.round(random.uniform(-20, size + 20, count) * 2).astype(np.float32) / 2

    angles = np.where(random.random(count) < 0.3, 0, random.uniform(0, 360, count))
    zeros = np.zeros(count, np.float32)
    return {
        **{"dist_x": places(WIDTH), "dist_y": places(HEIGHT), "dist_vx": zeros, "dist_vy": zeros},
        **{"dist_angles": angles.astype(np.float32), "dist_rot_speeds": zeros},
        "dist_shape_indices": random.integers(0, len(config["distractors.shape_types"]), count).astype(np.int32),
        "dist_color_indices": random.integers(0, len(config["distractors.shape_colors"]), count).astype(np.int32),
        "dist_sizes": random.integers(1, 41, count).astype(np.int32),
    }
