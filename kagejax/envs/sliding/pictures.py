"""From files to tiles: pools of pictures, resized and cut. Host side, Pillow and NumPy. SPEC section 6."""

import pathlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageOps

from kagejax.assets.errors import AssetError
from kagejax.raster import glyphs

from .rules import Grid

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp")
TILE_COLORS = ((196, 164, 116), (58, 40, 24), (120, 92, 56))
"""Of a numbered tile: face, digits, edge."""
DATA_SETS = {
    "imagenet": "the validation pictures of ImageNet-1k (ILSVRC2012_val_00000001.JPEG and so on, in one folder or by class)",
    "diffusiondb": "the parts of DiffusionDB as its archives unpack (part-000001/*.png and so on)",
}


class Pool(NamedTuple):
    """Names of the files of a pool and of what is held out of it."""

    train: tuple[pathlib.Path, ...]
    held_out: tuple[pathlib.Path, ...]


def found(folder: str | pathlib.Path, data_set: str = "folder") -> list[pathlib.Path]:
    """Every picture under `folder`, sub-folders too, in order of its path. Raises AssetError if there is none."""
    root = pathlib.Path(folder).expanduser()
    wanted = f" Expected are {DATA_SETS[data_set]}." if data_set in DATA_SETS else ""
    if not root.exists():
        raise AssetError(f"There is no folder {root}.{wanted}")
    if not root.is_dir():
        raise AssetError(f"{root} is a file; give the folder it is in, or name it under pictures.paths with source list.")
    files = [path for path in root.rglob("*") if path.suffix.lower() in ENDINGS and path.is_file()]
    if not files:
        raise AssetError(f"Under {root} there is no picture; files end in {', '.join(ENDINGS)}.{wanted}")
    return sorted(files, key=lambda path: path.relative_to(root).as_posix())


def pool(files: Sequence[pathlib.Path], size: int | None, held_out: int, seed: int, split: str) -> list[pathlib.Path]:
    """The `size` pictures to train on (None: all, and none is held out), or `held_out` others, drawn by `seed`.

    One order of the files is drawn; pools are its beginning and the held-out pictures its end, so that smaller pools lie
    within larger ones and no held-out picture is in a pool. Raises AssetError if there are too few files.
    """
    order = np.random.default_rng(seed).permutation(len(files))
    count = len(files) if size is None else size
    wants = f"{count} to train on" + (f" and {held_out} held out" if split == "held_out" else "")
    if count + (held_out if split == "held_out" else 0) > len(files):
        raise AssetError(f"There are {len(files)} pictures, fewer than {wants}; lower pictures.pool_size or held_out_size.")
    chosen = order[len(files) - held_out :] if split == "held_out" else order[:count]
    return [files[i] for i in chosen]


def read(path: pathlib.Path, height: int, width: int, background: tuple[int, int, int]) -> np.ndarray:
    """The picture of a file, u8 [height, width, 3]: turned as its EXIF data say, transparent parts over `background`, resized
    by Pillow's antialiased bicubic filter without regard to its aspect. Raises AssetError, naming the file."""
    try:
        with Image.open(path) as opened:
            image = _eight_bit(ImageOps.exif_transpose(opened))
            if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
                image = image.convert("RGBA")
                image = Image.alpha_composite(Image.new("RGBA", image.size, (*background, 255)), image)
            image = image.convert("RGB")
    except FileNotFoundError:
        raise AssetError(f"There is no picture {path}.") from None
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise AssetError(f"Picture {path} cannot be read: {error}.") from None
    return resized(np.asarray(image), height, width)


def _eight_bit(image: Image.Image) -> Image.Image:
    """16-bit grey scaled to 8 bits: Pillow's own conversion would clip it to white."""
    if not image.mode.startswith("I"):
        return image
    return Image.fromarray((np.asarray(image, np.int64).clip(0, 65535) // 257).astype(np.uint8))


def resized(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """u8 [h, w, 3] as [height, width, 3], by Pillow's antialiased bicubic filter."""
    if picture.shape[:2] == (height, width):
        return picture
    return np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.BICUBIC))


def cut(picture: np.ndarray, grid: Grid, tile: tuple[int, int], background: tuple[int, int, int]) -> np.ndarray:
    """A picture u8 [h, w, 3] as its blank and tiles 1 .. N - 1, u8 [N, th, tw, 3].

    Tiles that the picture's border cuts short are stretched to full size, as published; frames then show a part of them.
    """
    tall, wide = tile
    tiles = np.empty((grid.cells, tall, wide, 3), np.uint8)
    tiles[0] = background
    for value in range(1, grid.cells):
        row, column = divmod(value - 1, grid.columns)
        part = picture[row * tall : (row + 1) * tall, column * wide : (column + 1) * wide]
        tiles[value] = resized(part, tall, wide)
    return tiles


def numbered(grid: Grid, tile: tuple[int, int], background: tuple[int, int, int]) -> np.ndarray:
    """Tiles with their numbers on them, u8 [N, th, tw, 3]; entry 0 is the blank."""
    face, ink, edge = (np.array(color, np.uint8) for color in TILE_COLORS)
    tiles = np.empty((grid.cells, *tile, 3), np.uint8)
    tiles[:] = face
    if min(tile) >= 8:
        tiles[:, [0, -1]] = tiles[:, :, [0, -1]] = edge
    for value in range(1, grid.cells):
        tiles[value][glyphs.number(value, *tile)] = ink
    tiles[0] = background
    return tiles


def sheet(tiles: Sequence[np.ndarray]) -> np.ndarray:
    """Tiles of pictures, u8 [N, th, tw, 3] each, one after the other as u8 [pictures * N, th, 3 * tw]."""
    joined = np.concatenate(tiles)
    return joined.reshape(*joined.shape[:2], -1)
