"""A count of generated transitions against a budget. ISSUES I-21: every one counts, whether a loss sees it or not."""

import json
import os
import pathlib

BUDGET = 2_000_000
"""Transitions that an entry may generate."""


class BudgetSpent(RuntimeError):
    """There is no room for what was asked."""


class Ledger:
    """A budget of transitions, kept in a file if it has one: what is spent stays spent when a run is killed."""

    def __init__(self, path: str | pathlib.Path | None = None, budget: int = BUDGET):
        self.path, self.budget, self.spent = (pathlib.Path(path) if path else None), budget, 0
        if self.path is not None and self.path.exists():
            kept = json.loads(self.path.read_text())
            self.budget, self.spent = int(kept["budget"]), int(kept["spent"])

    @property
    def left(self) -> int:
        """Transitions that may still be generated."""
        return self.budget - self.spent

    def spend(self, transitions: int) -> None:
        """Enters `transitions`. Raises ValueError for a negative number, BudgetSpent, entering nothing, if they do not fit."""
        if transitions < 0:
            raise ValueError(f"transitions is {transitions}; what is spent cannot be taken back")
        if transitions > self.left:
            raise BudgetSpent(f"{transitions:,} transitions are asked for and {self.left:,} of {self.budget:,} are left.")
        self.spent += transitions
        if self.path is not None:
            draft = self.path.with_name(self.path.name + ".part")
            draft.write_text(json.dumps({"budget": self.budget, "spent": self.spent}) + "\n")
            os.replace(draft, self.path)
