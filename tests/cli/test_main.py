"""The command `kagejax` itself."""

import os
import subprocess
import sys

import pytest

from kagejax.cli import main as cli


def test_without_a_command_it_lists_the_commands(capsys):
    assert cli.main([]) == 0
    out = capsys.readouterr().out
    assert "usage: kagejax COMMAND ..." in out
    assert all(f"  {name}" in out for name in ("config", "render", "bench"))
    assert "kagejax config diff kage/background/1/train kage/background/1/eval" in out


def test_it_tells_its_version(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == "kagejax 0.1.0\n"


def test_an_unknown_command_is_answered_with_those_there_are(capsys):
    assert cli.main(["confg"]) == 2
    known = "config, render, suites, sweep, sokoban, spatial, report, play, explore, bench"
    assert capsys.readouterr().err == f"kagejax: no command 'confg'; the commands are {known}.\n"


def test_a_mistake_ends_with_a_message_and_status_2(capsys):
    assert cli.main(["config", "show", "kagge"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("kagejax config: The configuration has a problem:\nkagge:\n")
    assert "Did you mean kage?" in captured.err


@pytest.mark.parametrize("exception", ["ConfigError", "AssetError"])
def test_mistakes_in_configurations_and_art_are_both_answered(exception, capsys, monkeypatch):
    def fail(arguments):
        from kagejax.assets.errors import AssetError
        from kagejax.config.problems import ConfigError, Problem, Where

        raise AssetError("no skin") if exception == "AssetError" else ConfigError(Problem(Where("a.yaml", 1), "W", "no"))

    monkeypatch.setattr("kagejax.cli.config.main", fail)
    assert cli.main(["config"]) == 2
    assert capsys.readouterr().err.startswith("kagejax config: ")


def test_a_bug_of_ours_is_not_hidden(monkeypatch):
    def fail(arguments):
        raise ValueError("a bug")

    monkeypatch.setattr("kagejax.cli.config.main", fail)
    with pytest.raises(ValueError, match="a bug"):
        cli.main(["config"])


def test_an_interrupt_ends_quietly(monkeypatch, capsys):
    def interrupted(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("kagejax.cli.config.main", interrupted)
    assert cli.main(["config"]) == 130
    assert capsys.readouterr().err == ""


def test_a_reader_that_stops_early_is_no_error():
    command = f"{sys.executable} -m kagejax.cli.main config schema | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=os.environ, timeout=120)
    assert (done.stdout, done.stderr, done.returncode) == ("{\n", "", 0)
