"""`kagejax report`."""

import pytest

from kagejax.cli import main as cli
from tests.evaluation import benchmark_cases as cases

QUICK = ("--no-plots", "--replicates", "100")


@pytest.fixture
def sweep(tmp_path):
    return cases.make_sweep(tmp_path / "sweep")


def run(*arguments):
    return cli.main(["report", *map(str, arguments)])


def test_a_sweep_is_reported_beside_its_runs(sweep, capsys):
    assert run(sweep, *QUICK) == 0
    out = capsys.readouterr().out
    assert "3 pairs along 2 axes, from 2 training runs with 3 seeds each: all 6 finished." in out
    assert "axis   pairs  success, train           eval" in out
    assert out.endswith(f"{sweep}/report/report.html\n")
    assert (sweep / "report" / "report.html").is_file()


def test_figures_are_drawn_unless_told_otherwise(tmp_path):
    sweep = cases.make_sweep(tmp_path / "one", pairs=cases.PAIRS[2:])
    assert run(sweep, "--out", tmp_path / "out", "--replicates", "100") == 0
    assert (tmp_path / "out" / "figures" / "axes.png").is_file()
    assert "<svg" in (tmp_path / "out" / "report.html").read_text()


def test_a_sweep_that_is_not_whole_is_reported_with_status_1(tmp_path, capsys):
    sweep = cases.make_sweep(tmp_path / "sweep", unfinished={("fake-light-1", 2): "failed"})
    assert run(sweep, *QUICK) == 1
    out = capsys.readouterr().out
    assert "Incomplete. 1 of 6 runs count nowhere below: fake-light-1 seed 2 (failed: RuntimeError: made up)." in out


def test_value_and_metrics_are_chosen(sweep, tmp_path):
    assert run(sweep, *QUICK, "--value", "final", "--metric", "return", "--metric", "progress", "--out", tmp_path / "out") == 0
    assert "### Axes by their gap in return (final)" in (tmp_path / "out" / "report.md").read_text()


def test_sweeps_are_compared_under_their_names(sweep, tmp_path, capsys):
    other = cases.make_sweep(tmp_path / "other")
    assert run(f"ppo={sweep}", other, *QUICK, "--out", tmp_path / "out") == 0
    assert capsys.readouterr().out.startswith("Comparison of ppo, other\n")
    assert "| other over ppo | all | 3 | 0.50 [" in (tmp_path / "out" / "report.md").read_text()


def test_a_folder_with_an_equals_sign_is_a_folder(tmp_path, capsys):
    sweep = cases.make_sweep(tmp_path / "lr=1e-3")
    assert run(sweep, *QUICK) == 0
    assert capsys.readouterr().out.startswith("Report of lr=1e-3: fake\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "sweeps:\n    Found 'nowhere'; there is no folder 'nowhere'."),
        ([], "sweeps:\n    Name the folder of a sweep, such as runs/kage."),
        (["SWEEP", "--value", "fnal"], "--value:\n    Found 'fnal'; allowed: max, final or best. Did you mean final?"),
        (["SWEEP", "--replicates", "3"], "--replicates:\n    Found 3; allowed: 100 to 1,000,000."),
        (["SWEEP", "--seed", "-1"], "--seed:\n    Found -1; allowed: 0 or more."),
        (["SWEEP", "SWEEP"], "--out:\n    Say where the comparison of several sweeps is to be written."),
        (["SWEEP", "SWEEP", "--out", "out"], "sweeps:\n    Two sweeps are called 'sweep'; name them apart, as NAME=FOLDER."),
        (
            ["SWEEP", "--metric", "jumps"],
            "--metric:\n    Found 'jumps'; allowed: success_once, passed_distance, progress or return.",
        ),
        (["SWEEP", "--out", "SWEEP/sweep.json"], "which is a file; name a folder."),
    ],
)
def test_mistakes_are_answered_before_anything_is_written(sweep, capsys, monkeypatch, tmp_path, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert run(*(argument.replace("SWEEP", "sweep") for argument in arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert not (sweep / "report").exists() and not (tmp_path / "out").exists()


def test_without_matplotlib_it_is_said_what_to_do(sweep, capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run(sweep) == 2
    assert capsys.readouterr().err == (
        "kagejax report: The configuration has a problem:\n--plots:\n    Figures need matplotlib, which is not installed: pip "
        "install\n    'kagejax[plot]'. Or give --no-plots.\n"
    )
    assert run(sweep, *QUICK) == 0


def test_a_folder_that_is_no_sweep_is_answered(tmp_path, capsys):
    assert run(tmp_path) == 2
    assert "There is no such file, so this is no folder of a sweep." in capsys.readouterr().err
