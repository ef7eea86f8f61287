"""The terminal: its keys, its pictures, and that it is given back as it was."""

import os
import signal

import numpy as np
import pytest

from kagejax.play import blocks, page
from kagejax.play.terminal import composed, decoded
from tests.play.screens import Played, Screen

WORDS = page.Words(
    "sokoban", "episode 0, seed 0", "your move", "going",
    (("step", "1"), ("return", "2"), ("reward", "3")),
    [("pushes", "4")] * 6, [("← A", "left"), ("→ D", "right"), ("Q", "quit")],
)  # fmt: skip
RUN = "import sys; from kagejax.cli import play; sys.exit(play.main(sys.argv[1:]))"


@pytest.mark.parametrize(
    ("text", "whole", "keys", "rest"),
    [
        ("dD \r", False, ["d", "d", "space", "return"], ""),
        ("\x1b[A\x1bOD", False, ["up", "left"], ""),
        ("\x1b[1;5C", False, ["right"], ""),
        ("\x1b", False, [], "\x1b"),
        ("\x1b", True, ["escape"], ""),
        ("w\x1b[", False, ["w"], "\x1b["),
        ("\x1b[1;", False, [], "\x1b[1;"),
        ("\x1b[3~q", False, ["q"], ""),
        ("\x1bxq", False, ["q"], ""),
    ],
)
def test_keys_are_what_a_terminal_sends_for_them(text, whole, keys, rest):
    assert decoded(text, whole) == (keys, rest)


@pytest.mark.parametrize("height", [6, 7])
def test_a_picture_of_half_blocks_has_every_pixel(height):
    picture = np.random.default_rng(0).integers(0, 3, (height, 9, 3), np.uint8) * 100
    screen = Screen(20, 10)
    for row, line in enumerate(blocks.lines(picture)):
        screen.write(f"\x1b[{row + 1}H{line}")
    np.testing.assert_array_equal(screen.pixels()[:height, :9], picture)


def test_an_area_of_one_colour_says_it_once():
    (line,) = blocks.lines(np.full((2, 50, 3), 7, np.uint8))
    assert line == "\x1b[38;2;7;7;7;48;2;7;7;7m▀" + " " * 49 + "\x1b[0m"


def shown(columns, rows, picture):
    screen = Screen(columns, rows)
    for row, line in enumerate(composed(WORDS, picture, columns, rows)):
        screen.write(f"\x1b[{row + 1}H{line}")
    return screen


@pytest.mark.parametrize("rows", [10, 16, 24, 40, 100])
@pytest.mark.parametrize("columns", [24, 40, 66, 80, 120, 300])
@pytest.mark.parametrize("size", [8, 64, 128, 383])
def test_everything_fits_whatever_the_size(columns, rows, size):
    screen = shown(columns, rows, np.full((size, size, 3), 99, np.uint8))
    text = "\n".join(screen.lines)
    assert "sokoban" in text and "quit" in text and "▀" in text


def test_a_picture_is_enlarged_by_whole_factors_where_there_is_room():
    picture = np.random.default_rng(0).integers(0, 255, (8, 8, 3), np.uint8)
    screen = shown(100, 30, picture)
    factor = (30 - 2) * 2 // 8
    np.testing.assert_array_equal(screen.pixels()[: 8 * factor, : 8 * factor], picture.repeat(factor, 0).repeat(factor, 1))


def test_a_terminal_that_is_too_small_shows_less_and_says_so():
    text = "\n".join(shown(80, 24, np.full((128, 128, 3), 99, np.uint8)).lines)
    assert "44 x 44 of 128 x 128 px;" in text and "all take 128 x 64 characters" in text
    lines = shown(60, 20, np.full((128, 128, 3), 9, np.uint8)).lines
    assert "32 x 32 of 128 x 128 px; all take 128 x 64 characters" in lines
    assert composed(WORDS, np.full((8, 8, 3), 9, np.uint8), 20, 9) == ["20 x 9 characters ar", "enlarge to 24 x 10"]


@pytest.fixture
def play(tmp_path):
    """Starts `kagejax play sokoban/simplest --terminal ARGUMENTS` in a terminal."""
    started = []

    def start(*arguments, columns=110, rows=34, **environment):
        cache = os.environ.get("KAGEJAX_TEST_CACHE") or str(tmp_path / "programs")
        environment = {"JAX_COMPILATION_CACHE_DIR": cache, "JAX_PLATFORMS": "cpu", "COVERAGE_PROCESS_START": "", **environment}
        started.append(Played(["-c", RUN, "sokoban/simplest", "--terminal", *arguments], columns, rows, **environment))
        return started[-1]

    yield start
    for each in started:
        each.close()


def test_an_episode_is_played_and_the_terminal_given_back(play, tmp_path):
    playing = play("--replay", str(tmp_path / "a.replay"))
    before = playing.settings()
    playing.until("your move")
    assert "?1049" in playing.screen.modes and playing.settings() != before
    playing.press("\x1b[C")
    playing.until("step 1")
    playing.press("vs")
    playing.until("step 2")
    playing.until("u8 64 x 64 x 3")
    playing.resize(70, 12)
    playing.screen.__init__(70, 12)
    playing.press("v")
    playing.until("of 64 x 64 px")
    playing.press("q")
    assert playing.end() == 0
    assert playing.settings() == before
    assert playing.raw.endswith(b"1 episode\r\n") and b"\x1b[?25h\x1b[?1049l" in playing.raw
    assert (tmp_path / "a.replay").is_file()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 1), (signal.SIGTERM, 143)])
def test_a_signal_gives_the_terminal_back_and_keeps_the_replay(play, tmp_path, number, status):
    playing = play("--replay", str(tmp_path / "a.replay"))
    before = playing.settings()
    playing.until("your move")
    playing.press("d")
    playing.until("step 1")
    playing.process.send_signal(number)
    assert playing.end() in (status, -number)
    assert playing.settings() == before and b"\x1b[?25h\x1b[?1049l" in playing.raw
    assert (tmp_path / "a.replay").is_file()


def test_a_terminal_without_colours_or_signs_is_told_what_to_set(play):
    dumb = play(TERM="dumb")
    assert dumb.end() != 0 and b"This terminal can show no colours" in dumb.raw
    ascii_only = play(PYTHONIOENCODING="ascii")
    assert ascii_only.end() != 0 and b"LC_ALL" in ascii_only.raw
