"""`kagejax render`, as a person at a terminal sees it."""

import dataclasses
import json
import types

import jax
import jax.numpy as jnp
import numpy as np
import PIL.Image
import pytest

import kagejax
from kagejax.cli import _runs, _sweeps
from kagejax.cli.main import main
from kagejax.evaluation import episodes, videos
from kagejax.learning import keeping

SHORT = ("--set", "episode_length=40")


@pytest.fixture(autouse=True)
def _terminal(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def run(capsys, *arguments):
    """Status, stdout and stderr of `kagejax render ARGUMENTS`."""
    status = main(["render", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def picture(path):
    return np.asarray(PIL.Image.open(path).convert("RGB"))


def test_steps_0_draw_the_first_picture_alone(capsys):
    status, out, _ = run(capsys, "kage/simplest", *SHORT, "--steps", "0", "--seed", "4", "--out", "a.png")
    assert (status, out) == (0, "a.png: the first picture\n")
    env, params = kagejax.make_batch(["kage/simplest"])
    ((frames, over),) = episodes.record(env, params, episodes.Random(env), None, jax.random.key(4), 0)
    np.testing.assert_array_equal(picture("a.png"), frames[0, 0])
    assert over


def lasts(film):
    """Milliseconds; pictures that are alike share a frame of a GIF."""
    total = 0
    for place in range(film.n_frames):
        film.seek(place)
        total += film.info["duration"]
    return total


def test_a_gif_shows_the_whole_episode(capsys):
    arguments = ("kage/simplest", *SHORT, "--policy", "scripted", "--scale", "2", "--fps", "10", "--out", "a.gif")
    assert run(capsys, *arguments)[:2] == (0, "a.gif: 40 steps\n")
    with PIL.Image.open("a.gif") as film:
        assert film.size == (256, 256)
        assert lasts(film) == 41 * 100


def test_a_png_shows_pictures_spread_over_the_episode(capsys):
    run(capsys, "kage/simplest", *SHORT, "--policy", "scripted", "--out", "a.png")
    sheet = picture("a.png")
    assert sheet.shape == (2 * (128 + 2 + 12) + 2, 6 * 130 + 2, 3)
    assert (sheet[2:130, 2:130] != sheet[-140:-12, -130:-2]).any()


def test_two_configurations_play_the_same_level_side_by_side(capsys):
    pair = ("kage/simplest", "--beside", "kage/circle")
    arguments = (*pair, *SHORT, "--set", "background.mode=black", "--policy", "scripted", "--fps", "10", "--out", "a.gif")
    assert run(capsys, *arguments)[:2] == (0, "a.gif: 40 steps, 2 configurations\n")
    with PIL.Image.open("a.gif") as film:
        assert film.size == (128 + 4 + 128, 14 + 128)
        assert lasts(film) == 41 * 100
        film.seek(film.n_frames - 1)
        last = np.asarray(film.convert("RGB"))[14:]
    np.testing.assert_array_equal(last[:, :128], last[:, -128:])


def test_a_sweep_is_a_sheet_of_all_values(capsys):
    arguments = ("kage/simplest", *SHORT, "--sweep", "filters.brightness=-1:0:3", "--out", "a.png")
    assert run(capsys, *arguments)[:2] == (0, "a.png: 3 configurations at the start of an episode\n")
    sheet = picture("a.png")
    tiles = [sheet[23 : 23 + 128, 2 + place * 130 : 130 + place * 130] for place in range(3)]
    assert tiles[0].max() < tiles[1].max() < tiles[2].max()


def test_two_sweeps_are_a_grid():
    sweeps = _sweeps.parse(["filters.gamma=0.5,1", "background.mode=black,noise"])
    assert _sweeps.grid(sweeps) == [
        {"background.mode": "black", "filters.gamma": 0.5},
        {"background.mode": "black", "filters.gamma": 1},
        {"background.mode": "noise", "filters.gamma": 0.5},
        {"background.mode": "noise", "filters.gamma": 1},
    ]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a=-180:180:3", (-180, 0, 180)),
        ("a=0:1:3", (0, 0.5, 1)),
        ("a=true,null,red", (True, None, "red")),
        ("a=[x],[x, y]", (["x"], ["x", "y"])),
    ],
)
def test_values_are_ranges_or_lists_in_yaml(text, values):
    assert _sweeps.parse([text])[0].values == values


def test_an_environment_offers_its_own_policies():
    from tests.corridor import Corridor

    env, _ = kagejax.make("kage/simplest")
    assert list(episodes.actors(env)) == ["random", "right", "right_jump", "scripted"]
    assert list(episodes.actors(Corridor())) == ["random"]


def test_an_episode_ends_the_film_and_stands_still_where_others_go_on():
    from tests.corridor import Corridor, params

    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), params(time_limit=3), params(time_limit=40))
    still = episodes.Scripted(lambda key, state, params: jnp.int32(1))
    chunks = list(episodes.record(Corridor(), stacked, still, None, jax.random.key(0), 100))
    assert [len(frames) for frames, _ in chunks] == [1, 32, 8]
    assert [over for _, over in chunks] == [False, False, True]


@dataclasses.dataclass(frozen=True)
class AsBright:
    """Plays the brightest value that it sees."""

    def __call__(self, parameters, key, frames):
        return frames.reshape(frames.shape[0], -1).max(1).astype(jnp.int32) // parameters


def test_a_trained_policy_sees_what_an_agent_sees():
    actor = episodes.Trained(AsBright())
    assert actor(100, None, None, jnp.full((2, 2, 3), 250, jnp.uint8), None) == 2


def test_a_policy_is_loaded_from_the_directory_of_a_run(tmp_path, capsys):
    from agents import ppo

    config = ppo.Config(
        train="kage/simplest", num_envs=2, rollout_steps=2, minibatches=1, frame_size=32, network="quick", seeds=(3,)
    )
    origin, params = kagejax.make("kage/simplest")
    state = jax.jit(ppo.start, static_argnums=(0, 1))(config, origin, params, jax.random.key(0))
    folder = tmp_path / "run" / "seed-3"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"config": dataclasses.asdict(config)}))
    keeping.save(folder, state, 0, {})
    _, parameters = _runs.trained("run", origin)
    assert all(jax.tree.leaves(jax.tree.map(lambda a, b: bool((a == b).all()), parameters, state.parameters)))
    status, out, _ = run(capsys, "kage/simplest", "--policy", "run", "--steps", "2", "--out", "a.gif")
    assert (status, out) == (0, "a.gif: 2 steps\n")
    status, _, err = run(capsys, "kage/simplest", "--set", "W=48", "--policy", "run", "--steps", "2", "--out", "a.gif")
    assert status == 2
    assert "--policy: run\n    It does not fit this environment: frame_size is 32; frames of 128x48" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "a.jpg"], "--out:\n    Found 'a.jpg'; the name must end in .png, .gif or .mp4.\n"),
        (["--out", "no/a.png"], "--out:\n    Found 'no/a.png'; there is no folder 'no'. Make it first.\n"),
        (["--out", "a.gif", "--sweep", "W=64,128"], "a sweep is one picture: the name must end in .png.\n"),
        (["--scale", "0"], "--scale:\n    Found 0; allowed: 1 or more.\n"),
        (["--steps", "-2"], "--steps:\n    Found -2; allowed: 0 or more, or -1 for the whole episode.\n"),
        (["--fps", "0"], "--fps:\n    Found 0; allowed: above 0, to 100.\n"),
        (["--seed", "-1"], "--seed:\n    Found -1; allowed: 0 to 2^32 - 1.\n"),
        (["--sweep", "W=64,128", "--beside", "kage"], "--sweep:\n    A sweep has no --beside; give one of them.\n"),
        (["--sweep", "W"], "--sweep:\n    Found 'W'; allowed: KEY=FIRST:LAST:COUNT, such as\n"),
        (["--sweep", "W=1:2"], "--sweep: W\n    Found '1:2'; allowed: FIRST:LAST:COUNT, two numbers and a count of at"),
        (["--sweep", "W=1:x:3"], "--sweep: W\n    Found '1:x:3'; allowed: FIRST:LAST:COUNT"),
        (["--sweep", "W=1:2:500"], "--sweep:\n    That makes 500 pictures; a sheet has 400 at most.\n"),
        (["--sweep", "W=64,["], "--sweep: W\n    '64,[' is not a list of values in YAML.\n"),
        (["--sweep", "W=64", "--sweep", "W=65"], "--sweep: W\n    This key is swept twice. Keep one.\n"),
        (["--sweep", "W=64"] * 3, "--sweep:\n    Found 3 sweeps; a sheet has two directions at most.\n"),
        (["--sweep", "filters.hue=1"], "--sweep: filters.hue\n    Unknown key; did you mean filters.hue_shift?\n"),
        (["--sweep", "filters.gamma=1,9"], "filters.gamma\n    Found 9 (an integer); allowed: a number from 0.5 to 2.\n"),
        (["--policy", "scriptd"], "directory of a training run. Did you mean scripted?\n"),
        (["--policy", "."], "--policy: .\n    There is no finished run in this directory: it needs run.json and\n"),
        (["--beside", "kagge"], "kagge:\n    There is neither such an id nor such a file"),
    ],
)
def test_mistakes_are_answered_with_what_is_allowed(arguments, message, capsys):
    arguments = ["kage/simplest", *([] if "--out" in arguments else ["--out", "a.png"]), *arguments]
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("kagejax render: The configuration has a problem:\n")
    assert message in err


def test_an_mp4_without_its_package_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(videos, "available", lambda: False)
    status, _, err = run(capsys, "kage", "--out", "a.mp4")
    assert status == 2
    assert "An MP4 needs imageio-ffmpeg, which is not installed: pip install\n    'kagejax[video]'. Or write a .gif.\n" in err


def test_an_mp4_has_even_extents_and_every_frame(monkeypatch, tmp_path):
    sent = []

    def write_frames(path, size, fps, **options):
        sent.append((path, size, fps))
        while True:
            sent.append((yield))

    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", types.SimpleNamespace(write_frames=write_frames))
    videos.write_mp4(tmp_path / "a.mp4", np.full((3, 5, 7, 3), 9, np.uint8), 12.0)
    assert sent[0] == (str(tmp_path / "a.mp4"), (8, 6), 12.0)
    assert [frame.shape for frame in sent[1:]] == [(6, 8, 3)] * 3
    assert all((frame == 9).all() for frame in sent[1:])
