"""`kagejax sweep`, as a person at a terminal sees it."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from kagejax.cli import _sweep_words
from kagejax.cli.main import main
from kagejax.config.suites import protocols
from kagejax.learning.sweeps import local
from kagejax.learning.sweeps.work import Lock

AGENT = pathlib.Path(__file__).parents[1] / "learning" / "sweeps_agent.py"


@pytest.fixture(autouse=True)
def _place(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(local, "slots", lambda jobs=0, fraction=None: [local.Slot(core=0), local.Slot(core=0)][: jobs or None])
    (tmp_path / "fake.yaml").write_text("steps: 3\npause: 0.01\ntotal_steps: 300\n")


def run(capsys, *arguments):
    """Status, stdout and stderr of `kagejax sweep ARGUMENTS`, messages unwrapped."""
    status = main(["sweep", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, " ".join(captured.err.split())


WORDS = "suite, pairs, seeds, agent, out or program"
FAKE = ("suite=kage/background", "pairs=4,6", "agent=fake.yaml", f"program={AGENT}", "out=x")


def test_a_dry_run_prints_runs_and_cost_and_writes_nothing(capsys, tmp_path):
    arguments = ("suite=kage", "seeds=1..10", "--dry-run", "--steps-per-s", "50000", "--jobs", "1")
    status, out, _ = run(capsys, *arguments)
    assert status == 0
    assert "kage-background-9              kage/background/9/train     13" in out
    assert out.splitlines()[-5:] == [
        "Folder runs/kage; 10 seeds: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10.",
        "34 pairs through 7 training configurations x 10 seeds = 70 runs; without sharing it would be 340, 4.9 times as many.",
        "That what is shared trains alike is proven, by comparing frames and games, before the first run begins.",
        "0 of 70 finished; 70 left, 1,750,138,880 environment steps.",
        "At 50,000 steps/s a seed (--steps-per-s): 9.7 core-hours, about 9.7 hours with 1 at a time. Evaluations and "
        "compilation come on top.",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fake.yaml"]


def test_words_and_options_come_in_any_order(capsys):
    ordered = run(capsys, "suite=kage", "seeds=1", "out=y", "--set", "total_steps=5", "--jobs=1", "--dry-run")
    mixed = run(capsys, "--jobs=1", "suite=kage", "--set", "total_steps=5", "seeds=1", "--dry-run", "out=y")
    assert mixed == ordered
    assert ordered[0] == 0 and "Folder y; 1 seed: 1." in ordered[1]


def test_without_sharing_a_dry_run_has_a_run_for_each_pair(capsys):
    _, out, _ = run(capsys, "suite=kage", "seeds=1", "--no-share", "--dry-run")
    assert "34 pairs through 34 training configurations x 1 seed = 34 runs.\n" in out
    assert out.endswith("How long that takes is not known; give --steps-per-s NUMBER, or run this with one seed first: what it "
                        "measures is used from then on.\n")  # fmt: skip


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        (["slurm", "--gpu-fraction", "0.5"], "4.9 GPU-hours."),
        (["ray"], "9.7 GPU-hours."),
        (["ray", "--gpu-fraction", "0", "--jobs", "7"], "9.7 core-hours, about 1.4 hours with 7 at a time."),
    ],
)
def test_the_cost_counts_what_a_run_takes_of_a_device(capsys, engine, said):
    _, out, _ = run(capsys, "suite=kage", "seeds=1..10", "--dry-run", "--steps-per-s", "50000", "--engine", *engine)
    assert said in out


def test_a_sweep_runs_all_and_says_where_the_report_comes_from(capsys, tmp_path):
    status, out, _ = run(capsys, *FAKE, "seeds=1,2", "--set", "pause=0.02")
    assert status == 0
    assert out.endswith("4 of 4 runs finished in x.\n`kagejax report x` makes tables and figures of it.\n")
    content = json.loads((tmp_path / "x" / "sweep.json").read_text())
    assert {key: content[key] for key in ("suite", "seeds", "agent", "agent_file", "shared", "proofs")} == {
        "suite": ["kage/background"], "seeds": [1, 2], "agent": {"steps": 3, "pause": 0.02, "total_steps": 300},
        "agent_file": "fake.yaml", "shared": True, "proofs": {},
    }  # fmt: skip
    assert [run["run"] for run in content["runs"]] == ["kage-background-4", "kage-background-6"]
    evaluations = (tmp_path / "x" / "kage-background-6" / "seed-2" / "evaluations.jsonl").read_text()
    assert list(json.loads(evaluations)["configurations"]) == ["kage/background/6/train", "kage/background/6/eval"]


def test_the_same_command_again_repeats_nothing_and_seeds_can_be_added(capsys, tmp_path):
    run(capsys, *FAKE, "seeds=2")
    before = {path: path.read_bytes() for path in tmp_path.glob("x/*/seed-2/*")}
    status, out, _ = run(capsys, *FAKE, "seeds=1,2")
    assert status == 0 and "seed 2 started" not in out and "seed 1 started" in out
    assert {path: path.read_bytes() for path in before} == before
    assert json.loads((tmp_path / "x" / "sweep.json").read_text())["seeds"] == [1, 2]


def test_measured_speed_serves_the_next_estimate(capsys):
    run(capsys, *FAKE, "seeds=1")
    _, out, _ = run(capsys, *FAKE, "seeds=1..3", "--dry-run")
    assert "2 of 6 finished; 4 left, 1,200 environment steps.\n" in out
    assert "At 2,000 steps/s a seed (the metrics of 2 runs in this folder): 0.0 core-minutes" in out


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (("--set", "pause=0.5"), "pause is 0.01 there and 0.5 here"),
        (("--set", "kill=1"), "kill is not given there and 1 here"),
        (("--no-share",), "shared is true there"),
        (("pairs=4",), "its 2 pairs are not the 1 asked for"),
    ],
)
def test_a_folder_keeps_to_its_sweep(capsys, changed, said):
    run(capsys, *FAKE, "seeds=1")
    words = [word for word in FAKE if not word.startswith(changed[0].partition("=")[0] + "=")]
    status, _, err = run(capsys, *words, "seeds=1", *changed)
    assert status == 2
    assert f"x: This folder holds another sweep: {said}. Choose another out=FOLDER; only seeds can be added." in err


def test_a_sweep_file_that_is_not_one_is_told(capsys, tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "sweep.json").write_text("{}")
    status, _, err = run(capsys, *FAKE, "seeds=1")
    assert status == 2
    assert "x/sweep.json: It cannot be read: it is not what kagejax sweep writes. Choose another out=FOLDER." in err


def test_a_changed_configuration_is_told(capsys, tmp_path):
    run(capsys, *FAKE, "seeds=1")
    file = tmp_path / "x" / "sweep.json"
    content = json.loads(file.read_text())
    content["configurations"]["kage/background/4/eval"] = "0" * 16
    file.write_text(json.dumps(content))
    status, _, err = run(capsys, *FAKE, "seeds=1")
    assert status == 2 and "the configuration kage/background/4/eval is not what it was" in err


def test_what_failed_is_listed_at_the_end(capsys):
    status, out, _ = run(capsys, *FAKE, "seeds=1", "--set", "fail=9", "--retries", "0")
    assert status == 1
    assert "0 of 2 runs finished in x.\n" in out
    assert "  kage-background-4 seed 1 failed after 1 attempt: exit status 1: the dog ate it (see " in out
    assert out.endswith("The same command goes on with what is not finished; finished runs are not repeated.\n")


def test_two_sweeps_do_not_work_in_one_folder(capsys, tmp_path):
    lock = Lock([tmp_path / "x" / "queue" / "sweep.lock"])
    assert lock.take()
    status, _, err = run(capsys, *FAKE, "seeds=1")
    lock.release()
    assert (status, err) == (
        2,
        "kagejax sweep: The configuration has a problem: x: Another `kagejax sweep` is at work in this folder. Let it end, "
        "or stop it.",
    )


def test_an_interrupt_saves_and_the_same_command_goes_on(capsys, tmp_path):
    arguments = [*FAKE, "seeds=1", "--set", "pause=0.3", "--set", "steps=30"]
    command = [sys.executable, "-m", "kagejax.cli.main", "sweep", *arguments]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    folder = tmp_path / "x" / "kage-background-4" / "seed-1"
    until = time.monotonic() + 120
    while not (folder / "saved").exists() and time.monotonic() < until:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "kage-background-4 seed 1 stopped and saved\n" in out
    assert out.endswith("The same command goes on with what is not finished; finished runs are not repeated.\n")
    assert json.loads((folder / "status.json").read_text())["state"] == "interrupted"


def test_sharing_is_proven_once_before_the_first_run(capsys, tmp_path, monkeypatch):
    from kagejax.evaluation import planning

    asked = []

    def proven(first, second, *_):
        asked.append(second)
        return {"equal": True, "shares": first}

    monkeypatch.setattr(planning, "prove_equal", proven)
    words = [word for word in FAKE if not word.startswith("pairs")]
    for _ in range(2):
        assert run(capsys, *words, "pairs=1,2", "seeds=1")[0] == 0
    assert asked == ["kage/background/2/train"]
    content = json.loads((tmp_path / "x" / "sweep.json").read_text())
    assert content["proofs"] == {"kage/background/2/train": {"equal": True, "shares": "kage/background/1/train"}}


def test_overrides_of_the_agent_hold_for_the_plan(capsys, tmp_path):
    overrides = "overrides=[character.use_sprites=false, character.use_shape=false]"
    words = ("suite=kage/agent_appearance", "seeds=1", "--dry-run")
    assert "5 pairs through 2 training configurations" in run(capsys, *words)[1]
    assert "5 pairs through 1 training configuration " in run(capsys, *words, "--set", overrides)[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["seeds=1"], "suite: A sweep needs suite=NAME, such as suite=kage or suite=kage/background;"),
        (["suite=kage", "seed=1"], f"There is no word 'seed'; allowed: {WORDS}. Did you mean seeds?"),
        (["suite=kage", "total_steps=5"], f"allowed: {WORDS}. A setting of the agent is written --set total_steps=5."),
        (["suite=kage", "fast"], "kagejax sweep: Found 'fast'; allowed: WORD=VALUE with the words suite,"),
        (["suite=kage", "suite=kage"], "suite: This word is given twice. Keep one."),
        (["suite=kage", "seeds="], "seeds: Found nothing behind seeds=; give a value or leave the word out."),
        (["suite=kagge"], "suite: There is no suite 'kagge'; `kagejax suites list` lists them. Did you mean kage?"),
        (["suite=kage,kage-mini"], "suite: Found kage, kage-mini; a protocol stands alone, such as suite=kage-mini."),
        (["suite=kage", "seeds=1..x"],
         "seeds: Found '1..x'; a range is FIRST..LAST, such as 1..10, upwards, of 1,000 numbers at most."),
        (["suite=kage", "seeds=-1"], "seeds: Found '-1'; allowed: whole numbers from 0 to 2^32 - 1, such as 1..10 or 1,2,5."),
        (["suite=kage", "seeds=1..3,2"], "seeds: Seed 2 is given twice. Keep one."),
        (["suite=kage", "pairs=1"], "pairs: Found '1', but there are 6 suites; write SUITE/1, such as agent_appearance/1."),
        (["suite=kage/layout", "pairs=2"], "pairs: There is no pair '2'; there are 1."),
        (["suite=kage", "agent=ppo_kage_quik"], "Did you mean ppo_kage_quick?"),
        (["suite=kage", "program=none.py"], "program: Found 'none.py'; there is no such file. It is a Python file with the"),
        (["suite=kage", "out=fake.yaml"], "out: Found 'fake.yaml', which is a file; name a folder."),
        (["suite=kage", "--set", "seeds=3"], "--set seeds: A sweep sets this itself; say it with words, such as seeds=1..3"),
        (["suite=kage", "--set", "total_stepz=3"], "--set: total_stepz Unknown key. Did you mean total_steps?"),
        (["suite=kage", "--set", "total_steps=0"], "--set: total_steps Found 0 (an integer). Allowed: above 0."),
        (["suite=kage", "--jobs", "-1"], "--jobs: Found -1; allowed: 1 or more, or 0 for as many as there is room for."),
        (["suite=kage", "--gpu-fraction", "1.5"], "--gpu-fraction: Found 1.5; allowed: 0 to 1, a whole number of GPUs, or -1"),
        (["suite=kage", "--seeds-per-run", "0"], "--seeds-per-run: Found 0; allowed: 1 or more."),
        (["suite=kage", "--retries", "-1"], "--retries: Found -1; allowed: 0 or more."),
        (["suite=kage", "--stop-after", "-1"], "--stop-after: Found -1; allowed: 1 or more, or 0 for never."),
        (["suite=kage", "--steps-per-s", "-1"], "--steps-per-s: Found -1; allowed: a finite number of at least 0."),
        (["suite=kage", "--address", "auto"], "--address: This is for --engine ray; the engine is local."),
        (["suite=kage", "--slurm", "a=1"], "--slurm: This is for --engine slurm; the engine is local."),
    ],
)  # fmt: skip
def test_a_mistake_is_answered_with_what_to_do(capsys, arguments, said):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("text", "expected"), [("1..3", (1, 2, 3)), ("7", (7,)), ("1,2,5", (1, 2, 5)), ("1..2, 9", (1, 2, 9)), ("0..0", (0,))]
)
def test_seeds_are_lists_and_ranges(text, expected):
    assert _sweep_words.seeds(text) == expected


def test_pairs_of_several_suites_are_lists_and_ranges_too():
    words = _sweep_words.parse(["suite=kage", "pairs=background/1..3,layout/1"])
    assert [pair.id for _, pair in words.pairs] == [
        "kage/background/1", "kage/background/2", "kage/background/3", "kage/layout/1",
    ]  # fmt: skip


def test_a_protocol_brings_suites_agent_settings_and_seeds():
    words = _sweep_words.parse(["suite=kage-mini"])
    assert (len(words.pairs), words.agent_name, str(words.out)) == (34, protocols()["kage-mini"].agent, "runs/kage-mini")
    assert words.settings["total_steps"] == protocols()["kage-mini"].settings["total_steps"]
    assert words.agent.is_file()
    fewer = _sweep_words.parse(["suite=kage-mini", "pairs=background/1", "seeds=1", "agent=ppo_kage"])
    assert (len(fewer.pairs), fewer.seeds, fewer.settings) == (1, (1,), {})


def test_a_protocol_s_settings_fit_its_agent(capsys):
    for name in protocols():
        assert run(capsys, f"suite={name}", "--dry-run")[0] == 0
