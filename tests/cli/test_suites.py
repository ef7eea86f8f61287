"""`kagejax suites`, as a person at a terminal sees it."""

import numpy as np
import PIL.Image
import pytest

import kagejax
from kagejax.cli import _pair_sheets
from kagejax.cli.main import main
from kagejax.config.suites import suites


@pytest.fixture(autouse=True)
def _place(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def run(capsys, *arguments):
    status = main(["suites", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, " ".join(captured.err.split())


def test_the_list_has_every_suite_with_its_pairs_and_training_runs(capsys):
    status, out, _ = run(capsys, "list")
    assert status == 0
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line.strip()}
    assert rows["kage/background"] == ["kage/background", "10", "7", "Background"]
    assert rows["kage"][:3] == ["kage", "34", "7"]
    assert rows["kage/radial_light"][-1] == "(experiment)"
    assert set(suites()) <= set(rows)
    assert "kage-mini" in rows


def test_the_list_can_be_of_some(capsys):
    assert run(capsys, "list", "kage/layout", "kage/effects")[1].splitlines() == [
        "suite         pairs  trainings  title",
        "-" * 68,
        "kage/layout       1          1  Layout",
        "kage/effects      3          1  Effects",
        "kage              4          2  the 2 suites that are no experiments",
    ]


def test_showing_pairs_says_what_differs_and_what_trains_alike(capsys):
    status, out, _ = run(capsys, "show", "kage/background", "--pairs", "1,8")
    assert (status, out) == (
        0,
        "kage/background: Background, 2 pairs\n"
        "\n"
        "  kage/background/1: black -> noise\n"
        "    background.mode: black -> noise\n"
        "\n"
        "  kage/background/8: black -> purple, skeleton\n"
        "    background.mode: black -> color\n"
        "    background.color_names: [purple, teal, indigo] -> [purple]\n"
        "\n",
    )
    assert "    trains as kage/background/1/train\n" in run(capsys, "show", "kage/background", "--pairs", "1,2")[1]


def test_an_experiment_may_have_a_pair_of_equals(capsys):
    assert "    no difference\n" in run(capsys, "show", "kage/radial_light", "--pairs", "0.0")[1]


def test_a_pair_can_be_verified(capsys, monkeypatch):
    status, out, _ = run(capsys, "show", "kage/background", "--pairs", "1", "--verify")
    assert status == 0
    assert "    latent trajectories are equal, bit for bit\n    100% of frames differ\n" in out
    assert "    => the pair shifts only the observation\n" in out


def test_a_pair_that_shifts_nothing_fails_the_check(capsys):
    status, out, _ = run(capsys, "show", "kage/background_colors", "--pairs", "black", "--verify")
    assert status == 1
    assert "    0% of frames differ\n    => the pair does NOT shift the observation alone\n" in out


def test_a_sheet_has_the_train_frame_beside_the_eval_frame(capsys):
    arguments = ("kage/background", "--pairs", "1,2", "--steps", "3", "--out", "a.png")
    status, out, _ = run(capsys, "render", *arguments)
    assert (status, out) == (0, "a.png: 2 pairs after 3 steps, train left, eval right\n")
    sheet = np.asarray(PIL.Image.open("a.png").convert("RGB"))
    pairs = [pair for pair in suites()["kage/background"].pairs if pair.id in ("kage/background/1", "kage/background/2")]
    frames = _pair_sheets.frames(pairs, "scripted", 3, 0)
    top = 10 + 24 + 2 * 13 + 2
    for place, pair in enumerate(pairs):
        left = 10 + place * (2 * 128 + 2 + 10)
        train, evaluation = sheet[top : top + 128, left : left + 128], sheet[top : top + 128, left + 130 : left + 258]
        np.testing.assert_array_equal(train, frames[pair.id][0])
        np.testing.assert_array_equal(evaluation, frames[pair.id][1])
        assert (train != evaluation).any()


def test_frames_of_a_sheet_are_of_one_episode_under_one_policy():
    pairs = suites()["kage/layout"].pairs
    (train, evaluation) = _pair_sheets.frames(pairs, "right", 5, 7)["kage/layout/1"]
    env, params = kagejax.make("kage/layout/1/train")
    assert train.shape == (128, 128, 3)
    moved = (train != evaluation).any(-1)
    assert (train[moved] == (0, 255, 255)).all() and (evaluation[moved] == (255, 0, 0)).all()


def test_captions_that_are_too_long_are_cut():
    rows = [(name, suites()[f"kage/{name}"].pairs) for name in ("layout", "effects")]
    pictures = {pair.id: np.full((2, 16, 16, 3), 200, np.uint8) for _, pairs in rows for pair in pairs}
    sheet = _pair_sheets.sheet(rows, pictures, columns=2, scale=2)
    assert sheet.shape == (10 + 2 * 24 + 3 * (32 + 26 + 10), 10 + 2 * (2 * 32 + 2 + 10), 3)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show"], "suite: Name one or more suites, such as kage/background; `kagejax suites list` lists them."),
        (["show", "kage/backgruond"], "There is no suite 'kage/backgruond'; `kagejax suites list` lists them. Did you mean"),
        (["show", "kage/layout", "--pairs", "9"], "pairs: There is no pair '9'; there are 1."),
        (["render", "kage/layout", "--out", "a.gif"], "--out: Found 'a.gif'; the name must end in .png."),
        (["render", "kage/layout", "--out", "no/a.png"], "--out: Found 'no/a.png'; there is no folder 'no'. Make it first."),
        (["render", "kage/layout", "--out", "a.png", "--steps", "-1"], "--steps: Found -1; allowed: 0 to 10,000."),
        (["render", "kage/layout", "--out", "a.png", "--seed", "-1"], "--seed: Found -1; allowed: 0 to 2^32 - 1."),
        (["render", "kage/layout", "--out", "a.png", "--columns", "0"], "--columns: Found 0; allowed: 1 or more."),
        (["render", "kage/layout", "--out", "a.png", "--scale", "0"], "--scale: Found 0; allowed: 1 or more."),
        (["render", "kage/layout", "--out", "a.png", "--policy", "rihgt"], "--policy: Found 'rihgt'; allowed: random, right,"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(capsys, arguments, said):
    status, _, err = run(capsys, *arguments)
    assert status == 2
    assert said in err
