"""What a report writes: tables in every form, the page, figures, and what it says of what is missing."""

import csv
import re
import xml.etree.ElementTree

import pytest

from kagejax.config.problems import ConfigError
from kagejax.evaluation.benchmark import drawing, report, tables
from kagejax.evaluation.benchmark import sweep as sweeps
from kagejax.evaluation.benchmark.metrics import METRICS
from kagejax.evaluation.benchmark.summary import Bootstrap, Estimate, Side
from tests.evaluation import benchmark_cases as cases

FEW = Bootstrap(replicates=200, seed=0)
NAN = float("nan")


def written(folder, draw=False, asked=(), value="max", sweeps_=None, **options):
    """The texts of a report by file name."""
    found = sweeps_ or [sweeps.read(cases.make_sweep(folder / "sweep", **options))]
    report.write(found, folder / "report", asked, value, FEW, draw)
    return {path.name: path.read_text() for path in (folder / "report").iterdir() if path.is_file()}


def rows_of(text):
    return list(csv.DictReader(text.splitlines()))


def test_a_report_has_all_its_forms(tmp_path):
    assert sorted(written(tmp_path)) == [
        "axes.csv", "overall.csv", "pairs.csv", "report.html", "report.md", "seeds.csv", "tables.tex",
    ]  # fmt: skip


def test_markdown_has_the_figures_of_axes_and_pairs(tmp_path):
    text = written(tmp_path)["report.md"]
    assert "3 pairs along 2 axes, from 2 training runs with 3 seeds each: all 6 finished." in text
    assert "Agent fake_agent.yaml. 3,000 steps a run, 3 evaluations of 128 episodes in each configuration." in text
    assert (
        "| axis | pairs | success, train | eval | gap | place | distance gap | return gap |\n"
        "| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| light | 2 | 0.820 | 0.410 ± 0.000 | 50.0 % [50.0, 50.0] | 1.5 [1.5, 1.5] | 25.0 % | 200.0 |\n"
    ) in text
    assert "| light | 1 | day -> night | 3 | 0.820 ± 0.006 | 0.410 ± 0.003 | 50.0 % [50.0, 50.0] | 25.0 % | 200.0 |\n" in text
    assert "|  | 2 | day -> dusk | 3 | 0.820 ± 0.006 |" in text


def test_the_report_says_that_pairs_share_runs(tmp_path):
    text = written(tmp_path)["report.md"]
    assert "3 pairs read 2 training runs per seed" in text
    assert "Pairs that share runs are not independent: the bootstrap draws the seeds of a run once for all of its pairs" in text
    assert "| fake-light-1 | fake/light/1/train | fake/light/1, fake/light/2 |" in text
    assert "not independent" not in written(tmp_path / "apart", shared=False)["report.md"]


def test_runs_that_do_not_count_are_named_with_their_state_in_every_form(tmp_path):
    unfinished = {("fake-light-1", 2): "failed", ("fake-sound-1", 1): "running", ("fake-sound-1", 3): "missing"}
    texts = written(tmp_path, unfinished=unfinished)
    said = (
        "3 of 6 runs count nowhere below: fake-light-1 seed 2 (failed: RuntimeError: made up); "
        "fake-sound-1 seed 1 (running at 67 %); fake-sound-1 seed 3 (not started)."
    )
    assert f"> **Incomplete.** {said}" in texts["report.md"]
    assert f"<b>Incomplete.</b> {said}" in texts["report.html"].replace("\u00a0", " ")
    assert "| fake-sound-1 | 1 | running at 67 % | finished | not started |" in texts["report.md"]
    assert "| 2 of 3 |" in texts["report.md"]
    assert "2 of 3" in texts["tables.tex"]
    states = {(row["run"], row["seed"]): row["state"] for row in rows_of(texts["seeds.csv"])}
    assert states["fake-sound-1", "3"] == "not started"
    assert {row["seeds"] for row in rows_of(texts["pairs.csv"]) if row["pair"] == "fake/sound/1"} == {"1"}


def test_pairs_without_a_finished_run_are_named(tmp_path):
    texts = written(tmp_path, unfinished={("fake-sound-1", seed): "failed" for seed in (1, 2, 3)})
    assert "> **Pairs without a finished run.** fake/sound/1. They are in no mean." in texts["report.md"]
    assert "| sound | 1 | quiet -> loud | 0 of 3 | – | – | – | – | – |" in texts["report.md"]
    row = next(row for row in rows_of(texts["pairs.csv"]) if row["pair"] == "fake/sound/1")
    assert (row["seeds"], row["seeds_asked"], row["train_mean"], row["gap"]) == ("0", "3", "", "")


def test_a_sweep_without_any_finished_run_is_reported_as_such(tmp_path):
    unfinished = {(run, seed): "missing" for run in ("fake-light-1", "fake-sound-1") for seed in (1, 2, 3)}
    texts = written(tmp_path, draw=True, unfinished=unfinished)
    assert "3 pairs along 2 axes, from 2 training runs with 3 seeds each: 0 of 6 finished." in texts["report.md"]
    assert "## Axes" not in texts["report.md"]


def test_trapped_seeds_are_reported_and_counted(tmp_path):
    texts = written(tmp_path, trapped=[("fake-light-1", 3)])
    assert "> **Trapped seeds.** fake-light-1 seed 3. Their policies never jump and pace left and right" in texts["report.md"]
    assert "| light | 1 | day -> night | 3, 1 trapped | 0.820 ± 0.006 |" in texts["report.md"]
    assert "| fake-light-1 | 2 | finished | finished | trapped |" in texts["report.md"]
    assert rows_of(texts["pairs.csv"])[0]["seeds_trapped"] == "1"


def falling(run, seed, step, configuration, train):
    success = {1000: 0.9, 2000: 0.6, 3000: 0.3}[step] * (1 if configuration == train else 0.5)
    return {"success_once": success, "passed_distance": 490 * success, "return": 0.0}


def test_maximum_final_and_best_stand_side_by_side(tmp_path):
    text = written(tmp_path, values=falling)["report.md"]
    assert "Over all pairs the maximum is 0.600 above the last evaluation on the train side and 0.300 on the eval side" in text
    assert "| light | 0.900 | 0.450 | 50.0 % | 0.300 | 0.150 | 50.0 % | 0.900 | 0.450 | 50.0 % |" in text


@pytest.mark.parametrize(("value", "train"), [("max", "0.900"), ("final", "0.300"), ("best", "0.900")])
def test_the_tables_show_the_kind_of_value_asked_for(tmp_path, value, train):
    text = written(tmp_path, values=falling, value=value)["report.md"]
    assert f"### Pairs ({value})" in text
    assert f"| light | 1 | day -> night | 3 | {train} ± 0.000 |" in text


def test_the_first_metric_asked_for_ranks_the_axes(tmp_path):
    text = written(tmp_path, asked=("passed_distance", "return"))["report.md"]
    assert "### Axes by their gap in distance (max)" in text
    assert "success" not in text.partition("## How it was computed")[0].replace("success once", "")


def test_csv_has_every_metric_and_kind_of_value(tmp_path):
    rows = rows_of(written(tmp_path)["pairs.csv"])
    assert len(rows) == 3 * 4 * 3
    row = next(row for row in rows if (row["pair"], row["metric"], row["value"]) == ("fake/light/2", "return", "final"))
    assert (row["train_mean"], row["eval_mean"], row["gap"]) == ("-10", "-210", "200")
    seeds = rows_of((tmp_path / "report" / "seeds.csv").read_text())
    row = next(row for row in seeds if (row["pair"], row["seed"], row["metric"]) == ("fake/light/1", "3", "success_once"))
    assert (row["final_train"], row["final_eval"], row["state"], row["trapped"]) == ("0.83", "0.415", "finished", "False")


KAGE = (("kage/background/1", "background", "black -> noise"), ("kage/layout/1", "layout", "cyan -> red"))


def test_published_figures_stand_beside_ours(tmp_path):
    texts = written(tmp_path, pairs=KAGE)
    rows = [line for line in texts["report.md"].splitlines() if line.startswith(("| background |", "| layout |"))]
    assert rows[0].endswith("| 53.3 %† | 4 |")  # published over ten pairs, of which one is here
    assert rows[1].endswith("| 62.8 % | 3 |")
    pair = "| background | 1 | black -> noise | 3 | 0.820 ± 0.006 | 0.410 ± 0.003 | 50.0 % [50.0, 50.0] | 25.0 % | 200.0 |"
    assert f"{pair} 98.9 % |" in texts["report.md"]
    assert "Published: KAGE-Bench (arXiv 2601.14232)" in texts["report.md"]
    assert "published" not in written(tmp_path / "other")["report.md"].lower()
    layout = next(row for row in rows_of(texts["axes.csv"]) if (row["axis"], row["metric"]) == ("layout", "progress"))
    assert (layout["published_gap_low"], layout["published_gap_high"]) == ("0.03", "0.04")


def test_latex_is_a_table_of_booktabs(tmp_path):
    text = written(tmp_path)["tables.tex"]
    assert "\\begin{tabular}{lrrrrrrr}\n\\toprule\naxis & pairs & success, train & eval & gap" in text
    assert "light & 1 & day $\\to$ night & 3 & 0.820 $\\pm$ 0.006 & 0.410 $\\pm$ 0.003 & 50.0 \\% [50.0, 50.0]" in text
    assert text.count("\\begin{table}") == text.count("\\end{table}") == 2


def test_the_page_needs_nothing_from_outside_and_runs_nothing(tmp_path):
    page = written(tmp_path, draw=True)["report.html"]
    assert "<script" not in page
    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', page) == []
    assert re.findall(r"url\((?!#)[^)]*\)", page) == []
    assert page.count("<svg ") == page.count("</svg>") == 3 + 2 + 3  # overviews, profiles, curves
    for place in re.findall(r'<a href="#([^"]+)"', page):
        assert f'<section id="{place}">' in page


def test_figures_of_the_page_have_colours_that_follow_its_mode_and_ids_of_their_own(tmp_path):
    page = written(tmp_path, draw=True)["report.html"]
    used = set(re.findall(r"var\((--[\w-]+)\)", page))
    assert used <= set(re.findall(r"(--[\w-]+):", page))
    assert "var(--series-1)" in page
    assert not re.search(r"#0102[0-9a-f]{2}", page)
    for each in re.findall(r"<svg .*?</svg>", page, re.DOTALL):
        xml.etree.ElementTree.fromstring(each)
        assert not re.search(r"(?:fill|stroke): #[0-9a-f]{6}", each)
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_what_others_wrote_is_shown_as_text(tmp_path):
    pairs = [("fake/light/1", "light", "<script>alert(1)</script> -> a|b & 50 %_$")]
    texts = written(tmp_path, draw=True, pairs=pairs)
    assert "<script" not in texts["report.html"]
    assert "&lt;script&gt;alert(1)&lt;/script&gt; → a|b &amp; 50\u00a0%_$" in texts["report.html"]
    assert "<script>alert(1)</script> -> a\\|b & 50 %_$" in texts["report.md"]
    assert "$\\to$ a$|$b \\& 50 \\%\\_\\$" in texts["tables.tex"]


def test_figures_are_files_too_and_markdown_shows_them(tmp_path):
    text = written(tmp_path, draw=True)["report.md"]
    figures = tmp_path / "report" / "figures"
    names = {"axes", "pairs", "fates", "profile-success_once", "profile-progress", "curves-light", "curves-sound"}
    assert {path.name for path in figures.iterdir()} == {f"{name}.{ending}" for name in names for ending in ("png", "pdf")}
    assert (figures / "axes.png").read_bytes().startswith(b"\x89PNG")
    assert (figures / "axes.pdf").read_bytes().startswith(b"%PDF")
    assert sorted(re.findall(r"\]\(figures/(.*?)\.png\)", text)) == sorted(names)


def test_without_figures_the_page_has_its_tables(tmp_path):
    texts = written(tmp_path)
    assert "<svg" not in texts["report.html"] and "figures/" not in texts["report.md"]
    assert "Learning curves" not in texts["report.html"]
    assert not (tmp_path / "report" / "figures").exists()


def test_the_same_sweep_gives_the_same_report(tmp_path):
    sweep = [sweeps.read(cases.make_sweep(tmp_path / "sweep", pairs=cases.PAIRS[2:]))]
    one, two = (written(tmp_path / name, draw=True, sweeps_=sweep) for name in ("one", "two"))
    assert one == two
    pictures = [(tmp_path / name / "report" / "figures" / "pairs.pdf").read_bytes() for name in ("one", "two")]
    assert pictures[0] == pictures[1]


def test_unfinished_seeds_are_drawn_dotted_and_not_averaged(tmp_path):
    sweep = sweeps.read(cases.make_sweep(tmp_path / "sweep", unfinished={("fake-sound-1", 2): "running"}))
    from kagejax.evaluation.benchmark import pictures

    chart = pictures._curves([sweep], METRICS["success_once"])["curve-fake-sound-1"]
    assert drawing.svg(chart).count("stroke-dasharray") == 2  # of each side
    whole = sweeps.read(cases.make_sweep(tmp_path / "whole"))
    chart = pictures._curves([whole], METRICS["success_once"])["curve-fake-sound-1"]
    assert "stroke-dasharray" not in drawing.svg(chart)


def better(run, seed, step, configuration, train):
    return {name: value + 0.1 for name, value in cases.made_up(run, seed, step, configuration, train).items()}


def both(tmp_path, **second):
    folders = {"base": cases.make_sweep(tmp_path / "a"), "new": cases.make_sweep(tmp_path / "b", values=better, **second)}
    return [sweeps.read(folder, name) for name, folder in folders.items()]


def test_two_sweeps_are_compared(tmp_path):
    texts = written(tmp_path, draw=True, sweeps_=both(tmp_path))
    assert sorted(texts) == ["improvements.csv", "report.html", "report.md", "seeds.csv", "tables.tex"]
    text = texts["report.md"]
    assert text.startswith("# Comparison of base, new\n")
    assert "| new over base | all | 3 | 1.00 [1.00, 1.00] * | 1.00 [1.00, 1.00] * |" in text
    assert "| fake/light/1 | day -> night | 0.410 ± 0.003 | 0.510 ± 0.003 |" in text
    assert "Runs of two methods are taken as independent" in text
    row = rows_of(texts["improvements.csv"])[0]
    assert (row["metric"], row["first"], row["second"], row["axis"], row["probability"]) == (
        "success_once",
        "new",
        "base",
        "all",
        "1",
    )
    assert texts["report.html"].count("<svg ") == 4 + 3  # aggregates, two profiles, axes; curves


def test_a_comparison_says_what_it_leaves_out_and_which_protocols_differ(tmp_path):
    unfinished = {("fake-sound-1", seed): "running" for seed in (1, 2, 3)}
    found = both(tmp_path, unfinished=unfinished)
    other = found[1].runs[0].seeds
    text = written(tmp_path, sweeps_=found)["report.md"]
    assert "> **Not compared.** base also has fake/sound/1, where another method has no finished run." in text
    assert "> **Incomplete.** new: 3 of 6 runs count nowhere below" in text
    assert "Different protocols" not in text
    assert len(other) == 3


def test_methods_of_different_protocols_are_told_apart(tmp_path, monkeypatch):
    first = sweeps.read(cases.make_sweep(tmp_path / "a"), "base")
    monkeypatch.setattr(cases, "STEPS", (1000, 3000))
    second = sweeps.read(cases.make_sweep(tmp_path / "b"), "new")
    text = written(tmp_path, sweeps_=[first, second])["report.md"]
    assert (
        "> **Different protocols.** base: 3,000 steps a run, 3 evaluations of 128 episodes in each configuration; "
        "new: 3,000 steps a run, 2 evaluations of 128 episodes in each configuration." in text
    )


def test_methods_without_a_common_pair_are_not_compared(tmp_path):
    first = sweeps.read(cases.make_sweep(tmp_path / "a", pairs=cases.PAIRS[:2]), "base")
    second = sweeps.read(cases.make_sweep(tmp_path / "b", pairs=cases.PAIRS[2:]), "new")
    text = written(tmp_path, draw=True, sweeps_=[first, second])["report.md"]
    assert "## Probability of improvement" not in text
    assert "> **Not compared.** new also has fake/sound/1" in text


def test_metrics_are_chosen_by_name(tmp_path):
    sweep = [sweeps.read(cases.make_sweep(tmp_path / "sweep"))]
    assert [metric.name for metric in report.choose(sweep)[0]] == ["success_once", "passed_distance", "progress", "return"]
    with pytest.raises(ConfigError, match=r"(?s)Found 'sucess_once'; allowed: success_once, .* Did you mean success_once\?"):
        report.choose(sweep, ["sucess_once"])
    only = [sweeps.read(cases.make_sweep(tmp_path / "only", values=lambda *where: {"return": 1.0}))]
    assert [metric.name for metric in report.choose(only)[0]] == ["return"]
    with pytest.raises(ConfigError, match="Found 'progress', which not all finished runs measured; allowed: return"):
        report.choose(only, ["progress"])


def test_a_metric_that_only_some_runs_have_is_left_out_and_said(tmp_path):
    def values(run, *where):
        return {"return": 1.0} | ({"success_once": 0.5} if run == "fake-sound-1" else {})

    text = written(tmp_path, values=values)["report.md"]
    assert "Not shown, since only some of the runs measured it: success." in text
    assert "### Axes by their gap in return (max)" in text


@pytest.mark.parametrize(
    ("estimate", "metric", "text"),
    [
        (Estimate(0.533, 0.481, 0.589), "success_once", "53.3 % [48.1, 58.9]"),
        (Estimate(0.533, NAN, NAN), "success_once", "53.3 %"),
        (Estimate(0.533, 0.481, 0.589, 0.1), "success_once", "53.3 % [48.1, 58.9]*"),
        (Estimate(-0.02, -0.05, 0.01), "progress", "-2.0 % [-5.0, 1.0]"),
        (Estimate(1234.5, 1000.0, 2000.0), "return", "1,234.5 [1,000.0, 2,000.0]"),
        (Estimate(NAN, NAN, NAN), "success_once", "–"),
    ],
)
def test_gaps_are_written_with_their_intervals(estimate, metric, text):
    assert tables.gap(estimate, METRICS[metric]).text == text


def test_figures_are_written_in_words():
    assert tables.with_sem(Side(0.9023, 0.0312), METRICS["success_once"]) == "0.902 ± 0.031"
    assert tables.with_sem(Side(0.9023, NAN), METRICS["success_once"]) == "0.902"
    assert [tables.stated(value) for value in (86.8, (3, 4), None)] == ["86.8 %", "3 to 4 %", "–"]
    assert tables.latex("a_b & -3.5 % -> {x}") == "a\\_b \\& $-$3.5 \\% $\\to$ \\{x\\}"


@pytest.mark.parametrize(
    ("name", "expected"), [("curve-kage/background/1", "curve-kage-background-1"), ("../x y", "x-y"), ("", "unnamed")]
)
def test_names_of_figures_are_names_of_files(name, expected):
    assert drawing.slug(name) == expected
