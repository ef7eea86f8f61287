"""Curves are what the lines of a run say, also after it was killed; and no failure of theirs stops it."""

import importlib.util
import json
import math
import struct
import subprocess
import sys
import types

import pytest
from tensorboardX.proto.event_pb2 import Event

from kagejax.learning import curves, keeping, loggers

METRICS = {"kl": 0.25, "return": -1.5, "trapped": True, "success_once": math.nan, "steps_per_s": 8000, "goal_step": -1}
EVALUATION = {"iteration": 1, "configurations": {"kage/a/1/eval": {"return": {"mean": 2.0, "sem": 0.1}}}}


def scalars(folder):
    """Every scalar of the event files of a run, in the order of files and records: (step, tag, value)."""
    found = []
    for path in sorted((folder / "tensorboard").iterdir()):
        content = path.read_bytes()
        while content:
            (length,) = struct.unpack("<Q", content[:8])
            event = Event.FromString(content[12 : 12 + length])
            found += [(event.step, value.tag, value.simple_value) for value in event.summary.value]
            content = content[16 + length :]
    return found


def write(folder, *lines, name="metrics.jsonl"):
    with loggers.JsonLines(folder / name) as log:
        for step, metrics in lines:
            log.write(step, metrics)


def show(folder, **options):
    with curves.Curves(("tensorboard",), folder, **options) as shown:
        shown.follow()


def test_a_line_becomes_one_curve_for_each_of_its_numbers(tmp_path):
    write(tmp_path, (128, {**METRICS, "action_probabilities": [0.5, 0.75], "note": "a text", "updates": 10}))
    write(tmp_path, (128, EVALUATION), name="evaluations.jsonl")
    show(tmp_path, learner=("kl",))
    assert scalars(tmp_path) == [
        (128, "learner/kl", 0.25),
        (128, "train/return", -1.5),
        (128, "train/trapped", 1.0),
        (128, "speed/steps_per_s", 8000.0),
        (128, "train/action_probabilities/0", 0.5),
        (128, "train/action_probabilities/1", 0.75),
        (128, "eval/kage/a/1/eval/return", 2.0),
    ]


def test_a_configuration_that_is_a_file_has_a_tag_too(tmp_path):
    write(tmp_path, (0, {"configurations": {"../mine.yaml": {"return": {"mean": 1.0}}}}), name="evaluations.jsonl")
    show(tmp_path)
    assert scalars(tmp_path) == [(0, "eval/mine.yaml/return", 1.0)]


def test_points_are_on_the_disk_as_soon_as_they_are_followed(tmp_path):
    with curves.Curves(("tensorboard",), tmp_path) as shown:
        write(tmp_path, (1, {"a": 1.0}))
        shown.follow()
        assert scalars(tmp_path) == [(1, "train/a", 1.0)]
        write(tmp_path, (2, {"a": 2.0}))
        shown.follow()
        assert scalars(tmp_path) == [(1, "train/a", 1.0), (2, "train/a", 2.0)]


def test_a_run_that_goes_on_shows_no_step_twice_and_none_that_was_cut(tmp_path):
    write(tmp_path, (1, {"a": 1.0}), (2, {"a": 2.0}), (3, {"a": 3.0}))
    show(tmp_path)
    for again in (2.5, 2.25):
        keeping.cut(tmp_path / "metrics.jsonl", 1)
        write(tmp_path, (2, {"a": again}))
        show(tmp_path)
        assert scalars(tmp_path) == [(1, "train/a", 1.0), (2, "train/a", again)]
        assert [path.stat().st_size > 0 for path in sorted((tmp_path / "tensorboard").iterdir())] == [False, True]


def test_a_run_that_goes_on_keeps_the_times_at_which_points_were_first_written(tmp_path, monkeypatch):
    write(tmp_path, (1, {"a": 1.0}))
    monkeypatch.setattr(curves.time, "time", lambda: 1000.0)
    show(tmp_path)
    write(tmp_path, (2, {"a": 2.0}))
    monkeypatch.setattr(curves.time, "time", lambda: 5000.0)
    show(tmp_path)
    path = max((tmp_path / "tensorboard").iterdir())
    assert dict(curves._times(path, Event)) == {(1, "train/a"): 1000.0, (2, "train/a"): 5000.0}


@pytest.mark.parametrize("damage", [lambda old: old[:-3], lambda old: old[:40] + b"\xff" * 30 + old[70:], lambda old: b""])
def test_a_damaged_event_file_is_written_anew(tmp_path, damage):
    write(tmp_path, (1, {"a": 1.0}), (2, {"a": 2.0}))
    show(tmp_path)
    (path,) = (tmp_path / "tensorboard").iterdir()
    path.write_bytes(damage(path.read_bytes()))
    show(tmp_path)
    assert scalars(tmp_path) == [(1, "train/a", 1.0), (2, "train/a", 2.0)]


def test_a_run_without_curves_writes_none(tmp_path):
    write(tmp_path, (1, {"a": 1.0}))
    with curves.Curves((), tmp_path) as shown:
        shown.follow()
        shown.film(tmp_path / "episode.gif", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.jsonl"]


def test_a_run_that_has_nothing_to_do_leaves_its_curves_alone(tmp_path):
    with curves.Curves(("tensorboard",), tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_failure_is_said_once_and_the_run_goes_on(tmp_path, monkeypatch):
    said = []
    write(tmp_path, (1, {"a": 1.0}))
    with curves.Curves(("tensorboard",), tmp_path, warn=said.append) as shown:
        shown.follow()
        full = OSError(28, "No space left on device")
        monkeypatch.setattr("tensorboardX.record_writer.RecordWriter.flush", lambda self: (_ for _ in ()).throw(full))
        for step in (2, 3):
            write(tmp_path, (step, {"a": 1.0}))
            shown.follow()
    assert said == [
        "tensorboard is given up (OSError: [Errno 28] No space left on device). Training goes on and metrics.jsonl has all "
        "numbers; a run that is resumed catches up."
    ]
    monkeypatch.undo()
    show(tmp_path)
    assert [step for step, *_ in scalars(tmp_path)] == [1, 2, 3]


def test_curves_that_cannot_begin_are_a_failure_too(tmp_path):
    (tmp_path / "tensorboard").write_text("no folder")
    said = []
    show(tmp_path, warn=said.append)
    assert [line.partition(":")[0] for line in said] == ["tensorboard is given up (FileExistsError"]


def test_an_error_of_the_run_itself_goes_through(tmp_path):
    write(tmp_path, (1, {"a": 1.0}))
    with pytest.raises(ZeroDivisionError), curves.Curves(("tensorboard",), tmp_path) as shown:
        shown.follow()
        write(tmp_path, (2, {"a": 2.0}))
        raise ZeroDivisionError
    assert [step for step, *_ in scalars(tmp_path)] == [1, 2]


class UsageError(Exception):
    """As wandb.errors has one."""


class FakeRun:
    def __init__(self, options, first):
        self.options, self.id, self.starting_step = options, options["id"], first
        self.logged, self.ended = [], None

    def log(self, values, step):
        self.logged.append((step, values))

    def finish(self, exit_code):
        self.ended = exit_code


class FakeWandb:
    """Stands for the package: keeps what it is given. `first` is the first step that its server has not got."""

    __spec__ = types.SimpleNamespace(origin="somewhere")
    errors = types.SimpleNamespace(UsageError=UsageError, AuthenticationError=type("AuthenticationError", (Exception,), {}))
    Settings = type("Settings", (dict,), {"model_fields": {"finish_timeout": None}})

    def __init__(self):
        self.runs, self.first, self.problem = [], 0, None

    def init(self, **options):
        if self.problem:
            raise self.problem
        self.runs.append(FakeRun(options, self.first))
        return self.runs[-1]

    def Video(self, path, format):
        return path, format


@pytest.fixture
def wandb(monkeypatch):
    fake = FakeWandb()
    monkeypatch.setitem(sys.modules, "wandb", fake)
    return fake


def test_weights_and_biases_gets_the_points_the_film_and_the_settings(wandb, tmp_path):
    folder = tmp_path / "ppo-toy" / "seed-3"
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"seeds": [3], "config": {"gamma": 0.9}}))
    (folder / "episode.gif").write_bytes(b"GIF89a")
    write(folder, (128, {"kl": 0.25}), (256, {"kl": 0.5}))
    write(folder, (128, EVALUATION), name="evaluations.jsonl")
    with curves.Curves(("wandb",), folder, learner=("kl",), project="mine") as shown:
        shown.follow()
        shown.film(folder / "episode.gif", 256)
        shown.film(folder / "none.gif", 256)
    (run,) = wandb.runs
    assert run.logged == [
        (128, {"learner/kl": 0.25}),
        (128, {"eval/kage/a/1/eval/return": 2.0}),
        (256, {"learner/kl": 0.5}),
        (256, {"eval/film": (str(folder / "episode.gif"), "gif")}),
    ]
    expected = {"project": "mine", "name": "ppo-toy/seed-3", "group": "ppo-toy", "config": {"seeds": [3], "gamma": 0.9}}
    assert {name: run.options[name] for name in expected} == expected
    assert run.options["reinit"] == "create_new"
    assert run.options["settings"] == {"console": "off", "finish_timeout": 600.0}
    assert run.ended == 0


def test_a_run_that_goes_on_sends_weights_and_biases_only_what_it_has_not_got(wandb, tmp_path):
    write(tmp_path, (1, {"a": 1.0}), (2, {"a": 2.0}))
    for first in (0, 3):
        wandb.first = first
        with curves.Curves(("wandb",), tmp_path) as shown:
            shown.follow()
            write(tmp_path, (3, {"a": 3.0})) if first else None
    first, second = wandb.runs
    assert (first.options["resume"], second.options["resume"]) == (None, "allow")
    assert second.id == first.id == json.loads((tmp_path / "wandb.json").read_text())["id"]
    assert second.logged == [(3, {"train/a": 3.0})]


def test_a_failed_run_has_failed_on_weights_and_biases(wandb, tmp_path):
    with pytest.raises(ZeroDivisionError), curves.Curves(("wandb",), tmp_path) as shown:
        shown.follow()
        raise ZeroDivisionError
    assert wandb.runs[0].ended == 1


def test_a_missing_login_is_refused_before_training_and_a_missing_network_is_not(wandb, tmp_path):
    wandb.problem = UsageError("No API key configured.")
    with pytest.raises(curves.Refused) as caught, curves.Curves(("wandb",), tmp_path) as shown:
        shown.follow()
    assert str(caught.value) == (
        "log: Weights & Biases refuses this run: No API key configured.\n"
        "`wandb login` signs in, WANDB_MODE=offline keeps the run here for `wandb sync`. Or leave wandb out of log."
    )
    said = []
    wandb.problem = TimeoutError("90 s\nmore")
    with curves.Curves(("wandb",), tmp_path, warn=said.append) as shown:
        shown.follow()
    assert [line.partition(".")[0] for line in said] == ["wandb is given up (TimeoutError: 90 s)"]


@pytest.mark.parametrize("spec", [None, types.SimpleNamespace(origin=None)], ids=["absent", "a folder of that name"])
def test_a_missing_package_is_named_with_what_to_install(monkeypatch, spec):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    with pytest.raises(curves.Refused) as caught:
        curves.check(("wandb",))
    message = 'log: wandb needs wandb, which is not installed: pip install "kagejax[wandb]". Or leave wandb out of log.'
    assert str(caught.value) == message


def test_tensorboard_is_there_and_loads_without_warnings_or_frameworks():
    curves.check(("tensorboard",))
    code = """
import sys
from kagejax.learning import curves
assert "tensorboardX" not in sys.modules
import tensorboardX.record_writer, tensorboardX.proto.event_pb2
found = [name for name in ("torch", "tensorflow", "tensorboard") if name in sys.modules]
assert not found, found
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_a_tail_gives_each_finished_line_once(tmp_path):
    tail = loggers.Tail(tmp_path / "metrics.jsonl")
    assert tail.new() == []
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 1}\n{"step": 2, "na')
        file.flush()
        assert tail.new() == [{"step": 1}]
        assert tail.new() == []
        file.write('me": "ü"}\n{"step": 3}\n')
        file.flush()
        assert tail.new() == [{"step": 2, "name": "ü"}, {"step": 3}]


def test_a_full_disk_stops_the_lines_and_says_so(tmp_path, monkeypatch):
    taken = []

    def half_then_full(file, data):
        if taken:
            raise OSError(28, "No space left on device")
        taken.append(data[:4])
        return 4

    with loggers.JsonLines(tmp_path / "metrics.jsonl") as log:
        monkeypatch.setattr(loggers.os, "write", half_then_full)
        with pytest.raises(OSError, match="No space left"):
            log.write(1, {"a": 1.0})
        monkeypatch.undo()
