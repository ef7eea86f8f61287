"""A run killed at any moment goes on as if nothing had happened."""

import dataclasses
import pathlib
import signal
import subprocess
import sys

import pytest

from agents import ppo
from kagejax.learning import keeping, loggers
from tests.agents.test_ppo import TOY, registered_corridors  # noqa: F401  (the fixture serves this file, too)
from tests.learning.test_curves import scalars

REPOSITORY = pathlib.Path(__file__).parents[2]
RUN = dataclasses.replace(TOY, updates_per_line=1, checkpoint_every=1, evaluate_every=2, film=False)
KILLED = """
import os, pathlib, signal, sys
import jax, jax.numpy as jnp, kagejax
from agents import ppo
from kagejax.learning import keeping, loggers
from tests.agents import test_ppo, test_resume
from tests.corridor import params

jax.config.update("jax_compilation_cache_dir", os.environ.get("JAX_COMPILATION_CACHE_DIR"))
known = {"toy": params(), "dim": params(brightness=0.3)}
stacked = jax.tree.map(lambda *x: jnp.stack(x), *known.values())
kagejax.make = lambda name, **_: (test_ppo.ENV, known[name])
kagejax.make_batches = lambda names, **_: [(test_ppo.ENV, stacked)]
kagejax.load_config = lambda name, **_: type("Loaded", (), {"model_dump": lambda self, mode: {"env": "corridor"}})()

def killing(function, count):
    calls = iter(range(count))
    def call(*arguments, **named):
        if next(calls, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **named)
    return call

place, count, folder = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
places = {
    "metrics": (loggers.JsonLines, "write"), "checkpoint": (keeping.checkpoints, "save"), "note": (keeping, "digest"),
}
owner, name = places[place]
setattr(owner, name, killing(getattr(owner, name), count))
ppo.train(test_resume.RUN, ppo.stage(test_resume.RUN), 3, folder)
"""


def timeless(folder):
    """Every line of a run but for how long it took."""
    lines = loggers.read(folder / "metrics.jsonl")
    return [{name: value for name, value in line.items() if name != "steps_per_s"} for line in lines]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """A run that nobody stopped; made on first use, within the fixture that registers its configurations."""
    return tmp_path_factory.mktemp("unbroken")


@pytest.mark.parametrize(("place", "count"), [("metrics", 3), ("checkpoint", 1), ("note", 2)])
def test_a_killed_run_ends_with_the_numbers_of_one_that_was_not(unbroken, tmp_path, place, count):
    if not keeping.listed(unbroken):
        ppo.train(RUN, ppo.stage(RUN), 3, unbroken)
    done = subprocess.run([sys.executable, "-c", KILLED, place, str(count), str(tmp_path)], cwd=REPOSITORY, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert keeping.status(tmp_path) == keeping.RUNNING
    again = dataclasses.replace(RUN, resume="auto", run_dir=str(tmp_path))
    ppo.train(again, ppo.stage(again), 3, tmp_path)
    assert keeping.status(tmp_path) == keeping.FINISHED
    assert timeless(tmp_path) == timeless(unbroken)
    assert loggers.read(tmp_path / "evaluations.jsonl") == loggers.read(unbroken / "evaluations.jsonl")
    assert keeping.listed(tmp_path)[-1].digest == keeping.listed(unbroken)[-1].digest
    curves = [[point for point in scalars(folder) if point[1] != "speed/steps_per_s"] for folder in (tmp_path, unbroken)]
    assert curves[0] == curves[1]
    assert [step for step, tag, _ in curves[0] if tag == "learner/kl"] == [128, 256, 384, 512]


def test_a_finished_run_is_not_run_again(tmp_path):
    again = dataclasses.replace(RUN, resume="auto", run_dir=str(tmp_path))
    first = ppo.train(again, ppo.stage(again), 3, tmp_path)
    written = (tmp_path / "metrics.jsonl").read_text()
    assert ppo.train(again, ppo.stage(again), 3, tmp_path) == first
    assert (tmp_path / "metrics.jsonl").read_text() == written


def test_another_configuration_is_refused(tmp_path, monkeypatch, capsys):
    ppo.train(RUN, ppo.stage(RUN), 3, tmp_path)
    other = dataclasses.replace(RUN, gamma=0.5, resume="auto", run_dir=str(tmp_path))
    monkeypatch.setattr(ppo.settings, "from_command_line", lambda *_: dataclasses.replace(other, seeds=(3,)))
    assert ppo.main([]) == 1
    said = capsys.readouterr().err
    assert "is a checkpoint of another configuration: gamma was 0.9 and is 0.5. Use another run_dir.\n" in said
    assert keeping.status(tmp_path) == keeping.FINISHED  # the run that is there stays what it is


def test_a_finished_run_goes_on_if_more_steps_are_asked_for(tmp_path):
    ppo.train(RUN, ppo.stage(RUN), 3, tmp_path)
    longer = dataclasses.replace(RUN, total_steps=640, resume="auto", run_dir=str(tmp_path))
    ppo.train(longer, ppo.stage(longer), 3, tmp_path)
    assert [line["step"] for line in loggers.read(tmp_path / "metrics.jsonl")] == [128, 256, 384, 512, 640]
    assert keeping.status(tmp_path) == keeping.FINISHED


@pytest.mark.parametrize(("levels", "second"), [("published", 10_000), ("published_multi", 11_000)])
def test_published_levels_have_keys_of_their_own(levels, second):
    config = dataclasses.replace(RUN, eval_levels=levels, evaluate=("dim", "dark"))
    place = ppo.Stage(None, None, [], ("toy", "dim", "dark"))
    keys = ppo.evaluation_key(config, place, 3, 4 * config.batch_size, place.names)
    expected = [3 + 20_000 + 4, 3 + 10_000 + 4, 3 + second + 4]
    assert ppo.jax.random.key_data(keys).tolist() == [ppo.jax.random.key_data(ppo.jax.random.key(k)).tolist() for k in expected]
