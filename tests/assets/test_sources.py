import os

import numpy as np
import pytest
from PIL import Image

from kagejax.assets import backgrounds, skins
from kagejax.assets.sources import AssetError, load_pictures, load_skins

RED, GREEN, BLUE = (200, 30, 40), (20, 190, 60), (10, 40, 220)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def flat_builtins(monkeypatch):
    """Built-in pictures whose grey level is their index: nothing here depends on the art."""
    monkeypatch.setattr(backgrounds, "pictures", lambda: None)
    monkeypatch.setattr(backgrounds, "picture", lambda index: np.full((128, 128, 3), index, np.uint8))


def save(path, size=(128, 128), paint=RED, mode="RGB", **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, size, paint).save(path, **options)
    return path


# --- built-in art ---


@pytest.mark.parametrize("path", ["assets/backgrounds", "src/some_bench/assets/backgrounds/", "backgrounds"])
def test_a_folder_called_backgrounds_is_all_built_in_pictures_in_order_of_path(path):
    pictures = load_pictures(path, None, None, 128)
    assert [int(picture[0, 0, 0]) for picture in pictures[:4]] == [1, 10, 100, 101]
    assert len(pictures) == 128


def test_built_in_pictures_are_found_by_their_last_component():
    paths = ["src/x/assets/backgrounds/bg-7.jpeg", "bg-128.png", "a\\b\\bg-12.jpg"]
    assert [int(picture[0, 0, 0]) for picture in load_pictures(None, paths, None, 128)] == [7, 128, 12]


def test_the_image_path_alone_gives_one_picture():
    (picture,) = load_pictures(None, (), "assets/backgrounds/bg-5.jpeg", 64)
    assert picture.shape == (64, 64, 3) and (picture == 5).all()


def test_a_folder_called_sprites_is_all_built_in_skins():
    assert [frames[0].shape for frames in load_skins("src/x/assets/sprites", None, None)] == [
        skins.frames(name)[0].shape for name in skins.NAMES
    ]


def test_built_in_skins_are_found_by_name():
    loaded = load_skins(None, ["src/x/assets/sprites/skeleton", "clown"], None)
    assert (loaded[0][1] == skins.frames("skeleton")[1]).all() and (loaded[1][0] == skins.frames("clown")[0]).all()
    (dog,) = load_skins(None, [], "assets/sprites/dog/")
    assert (dog[0] == skins.frames("dog")[0]).all()


def test_no_source_of_sprites_gives_none():
    assert load_skins(None, None, None) == [] and load_skins(None, [], None) == []


# --- the user's own pictures ---


def test_a_folder_is_read_in_order_of_path_whatever_the_ending(tmp_path):
    save(tmp_path / "own" / "b.PNG", paint=GREEN)
    save(tmp_path / "own" / "a.bmp", paint=RED)
    save(tmp_path / "own" / "c-10.jpg", paint=BLUE, quality=100)
    (tmp_path / "own" / "notes.txt").write_text("not a picture")
    pictures = load_pictures("own", None, None, 128)
    assert [tuple(picture[64, 64]) for picture in pictures[:2]] == [RED, GREEN]
    assert np.abs(pictures[2][64, 64].astype(int) - BLUE).max() <= 3


def test_own_files_beat_built_ins_and_the_configuration_folder_beats_the_working_one(tmp_path):
    save(tmp_path / "bg-7.jpeg", paint=GREEN, quality=100)
    (found,) = load_pictures(None, None, "bg-7.jpeg", 128)
    assert abs(int(found[9, 9, 1]) - GREEN[1]) <= 3
    save(tmp_path / "study" / "bg-7.jpeg", paint=BLUE, quality=100)
    (found,) = load_pictures(None, None, "bg-7.jpeg", 128, base_dir=tmp_path / "study")
    assert abs(int(found[9, 9, 2]) - BLUE[2]) <= 3


def test_height_is_given_and_width_follows_the_first_picture(tmp_path):
    first, second = save(tmp_path / "wide.png", (301, 200)), save(tmp_path / "tall.png", (50, 100))
    shapes = [picture.shape for picture in load_pictures(None, [str(first), str(second)], None, 128)]
    assert shapes == [(128, 192, 3), (128, 192, 3)]  # int(128 * 301 / 200) = 192


def test_resizing_is_lanczos(tmp_path):
    noise = np.random.default_rng(1).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "noise.png")
    (picture,) = load_pictures(None, None, "noise.png", 20)
    assert (picture == np.asarray(Image.fromarray(noise).resize((30, 20), Image.Resampling.LANCZOS))).all()


def test_a_photograph_is_turned_upright(tmp_path):
    image = Image.new("RGB", (40, 20), RED)
    image.paste(BLUE, (0, 0, 20, 20))
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: show after a quarter turn clockwise
    image.save(tmp_path / "photo.png", exif=exif)
    (picture,) = load_pictures(None, None, "photo.png", 40)
    assert picture.shape == (40, 20, 3)
    assert tuple(picture[3, 3]) == BLUE and tuple(picture[36, 3]) == RED


def test_palettes_grey_and_deep_grey_become_colours(tmp_path):
    save(tmp_path / "palette.png", paint=RED).write_bytes(b"")
    Image.new("RGB", (8, 8), RED).convert("P", palette=Image.Palette.ADAPTIVE).save(tmp_path / "palette.png")
    save(tmp_path / "grey.png", (8, 8), 77, "L")
    Image.fromarray(np.full((8, 8), 257 * 90, np.uint16)).save(tmp_path / "deep.png")
    pictures = load_pictures(None, ["palette.png", "grey.png", "deep.png"], None, 8)
    assert [tuple(picture[0, 0]) for picture in pictures] == [RED, (77, 77, 77), (90, 90, 90)]


def test_a_transparent_background_shows_black_behind(tmp_path):
    save(tmp_path / "glass.png", (8, 8), (200, 100, 50, 0), "RGBA")
    save(tmp_path / "half.png", (8, 8), (200, 100, 50, 128), "RGBA")
    clear, half = load_pictures(None, ["glass.png", "half.png"], None, 8)
    assert tuple(clear[0, 0]) == (0, 0, 0)
    assert np.abs(half[0, 0].astype(int) - (100, 50, 25)).max() <= 1


def test_a_changed_file_is_read_again(tmp_path):
    path = save(tmp_path / "one.png", paint=RED)
    load_pictures(None, None, "one.png", 128)
    save(path, paint=GREEN)
    os.utime(path, ns=(1, 1))
    assert tuple(load_pictures(None, None, "one.png", 128)[0][0, 0]) == GREEN


# --- the user's own sprites ---


def test_sub_folders_are_skins_and_their_png_files_frames_both_in_order(tmp_path):
    save(tmp_path / "cast" / "b_fox" / "1.png", (20, 30), (*GREEN, 255), "RGBA")
    save(tmp_path / "cast" / "a_cat" / "2.png", (5, 6), (*BLUE, 9), "RGBA")
    save(tmp_path / "cast" / "a_cat" / "1.png", (5, 6), (*RED, 255), "RGBA")
    cat, fox = load_skins("cast", None, None)
    assert [frame.shape for frame in cat] == [(6, 5, 4), (6, 5, 4)] and fox[0].shape == (30, 20, 4)
    assert tuple(cat[0][0, 0]) == (*RED, 255) and tuple(cat[1][0, 0]) == (*BLUE, 9)


def test_a_frame_without_alpha_is_opaque_and_a_palette_keeps_its_hole(tmp_path):
    save(tmp_path / "cat" / "1.png", (4, 4), RED)
    holed = Image.new("P", (4, 4), 0)
    holed.putpalette([*RED, *BLUE])
    holed.save(tmp_path / "cat" / "2.png", transparency=0)
    ((opaque, hole),) = load_skins(None, None, "cat")
    assert tuple(opaque[0, 0]) == (*RED, 255) and hole[0, 0, 3] == 0


# --- mistakes ---


def message(call, *arguments):
    with pytest.raises(AssetError) as caught:
        call(*arguments)
    return str(caught.value)


def test_no_picture_at_all_says_which_keys_give_one():
    said = message(load_pictures, None, [], None, 128)
    assert "background.image_dir" in said and "background.image_paths" in said and "background.image_path" in said


def test_a_missing_picture_is_named_with_where_it_was_sought(tmp_path):
    said = message(load_pictures, None, ["art/bg-300.jpeg"], None, 128, tmp_path / "study")
    assert "'art/bg-300.jpeg'" in said and str(tmp_path / "study") in said and "bg-1.jpeg to bg-128.jpeg" in said
    assert "Did you mean 'bg-30'?" in said


def test_a_missing_picture_folder_is_named_with_the_built_in_one():
    said = message(load_pictures, "assets/backgruonds", None, None, 128)
    assert "'assets/backgruonds'" in said and "Did you mean 'backgrounds'?" in said


def test_a_missing_skin_is_named_with_the_nearest_built_in():
    said = message(load_skins, None, ["assets/sprites/skeletn"], None)
    assert "'assets/sprites/skeletn'" in said and "Did you mean 'skeleton'?" in said and "woman_wizard" in said


def test_a_skin_given_as_a_folder_of_skins_is_told_apart():
    said = message(load_skins, "assets/sprites/clown", None, None)
    assert "'assets/sprites/clown'" in said and "sprite_path" in said


def test_an_empty_folder_says_what_it_should_hold(tmp_path):
    (tmp_path / "empty").mkdir()
    assert ".jpg, .jpeg, .png, .bmp" in message(load_pictures, "empty", None, None, 128)
    assert "sub-folder of .png" in message(load_skins, "empty", None, None)
    assert "frames must be .png" in message(load_skins, None, None, "empty")


def test_frames_without_a_skin_folder_around_them_are_recognised(tmp_path):
    save(tmp_path / "cat" / "1.png", (4, 4))
    assert "sprite_path" in message(load_skins, "cat", None, None)


def test_files_and_folders_are_not_confused(tmp_path):
    save(tmp_path / "one.png")
    assert "is a file" in message(load_pictures, "one.png", None, None, 128)
    assert "is a folder" in message(load_pictures, None, None, str(tmp_path), 128)
    assert "is a file" in message(load_skins, "one.png", None, None)
    assert "is a file" in message(load_skins, None, None, "one.png")


@pytest.mark.parametrize("content", [b"", b"these are words", "half"])
def test_a_broken_picture_is_named(tmp_path, content):
    path = save(tmp_path / "own" / "bad.png", (64, 64), mode="RGB")
    path.write_bytes(path.read_bytes()[:90] if content == "half" else content)
    assert str(path) in message(load_pictures, "own", None, None, 128)
    assert str(path) in message(load_skins, None, None, "own")
