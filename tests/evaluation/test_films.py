"""Films show every frame, in the format that their name asks for."""

import subprocess

import imageio_ffmpeg
import numpy as np
import PIL.Image

from kagejax.evaluation import films

COLOURS = np.array([[200, 40, 40], [40, 200, 40], [40, 40, 200], [220, 220, 60]], np.uint8)
FRAMES = np.broadcast_to(COLOURS[:, None, None], (4, 34, 64, 3))


def test_a_gif_has_every_frame_and_its_colours(tmp_path):
    films.write(tmp_path / "film.gif", FRAMES, 10.0)
    with PIL.Image.open(tmp_path / "film.gif") as film:
        assert (film.n_frames, film.size, film.info["duration"], film.info["loop"]) == (4, (64, 34), 100, 0)
        for place, colour in enumerate(COLOURS):
            film.seek(place)
            assert film.convert("RGB").getpixel((5, 5)) == tuple(colour)


def test_an_mp4_has_every_frame_and_nearly_its_colours(tmp_path):
    films.write(tmp_path / "film.mp4", FRAMES, 10.0)
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", tmp_path / "film.mp4", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert b"h264" in done.stderr and b"64x34" in done.stderr and b"10 fps" in done.stderr
    shown = np.frombuffer(done.stdout, np.uint8).reshape(4, 34, 64, 3)
    np.testing.assert_allclose(shown[:, 5, 5].astype(int), COLOURS, atol=6)  # H.264 loses a little
