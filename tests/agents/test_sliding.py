"""PPO learns to solve a puzzle from pixels."""

import pytest

from agents import ppo
from kagejax.learning import loggers


@pytest.mark.slow
def test_a_small_puzzle_is_solved_in_minutes(tmp_path):
    assert ppo.main(["--config", "configs/agents/ppo_sliding_quick.yaml", "--set", f"run_dir={tmp_path / 'run'}"]) == 0
    last = loggers.read(tmp_path / "run" / "metrics.jsonl")[-1]
    assert last["success_rate"] >= 0.8 and last["goal_step"] > 0
    (evaluation,) = loggers.read(tmp_path / "run" / "evaluations.jsonl")
    assert evaluation["configurations"]["sliding/pools/1/train"]["success_once"]["mean"] >= 0.8
