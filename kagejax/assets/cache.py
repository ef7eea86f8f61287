"""A folder of the user's where generated art and compiled programs are kept between processes. Anything wrong with it means: do
it again."""

import hashlib
import os
import pathlib
import tempfile

import numpy as np

DIGEST_BYTES = 32


def folder() -> pathlib.Path:
    """$KAGEJAX_CACHE, else kagejax inside $XDG_CACHE_HOME, else ~/.cache/kagejax."""
    chosen = os.environ.get("KAGEJAX_CACHE")
    if chosen:
        return pathlib.Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (pathlib.Path(base) if base else pathlib.Path("~/.cache").expanduser()) / "kagejax"


def keep_programs() -> None:
    """Has JAX keep compiled programs there for the next process, unless it has a folder for them already."""
    import jax

    if jax.config.jax_compilation_cache_dir is None:
        jax.config.update("jax_compilation_cache_dir", str(folder() / "programs"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.3)


def source_key() -> str:
    """Hash of the code that draws, 16 hex digits: a changed brush never meets an old picture."""
    digest = hashlib.sha256()
    for path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _place(name: str) -> pathlib.Path:
    return folder() / f"{name}-{source_key()}.bin"


def holds(name: str) -> bool:
    """Whether something is stored under `name`, whole or not."""
    try:
        return _place(name).exists()
    except (OSError, RuntimeError):  # RuntimeError: no home folder
        return False


def load(name: str, shape: tuple[int, ...]) -> np.ndarray | None:
    """The u8 array of `shape` stored under `name`, or None if there is none or if it is damaged."""
    try:
        content = _place(name).read_bytes()
    except (OSError, RuntimeError):
        return None
    digest, body = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != digest or len(body) != np.prod(shape):
        return None
    return np.frombuffer(body, np.uint8).reshape(shape)


def store(name: str, array: np.ndarray) -> None:
    """Keep `array` (u8) under `name`. Whole or not at all (a rename), and silently not at all where nothing can be written."""
    body = np.ascontiguousarray(array, np.uint8).tobytes()
    temporary = None
    try:
        folder().mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{name}-", dir=folder())
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(body).digest() + body)
        os.replace(temporary, _place(name))
    except (OSError, RuntimeError):
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
