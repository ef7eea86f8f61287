"""What a configuration of path puzzles is told when it cannot be used, to its end, and which keys change nothing."""

import errno
import gzip
import json
import os
import sys
import types

import jax
import numpy as np
import pytest

import kagejax
from kagejax.config.assemble import assemble
from kagejax.config.difference import diff, summary
from kagejax.config.document import parse, read_layer
from kagejax.config.problems import ConfigError
from kagejax.envs.spatial import build
from kagejax.envs.spatial.config import SpatialConfig
from kagejax.envs.spatial.puzzles import HUB_REVISION, from_record
from tests.oracles import spatial_golden

from .conftest import assert_same, config_of

PUZZLES = spatial_golden.puzzles()
FILE = "puzzles: {source: file, file: a.jsonl}"


def config_in(folder, *lines):
    """The configuration in a YAML file of that folder."""
    document = parse("\n".join(["env: spatial", *lines]).encode(), "my.yaml", folder)
    layer, problems = read_layer(document, SpatialConfig)
    return assemble(SpatialConfig, [layer], problems)


@pytest.fixture
def complain(tmp_path):
    """What a file with these lines is told: place, key and message."""

    def complain(*lines):
        with pytest.raises(ConfigError) as caught:
            build.build(config_in(tmp_path, *lines))
        (problem,) = caught.value.problems
        return str(problem.where), problem.path, problem.message

    return complain


def file_of(folder, name, *records):
    """A file of these golden puzzles, by id, records or lines."""
    lines = [PUZZLES.get(each, each) if isinstance(each, str) else each for each in records]
    path = folder / name
    path.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in lines))
    return path


def crowded():
    """A record of one poly too many."""
    array = [["+N"[x % 2 * (y % 2)] if not (x % 2 and y % 2) else "P-R-1" for x in range(13)] for y in range(13)]
    for y in range(13):
        for x in range(13):
            if x % 2 and y % 2 and (y // 2) * 6 + x // 2 >= 32:
                array[y][x] = "N"
    array[0][0], array[0][12] = "S", "E"
    shape = json.dumps({"1": [[1, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4]})
    return {"id": "crowded", "grid_size": {"width": 6, "height": 6}, "puzzle_array": array, "polyshapes": shape}


# Files.


def test_source_file_needs_the_file(complain):
    where, key, message = complain("puzzles:", "  source: file")
    assert (where, key) == ("my.yaml:3", "puzzles.source")
    assert message == "Source file needs the file.\npuzzles.source: 'file' (my.yaml:3)"


def test_a_file_that_is_not_there_is_named(complain, tmp_path):
    where, key, message = complain("puzzles:", "  source: file", "  file: none.jsonl")
    assert (where, key) == ("my.yaml:4", "puzzles.file")
    assert message == f"{tmp_path / 'none.jsonl'} cannot be read: No such file or directory."


def test_a_folder_without_files_of_puzzles_is_told_so(complain, tmp_path):
    (tmp_path / "sets").mkdir()
    where, key, message = complain("puzzles: {source: file, file: sets}")
    assert (where, key) == ("my.yaml:2", "puzzles.file")
    assert message == f"{tmp_path / 'sets'}: there is no file *.jsonl in this folder."


def test_a_file_without_puzzles_is_told_so(complain, tmp_path):
    path = file_of(tmp_path, "a.jsonl", "", "  ")
    assert complain(FILE)[2] == f"{path}: there is no puzzle."


def test_a_file_that_is_no_text_is_told_so(complain, tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"\xff\xfe\x00")
    where, key, message = complain(FILE)
    assert (where, key) == ("my.yaml:2", "puzzles.file")
    assert message.startswith(f"{tmp_path / 'a.jsonl'}")
    assert "UTF-8" in message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('{"id": ', ":2: column 8 is no JSON: Expecting value."),
        ("[1]", ":2: a record is an object with fields; found [1] (a list)."),
        ({"id": "A01"}, ":2: id: found 'A01', the id of the puzzle at {file}:1; ids must differ."),
        ({"grid_size": {"height": 2, "width": 0}}, ":2: grid_size.width: found 0; allowed: 1 or more."),
    ],
)
def test_a_line_that_is_no_puzzle_is_told_with_its_place(complain, tmp_path, change, message):
    second = change if isinstance(change, str) else PUZZLES["A02"] | change
    path = file_of(tmp_path, "a.jsonl", "A01", second)
    where, key, said = complain("puzzles:", "  file: a.jsonl", "  source: file")
    assert (where, key) == ("my.yaml:3", "puzzles.file")
    assert said == f"{path}{message.format(file=path)}"


def test_an_id_that_two_files_of_a_folder_share_is_told_with_both_places(complain, tmp_path):
    folder = tmp_path / "sets"
    folder.mkdir()
    first, second = file_of(folder, "a.jsonl", "A01", "A02"), file_of(folder, "b.jsonl", "A03", "A02")
    message = complain("puzzles: {source: file, file: sets}")[2]
    assert message == f"{second}:2: id: found 'A02', the id of the puzzle at {first}:2; ids must differ."


def test_files_are_sought_beside_the_configuration_that_names_them(tmp_path):
    file_of(tmp_path, "a.jsonl", "A01", "B01")
    assert [puzzle.id for puzzle in build.load(config_in(tmp_path, FILE))] == ["A01", "B01"]
    (tmp_path / "sets").mkdir()
    file_of(tmp_path / "sets", "2.jsonl", "A01")
    file_of(tmp_path / "sets", "1.jsonl", "B01", "", "C01")
    file_of(tmp_path / "sets", "0.txt", "D01")
    found = build.load(config_in(tmp_path, "puzzles: {source: file, file: sets}"))
    assert [puzzle.id for puzzle in found] == ["B01", "C01", "A01"]


# Which of them.


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        ("first: 0", ["A01", "A02", "A03", "C06", "R24"]),
        ("first: 2", ["A03", "C06", "R24"]),
        ("count: 2", ["A01", "A02"]),
        ("first: 4, count: 1", ["R24"]),
        ("levels: [1]", ["A01", "A02", "A03"]),
        ("levels: [5, 2]", ["C06", "R24"]),
        ("levels: [1], first: 1, count: 2", ["A02", "A03"]),
    ],
)
def test_levels_are_chosen_and_then_a_range(tmp_path, asked, ids):
    file_of(tmp_path, "a.jsonl", "A01", "A02", "A03", "C06", "R24")
    assert {name: PUZZLES[name]["difficulty_level"] for name in ("A01", "C06", "R24")} == {"A01": 1, "C06": 2, "R24": 5}
    found = build.load(config_in(tmp_path, f"puzzles: {{source: file, file: a.jsonl, {asked}}}"))
    assert [puzzle.id for puzzle in found] == ids


@pytest.mark.parametrize(
    ("asked", "key", "message"),
    [
        ("levels: [4, 5]", "puzzles.levels", "No puzzle has a level of 4, 5."),
        ("first: 3", "puzzles.first", "There are 3 puzzles, 0 to 2; puzzles.first is 3. Lower puzzles.first."),
        (
            "count: 4",
            "puzzles.first",
            "There are 3 puzzles, 0 to 2; puzzles.first is 0 and puzzles.count 4. Lower puzzles.count to 3.",
        ),
        (
            "first: 2, count: 2",
            "puzzles.first",
            "There are 3 puzzles, 0 to 2; puzzles.first is 2 and puzzles.count 2. Lower puzzles.count to 1.",
        ),
        ("levels: [1], first: 5", "puzzles.first", "There are 3 puzzles, 0 to 2; puzzles.first is 5. Lower puzzles.first."),
    ],
)
def test_there_are_no_more_puzzles_than_there_are(complain, tmp_path, asked, key, message):
    file_of(tmp_path, "a.jsonl", "A01", "A02", "A03")
    _, path, said = complain(f"puzzles: {{source: file, file: a.jsonl, {asked}}}")
    assert (path, said) == (key, message)


# What fits.


@pytest.mark.parametrize(("width", "height"), [(1, 3), (2, 2)])
def test_a_puzzle_too_large_for_the_lattice_is_named(complain, tmp_path, width, height):
    file_of(tmp_path, "a.jsonl", "A01", "R01")
    where, key, message = complain(FILE, f"lattice: {{cells_w: {width}, cells_h: {height}}}")
    assert (where, key) == ("my.yaml:2", "puzzles.file")
    assert message == (
        f"Puzzle R01: It has 2x3 cells; lattice.cells_w and lattice.cells_h leave room for {width}x{height}. Raise them. "
        "All of them need 2x3."
    )


def test_a_puzzle_with_too_many_pieces_is_named(complain, tmp_path):
    file_of(tmp_path, "a.jsonl", crowded())
    assert complain(FILE)[2] == "Puzzle crowded: It has 32 polys and ylops; allowed: up to 31."


@pytest.mark.parametrize(
    ("size", "cells", "room"),
    [
        ((59, 60), (6, 6), "60x60 px hold 6x6 cells"),
        ((60, 59), (6, 6), "60x60 px hold 6x6 cells"),
        ((32, 50), (6, 3), "33x60 px hold 6x3 cells"),
        ((140, 141), (15, 15), "141x141 px hold 15x15 cells"),
    ],
)
def test_a_picture_too_small_for_its_cells_is_refused(complain, size, cells, room):
    lattice = f"lattice: {{cells_w: {cells[0]}, cells_h: {cells[1]}}}"
    lines = f"observation: {{kind: picture, height: {size[0]}, width: {size[1]}}}", lattice
    first, *places = complain(*lines)[2].split("\n")
    assert first == f"The picture is too small for its cells; {room}. Enlarge it, or lessen the cells."
    assert places == [
        f"observation.height: {size[0]} (my.yaml:2)", f"observation.width: {size[1]} (my.yaml:2)",
        f"lattice.cells_w: {cells[0]} (my.yaml:3)", f"lattice.cells_h: {cells[1]} (my.yaml:3)",
    ]  # fmt: skip
    rows, columns = room.split(" ")[0].split("x")
    enough = f"observation: {{kind: picture, height: {rows}, width: {columns}}}", lattice
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "load", lambda config: (from_record(PUZZLES["A01"]),))
        env, _ = build.build(config_in(".", *enough))
    assert env.observation_space.shape == (int(rows), int(columns), 3)


@pytest.mark.parametrize(
    ("puzzles", "values", "message"),
    [
        ((), {}, "An environment needs a puzzle."),
        (
            ("A01", "R01"),
            {"lattice.cells_w": 1},
            "Puzzle R01: It has 2x3 cells; lattice.cells_w and lattice.cells_h leave room for 1x6. Raise them.",
        ),
    ],
)
def test_puzzles_in_hand_are_refused_too(puzzles, values, message):
    with pytest.raises(ValueError) as caught:
        build.from_puzzles([from_record(PUZZLES[name]) for name in puzzles], config_of(values))
    assert str(caught.value) == message


def test_without_a_configuration_the_lattice_is_as_large_as_the_puzzles_need():
    env, params = build.from_puzzles([from_record(PUZZLES[name]) for name in ("R07", "R01")])
    assert env.observation_space.shape == (7, 11, 39)  # 5x2 and 2x3 cells
    assert params.bank.lines.size.tolist() == [[5, 2], [2, 3]]


# Values.


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("puzzles.source: hup", "Found 'hup'; allowed: set, file, hub. Did you mean hub?"),
        (
            "puzzles.set: balancd",
            "Found 'balancd'; allowed: balanced, balanced-test, first-steps, first-steps-test. Did you mean balanced?",
        ),
        ("puzzles.levels: [1, 6]", "Levels are 1 to 5; found 6.\npuzzles.levels: [1, 6] (my.yaml:2)"),
        ("puzzles.levels: [0]", "Levels are 1 to 5; found 0.\npuzzles.levels: [0] (my.yaml:2)"),
        ("puzzles.levels: 3", "Found 3 (an integer); allowed: a list of integers."),
        ("puzzles.first: -1", "Found -1 (an integer); allowed: an integer of 0 or more."),
        ("puzzles.count: 0", "Found 0 (an integer); allowed: an integer of 1 or more or null."),
        ("lattice.cells_w: 16", "Found 16 (an integer); allowed: an integer from 1 to 15."),
        ("lattice.cells_h: 0", "Found 0 (an integer); allowed: an integer from 1 to 15."),
        ("play.traceback: 1", "Found 1 (an integer); allowed: true or false."),
        ("play.max_steps: 0", "Found 0 (an integer); allowed: an integer of 1 or more."),
        ("reward.shaping: potentail", "Found 'potentail'; allowed: upstream, potential, none. Did you mean potential?"),
        ("reward.scale: -0.5", "Found -0.5 (a number); allowed: a number of 0 or more."),
        ("observation.kind: pictures", "Found 'pictures'; allowed: layers, picture. Did you mean picture?"),
        ("observation.height: 15", "Found 15 (an integer); allowed: an integer from 16 to 4096."),
        ("observation.width: 4097", "Found 4097 (an integer); allowed: an integer from 16 to 4096."),
        ("play.backtrack: true", "Unknown key; play has traceback and max_steps."),
        ("play.tracebck: true", "Unknown key; did you mean play.traceback?"),
    ],
)
def test_a_value_that_is_none_is_told_what_is(complain, line, message):
    where, key, said = complain(line)
    assert (where, key) == ("my.yaml:2", line.partition(":")[0])
    assert said == message


# Sets and the hub.


def test_a_set_that_is_damaged_or_missing_is_told_with_its_key(complain, monkeypatch):
    def missing(name):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), f"{name}.jsonl.gz")

    monkeypatch.setattr(build, "public", missing)
    _, key, message = complain("puzzles.set: first-steps")
    assert key == "puzzles.set"
    assert message == "first-steps.jsonl.gz cannot be read: No such file or directory."


@pytest.fixture
def hub(monkeypatch):
    """A package `datasets` that gives two golden puzzles, or raises, and the calls that it got."""
    calls = []

    def hub(error=None):
        def load_dataset(*args, **options):
            calls.append((args, options))
            if error:
                raise error
            return [PUZZLES["A01"], PUZZLES["C06"]]

        monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
        return calls

    return hub


def test_the_public_data_set_is_loaded_as_configured(hub, tmp_path):
    calls = hub()
    found = build.load(config_in(tmp_path, "puzzles: {source: hub, hub_config: small, hub_split: train}"))
    assert [puzzle.id for puzzle in found] == ["A01", "C06"]
    assert calls == [(("lkaesberg/SPaRC", "small"), {"split": "train", "revision": HUB_REVISION})]


def test_without_the_package_of_the_hub_its_installation_is_told(complain, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    _, key, message = complain("puzzles: {source: hub}")
    assert key == "puzzles.source"
    assert message == "Puzzles from the hub need datasets; install it with: pip install 'kagejax[hub]'"


@pytest.mark.parametrize(
    "error",
    [
        ConnectionError("Couldn't reach the Hugging Face Hub"),
        FileNotFoundError("Dataset 'lkaesberg/SPaRC' doesn't exist on the Hub"),
        ValueError("BuilderConfig 'al' not found. Available: ['all', 'small']"),
    ],
)
def test_a_hub_that_gives_nothing_is_told_in_its_words(complain, hub, error):
    hub(error)
    _, key, message = complain("puzzles: {source: hub}")
    assert key == "puzzles.source"
    assert str(error) in message


# What a configuration becomes.


def test_every_number_of_a_configuration_is_in_the_control(tmp_path):
    file_of(tmp_path, "a.jsonl", "A01", "A02", "A03")
    lines = (
        "puzzles: {source: file, file: a.jsonl, first: 1}",
        "play: {traceback: true, max_steps: 7}",
        "reward: {win: 2, lose: -0.5, shaping: potential, scale: 0.25}",
    )
    _, params = build.build(config_in(tmp_path, *lines))
    assert {name: value.tolist() for name, value in params.control._asdict().items()} == {
        "first_puzzle": 0, "puzzles": 2, "max_steps": 7, "traceback": True, "win": 2.0, "lose": -0.5, "scale": 0.25,
        "upstream": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("shaping", "scale", "upstream"), [("upstream", 0.01, True), ("potential", 0.01, False), ("none", 0.0, False)]
)
def test_defaults_are_the_published_ones_and_shaping_is_a_matter_of_numbers(shaping, scale, upstream):
    _, params = build.from_puzzles([from_record(PUZZLES["A01"])], config_of({"reward.shaping": shaping}))
    control = params.control
    assert (control.win.item(), control.lose.item(), control.scale.item()) == (1.0, -1.0, float(np.float32(scale)))
    assert (control.upstream.item(), control.traceback.item(), control.max_steps.item()) == (upstream, False, 100)


@pytest.mark.parametrize(
    ("base", "path", "value"),
    [
        ({"puzzles.source": "file", "puzzles.file": "a.jsonl"}, "puzzles.set", "first-steps"),
        ({"puzzles.source": "file", "puzzles.file": "a.jsonl"}, "puzzles.hub_split", "train"),
        ({}, "puzzles.hub_config", "small"),
        ({"puzzles.source": "hub"}, "puzzles.set", "first-steps"),
        ({}, "observation.height", 64),
        ({}, "observation.width", 64),
        ({"observation.kind": "picture"}, "observation.shapes", False),
        ({"reward.shaping": "none"}, "reward.scale", 0.5),
    ],
)
def test_a_key_that_another_leaves_unused_is_inert_and_changes_nothing(base, path, value):
    first, second = (config_of(base | change) for change in ({}, {path: value}))
    assert summary(diff(first, second)) == "No differing key is in use: the two are the same in effect."
    sides = [build.from_puzzles([from_record(PUZZLES["F03"])], config) for config in (first, second)]
    assert sides[0][0] == sides[1][0]
    assert_same(sides[0][1], sides[1][1])


def test_a_change_of_what_is_seen_reaches_the_picture_alone_and_one_of_play_the_game():
    assert summary(diff(config_of(), config_of({"observation.shapes": False}))) == (
        "Only the picture differs (render); the game is the same."
    )
    assert summary(diff(config_of(), config_of({"play.traceback": True}))) == (
        "The game differs (control), the settings of the picture do not."
    )


def test_the_room_is_made_by_its_name(tmp_path):
    path = file_of(tmp_path, "a.jsonl", "A01", "C06")
    values = {"puzzles.source": "file", "puzzles.file": str(path), "lattice.cells_w": 2, "lattice.cells_h": 2}
    assert "spatial" in kagejax.ids()
    env, params = kagejax.make("spatial", **values)
    same, others = build.build(config_of(values))
    assert env == same
    assert_same(params, others)
    assert {leaf.dtype.itemsize for leaf in jax.tree.leaves(params)} <= {1, 2, 4}


def test_an_id_is_found_and_one_that_is_not_there_is_told_some_that_are():
    puzzles = [from_record(PUZZLES[name]) for name in ("A01", "A02", "A03", "A04")]
    assert build.index_of(puzzles, "A03") == 2
    with pytest.raises(KeyError) as caught:
        build.index_of(puzzles, "A05")
    assert caught.value.args == ("No puzzle has the id 'A05'; the 4 ids begin with A01, A02, A03.",)


def test_a_file_that_is_not_the_source_is_told_so():
    with pytest.raises(ValueError, match="A file is given, but it is not the source; write source: file."):
        config_of({"puzzles.file": "a.jsonl"})


def test_a_set_that_is_not_there_is_named():
    with pytest.raises(KeyError, match="No set is called 'nope'; there are balanced, balanced-test, first-steps,"):
        build.public("nope")


def test_compressed_files_are_read(tmp_path):
    path = file_of(tmp_path, "a.jsonl", "A01", "C06")
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    found = build.load(config_in(tmp_path, "puzzles: {source: file, file: b.jsonl.gz}"))
    assert [puzzle.id for puzzle in found] == ["A01", "C06"]


def test_a_compressed_file_that_is_cut_is_told_so(complain, tmp_path):
    path = file_of(tmp_path, "a.jsonl", "A01", "C06")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(path.read_bytes())[:-9])
    _, key, message = complain("puzzles: {source: file, file: b.jsonl.gz}")
    assert (key, message) == ("puzzles.file", f"{tmp_path / 'b.jsonl.gz'}: it is no whole gzip file.")
