"""Photometric and spatial filters over batches of frames. SPEC section 8.8.

Between its first and last pass a frame is three planes (red, green, blue), f32 [batch, height, width] in grey levels, which
vectorise where interleaved pixels would not. A value of `Filters` is f32 [n, 1, 1], n being 1 where a batch shares it.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from . import noise
from .canvas import FINE, separately

Planes = tuple[jax.Array, jax.Array, jax.Array]
Apart = Callable[..., Any]
"""`apart(compute, *operands)` is `compute(*operands)` as kernels of its own; see `canvas.separately`."""

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


class Tables(NamedTuple):
    """What follows from strengths and picture size alone, worked out once for all frames that share them. [n, ...]."""

    tone: jax.Array  # f32 [n, 256], grey level after brightness, contrast and gamma
    source: jax.Array  # i32 [n, height * width], flat index of the pixel that each one shows when pixelated
    gain: jax.Array  # f32 [n, height, width], of the vignette
    glow: jax.Array  # f32 [n, height, width], of the radial light
    places: jax.Array  # u32 [3, height, width], noise.positions


def tables(filters: Filters, height: int, width: int, passes: tuple[str, ...]) -> Tables:
    """Tables for strengths [n, ...]; those of passes that are not named are not computed, since nothing reads them."""
    value = spread(filters)
    distance = distance_from_centre(height, width)
    levels = jnp.arange(256, dtype=jnp.float32)[None, None, :]
    return Tables(
        tone=tone(levels, value, [name for name in TONE if name in passes])[:, 0, :],
        source=_pixelated(filters.pixelate_factor, height, width),
        gain=_vignette_gain(distance, value.vignette_strength),
        glow=jnp.clip(1.0 - distance**1.5, 0.0, 1.0) * value.radial_light_strength,
        places=noise.positions(height, width),
    )


def spread(filters: Filters) -> Filters:
    """Strengths [n, ...] as [n, 1, 1, ...], to meet planes."""
    return Filters(*(x.reshape(x.shape[0], 1, 1, *x.shape[1:]) for x in filters))


def apply(
    frames: jax.Array,
    draws: Draws,
    filters: Filters,
    ready: Tables,
    passes: tuple[str, ...],
    presets: tuple[str, ...],
    certain: jax.Array,
) -> Planes:
    """u8 or fine u16 frames [batch, height, 3 * width] after drawn preset and main chain, as planes of whole grey levels.

    `passes` and `presets` (static) name what some configuration of the batch uses. Leaves of `filters` and `ready` are
    [n, ...]; `certain` is that of `canvas.separately`.
    """
    apart = functools.partial(separately, certain)
    value = spread(filters)
    tones = any(name in passes for name in TONE)
    planes = apart(planes_of, frames)
    if "pop_filter" in passes or presets:
        planes = _levels(*planes)
        if presets:
            which = draws.preset[:, None, None]
            drawn = apart(lambda planes: quantised(_presets(planes, which, presets, apart)), planes)
            planes = _where(which != PRESETS.index("none"), drawn, planes)
        if "pop_filter" in passes:
            planes = apart(lambda planes: _presets(planes, value.pop_filter, PRESETS, apart), planes)
        if tones:
            wanted = [name for name in TONE if name in passes]
            planes = apart(lambda planes: tuple(tone(plane, value, wanted) for plane in planes), planes)
    else:
        planes = apart(functools.partial(_toned, value=value, table=ready.tone), *planes) if tones else _levels(*planes)
    planes = _color(planes, value, draws, passes, apart)
    planes = _detail(planes, value, ready, passes, apart)
    planes = _noise(planes, value, draws, ready, passes)
    return quantised(_shade(planes, value, ready, passes))


def planes_of(frames: jax.Array) -> Planes:
    """[batch, height, 3 * width] to planes of the same dtype."""
    return tuple(frames[:, :, k::3] for k in range(3))


def _levels(*planes: jax.Array) -> Planes:
    """u8 or fine u16 planes as f32 grey levels."""
    step = jnp.float32(1 / FINE if planes[0].dtype == jnp.uint16 else 1)
    return tuple(plane.astype(jnp.float32) * step for plane in planes)


def _toned(*planes: jax.Array, value: Filters, table: jax.Array) -> Planes:
    """f32 planes of levels from a table of them, [n, 256], indexed by u8 planes.

    Fine planes hold whole levels where a tone is left to do, and any where none is.
    """
    which = jnp.zeros((1, 1, 1), jnp.int32)
    if table.shape[0] > 1:
        which = jnp.arange(planes[0].shape[0], dtype=jnp.int32)[:, None, None]
    fine = planes[0].dtype == jnp.uint16
    toned = tuple(table.at[which, plane // FINE if fine else plane].get(mode="promise_in_bounds") for plane in planes)
    active = (value.brightness != 0) | (value.contrast != 1) | (value.gamma != 1)
    return _where(active, toned, _levels(*planes)) if fine else toned


def interleave(planes: Planes) -> jax.Array:
    """u8 planes to u8 [batch, height, 3 * width]."""
    batch, height, width = planes[0].shape
    return jnp.stack(planes, axis=-1).reshape(batch, height, 3 * width)


def quantised(planes: Planes) -> Planes:
    """Planes of grey levels to planes of whole ones, f32."""
    return tuple(jnp.floor(_clip(plane)) for plane in planes)


def tone(level: jax.Array, value: Filters, passes: Sequence[str]) -> jax.Array:
    """Grey levels after those of brightness, contrast and gamma that `passes` names."""
    if "brightness" in passes:
        level = jnp.where(value.brightness != 0, _clip(level + 100.0 * value.brightness), level)
    if "contrast" in passes:
        level = jnp.where(value.contrast != 1, _clip((level - 128.0) * value.contrast + 128.0), level)
    if "gamma" in passes:
        level = jnp.where(value.gamma != 1, 255.0 * (level / 255.0) ** value.gamma, level)
    return level


def pointwise(planes: Planes, value: Filters) -> Planes:
    """Brightness to colour temperature, which see one pixel at a time, of f32 planes in grey levels."""
    planes = tuple(tone(plane, value, TONE) for plane in planes)
    return _color(planes, value, None, ("hue_saturation", "color_temp"), lambda compute, *operands: compute(*operands))


def _color(planes: Planes, value: Filters, draws: Draws | None, passes: tuple[str, ...], apart: Apart) -> Planes:
    if "hue_saturation" in passes:
        active = (value.saturation != 1) | (value.hue_shift != 0)
        planes = _where(active, hue_saturation(planes, value.saturation, value.hue_shift, apart), planes)
    if "color_temp" in passes:
        planes = _where(value.color_temp != 0, color_temperature(planes, value.color_temp), planes)
    if "color_jitter" in passes:
        planes = apart(lambda planes: planes, planes)
        rows = [[draws.jitter[:, i, j, None, None] for j in range(3)] for i in range(3)]
        mixed = tuple(_clip(sum(weight * plane for weight, plane in zip(row, planes, strict=True))) for row in rows)
        planes = _where(value.color_jitter_std != 0, mixed, planes)
    return planes


def _detail(planes: Planes, value: Filters, ready: Tables, passes: tuple[str, ...], apart: Apart) -> Planes:
    if "blur" in passes:
        blurred = tuple(blur(plane, value.blur_sigma, apart) for plane in planes)
        planes = _where(value.blur_sigma != 0, blurred, planes)
    if "sharpen" in passes:
        sharp = tuple(_sharpen(plane, value.sharpen_amount, apart) for plane in planes)
        planes = _where(value.sharpen_amount != 0, sharp, planes)
    if "pixelate" in passes:
        planes = apart(lambda *planes: tuple(_pixelate(plane, ready.source) for plane in planes), *planes)
    return planes


def _noise(planes: Planes, value: Filters, draws: Draws, ready: Tables, passes: tuple[str, ...]) -> Planes:
    if "gaussian_noise" in passes:
        deviates = (noise.normal(place, draws.gaussian_seed) for place in ready.places)
        noisy = tuple(_clip(plane + value.gaussian_noise_std * n) for plane, n in zip(planes, deviates, strict=True))
        planes = _where(value.gaussian_noise_std != 0, noisy, planes)
    if "poisson_noise" in passes:
        scale = jnp.where(value.poisson_noise_scale != 0, value.poisson_noise_scale, 1.0)
        deviates = (noise.normal(place, draws.poisson_seed) for place in ready.places)
        counts = (noise.poisson(plane * scale, n) for plane, n in zip(planes, deviates, strict=True))
        planes = _where(value.poisson_noise_scale != 0, tuple(_clip(count / scale) for count in counts), planes)
    return planes


def _shade(planes: Planes, value: Filters, ready: Tables, passes: tuple[str, ...]) -> Planes:
    if "vignette" in passes:
        dark = tuple(plane * ready.gain for plane in planes)
        planes = _where(value.vignette_strength != 0, dark, planes)
    if "radial_light" in passes:
        lit = tuple(_clip(plane + ready.glow * value.radial_light_color[..., k]) for k, plane in enumerate(planes))
        planes = _where(value.radial_light_strength != 0, lit, planes)
    return planes


def hue_saturation(planes: Planes, saturation: jax.Array, hue_shift: jax.Array, apart: Apart) -> Planes:
    """One pass through HSV: saturation times a factor, hue plus degrees.

    A channel of hue h (in sixths of a turn) is V - C clip(min(k, 4 - k), 0, 1), k = h + 5, 3, 1 modulo 6 for red, green, blue.
    """
    value, chroma, sector = apart(_cylinder, planes, saturation, hue_shift)

    def channel(offset):
        turn = sector + offset
        turn = turn - 6.0 * jnp.floor(turn * jnp.float32(1 / 6))
        return _clip(value - chroma * jnp.clip(jnp.minimum(turn, 4.0 - turn), 0.0, 1.0))

    return channel(5.0), channel(3.0), channel(1.0)


def _cylinder(planes: Planes, saturation: jax.Array, hue_shift: jax.Array) -> Planes:
    red, green, blue = planes
    value = jnp.maximum(jnp.maximum(red, green), blue)
    spread = value - jnp.minimum(jnp.minimum(red, green), blue)
    inverse = 1.0 / jnp.where(spread == 0, 1.0, spread)
    last = jnp.where(value == green, (blue - red) * inverse + 2.0, (green - blue) * inverse)
    sector = jnp.where(value == blue, (red - green) * inverse + 4.0, last)
    sector = jnp.where(spread == 0, 0.0, sector) + hue_shift * jnp.float32(1 / 60)
    return value, jnp.clip(spread * saturation, 0.0, value), sector


def color_temperature(planes: Planes, value: jax.Array) -> Planes:
    """Warm above 0 (more red, less blue), cool below."""
    warm, cool = jnp.maximum(value, 0.0), jnp.maximum(-value, 0.0)
    red, green, blue = planes
    return _clip(red + (30.0 * warm - 15.0 * cool)), green, _clip(blue + (30.0 * cool - 15.0 * warm))


def blur(plane: jax.Array, sigma: jax.Array, apart: Apart) -> jax.Array:
    """Blend towards the mean of a 3x3 box with repeated edges; the weight is sigma / 2.5, at most 1."""
    weight = jnp.clip(sigma / 2.5, 0.0, 1.0)
    mean = _three(apart(lambda plane: _three(plane, 1), plane), 2) / 9.0
    return (1.0 - weight) * plane + weight * mean


def _three(plane: jax.Array, axis: int) -> jax.Array:
    """Sum of each pixel and its two neighbours along `axis`, edges repeated. Shifts by padding: XLA:CPU vectorises them."""
    size = plane.shape[axis]
    place = jnp.arange(size, dtype=jnp.int32).reshape([-1 if i == axis else 1 for i in range(3)])

    def shifted(by):
        config = [(by, -by, 0) if i == axis else (0, 0, 0) for i in range(3)]
        return jax.lax.pad(plane, jnp.float32(0), config)

    before = jnp.where(place == 0, plane, shifted(1))
    after = jnp.where(place == size - 1, plane, shifted(-1))
    return before + plane + after


def _sharpen(plane: jax.Array, amount: jax.Array, apart: Apart) -> jax.Array:
    plane = apart(lambda plane: plane, plane)
    return _clip(plane + amount * (plane - blur(plane, jnp.float32(1.0), apart)))


def _pixelate(plane: jax.Array, source: jax.Array) -> jax.Array:
    flat = plane.reshape(plane.shape[0], -1)
    if source.shape[0] == 1:
        return flat.at[:, source[0]].get(mode="promise_in_bounds").reshape(plane.shape)
    return jax.vmap(lambda image, place: image.at[place].get(mode="promise_in_bounds"))(flat, source).reshape(plane.shape)


def _pixelated(factor: jax.Array, height: int, width: int) -> jax.Array:
    rows, columns = (pixelate_source(size, factor) for size in (height, width))
    return (rows[:, :, None] * width + columns[:, None, :]).reshape(-1, height * width)


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
    gain = _vignette_gain(distance_from_centre(*planes[0].shape[1:]), strength)
    return tuple(plane * gain for plane in planes)


def _vignette_gain(distance: jax.Array, strength: jax.Array) -> jax.Array:
    return jnp.clip(1.0 - strength * distance**2, 0.0, 1.0)


def distance_from_centre(height: int, width: int) -> jax.Array:
    """Distance of each pixel from (height / 2, width / 2) over that of a corner, f32 [1, height, width]."""
    row = jnp.arange(height, dtype=jnp.float32)[:, None] - height / 2
    column = jnp.arange(width, dtype=jnp.float32)[None, :] - width / 2
    return (jnp.sqrt(row**2 + column**2) / jnp.sqrt(jnp.float32((height / 2) ** 2 + (width / 2) ** 2)))[None]


def _contrast(planes: Planes, gain: float) -> Planes:
    return tuple(_clip((plane - 128.0) * gain + 128.0) for plane in planes)


def _brightness(planes: Planes, amount: float) -> Planes:
    return tuple(_clip(plane + 100.0 * amount) for plane in planes)


def _vintage(planes: Planes, apart: Apart) -> Planes:
    planes = color_temperature(hue_saturation(planes, _f32(0.7), _f32(0), apart), _f32(0.3))
    return _contrast(vignette(planes, _f32(0.3)), 1.1)


def _horror(planes: Planes, apart: Apart) -> Planes:
    planes = color_temperature(hue_saturation(planes, _f32(0.3), _f32(0), apart), _f32(-0.4))
    return _contrast(vignette(_brightness(planes, -0.2), _f32(0.6)), 1.4)


def _retro(planes: Planes, apart: Apart) -> Planes:
    planes = hue_saturation(hue_saturation(planes, _f32(1.5), _f32(0), apart), _f32(1), _f32(15), apart)
    return _contrast(_brightness(planes, 0.1), 0.9)


def _cyberpunk(planes: Planes, apart: Apart) -> Planes:
    planes = _contrast(color_temperature(hue_saturation(planes, _f32(1.8), _f32(0), apart), _f32(-0.2)), 1.3)
    return tuple(_sharpen(plane, _f32(0.5), apart) for plane in planes)


def _noir(planes: Planes, apart: Apart) -> Planes:
    return vignette(_contrast(hue_saturation(planes, _f32(0), _f32(0), apart), 1.6), _f32(0.4))


_PRESET: dict[str, Callable[[Planes, Apart], Planes]] = {
    "vintage": _vintage,
    "retro": _retro,
    "cyberpunk": _cyberpunk,
    "horror": _horror,
    "noir": _noir,
}


def _presets(planes: Planes, which: jax.Array, presets: tuple[str, ...], apart: Apart) -> Planes:
    out = planes
    for name in presets:
        if name in _PRESET:
            out = _where(which == PRESETS.index(name), _PRESET[name](planes, apart), out)
    return out


def _f32(value: float) -> jax.Array:
    return jnp.float32(value)


def _clip(level: jax.Array) -> jax.Array:
    return jnp.clip(level, 0.0, 255.0)


def _where(active: jax.Array, changed: Planes, planes: Planes) -> Planes:
    return tuple(jnp.where(active, new, old) for new, old in zip(changed, planes, strict=True))
