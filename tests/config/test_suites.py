"""The pairs of the benchmark are those of the published ones, key by key."""

import pathlib

import pytest
import yaml

import kagejax
from kagejax import load_config
from kagejax.config.difference import diff
from kagejax.config.suites import suites

ROOT = pathlib.Path(__file__).parents[1] / "golden" / "kage"
PAIRS = yaml.safe_load((ROOT / "pairs.yaml").read_text())
PARAMETERS = yaml.safe_load((ROOT / "parameters.yaml").read_text())
EXPERIMENTS = {
    "num_of_train_bg_colors": "background_colors", "sticky_npcs": "distractor_count", "radial_light": "radial_light",
}  # fmt: skip


def bare(value):
    """A value with asset paths cut to their last component without ending, and one spelling of 'no list'."""
    if isinstance(value, list | tuple):
        return [bare(item) for item in value] or None
    if isinstance(value, str) and "/" in value:
        return value.rsplit("/", 1)[1].removesuffix(".jpeg")
    return value


def expected(*overrides):
    """What a published file comes to: the published default file, then `overrides`."""
    values = {path: row["default"] for path, row in PARAMETERS.items() if row["affects"] != "none"}
    for override in overrides:
        values |= override
    for old, row in PARAMETERS.items():
        if "alias_of" in row:
            values[row["alias_of"]] = values.pop(old)
    return {path: bare(value) for path, value in values.items()}


def effective(id):
    ours = ("distractors.angle_unit", "layout.random_color")
    return {path: bare(value) for path, value in load_config(id).flat().items() if path not in ours}


def suites_of(room):
    return [suite for suite in suites().values() if suite.id.startswith(f"{room}/")]


def published_pairs():
    return [(suite, number) for suite, pairs in PAIRS["suites"].items() for number in pairs]


def test_there_are_34_pairs_in_6_suites_and_18_more_in_3_experiments():
    by_kind = {True: [], False: []}
    for suite in suites_of("kage"):
        by_kind[suite.experiment].append(len(suite.pairs))
    assert sorted(by_kind[False]) == [1, 3, 5, 6, 9, 10]
    assert sorted(by_kind[True]) == [5, 5, 8]
    assert len(published_pairs()) == 34


@pytest.mark.parametrize(("suite", "number"), published_pairs())
@pytest.mark.parametrize("side", ["train", "eval"])
def test_a_side_of_a_pair_is_the_published_one(suite, number, side):
    pair = PAIRS["suites"][suite][number]
    assert effective(f"kage/{suite}/{number}/{side}") == expected(PAIRS["base"], pair["base"], pair[side])


@pytest.mark.parametrize(("name", "key"), [(name, key) for name in EXPERIMENTS for key in PAIRS["experiments"][name]["evals"]])
def test_a_side_of_an_experiment_is_the_published_one(name, key):
    experiment = PAIRS["experiments"][name]
    suite, config, _ = experiment["train_same_as"].split(".")
    pair = PAIRS["suites"][suite][int(config.removeprefix("config_"))]
    train = expected(PAIRS["base"], pair["base"], pair["train"])
    # Keys that are unused on the train side may be given there already; what is in use must agree.
    assert effective(f"kage/{EXPERIMENTS[name]}/{key}/train") == train
    overrides = experiment["evals"][key]
    assert effective(f"kage/{EXPERIMENTS[name]}/{key}/eval") == expected(PAIRS["base"], pair["base"], pair["train"], overrides)


@pytest.mark.parametrize(("suite", "number"), published_pairs())
def test_a_pair_differs_in_the_picture_alone(suite, number):
    differences = diff(load_config(f"kage/{suite}/{number}/train"), load_config(f"kage/{suite}/{number}/eval"))
    assert differences and {difference.affects for difference in differences} == {"render"}


def test_val_is_another_name_of_eval():
    assert load_config("kage/filters/4/val") == load_config("kage/filters/4/eval")


@pytest.mark.parametrize(
    ("published", "ours"),
    [
        ("kage/agent/1/train", "kage/agent_appearance/1/train"),
        ("kage/sticky_npcs/7/eval", "kage/distractor_count/7/eval"),
        ("kage/num_of_train_bg_colors/black/eval", "kage/background_colors/black/eval"),
    ],
)
def test_published_names_of_suites_work_too(published, ours):
    assert load_config(published) == load_config(ours)


def test_ids_name_environments_then_configurations_then_sides_of_pairs():
    ids = kagejax.ids()
    depths = [id.count("/") for id in ids]
    assert ids[0] == "kage" and depths == sorted(depths) and len(ids) == len(set(ids))
    kage = [id for id in ids if id.partition("/")[0] == "kage"]
    assert kage[:6] == ["kage", "kage/circle", "kage/hardest", "kage/quiet", "kage/simplest", "kage/skeleton"]
    assert "kage/background/10/eval" in kage and "kage/radial_light/0.25/train" in kage
    assert len(kage) == 6 + 2 * (34 + 18)


def test_overrides_apply_to_a_side_of_a_pair():
    config = load_config("kage/background/9/train", background={"image_path": "builtin/bg-5"})
    assert (config.background.image_path, config.background.image_paths) == ("builtin/bg-5", ())


def test_every_pair_has_a_title_of_its_own():
    for room in {suite.id.partition("/")[0] for suite in suites().values()}:
        titles = [pair.title for suite in suites_of(room) for pair in suite.pairs]
        assert len(set(titles)) == len(titles)
    assert sum(len(suite.pairs) for suite in suites_of("kage")) == 52
