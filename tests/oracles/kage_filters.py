"""Oracle of the fourteen filters, the five presets and the point lights: float32 pictures [H, W, 3] in grey levels."""

import jax
import jax.numpy as jnp
import numpy as np

from . import kage_palette

f32 = np.float32

PRESETS = {
    "vintage": (("saturation", 0.7), ("color_temp", 0.3), ("vignette", 0.3), ("contrast", 1.1)),
    "horror": (("saturation", 0.3), ("color_temp", -0.4), ("brightness", -0.2), ("vignette", 0.6), ("contrast", 1.4)),
    "retro": (("saturation", 1.5), ("hue", 15.0), ("brightness", 0.1), ("contrast", 0.9)),
    "cyberpunk": (("saturation", 1.8), ("color_temp", -0.2), ("contrast", 1.3), ("sharpen", 0.5)),
    "noir": (("saturation", 0.0), ("contrast", 1.6), ("vignette", 0.4)),
}


def levels(image: np.ndarray) -> np.ndarray:
    """Clipped to [0, 255], float32."""
    return np.clip(image, f32(0), f32(255)).astype(np.float32)


def brightness(image, value):
    """Adds 100 grey levels times `value`."""
    return levels(image + f32(100) * f32(value))


def contrast(image, value):
    """Gain around 128."""
    return levels((image - f32(128)) * f32(value) + f32(128))


def gamma(image, value):
    """Exponent on the picture in [0, 1]."""
    return f32(255) * (image / f32(255)) ** f32(value)


def to_hsv(image):
    """Hue in degrees [0, 360), saturation and value in [0, 1]; of equal channels the last one counts as the largest."""
    red, green, blue = np.moveaxis(image / f32(255), -1, 0)
    high, low = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
    spread = high - low
    safe = np.where(spread > 0, spread, f32(1))
    hue = np.zeros_like(high)
    hue = np.where(high == red, f32(60) * np.mod((green - blue) / safe, f32(6)), hue)
    hue = np.where(high == green, f32(60) * ((blue - red) / safe + f32(2)), hue)
    hue = np.where(high == blue, f32(60) * ((red - green) / safe + f32(4)), hue)
    hue = np.where(spread > 0, hue, f32(0))
    return hue, np.where(high > 0, spread / np.where(high > 0, high, f32(1)), f32(0)), high


def from_hsv(hue, saturation, value):
    """Inverse of `to_hsv`, in grey levels."""
    chroma = value * saturation
    sixth = hue / f32(60)
    middle = chroma * (f32(1) - abs(np.mod(sixth, f32(2)) - f32(1)))
    base, zero = value - chroma, np.zeros_like(chroma)
    sector = np.mod(np.floor(sixth).astype(np.int32), 6)
    wheel = (
        (chroma, middle, zero),
        (middle, chroma, zero),
        (zero, chroma, middle),
        (zero, middle, chroma),
        (middle, zero, chroma),
        (chroma, zero, middle),
    )
    channels = [np.choose(sector, [colors[i] for colors in wheel]) + base for i in range(3)]
    return levels(np.stack(channels, -1) * f32(255))


def recolor(image, saturation=1.0, hue_shift=0.0):
    """One pass through HSV."""
    hue, strength, value = to_hsv(image)
    if saturation != 1.0:
        strength = np.clip(strength * f32(saturation), f32(0), f32(1))
    if hue_shift != 0.0:
        hue = np.mod(hue + f32(hue_shift), f32(360))
    return from_hsv(hue, strength, value)


def color_temp(image, value):
    """Warmer (> 0: more red, less blue) or cooler (< 0)."""
    value = f32(value)
    warm, cool = (f32(30), f32(-15)) if value > 0 else (f32(-15), f32(30))
    return levels(image + np.array([warm * abs(value), f32(0), cool * abs(value)], np.float32))


def color_jitter(image, value, normal):
    """Random mixing of the channels; `normal` is f32 [3, 3] standard normal."""
    mixing = np.eye(3, dtype=np.float32) + f32(value) * normal
    mixing = mixing / np.abs(mixing).sum(axis=1, keepdims=True)
    return levels((image[..., None, :] * mixing).sum(-1))


def box_mean(image):
    """Mean of each 3x3 neighbourhood, edges repeated."""
    padded = np.pad(image, ((1, 1), (1, 1), (0, 0)), mode="edge")
    height, width = image.shape[:2]
    shifted = [padded[i : i + height, j : j + width] for i in range(3) for j in range(3)]
    return sum(shifted[1:], shifted[0]) / f32(9)


def blur(image, sigma):
    """Blend towards the 3x3 mean, full at sigma 2.5."""
    share = np.clip(f32(sigma) / f32(2.5), f32(0), f32(1))
    return (f32(1) - share) * image + share * box_mean(image)


def sharpen(image, amount):
    """Unsharp mask against the blur of sigma 1."""
    return levels(image + f32(amount) * (image - blur(image, 1.0)))


def nearest(image, height: int, width: int):
    """Nearest-neighbour resize: output i reads input floor((i + 0.5) * in / out), in float32."""

    def sources(size: int, new: int):
        return np.floor((np.arange(new, dtype=np.float32) + f32(0.5)) * f32(size) / f32(new)).astype(int)

    return image[sources(image.shape[0], height)][:, sources(image.shape[1], width)]


def pixelate(image, factor: int):
    """Down by `factor` and up again, both nearest-neighbour."""
    height, width = image.shape[:2]
    return nearest(nearest(image, height // factor, width // factor), height, width)


def distance(height: int, width: int) -> np.ndarray:
    """Distance of each pixel from (H/2, W/2) in half-diagonals, f32 [H, W, 1]."""
    rows, columns = np.mgrid[:height, :width].astype(np.float32)
    middle_row, middle_column = f32(height / 2), f32(width / 2)
    squared = (columns - middle_column) ** 2 + (rows - middle_row) ** 2
    return (np.sqrt(squared) / np.sqrt(middle_row**2 + middle_column**2))[..., None]


def vignette(image, strength):
    """Darkens with the square of the distance from the middle."""
    d = distance(*image.shape[:2])
    return image * np.clip(f32(1) - f32(strength) * d**2, f32(0), f32(1))


def radial_light(image, strength, color):
    """Adds a glow of `color` around the middle."""
    d = distance(*image.shape[:2])
    glow = np.clip(f32(1) - d ** f32(1.5), f32(0), f32(1))
    return levels(image + f32(strength) * glow * np.array(color, np.float32))


STEPS = {
    "saturation": lambda image, value: recolor(image, saturation=value),
    "hue": lambda image, value: recolor(image, hue_shift=value),
    "color_temp": color_temp,
    "brightness": brightness,
    "contrast": contrast,
    "vignette": vignette,
    "sharpen": sharpen,
}


def preset(image, name):
    """One of the five named looks; any other name changes nothing."""
    for step, value in PRESETS.get(name, ()):
        image = STEPS[step](image, value)
    return image


def chain(image, config, noise) -> np.ndarray:
    """The main chain, f32; see `apply` for `noise`."""
    filters = {key.removeprefix("filters."): value for key, value in config.items() if key.startswith("filters.")}
    image = preset(image, filters["pop_filter"])
    if filters["brightness"] != 0:
        image = brightness(image, filters["brightness"])
    if filters["contrast"] != 1:
        image = contrast(image, filters["contrast"])
    if filters["gamma"] != 1:
        image = gamma(image, filters["gamma"])
    if filters["saturation"] != 1 or filters["hue_shift"] != 0:
        image = recolor(image, filters["saturation"], filters["hue_shift"])
    if filters["color_temp"] != 0:
        image = color_temp(image, filters["color_temp"])
    if filters["color_jitter_std"] > 0:
        image = color_jitter(image, filters["color_jitter_std"], noise["jitter"])
    if filters["blur_sigma"] > 0:
        image = blur(image, filters["blur_sigma"])
    if filters["sharpen_amount"] > 0:
        image = sharpen(image, filters["sharpen_amount"])
    if filters["pixelate_factor"] > 1:
        image = pixelate(image, filters["pixelate_factor"])
    if filters["gaussian_noise_std"] > 0:
        image = levels(image + f32(filters["gaussian_noise_std"]) * noise["gaussian"])
    if filters["poisson_noise_scale"] > 0:
        scale = f32(filters["poisson_noise_scale"])
        image = levels(noise["poisson"](image * scale) / scale)
    if filters["vignette_strength"] > 0:
        image = vignette(image, filters["vignette_strength"])
    if filters["radial_light_strength"] > 0:
        image = radial_light(image, filters["radial_light_strength"], filters["radial_light_color"])
    return image


def apply(frame: np.ndarray, config, preset_index: int, noise=None) -> np.ndarray:
    """All filters on a u8 frame. `noise`: jitter f32 [3, 3] and gaussian f32 [H, W, 3] standard normal, poisson rate -> counts.

    A preset of the list is cut to u8 before the rest goes on; the single preset `pop_filter` is not.
    """
    presets = config["filters.pop_filter_list"]
    if presets:
        frame = levels(preset(frame.astype(np.float32), presets[preset_index])).astype(np.uint8)
    return levels(chain(frame.astype(np.float32), config, noise)).astype(np.uint8)


def keyed_noise(filter_key, config) -> dict:
    """The noise that a state's `filter_key` stands for: one subkey per active stochastic filter, in the chain's order."""
    key, shape, noise = jnp.asarray(filter_key), (config["H"], config["W"], 3), {}
    if config["filters.color_jitter_std"] > 0:
        key, subkey = jax.random.split(key)
        noise["jitter"] = np.asarray(jax.random.normal(subkey, (3, 3), jnp.float32))
    if config["filters.gaussian_noise_std"] > 0:
        key, subkey = jax.random.split(key)
        noise["gaussian"] = np.asarray(jax.random.normal(subkey, shape, jnp.float32))
    if config["filters.poisson_noise_scale"] > 0:
        key, poisson_key = jax.random.split(key)
        noise["poisson"] = lambda rate: np.asarray(jax.random.poisson(poisson_key, rate, dtype=jnp.int32)).astype(np.float32)
    return noise


def apply_lights(frame: np.ndarray, config, positions: np.ndarray) -> np.ndarray:
    """Adds up to five lights, fixed to the screen. `positions` f32 [5, 2] are (x, y) in fractions of it."""
    if not config["effects.point_light_enabled"]:
        return frame
    height, width = frame.shape[:2]
    names = config["effects.point_light_color_names"]
    radius = np.sqrt(f32(height**2 + width**2)) * f32(config["effects.point_light_radius"])
    rows, columns = np.mgrid[:height, :width].astype(np.float32)
    total = np.zeros((height, width, 3), np.float32)
    for i in range(min(config["effects.point_light_count"], 5)):
        x, y = f32(positions[i][0]) * f32(width), f32(positions[i][1]) * f32(height)
        away = np.sqrt((columns - x) ** 2 + (rows - y) ** 2)
        strength = f32(1) / (f32(1) + (away / radius) ** f32(config["effects.point_light_falloff"]))
        color = np.array(kage_palette.LIGHT[names[i % len(names)]], np.float32)
        total += np.clip(strength, f32(0), f32(1))[..., None] * color * f32(config["effects.point_light_intensity"])
    return levels(frame.astype(np.float32) + total).astype(np.uint8)
