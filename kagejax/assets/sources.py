"""From the asset keys of a configuration to arrays: the user's own files where they exist, else our built-in art.

Configurations name built-in art by path, as published ones do ("assets/backgrounds", "src/.../sprites/skeleton"), so only the
last component of a path that is not on disk counts: "backgrounds", "bg-7.jpeg" (any picture ending), "sprites", or the name
of a skin. All arrays returned are read-only and shared between calls.
"""

import difflib
import functools
import pathlib
import re
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageOps

from kagejax.assets import backgrounds, skins
from kagejax.assets.errors import AssetError

__all__ = ["AssetError", "load_pictures", "load_skins"]

PICTURE_ENDINGS = (".jpg", ".jpeg", ".png", ".bmp")
Frames = tuple[np.ndarray, ...]


def load_pictures(
    image_dir: str | None,
    image_paths: Sequence[str] | None,
    image_path: str | None,
    height: int,
    base_dir: str | pathlib.Path | None = None,
) -> list[np.ndarray]:
    """Backgrounds, u8 [height, width, 3] each, from whichever one of the three sources is given.

    The first picture keeps its aspect (width = int(height * w / h)); the others are forced to its size. Relative paths are
    sought beside the configuration (`base_dir`), then in the working directory, then among built-ins. Raises AssetError.
    """
    pictures = [_picture(source) for source in _picture_sources(image_dir, image_paths, image_path, base_dir)]
    first = pictures[0]
    width = max(1, int(height * first.shape[1] / first.shape[0]))
    return [_resized(picture, height, width) for picture in pictures]


def load_skins(
    sprite_dir: str | None,
    sprite_paths: Sequence[str] | None,
    sprite_path: str | None,
    base_dir: str | pathlib.Path | None = None,
) -> list[Frames]:
    """Skins, each a tuple of RGBA frames (u8 [h, w, 4], any size), from whichever one of the three sources is given.

    `sprite_dir` is a folder of skin folders, taken in order of name; the other two name skin folders. A skin folder holds
    its frames as .png files, taken in order of name. No source gives no skin. Paths as in `load_pictures`. Raises AssetError.
    """
    if sprite_dir:
        return _skin_folder(sprite_dir, base_dir)
    return [_skin(path, base_dir) for path in (sprite_paths or ([sprite_path] if sprite_path else []))]


def _on_disk(path: str, base_dir: str | pathlib.Path | None) -> pathlib.Path | None:
    """Where `path` exists: beside the configuration, else from the working directory, else nowhere."""
    given = pathlib.Path(path).expanduser()
    places = [pathlib.Path(base_dir) / given, given] if base_dir is not None else [given]
    return next((place for place in places if place.exists()), None)


def _last(path: str) -> str:
    """The last component, whichever way the slashes lean."""
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def _searched(base_dir: str | pathlib.Path | None) -> str:
    here = pathlib.Path.cwd()
    there = here if base_dir is None else pathlib.Path(base_dir).resolve()
    return f"There is no such path under {there}" + (f" or under {here}" if there != here else "")


def _nearest(name: str, names: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f" Did you mean {close[0]!r}?" if close else ""


# --- pictures: a source is a file (pathlib.Path) or the index of a built-in (int) ---


def _picture_sources(
    image_dir: str | None, image_paths: Sequence[str] | None, image_path: str | None, base_dir: str | pathlib.Path | None
) -> list[pathlib.Path | int]:
    if image_dir:
        return _picture_folder(image_dir, base_dir)
    paths = image_paths or ([image_path] if image_path else [])
    if not paths:
        raise AssetError(
            "A background of images needs pictures: set one of background.image_dir (a folder), background.image_paths "
            "(a list of files) or background.image_path (one file); 'assets/backgrounds' gives the 128 built-in ones."
        )
    return [_picture_source(path, base_dir) for path in paths]


def _picture_source(path: str, base_dir: str | pathlib.Path | None) -> pathlib.Path | int:
    found = _on_disk(path, base_dir)
    if found is not None:
        if found.is_dir():
            raise AssetError(f"Background image {path!r} is a folder; give a file, or set background.image_dir to it.")
        return found
    name = _last(path)
    builtin = re.fullmatch(r"(bg-[1-9]\d*)(\.jpe?g|\.png|\.bmp)?", name.lower())
    if builtin and builtin[1] in backgrounds.NAMES:
        return backgrounds.NAMES.index(builtin[1]) + 1
    stem = name.rsplit(".", 1)[0]
    raise AssetError(
        f"Background image {path!r} was not found. {_searched(base_dir)}, and {name!r} is not built in; "
        f"built-in pictures are bg-1.jpeg to bg-{backgrounds.COUNT}.jpeg.{_nearest(stem, backgrounds.NAMES)}"
    )


def _picture_folder(path: str, base_dir: str | pathlib.Path | None) -> list[pathlib.Path | int]:
    found = _on_disk(path, base_dir)
    if found is None:
        if _last(path).lower() == "backgrounds":
            backgrounds.pictures()  # made or read at once, rather than one by one
            return [backgrounds.NAMES.index(name) + 1 for name in sorted(backgrounds.NAMES)]
        raise AssetError(
            f"Background folder {path!r} was not found. {_searched(base_dir)}, and the only built-in folder of pictures is "
            f"'builtin/backgrounds'.{_nearest(_last(path).lower(), ['backgrounds'])}"
        )
    if not found.is_dir():
        raise AssetError(f"Background folder {path!r} is a file; set background.image_path to it instead.")
    files = sorted((file for file in found.iterdir() if file.suffix.lower() in PICTURE_ENDINGS and file.is_file()), key=str)
    if not files:
        raise AssetError(f"Background folder {found} holds no picture; its files must end in {', '.join(PICTURE_ENDINGS)}.")
    return files


def _picture(source: pathlib.Path | int) -> np.ndarray:
    if isinstance(source, int):
        return backgrounds.picture(source)
    return _decoded(source, "RGB")


@functools.lru_cache(maxsize=4096)
def _resize(content: bytes, shape: tuple[int, ...], height: int, width: int) -> np.ndarray:
    image = Image.fromarray(np.frombuffer(content, np.uint8).reshape(shape))
    return _read_only(np.asarray(image.resize((width, height), Image.Resampling.LANCZOS)))


def _resized(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    if picture.shape[:2] == (height, width):
        return picture
    return _resize(picture.tobytes(), picture.shape, height, width)


# --- skins ---


def _skin_folder(path: str, base_dir: str | pathlib.Path | None) -> list[Frames]:
    found = _on_disk(path, base_dir)
    if found is None:
        name = _last(path)
        if name.lower() == "sprites":
            return [skins.frames(skin) for skin in skins.NAMES]
        hint = f" {name!r} is one skin: set sprite_path to it." if name in skins.NAMES else _nearest(name.lower(), ["sprites"])
        raise AssetError(
            f"Sprite folder {path!r} was not found. {_searched(base_dir)}, and the only built-in folder of skins is "
            f"'builtin/sprites', with {len(skins.NAMES)} skins.{hint}"
        )
    if not found.is_dir():
        raise AssetError(f"Sprite folder {path!r} is a file; it must be a folder with one sub-folder of .png frames per skin.")
    folders = sorted((folder for folder in found.iterdir() if folder.is_dir()), key=str)
    if not folders:
        hint = " It holds .png frames itself: set sprite_path to it." if any(found.glob("*.png")) else ""
        raise AssetError(f"Sprite folder {found} holds no skin; each skin is a sub-folder of .png frames.{hint}")
    return [_read_skin(folder) for folder in folders]


def _skin(path: str, base_dir: str | pathlib.Path | None) -> Frames:
    found = _on_disk(path, base_dir)
    if found is not None:
        return _read_skin(found)
    name = _last(path)
    if name in skins.NAMES:
        return skins.frames(name)
    raise AssetError(
        f"Skin {path!r} was not found. {_searched(base_dir)}, and {name!r} is not built in.{_nearest(name, skins.NAMES)} "
        f"Built-in skins: {', '.join(skins.NAMES)}."
    )


def _read_skin(folder: pathlib.Path) -> Frames:
    if not folder.is_dir():
        raise AssetError(f"Skin {folder} is a file; a skin is a folder whose .png files are its frames.")
    files = sorted((file for file in folder.iterdir() if file.suffix.lower() == ".png" and file.is_file()), key=str)
    if not files:
        raise AssetError(f"Skin folder {folder} holds no frame; its frames must be .png files.")
    return tuple(_decoded(file, "RGBA") for file in files)


# --- files ---


def _decoded(path: pathlib.Path, mode: str) -> np.ndarray:
    """The picture in a file, u8 [h, w, channels of `mode`], read once as long as the file does not change."""
    status = path.stat()
    return _decode(str(path.resolve()), status.st_mtime_ns, status.st_size, mode)


@functools.lru_cache(maxsize=4096)
def _decode(path: str, modified_ns: int, size: int, mode: str) -> np.ndarray:
    """Turned upright as its EXIF says. Palettes and grey become colours; a background shows transparency as black."""
    try:
        with Image.open(path) as image:
            upright = ImageOps.exif_transpose(image)
            rgba = upright.convert("RGBA") if "A" in upright.getbands() or "transparency" in upright.info else None
            if mode == "RGBA":
                return _read_only(np.asarray(rgba or upright.convert("RGBA")))
            if rgba is None:
                return _read_only(np.asarray(_eight_bit(upright).convert("RGB")))
            black = Image.new("RGBA", rgba.size, (0, 0, 0, 255))
            return _read_only(np.asarray(Image.alpha_composite(black, rgba).convert("RGB")))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:  # Pillow's ways to say: broken
        raise AssetError(f"{path} is not a readable picture ({error}). Save it again as PNG or JPEG, or remove it.") from error


def _eight_bit(image: Image.Image) -> Image.Image:
    """16-bit grey scaled to 8 bits: Pillow's own conversion would clip it to white."""
    if not image.mode.startswith("I"):
        return image
    return Image.fromarray((np.asarray(image, np.int64).clip(0, 65535) // 257).astype(np.uint8))


def _read_only(array: np.ndarray) -> np.ndarray:
    copy = np.array(array, np.uint8)
    copy.setflags(write=False)
    return copy
