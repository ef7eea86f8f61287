"""`kagejax bench`, as a person at a terminal sees it."""

import pytest

from kagejax.cli.main import main


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["bench", "--help"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert "usage: kagejax bench" in printed
    assert "  kagejax bench --config simplest,default --envs 2^0..2^12 --tiers frames\n" in printed


def test_a_mistake_is_answered(capsys):
    assert main(["bench", "--tiers", "fames"]) == 2
    assert capsys.readouterr().err == (
        "kagejax bench: The configuration has a problem:\n--tiers:\n"
        "    Unknown tier 'fames'; allowed: dynamics, frames, frames_reset, ppo,\n"
        "    ppo_full. Did you mean frames?\n"
    )
