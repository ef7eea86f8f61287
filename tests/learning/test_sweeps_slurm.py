"""A sweep through submitit, on its local executor, and what it would hand to SLURM."""

import io
import os
import signal
import stat
import threading
import time

import pytest
import rich.console

from kagejax.config.problems import ConfigError
from kagejax.learning.sweeps import board, queue, slurm_engine

from .test_sweeps_local import RUNS, attempts, make, signal_worker, status

submitit = pytest.importorskip("submitit", reason="needs submitit: pip install 'kagejax[sweep]'")


def run(folder, todo, retries=2, cluster="local", **options):
    screen = io.StringIO()
    engine = slurm_engine.SlurmEngine(str(folder), cluster=cluster, **{"gpu_fraction": 0.0, **options})
    found = queue.Queue(todo, engine, board.Board(rich.console.Console(file=screen, width=200)), retries).run()
    return found, screen.getvalue()


def test_a_sweep_through_submitit_makes_the_same_run_directories(tmp_path):
    result, _ = run(tmp_path, make(tmp_path, (1,)))
    assert (result.status, len(result.of("finished"))) == (0, 2)
    assert all(status(tmp_path / name / "seed-1")["state"] == "finished" for name, *_ in RUNS)


def test_runs_that_share_a_gpu_go_into_one_job_side_by_side(tmp_path):
    todo = make(tmp_path, (1,), fail=1)
    result, said = run(tmp_path, todo, gpu_fraction=0.5, parameters={"gpus_per_node": 0})
    assert result.status == 0
    jobs = {path.name.partition("_")[0] for path in (tmp_path / "queue" / "slurm").glob("*_result.pkl")}
    assert len(jobs) == 2  # both attempts of both runs
    assert said.count("exit status 1") == 2 and said.count("the dog ate it") == 2


def test_an_interrupt_lets_the_runs_save(tmp_path):
    todo = make(tmp_path, (1,), RUNS[:1], pause=0.3, steps=30)
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


def test_a_job_that_dies_costs_an_attempt(tmp_path, monkeypatch):
    monkeypatch.setattr("submitit.core.core.Job._results_timeout_s", 1)  # how long it waits for a slow file system
    todo = make(tmp_path, (1,), RUNS[:1], pause=0.2, steps=15)
    folder = todo[0].folders[0]

    thread = threading.Thread(target=signal_worker, args=(folder, signal.SIGKILL))
    thread.start()
    result, said = run(tmp_path, todo)
    thread.join()
    assert result.status == 0
    assert "kage-a-1 seed 1 failed (attempt 1 of 3, will be tried again): job " in said
    assert attempts(folder) == 2 and not (folder / "clash").exists()


def test_a_job_whose_machine_is_taken_away_saves_and_is_queued_again(tmp_path):
    """submitit's local executor begins a job again that SLURM would requeue."""
    (task,) = make(tmp_path, (1,), RUNS[:1], pause=0.2, steps=15)
    engine = slurm_engine.SlurmEngine(str(tmp_path), gpu_fraction=0.0, cluster="local")
    job = engine.start([task], [1])
    signal_worker(task.folders[0], signal.SIGUSR2)
    until = time.monotonic() + 60
    while job.poll() is None and time.monotonic() < until:
        time.sleep(0.1)
    assert job.poll()[0].state == "finished"
    assert attempts(task.folders[0]) == 2
    assert not (task.folders[0] / "clash").exists()


def test_an_unknown_parameter_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"submitit does not take this: Unknown argument 'partitoin'"):
        slurm_engine.SlurmEngine(str(tmp_path), parameters={"slurm_partitoin": "gpu"}, cluster="local")


def test_without_slurm_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="SLURM cannot be used from here"):
        slurm_engine.SlurmEngine(str(tmp_path))


def test_a_missing_submitit_is_said_with_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "submitit", None)
    with pytest.raises(ConfigError, match=r"pip install 'kagejax\[sweep\]'"):
        slurm_engine.SlurmEngine(str(tmp_path))


PROGRAMS = {
    "sbatch": 'cp "$1" {folder}/script; bash {folder}/start.sh "$1" {folder} > /dev/null 2>&1 & echo "Submitted batch job 17"',
    "start.sh": 'export SLURM_JOB_ID=17 SLURM_NTASKS=1 SLURM_JOB_NUM_NODES=1 SLURM_NODEID=0 SLURM_PROCID=0 SLURM_LOCALID=0\n'
    'echo RUNNING > "$2/state"\nbash "$1"\necho COMPLETED > "$2/state"',
    "srun": 'while [ "${{1#-}}" != "$1" ]; do case "$1" in --output|--error) shift;; esac; shift; done; exec "$@"',
    "sacct": 'echo "JobID|State|NodeList"; echo "17|$(cat {folder}/state)|here"',
    "scancel": "exit 0",
}  # fmt: skip
"""A SLURM of one job: the least that submitit needs."""


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in PROGRAMS.items():
        path = folder / name
        path.write_text("#!/bin/bash\n" + (text.format(folder=folder) if name != "start.sh" else text) + "\n")
        path.chmod(path.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def test_slurm_gets_a_script_with_what_was_asked_for(slurm, tmp_path):
    parameters = {"slurm_partition": "gpu", "timeout_min": 90}
    todo = make(tmp_path / "out", (1,))
    result, _ = run(tmp_path / "out", todo, cluster="slurm", gpu_fraction=0.5, parameters=parameters)
    assert result.status == 0
    script = (slurm / "script").read_text()
    wanted = ["partition=gpu", "time=90", "gpus-per-node=1", "cpus-per-task=2", "job-name=kagejax"]
    assert all(f"#SBATCH --{line}\n" in script for line in wanted)


def test_a_job_at_work_is_taken_up_again_by_the_next_call(slurm, tmp_path):
    """The process that submitted is gone; the same command finds its job, and does not submit another."""
    (task,) = make(tmp_path / "out", (1,), RUNS[:1], pause=0.2, steps=15)
    engine = slurm_engine.SlurmEngine(task.sweep, gpu_fraction=0.0)
    first = queue.Queue([task], engine, board.Board(rich.console.Console(file=io.StringIO())))
    first._start()
    while not (task.folders[0] / "saved").exists():
        time.sleep(0.05)
    (slurm / "sbatch").unlink()
    result, said = run(tmp_path / "out", [task], cluster="slurm")
    assert "kage-a-1 seed 1 is at work already" in said
    assert (result.status, attempts(task.folders[0])) == (0, 1)
