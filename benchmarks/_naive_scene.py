"""Kage drawn layer by layer: what a picture costs that is written the obvious way.

Every layer is a whole float picture with a mask: each pixel works out its place in the world, looks itself up, and
`where(mask, layer, below)` puts it over what is there. The pictures are those of `KageEnv.observe`. Backgrounds (plain colours
and images), ground, NPCs and the agent are drawn; configurations with more are refused.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.envs.kage.env import KageEnv
from kagejax.envs.kage.params import Params
from kagejax.envs.kage.state import State
from kagejax.raster import shapes

LACKING = ("noise", "sticky_slots", "distractor_slots", "agent_shapes", "presets", "filters", "fine", "lights")
"""Parts of a plan that have no layer here."""


@dataclasses.dataclass(frozen=True)
class NaiveScene:
    """`(state, params) -> picture` u8 [H, W, 3] of one environment, for `jax.vmap`."""

    env: KageEnv
    circle: bool  # the agent is a disc by its formula, else a sprite

    def __call__(self, state: State, params: Params) -> jax.Array:
        """The picture, from the layer farthest back to the agent."""
        plan, look = self.env.plan, params.look
        row, column = jnp.meshgrid(jnp.arange(plan.height), jnp.arange(plan.width), indexing="ij")
        camera = jnp.round(state.tick.camera_x).astype(jnp.int32)
        picture = self._background(state.tick, params, row, column)
        picture = _over(picture, look.ground_colors[state.episode.ground_color], _solid(state, params, row, column + camera))
        agent_row = jnp.round(state.tick.body.y + 1.0).astype(jnp.int32)
        agent_column = jnp.round(state.tick.body.x - state.tick.camera_x).astype(jnp.int32)
        for slot in range(plan.npc_slots):
            npc = jax.tree.map(lambda x, slot=slot: x[slot], state.episode.npc)
            sprite = look.npc.skins[npc.skin, state.tick.npc_frame.index % look.npc.animation.frames]
            layer, alpha = self._sprite(params, sprite, row - npc.y, column - (npc.x - camera))
            picture = _over(picture, layer, alpha * (npc.x > 0))
        if self.circle:
            inside = (row - agent_row) ** 2 + (column - agent_column) ** 2 <= (look.agent.size / 2) ** 2
            layer, alpha = look.agent.colors[state.episode.color], inside
        else:
            frame = jnp.clip(state.tick.agent_frame.index, 0, look.agent.skins.shape[1] - 1)
            sprite = look.agent.skins[state.episode.skin, frame]
            layer, alpha = self._sprite(params, sprite, row - agent_row, column - agent_column)
        return _over(picture, layer, alpha * look.agent.visible).astype(jnp.uint8)

    def _background(self, tick: Any, params: Params, row: jax.Array, column: jax.Array) -> jax.Array:
        """Plain colour, or a picture that moves at a part of the camera's speed; f32 [H, W, 3]."""
        plan, part = self.env.plan, params.look.background
        plain = jnp.broadcast_to(part.colors[tick.background].astype(jnp.float32), (plan.height, plan.width, 3))
        if not plan.images:
            return plain
        offset = jnp.round(tick.camera_x * part.parallax).astype(jnp.int32)
        # The bank holds an image that does not wrap with a margin of one screen on each side.
        clamped = jnp.clip(column + offset, 0, part.width - 1) + plan.width
        source = jnp.where(part.tile, (column + offset) % part.width, clamped)
        pictures = params.bank.pictures.reshape(*params.bank.pictures.shape[:2], -1, 3)
        image = pictures[part.pictures[tick.background], row, source].astype(jnp.float32)
        return jnp.where(part.mode == 2, image, plain)

    def _sprite(self, params: Params, sprite: jax.Array, dy: jax.Array, dx: jax.Array) -> tuple[jax.Array, jax.Array]:
        """A sprite on a whole layer, f32 [H, W, 3], and its alpha in 0..1, [H, W]; (dy, dx) is the place from its anchor."""
        rows, columns = self.env.plan.sprite_rows, self.env.plan.sprite_columns
        colors, alphas = (
            sheet.reshape(sheet.shape[0], 3 * rows, 3 * columns, 3)[:, rows : 2 * rows, columns : 2 * columns]
            for sheet in (params.bank.sprites, params.bank.alpha)
        )
        y, x = dy + params.bank.anchor[0], dx + params.bank.anchor[1]
        inside = (y >= 0) & (y < rows) & (x >= 0) & (x < columns)
        place = (sprite, jnp.clip(y, 0, rows - 1), jnp.clip(x, 0, columns - 1))
        return colors[place].astype(jnp.float32), jnp.where(inside, alphas[place][..., 0] / 255, 0.0)


def naive_scene(env: KageEnv, params: Params) -> NaiveScene:
    """The renderer for one configuration. Raises ValueError for one with parts that it cannot draw."""
    lacking = [name for name in LACKING if getattr(env.plan, name)]
    if lacking:
        raise ValueError(
            f"the baseline draws backgrounds, ground, NPCs and the agent; this configuration also has {', '.join(lacking)}"
        )
    agent = params.look.agent
    circle = int(agent.shape_count) > 0 and set(np.asarray(agent.shapes).tolist()) == {shapes.KINDS.index("circle")}
    return NaiveScene(env, circle)


def _over(below: jax.Array, layer: jax.Array, alpha: jax.Array) -> jax.Array:
    """`layer` (a picture or one colour) over `below`: chosen where alpha is 0 or 1, mixed and truncated elsewhere."""
    layer, alpha = layer.astype(jnp.float32), alpha.astype(jnp.float32)[..., None]
    mixed = jnp.floor(alpha * layer + (1 - alpha) * below)
    return jnp.where(alpha == 1, layer, jnp.where(alpha == 0, below, mixed))


def _solid(state: State, params: Params, row: jax.Array, x: jax.Array) -> jax.Array:
    """Which pixels are ground, bool [H, W]: the band below its top, and the wall where the height changes."""
    control, tops = params.control, state.episode.tops
    here, left = (tops[jnp.clip(at, 0, control.world_width - 1) // control.run_width] for at in (x, x - 1))
    return (row >= jnp.minimum(here, left)) & (row < jnp.maximum(here + control.ground_thickness, left))
