"""Oracle of kage frames: one layer over another on a u8 picture, then filters and lights."""

import numpy as np

from . import kage_filters, kage_palette, kage_shapes
from .kage_dynamics import rounded

f32 = np.float32


def background(state: dict, config, images) -> np.ndarray:
    """u8 [H, W, 3]. `state["background"]` is what `kage_reset.background` gives; `images` are u8 [H, W_i, 3]."""
    height, width = config["H"], config["W"]
    frame = np.zeros((height, width, 3), np.uint8)
    mode = config["background.mode"]
    if mode == "color":
        frame[:] = kage_palette.BACKGROUND[config["background.color_names"][state["background"]]]
    elif mode == "noise":
        frame[:] = state["background"]
    elif mode == "image":
        image = images[state["background"]]
        shift = rounded(f32(state["camera_x"]) * f32(config["background.parallax_factor"]))
        columns = np.arange(width) + shift
        last = image.shape[1] - 1
        columns = columns % image.shape[1] if config["background.tile_horizontal"] else np.clip(columns, 0, last)
        frame[:] = image[np.clip(np.arange(height), 0, image.shape[0] - 1)][:, columns]
    return frame


def draw_distractors(frame: np.ndarray, state: dict, config) -> None:
    """Shapes that drift over the screen, in index order."""
    for i in range(len(state["dist_x"])):
        shape = config["distractors.shape_types"][state["dist_shape_indices"][i]]
        color = kage_palette.SHAPE[config["distractors.shape_colors"][state["dist_color_indices"][i]]]
        centre = rounded(state["dist_x"][i]), rounded(state["dist_y"][i])
        size, angle = state["dist_sizes"][i], state["dist_angles"][i]
        frame[kage_shapes.distractor(shape, *frame.shape[:2], centre, size, angle)] = color


def draw_ground(frame: np.ndarray, state: dict, config, mask: np.ndarray) -> None:
    """Solid pixels under the camera, in the colour of the layout."""
    columns = np.clip(np.arange(frame.shape[1]) + rounded(state["camera_x"]), 0, mask.shape[1] - 1)
    rows = min(frame.shape[0], mask.shape[0])
    frame[:rows][mask[:rows, columns]] = kage_palette.ground(config["layout.layout_colors"])


def blend(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """RGBA pixels [..., 4] over RGB ones [..., 3], cut to u8.

    Compiled code multiplies by 1/255 and fuses the first product with the sum. This matters where the result is an integer on
    paper, so it is done here too (float64 holds the product of two f32 exactly).
    """
    alpha = above[..., 3:].astype(np.float32) * f32(1 / 255)
    rest = (f32(1) - alpha) * below.astype(np.float32)
    return (alpha.astype(np.float64) * above[..., :3] + rest).astype(np.float32).astype(np.uint8)


def blit(frame: np.ndarray, sprite: np.ndarray, x: int, y: int, half_height: int) -> None:
    """A sprite u8 [h, w, 4] over the frame: centred on column x, its feet on the last row of the agent's box around y."""
    (height, width), (h, w) = frame.shape[:2], sprite.shape[:2]
    left, top = x - w // 2, y + half_height - h
    rows = slice(max(top, 0), max(min(top + h, height), 0))
    columns = slice(max(left, 0), max(min(left + w, width), 0))
    piece = sprite[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
    if rows.start < rows.stop and columns.start < columns.stop:
        frame[rows, columns] = blend(piece, frame[rows, columns])


def draw_npcs(frame: np.ndarray, state: dict, config, skins) -> None:
    """NPCs that stand in the world."""
    for i in range(len(state["npc_x"])):
        frames = skins[state["npc_types"][i]]
        x = int(state["npc_x"][i]) - rounded(state["camera_x"])
        if state["npc_x"][i] > 0 and -config["character.width"] <= x < frame.shape[1] + config["character.width"]:
            sprite = frames[min(state["npc_sprite_indices"][i], len(frames) - 1)]
            blit(frame, sprite, x, int(state["npc_y"][i]), config["character.height"] // 2)


def draw_sticky(frame: np.ndarray, state: dict, config, skins) -> None:
    """NPCs that keep their distance from the agent on the screen."""
    agent = rounded(f32(state["x"]) - f32(state["camera_x"]))
    for i in range(state["actual_sticky_count"]):
        frames = skins[state["sticky_types"][i]]
        sprite = frames[min(state["sticky_sprite_indices"][i], len(frames) - 1)]
        x = agent + int(state["sticky_x_offsets"][i])
        blit(frame, sprite, x, int(state["sticky_y"][i]), config["character.height"] // 2)


def draw_agent(frame: np.ndarray, state: dict, config, skins) -> None:
    """The agent as a sprite, a shape, or a plain rectangle where neither is asked for."""
    height, width = frame.shape[:2]
    half_width, half_height = config["character.width"] // 2, config["character.height"] // 2
    x, y = rounded(f32(state["x"]) - f32(state["camera_x"])), rounded(f32(state["y"]) + f32(1))
    if config["character.use_sprites"]:
        if skins:
            frames = skins[state["char_skin_idx"]]
            blit(frame, frames[min(state["sprite_idx"], len(frames) - 1)], x, y, half_height)
    elif config["character.use_shape"]:
        shape = config["character.shape_types"][state["shape_type_idx"]]
        color = kage_palette.SHAPE[config["character.shape_colors"][state["shape_color_idx"]]]
        size = min(config["character.width"], config["character.height"])
        radii = config["character.width"] / 2, config["character.height"] / 2
        angle = f32(state["shape_angle"]) * f32(np.pi / 180)
        frame[kage_shapes.painted(shape, height, width, (x, y), size, angle, radii, size / 2)] = color
    else:
        rows, columns = np.mgrid[:height, :width]
        box = (abs(rows - y) <= half_height) & (abs(columns - x) <= half_width)
        frame[box] = config["character.fallback_color"]


def scene(state: dict, config, mask: np.ndarray, images=(), skins=(), npc_skins=(), sticky_skins=()) -> np.ndarray:
    """The picture before filters and lights, u8 [H, W, 3]. Skins are tuples of u8 [h, w, 4] frames."""
    frame = background(state, config, images)
    if config["distractors.enabled"]:
        draw_distractors(frame, state, config)
    draw_ground(frame, state, config, mask)
    if config["npc.enabled"] and npc_skins:
        draw_npcs(frame, state, config, npc_skins)
    if config["npc.sticky_enabled"] and sticky_skins:
        draw_sticky(frame, state, config, sticky_skins)
    draw_agent(frame, state, config, skins)
    return frame


def render(state: dict, config, mask: np.ndarray, noise=None, **assets) -> np.ndarray:
    """The finished frame, u8 [H, W, 3]. `noise` as in `kage_filters.apply`; `assets` as in `scene`."""
    frame = kage_filters.apply(scene(state, config, mask, **assets), config, state["selected_filter_idx"], noise)
    return kage_filters.apply_lights(frame, config, state["light_positions"])
