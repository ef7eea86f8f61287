"""Oracle of whole episodes: reset, then dynamics, scenery and picture, step after step."""

import jax
import jax.numpy as jnp
import numpy as np

from . import kage_dynamics, kage_level, kage_render, kage_reset, kage_scenery


class Game:
    """One environment of kage under a flat `config`, from a reset key. `assets` as in `kage_render.scene`."""

    def __init__(self, key, config, **assets):
        self.config, self.assets = config, assets
        loaded = {name: len(value) for name, value in assets.items()}
        self.images = loaded.get("images", 0)
        self.state = kage_reset.reset(
            key, config, self.images, loaded.get("skins", 0), loaded.get("npc_skins", 0), loaded.get("sticky_skins", 0)
        )
        top, thickness = self.state["layout_ground_top"], config["layout.ground_thickness"]
        self.mask = kage_level.solid_mask(top, thickness, config["layout.height_px"])

    def step(self, action: int) -> None:
        """Plays one step; `state` is then the new one."""
        moved, *_ = kage_dynamics.step(self.state, action, self.config, self.mask)
        _, _, switch_key, background_key = kage_scenery.step_keys(self.state["filter_key"])
        after = kage_scenery.step(
            moved, moved["vx"], self.config, *(self._most_frames(kind) for kind in ("skins", "npc_skins", "sticky_skins"))
        )
        frequency = np.float32(self.config["background.switch_frequency"])
        if np.asarray(jax.random.uniform(jnp.asarray(switch_key), (), jnp.float32)) < frequency:
            after["background"] = kage_reset.background(background_key, self.config, self.images)
        self.state = after

    def frame(self) -> np.ndarray:
        """The picture of the present state, without noise filters, u8 [H, W, 3]."""
        return kage_render.render(self.state, self.config, self.mask, **self.assets)

    def _most_frames(self, kind: str) -> int:
        """Frames of an animation cycle: of the first skin for the agent, of the longest set for NPCs."""
        sets = self.assets.get(kind, ())
        counts = [len(frames) for frames in sets]
        return max(counts[:1] if kind == "skins" else counts, default=0)
