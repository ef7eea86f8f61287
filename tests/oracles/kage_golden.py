"""The golden files of kage, as configurations, states and pictures."""

import functools
import json
import pathlib
from typing import Any, NamedTuple

import numpy as np

from . import kage_config, kage_level

FOLDER = pathlib.Path(__file__).parent.parent / "golden" / "kage"
TRAJECTORIES = ("default", "flat", "stairs", "sticky_npcs")
STOCHASTIC = ("noise_bg", "stoch_color_jitter_std", "stoch_gaussian_noise_std", "stoch_poisson_noise_scale")
PICTURE, STRIP = "<synthetic 128x200>", "<synthetic 48x200>"
IMAGE_SOURCES = {
    "background.image_path": ("background.image_dir",),
    "character.sprite_paths": ("character.sprite_dir",),
    "npc.sprite_paths": ("npc.sprite_dir",),
    "npc.sticky_sprite_dirs": ("npc.sticky_sprite_dir",),
}


class Case(NamedTuple):
    """One golden frame and all that it depends on."""

    tree: dict[str, Any]  # the configuration in nested sections; symbolic asset names kept
    config: dict[str, Any]  # the same, flat and complete
    state: dict[str, Any]  # SPEC's field names, numpy
    ground_top: np.ndarray  # i32 [W_w]
    frame: np.ndarray  # u8 [H, W, 3]

    @property
    def mask(self) -> np.ndarray:
        """Solid pixels, bool [H_w, W_w]."""
        return kage_level.solid_mask(self.ground_top, self.config["layout.ground_thickness"], self.config["layout.height_px"])

    @property
    def assets(self) -> dict[str, Any]:
        """Pictures and skins, as keyword arguments of the oracle's `render`."""
        config = self.config
        return {
            "images": (picture(config["background.image_path"]),) if config["background.image_path"] else (),
            "skins": tuple(skin(name) for name in config["character.sprite_paths"] or ()),
            "npc_skins": tuple(skin(name) for name in config["npc.sprite_paths"]),
            "sticky_skins": tuple(skin(name) for name in config["npc.sticky_sprite_dirs"]),
        }


@functools.cache
def archive(name: str) -> dict[str, np.ndarray]:
    """All arrays of one npz file."""
    with np.load(FOLDER / f"{name}.npz") as data:
        return {key: data[key] for key in data.files}


@functools.cache
def base_tree() -> dict[str, Any]:
    """The configuration that all golden frames share."""
    return json.loads((FOLDER / "base_config.json").read_text())


@functools.cache
def _states() -> dict[str, Any]:
    return json.loads((FOLDER / "render_states.json").read_text())


@functools.cache
def frame_names() -> tuple[str, ...]:
    """Names of the frames without randomness."""
    return tuple(str(name) for name in archive("render_frames")["names"])


def tree_with(overrides: dict[str, Any]) -> dict[str, Any]:
    """The shared configuration with dotted overrides; "<absent>" removes a key, and a source replaces the group's folder."""
    tree = {key: dict(value) if isinstance(value, dict) else value for key, value in base_tree().items()}
    for path, value in overrides.items():
        section, key = path.split(".")
        if value == "<absent>":
            tree[section].pop(key, None)
        else:
            tree[section][key] = value
        for replaced in IMAGE_SOURCES.get(path, ()):
            tree[section].pop(replaced.split(".")[1], None)
    return tree


@functools.cache
def case(name: str) -> Case:
    """A golden frame by name."""
    entry = _states()[name]
    stored = archive("render_stochastic" if name in STOCHASTIC else "render_frames")
    tree = tree_with(entry["overrides"])
    state = {key: _array(key, value) if isinstance(value, list) else value for key, value in entry["state"].items()}
    frame = stored["frames"][list(stored["names"]).index(name)]
    ground_top = archive("render_frames")["levels"][entry["level"]].astype(np.int32)
    return Case(tree, kage_config.flat(tree), {**state, "background": 0}, ground_top, frame)


def _array(field: str, values: list) -> np.ndarray:
    array = np.array(values)
    narrow = {"f": np.float32, "i": np.uint32 if field == "filter_key" else np.int32}
    return array.astype(narrow.get(array.dtype.kind, array.dtype))


def picture(name: str) -> np.ndarray:
    """The picture behind the image_* frames, u8 [128, 200, 3], or its upper 48 rows."""
    whole = archive("render_frames")["synthetic_bg"]
    return {PICTURE: whole, STRIP: whole[:48]}[name]


def skin(name: str) -> tuple[np.ndarray, ...]:
    """Frames u8 [h, w, 4] of `sprite_a`, `sprite_b` or `sprite_c`."""
    stored = archive("render_frames")
    return tuple(stored[key] for key in sorted(stored) if key.startswith(f"{name}_"))


def trajectory_config(name: str) -> dict[str, Any]:
    """Flat configuration of a golden trajectory file, over the shared one."""
    return {**kage_config.flat(base_tree()), **json.loads(str(archive(f"dyn_{name}")["config_json"]))}
