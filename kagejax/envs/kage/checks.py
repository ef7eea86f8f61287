"""Rules between the keys of a kage configuration. Values come flat, by dotted path."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Complaint = tuple[tuple[str, ...], str]
Flat = Mapping[str, Any]

SOURCES = (
    ("background.image_dir", "background.image_paths", "background.image_path"),
    ("character.sprite_dir", "character.sprite_paths", "character.sprite_path"),
    ("npc.sprite_dir", "npc.sprite_paths", "npc.sprite_path"),
    ("npc.sticky_sprite_dir", "npc.sticky_sprite_dirs", "npc.sticky_sprite_path"),
)
"""Ways to say where pictures or skins come from; of each group at most one is given."""

LOOKS = ("character.use_sprites", "character.use_shape")

ORDERED = (
    ("npc.min_npc_count", "npc.max_npc_count"),
    ("npc.min_sticky_count", "npc.max_sticky_count"),
    ("npc.sticky_y_min_offset", "npc.sticky_y_max_offset"),
    ("npc.sticky_x_min", "npc.sticky_x_max"),
    ("distractors.min_rotation_speed", "distractors.max_rotation_speed"),
    ("distractors.min_size", "distractors.max_size"),
    ("layout.min_step_height", "layout.max_step_height"),
    ("layout.min_height", "layout.max_height"),
)
"""Pairs of paths of which the first may not exceed the second."""

COUNTS = (("npc.enabled", "npc.max_npc_count"), ("npc.sticky_enabled", "npc.max_sticky_count"))


def absent_layout(given: Flat, sections: Iterable[str]) -> dict[str, Any]:
    """Size of the world that a published file without any layout section means: 16 screens wide, one high."""
    if "layout" in sections:
        return {}
    width, height = given.get("W", 128), given.get("H", 128)
    size = {"layout.length": 16 * width if isinstance(width, int) else 2048, "layout.height_px": height}
    return {path: value for path, value in size.items() if path not in given}


def neither_look(given: Flat, published: bool) -> list[Complaint]:
    """Published files may not switch both looks off by name; in ours that asks for the plain box."""
    if published and all(given.get(path) is False for path in LOOKS):
        return [(LOOKS, "Exactly one of these must be true when both are given.")]
    return []


def complaints(flat: Flat) -> list[Complaint]:
    """What does not fit together in a whole configuration."""
    return [*_order(flat), *_counts(flat), *_missing_sources(flat), *_sizes(flat)]


def _order(flat: Flat) -> Iterator[Complaint]:
    for low, high in ORDERED:
        if flat[low] is not None and flat[high] is not None and flat[low] > flat[high]:
            yield (low, high), f"The minimum, {flat[low]}, is above the maximum, {flat[high]}; swap or change them."


def _counts(flat: Flat) -> Iterator[Complaint]:
    for switch, count in COUNTS:
        if flat[switch] and flat[count] == 0:
            yield (count, switch), f"A count of 0 leaves nothing to draw; set {switch}: false, or a count of 1 or more."


def _missing_sources(flat: Flat) -> Iterator[Complaint]:
    pictures, _, _, sticky = SOURCES
    if flat["background.mode"] == "image" and not any(flat[path] for path in pictures):
        yield ("background.mode", *pictures), f"Mode image needs a source of pictures; give one of {', '.join(pictures)}."
    if flat["npc.sticky_enabled"] and not any(flat[path] for path in sticky):
        yield ("npc.sticky_enabled", *sticky), f"Sticky figures need a source of skins; give one of {', '.join(sticky)}."


def _sizes(flat: Flat) -> Iterator[Complaint]:
    screen, world = flat["W"], flat["layout.length"]
    if screen > world:
        message = f"The picture, {screen} px wide, is wider than the world, {world} px; narrow W or lengthen the world."
        yield ("W", "layout.length"), message
    for body, world in (("character.width", "layout.length"), ("character.height", "layout.height_px")):
        covered = 2 * (flat[body] // 2) + 1
        if covered > flat[world]:
            yield (body, world), f"The body covers {covered} px, more than the {flat[world]} px of the world; make it smaller."


def inert(flat: Flat) -> frozenset[str]:
    """Paths that change nothing, given the values of the others."""
    return frozenset(path for path in flat if not _active(path, flat))


def _active(path: str, flat: Flat) -> bool:
    section, _, key = path.rpartition(".")
    test = {"background": _background, "character": _character, "npc": _npc, "distractors": _distractors, "effects": _effects}
    return test[section](key, flat) if section in test else _others(path, flat)


def _background(key: str, flat: Flat) -> bool:
    mode = flat["background.mode"]
    if key == "mode":
        return True
    if key == "switch_frequency":
        return mode != "black"
    return mode == ("color" if key == "color_names" else "image")


def _character(key: str, flat: Flat) -> bool:
    sprites, shape = flat["character.use_sprites"], flat["character.use_shape"]
    if key in ("width", "height", "use_sprites", "use_shape"):
        return True
    if key == "fallback_color":
        return not sprites and not shape
    if key.startswith("shape"):
        return shape and (key != "shape_rotation_speed" or flat["character.shape_rotate"])
    return sprites and (key != "animation_fps" or flat["character.enable_animation"])


def _npc(key: str, flat: Flat) -> bool:
    standing, sticky = flat["npc.enabled"], flat["npc.sticky_enabled"]
    if key in ("enabled", "sticky_enabled"):
        return True
    if key in ("spawn_y_offset", "animation_fps"):
        return standing or sticky
    if "sticky" not in key:
        return standing
    if key == "sticky_jump_probability":
        return sticky and flat["npc.sticky_can_jump"]
    if key == "sticky_y_max_offset":
        return sticky and flat["npc.sticky_y_randomize"]
    return sticky and (key not in ("sticky_x_min", "sticky_x_max") or not flat["npc.sticky_x_offsets"])


def _distractors(key: str, flat: Flat) -> bool:
    if key == "enabled":
        return True
    if key == "max_speed":
        return flat["distractors.enabled"] and flat["distractors.can_move"]
    if key.endswith("rotation_speed"):
        return flat["distractors.enabled"] and flat["distractors.can_rotate"]
    return flat["distractors.enabled"]


def _effects(key: str, flat: Flat) -> bool:
    return key == "point_light_enabled" or flat["effects.point_light_enabled"]


def _others(path: str, flat: Flat) -> bool:
    if path == "filters.radial_light_color":
        return flat["filters.radial_light_strength"] > 0
    return path != "layout.random_color" or len(flat["layout.layout_colors"]) > 1
