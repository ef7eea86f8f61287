"""The pictures and skins that a configuration names, loaded. Host side, NumPy."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kagejax.assets import sources
from kagejax.assets.errors import AssetError
from kagejax.config.problems import ConfigError, Problem

from .config import KageConfig

Skin = tuple[np.ndarray, ...]


class Art(NamedTuple):
    """What is drawn from pixels. Lists are empty where the configuration does not use them."""

    pictures: list[np.ndarray]  # u8 [H, width, 3] each, all of one width
    agent: list[Skin]  # frames of each skin, u8 [h, w, 4]
    npc: list[Skin]
    sticky: list[Skin]


def load(config: KageConfig) -> Art:
    """All art in use. Raises ConfigError, with file, line and key, for pictures and skins that do not load."""
    background, character, npc = config.background, config.character, config.npc
    problems: list[Problem] = []

    def placed(prefix: str, load: Callable[..., list], *arguments: Any) -> list:
        try:
            return load(*arguments, config.base_dir(prefix))
        except AssetError as error:
            problems.append(config.problem(prefix, str(error)))
            return []

    def skins(used: bool, prefix: str, *paths: Any) -> list[Skin]:
        return placed(prefix, sources.load_skins, *paths) if used else []

    pictures = []
    if background.mode == "image":
        paths = (background.image_dir, background.image_paths, background.image_path)
        pictures = placed("background.image", sources.load_pictures, *paths, config.H)
    art = Art(
        pictures,
        skins(character.use_sprites, "character.sprite", character.sprite_dir, character.sprite_paths, character.sprite_path),
        skins(npc.enabled, "npc.sprite", npc.sprite_dir, npc.sprite_paths, npc.sprite_path),
        skins(
            npc.sticky_enabled,
            "npc.sticky_sprite",
            npc.sticky_sprite_dir,
            npc.sticky_sprite_dirs,
            npc.sticky_sprite_path,
        ),
    )
    if problems:
        raise ConfigError(problems)
    return art
