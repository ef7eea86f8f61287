import numpy as np
import pytest

from kagejax.assets import backgrounds, cache


@pytest.fixture
def draws(monkeypatch):
    """Counts drawings, of flat colours that cost nothing; the set in memory is forgotten before and after."""
    drawn = []

    def flat(index):
        drawn.append(index)
        return np.full((128, 128, 3), index, np.uint8)

    monkeypatch.setattr(backgrounds, "draw", flat)
    forget(drawn)
    yield drawn
    forget(drawn)


def forget(drawn):
    backgrounds.pictures.cache_clear()
    backgrounds._alone.cache_clear()
    drawn.clear()


def kept(folder):
    (file,) = folder.iterdir()  # exactly one: no temporary file is left behind
    return file


def test_pictures_are_read_only_and_numbered_from_one(draws):
    assert backgrounds.picture(3)[0, 0, 0] == 3
    assert backgrounds.pictures()[2, 0, 0, 0] == 3
    for array in (backgrounds.picture(4), backgrounds.pictures()):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0, 0] = 9


def test_one_picture_is_drawn_alone_and_once(draws, private_cache):
    backgrounds.picture(3)
    assert (backgrounds.picture(3) == 3).all()
    assert draws == [3] and not private_cache.exists()


def test_a_second_process_reads_what_the_first_drew(draws, private_cache):
    backgrounds.pictures()
    assert len(draws) == 128
    kept(private_cache)
    forget(draws)
    assert backgrounds.picture(128)[5, 5, 1] == 128
    assert draws == []


@pytest.mark.parametrize("damage", [lambda content: content[:-1], lambda content: b"\xff" + content[1:], lambda content: b""])
def test_a_damaged_file_is_drawn_again_and_mended(draws, private_cache, damage):
    backgrounds.pictures()
    file = kept(private_cache)
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    forget(draws)
    assert backgrounds.picture(2)[0, 0, 0] == 2
    assert len(draws) == 128
    assert kept(private_cache).read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_no_error(draws, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("KAGEJAX_CACHE", str(tmp_path / "file" / "cache"))
    assert backgrounds.pictures()[0, 0, 0, 0] == 1 and backgrounds.picture(1)[0, 0, 0] == 1


def test_a_write_that_fails_half_way_leaves_nothing(draws, private_cache, monkeypatch):
    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(cache.os, "replace", full)
    backgrounds.pictures()
    assert list(private_cache.iterdir()) == []


def test_art_whose_source_changed_is_drawn_again(draws, monkeypatch):
    backgrounds.pictures()
    forget(draws)
    monkeypatch.setattr(cache, "source_key", lambda: "another")
    backgrounds.pictures()
    assert len(draws) == 128


def test_the_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("KAGEJAX_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.folder() == tmp_path / "own"
    monkeypatch.delenv("KAGEJAX_CACHE")
    assert cache.folder() == tmp_path / "xdg" / "kagejax"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "kagejax"
