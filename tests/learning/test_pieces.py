"""Frames, distributions, loggers, progress, checkpoints, run directories."""

import io
import json
import math
import os
import signal
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import rich.console

from kagejax.learning import checkpoints, distributions, frames, loggers, progress, run, running


def test_frames_are_averaged_over_blocks_and_halves_rounded_up():
    frame = np.zeros((1, 4, 4, 1), np.uint8)
    frame[0, :2, :2, 0] = [[1, 2], [3, 4]]  # mean 2.5
    frame[0, 2:, 2:, 0] = 255
    np.testing.assert_array_equal(frames.shrink(jnp.asarray(frame), 2)[0, :, :, 0], [[3, 0], [0, 255]])


def test_shrinking_agrees_with_numpy():
    picture = np.random.default_rng(0).integers(0, 256, (2, 128, 128, 3), np.uint8)
    mean = picture.reshape(2, 32, 4, 32, 4, 3).astype(float).mean((2, 4))
    np.testing.assert_array_equal(frames.shrink(jnp.asarray(picture), 32), np.floor(mean + 0.5))


def test_a_frame_size_that_does_not_divide_is_refused():
    with pytest.raises(ValueError, match="frame_size is 48; frames of 128x128 can only be averaged to a divisor"):
        frames.shrink(jnp.zeros((1, 128, 128, 3), jnp.uint8), 48)


def test_probability_and_entropy_of_a_categorical():
    logits = jnp.log(jnp.array([[0.5, 0.25, 0.25], [1 / 3, 1 / 3, 1 / 3]], jnp.float32))
    probabilities = jnp.exp(distributions.log_probability(logits, jnp.array([0, 2], jnp.int32)))
    np.testing.assert_allclose(probabilities, [0.5, 1 / 3], rtol=1e-6)
    np.testing.assert_allclose(distributions.entropy(logits), [1.5 * math.log(2), math.log(3)], rtol=1e-6)


def test_masked_actions_have_no_probability():
    mask = jnp.array([[True, False, True], [False, False, False]])
    logits = distributions.masked(jnp.zeros((2, 3)), mask)
    # A mask that allows nothing rules nothing out.
    np.testing.assert_allclose(jax.nn.softmax(logits), [[0.5, 0, 0.5], [1 / 3] * 3], rtol=1e-6)
    assert distributions.masked(logits, None) is logits


def test_samples_have_the_frequencies_of_the_softmax():
    logits = jnp.broadcast_to(jnp.log(jnp.array([0.7, 0.2, 0.1], jnp.float32)), (20_000, 3))
    counts = np.bincount(distributions.sample(jax.random.key(0), logits), minlength=3)
    np.testing.assert_allclose(counts / 20_000, [0.7, 0.2, 0.1], atol=0.015)  # four standard errors


def test_metrics_come_back_as_written(tmp_path):
    with loggers.JsonLines(tmp_path / "metrics.jsonl") as log:
        log.write(1, {"loss": np.float32(0.5), "probabilities": jnp.array([0.25, 0.75], jnp.float32)})
        log.write(2, {"loss": math.nan})
    first = {"step": 1, "loss": 0.5, "probabilities": [0.25, 0.75]}
    assert loggers.read(tmp_path / "metrics.jsonl") == [first, {"step": 2, "loss": None}]


def test_a_half_written_line_is_left_out(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1}\n{"step": 2, "lo')
    assert loggers.read(path) == [{"step": 1}]


def test_metrics_are_readable_after_a_kill(tmp_path):
    path = tmp_path / "metrics.jsonl"
    program = (
        "import sys; from kagejax.learning.loggers import JsonLines\n"
        "with JsonLines(sys.argv[1]) as log:\n"
        "    for step in range(10**9): log.write(step, {'text': 'x' * 3000}); print(step, flush=True)"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE) as process:
        for _ in range(20):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    lines = loggers.read(path)
    assert len(lines) >= 20
    assert [line["step"] for line in lines] == list(range(len(lines)))


def test_missing_metrics_are_none_written(tmp_path):
    assert loggers.read(tmp_path / "nothing.jsonl") == []


def test_off_a_terminal_progress_is_lines_with_speed_and_time_left(monkeypatch):
    text, clock = io.StringIO(), iter([0.0, 0.0, 1.0, 11.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.Progress({"seed 1": 1000}, rich.console.Console(file=text)) as bar:
        bar.update("seed 1", 100)
        bar.update("seed 1", 600, "return -20.0")
    assert text.getvalue() == "seed 1: compiling\nseed 1  600/1,000  50 steps/s, 0:08 left  return -20.0\n"


@pytest.mark.parametrize(
    "done, left, seconds, text",
    [(8400, 84000, 1.0, "8,400 steps/s, 0:10 left"), (1, 7322, 1.0, "1 steps/s, 2:02:02 left"), (0, 10, 1.0, "")],
)
def test_pace(done, left, seconds, text):
    assert progress.pace(done, left, seconds) == text


def tree():
    return {"weights": jnp.arange(6, dtype=jnp.float32).reshape(2, 3), "key": jax.random.key(7), "step": jnp.int32(3)}


def test_a_checkpoint_comes_back_bit_for_bit_typed_keys_included(tmp_path):
    checkpoints.save(tmp_path / "checkpoint", tree())
    back = checkpoints.restore(tmp_path / "checkpoint", jax.eval_shape(tree))
    np.testing.assert_array_equal(back["weights"], tree()["weights"])
    assert back["step"] == 3
    assert jax.random.bits(back["key"]) == jax.random.bits(jax.random.key(7))


def test_a_checkpoint_replaces_the_one_before(tmp_path):
    checkpoints.save(tmp_path / "checkpoint", tree())
    checkpoints.save(tmp_path / "checkpoint", tree() | {"step": jnp.int32(4)})
    assert checkpoints.restore(tmp_path / "checkpoint", tree())["step"] == 4
    assert os.listdir(tmp_path) == ["checkpoint"]


def test_a_missing_checkpoint_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=f"no checkpoint at {tmp_path}"):
        checkpoints.restore(tmp_path / "checkpoint", tree())


def test_json_appears_complete(tmp_path):
    run.write_json(tmp_path / "run.json", {"a": np.float32(1.5), "b": (1, None)})
    assert json.loads((tmp_path / "run.json").read_text()) == {"a": 1.5, "b": [1, None]}
    assert os.listdir(tmp_path) == ["run.json"]


def test_a_hash_depends_on_content_not_on_order():
    assert run.fingerprint({"a": 1, "b": 2}) == run.fingerprint({"b": 2, "a": 1}) != run.fingerprint({"a": 1, "b": 3})


def test_two_runs_in_one_second_get_two_folders(tmp_path):
    assert len({run.create(tmp_path, "ppo") for _ in range(3)}) == 3


def test_a_run_is_never_written_over_another(tmp_path):
    (tmp_path / "metrics.jsonl").touch()
    with pytest.raises(FileExistsError, match="holds a run already; choose another run_dir"):
        run.prepare(str(tmp_path), "", "ppo")


def test_the_first_interrupt_asks_and_the_second_interrupts():
    with running.Interrupt() as interrupt:
        assert not interrupt.asked
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupt.asked
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_a_request_to_terminate_is_heard():
    with running.Interrupt() as interrupt:
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupt.asked


def test_a_seed_whose_parent_died_is_asked_to_end(monkeypatch):
    monkeypatch.setenv(running.PARENT, str(os.getppid()))
    assert not running.Interrupt().asked
    monkeypatch.setenv(running.PARENT, str(os.getpid()))
    assert running.Interrupt().asked


def script(text):
    return (sys.executable, "-c", text)


def test_each_seed_runs_pinned_to_a_core_with_one_thread(tmp_path):
    told = "import os; print(len(os.sched_getaffinity(0)), os.environ['XLA_FLAGS'])"
    wait = "import time; time.sleep(0.5); "
    folders = {name: tmp_path / name for name in ("seed 1", "seed 2", "seed 3")}
    for folder in folders.values():
        folder.mkdir()
    running.one_per_core({name: script(wait + told) for name in folders}, folders, total=10)
    for folder in folders.values():
        text = (folder / "log.txt").read_text()
        assert text.startswith("1 ")
        assert running.SINGLE_THREAD in text


def test_a_seed_that_fails_is_quoted(tmp_path):
    with pytest.raises(running.RunFailed, match="seed 1 failed:\nno luck"):
        running.one_per_core({"seed 1": script("import sys; sys.exit('no luck')")}, {"seed 1": tmp_path}, total=10)
