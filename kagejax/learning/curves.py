"""A run's lines as curves for people: TensorBoard (event files in RUN/tensorboard) and Weights & Biases.

    with curves.Curves(("tensorboard",), folder, learner=("policy_loss", "kl")) as shown:
        ...  # append to metrics.jsonl and evaluations.jsonl
        shown.follow()

The JSON lines are the record of a run, and the curves only repeat them. They follow the files, so curves that begin late, or in
a run that goes on after it was killed, first catch up: they end as those of a run that nobody stopped. Where they fail (a full
disk, no network) they are given up, and training goes on.

Tags: train/ has means over training episodes, learner/ what the optimiser measured, speed/ steps per second, and
eval/CONFIGURATION/ means over evaluation episodes. A list has a curve per entry, such as train/action_probabilities/0.
"""

import contextlib
import importlib.util
import json
import pathlib
import secrets
import socket
import struct
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from .loggers import Tail
from .run import write_json

Name = Literal["tensorboard", "wandb"]
"""Where curves can be shown."""
PACKAGES = {"tensorboard": ("tensorboardX", "tensorboardX"), "wandb": ("wandb", '"kagejax[wandb]"')}
"""By name: the module that it needs, and what to install for it."""
NO_CURVES = ("step", "updates", "goal_step")
"""Numbers of a line that are an axis, a setting, or set once in a run."""
PATIENCE = 600.0
"""Seconds that a run waits at its end for Weights & Biases to take what it has been given."""


class Refused(ValueError):
    """Weights & Biases cannot be used as it is set up here; the message says what to do."""


class Point(NamedTuple):
    """What is shown at a step."""

    step: int  # environment steps
    values: dict[str, float]  # by tag


class Curves:
    """The curves of the run in `folder`, in all places of `names`; used as a context manager.

    `learner` are the names of what the optimiser measured. A place is opened by the first `follow`, which raises Refused if it
    will not have us; whatever else goes wrong is told to `warn` once and costs that place alone.
    """

    def __init__(
        self,
        names: Sequence[Name],
        folder: str | pathlib.Path,
        *,
        learner: Collection[str] = (),
        project: str = "kagejax",
        warn: Callable[[str], None] = print,
    ):
        folder = pathlib.Path(folder)
        opening = {"tensorboard": lambda: TensorBoard(folder), "wandb": lambda: WeightsAndBiases(folder, project)}
        self._followers = {name: _Follower(opening[name], folder, learner) for name in names}
        self._warn = warn

    def follow(self) -> None:
        """Shows the lines that are new in metrics.jsonl and evaluations.jsonl."""
        for name, follower in list(self._followers.items()):
            with self._forgiving(name):
                follower.follow()

    def film(self, path: pathlib.Path, step: int) -> None:
        """Shows a GIF or MP4, if there is one, where films can be shown: on Weights & Biases."""
        self.follow()
        if not path.exists():
            return
        for name, follower in list(self._followers.items()):
            with self._forgiving(name):
                follower.place.film(path, step)

    def __enter__(self) -> "Curves":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        for name, follower in list(self._followers.items()):
            if follower.place:
                with self._forgiving(name):
                    follower.follow()
                    follower.place.close(failed=kind is not None)

    @contextlib.contextmanager
    def _forgiving(self, name: Name) -> Iterator[None]:
        try:
            yield
        except Refused:
            del self._followers[name]
            raise
        except Exception as error:  # of any kind: no curve is worth a training of hours
            follower = self._followers.pop(name)
            problem = f"{type(error).__name__}: {error}".partition("\n")[0]
            self._warn(
                f"{name} is given up ({problem}). Training goes on and {follower.metrics.path.name} has all numbers; "
                "a run that is resumed catches up."
            )
            with contextlib.suppress(Exception):
                follower.place.close(failed=True)


class _Follower:
    """A place for curves, opened on first use, and how much of the lines it has been given."""

    def __init__(self, opening: Callable[[], Any], folder: pathlib.Path, learner: Collection[str]):
        self.metrics, self.evaluations = Tail(folder / "metrics.jsonl"), Tail(folder / "evaluations.jsonl")
        self.place = None
        self._opening, self._learner = opening, learner

    def follow(self) -> None:
        self.place = self.place or self._opening()
        measured = [Point(line["step"], dict(_measured(line, self._learner))) for line in self.metrics.new()]
        evaluated = [Point(line["step"], dict(_evaluated(line))) for line in self.evaluations.new()]
        points = sorted(measured + evaluated, key=lambda point: point.step)
        self.place.write([point for point in points if point.values])


class TensorBoard:
    """Event files in `folder/tensorboard`.

    Those of an earlier process are replaced by one that has just what the lines have, at the time it was first written: what a
    killed run wrote behind its last checkpoint is gone, whatever reads the files. (`purge_step` would leave it to the reader.)
    """

    def __init__(self, folder: pathlib.Path):
        # Not SummaryWriter: when its thread dies on a full disk, its queue fills up and training hangs.
        from tensorboardX.proto.event_pb2 import Event, SessionLog
        from tensorboardX.record_writer import RecordWriter

        place = folder / "tensorboard"
        place.mkdir(parents=True, exist_ok=True)
        self._event, self._old = Event, sorted(place.glob("events.out.tfevents.*"))
        self._times = {key: when for path in self._old for key, when in _times(path, Event)}
        now, part = divmod(time.time_ns(), 10**9)  # the part keeps apart what begins in the same second
        self._file = RecordWriter(str(place / f"events.out.tfevents.{now}.{socket.gethostname()}.{part:09}"))
        self._write(Event(wall_time=now, file_version="brain.Event:2"))
        # From the second on, a start has a TensorBoard that is open drop what it has read.
        self._write(Event(wall_time=now, step=0, session_log=SessionLog(status=SessionLog.START)))

    def write(self, points: list[Point]) -> None:
        """Adds points; they are on the disk when this returns."""
        now = time.time()
        for step, values in points:
            when = next((self._times[step, tag] for tag in values if (step, tag) in self._times), now)
            event = self._event(step=step, wall_time=when)
            for tag, value in values.items():
                event.summary.value.add(tag=tag, simple_value=value)
            self._write(event)
        self._file.flush()
        while self._old:
            old = self._old.pop()
            old.write_bytes(b"") if old.stat().st_size else old.unlink()  # one that is open in a TensorBoard has to stay

    def film(self, path: pathlib.Path, step: int) -> None:
        """Nothing: an event file would hold every picture at full size, and the film lies in the run's folder."""

    def close(self, failed: bool) -> None:
        """Closes the file."""
        self._file.close()

    def _write(self, event: Any) -> None:
        self._file.write(event.SerializeToString())


class WeightsAndBiases:
    """A run on Weights & Biases, whose id is kept in `folder/wandb.json` so that a resumed run goes on with it.

    Steps that it has are not sent again. Offline (WANDB_MODE=offline) nobody knows what it has: then each process leaves a run
    with all points in `folder/wandb`, of which the newest is the one to sync.
    """

    def __init__(self, folder: pathlib.Path, project: str):
        import wandb

        note = folder / "wandb.json"
        known = json.loads(note.read_text())["id"] if note.exists() else None
        described = folder / "run.json"
        config = json.loads(described.read_text()) if described.exists() else {}
        seed = folder.name.startswith("seed-")
        options = {"console": "off"}  # it would take over what we print, and with it the bars of progress
        if "finish_timeout" in wandb.Settings.model_fields:
            options["finish_timeout"] = PATIENCE
        try:
            self._run = wandb.init(
                project=project,
                name=f"{folder.parent.name}/{folder.name}" if seed else folder.name,
                group=folder.parent.name if seed else None,
                dir=str(folder),
                id=known or secrets.token_hex(4),
                resume="allow" if known else None,
                config={"seeds": config.get("seeds"), **config.get("config", {})},
                allow_val_change=True,
                reinit="create_new",  # several seeds may train in one process
                settings=wandb.Settings(**options),
            )
        except (wandb.errors.UsageError, wandb.errors.AuthenticationError) as error:
            raise Refused(
                f"log: Weights & Biases refuses this run: {error}\n"
                "`wandb login` signs in, WANDB_MODE=offline keeps the run here for `wandb sync`. Or leave wandb out of log."
            ) from error
        write_json(note, {"id": self._run.id, "project": project})
        self._video, self._first = wandb.Video, self._run.starting_step

    def write(self, points: list[Point]) -> None:
        """Sends the points at steps that it has not got."""
        for step, values in points:
            if step >= self._first:
                self._run.log(values, step=step)

    def film(self, path: pathlib.Path, step: int) -> None:
        """Sends a film."""
        if step >= self._first:
            self._run.log({"eval/film": self._video(str(path), format=path.suffix[1:])}, step=step)

    def close(self, failed: bool) -> None:
        """Waits until everything has been sent, at most `PATIENCE` seconds."""
        self._run.finish(exit_code=int(failed))


def check(names: Sequence[Name]) -> None:
    """Raises Refused for places whose package is not installed, with what to install."""
    for name in names:
        module, package = PACKAGES[name]
        spec = importlib.util.find_spec(module)
        if spec is None or spec.origin is None:  # a folder called wandb, as its runs leave one, is found too, without an origin
            missing = f"{name} needs {module}, which is not installed: pip install {package}"
            raise Refused(f"log: {missing}. Or leave {name} out of log.")


def _measured(line: dict[str, Any], learner: Collection[str]) -> Iterator[tuple[str, float]]:
    """Tags and values of a line of metrics.jsonl."""
    for name, value in line.items():
        if name not in NO_CURVES:
            group = "learner" if name in learner else "speed" if name.endswith("_per_s") else "train"
            yield from _numbers(f"{group}/{name}", value)


def _evaluated(line: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """Tags and values of a line of evaluations.jsonl; its standard errors have no curves."""
    for configuration, metrics in line["configurations"].items():
        for name, value in metrics.items():
            yield from _numbers(f"eval/{configuration.lstrip('./')}/{name}", value["mean"])


def _numbers(tag: str, value: Any) -> Iterator[tuple[str, float]]:
    """A number as it is, true as 1, of a list each entry; nothing for texts and for null, which NaN is in a line."""
    if isinstance(value, int | float):
        yield tag, float(value)
    elif isinstance(value, list):
        for place, entry in enumerate(value):
            yield from _numbers(f"{tag}/{place}", entry)


def _times(path: pathlib.Path, event: type) -> Iterator[tuple[tuple[int, str], float]]:
    """When each step and tag of an event file was written; what is cut or garbled ends it."""
    content, place = path.read_bytes(), 0
    while place + 12 <= len(content):  # a record: length (u64), checksum (u32), event, checksum (u32)
        (length,) = struct.unpack_from("<Q", content, place)
        try:
            found = event.FromString(content[place + 12 : place + 12 + length])
        except Exception:  # protobuf's DecodeError, which has no public home that all versions share
            return
        for value in found.summary.value:
            yield (found.step, value.tag), found.wall_time
        place += 16 + length
