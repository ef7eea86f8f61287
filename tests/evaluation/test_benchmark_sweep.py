"""Sweep folders: what is read, what counts, and what is said of the rest."""

import json

import numpy as np
import pytest

from kagejax.config.problems import ConfigError
from kagejax.evaluation.benchmark import sweep as sweeps
from tests.evaluation import benchmark_cases as cases


@pytest.fixture
def folder(tmp_path):
    return cases.make_sweep(tmp_path / "sweep")


def seed_of(folder, seed=2, run=0):
    return next(each for each in sweeps.read(folder).runs[run].seeds if each.seed == seed)


def damage(folder, change, name="evaluations.jsonl"):
    """Changes the lines of a file of the second seed of light."""
    path = folder / "fake-light-1" / "seed-2" / name
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in change(lines)))
    return seed_of(folder)


def test_a_sweep_is_its_pairs_and_the_runs_that_they_share(folder):
    sweep = sweeps.read(folder)
    assert (sweep.name, sweep.suite, sweep.seeds, sweep.shared) == ("sweep", ("fake",), (1, 2, 3), True)
    assert [(pair.id, pair.axis, pair.run.name) for pair in sweep.pairs] == [
        ("fake/light/1", "light", "fake-light-1"),
        ("fake/light/2", "light", "fake-light-1"),
        ("fake/sound/1", "sound", "fake-sound-1"),
    ]
    assert [seed.state for run in sweep.runs for seed in run.seeds] == ["finished"] * 6
    assert sweep.unusable == [] and sweep.trapped == []


def test_a_sweep_in_which_no_pair_shares_a_run_says_so(tmp_path):
    assert not sweeps.read(cases.make_sweep(tmp_path / "apart", shared=False)).shared


def test_a_shared_run_serves_its_second_pair_under_the_name_that_it_was_trained_with(folder):
    pair = sweeps.read(folder).pairs[1]
    assert (pair.train, pair.eval) == ("fake/light/1/train", "fake/light/2/eval")
    assert pair.sides("success_once", "final") == pytest.approx(np.array([[0.81, 0.82, 0.83], [0.405, 0.41, 0.415]]))


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("missing", "not started"),
        ("bare", "no status"),
        ("running", "running at 67 %"),
        ("interrupted", "interrupted at 67 %"),
        ("failed", "failed: RuntimeError: made up"),
    ],
)
def test_what_is_not_finished_does_not_count_and_is_told(tmp_path, state, told):
    folder = cases.make_sweep(tmp_path / "sweep", unfinished={("fake-light-1", 2): state})
    sweep = sweeps.read(folder)
    assert [(seed.run, seed.seed, seed.told) for seed in sweep.unusable] == [("fake-light-1", 2, told)]
    assert sweep.pairs[0].sides("success_once", "max").shape == (2, 2)


def test_evaluations_of_an_unfinished_seed_are_there_for_its_curve(tmp_path):
    folder = cases.make_sweep(tmp_path / "sweep", unfinished={("fake-light-1", 2): "running"})
    assert seed_of(folder).steps.tolist() == [1000, 2000]


def test_a_stuck_seed_counts_and_is_known(tmp_path):
    sweep = sweeps.read(cases.make_sweep(tmp_path / "sweep", trapped=[("fake-light-1", 3)]))
    assert [(seed.run, seed.seed, seed.usable) for seed in sweep.trapped] == [("fake-light-1", 3, True)]


def test_a_seed_that_came_out_of_the_trap_is_not_stuck(folder):
    assert not damage(folder, lambda lines: [lines[0] | {"trapped": True}, *lines[1:]], "metrics.jsonl").trapped


def lacking(lines):
    del lines[1]["configurations"]["fake/light/2/eval"]
    return lines


def without_number(lines):
    lines[2]["configurations"]["fake/light/1/eval"]["return"]["mean"] = None
    return lines


def without_success_and_return(lines):
    for metrics in lines[0]["configurations"].values():
        del metrics["success_once"], metrics["return"]
    return lines


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: [], "damaged: it is finished, and evaluations.jsonl has no evaluation"),
        (lacking, "damaged: evaluations.jsonl:2 lacks 'fake/light/2/eval'"),
        (without_number, "damaged: evaluations.jsonl:3 has no number as return of fake/light/1/eval"),
        (without_success_and_return, "damaged: not all of its evaluations have success_once or return"),
        (lambda lines: [3], "damaged: evaluations.jsonl:1 is no evaluation"),
        (
            lambda lines: [lines[0] | {"train": "fake/other/train"}],
            "damaged: evaluations.jsonl:1 is of a run trained on 'fake/other/train', not on 'fake/light/1/train'",
        ),
    ],
)
def test_evaluations_that_cannot_be_used_are_told_with_their_line(folder, change, told):
    assert damage(folder, change).told == told


def test_a_broken_line_is_told_and_one_cut_off_at_the_end_is_passed_over(folder):
    path = folder / "fake-light-1" / "seed-2" / "evaluations.jsonl"
    whole = path.read_text()
    path.write_text(whole + '{"step": 40')
    assert seed_of(folder).state == "finished"
    path.write_text('{"step": 40\n' + whole)
    assert seed_of(folder).told == "damaged: evaluations.jsonl:1 is broken"


@pytest.mark.parametrize(
    ("text", "told"), [("{", "damaged: status.json cannot be read"), ('{"state": "odd"}', "damaged: status.json says 'odd'")]
)
def test_a_status_that_says_nothing_is_told(folder, text, told):
    (folder / "fake-light-1" / "seed-2" / "status.json").write_text(text)
    assert seed_of(folder).told == told


def test_of_an_evaluation_written_twice_the_last_counts(folder):
    def again(lines):
        later = json.loads(json.dumps(lines[1]))
        later["configurations"]["fake/light/1/train"]["success_once"]["mean"] = 0.5
        return [*lines, later]

    seed = damage(folder, again)
    assert seed.steps.tolist() == [1000, 2000, 3000]
    assert seed.curve("fake/light/1/train", "success_once") == pytest.approx([0.02, 0.5, 0.82])


UPS_AND_DOWNS = {  # step -> train success, eval success, train distance
    1000: (0.3, 0.25, 100.0),
    2000: (0.9, 0.1, 300.0),
    3000: (0.9, 0.4, 200.0),
}


def up_and_down(run, seed, step, configuration, train):
    ours, theirs, distance = UPS_AND_DOWNS[step]
    return {"success_once": ours if configuration == train else theirs, "passed_distance": distance, "return": float(step)}


@pytest.mark.parametrize(
    ("value", "success", "distance"), [("max", (0.9, 0.4), 300), ("final", (0.9, 0.4), 200), ("best", (0.9, 0.1), 300)]
)
def test_the_value_of_a_run_is_a_maximum_the_last_or_the_best_by_the_train_side(tmp_path, value, success, distance):
    pair = sweeps.read(cases.make_sweep(tmp_path / "sweep", seeds=(1,), values=up_and_down)).pairs[0]
    assert pair.sides("success_once", value).ravel().tolist() == list(success)  # best: the first of two equals
    assert pair.sides("passed_distance", value)[0].tolist() == [distance]


def test_without_success_the_best_goes_by_the_return(tmp_path):
    def values(*where):
        return {name: value for name, value in up_and_down(*where).items() if name != "success_once"}

    pair = sweeps.read(cases.make_sweep(tmp_path / "sweep", seeds=(1,), values=values)).pairs[0]
    assert pair.sides("passed_distance", "best")[0].tolist() == [200.0]


def edited(folder, **changes):
    path = folder / "sweep.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seeds": []}, "seeds\n    Found []; allowed: a list of whole numbers that is not empty."),
        ({"runs": None}, "runs\n    Found None; it must be a list."),
        ({"pairs": []}, "pairs\n    There is no pair, so that there is nothing to report."),
        (
            {"pairs": [{"pair": "a", "axis": "b", "title": "c", "eval": "d"}]},
            "pairs[0].run\n    Found None; it must be a text.",
        ),
        (
            {"pairs": [{"pair": "a", "axis": "b", "title": "c", "eval": "d", "run": "e"}]},
            "pairs[0].run\n    Found 'e'; allowed: fake-light-1 or fake-sound-1.",
        ),
        (
            {"pairs": [{"pair": "a", "axis": "b", "title": "c", "eval": "d", "run": "fake-light-1"}]},
            "pairs[0].eval\n    Found 'd', which run 'fake-light-1' does not evaluate.",
        ),
        (
            {"runs": 2 * [{"run": "r", "train": "t", "evaluate": []}]},
            "runs[1].run\n    Found 'r', which is the name of an earlier run.",
        ),
    ],
)
def test_a_plan_that_cannot_be_used_is_an_error_with_its_place(folder, changes, message):
    path = edited(folder, **changes)
    with pytest.raises(ConfigError) as error:
        sweeps.read(folder)
    assert str(error.value).replace(f"{path}: ", "") == f"The configuration has a problem:\n{message}"


def test_a_folder_without_a_plan_is_no_sweep(tmp_path):
    with pytest.raises(ConfigError, match="There is no such file, so this is no folder of a sweep"):
        sweeps.read(tmp_path)
    (tmp_path / "sweep.json").write_text("{")
    with pytest.raises(ConfigError, match="It cannot be read"):
        sweeps.read(tmp_path)
    (tmp_path / "sweep.json").write_text("[]")
    with pytest.raises(ConfigError, match="It must hold a JSON object"):
        sweeps.read(tmp_path)
