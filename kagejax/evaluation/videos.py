"""Frames as an MP4 film; needs the package imageio-ffmpeg, which brings its own encoder."""

import importlib.util
import pathlib
import warnings

import numpy as np

MISSING = "An MP4 needs imageio-ffmpeg, which is not installed: pip install 'kagejax[video]'. Or write a GIF."


def available() -> bool:
    """Whether films can be written here."""
    return importlib.util.find_spec("imageio_ffmpeg") is not None


def write_mp4(path: str | pathlib.Path, frames: np.ndarray, frames_per_second: float) -> None:
    """Writes frames u8 [time, H, W, 3] as H.264, which every browser plays. Odd extents grow by a row or column of edge pixels.

    Raises ImportError without imageio-ffmpeg, RuntimeError or OSError where encoding or writing fails.
    """
    import imageio_ffmpeg

    _, height, width, _ = frames.shape
    frames = np.pad(frames, ((0, 0), (0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    size = (frames.shape[2], frames.shape[1])
    writer = imageio_ffmpeg.write_frames(str(path), size, fps=frames_per_second, quality=8, macro_block_size=2)
    with warnings.catch_warnings():
        # The encoder is a process of its own, which runs no Python after its fork: JAX's warning does not concern it.
        warnings.filterwarnings("ignore", message=r"os\.fork\(\) was called", category=RuntimeWarning)
        writer.send(None)
    try:
        for frame in frames:
            writer.send(np.ascontiguousarray(frame))
    finally:
        writer.close()
