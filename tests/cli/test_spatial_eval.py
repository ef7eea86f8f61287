"""`kagejax spatial eval`, as a person at a terminal sees it."""

import json
import pathlib
import re
import subprocess
import sys
import time

import pytest

from kagejax.cli.main import main
from kagejax.evaluation.spatial import logs
from tests.evaluation import spatial_cases as cases
from tests.evaluation.spatial_endpoint import Endpoint, error, question, says
from tests.oracles import spatial_golden

NAMES = ("A01", "A03", "B01", "G01")  # of level 1, but for the last, of level 2


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    rows = [spatial_golden.puzzles()[name] for name in NAMES]
    pathlib.Path("four.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def run(capsys, *arguments):
    status = main(["spatial", "eval", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def solving(request, number=0):
    """The right answer, or the first legal move."""
    asked = question(request)
    if "Legal moves:" in asked:
        return says(f"Final: {re.search(r'Legal moves: .(.)=', asked)[1]}")
    end = re.search(r"Now your puzzle.\nStart: .*\nEnd: (.*)\n", asked)[1]
    name = {"(2, 2)": "A01", "(4, 0)": "A03", "(4, 4)": "B01", "(6, 6)": "G01"}[end]
    return says(cases.answer(cases.puzzle(name).solutions[0]))


def test_a_model_is_asked_and_all_files_are_there(capsys):
    fake = Endpoint(solving)
    with fake.running() as url:
        status, out, err = run(capsys, "four.jsonl", "--out", "runs/a", "--model", "m", "--base-url", url)
    assert (status, err) == (0, "")
    assert out.startswith(
        "runs/a/episodes.jsonl: 4 episodes, 0 of them played before, 4 to play\nEvaluated: four.jsonl: 4 puzzles.\n"
    )
    assert re.search(r"^all +4 +4 of 4 +100.0 %", out, re.MULTILINE)
    assert out.endswith("To read: runs/a/page.html\n")
    report = json.loads(pathlib.Path("runs/a/report.json").read_text())
    assert (report["accuracy"]["rate"], report["settings"]["model"]) == (1.0, "m")
    assert sorted(path.name for path in pathlib.Path("runs/a").iterdir()) == [
        "episodes.jsonl",
        "page.html",
        "report.json",
        "report.md",
    ]
    assert fake.keys[0] == "Bearer none"


def test_the_same_command_again_asks_nothing_and_needs_no_endpoint(capsys):
    with Endpoint(solving).running() as url:
        run(capsys, "four.jsonl", "--out", "a", "--model", "m", "--base-url", url)
    status, out, _ = run(capsys, "four.jsonl", "--out", "a", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert status == 0
    assert "4 episodes, 4 of them played before, 0 to play\n" in out


def test_the_key_is_sent_and_never_written(capsys, monkeypatch):
    monkeypatch.setenv("MY_KEY", "very-secret")
    fake = Endpoint(solving)
    with fake.running() as url:
        arguments = ("four.jsonl", "--out", "a", "--model", "m", "--key-env", "MY_KEY", "--base-url")
        first = run(capsys, *arguments, url)
        second = run(capsys, *arguments, url.replace("//", "//user:word@"), "--samples", "2")
    assert [status for status, *_ in (first, second)] == [0, 0]
    assert fake.keys[0] == "Bearer very-secret" and len(fake.keys) == 8
    for text in (*first[1:], *second[1:], *(path.read_text() for path in pathlib.Path("a").iterdir())):
        assert "very-secret" not in text and "user:word" not in text


def test_what_is_set_reaches_the_endpoint(capsys):
    fake = Endpoint(solving)
    options = ("--temperature", "0.5", "--max-tokens", "50", "--seed", "3", "--extra", '{"top_k": 2}', "--samples", "2")
    with fake.running() as url:
        status, _, _ = run(capsys, "four.jsonl", "--out", "a", "--model", "m", "--base-url", url, *options)
    assert status == 0
    assert [(r["temperature"], r["max_tokens"], r["top_k"]) for r in fake.requests] == [(0.5, 50, 2)] * 8
    assert sorted(r["seed"] for r in fake.requests) == [3, 3, 3, 3, 4, 4, 4, 4]


def test_failed_requests_are_failures_and_can_be_asked_for_again(capsys):
    arguments = ("four.jsonl", "--out", "a", "--model", "m", "--attempts", "1")
    refused = Endpoint(lambda request, number: error(400, "no") if "(6, 6)" in question(request) else solving(request))
    with refused.running() as url:
        status, out, _ = run(capsys, *arguments, "--base-url", url)
    assert status == 0
    assert re.search(r"^all +4 +3 of 4 +75.0 %", out, re.MULTILINE)
    assert re.search(r"^request failed +1 +25.0 %", out, re.MULTILINE)
    fake = Endpoint(solving)
    with fake.running() as url:
        status, out, _ = run(capsys, *arguments, "--base-url", url, "--retry-failed")
    assert (status, len(fake.requests)) == (0, 1)
    assert "4 episodes, 3 of them played before, 1 to play\n" in out
    assert re.search(r"^all +4 +4 of 4 +100.0 %", out, re.MULTILINE)


def test_a_run_in_which_every_request_failed_is_no_success(capsys):
    refused = Endpoint(lambda request, number: error(400, f"no, {number}"))
    options = ("--model", "m", "--attempts", "1", "--concurrency", "1")
    with refused.running() as url:
        status, out, err = run(capsys, "four.jsonl", "--out", "a", "--base-url", url, *options)
    assert (status, err) == (1, "")
    said = (
        "No episode could be played: all requests failed (4 episodes). The last error: status 400: no, 3. They count as not "
        "solved; the same command with --retry-failed plays them again."
    )
    for text in (out, *(pathlib.Path(f"a/{name}").read_text() for name in ("report.md", "page.html"))):
        assert said in text
    assert json.loads(pathlib.Path("a/report.json").read_text())["failed_requests"]["last"] == "status 400: no, 3"


def test_the_reason_that_is_most_frequent_is_told_where_some_requests_failed(capsys):
    def script(request, number):
        return solving(request) if number == 1 else error(400, "odd" if number == 2 else "usual")

    options = ("--model", "m", "--attempts", "1", "--concurrency", "1")
    with Endpoint(script).running() as url:
        status, out, _ = run(capsys, "four.jsonl", "--out", "a", "--base-url", url, *options)
    assert status == 0
    said = "3 episodes of 4 failed for the request, most often (2) with: status 400: usual. They count as not solved;"
    assert said in out and said in pathlib.Path("a/report.md").read_text()


def test_it_is_said_what_was_evaluated_and_what_of_the_log_is_left_out(capsys):
    astar = ("--out", "a", "--agent", "astar")
    run(capsys, "four.jsonl", *astar, "--samples", "2")
    status, out, _ = run(capsys, "four.jsonl", *astar, "--levels", "1", "--limit", "2")
    said = (
        "Evaluated: four.jsonl, level 1, limit 2: 2 puzzles. The log also holds 4 episodes of other puzzles and 2 episodes of "
        "further samples, not counted here."
    )
    assert status == 0
    for text in (out, *(pathlib.Path(f"a/{name}").read_text() for name in ("report.md", "page.html"))):
        assert said in text
    assert json.loads(pathlib.Path("a/report.json").read_text())["choice"] == {
        "source": "four.jsonl",
        "levels": "1",
        "limit": 2,
        "puzzles": 2,
        "samples": 1,
        "other_puzzles": 4,
        "further_samples": 2,
    }


def test_a_folder_takes_more_or_fewer_puzzles_but_no_others(capsys):
    astar = ("--out", "a", "--agent", "astar")
    lines = pathlib.Path("four.jsonl").read_text().splitlines(keepends=True)
    pathlib.Path("two.jsonl").write_text("".join(lines[1:3]))
    pathlib.Path("others.jsonl").write_text("".join(lines[2:]) + json.dumps(spatial_golden.puzzles()["C01"]) + "\n")
    assert run(capsys, "two.jsonl", *astar)[0] == 0
    assert run(capsys, "four.jsonl", *astar)[0] == 0
    assert run(capsys, "two.jsonl", *astar)[0] == 0
    status, _, err = run(capsys, "others.jsonl", *astar)
    assert status == 2
    assert err.startswith("kagejax spatial: The evaluation cannot go on:\n")
    assert "2 of its 4 are not among the 3 asked for here, and 1 of these are not" in " ".join(err.split())


def test_a_run_that_is_given_up_keeps_what_it_has_and_says_how_to_go_on(capsys):
    fake = Endpoint(lambda request, number: solving(request) if number == 0 else error(500, "boom"))
    options = ("--model", "m", "--attempts", "1", "--concurrency", "1", "--stop-after", "2")
    with fake.running() as url:
        status, out, err = run(capsys, "four.jsonl", "--out", "a", "--base-url", url, *options)
    assert status == 2
    assert "Played so far: 3 of 4 episodes; the same command goes on.\n" in out
    assert "The requests of 2 episodes in a row failed, the last one with: status 500:\n    boom." in err
    assert len(logs.read("a/episodes.jsonl").episodes) == 3
    assert pathlib.Path("a/page.html").exists()


def test_a_wrong_key_ends_a_run_at_once(capsys):
    fake = Endpoint(lambda request, number: error(401, "bad key"))
    with fake.running() as url:
        status, _, err = run(capsys, "four.jsonl", "--out", "a", "--model", "m", "--base-url", url)
    assert status == 2
    assert err.startswith("kagejax spatial: The evaluation cannot go on:\n")
    assert "The endpoint refuses all requests with status 401: bad key\n" in err
    assert logs.read("a/episodes.jsonl").episodes == {}


def test_ctrl_c_leaves_a_good_log(tmp_path):
    """A process of its own, stopped while it waits for the second of four answers."""
    import signal

    fake = Endpoint(lambda request, number: (time.sleep(60 if number else 0), solving(request))[1])
    with fake.running() as url:
        options = ["four.jsonl", "--out", "a", "--model", "m", "--base-url", url, "--concurrency", "1"]
        command = [sys.executable, "-m", "kagejax.cli.main", "spatial", "eval", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        patience = time.monotonic() + 120
        while len(fake.requests) < 2 and time.monotonic() < patience and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert "Played so far: 1 of 4 episodes; the same command goes on.\n" in out
    assert [key for key in logs.read("a/episodes.jsonl").episodes] == [("A01", 0)]


@pytest.mark.parametrize(("agent", "mode"), [("random", "step"), ("astar", "one-shot"), ("astar", "traceback")])
def test_baselines_play_without_an_endpoint(capsys, agent, mode):
    status, out, err = run(capsys, "four.jsonl", "--out", "a", "--agent", agent, "--mode", mode, "--seed", "1")
    assert (status, err) == (0, "")
    assert re.search(r"^all +4 +\d of 4", out, re.MULTILINE)
    settings = json.loads(pathlib.Path("a/report.json").read_text())["settings"]
    assert (settings["agent"], settings["seed"], settings["mode"]) == (agent, 1, mode)


def test_pictures_are_asked_about(capsys):
    fake = Endpoint(solving)
    options = ("--mode", "step", "--view", "picture", "--picture-size", "64", "--limit", "1", "--history", "--max-steps", "2")
    with fake.running() as url:
        status, out, _ = run(capsys, "four.jsonl", "--out", "a", "--model", "m", "--base-url", url, *options)
    assert status == 0
    assert "preparing pictures, a program for each size of board\n" in out
    assert [len(request["messages"]) for request in fake.requests] == [2, 4]
    assert all(request["messages"][-1]["content"][0]["type"] == "image_url" for request in fake.requests)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agent", "radom"], "--agent:\n    Found 'radom'; allowed: endpoint, random or astar. Did you mean random?\n"),
        (
            ["--model", "m", "--mode", "steps"],
            "--mode:\n    Found 'steps'; allowed: one-shot, step or traceback. Did you mean step?\n",
        ),
        (["--model", "m", "--view", "x"], "--view:\n    Found 'x'; allowed: text or picture.\n"),
        (["--model", "m", "--wording", "x"], "--wording:\n    Found 'x'; allowed: reference or paper.\n"),
        (["--model", "m", "--parser", "x"], "--parser:\n    Found 'x'; allowed: strict or lenient.\n"),
        ([], "--model:\n    An endpoint is asked for a model by its name; say which.\n"),
        (["--agent", "random", "--model", "m"], "--model:\n    The agent random asks no model; leave this out.\n"),
        (["--model", "m"], "--key-env:\n    The environment variable OPENAI_API_KEY is not set. It must hold the key;\n"),
        (
            ["--model", "m", "--base-url", "localhost:1"],
            "--base-url:\n    Found 'localhost:1'; it must begin with http:// or https://.\n",
        ),
        (["--agent", "random", "--samples", "0"], "--samples:\n    Found 0; allowed: 1 or more.\n"),
        (["--agent", "random", "--concurrency", "0"], "--concurrency:\n    Found 0; allowed: 1 or more.\n"),
        (["--agent", "random", "--timeout", "0"], "--timeout:\n    Found 0; allowed: above 0.\n"),
        (["--agent", "random", "--levels", "4"], "--levels:\n    Found '4'; allowed: 1 or 2, with commas.\n"),
        (["--agent", "random", "--levels", "hard"], "--levels:\n    Found 'hard'; allowed: 1 or 2, with commas.\n"),
        (["--model", "m", "--extra", "[1"], "--extra:\n    Found '[1', which is no JSON: Expecting ',' delimiter"),
        (["--model", "m", "--extra", "[1]"], "--extra:\n    Found '[1]'; it must be a JSON object.\n"),
        (["--model", "m", "--extra", '{"n": 2}'], "--extra:\n    Found n; such fields are not set there.\n"),
        (
            ["--agent", "random", "--out", "four.jsonl"],
            "--out:\n    Found 'four.jsonl', which is a file; a run needs a folder.\n",
        ),
        (
            ["--agent", "random", "--out", "four.jsonl/a"],
            "--out:\n    The folder 'four.jsonl/a' cannot be made: Not a directory.\n",
        ),
    ],
)
def test_mistakes_are_answered_with_what_is_allowed(arguments, message, capsys):
    status, out, err = run(capsys, "four.jsonl", *([] if "--out" in arguments else ["--out", "a"]), *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("kagejax spatial: The configuration has a problem:\n")
    assert message in err
    assert not pathlib.Path("a").exists()


def test_a_missing_file_and_another_runs_folder_are_said(capsys):
    status, _, err = run(capsys, "five.jsonl", "--out", "a", "--agent", "random")
    assert status == 2
    assert "five.jsonl:\n    There is no such file or folder;" in err
    run(capsys, "four.jsonl", "--out", "a", "--agent", "astar")
    status, _, err = run(capsys, "four.jsonl", "--out", "a", "--agent", "random")
    assert status == 2
    assert 'this log is of another run: agent is "astar" there and\n    "random" here.' in err


def test_without_the_client_it_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    status, _, err = run(capsys, "four.jsonl", "--out", "a", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    assert status == 2
    assert "pip install 'kagejax[llm]'" in " ".join(err.split())
