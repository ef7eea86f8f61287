"""The benchmark of training as a person at a terminal runs it."""

import json
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from agents import ppo
from benchmarks import _phases, training
from kagejax.config.problems import ConfigError
from tests.corridor import Corridor, params


@pytest.mark.parametrize(
    ("agent", "steps", "rollout", "minibatches"),
    [("full", 2048, 16, 1), ("full", None, 128, 8), ("quick", 16_384, 128, 8), ("quick", 100, 1, 1)],
)
def test_shorter_rollouts_keep_the_size_of_a_minibatch(agent, steps, rollout, minibatches):
    config = training.configure(agent, 128, steps)
    assert (config.rollout_steps, config.minibatches) == (rollout, minibatches)
    assert config.minibatch_size == min(2048, 128 * rollout)


def test_shares_of_an_iteration_add_up():
    found = training.shares({"ours": 100.0, "rollout": 30.0, "rendering": 5.0, "naive": 400.0, "naive_rendering": 20.0})
    assert found == pytest.approx({"rendering": 0.05, "rollout": 0.25, "update": 0.70, "naive_rendering": 0.05})


def test_what_a_rollout_keeps_is_told_for_frames_and_for_states():
    config = ppo.Config(num_envs=4, rollout_steps=4, frame_size=8, network="grid", minibatches=2)
    found = training.stored_bytes(_phases.Trial(ppo, config, Corridor(), params(), "all", "none"))
    # Action, log-probability, value, reward and final value, four bytes each, and two flags.
    assert found == {"frames": {"seen": 8 * 8 * 3, "other": 22}, "latents": {"seen": 12, "other": 22}}


def test_the_timed_pictures_are_those_of_all_states_in_turn():
    env = Corridor()
    states = jax.vmap(jax.vmap(env.init, (0, None)), (0, None))(jax.random.split(jax.random.key(0), (5, 3)), params())
    states = states._replace(cell=jnp.arange(15, dtype=jnp.int32).reshape(5, 3) % states.length)
    draw = jax.vmap(env.observe, (0, None))
    _, frames = jax.jit(lambda carry: _phases.draw_all(lambda now, at: draw(at, now), params(), carry))(
        (states, jnp.full((5, 3, 8, 8, 3), 7, jnp.uint8))
    )
    np.testing.assert_array_equal(frames, jax.vmap(draw, (0, None))(states, params()))


def test_programs_take_turns_and_give_their_time_per_step():
    calls, said = [], []

    def program(name, steps):
        return _phases.Program(lambda times, carry: calls.append(name) or carry + times, 0, steps, 0)

    found = _phases.take_turns({"a": program("a", 10), "b": program("b", 20)}, 3, 1e-9, said.append)
    assert calls == ["a", "b", *["a", "b"] * 3] and len(said) == 3
    assert [len(blocks) for blocks in found.values()] == [3, 3]
    assert all(block.micros > 0 for blocks in found.values() for block in blocks)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agents", "fast"], "--agents is of full and quick, --blocks at least 3"),
        (["--blocks", "2"], "--agents is of full and quick, --blocks at least 3"),
        (["--json", "no/such/folder.json"], "The folder does not exist."),
        (["--config", "kage/backgroud/1/train"], "There is neither such an id nor such a file"),
        (["--config", "sliding"], "It cannot be measured: the baseline plays kage alone."),
    ],
)
def test_mistakes_are_answered_before_anything_is_measured(arguments, message):
    with pytest.raises(ConfigError) as raised:
        training.main(arguments)
    assert message in " ".join(str(raised.value).split())


def test_the_file_runs_by_itself(tmp_path):
    command = [sys.executable, training.__file__, "--agents", "none"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.startswith("training.py: The configuration has a problem:\ncommand line:\n")


@pytest.mark.slow
def test_training_is_measured_beside_the_baseline(tmp_path, capsys):
    out = tmp_path / "training.json"
    shape = ["--agents", "quick", "--envs", "2", "--steps", "8", "--blocks", "3", "--seconds", "0.01"]
    assert training.main([*shape, "--no-memory", "--json", str(out)]) == 0
    (row,) = json.loads(out.read_text())
    assert set(row["us_per_step"]) == {"ours", "latents", "naive", "rollout", "rendering", "naive_rendering"}
    assert row["ratio"]["min"] <= row["ratio"]["median"] <= row["ratio"]["max"]
    assert sum(row["shares"][name] for name in ("rendering", "rollout", "update")) == pytest.approx(1)
    assert row["stored_bytes"]["frames"]["seen"] == 3072
    assert "| naive_rendering |" in capsys.readouterr().out
