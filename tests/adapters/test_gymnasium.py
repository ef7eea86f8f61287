"""Registration, and one environment behind Gymnasium's interface."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

import kagejax

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from kagejax.adapters.gymnasium import KagejaxEnv  # noqa: E402
from tests.adapters.corridors import Told, Windy  # noqa: E402
from tests.corridor import params  # noqa: E402

REPOSITORY = pathlib.Path(__file__).parents[2]
IDS = ["kagejax/Kage-v0", "kagejax/Sliding-v0", "kagejax/Sokoban-v0", "kagejax/Spatial-v0"]


@pytest.mark.parametrize(
    "code",
    [
        "import kagejax, gymnasium",
        "import gymnasium, kagejax",
        "import kagejax, importlib.util; importlib.util.find_spec('gymnasium'); import gymnasium",
        "import kagejax; import gymnasium.vector; import gymnasium",
        "import kagejax; kagejax.adapters.registration.announce(); import gymnasium; kagejax.adapters.registration.announce()",
        "import gymnasium\ntry: gymnasium.make('kagejax:kagejax/Absent-v0')\nexcept gymnasium.error.Error: pass",
    ],
)
def test_the_ids_are_known_whatever_is_imported_first(code):
    found = "[name for name in gymnasium.registry if name.startswith('kagejax/')]"
    code = f"{code}\nassert {found} == {IDS}\nimport sys; assert 'jax' not in sys.modules"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_importing_kagejax_does_not_import_gymnasium():
    code = "import kagejax, sys; assert 'gymnasium' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, timeout=300).returncode == 0


def test_without_gymnasium_kagejax_works_and_the_adapter_says_what_to_install():
    code = """
import sys
sys.modules["gymnasium"] = None
import kagejax
kagejax.load_config("kage")
try:
    import kagejax.adapters.vector
except ImportError as problem:
    assert "pip install 'kagejax[gymnasium]'" in str(problem), problem
else:
    raise SystemExit("no error")
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("kagejax/Kage-v0", {"config": "kage/simplest", "H": 32, "W": 32}),
        ("kagejax/Sliding-v0", {"observation.height": 24, "observation.width": 24}),
        ("kagejax/Sliding-v0", {"observation.kind": "text"}),
        ("kagejax/Sokoban-v0", {"config": "sokoban/simplest"}),
        ("kagejax/Spatial-v0", {"config": "spatial/simplest"}),
    ],
)
def test_gymnasiums_own_checker_has_nothing_to_say(name, arguments, monkeypatch):
    pytest.importorskip("pygame", reason="pygame-ce is not installed: pip install 'kagejax[play]'")  # it tries the window too
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    check_env(gymnasium.make(name, **arguments).unwrapped)


def test_make_takes_what_kagejax_make_takes(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("extends: sliding/simplest\nobservation.height: 20\nobservation.width: 24\n")
    config = kagejax.load_config("sliding", **{"observation.kind": "onehot"})
    shapes = [
        gymnasium.make("kagejax/Sliding-v0", **arguments).observation_space.shape
        for arguments in (
            {},
            {"config": str(file)},
            {"config": file, "observation.height": 30},
            {"config": "sliding/simplest", "observation": {"height": 10, "width": 12}},
            {"config": config},
        )
    ]
    assert shapes == [(84, 84, 3), (20, 24, 3), (30, 24, 3), (10, 12, 3), (81,)]


def test_spaces_have_the_dtypes_of_the_observations():
    spaces = gymnasium.spaces
    env = KagejaxEnv(Told(), params=params())
    assert env.observation_space == spaces.Dict(
        {"picture": spaces.Box(0, 255, (8, 8, 3), np.uint8), "text": spaces.Text(10, min_length=0, charset="abc")}
    )
    assert env.action_space == spaces.Discrete(3)
    observation, _ = env.reset(seed=0)
    assert observation in env.observation_space and observation["text"].startswith("ab")


def test_info_has_the_metrics_and_the_mask():
    env = KagejaxEnv(Windy(), params=params())
    _, info = env.reset(seed=0)
    assert list(info) == ["action_mask"] and info["action_mask"].dtype == np.int8 and info["action_mask"].tolist() == [0, 1, 1]
    assert env.action_space.sample(info["action_mask"]) in (1, 2)
    _, reward, terminated, truncated, info = env.step(np.int64(1))
    assert (type(reward), terminated, truncated) == (float, False, False)
    types = {name: type(value) for name, value in info.items()}
    assert types == {
        "progress": np.float32, "cell": np.int32, "blown": bool, "place": np.ndarray, "action_mask": np.ndarray
    }  # fmt: skip


def test_a_seed_repeats_the_episodes_after_the_first_too():
    env = KagejaxEnv(Windy(), params=params(max_length=2**30))

    def lengths(seed):
        env.reset(seed=seed)
        first = env.step(1)[4]["place"][1]
        env.reset()
        return first, env.step(1)[4]["place"][1]

    first, second = lengths(4)
    assert first != second
    assert lengths(4) == (first, second) and lengths(5) != (first, second)
    assert lengths(2**40) != lengths(0)


def test_episodes_are_counted_by_gymnasiums_wrapper():
    env = gymnasium.wrappers.RecordEpisodeStatistics(KagejaxEnv(Windy(), params=params(max_length=9, time_limit=4)))
    env.reset(seed=0)
    for _ in range(4):
        *_, truncated, info = env.step(1)
    assert truncated and info["episode"]["l"] == 4


def test_what_was_returned_may_be_written_to_and_stays():
    env = KagejaxEnv(Windy(), params=params())
    observation, _ = env.reset(seed=0)
    before = observation.copy()
    env.step(2)
    np.testing.assert_array_equal(observation, before)
    observation[:] = 0
