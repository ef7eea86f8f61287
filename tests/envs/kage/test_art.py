"""The art that a configuration names is loaded, or the place that names it is told."""

import pathlib

import pytest
from PIL import Image

from kagejax import ConfigError, load_config
from kagejax.envs.kage import art


def test_only_what_is_in_use_is_loaded():
    assert art.load(load_config("kage/circle")) == art.Art([], [], [], [])


def test_built_in_art_is_found_by_name():
    found = art.load(load_config("kage/background/10/train", H=64))
    assert [picture.shape for picture in found.pictures] == [(64, 64, 3)] * 3
    assert len(found.agent) == 1 and found.npc == found.sticky == []


def test_own_pictures_are_found_beside_the_file_that_names_them(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    Image.new("RGB", (20, 10), (1, 2, 3)).save(tmp_path / "sub" / "sky.png")
    (tmp_path / "sub" / "my.yaml").write_text("extends: kage/skeleton\nbackground: {image_path: sky.png}\n")
    monkeypatch.chdir(tmp_path)
    (picture,) = art.load(load_config("sub/my.yaml", H=10)).pictures
    assert picture.shape == (10, 20, 3) and (picture == [1, 2, 3]).all()


def test_art_that_does_not_load_is_answered_with_file_line_and_key(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("my.yaml").write_text(
        "env: kage\nbackground:\n  image_paths: [nowhere.png]\ncharacter.sprite_path: skeletn\nnpc.enabled: false\n"
    )
    with pytest.raises(ConfigError) as caught:
        art.load(load_config("my.yaml", W=64))
    places = [(str(problem.where), problem.path) for problem in caught.value.problems]
    assert places == [("my.yaml:3", "background.image_paths"), ("my.yaml:4", "character.sprite_path")]
    picture, skin = (problem.message for problem in caught.value.problems)
    assert "'nowhere.png' was not found" in picture
    assert "Did you mean 'skeleton'?" in skin


def test_art_given_in_code_is_placed_in_the_override():
    with pytest.raises(ConfigError) as caught:
        art.load(load_config("kage/background/6/train", background={"image_path": "bg-129"}))
    (problem,) = caught.value.problems
    assert (str(problem.where), problem.path) == ("override", "background.image_path")
