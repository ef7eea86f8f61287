"""The window, on a screen that nobody sees, with keys that nobody presses."""

import json
import sys

import numpy as np
import pytest

from kagejax.cli import play as command
from kagejax.config.problems import ConfigError
from kagejax.play import window
from kagejax.play.loading import Loading
from kagejax.play.player import Player
from tests.play.rooms import CorridorConfig, corridor_room  # noqa: F401

pygame = pytest.importorskip("pygame", reason="pygame-ce is not installed: pip install 'kagejax[play]'")
pytestmark = pytest.mark.usefixtures("corridor_room", "screen")


@pytest.fixture
def screen(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()  # without it there are no names of keys
    yield
    pygame.display.quit()


def key(name, kind=pygame.KEYDOWN, mod=0):
    return pygame.event.Event(kind, key=pygame.key.key_code(name), mod=mod, unicode="", scancode=0)


@pytest.fixture
def script(monkeypatch):
    """Posts events one after the other, each once the game is compiled and shown; then closes the window."""

    def post(*events, look=lambda screen, player: None):
        waiting, seen = list(events), {}
        wait, draw = window.Window.wait, window.Window.draw

        def drawn(self, player):
            seen["player"] = player
            draw(self, player)

        def waited(self, seconds):
            if "player" in seen and seen["player"].session.ready:
                look(self, seen["player"])
                pygame.event.post(waiting.pop(0) if waiting else pygame.event.Event(pygame.QUIT))
            return wait(self, seconds)

        monkeypatch.setattr(window.Window, "draw", drawn)
        monkeypatch.setattr(window.Window, "wait", waited)

    return post


def run(tmp_path, film=None, replay=None, scale=0):
    return command._play(CorridorConfig(), "corridor", 3, 30.0, scale, film, replay, False)


def test_keys_play_and_the_replay_has_what_was_played(script, tmp_path, capsys):
    script(key("right"), key("space"), key("a"), key("right", pygame.KEYUP), key("n"), key("d"))
    assert run(tmp_path, replay=tmp_path / "a.replay") == 0
    content = json.loads((tmp_path / "a.replay").read_text())
    assert [(each["number"], each["actions"]) for each in content["episodes"]] == [(0, [2, 1, 0]), (1, [2])]
    out = capsys.readouterr().out
    assert out.startswith("episode 1, 1 steps, return ") and out.endswith("a.replay: 2 episodes\n")


def test_the_page_is_on_the_screen_and_follows_its_size(script, tmp_path):
    sizes, greys = [], []

    def look(shown, player):
        pixels = pygame.surfarray.array3d(pygame.display.get_surface()).transpose(1, 0, 2)
        sizes.append(pixels.shape[:2])
        colors, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
        greys.append(dict(zip(map(tuple, colors.tolist()), counts.tolist(), strict=True)))
        if len(sizes) == 1:
            pygame.display.set_mode((700, 500), pygame.RESIZABLE)

    script(key("right"), key("left"), look=look)
    assert run(tmp_path) == 0
    assert sizes[0] == (640, 960) and sizes[-1] == (500, 700)
    walker = (200, 200, 200)  # of the corridor's picture, 8 x 8, enlarged 64 and then 31 times
    assert greys[0][walker] % 64 == 0 and greys[0][walker] >= 64 * 512


def test_ctrl_and_a_letter_is_no_key_of_the_game(script, tmp_path, capsys):
    script(key("right", mod=pygame.KMOD_LCTRL), key("q", mod=pygame.KMOD_LCTRL))
    assert run(tmp_path, replay=tmp_path / "a.replay") == 0
    assert capsys.readouterr().out.endswith("a.replay: nothing was played, nothing was written\n")
    assert not list(tmp_path.iterdir())


def test_escape_leaves(script, tmp_path, capsys):
    script(key("right"), key("escape"), key("right"), key("right"))
    assert run(tmp_path) == 0
    assert capsys.readouterr().out.startswith("episode 0, 1 steps")


def test_a_window_can_be_closed_before_there_is_a_picture(tmp_path):
    frame = window.Window("corridor", (8, 8), 0)
    loading = Loading(CorridorConfig(), 3)
    loading.moment = None
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert window.run(frame, loading, lambda loading: pytest.fail("not yet")) is None
    loading.join(120)


def test_what_goes_wrong_in_loading_ends_the_window(tmp_path):
    with pytest.raises(ConfigError, match="It cannot be played: .* have no view"):
        command._play(CorridorConfig(blind=True), "corridor", 3, 30.0, 0, None, tmp_path / "a.replay", False)
    assert not list(tmp_path.iterdir())


def test_what_goes_wrong_later_keeps_the_replay(script, tmp_path, monkeypatch):
    step = Player._step

    def fail(self, action):
        if self.moment.step == 2:
            raise RuntimeError("a bug")
        step(self, action)

    monkeypatch.setattr(Player, "_step", fail)
    script(key("space"), key("space"), key("space"))
    with pytest.raises(RuntimeError, match="a bug"):
        run(tmp_path, replay=tmp_path / "a.replay")
    assert json.loads((tmp_path / "a.replay").read_text())["episodes"][0]["actions"] == [1, 1]


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ConfigError) as found:
        window.Window("corridor", (8, 8), 0)
    assert "A window needs pygame-ce, which is not installed: pip install 'kagejax[play]'." in " ".join(
        str(found.value).split()
    )


@pytest.mark.parametrize("driver", ["none", None])
def test_without_a_screen_it_says_how_to_play_over_ssh(monkeypatch, driver):
    pygame.display.quit()
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("SDL_VIDEODRIVER") if driver is None else monkeypatch.setenv("SDL_VIDEODRIVER", driver)
    if driver is None:
        monkeypatch.setattr(pygame.display, "get_driver", lambda: "offscreen")
        monkeypatch.setattr(pygame.display, "init", lambda: None)
    with pytest.raises(ConfigError) as found:
        window.Window("corridor", (8, 8), 0)
    assert "Over ssh, play in the terminal: add --terminal." in " ".join(str(found.value).split())
