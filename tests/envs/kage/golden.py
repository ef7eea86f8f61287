"""From golden files and oracle states to the configurations and states of kagejax, and back."""

import pathlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from PIL import Image

from kagejax.config.parameters import nest
from kagejax.envs.kage.config import KageConfig
from kagejax.envs.kage.env import KageEnv
from kagejax.envs.kage.params import Params
from kagejax.envs.kage.state import (
    Body,
    DistractorEpisode,
    DistractorTick,
    Episode,
    Frame,
    NpcEpisode,
    Score,
    State,
    StickyEpisode,
    StickyTick,
    Tick,
)
from tests.oracles import kage_config, kage_golden

PICTURES = {kage_golden.PICTURE: "background.png", kage_golden.STRIP: "strip.png"}
SKINS = ("sprite_a", "sprite_b", "sprite_c")
SOURCES = (
    "background.image_path",
    "background.image_paths",
    "character.sprite_paths",
    "npc.sprite_paths",
    "npc.sticky_sprite_dirs",
)


def write_assets(folder: pathlib.Path) -> None:
    """The golden pictures and skins as PNG files, so that configurations can name them."""
    for name, file in PICTURES.items():
        Image.fromarray(kage_golden.picture(name)).save(folder / file)
    for name in SKINS:
        (folder / name).mkdir()
        for i, frame in enumerate(kage_golden.skin(name)):
            Image.fromarray(frame).save(folder / name / f"{i}.png")


def config_from(flat: dict[str, Any], folder: pathlib.Path) -> KageConfig:
    """A configuration from the oracle's flat one; symbolic asset names become paths under `folder`."""
    places = {name: str(folder / file) for name, file in (*PICTURES.items(), *zip(SKINS, SKINS, strict=True))}
    given = dict(flat)
    for path in SOURCES:
        value = given.get(path)
        given[path] = places.get(value, value) if isinstance(value, str) else [places.get(v, v) for v in value or ()]
        if not value:
            del given[path]
    return KageConfig.model_validate(nest(given))


def flat_from(config: KageConfig) -> dict[str, Any]:
    """The oracle's flat configuration from one of ours."""
    return kage_config.flat(nest(config.flat()))


def state_from(env: KageEnv, params: Params, config: dict[str, Any], fields: dict[str, Any], ground_top: np.ndarray) -> State:
    """A state from the specification's field names, for the flat `config` that `params` were made of."""
    plan, agent = env.plan, params.look.agent
    x = fields["x"]
    shape_index, color = fields.get("shape_type_idx", 0), fields.get("shape_color_idx", 0)
    is_shape = int(agent.shape_count) > 0
    skin = shape_index * max(int(agent.color_count), 1) + color if is_shape else fields.get("char_skin_idx", 0)
    episode = Episode(
        tops=_slots(ground_top[:: config["layout.run_width"]], plan.segments, np.int32),
        initial_x=_f32(fields.get("initial_x", x)),
        skin=_i32(skin),
        shape=agent.shapes[shape_index],
        color=_i32(color),
        ground_color=_i32(0),
        preset=_i32(fields.get("selected_filter_idx", 0)) if plan.presets else None,
        light_positions=jnp.asarray(fields["light_positions"][: plan.lights], jnp.float32) if plan.lights else None,
        npc=_npcs(fields, plan.npc_slots),
        sticky=_sticky(fields, plan.sticky_slots),
        distractors=_distractors(fields, plan.distractor_slots, params),
    )
    tick = Tick(
        body=Body(
            *(_f32(fields[name]) for name in ("x", "y", "vx", "vy")),
            jnp.bool_(fields["grounded"]),
            _i32(fields["coyote_timer"]),
        ),
        score=Score(
            t=_i32(fields.get("t", 0)),
            x_max=_f32(fields.get("x_max", x)),
            episode_return=_f32(fields.get("episode_return", 0)),
            jump_count=_i32(fields.get("jump_count", 0)),
            success_once=jnp.bool_(fields.get("success_once", False)),
            vx_mean=_f32(fields.get("vx_mean", 0)),
            vy_mean=_f32(fields.get("vy_mean", 0)),
        ),
        camera_x=_f32(fields["camera_x"]),
        key=jnp.asarray(fields["filter_key"], jnp.uint32),
        background=_i32(fields.get("background", 0)),
        noise_seed=jnp.zeros(2, jnp.uint32) if plan.noise else None,
        agent_frame=Frame(_i32(fields["sprite_idx"]), _f32(fields["animation_timer"])),
        angle=_f32(fields["shape_angle"]),
        npc_frame=_npc_frame(fields, config) if plan.npc_slots or plan.sticky_slots else None,
        sticky=_sticky_tick(fields, plan.sticky_slots),
        distractors=_distractor_tick(fields, plan.distractor_slots),
    )
    return State(episode, tick)


def control_fields(state: State) -> dict[str, Any]:
    """What the game itself knows of a state, by the specification's names. Works on stacked states too."""
    tick = state.tick
    return {
        **tick.body._asdict(),
        **tick.score._asdict(),
        "camera_x": tick.camera_x,
        "initial_x": state.episode.initial_x,
    }


def stacked(trees: list) -> Any:
    """One tree of arrays with a leading axis from many of the same shape."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)


def params_at(env: KageEnv, params: Params, index: int) -> Params:
    """One configuration's parameters out of those of `make_batch`."""
    axes = env.params_axes(params)
    return jax.tree.map(lambda leaf, axis: leaf if axis is None else leaf[index], params, axes)


def _f32(value) -> jax.Array:
    return jnp.float32(value)


def _i32(value) -> jax.Array:
    return jnp.int32(value)


def _slots(values, size: int, dtype) -> jax.Array:
    values = np.asarray(values, dtype)[:size]
    return jnp.asarray(np.concatenate([values, np.zeros(size - len(values), dtype)]))


def _npcs(fields: dict, size: int) -> NpcEpisode | None:
    if not size:
        return None
    return NpcEpisode(*(_slots(fields[name], size, np.int32) for name in ("npc_x", "npc_y", "npc_types")))


def _sticky(fields: dict, size: int) -> StickyEpisode | None:
    if not size:
        return None
    names = ("sticky_x_offsets", "sticky_home_y", "sticky_types")
    return StickyEpisode(*(_slots(fields[name], size, np.int32) for name in names), _i32(fields["actual_sticky_count"]))


def _sticky_tick(fields: dict, size: int) -> StickyTick | None:
    if not size:
        return None
    return StickyTick(
        _slots(fields["sticky_y"], size, np.int32),
        _slots(fields["sticky_vy"], size, np.float32),
        _slots(fields["sticky_on_ground"], size, bool),
    )


def _npc_frame(fields: dict, config: dict) -> Frame:
    kind = "npc" if config["npc.enabled"] else "sticky"
    return Frame(_i32(fields[f"{kind}_sprite_indices"][0]), _f32(fields[f"{kind}_animation_timers"][0]))


def _distractors(fields: dict, size: int, params: Params) -> DistractorEpisode | None:
    if not size:
        return None
    shapes = np.asarray(params.look.distractors.shapes)
    return DistractorEpisode(
        rotation=_slots(fields["dist_rot_speeds"], size, np.float32),
        shape=_slots(shapes[np.asarray(fields["dist_shape_indices"])], size, np.int32),
        color=_slots(fields["dist_color_indices"], size, np.int32),
        size=_slots(fields["dist_sizes"], size, np.int32),
    )


def _distractor_tick(fields: dict, size: int) -> DistractorTick | None:
    if not size:
        return None
    return DistractorTick(
        *(_slots(fields[name], size, np.float32) for name in ("dist_x", "dist_y", "dist_vx", "dist_vy", "dist_angles"))
    )
