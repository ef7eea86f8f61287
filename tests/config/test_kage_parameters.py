"""Every key of a published kage file is there, with its default, range, choices and reach."""

import pathlib

import pytest
import yaml

from kagejax import load_config
from kagejax.config.parameters import parameters
from kagejax.config.rendering import json_schema, markdown_table
from kagejax.envs.kage.config import KageConfig

GOLDEN = yaml.safe_load((pathlib.Path(__file__).parents[1] / "golden" / "kage" / "parameters.yaml").read_text())
KEYS = parameters(KageConfig)
EARLIER_NAMES = {row["alias_of"]: path for path, row in GOLDEN.items() if "alias_of" in row}


def plain(value):
    """A value as a published file may write it: empty lists and null mean the same, one name is a list of one."""
    if isinstance(value, tuple | list):
        return list(value) or None
    return value


def one_or_more(value):
    return [value] if isinstance(value, str) else plain(value)


def test_there_are_118_public_keys():
    assert len(GOLDEN) == 118
    assert {path for path, key in KEYS.items() if not key.ours} == set(GOLDEN)


def test_our_own_keys_are_marked():
    assert [path for path, key in KEYS.items() if key.ours] == ["distractors.angle_unit", "layout.random_color"]


@pytest.mark.parametrize("path", GOLDEN)
def test_type_range_and_reach_are_those_of_published_files(path):
    row, key = GOLDEN[path], KEYS[path]
    assert key.type == row["type"]
    assert key.maximum == row.get("max")
    assert (key.above if path == "filters.contrast" else key.minimum) == row.get("min")
    assert key.choices == (tuple(row["choices"]) if "choices" in row else None)
    assert key.affects == row["affects"]
    assert key.alias_of == row.get("alias_of")


@pytest.mark.parametrize("path", GOLDEN)
def test_absent_keys_mean_what_they_mean_in_published_files(path):
    of_list = KEYS[path].type.startswith("str|list")
    assert plain(KEYS[path].absent) == (one_or_more if of_list else plain)(GOLDEN[path]["absent"])


@pytest.mark.parametrize("path", GOLDEN)
def test_defaults_are_those_of_the_published_default_file(path):
    # A key that the published default file sets under its older name has that value by default.
    golden = plain(GOLDEN[EARLIER_NAMES.get(path, path)]["default"])
    renamed = {"src/kage_bench/assets/backgrounds": "builtin/backgrounds", "src/kage_bench/assets/sprites": "builtin/sprites"}
    assert plain(KEYS[path].default) == (renamed.get(golden, golden) if isinstance(golden, str) else golden)


def test_ninety_three_keys_split_by_reach_as_published():
    counted = [row["affects"] for row in GOLDEN.values() if row["in_default_file"]]
    assert {reach: counted.count(reach) for reach in set(counted)} == {
        "control": 21, "metric": 1, "render": 68, "both": 2, "none": 1,
    }  # fmt: skip


def test_every_key_is_described_in_one_sentence():
    assert all(key.about.endswith(".") and 10 < len(key.about) < 90 for key in KEYS.values())


def test_the_default_file_lists_every_key_in_use_with_the_default_of_the_model():
    text = (pathlib.Path(__file__).parents[2] / "configs" / "kage" / "default.yaml").read_text()
    written = yaml.safe_load(text)
    paths = [
        f"{name}.{key}" if isinstance(value, dict) else name
        for name, value in written.items()
        for key in (value if isinstance(value, dict) else [None])
    ]
    assert paths[1:] == [path for path, key in KEYS.items() if key.affects != "none" and not key.alias_of]
    assert load_config("kage") == KageConfig()


def test_the_schema_knows_nested_and_dotted_keys_and_what_they_reach():
    schema = json_schema(KageConfig, "kage")
    hue = schema["$defs"]["Filters"]["properties"]["hue_shift"]
    assert (hue["minimum"], hue["maximum"], hue["default"], hue["affects"], hue["unit"]) == (-180, 180, 0.0, "render", "deg")
    assert schema["patternProperties"]["^filters\\.hue_shift$"] == {"$ref": "#/$defs/Filters/properties/hue_shift"}
    assert schema["properties"]["env"]["const"] == "kage"
    assert schema["additionalProperties"] is False
    types = schema["$defs"]["Character"]["properties"]["shape_types"]["anyOf"]
    assert [option["type"] for option in types] == ["string", "array"]


def test_the_parameter_table_has_a_row_for_each_key():
    table = markdown_table(KageConfig)
    assert table.count("\n| `") == len(KEYS)
    assert "| `hue_shift` | `0.0` | a number from -180 to 180 | deg | render | Added to the hue. |" in table
    assert "| `mode` | `image` | black, image, noise, color |  | render | What is drawn behind everything. |" in table
