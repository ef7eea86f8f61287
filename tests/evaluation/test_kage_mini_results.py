"""The committed report of kage-mini is that of the committed runs, and its README says what it says."""

import csv
import pathlib
import re
import tarfile

import pytest

from kagejax.cli import main as cli

RESULTS = pathlib.Path(__file__).parents[2] / "benchmarks" / "results" / "kage-mini"


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def again(tmp_path_factory):
    folder = tmp_path_factory.mktemp("again")
    with tarfile.open(RESULTS / "runs.tar.gz") as archive:
        archive.extractall(folder / "kage-mini", filter="data")
    assert cli.main(["report", str(folder / "kage-mini"), "--no-plots", "--out", str(folder / "report")]) == 0
    return folder / "report"


@pytest.mark.parametrize("table", ["axes", "pairs"])
def test_the_report_is_that_of_the_runs(again, table):
    found, kept = rows(again / f"{table}.csv"), rows(RESULTS / "report" / f"{table}.csv")
    assert len(found) == len(kept) >= 6 * 4 * 3
    for row, expected in zip(found, kept, strict=True):
        for key, text in expected.items():
            if re.fullmatch(r"-?[\d.]+(e-?\d+)?", text):
                assert float(row[key]) == pytest.approx(float(text), rel=1e-6), key
            else:
                assert row[key] == text, key


def test_the_readme_tells_the_figures_of_the_report():
    page = (RESULTS / "README.md").read_text()
    axes = [row for row in rows(RESULTS / "report" / "axes.csv") if (row["metric"], row["value"]) == ("success_once", "max")]
    assert len(axes) == 6
    for row in axes:
        shares = [100 * float(row[key]) for key in ("gap", "gap_low", "gap_high")]
        sides = [float(row[key]) for key in ("train_mean", "eval_mean")]
        published = 100 * float(row["published_gap_low"])
        name = row["axis"].replace("_", " ")
        expected = [
            name, row["pairs"], *(f"{x:.3f}" for x in sides), "{:.1f} % [{:.1f}, {:.1f}]".format(*shares), row["rank"],
            f"{published:.1f} %",
        ]  # fmt: skip
        assert f"| {' | '.join(expected)} |" in page
