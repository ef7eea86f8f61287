"""The queue of a sweep, with a stand-in for the agent on processes of this machine."""

import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest
import rich.console

from kagejax.learning import keeping, running
from kagejax.learning.sweeps import board, estimate, local, queue, tasks, work

AGENT = pathlib.Path(__file__).with_name("sweeps_agent.py")
RUNS = [("kage-a-1", "kage/a/1/train", ["kage/a/1/eval", "kage/a/2/eval"]), ("kage-b-1", "kage/b/1/train", ["kage/b/1/eval"])]


def command(**settings):
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={json.dumps(value)}")]
    return (sys.executable, str(AGENT), *words)


def make(folder, seeds=(1, 2), runs=RUNS, seeds_per_run=1, **settings):
    return tasks.tasks(folder, runs, seeds, command(**settings), total_steps=400, seeds_per_run=seeds_per_run)


def run(todo, retries=2, stop_after=10, room=2):
    """The result of a sweep, and what it printed."""
    screen = io.StringIO()
    shown = board.Board(rich.console.Console(file=screen, width=200))
    found = queue.Queue(todo, local.LocalEngine([local.Slot()] * room), shown, retries, stop_after).run()
    return found, screen.getvalue()


def attempts(folder):
    path = folder / "attempts"
    return len(path.read_text().splitlines()) if path.exists() else 0


def signal_worker(folder, number):
    """Waits until a run has saved, and sends the process that its agent was started by a signal."""
    while not (folder / "saved").exists():
        time.sleep(0.05)
    _, worker, *_ = (folder / "attempts").read_text().split()
    os.kill(int(worker), number)


def status(folder):
    return json.loads((folder / "status.json").read_text())


def test_all_runs_with_the_first_seed_come_before_those_with_the_next(tmp_path):
    assert [task.name for task in make(tmp_path)] == [
        "kage-a-1 seed 1", "kage-b-1 seed 1", "kage-a-1 seed 2", "kage-b-1 seed 2",
    ]  # fmt: skip


def test_a_command_says_what_to_train_on_and_where(tmp_path):
    task = make(tmp_path, pause=0)[2]
    assert task.command[2:] == (
        "--set", "pause=0", "--set", 'train="kage/a/1/train"', "--set", 'evaluate=["kage/a/1/eval", "kage/a/2/eval"]',
        "--set", "seeds=[2]", "--set", f'run_dir="{tmp_path}/kage-a-1/seed-2"', "--set", "resume=auto",
    )  # fmt: skip


def test_a_sweep_finishes_every_run(tmp_path):
    result, said = run(make(tmp_path))
    assert (result.status, len(result.of("finished"))) == (0, 4)
    for name, train, _ in RUNS:
        for seed in (1, 2):
            folder = tmp_path / name / f"seed-{seed}"
            assert status(folder)["state"] == "finished"
            assert json.loads((folder / "evaluations.jsonl").read_text())["train"] == train
    assert "kage-b-1 seed 2 started" in said
    assert "kage-b-1 seed 2 finished in " in said


def test_a_finished_run_is_never_run_again(tmp_path):
    run(make(tmp_path))
    before = {path: path.read_bytes() for path in tmp_path.glob("*/seed-*/*")}
    result, said = run(make(tmp_path, seeds=(1, 2, 3)))
    assert (result.status, len(result.of("finished"))) == (0, 6)
    assert {path: path.read_bytes() for path in before} == before
    assert "seed 1 started" not in said and "seed 3 started" in said


def test_a_failed_run_is_tried_again_and_reported(tmp_path):
    result, said = run(make(tmp_path, fail=1))
    assert result.status == 0
    assert attempts(tmp_path / "kage-a-1" / "seed-1") == 2
    assert "kage-a-1 seed 1 failed (attempt 1 of 3, will be tried again): exit status 1\n" in said
    assert "the dog ate it" in said
    assert "kage-a-1 seed 1 started, attempt 2" in said


def test_a_run_that_fails_too_often_is_left_and_the_others_go_on(tmp_path):
    todo = [*make(tmp_path, (1,), RUNS[:1], fail=9), *make(tmp_path, (1,), RUNS[1:])]
    result, _ = run(todo, retries=1)
    assert result.status == 1
    (failed,) = result.of("failed")
    assert (failed.task.name, failed.attempts) == ("kage-a-1 seed 1", 2)
    assert failed.error.splitlines() == ["exit status 1", f"run directory {tmp_path}/kage-a-1/seed-1", "the dog ate it"]
    said = status(tmp_path / "kage-a-1" / "seed-1")
    assert (said["state"], said["step"], said["error"]) == ("failed", 300, "exit status 1: the dog ate it")
    assert status(tmp_path / "kage-b-1" / "seed-1")["state"] == "finished"


def test_a_run_killed_on_the_spot_goes_on_from_where_it_was(tmp_path):
    result, said = run(make(tmp_path, (1,), RUNS[:1], kill=1))
    assert result.status == 0
    assert "failed (attempt 1 of 3, will be tried again): killed by signal 9 (SIGKILL)" in said
    steps = [json.loads(line)["step"] for line in (tmp_path / "kage-a-1/seed-1/metrics.jsonl").read_text().splitlines()]
    assert steps == [100, 200, 300, 400]


def test_a_command_that_ends_well_without_having_finished_has_failed(tmp_path):
    result, said = run(make(tmp_path, (1,), RUNS[:1], lie=True), retries=0)
    assert result.status == 1
    assert "it ended well, but its status.json does not say finished (seed-1 running)" in said


def test_a_command_that_cannot_be_started_has_failed(tmp_path):
    (task,) = tasks.tasks(tmp_path, RUNS[:1], (1,), ("/nowhere/python",))
    result, said = run([task], retries=0)
    assert result.status == 1
    assert "kage-a-1 seed 1 failed (attempt 1 of 1): it could not be started: " in said


def test_it_gives_up_when_everything_fails(tmp_path):
    result, said = run(make(tmp_path, seeds=tuple(range(9)), fail=9, pause=0), retries=5, stop_after=3)
    assert (result.status, result.gave_up) == (1, True)
    assert "attempts in a row failed: giving up." in said
    assert sum(attempts(folder) for folder in tmp_path.glob("*/seed-*")) <= 5


def test_what_was_tried_is_on_disk(tmp_path):
    run(make(tmp_path, (1,), RUNS[:1], fail=1))
    state = json.loads((tmp_path / "queue" / "state.json").read_text())
    assert (state["engine"], state["jobs"]) == ("local", [])
    entry = state["tasks"]["kage-a-1 seed 1"]
    assert (entry["state"], entry["attempts"], entry["error"]) == ("finished", 2, None)
    log = (tmp_path / "queue" / "kage-a-1.seed-1.log").read_text()
    assert log.count("--- ") == 2 and "attempt 2: " in log and "the dog ate it" in log


def test_several_seeds_go_into_one_run_with_a_folder_each(tmp_path):
    todo = make(tmp_path, seeds=(1, 2, 3), seeds_per_run=2)
    assert [task.seeds for task in todo] == [(1, 2), (1, 2), (3,), (3,)]
    assert todo[0].name == "kage-a-1 seeds 1, 2"
    assert f'run_dir="{tmp_path}/kage-a-1"' in todo[0].command
    result, _ = run(todo)
    assert result.status == 0
    assert sorted(path.name for path in (tmp_path / "kage-a-1").iterdir()) == ["seed-1", "seed-2", "seed-3"]


def test_states_are_those_that_runs_write():
    assert (tasks.FINISHED, tasks.FAILED, tasks.INTERRUPTED) == (keeping.FINISHED, keeping.FAILED, keeping.INTERRUPTED)


def test_runs_of_unknown_length_are_counted_all_the_same(tmp_path):
    todo = tasks.tasks(tmp_path, RUNS, (1,), command())
    assert estimate.estimate(todo, None) == estimate.Estimate(2, 0, None, None)


def test_a_broken_status_counts_as_unfinished(tmp_path):
    folder = tmp_path / "kage-a-1" / "seed-1"
    folder.mkdir(parents=True)
    (folder / "status.json").write_text('{"state": "fini')
    assert tasks.standing(folder) == tasks.Standing(None, 0, 0, None)
    assert run(make(tmp_path, (1,), RUNS[:1]))[0].status == 0


def test_an_interrupt_lets_the_runs_save_and_the_next_call_goes_on(tmp_path):
    todo = make(tmp_path, (1,), pause=0.3, steps=8)

    def interrupt():
        while not all((folder / "saved").exists() for task in todo for folder in task.folders):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    result, said = run(todo)
    thread.join()
    assert (result.status, len(result.of("interrupted"))) == (130, 2)
    assert "Stopping: 2 runs are asked to save and end." in said
    assert "kage-a-1 seed 1 stopped and saved" in said
    assert status(tmp_path / "kage-a-1" / "seed-1")["state"] == "interrupted"
    saved = int((tmp_path / "kage-a-1" / "seed-1" / "saved").read_text())
    assert 0 < saved < 8
    result, _ = run(make(tmp_path, (1,), steps=8))
    assert result.status == 0
    steps = [json.loads(line)["step"] for line in (tmp_path / "kage-a-1/seed-1/metrics.jsonl").read_text().splitlines()]
    assert steps == [100 * n for n in range(1, 9)]


def test_two_processes_never_work_in_one_run_directory(tmp_path):
    """The parent of a run is killed on the spot; another sweep then waits until the run has noticed."""
    (task,) = make(tmp_path, (1,), RUNS[:1], pause=0.2, steps=20)
    code = f"from kagejax.learning.sweeps import tasks, work; import time; work.Working(tasks.{task!r}); time.sleep(60)"
    parent = subprocess.Popen([sys.executable, "-c", code])
    while not (task.folders[0] / "saved").exists():
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    result, _ = run(make(tmp_path, (1,), RUNS[:1], pause=0.01, steps=20))
    assert result.status == 0
    assert not (task.folders[0] / "clash").exists()
    assert attempts(task.folders[0]) == 2
    assert "interrupted" not in status(task.folders[0])["state"]


def test_a_lock_is_taken_on_all_files_or_on_none(tmp_path):
    first, second, third = (work.Lock([tmp_path / name for name in names]) for names in ("b", "ab", "a"))
    assert first.take() and not second.take()
    assert third.take()
    first.release()
    third.release()
    assert second.take()
    second.release()


def test_on_cpus_each_run_has_a_core_and_one_thread(tmp_path, monkeypatch):
    monkeypatch.setattr(local, "visible_gpus", lambda: [])
    room = local.slots()
    assert [slot.core for slot in room] == running.cores()
    assert len(local.slots(jobs=1)) == 1
    engine = local.LocalEngine(room[:1])
    (task,) = make(tmp_path, (1,), RUNS[:1], pause=0)
    queue.Queue([task], engine, board.Board(rich.console.Console(file=io.StringIO()))).run()
    told = (task.folders[0] / "attempts").read_text()
    assert f" [{room[0].core}] " in told and running.SINGLE_THREAD in told


@pytest.mark.parametrize(
    ("fraction", "expected"),
    [
        (None, ["0", "1"]),
        (1.0, ["0", "1"]),
        (0.5, ["0", "1", "0", "1"]),
        (0.33, ["0", "1"] * 3),
        (2.0, ["0,1"]),
        (3.0, []),
    ],
)
def test_on_gpus_runs_share_as_much_of_one_as_said(monkeypatch, fraction, expected):
    monkeypatch.setattr(local, "visible_gpus", lambda: ["0", "1"])
    room = local.slots(0, fraction)
    assert [slot.environment["CUDA_VISIBLE_DEVICES"] for slot in room] == expected
    assert all(slot.core is None for slot in room)
    shares = {slot.environment.get("XLA_PYTHON_CLIENT_MEM_FRACTION") for slot in room}
    assert shares == {0.5: {"0.450"}, 0.33: {"0.297"}}.get(fraction, {None} if expected else set())


def test_a_fraction_of_0_leaves_the_gpus_alone(monkeypatch):
    monkeypatch.setattr(local, "visible_gpus", lambda: ["0", "1"])
    assert local.slots(0, 0.0) == [local.Slot(core, {"CUDA_VISIBLE_DEVICES": ""}) for core in running.cores()]


def test_a_fraction_of_a_gpu_has_no_room_where_there_is_none(monkeypatch):
    monkeypatch.setattr(local, "visible_gpus", lambda: [])
    assert local.slots(0, 0.5) == []


def test_gpus_are_not_sought_where_jax_is_told_to_use_the_cpu(monkeypatch):
    monkeypatch.setattr(local.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    monkeypatch.delenv("JAX_PLATFORMS", raising=False)
    assert local.visible_gpus() == ["3", "5"]
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    assert local.visible_gpus() == []
    monkeypatch.delenv("JAX_PLATFORMS")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert local.visible_gpus() == []


def test_the_estimate_says_where_its_speed_is_from(tmp_path):
    todo = make(tmp_path, seeds=(1, 2), pause=0)
    assert estimate.estimate(todo, estimate.measured(tmp_path)) == estimate.Estimate(4, 1600, None, None)
    given = estimate.measured(tmp_path, 100.0)
    assert given == estimate.Speed(100.0, "--steps-per-s")
    assert estimate.estimate(todo, given).hours == pytest.approx(4 * 400 / 100 / 3600)
    run(todo[:1])
    speed = estimate.measured(tmp_path)
    assert speed == estimate.Speed(2000.0, "the metrics of a run in this folder")
    left = estimate.estimate(todo, speed)
    assert (left.tasks, left.steps) == (3, 1200)


def test_seeds_of_one_run_go_side_by_side_in_the_estimate(tmp_path):
    todo = make(tmp_path, seeds=(1, 2), runs=RUNS[:1], seeds_per_run=2)
    found = estimate.estimate(todo, estimate.Speed(100.0, "a guess"))
    assert (found.tasks, found.steps, found.hours) == (1, 800, pytest.approx(4 / 3600))


def test_the_summary_counts_runs_and_tells_speed_and_time_left(tmp_path):
    todo = make(tmp_path, (1, 2))
    entries = [queue.Entry(task, state) for task, state in zip(todo, ["finished", "going", "failed", "waiting"], strict=True)]
    assert board.summary(entries) == "1 done, 1 going, 1 failed, 1 left"
    folder = todo[1].folders[0]
    folder.mkdir(parents=True)
    (folder / "metrics.jsonl").write_text('{"step": 100, "steps_per_s": 10.0}\n{"step": 200, "steps_per_s": 10.0}\n{"step": 30')
    assert board.summary(entries) == "1 done, 1 going, 1 failed, 1 left; 10 steps/s, 1:00 left"


def test_a_terminal_shows_a_bar_for_all_and_one_for_each_going(tmp_path):
    todo = make(tmp_path, (1,))
    folder = todo[0].folders[0]
    folder.mkdir(parents=True)
    (folder / "metrics.jsonl").write_text('{"step": 100, "steps_per_s": 10.0, "return": -12.5}\n')
    screen = io.StringIO()
    shown = board.Board(rich.console.Console(file=screen, force_terminal=True, width=140, color_system=None))
    with shown:
        shown.show([queue.Entry(todo[0], "going"), queue.Entry(todo[1], "waiting")], last=True)
    text = screen.getvalue()
    assert "all runs" in text and " 12% 0 done, 1 going, 1 left; 10 steps/s, 1:10 left" in text
    assert "kage-a-1 seed 1" in text and "25% 10 steps/s, 0:30 left  return -12.5" in text


@pytest.mark.parametrize(("seconds", "text"), [(1.25, "1.2 s"), (61, "1:01"), (3723.4, "1:02:03")])
def test_times_are_told_as_on_a_clock(seconds, text):
    assert queue.clock(seconds) == text
