"""Agents on splits, and the folder of an entry, from the command line."""

import json

from kagejax.cli import main as cli


def test_a_reference_agent_is_reported_with_exact_metrics(tmp_path, capsys):
    report = tmp_path / "report.json"
    status = cli.main(["sokoban", "evaluate", "solver", "--splits", "W", "--seeds", "0", "--out", str(report)])
    out = capsys.readouterr().out
    assert status == 0 and "split_W" in out and "100.0%" in out
    figures = json.loads(report.read_text())["splits"]["split_W"]
    assert (figures["success_rate"], figures["move_efficiency"], figures["deadlock_rate"]) == (1.0, 1.0, 0.0)


def test_an_agent_of_ones_own_is_found_by_module_and_class(tmp_path, capsys, monkeypatch):
    (tmp_path / "mine_for_a_test.py").write_text(
        "class Upward:\n"
        "    call_meter = None\n"
        "    def reset(self):\n        pass\n"
        "    def act(self, obs, goal, history):\n        return 0\n"
    )
    monkeypatch.chdir(tmp_path)
    assert cli.main(["sokoban", "evaluate", "mine_for_a_test:Upward", "--splits", "W", "--seeds", "0"]) == 0
    assert "split_W" in capsys.readouterr().out


def test_what_cannot_be_evaluated_is_said(capsys):
    assert cli.main(["sokoban", "evaluate", "random", "--splits", "Q"]) == 2
    said = capsys.readouterr().err
    assert "--splits" in said and "E, B-plus, C-plus, D-hard or hidden-\n    style, with commas." in said
    assert cli.main(["sokoban", "evaluate", "nobody", "--splits", "W"]) == 2
    assert "module:Class" in capsys.readouterr().err
    assert cli.main(["sokoban", "evaluate", "random", "--seeds", "a"]) == 2
    assert "--seeds" in capsys.readouterr().err


def test_an_empty_entry_lacks_everything(tmp_path, capsys):
    assert cli.main(["sokoban", "submit", str(tmp_path), "--check"]) == 1
    assert "results.json" in capsys.readouterr().out
    assert cli.main(["sokoban", "submit", str(tmp_path / "none")]) == 2
    assert "There is no folder" in capsys.readouterr().err


def test_a_failing_agent_is_told_with_its_own_line(tmp_path, capsys, monkeypatch):
    (tmp_path / "failing_for_a_test.py").write_text(
        "class Fails:\n    def reset(self):\n        pass\n"
        "    def act(self, obs, goal, history):\n        raise KeyError('mine')\n"
        "class Needs(Fails):\n    def __init__(self, size):\n        pass\n"
        "class Nine(Fails):\n    def act(self, obs, goal, history):\n        return 9\n"
    )
    (tmp_path / "broken_for_a_test.py").write_text("class Broken(:\n")
    monkeypatch.chdir(tmp_path)
    for agent, said in (
        ("failing_for_a_test:Fails", "failed with KeyError: 'mine'"),
        ("failing_for_a_test:Needs", "failed with TypeError"),
        ("broken_for_a_test:Broken", "failed with SyntaxError"),
    ):
        assert cli.main(["sokoban", "evaluate", agent, "--splits", "W", "--seeds", "0"]) == 2
        assert said in " ".join(capsys.readouterr().err.split())
    assert cli.main(["sokoban", "evaluate", "failing_for_a_test:Nine", "--splits", "W", "--seeds", "0"]) == 0
    assert "100 episodes ended with an action that is none of 0 to 3." in capsys.readouterr().out


def test_a_report_goes_into_a_folder_that_is_there(capsys):
    assert cli.main(["sokoban", "evaluate", "random", "--splits", "W", "--out", "no/r.json"]) == 2
    assert "there is no folder 'no'" in capsys.readouterr().err
