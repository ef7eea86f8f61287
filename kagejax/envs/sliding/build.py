"""From a validated configuration to an environment: plan, params, and the bank of tiles. Host side."""

import functools
import pathlib
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from kagejax.assets.errors import AssetError
from kagejax.config.problems import ConfigError
from kagejax.core import first_of

from . import pictures, procedural, rules, table, text
from .config import SlidingConfig
from .env import SlidingEnv
from .params import PICTURES, REWARDS, STARTS, Bank, Control, Look, Params, Plan, union

NO_LIMIT = 2**31 - 1
HELD_OUT_STREAM = 1


def build(config: SlidingConfig) -> tuple[SlidingEnv, Params]:
    """The environment and params of one configuration. Raises ConfigError for pictures that cannot be used."""
    env, params = build_batch([config])
    return env, first_of(params, env.params_axes(params))


def build_batch(configs: Sequence[SlidingConfig]) -> tuple[SlidingEnv, Params]:
    """One environment for all `configs`, and their params stacked along a leading axis, but for the shared bank.

    Raises ValueError if they differ in grid or kind of observation, ConfigError for pictures that cannot be used.
    """
    plan = functools.reduce(union, [_plan(config) for config in configs])
    if plan.kind == "text":
        parts = [config.text for config in configs]
        plan = plan._replace(alphabet=text.alphabet(parts), text_length=text.longest_reading(parts, plan.grid))
    sheets, firsts, counts, known = [], [], [], {}
    for config in configs:
        first, count = 0, len(config.text.texts) if plan.kind == "text" else 1
        if plan.kind in PICTURES and not plan.fresh:
            key = _source(config)
            if key not in known:
                known[key] = (sum(len(sheet) for sheet in sheets), _tiles(config, plan))
                sheets.append(known[key][1])
            first, count = known[key][0], len(known[key][1])
        firsts.append(first)
        counts.append(count)
    bank = Bank(
        tiles=jax.device_put(pictures.sheet([tiles for sheet in sheets for tiles in sheet])) if sheets else None,
        optimal=jax.device_put(_table(configs, plan)) if plan.optimal else None,
    )
    longest = text.longest_tile([config.text for config in configs], plan.grid) if plan.kind == "text" else 0
    most = max(len(config.text.texts) for config in configs)
    parts = []
    for config, first, count in zip(configs, firsts, counts, strict=True):
        parts.append((_control(config, plan), _look(config, plan, first, count, longest, most)))
    control, look = jax.tree.map(lambda *leaves: jax.device_put(np.stack(leaves)), *parts)
    return SlidingEnv(plan), Params(control, look, bank)


def _plan(config: SlidingConfig) -> Plan:
    look, play = config.observation, config.play
    drawn = look.kind in PICTURES
    return Plan(
        grid=rules.Grid(config.grid.rows, config.grid.columns),
        kind=look.kind,
        height=look.height if drawn else 0,
        width=look.width if drawn else 0,
        channels_first=drawn and look.channels_first,
        scaled=drawn and look.scaled,
        normalize_coordinates=look.kind != "coordinates" or look.normalize_coordinates,
        blank_value=look.blank_value if look.kind in ("raw", "normalized") else 0,
        augment=look.augment if drawn else (),
        joystick=play.joystick,
        noop=play.noop,
        fresh=look.kind == "image" and config.pictures.fresh,
        starts=(config.start.mode,),
        sticky=play.compat_sticky_termination,
        optimal=play.optimality,
    )


def _control(config: SlidingConfig, plan: Plan) -> Control:
    play, reward, start, grid = config.play, config.reward, config.start, plan.grid
    board = np.asarray(start.board if start.mode == "board" else rules.goal(grid), grid.dtype)
    return Control(
        max_steps=np.int32(NO_LIMIT if play.max_steps is None else play.max_steps),
        circular=np.bool_(play.circular),
        joystick_threshold=np.float32(play.joystick_threshold),
        sticky=np.bool_(play.compat_sticky_termination),
        reward_mode=np.int32(REWARDS.index(reward.mode)),
        win=np.float32(reward.win),
        move=np.float32(reward.move),
        invalid=np.float32(-1.0 if reward.invalid is None else reward.invalid),
        invalid_repeats=np.bool_(reward.invalid is None),
        exponential=np.bool_(reward.exponential),
        start=np.int32(STARTS.index(start.mode)),
        scramble_steps=np.int32(start.scramble_steps),
        scramble_enough=np.int32(rules.distance_for(start.scramble_target, grid)),
        board=board,
    )


def _look(config: SlidingConfig, plan: Plan, first: int, count: int, longest: int, most: int) -> Look:
    words = None
    if plan.kind == "text":
        words = text.tokens(config.text, plan.grid, plan.alphabet, longest)
        short = most - len(words.tiles)
        tiles, lengths = (np.pad(x, ((0, short), *((0, 0),) * (x.ndim - 1))) for x in words[:2])
        words = words._replace(tiles=tiles, lengths=lengths)
    return Look(
        first_picture=np.int32(first),
        pictures=np.int32(count),
        difficulty=np.float32(config.pictures.visual_difficulty),
        background=np.array(config.observation.background_color, np.uint8),
        text=words,
    )


def _table(configs: Sequence[SlidingConfig], plan: Plan) -> np.ndarray:
    ways = {config.play.circular for config in configs if config.play.optimality}
    if len(ways) > 1:
        raise ValueError("configurations of one batch that ask for play.optimality must share play.circular")
    return table.distance_table(plan.grid, ways.pop())


def _source(config: SlidingConfig) -> tuple:
    """What the tiles of a configuration depend on, besides its plan."""
    return config.observation.kind, config.pictures, config.observation.background_color, config.base_dir("pictures")


def _tiles(config: SlidingConfig, plan: Plan) -> list[np.ndarray]:
    """Blank and tiles of every picture of a configuration, u8 [N, th, tw, 3] each."""
    background = config.observation.background_color
    if plan.kind == "board":
        return [pictures.numbered(plan.grid, plan.tile, background)]
    procedural_ones = config.pictures.source == "procedural"
    made = _procedural(config.pictures, *plan.canvas) if procedural_ones else load(config)
    return [pictures.cut(picture, plan.grid, plan.tile, background) for picture in made]


def _procedural(part: object, height: int, width: int) -> list[np.ndarray]:
    """Pictures of keys that follow from the seed of the pool, those of the held-out split from another stream."""
    held_out = part.split == "held_out"
    count = part.held_out_size if held_out else part.pool_size or 1
    key = jax.random.key(part.pool_seed)
    key = jax.random.fold_in(key, HELD_OUT_STREAM) if held_out else key
    words = [jax.random.key_data(jax.random.fold_in(key, i)) for i in range(count)]
    return list(np.asarray(_painted(jnp.stack(words), jnp.float32(part.visual_difficulty), height, width)))


@functools.partial(jax.jit, static_argnames=("height", "width"))
def _painted(keys: jax.Array, difficulty: jax.Array, height: int, width: int) -> jax.Array:
    return jax.lax.map(lambda key: procedural.picture(key, difficulty, height, width), keys)


def with_pictures(env: SlidingEnv, params: Params, given: np.ndarray) -> Params:
    """`params` with boards cut from the pictures `given`, u8 [pictures, any height, any width, 3], instead of their own.

    `env` and `params` are those of one configuration of kind image. Raises ValueError for arrays of another form.
    """
    plan, given = env.plan, np.asarray(given)
    if plan.kind != "image" or plan.fresh:
        raise ValueError("only boards of kind image, without pictures.fresh, are cut from given pictures")
    if given.ndim != 4 or given.shape[-1] != 3 or given.dtype != np.uint8 or not len(given):
        raise ValueError(f"pictures must be u8 [pictures, height, width, 3]; found {given.dtype} {list(given.shape)}")
    background = tuple(np.asarray(params.look.background).tolist())
    tiles = [pictures.cut(pictures.resized(each, *plan.inner), plan.grid, plan.tile, background) for each in given]
    look = params.look._replace(first_picture=jnp.int32(0), pictures=jnp.int32(len(given)))
    return params._replace(look=look, bank=params.bank._replace(tiles=jax.device_put(pictures.sheet(tiles))))


def files(config: SlidingConfig) -> list[pathlib.Path]:
    """Picture files of a configuration, in the order of its pool. Raises ConfigError, with file, line and key."""
    part = config.pictures
    key = "pictures.paths" if part.source == "list" else "pictures.folder"
    base = config.base_dir(key) or pathlib.Path()
    try:
        if part.source == "list":
            listed = [base / pathlib.Path(path).expanduser() for path in part.paths]
            size = len(listed) if part.pool_size is None else part.pool_size
            return listed if size == len(listed) else pictures.pool(listed, size, 0, part.pool_seed, "train")
        listed = pictures.found(base / pathlib.Path(part.folder).expanduser(), part.source)
        return pictures.pool(listed, part.pool_size, part.held_out_size, part.pool_seed, part.split)
    except AssetError as error:
        raise ConfigError([config.problem(key, str(error))]) from None


def load(config: SlidingConfig) -> list[np.ndarray]:
    """The pictures of a configuration, resized. Raises ConfigError, with file, line and key, for those that do not load."""
    if config.observation.kind != "image" or config.pictures.source == "procedural":
        return []
    key = "pictures.paths" if config.pictures.source == "list" else "pictures.folder"
    plan = _plan(config)
    try:
        return [pictures.read(path, *plan.inner, config.observation.background_color) for path in files(config)]
    except AssetError as error:
        raise ConfigError([config.problem(key, str(error))]) from None
