"""Folders of entries: written whole or not at all, and every mistake in them is named."""

import json

import numpy as np
import pytest

from kagejax.evaluation.sokoban.checking import check_submission
from kagejax.evaluation.sokoban.submission import Problem, Results, Sheet, write_json, write_submission

RESULTS = Results("me", "0123abc", 13, 830_176, 92_000, 1.5, "beam search", 3, 4.2)
SHEET = Sheet(
    seed=13,
    config={"learning_rate": 3e-4},
    dependencies={"jax": "0.10.2"},
    data_mode="Fixed Dataset",
    dataset_version="classic 1",
    train_command="python train.py",
    evaluate_command="python evaluate.py",
    git_commit="0123abc",
    parameter_count=830_176,
    training_time_hours=1.5,
    training_samples=92_000,
)
EVALUATION = {"seeds": [0, 1, 2], "call_cap": 256, "strict_calls": True, "forbidden": None, "splits": {"split_A": {}}}
REPORT = """# Report
## Architecture
## Objective
## Against collapse
## Data strategy
## Planner
## Goal scoring
## Best improvements
## Failed experiments
## Weaknesses
## Results
"""


@pytest.fixture
def files(tmp_path):
    """What an entrant has."""
    source = tmp_path / "work"
    (source / "weights").mkdir(parents=True)
    (source / "weights" / "0").write_bytes(b"1234")
    texts = {"README.md": "# Mine", "requirements.txt": "jax", "config.yaml": "beam: 16", "report.md": REPORT}
    for name, content in {**texts, "train.py": "pass", "evaluate.py": "pass"}.items():
        (source / name).write_text(content)
    return {**{path.name: path for path in source.iterdir() if path.is_file()}, "checkpoint": source / "weights"}


@pytest.fixture
def entry(tmp_path, files):
    """The folder of an entry in order."""
    folder = tmp_path / "entries" / "mine"
    write_submission(folder, RESULTS, SHEET, files, EVALUATION)
    return folder


def change(path, **values):
    """Sets keys of a JSON file; None takes one out."""
    content = json.loads(path.read_text()) | values
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))


def test_an_entry_in_order_has_no_problems(entry):
    assert check_submission(entry) == []


def test_results_have_the_keys_of_the_rules(entry):
    assert list(json.loads((entry / "results.json").read_text())) == [
        "entrant", "git_commit", "random_seed", "parameter_count", "training_samples", "training_time_hours", "planner",
        "planning_horizon", "average_planning_time_ms",
    ]  # fmt: skip


def test_an_entry_is_copied_whole(entry):
    assert (entry / "checkpoint" / "0").read_bytes() == b"1234"
    assert (entry / "report.md").read_text() == REPORT
    assert [path.name for path in entry.parent.iterdir()] == ["mine"]


def test_a_file_that_is_missing_leaves_no_entry(tmp_path, files):
    with pytest.raises(FileNotFoundError):
        write_submission(tmp_path / "entries" / "mine", RESULTS, SHEET, {**files, "train.py": tmp_path / "nowhere.py"})
    assert list((tmp_path / "entries").iterdir()) == []


def test_numbers_that_json_does_not_have_leave_no_entry(tmp_path, files):
    with pytest.raises(ValueError, match="JSON"):
        write_submission(tmp_path / "entries" / "mine", RESULTS._replace(training_time_hours=float("nan")), SHEET, files)
    assert list((tmp_path / "entries").iterdir()) == []


def test_an_entry_is_not_overwritten(entry, files):
    with pytest.raises(FileExistsError, match="entries are not overwritten"):
        write_submission(entry, RESULTS._replace(entrant="other"), SHEET, files)
    assert json.loads((entry / "results.json").read_text())["entrant"] == "me"


@pytest.mark.parametrize("name", ["../train.py", "/tmp/train.py", "."])
def test_a_name_that_leads_out_of_the_entry_is_refused(tmp_path, files, name):
    with pytest.raises(ValueError, match="leads out of the entry"):
        write_submission(tmp_path / "entries" / "mine", RESULTS, SHEET, {**files, name: files["train.py"]})


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path):
    write_json(tmp_path / "results.json", {"a": np.int64(1), "b": np.arange(2)})
    with pytest.raises(TypeError):
        write_json(tmp_path / "results.json", {"a": object()})
    assert json.loads((tmp_path / "results.json").read_text()) == {"a": 1, "b": [0, 1]}


def test_a_folder_that_is_not_there_is_a_problem(tmp_path):
    assert check_submission(tmp_path / "none") == [Problem(str(tmp_path / "none"), "", "a folder")]


def test_an_empty_folder_lacks_everything(tmp_path):
    problems = check_submission(tmp_path)
    assert {problem.file for problem in problems} == {
        "README.md", "requirements.txt", "config.yaml", "checkpoint", "train.py", "evaluate.py", "report.md", "results.json",
        "reproducibility.json",
    }  # fmt: skip
    assert len(problems) == 9


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("entrant", "", 'a text; found ""'),
        ("entrant", None, "a text; it is missing"),
        ("git_commit", "main", 'a git commit; found "main"'),
        ("random_seed", 7, "one of 13, 42, 137; found 7"),
        ("parameter_count", 20_000_001, "a whole number of 1 to 20,000,000; found 20000001"),
        ("parameter_count", 1.5, "a whole number of 1 to 20,000,000; found 1.5"),
        ("training_time_hours", 12.1, "a number of 0 to 12; found 12.1"),
        ("training_time_hours", True, "a number of 0 to 12; found true"),
        ("training_samples", -1, "a whole number of 0 or more; found -1"),
        ("planner", ["beam"], 'a text; found ["beam"]'),
        ("planning_horizon", "3", 'a whole number of 0 or more; found "3"'),
        ("average_planning_time_ms", 500.5, "a number of 0 to 500; found 500.5"),
        ("average_planning_time_ms", float("nan"), "a number of 0 to 500; found NaN"),
    ],
)
def test_each_mistake_in_the_results_is_named(entry, key, value, expected):
    change(entry / "results.json", **{key: value})
    assert check_submission(entry)[0] == Problem("results.json", key, expected)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("data_mode", "Anything", "'Fixed Dataset' or 'Fixed Environment-Steps'; found \"Anything\""),
        ("config", {}, "the whole configuration, as an object; found {}"),
        ("dependencies", None, "versions by name, as an object; it is missing"),
        ("train_command", "", 'a text; found ""'),
        ("training_samples", 5, "92000, as results.json says for training_samples; found 5"),
        ("seed", 42, "13, as results.json says for random_seed; found 42"),
    ],
)
def test_each_mistake_in_the_sheet_is_named(entry, key, value, expected):
    change(entry / "reproducibility.json", **{key: value})
    assert check_submission(entry) == [Problem("reproducibility.json", key, expected)]


def test_own_data_is_limited(entry):
    change(entry / "results.json", training_samples=2_000_001)
    change(entry / "reproducibility.json", training_samples=2_000_001)
    assert check_submission(entry) == []
    change(entry / "reproducibility.json", data_mode="Fixed Environment-Steps")
    expected = "at most 2,000,000 generated transitions in mode 'Fixed Environment-Steps'; found 2,000,001"
    assert check_submission(entry) == [Problem("results.json", "training_samples", expected)]


@pytest.mark.parametrize(
    ("values", "key", "expected"),
    [
        ({"seeds": [0, 0, 1]}, "seeds", "3 or more seeds; found [0, 0, 1]"),
        ({"call_cap": 512}, "call_cap", "a whole number of 0 to 256; found 512"),
        ({"strict_calls": False}, "strict_calls", "true; found false"),
        ({"forbidden": "it cheats"}, "forbidden", "an agent that may be entered; it cheats"),
    ],
)
def test_an_evaluation_by_other_rules_is_a_problem(entry, values, key, expected):
    change(entry / "evaluation.json", **values)
    assert check_submission(entry) == [Problem("evaluation.json", key, expected)]


def test_parameters_are_those_that_were_counted(entry):
    change(entry / "evaluation.json", parameter_count=900_000)
    expected = "900000, as counted by the harness; found 830176"
    assert check_submission(entry) == [Problem("results.json", "parameter_count", expected)]


def test_broken_files_are_named_with_their_place(entry):
    (entry / "results.json").write_text('{"entrant": "me",\n oops}')
    (entry / "reproducibility.json").write_text("[]")
    (entry / "config.yaml").write_text("beam: [16")
    (entry / "train.py").write_text("")
    (entry / "report.md").write_text(REPORT.replace("## Weaknesses\n", ""))
    problems = {(problem.file, problem.key): problem.expected for problem in check_submission(entry)}
    assert problems[("results.json", "")].startswith("JSON, which ends at line 2, column 2")
    assert problems[("reproducibility.json", "")] == "a JSON object"
    assert problems[("config.yaml", "")].startswith("YAML; ")
    assert problems[("train.py", "")] == "not to be empty"
    assert problems[("report.md", "weaknesses")] == "a section about it"
    assert len(problems) == 5


def test_a_report_may_be_a_pdf(entry):
    (entry / "report.md").rename(entry / "report.pdf")
    assert check_submission(entry) == []


def test_a_problem_reads_as_a_sentence():
    assert (
        str(Problem("results.json", "planner", "a text; it is missing"))
        == "results.json: planner: expected a text; it is missing"
    )
    assert str(Problem("train.py", "", "to be there")) == "train.py: expected to be there"
