"""From files to pictures: kinds of image files, transparency, orientation, and what is said of those that do not load."""

import pathlib

import numpy as np
import pytest
from PIL import Image

import kagejax
from kagejax import ConfigError, load_config
from kagejax.assets.errors import AssetError
from kagejax.envs.sliding import build, pictures

RED, GREEN = (200, 30, 40), (10, 180, 90)
BACKGROUND = (0, 100, 255)


@pytest.fixture
def saved(tmp_path):
    """Saves an image and gives the picture that is read from it, u8 [4, 6, 3]."""

    def saved(image, name="a.png", size=(4, 6), **options):
        image.save(tmp_path / name, **options)
        return pictures.read(tmp_path / name, *size, BACKGROUND)

    return saved


def noise(height, width, channels=3):
    return np.random.default_rng([height, width]).integers(0, 256, (height, width, channels), np.uint8)


def test_a_picture_of_the_right_size_is_read_as_it_is(saved):
    np.testing.assert_array_equal(saved(Image.fromarray(noise(4, 6))), noise(4, 6))


def test_a_picture_of_another_size_is_stretched_by_pillows_bicubic_filter(saved):
    expected = Image.fromarray(noise(40, 31)).resize((6, 4), Image.Resampling.BICUBIC)
    np.testing.assert_array_equal(saved(Image.fromarray(noise(40, 31))), np.asarray(expected))


@pytest.mark.parametrize("ending", ["png", "bmp", "tiff", "tif", "gif", "webp", "jpg", "JPEG", "PNG"])
def test_every_ending_is_found_and_read(saved, tmp_path, ending):
    picture = saved(Image.new("RGB", (6, 4), RED), f"a.{ending}")
    assert np.abs(picture.astype(int) - RED).max() <= 3  # some of these formats lose a little
    assert pictures.found(tmp_path) == [tmp_path / f"a.{ending}"]


def test_a_picture_is_turned_as_its_camera_says(saved):
    upright = noise(4, 6)
    exif = Image.Exif()
    exif[0x0112] = 6  # the first row is the right side
    turned = Image.fromarray(np.rot90(upright, 1).copy())
    np.testing.assert_array_equal(saved(turned, "a.png", exif=exif), upright)


def test_transparent_parts_show_the_background(saved):
    rgba = np.zeros((4, 6, 4), np.uint8)
    rgba[..., :3], rgba[:2, :, 3], rgba[3, :, 3] = RED, 255, 51
    picture = saved(Image.fromarray(rgba))
    assert (picture[:2] == RED).all() and (picture[2] == BACKGROUND).all()
    mixed = np.round(0.2 * np.array(RED) + 0.8 * np.array(BACKGROUND))
    assert np.abs(picture[3] - mixed).max() <= 1


def test_a_transparent_colour_of_a_palette_shows_the_background(saved):
    image = Image.new("P", (6, 4), 1)
    image.putpalette([*RED, *GREEN])
    image.paste(0, (0, 0, 3, 4))
    picture = saved(image, "a.gif", transparency=0)
    assert (picture[:, :3] == BACKGROUND).all() and (picture[:, 3:] == GREEN).all()
    assert (saved(image, "b.png")[:, :3] == RED).all()
    several = saved(image, "c.png", transparency=bytes([255, 0]))
    assert (several[:, :3] == RED).all() and (several[:, 3:] == BACKGROUND).all()


def test_grey_becomes_three_equal_channels(saved):
    grey = noise(4, 6, 1)[..., 0]
    np.testing.assert_array_equal(saved(Image.fromarray(grey)), grey[..., None].repeat(3, -1))
    both = np.stack([grey, np.where(np.arange(6) < 3, 255, 0) * np.ones((4, 1))], -1).astype(np.uint8)
    picture = saved(Image.fromarray(both, "LA"))
    np.testing.assert_array_equal(picture[:, :3], grey[:, :3, None].repeat(3, -1))
    assert (picture[:, 3:] == BACKGROUND).all()


@pytest.mark.parametrize("name", ["a.png", "a.tiff"])
def test_sixteen_bits_of_grey_are_scaled_to_eight(saved, name):
    levels = np.linspace(0, 65535, 24).astype(np.uint16).reshape(4, 6)
    picture = saved(Image.fromarray(levels), name)
    np.testing.assert_array_equal(picture, (levels // 257)[..., None].repeat(3, -1))
    assert (picture[0, 0, 0], picture[-1, -1, 0], len(np.unique(picture))) == (0, 255, 24)


def test_one_bit_and_four_colours_become_red_green_and_blue(saved):
    assert (saved(Image.new("1", (6, 4), 1)) == 255).all()
    assert np.abs(saved(Image.new("CMYK", (6, 4), (255, 0, 255, 0)), "a.jpg").astype(int) - (0, 255, 0)).max() < 80


def test_an_animation_is_its_first_frame(saved):
    first, second = Image.new("RGB", (6, 4), RED), Image.new("RGB", (6, 4), GREEN)
    assert (saved(first, "a.gif", save_all=True, append_images=[second]) == RED).all()


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_whatever_is_wrong_with_a_file_is_one_kind_of_error(tmp_path):
    random, path = np.random.default_rng(0), tmp_path / "a"
    outcomes = {"read": 0, "refused": 0}
    for name in ("png", "jpg", "gif", "bmp", "webp"):
        Image.fromarray(noise(20, 30)).save(tmp_path / f"good.{name}")
        data = (tmp_path / f"good.{name}").read_bytes()
        for i in range(60):
            broken = bytearray(data[: random.integers(len(data))] if i % 2 else data)
            for place in random.integers(0, min(len(broken), 120) + 1, 3):
                broken[place : place + 1] = random.bytes(1)
            path.write_bytes(broken)
            try:
                assert pictures.read(path, 4, 6, BACKGROUND).shape == (4, 6, 3)
                outcomes["read"] += 1
            except AssetError as error:
                assert str(path) in str(error)
                outcomes["refused"] += 1
    assert min(outcomes.values()) > 20


@pytest.fixture
def refuse(tmp_path, monkeypatch):
    """What is said of a file with some lines below `pictures:`, and where: `(place, path, message)`."""
    monkeypatch.chdir(tmp_path)

    def refuse(*lines):
        pathlib.Path("my.yaml").write_text("\n".join(["env: sliding", "pictures:", *(f"  {line}" for line in lines)]))
        config = load_config("my.yaml")
        with pytest.raises(ConfigError) as built:
            kagejax.make(config)
        with pytest.raises(ConfigError) as loaded:
            build.load(config)
        assert str(built.value) == str(loaded.value)
        (problem,) = built.value.problems
        return str(problem.where), problem.path, problem.message.replace(str(tmp_path) + "/", "")

    return refuse


def test_a_file_that_is_no_picture_is_named(refuse):
    pathlib.Path("art").mkdir()
    pathlib.Path("art/a.png").write_text("no picture")
    where, path, message = refuse("source: folder", "folder: art")
    assert (where, path) == ("my.yaml:4", "pictures.folder")
    assert message == "Picture art/a.png cannot be read: cannot identify image file 'art/a.png'."


def test_a_picture_that_breaks_off_is_named(refuse):
    Image.fromarray(noise(40, 40)).save("a.png")
    pathlib.Path("b.png").write_bytes(pathlib.Path("a.png").read_bytes()[:2000])
    where, path, message = refuse("source: list", "paths: [a.png, b.png]")
    assert (where, path) == ("my.yaml:4", "pictures.paths")
    assert message.startswith("Picture b.png cannot be read: ") and "truncated" in message


def test_a_file_that_is_not_there_is_named(refuse):
    assert refuse("source: list", "paths: [no/a.png]") == ("my.yaml:4", "pictures.paths", "There is no picture no/a.png.")


def test_a_folder_in_a_list_is_no_picture(refuse):
    pathlib.Path("art.png").mkdir()
    *_, message = refuse("source: list", "paths: [art.png]")
    assert message.startswith("Picture art.png cannot be read: ") and "directory" in message


@pytest.mark.parametrize("source", ["folder", "imagenet", "diffusiondb"])
def test_a_folder_that_is_not_there_is_named(refuse, source):
    where, path, message = refuse(f"source: {source}", "folder: nowhere")
    assert (where, path) == ("my.yaml:4", "pictures.folder")
    assert message.startswith("There is no folder nowhere.")
    expected = {"imagenet": "ILSVRC2012_val_00000001.JPEG", "diffusiondb": "part-000001/*.png", "folder": ""}[source]
    assert expected in message


def test_a_folder_without_a_picture_is_named_with_the_endings_that_count(refuse):
    pathlib.Path("art/sub").mkdir(parents=True)
    pathlib.Path("art/sub/notes.txt").touch()
    where, path, message = refuse("source: folder", "folder: art")
    assert (where, path) == ("my.yaml:4", "pictures.folder")
    assert message == ("Under art there is no picture; files end in .png, .jpg, .jpeg, .bmp, .gif, .tif, .tiff, .webp.")


def test_a_file_in_place_of_a_folder_is_named_with_what_to_do(refuse):
    pathlib.Path("a.png").touch()
    *_, message = refuse("source: folder", "folder: a.png")
    assert message == "a.png is a file; give the folder it is in, or name it under pictures.paths with source list."


def test_a_pool_larger_than_its_folder_says_how_many_there_are(refuse):
    pathlib.Path("art").mkdir()
    for i in range(3):
        Image.fromarray(noise(4, 6)).save(f"art/{i}.png")
    where, path, message = refuse("source: folder", "folder: art", "pool_size: 4")
    assert (where, path) == ("my.yaml:4", "pictures.folder")
    assert message == "There are 3 pictures, fewer than 4 to train on; lower pictures.pool_size or held_out_size."
    *_, message = refuse("source: folder", "folder: art", "pool_size: 2", "split: held_out", "held_out_size: 2")
    assert message == (
        "There are 3 pictures, fewer than 2 to train on and 2 held out; lower pictures.pool_size or held_out_size."
    )
    *_, message = refuse("source: list", "paths: [art/0.png, art/1.png]", "pool_size: 3")
    assert message.startswith("There are 2 pictures, fewer than 3 to train on")
