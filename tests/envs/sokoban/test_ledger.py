"""The count of generated transitions against a budget."""

import json

import pytest

from kagejax.envs.sokoban.ledger import BUDGET, BudgetSpent, Ledger


def test_what_is_spent_is_taken_from_the_budget():
    ledger = Ledger(budget=10)
    ledger.spend(4)
    ledger.spend(0)
    ledger.spend(6)
    assert (ledger.spent, ledger.left) == (10, 0)
    assert Ledger().left == BUDGET == 2_000_000


def test_what_does_not_fit_is_refused_and_not_entered(tmp_path):
    ledger = Ledger(tmp_path / "ledger.json", budget=1500)
    ledger.spend(1000)
    with pytest.raises(BudgetSpent, match=r"501 transitions are asked for and 500 of 1,500 are left"):
        ledger.spend(501)
    assert (ledger.left, Ledger(tmp_path / "ledger.json").left) == (500, 500)
    ledger.spend(500)
    with pytest.raises(BudgetSpent):
        ledger.spend(1)


def test_nothing_is_taken_back():
    ledger = Ledger(budget=10)
    ledger.spend(5)
    with pytest.raises(ValueError, match=r"transitions is -1; what is spent cannot be taken back"):
        ledger.spend(-1)
    assert ledger.spent == 5


def test_what_is_spent_stays_spent_when_a_run_is_killed(tmp_path):
    Ledger(tmp_path / "ledger.json", budget=100).spend(30)
    later = Ledger(tmp_path / "ledger.json", budget=1_000_000)  # a new run cannot raise the budget of the first
    assert (later.budget, later.spent, later.left) == (100, 30, 70)
    later.spend(70)
    assert Ledger(tmp_path / "ledger.json").left == 0


def test_the_file_is_replaced_as_a_whole(tmp_path, monkeypatch):
    path = tmp_path / "ledger.json"
    ledger = Ledger(path, budget=100)
    ledger.spend(1)
    assert json.loads(path.read_text()) == {"budget": 100, "spent": 1}
    assert [each.name for each in tmp_path.iterdir()] == ["ledger.json"]

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", killed)
    with pytest.raises(KeyboardInterrupt):
        ledger.spend(5)
    assert json.loads(path.read_text()) == {"budget": 100, "spent": 1}
