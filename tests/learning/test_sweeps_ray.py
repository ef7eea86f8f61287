"""A sweep on a Ray cluster that the tests start themselves, with a stand-in for the agent."""

import io
import json
import os
import signal
import threading
import time

import pytest
import rich.console

from kagejax.config.problems import ConfigError
from kagejax.learning.sweeps import board, queue, ray_engine

from .test_sweeps_local import RUNS, attempts, make, signal_worker, status

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'kagejax[sweep]'")
# Ray forks its servers and runs other programs there at once; JAX warns of any fork where it was used before.
pytestmark = pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")


@pytest.fixture(scope="module")
def cluster():
    """A cluster of this machine with two CPUs, whatever the machine has."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=2, num_gpus=0, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield
    ray.shutdown()


def run(folder, todo, retries=2, **options):
    screen = io.StringIO()
    engine = ray_engine.RayEngine(str(folder), **options)
    found = queue.Queue(todo, engine, board.Board(rich.console.Console(file=screen, width=200)), retries).run()
    return found, screen.getvalue()


def test_a_sweep_on_ray_makes_the_same_run_directories(cluster, tmp_path):
    result, _ = run(tmp_path, make(tmp_path))
    assert (result.status, len(result.of("finished"))) == (0, 4)
    found = {str(path.relative_to(tmp_path)) for path in tmp_path.glob("*/seed-*")}
    assert found == {f"{name}/seed-{seed}" for name, *_ in RUNS for seed in (1, 2)}
    assert all(status(tmp_path / name)["state"] == "finished" for name in found)


def test_a_killed_worker_costs_an_attempt_and_the_run_goes_on(cluster, tmp_path):
    """The worker of one run is killed on the spot in the middle; its agent notices, saves and ends before the next begins."""
    todo = make(tmp_path, (1,), pause=0.25, steps=12)
    folder = todo[0].folders[0]

    thread = threading.Thread(target=signal_worker, args=(folder, signal.SIGKILL))
    thread.start()
    result, said = run(tmp_path, todo)
    thread.join()
    assert result.status == 0
    assert "kage-a-1 seed 1 failed (attempt 1 of 3, will be tried again): Ray lost it: WorkerCrashedError" in said
    assert attempts(folder) == 2
    assert not (folder / "clash").exists()
    steps = [json.loads(line)["step"] for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert steps == [100 * n for n in range(1, 13)]
    assert attempts(todo[1].folders[0]) == 1


def test_a_run_that_fails_is_tried_again_and_says_why(cluster, tmp_path):
    result, said = run(tmp_path, make(tmp_path, (1,), RUNS[:1], fail=1))
    assert result.status == 0
    assert "failed (attempt 1 of 3, will be tried again): exit status 1" in said and "the dog ate it" in said


def test_an_interrupt_lets_the_runs_save(cluster, tmp_path):
    todo = make(tmp_path, (1, 2), pause=0.3, steps=30)
    folder = todo[0].folders[0]

    def interrupt():
        while not (folder / "saved").exists():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    result, _ = run(tmp_path, todo)
    thread.join()
    assert result.status == 130
    assert status(folder)["state"] == "interrupted"
    assert not list((tmp_path / "queue").glob("stop-*"))


def test_a_cluster_without_gpus_is_told_apart_from_one_with(cluster, tmp_path):
    with pytest.raises(ConfigError, match=r"A run wants 0\.5 GPU, but the cluster has 0\."):
        ray_engine.RayEngine(str(tmp_path), gpu_fraction=0.5)


def test_a_missing_ray_is_said_with_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(ConfigError, match=r"pip install 'kagejax\[sweep\]'"):
        ray_engine.RayEngine(str(tmp_path))
