"""A kage configuration as the oracle reads it: one flat dict of dotted keys, every key present."""

from typing import Any

ALIASES = {"move_speed": "max_speed_x", "jump_force": "jump_velocity", "max_fall_speed": "terminal_velocity"}

OUTSIDE_THE_DEFAULT_FILE = {
    "background.image_paths": [],
    "background.image_path": None,
    "character.sprite_paths": None,
    "character.sprite_path": None,
    "character.fallback_color": [255, 0, 0],
    "character.use_sprites": False,
    "character.use_shape": False,
    "npc.sprite_paths": [],
    "npc.sprite_path": None,
    "npc.sticky_sprite_dirs": [],
    "npc.sticky_sprite_path": None,
    "npc.sticky_y_randomize": True,
    "filters.radial_light_color": [255, 255, 200],
    "filters.pop_filter": None,
    "layout.min_height": 0,
    "layout.max_height": 20,
    "physics.coyote_time": 3,
    "physics.ground_accel": 1.0,
    "physics.air_accel": 0.4,
    "physics.ground_snap_dist": 2,
    "camera.left_margin": 40,
    "camera.right_margin": 40,
}
"""Keys that the default YAML leaves out, with the value of a missing key."""

LISTS = (
    "background.color_names",
    "character.shape_types",
    "character.shape_colors",
    "distractors.shape_types",
    "distractors.shape_colors",
    "layout.layout_colors",
)


def flat(tree: dict[str, Any]) -> dict[str, Any]:
    """Dotted keys from nested sections, aliases of `physics` resolved, absent keys filled in, single names made lists."""
    config = dict(OUTSIDE_THE_DEFAULT_FILE)
    for name, value in tree.items():
        if isinstance(value, dict):
            config.update({f"{name}.{key}": entry for key, entry in value.items()})
        else:
            config[name] = value
    for alias, key in ALIASES.items():
        value = config.pop(f"physics.{alias}", None)
        if value is not None:
            config.setdefault(f"physics.{key}", value)
    for key in LISTS:
        if isinstance(config.get(key), str):
            config[key] = [config[key]]
    return config
