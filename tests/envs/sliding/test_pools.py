"""Which pictures a configuration draws from: folders, lists, data sets, seeds, held-out splits."""

import pathlib

import jax
import numpy as np
import pytest
from PIL import Image

import kagejax
from kagejax import load_config
from kagejax.envs.sliding import build, pictures


def paint(path, level):
    """A one-coloured picture at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (5, 4), (level, level, level)).save(path)


@pytest.fixture
def folder(tmp_path):
    """Twelve pictures in two folders, of levels 0, 10, ..., in no order of making, and files that are none."""
    for i in (7, 3, 11, 0, 5, 9, 1, 10, 2, 8, 4, 6):
        paint(tmp_path / ("art/z" if i < 4 else "art") / f"{i:02}.png", 10 * i)
    (tmp_path / "art/part.json").write_text("{}")
    (tmp_path / "art/.png").touch()
    return tmp_path / "art"


def names_of(folder, **values):
    """Files of a pool, by their path below the folder."""
    config = load_config("sliding", pictures={"source": "folder", "folder": folder, **values})
    return [path.relative_to(folder).as_posix() for path in build.files(config)]


def test_every_picture_of_a_folder_and_those_below_it_is_found_in_order_of_its_path(folder):
    expected = [f"{i:02}.png" for i in range(4, 12)] + [f"z/{i:02}.png" for i in range(4)]
    assert [path.relative_to(folder).as_posix() for path in pictures.found(folder)] == expected


def test_a_pool_without_a_size_is_all_pictures(folder):
    assert sorted(names_of(folder)) == [path.relative_to(folder).as_posix() for path in pictures.found(folder)]


def test_a_pool_follows_from_its_seed_alone(folder):
    first = names_of(folder, pool_size=5, pool_seed=3)
    assert first == names_of(folder, pool_size=5, pool_seed=3)
    assert len(set(first)) == 5
    assert len({tuple(names_of(folder, pool_size=5, pool_seed=seed)) for seed in range(20)}) > 15


def test_every_picture_is_in_a_pool_as_often_as_any_other(folder):
    counts = dict.fromkeys(names_of(folder), 0)
    for seed in range(300):
        for name in names_of(folder, pool_size=3, pool_seed=seed):
            counts[name] += 1
    assert all(45 < count < 110 for count in counts.values())  # 75 each, give or take 7.5


def test_smaller_pools_lie_within_larger_ones(folder):
    pools = [names_of(folder, pool_size=size, pool_seed=1) for size in range(1, 13)]
    assert all(larger[: len(smaller)] == smaller for smaller, larger in zip(pools, pools[1:], strict=False))


@pytest.mark.parametrize(("size", "held_out"), [(1, 1), (5, 3), (8, 4), (1, 11)])
def test_held_out_pictures_are_in_no_pool_of_their_seed(folder, size, held_out):
    for seed in range(5):
        train = names_of(folder, pool_size=size, pool_seed=seed)
        others = names_of(folder, pool_size=size, pool_seed=seed, split="held_out", held_out_size=held_out)
        assert (len(train), len(set(others))) == (size, held_out)
        assert not {*train} & {*others}


def test_held_out_pictures_are_the_same_for_pools_of_any_size(folder):
    sides = [names_of(folder, pool_size=size, split="held_out", held_out_size=4) for size in (1, 4, 8)]
    assert sides[0] == sides[1] == sides[2]


def test_a_list_is_taken_as_it_comes(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("my.yaml").write_text(
        "env: sliding\npictures: {source: list, paths: [art/z/03.png, art/07.png, art/z/03.png]}"
    )
    config = load_config("my.yaml")
    assert [path.name for path in build.files(config)] == ["03.png", "07.png", "03.png"]
    assert [int(picture[0, 0, 0]) for picture in build.load(config)] == [30, 70, 30]
    two = load_config(config, pictures={"pool_size": 2})
    assert sorted(path.name for path in build.files(two)) in (["03.png", "03.png"], ["03.png", "07.png"])


def test_relative_folders_are_sought_beside_the_file_that_names_them(folder, tmp_path, monkeypatch):
    (tmp_path / "my.yaml").write_text("env: sliding\npictures: {source: folder, folder: art}\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert len(build.files(load_config("../my.yaml"))) == 12


def test_a_home_folder_may_be_named_by_a_tilde(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder.parent))
    config = load_config("sliding", pictures={"source": "folder", "folder": "~/art"})
    assert len(build.files(config)) == 12


def test_the_bank_holds_the_pictures_of_the_pool_and_episodes_draw_from_all(folder):
    small = {"rows": 2, "columns": 2}, {"height": 4, "width": 4}
    env, params = kagejax.make(
        "sliding", grid=small[0], observation=small[1], pictures={"source": "folder", "folder": folder, "pool_size": 5}
    )
    tiles = np.asarray(params.bank.tiles).reshape(5, 4, -1)
    levels = [10 * int(pathlib.Path(name).stem) for name in names_of(folder, pool_size=5)]
    assert tiles[:, 1, 0].tolist() == levels and not tiles[:, 0].any()
    frames, states = jax.jit(jax.vmap(env.reset, (0, None)))(jax.random.split(jax.random.key(0), 60), params)
    seen = np.asarray(frames).max((1, 2, 3))
    np.testing.assert_array_equal(seen, np.array(levels)[states.episode.picture])
    assert {*seen.tolist()} == {*levels}


@pytest.mark.parametrize("by_class", [False, True])
def test_imagenet_is_found_flat_and_by_class(tmp_path, by_class):
    for i in range(1, 7):
        name = f"ILSVRC2012_val_{i:08}.JPEG"
        paint(tmp_path / "val" / (f"n{i % 2:08}/{name}" if by_class else name), i)
    config = load_config("sliding", pictures={"source": "imagenet", "folder": tmp_path / "val", "pool_size": 4})
    assert len(build.files(config)) == 4
    found = [path.name for path in pictures.found(tmp_path / "val", "imagenet")]
    order = [2, 4, 6, 1, 3, 5] if by_class else range(1, 7)
    assert found == [f"ILSVRC2012_val_{i:08}.JPEG" for i in order]
    assert len(build.load(config)) == 4


def test_parts_of_diffusiondb_are_found_without_their_descriptions(tmp_path):
    for part in (1, 2):
        for i in range(3):
            paint(tmp_path / f"part-{part:06}" / f"{part}{i}-abc.png", 40 * part + i)
        (tmp_path / f"part-{part:06}" / f"part-{part:06}.json").write_text("{}")
    config = load_config("sliding", pictures={"source": "diffusiondb", "folder": tmp_path})
    assert sorted(path.name for path in build.files(config)) == [f"{part}{i}-abc.png" for part in (1, 2) for i in range(3)]
    assert sorted(int(picture[0, 0, 0]) for picture in build.load(config)) == [40, 41, 42, 80, 81, 82]


def test_what_draws_no_pictures_of_files_loads_none():
    assert build.load(load_config("sliding")) == []
    unread = {"source": "folder", "folder": "nowhere"}
    assert build.load(load_config("sliding", observation={"kind": "board"}, pictures=unread)) == []
    kagejax.make("sliding", observation={"kind": "raw"}, pictures=unread)
