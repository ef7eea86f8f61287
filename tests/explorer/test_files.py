"""Saving and listing YAML files of the working directory, and of no other."""

import pytest

from kagejax.config.problems import ConfigError
from kagejax.explorer import files


@pytest.mark.parametrize("name", ["../out.yaml", "/tmp/out.yaml", "a/../../out.yaml", "link/out.yaml"])
def test_nothing_outside_of_the_folder_is_named(tmp_path, name):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "link").symlink_to(tmp_path)
    with pytest.raises(ConfigError, match="can be read and written here"):
        files.inside(name, inner)


@pytest.mark.parametrize("name", ["config.txt", ".bashrc", "", "  ", "a\0.yaml"])
def test_only_yaml_files_are_named(tmp_path, name):
    with pytest.raises(ConfigError, match=r"must end in \.yaml|Give the file a name"):
        files.inside(name, tmp_path)


def test_a_file_is_never_overwritten_without_being_told_to(tmp_path):
    path = tmp_path / "a.yaml"
    assert files.save(path, "first\n", overwrite=False)
    assert not files.save(path, "second\n", overwrite=False)
    assert path.read_text() == "first\n"
    assert files.save(path, "second\n", overwrite=True)
    assert path.read_text() == "second\n"
    assert [each.name for each in tmp_path.iterdir()] == ["a.yaml"]


def test_a_missing_folder_is_told(tmp_path):
    with pytest.raises(ConfigError, match="There is no folder 'missing'; make it first"):
        files.save(tmp_path / "missing" / "a.yaml", "text", overwrite=False)


def test_the_list_has_yaml_files_and_leaves_hidden_folders_out(tmp_path):
    for name in ("b.yaml", "a.yml", "notes.txt", "deep/c.yaml", ".git/d.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert files.listed(tmp_path) == ["a.yml", "b.yaml", "deep/c.yaml"]
