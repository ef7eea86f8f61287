"""One run, however it is spread: seeds in step, groups of environments on one device, on eight, and in two processes."""

import dataclasses
import functools
import json
import os
import pathlib
import socket
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from agents import ppo
from kagejax.learning import checkpoints, keeping, loggers
from tests.agents.test_ppo import ENV, TOY, begun, registered_corridors  # noqa: F401  (the fixture serves this file, too)
from tests.corridor import params

REPOSITORY = pathlib.Path(__file__).parents[2]
EIGHT = dataclasses.replace(
    TOY, total_steps=256, shards=8, gradient_chunk=0, updates_per_line=1, checkpoint_every=1, eval_episodes=2, film=False,
    normalize_rewards=True, augmentation="cutout_color", target_kl=0.5,
)  # fmt: skip
ELSEWHERE = """
import os, pathlib, sys
import jax, jax.numpy as jnp, kagejax
from agents import ppo
from kagejax.learning import machines
from tests.agents import test_parallel, test_ppo
from tests.corridor import params

jax.config.update("jax_compilation_cache_dir", os.environ.get("JAX_COMPILATION_CACHE_DIR"))
machines.join(sys.argv[1])
assert jax.device_count() == 8
known = {"toy": params(), "dim": params(brightness=0.3)}
stacked = jax.tree.map(lambda *x: jnp.stack(x), *known.values())
kagejax.make = lambda name, **_: (test_ppo.ENV, known[name])
kagejax.make_batches = lambda names, **_: [(test_ppo.ENV, stacked)]
kagejax.load_config = lambda name, **_: type("Loaded", (), {"model_dump": lambda self, mode: {"env": "corridor"}})()
ppo.train(test_parallel.EIGHT, ppo.stage(test_parallel.EIGHT), 3, pathlib.Path(sys.argv[2]))
"""


def elsewhere(devices, how, folder):
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    command = [sys.executable, "-c", ELSEWHERE, how, str(folder)]
    environment = {**os.environ, "XLA_FLAGS": flags.strip()}
    return subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def assert_same_run(folder, other, seed=3):
    """Equal up to the order of sums."""
    lines = zip(loggers.read(folder / "metrics.jsonl"), loggers.read(other / "metrics.jsonl"), strict=True)
    for mine, theirs in lines:
        for name in mine.keys() - {"steps_per_s"}:
            np.testing.assert_allclose(mine[name], theirs[name], rtol=1e-3, atol=1e-5, err_msg=name)
    like = jax.eval_shape(functools.partial(ppo.start, EIGHT, ENV), params(), jax.random.key(seed)).parameters
    mine, theirs = (checkpoints.restore_part(keeping.listed(place)[-1].path, "parameters") for place in (folder, other))
    leaves = zip(jax.tree.leaves(like), jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True)
    for leaf, one, two in leaves:
        assert one.shape == leaf.shape
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-5)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The run on one device; made on first use, within the fixture that registers its configurations."""
    return tmp_path_factory.mktemp("alone")


def on_one_device(folder):
    if not keeping.listed(folder):
        ppo.train(EIGHT, ppo.stage(EIGHT), 3, folder)
    return folder


def test_eight_devices_give_the_numbers_of_one(alone, tmp_path):
    process = elsewhere(8, "", tmp_path)
    on_one_device(alone)
    said = process.communicate(timeout=400)[0].decode()
    assert process.returncode == 0, said
    assert_same_run(alone, tmp_path)
    place, folder = ppo.stage(EIGHT), tmp_path  # and what eight devices saved goes on on one
    longer = dataclasses.replace(EIGHT, total_steps=384, resume="auto", run_dir=str(folder))
    assert ppo.train(longer, place, 3, folder)
    assert [line["step"] for line in loggers.read(folder / "metrics.jsonl")] == [128, 256, 384]


def test_two_processes_give_the_numbers_of_one(alone, tmp_path):
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    both = [elsewhere(4, f"localhost:{port},2,{index}", tmp_path) for index in range(2)]
    on_one_device(alone)
    said = [process.communicate(timeout=400)[0].decode() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert "seed 3" in said[0] and "seed 3" not in said[1]
    assert_same_run(alone, tmp_path)


def test_seeds_in_step_learn_what_each_learns_alone():
    config = dataclasses.replace(TOY, gradient_chunk=0, normalize_rewards=True)
    seeds = [begun(config, seed) for seed in (4, 5)]
    stacked = jax.tree.map(lambda *x: jnp.stack(x), *seeds)
    together, totals = ppo.train_chunks(config, ENV, params(), stacked, jnp.int32(2))
    for i, state in enumerate(seeds):
        alone, own = ppo.train_chunk(config, ENV, params(), state, jnp.int32(2))
        for mine, theirs in zip(jax.tree.leaves(alone.parameters), jax.tree.leaves(together.parameters), strict=True):
            np.testing.assert_allclose(mine, theirs[i], rtol=1e-3, atol=1e-5)
        assert (totals["episodes"][i], totals["return"][i]) == (own["episodes"], own["return"])


def test_seeds_in_step_write_a_run_directory_each_and_go_on_from_there(tmp_path):
    config = dataclasses.replace(
        TOY, seeds=(1, 2), parallel="vmap", run_dir=str(tmp_path), total_steps=256, film=False, checkpoint_every=1,
        updates_per_line=1,
    )  # fmt: skip
    assert set(ppo.train_seeds(config, ppo.stage(config), tmp_path)) == {"1", "2"}
    for seed in (1, 2):
        folder = tmp_path / f"seed-{seed}"
        assert keeping.status(folder) == keeping.FINISHED
        assert [line["step"] for line in loggers.read(folder / "metrics.jsonl")] == [128, 256]
    newest = keeping.listed(tmp_path / "seed-1")[-1]  # as if killed before seed 1 had its second checkpoint
    newest.path.with_suffix(".json").unlink()
    longer = dataclasses.replace(config, total_steps=384, resume="auto")
    assert set(ppo.train_seeds(longer, ppo.stage(longer), tmp_path)) == {"1", "2"}
    for seed in (1, 2):
        lines = loggers.read(tmp_path / f"seed-{seed}" / "metrics.jsonl")
        assert [line["step"] for line in lines] == [128, 256, 384]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    further = dataclasses.replace(config, total_steps=512, resume=str(tmp_path), run_dir=str(elsewhere))
    assert set(ppo.train_seeds(further, ppo.stage(further), elsewhere)) == {"1", "2"}
    assert [line["step"] for line in loggers.read(elsewhere / "seed-2" / "metrics.jsonl")] == [512]


def test_a_failure_is_said_in_the_status_of_every_seed(tmp_path, monkeypatch):
    config = dataclasses.replace(TOY, seeds=(1, 2), parallel="vmap", run_dir=str(tmp_path))

    def fail(*_):
        raise RuntimeError("the device is gone")

    monkeypatch.setattr(ppo, "train_chunks", fail)
    with pytest.raises(RuntimeError):
        ppo.train_seeds(config, ppo.stage(config), tmp_path)
    for seed in (1, 2):
        said = json.loads((tmp_path / f"seed-{seed}" / "status.json").read_text())
        assert (said["state"], said["error"]) == ("failed", "RuntimeError: the device is gone")


def test_settings_that_do_not_go_together_are_refused():
    with pytest.raises(ValueError, match="8 environments do not split into 3 shards"):
        dataclasses.replace(TOY, shards=3)
    with pytest.raises(ValueError, match="does not split into 2 minibatches of 8 shards"):
        dataclasses.replace(TOY, shards=8, rollout_steps=1)
    with pytest.raises(ValueError, match="not with shards or stop_when_perfect"):
        dataclasses.replace(TOY, shards=2, parallel="vmap")
    for lacking in ({"shards": 8}, {"run_dir": "there"}):
        with pytest.raises(ValueError, match="distributed needs a run_dir, one folder that all machines see, and shards"):
            dataclasses.replace(TOY, distributed="auto", gradient_chunk=0, **lacking)


@pytest.mark.parametrize("text", ["node1", "node1:1234,2", "node1:1234,2,2", "node1:x,2,0", ":1234,2,0"])
def test_how_processes_find_each_other_is_checked(text):
    with pytest.raises(ValueError, match="allowed: auto, or HOST:PORT,PROCESSES,INDEX"):
        ppo.machines.join(text)
