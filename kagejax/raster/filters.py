"""Photometric and spatial filters over batches of frames. SPEC section 8.8.

Between its first and last pass a frame is three planes (red, green, blue), f32 [batch, height, width] in grey levels, which
vectorise where interleaved pixels would not. A value of `Filters` is f32 [n, 1, 1], n being 1 where a batch shares it.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from . import noise
from .canvas import quantise

Planes = tuple[jax.Array, jax.Array, jax.Array]

PRESETS = ("vintage", "retro", "cyberpunk", "horror", "noir", "none")
PASSES = (
    "brightness",
    "contrast",
    "gamma",
    "hue_saturation",
    "color_temp",
    "color_jitter",
    "blur",
    "sharpen",
    "pixelate",
    "gaussian_noise",
    "poisson_noise",
    "vignette",
    "radial_light",
)
"""The main chain in order; "pop_filter", a fixed preset, comes before them."""
TONE = ("brightness", "contrast", "gamma")


class Filters(NamedTuple):
    """Strengths of the main chain, f32; at its neutral value a filter changes nothing, bit for bit."""

    pop_filter: jax.Array  # i32, index into PRESETS
    brightness: jax.Array  # 0 is neutral; adds 100 grey levels per unit
    contrast: jax.Array  # 1; gain around 128
    gamma: jax.Array  # 1; exponent
    saturation: jax.Array  # 1; factor
    hue_shift: jax.Array  # 0, degrees
    color_temp: jax.Array  # 0, warm above, cool below
    color_jitter_std: jax.Array  # 0
    blur_sigma: jax.Array  # 0
    sharpen_amount: jax.Array  # 0
    pixelate_factor: jax.Array  # i32, 1
    gaussian_noise_std: jax.Array  # 0, grey levels
    poisson_noise_scale: jax.Array  # 0, counts per grey level
    vignette_strength: jax.Array  # 0
    radial_light_strength: jax.Array  # 0
    radial_light_color: jax.Array  # [3], grey levels


class Draws(NamedTuple):
    """What is random about a frame, one entry per environment."""

    preset: jax.Array | None  # i32 [batch], index into PRESETS
    jitter: jax.Array | None  # f32 [batch, 3, 3], channel mixing matrix
    gaussian_seed: jax.Array | None  # u32 [batch, 2]
    poisson_seed: jax.Array | None  # u32 [batch, 2]


def apply(frames: jax.Array, draws: Draws, filters: Filters, passes: tuple[str, ...], presets: tuple[str, ...]) -> Planes:
    """Frames u8 [batch, height, 3 * width] after the drawn preset and the main chain, as u8 planes.

    `passes` and `presets` (static) name what some configuration of the batch uses. Leaves of `filters` are [n, ...].
    """
    value = Filters(*(x.reshape(x.shape[0], 1, 1, *x.shape[1:]) for x in filters))
    if presets:
        planes = quantised(_presets(planes_of(frames), draws.preset[:, None, None], presets))
        planes = _tone(planes, value, passes)
    else:
        planes = _tone(planes_of(frames), value, passes)
    planes = _color(planes, value, draws, passes)
    planes = _detail(planes, value, passes)
    planes = _noise(planes, value, draws, passes)
    return quantised(_shade(planes, value, passes))


def planes_of(frames: jax.Array) -> Planes:
    """u8 [batch, height, 3 * width] to u8 planes."""
    return tuple(frames[:, :, k::3] for k in range(3))


def interleave(planes: Planes) -> jax.Array:
    """u8 planes to u8 [batch, height, 3 * width]."""
    batch, height, width = planes[0].shape
    return jnp.stack(planes, axis=-1).reshape(batch, height, 3 * width)


def quantised(planes: Planes) -> Planes:
    """Planes of grey levels to u8 planes."""
    return tuple(quantise(plane) for plane in planes)


def _tone(planes: Planes, value: Filters, passes: tuple[str, ...]) -> Planes:
    """Brightness, contrast, gamma of u8 planes: a table of 256 levels, unless a preset that does not round comes first."""
    wanted = [name for name in TONE if name in passes]
    if "pop_filter" in passes:
        planes = _presets(planes, value.pop_filter, PRESETS)
        return tuple(tone(plane, value, wanted) for plane in planes)
    if not wanted:
        return tuple(plane.astype(jnp.float32) for plane in planes)
    levels = jnp.arange(256, dtype=jnp.float32)
    table = tone(levels[None, None, :], value, wanted)[:, 0, :]
    which = jnp.zeros((1, 1, 1), jnp.int32)
    if table.shape[0] > 1:
        which = jnp.arange(planes[0].shape[0], dtype=jnp.int32)[:, None, None]
    return tuple(table.at[which, plane].get(mode="promise_in_bounds") for plane in planes)


def tone(level: jax.Array, value: Filters, passes: list[str]) -> jax.Array:
    """Grey levels after those of brightness, contrast and gamma that `passes` names."""
    if "brightness" in passes:
        level = jnp.where(value.brightness != 0, _clip(level + 100.0 * value.brightness), level)
    if "contrast" in passes:
        level = jnp.where(value.contrast != 1, _clip((level - 128.0) * value.contrast + 128.0), level)
    if "gamma" in passes:
        level = jnp.where(value.gamma != 1, 255.0 * (level / 255.0) ** value.gamma, level)
    return level


def _color(planes: Planes, value: Filters, draws: Draws, passes: tuple[str, ...]) -> Planes:
    if "hue_saturation" in passes:
        active = (value.saturation != 1) | (value.hue_shift != 0)
        planes = _where(active, hue_saturation(planes, value.saturation, value.hue_shift), planes)
    if "color_temp" in passes:
        planes = _where(value.color_temp != 0, color_temperature(planes, value.color_temp), planes)
    if "color_jitter" in passes:
        rows = [[draws.jitter[:, i, j, None, None] for j in range(3)] for i in range(3)]
        mixed = tuple(_clip(sum(weight * plane for weight, plane in zip(row, planes, strict=True))) for row in rows)
        planes = _where(value.color_jitter_std != 0, mixed, planes)
    return planes


def _detail(planes: Planes, value: Filters, passes: tuple[str, ...]) -> Planes:
    if "blur" in passes:
        planes = _where(value.blur_sigma != 0, tuple(blur(plane, value.blur_sigma) for plane in planes), planes)
    if "sharpen" in passes:
        sharp = tuple(_sharpen(plane, value.sharpen_amount) for plane in planes)
        planes = _where(value.sharpen_amount != 0, sharp, planes)
    if "pixelate" in passes:
        planes = tuple(_pixelate(plane, value.pixelate_factor) for plane in planes)
    return planes


def _noise(planes: Planes, value: Filters, draws: Draws, passes: tuple[str, ...]) -> Planes:
    if "gaussian_noise" in passes:
        normal = noise.normal_planes(draws.gaussian_seed, planes[0].shape)
        noisy = tuple(_clip(plane + value.gaussian_noise_std * n) for plane, n in zip(planes, normal, strict=True))
        planes = _where(value.gaussian_noise_std != 0, noisy, planes)
    if "poisson_noise" in passes:
        scale = jnp.where(value.poisson_noise_scale != 0, value.poisson_noise_scale, 1.0)
        normal = noise.normal_planes(draws.poisson_seed, planes[0].shape)
        counts = (noise.poisson(plane * scale, n) for plane, n in zip(planes, normal, strict=True))
        planes = _where(value.poisson_noise_scale != 0, tuple(_clip(count / scale) for count in counts), planes)
    return planes


def _shade(planes: Planes, value: Filters, passes: tuple[str, ...]) -> Planes:
    height, width = planes[0].shape[1:]
    if "vignette" in passes:
        planes = _where(value.vignette_strength != 0, vignette(planes, value.vignette_strength), planes)
    if "radial_light" in passes:
        glow = jnp.clip(1.0 - distance_from_centre(height, width) ** 1.5, 0.0, 1.0) * value.radial_light_strength
        lit = tuple(_clip(plane + glow * value.radial_light_color[..., k]) for k, plane in enumerate(planes))
        planes = _where(value.radial_light_strength != 0, lit, planes)
    return planes


def hue_saturation(planes: Planes, saturation: jax.Array, hue_shift: jax.Array) -> Planes:
    """One pass through HSV: saturation times a factor, hue plus degrees."""
    red, green, blue = planes
    value = jnp.maximum(jnp.maximum(red, green), blue)
    spread = value - jnp.minimum(jnp.minimum(red, green), blue)
    inverse = 1.0 / jnp.where(spread == 0, 1.0, spread)
    sector = jnp.where(
        value == blue,
        (red - green) * inverse + 4.0,
        jnp.where(value == green, (blue - red) * inverse + 2.0, (green - blue) * inverse),
    )
    sector = jnp.where(spread == 0, 0.0, sector) + hue_shift * jnp.float32(1 / 60)
    chroma = jnp.clip(spread * saturation, 0.0, value)

    def channel(offset):
        turn = sector + offset
        turn = turn - 6.0 * jnp.floor(turn * jnp.float32(1 / 6))
        return _clip(value - chroma * jnp.clip(jnp.minimum(turn, 4.0 - turn), 0.0, 1.0))

    return channel(5.0), channel(3.0), channel(1.0)


def color_temperature(planes: Planes, value: jax.Array) -> Planes:
    """Warm above 0 (more red, less blue), cool below."""
    warm, cool = jnp.maximum(value, 0.0), jnp.maximum(-value, 0.0)
    red, green, blue = planes
    return _clip(red + (30.0 * warm - 15.0 * cool)), green, _clip(blue + (30.0 * cool - 15.0 * warm))


def blur(plane: jax.Array, sigma: jax.Array) -> jax.Array:
    """Blend towards the mean of a 3x3 box with repeated edges; the weight is sigma / 2.5, at most 1."""
    weight = jnp.clip(sigma / 2.5, 0.0, 1.0)
    return (1.0 - weight) * plane + weight * _box_mean(plane)


def _box_mean(plane: jax.Array) -> jax.Array:
    _, height, width = plane.shape
    wide = jnp.pad(plane, ((0, 0), (1, 1), (1, 1)), mode="edge")
    across = wide[:, :, :width] + wide[:, :, 1 : width + 1] + wide[:, :, 2:]
    return (across[:, :height] + across[:, 1 : height + 1] + across[:, 2:]) / 9.0


def _sharpen(plane: jax.Array, amount: jax.Array) -> jax.Array:
    return _clip(plane + amount * (plane - blur(plane, jnp.float32(1.0))))


def _pixelate(plane: jax.Array, factor: jax.Array) -> jax.Array:
    _, height, width = plane.shape
    rows, columns = (pixelate_source(size, factor.reshape(-1)) for size in (height, width))
    if rows.shape[0] == 1:
        return plane[:, rows[0]][:, :, columns[0]]
    return jax.vmap(lambda image, r, c: image[r][:, c])(plane, rows, columns)


def pixelate_source(size: int, factor: jax.Array) -> jax.Array:
    """Index read by each of `size` pixels after nearest resizing to size // factor and back, i32 [n, size].

    Source index = floor((i + 0.5) * in / out) in f32, both ways. A factor above `size` reads as `size`.
    """
    full = jnp.float32(size)
    small = jnp.maximum(size // factor, 1).astype(jnp.float32)[:, None]
    pixel = jnp.arange(size, dtype=jnp.float32)[None, :]
    coarse = jnp.floor((pixel + 0.5) * small / full)
    return jnp.floor((coarse + 0.5) * full / small).astype(jnp.int32)


def vignette(planes: Planes, strength: jax.Array) -> Planes:
    """Darker towards the corners."""
    gain = jnp.clip(1.0 - strength * distance_from_centre(*planes[0].shape[1:]) ** 2, 0.0, 1.0)
    return tuple(plane * gain for plane in planes)


def distance_from_centre(height: int, width: int) -> jax.Array:
    """Distance of each pixel from (height / 2, width / 2) over that of a corner, f32 [1, height, width]."""
    row = jnp.arange(height, dtype=jnp.float32)[:, None] - height / 2
    column = jnp.arange(width, dtype=jnp.float32)[None, :] - width / 2
    return (jnp.sqrt(row**2 + column**2) / jnp.sqrt(jnp.float32((height / 2) ** 2 + (width / 2) ** 2)))[None]


def _contrast(planes: Planes, gain: float) -> Planes:
    return tuple(_clip((plane - 128.0) * gain + 128.0) for plane in planes)


def _brightness(planes: Planes, amount: float) -> Planes:
    return tuple(_clip(plane + 100.0 * amount) for plane in planes)


def _vintage(planes: Planes) -> Planes:
    planes = color_temperature(hue_saturation(planes, _f32(0.7), _f32(0)), _f32(0.3))
    return _contrast(vignette(planes, _f32(0.3)), 1.1)


def _horror(planes: Planes) -> Planes:
    planes = color_temperature(hue_saturation(planes, _f32(0.3), _f32(0)), _f32(-0.4))
    return _contrast(vignette(_brightness(planes, -0.2), _f32(0.6)), 1.4)


def _retro(planes: Planes) -> Planes:
    planes = hue_saturation(hue_saturation(planes, _f32(1.5), _f32(0)), _f32(1), _f32(15))
    return _contrast(_brightness(planes, 0.1), 0.9)


def _cyberpunk(planes: Planes) -> Planes:
    planes = _contrast(color_temperature(hue_saturation(planes, _f32(1.8), _f32(0)), _f32(-0.2)), 1.3)
    return tuple(_sharpen(plane, _f32(0.5)) for plane in planes)


def _noir(planes: Planes) -> Planes:
    return vignette(_contrast(hue_saturation(planes, _f32(0), _f32(0)), 1.6), _f32(0.4))


_PRESET: dict[str, Callable[[Planes], Planes]] = {
    "vintage": _vintage,
    "retro": _retro,
    "cyberpunk": _cyberpunk,
    "horror": _horror,
    "noir": _noir,
}


def _presets(planes: Planes, which: jax.Array, presets: tuple[str, ...]) -> Planes:
    planes = out = tuple(plane.astype(jnp.float32) for plane in planes)
    for name in presets:
        if name in _PRESET:
            out = _where(which == PRESETS.index(name), _PRESET[name](planes), out)
    return out


def _f32(value: float) -> jax.Array:
    return jnp.float32(value)


def _clip(level: jax.Array) -> jax.Array:
    return jnp.clip(level, 0.0, 255.0)


def _where(active: jax.Array, changed: Planes, planes: Planes) -> Planes:
    return tuple(jnp.where(active, new, old) for new, old in zip(changed, planes, strict=True))
