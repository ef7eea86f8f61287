"""The benchmark as a person at a terminal runs it."""

import io
import json
import subprocess
import sys

import jax
import pytest
import rich.console

from benchmarks import _learner, _measure, _report, throughput
from kagejax.config.problems import ConfigError
from tests.corridor import Corridor, params

TIMING = _measure.Timing(blocks=5, seconds=0.01)


@pytest.fixture(scope="module")
def rows():
    """Rows of the toy environment, one per tier of the environment."""
    tiers = ("dynamics", "frames", "frames_reset")
    return list(_measure.measure("toy", Corridor(), params(), 16, tiers, jax.devices()[:1], TIMING, lambda tier: None))


def row(**changes):
    fields = {
        "config": "simplest", "envs": 256, "tier": "frames", "steps_per_s": 662_000.0, "fill_fraction": 0.31, "compile_s": 1.3,
        "steps_per_s_min": 600_100.0, "steps_per_s_max": 701_234.0, "blocks": 5, "cpu_us_per_frame": 1.31,
        "peak_memory_bytes": 484_000_000, "state_bytes": 422, "fill_frames_per_s": 2.1e6, "frame_bytes": 49152,
        "device": "AMD EPYC", "devices": 2, "platform": "cpu", "cores": 2, "jax": "0.10.2",
    }  # fmt: skip
    return fields | changes


def test_a_row_has_the_keys_that_scripts_rely_on(rows):
    assert [r["tier"] for r in rows] == ["dynamics", "frames", "frames_reset"]
    stable = {"config", "envs", "tier", "steps_per_s", "fill_fraction", "state_bytes", "compile_s", "device"}
    assert all(stable <= set(r) for r in rows)
    assert all((r["config"], r["envs"], r["state_bytes"], r["blocks"]) == ("toy", 16, 12, 5) for r in rows)


def test_a_row_lies_within_its_spread(rows):
    for r in rows:
        assert 0 < r["steps_per_s_min"] <= r["steps_per_s"] <= r["steps_per_s_max"]
        assert r["compile_s"] > 0 and r["cpu_us_per_frame"] > 0 and r["peak_memory_bytes"] > 1_000_000


def test_the_fill_fraction_compares_drawing_with_filling(rows):
    assert rows[0]["fill_fraction"] is None
    for r in rows[1:]:
        assert r["fill_fraction"] == pytest.approx(r["steps_per_s"] / r["fill_frames_per_s"])


def test_episodes_end_while_resets_are_measured(rows):
    assert rows[2]["episodes_finished"] > 0
    assert "episodes_finished" not in rows[1]


def test_training_is_measured(monkeypatch):
    monkeypatch.setitem(_learner.BATCHES, "ppo", (32, 32))
    env = Corridor(height=32, width=32)
    (found,) = _measure.measure("toy", env, params(), 8, ("ppo",), jax.devices()[:1], TIMING, lambda tier: None)
    assert found["steps_per_s"] > 0
    assert found["settings"] == {
        "frame_size": 32, "network": "quick", "num_envs": 8, "rollout_steps": 4, "minibatches": 8, "epochs": 3
    }  # fmt: skip


def test_training_on_frames_that_its_network_cannot_take_says_so():
    measured = _measure.measure("toy", Corridor(), params(), 8, ("ppo",), jax.devices()[:1], TIMING, lambda tier: None)
    with pytest.raises(ValueError, match="frame_size is 32; frames of 8x8 can only be averaged to a divisor"):
        list(measured)


def test_a_row_that_memory_cannot_hold_is_left_out(monkeypatch):
    monkeypatch.setattr(_measure._machine, "available_bytes", lambda devices: 10)
    measured = _measure.measure("toy", Corridor(), params(), 8, ("frames",), jax.devices()[:1], TIMING, lambda tier: None)
    with pytest.raises(_measure.LeftOut, match=r"it needs 0\.0 GiB and 0\.0 GiB are free"):
        list(measured)


def test_kage_is_measured_and_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = tmp_path / "rows.json"
    arguments = ["--config", "simplest", "--envs", "2", "--tiers", "frames,dynamics", "--seconds", "0.01", "--json", str(out)]
    assert throughput.main([*arguments, "--plot", str(tmp_path / "plot.png")]) == 0
    written = json.loads(out.read_text())
    assert [(r["config"], r["envs"], r["tier"]) for r in written] == [("simplest", 2, "dynamics"), ("simplest", 2, "frames")]
    assert written[0]["state_bytes"] < 5000
    assert (tmp_path / "plot.png").stat().st_size > 10_000
    printed = capsys.readouterr().out
    assert "simplest" in printed and f"Rows: {out}" in printed


def test_a_refused_row_is_told_and_ends_with_status_1(monkeypatch, capsys):
    def refuse(*arguments):
        raise _measure._proof.FramesNotDrawn("No frames.")
        yield

    monkeypatch.setattr(_measure, "measure", refuse)
    assert throughput.main(["--config", "simplest", "--envs", "2"]) == 1
    assert "Refused: simplest with 2 environments. No frames." in capsys.readouterr().out


def test_a_budget_that_is_spent_leaves_the_rest_out(monkeypatch, capsys):
    def slow(name, env, params, envs, tiers, *rest):
        clock[0] += 60
        yield row(envs=envs)

    clock = [0.0]
    monkeypatch.setattr(throughput.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(_measure, "measure", slow)
    arguments = ["--config", "simplest", "--envs", "1,2,4", "--tiers", "frames", "--budget", "130"]
    assert throughput.main(arguments) == 0
    printed = capsys.readouterr().out
    assert "Left out: simplest with 4 environments: the budget of 130 s is spent." in printed
    assert "with 2 environments" not in printed


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("256", [256]), ("1,16,2^8", [1, 16, 256]), ("2^0..2^4", [1, 2, 4, 8, 16]), ("3..20", [3, 6, 12]), ("4,4", [4])],
)
def test_numbers_of_environments_can_be_written_in_several_ways(text, numbers):
    assert throughput.counts(text) == numbers


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--envs", "0"], "--envs:\n    Found '0'; allowed: whole numbers from 1 to 2^24, such as 256, 1,16,2^8,\n    or 2^0"),
        (["--envs", "2^99"], "--envs:\n    Found '2^99'; allowed: whole numbers from 1 to 2^24"),
        (["--envs", "8..4"], "--envs:\n    Found '8..4'; allowed"),
        (["--envs", ","], "--envs:\n    It is empty; name at least one, several with commas."),
        (["--tiers", "frame"], "--tiers:\n    Unknown tier 'frame'; allowed: dynamics, frames, frames_reset, ppo,"),
        (["--config", "simples"], "simples:\n    There is neither such an id nor such a file"),
        (
            ["--env", "kge"],
            "--env: env\n    Unknown environment 'kge'; allowed: kage, sliding, sokoban, spatial. Did\n    you mean kage?",
        ),
        (["--json", "no/such/rows.json"], "--json: no/such/rows.json\n    The folder "),
        (["--plot", "plot.txt"], "--plot: plot.txt\n    The name must end in .png, .pdf or .svg."),
        (["--blocks", "3"], "--blocks is at least 5, --seconds above 0, --budget and --devices at least\n    0."),
    ],
)
def test_mistakes_are_answered_before_anything_is_measured(arguments, message):
    with pytest.raises(ConfigError) as raised:
        throughput.main(arguments)
    assert message in str(raised.value)


def test_a_plot_without_matplotlib_says_what_to_install(monkeypatch):
    monkeypatch.setattr(throughput.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError) as raised:
        throughput.main(["--plot", "plot.png"])
    assert "A plot needs matplotlib, which is not installed: pip install\n    'kagejax[plot]'." in str(raised.value)


@pytest.mark.parametrize("preset", ["gpu", "cpu"])
def test_a_study_measures_each_job_once_and_its_headline_first(preset):
    jobs = throughput.plan(throughput.Options(preset=preset))
    assert len({job[:2] for job in jobs}) == len(jobs)
    assert jobs[0][:2] == ("simplest", 2**16 if preset == "gpu" else 256)
    assert {job.config for job in jobs} == {"simplest", "default", "hardest"}


def test_the_gpu_study_covers_every_power_of_two():
    jobs = throughput.plan(throughput.Options(preset="gpu"))
    assert sorted(job.envs for job in jobs if job.config == "simplest") == [2**exponent for exponent in range(21)]


def test_tables_fit_a_terminal_of_80_columns():
    tiers = ("dynamics", "frames", "frames_reset", "ppo", "ppo_full")
    console = rich.console.Console(file=io.StringIO(), width=80)
    rows = [row(tier=tier, envs=envs, steps_per_s=31.25e6) for envs in (1, 2**20) for tier in tiers]
    _report.print_tables(rows, console)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert "simplest          1    31.2 M  31.2 M        31.2 M  31.2 M    31.2 M   31%" in [line.rstrip() for line in lines]


@pytest.mark.parametrize(
    ("config", "text"),
    [("folder/custom.yaml", "custom"), ("kage/background/1/eval", "kage/background/1/eval")],
)
def test_a_file_is_called_by_its_name_and_an_id_whole(config, text):
    assert _report.name(config) == text


@pytest.mark.parametrize(
    ("number", "text"), [(8.4, "8"), (9_480, "9,480"), (150_000, "150 k"), (999_700, "1.00 M"), (33_000_000, "33.0 M")]
)
def test_counts_are_short(number, text):
    assert _report.count(number) == text


@pytest.mark.parametrize(("number", "text"), [(484_433_920, "484 MB"), (12_340_000_000, "12.3 GB")])
def test_sizes_are_short(number, text):
    assert _report.size(number) == text


def test_the_file_runs_by_itself(tmp_path):
    command = [sys.executable, throughput.__file__, "--envs", "none"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.startswith("throughput.py: The configuration has a problem:\n--envs:\n    Found 'none'; allowed:")
