"""Tasks on a Ray cluster, which must see the sweep's folder under the same path on every machine."""

import contextlib
import os
import pathlib
from collections.abc import Sequence
from typing import Any

from kagejax.config.problems import ConfigError, Problem, Where

from .local import share
from .tasks import FAILED, INTERRUPTED, QUEUE, Task
from .work import Outcome, Perform


class RayJob:
    """A task that Ray has."""

    def __init__(self, ray: Any, reference: Any, stop: pathlib.Path):
        self._ray, self._reference, self._stop, self._asked = ray, reference, stop, False

    def poll(self) -> Sequence[Outcome] | None:
        """Its outcome, also where Ray lost the worker or the machine."""
        if not self._ray.wait([self._reference], timeout=0)[0]:
            return None
        try:
            return self._ray.get(self._reference)
        except self._ray.exceptions.RayError as problem:
            if self._asked:
                return [Outcome(INTERRUPTED)]
            return [Outcome(FAILED, f"Ray lost it: {type(problem).__name__}: {str(problem).strip().partition(chr(10))[0]}")]

    def interrupt(self) -> None:
        """Raises the sign that a running task looks for; one that waits for room ends as soon as it has begun."""
        self._asked = True
        self._stop.parent.mkdir(parents=True, exist_ok=True)
        self._stop.touch()

    def record(self) -> None:
        """Nothing: Ray ends what our process began when that ends."""


class RayEngine:
    """Tasks on the cluster at `address`: '' is the one of RAY_ADDRESS, or else one of this machine, begun and ended by us;
    'auto' is the one this machine is part of.

    A task takes one CPU and `gpu_fraction` of a GPU (None: one where the cluster has any). `jobs`: so many at once, 0: as many
    as there is room for. Raises ConfigError where Ray is missing or cannot be reached.
    """

    name, width = "ray", 1

    def __init__(self, sweep: str, address: str = "", gpu_fraction: float | None = None, jobs: int = 0, **options: Any):
        self._ray = _imported()
        self._begun = not self._ray.is_initialized()
        if self._begun:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            own = {} if address or os.environ.get("RAY_ADDRESS") else {"include_dashboard": False}
            try:
                self._ray.init(address=address or None, logging_level="ERROR", log_to_driver=False, **own, **options)
            except (ConnectionError, RuntimeError, ValueError) as problem:
                reason = str(problem).strip().removesuffix(".")
                message = f"Ray cannot be reached: {reason}. Start it with `ray start --head`, or leave out --address."
                raise ConfigError(Problem(Where("--address"), "", message)) from None
        resources = self._ray.cluster_resources()
        gpus = resources.get("GPU", 0.0)
        fraction = gpu_fraction if gpu_fraction is not None else float(gpus > 0)
        if fraction > gpus:
            self.close()
            message = f"A run wants {fraction:g} GPU, but the cluster has {gpus:g}. Give --gpu-fraction 0 to run on CPUs."
            raise ConfigError(Problem(Where("--gpu-fraction"), "", message))
        self._environment = share(fraction)
        # Retries are ours, counted and reported. A task that Ray lost may not begin again behind our back.
        remote = self._ray.remote(num_cpus=1, num_gpus=fraction, max_retries=0)
        self._perform = remote(_perform)
        at_once = int(min(resources.get("CPU", 1.0), gpus / fraction if fraction else float("inf")))
        # One more than fits: a worker that falls free has work at hand.
        self._most = jobs or at_once + 1
        self._stop = pathlib.Path(sweep) / QUEUE / f"stop-{os.getpid()}-{os.urandom(4).hex()}"

    def room(self, going: int) -> bool:
        """Whether fewer are going than there is room for."""
        return going < self._most

    def start(self, tasks: Sequence[Task], attempts: Sequence[int]) -> RayJob:
        """Hands a task to Ray."""
        perform = Perform(tasks, attempts, self._environment, str(self._stop))
        return RayJob(self._ray, self._perform.options(name=tasks[0].name).remote(perform), self._stop)

    def adopt(self, record: Any, tasks: Sequence[Task]) -> None:
        """Nothing of an earlier process goes on."""

    def close(self) -> None:
        """Leaves the cluster, and ends it if it is ours."""
        if self._begun:
            self._ray.shutdown()
        with contextlib.suppress(AttributeError, FileNotFoundError):
            self._stop.unlink()


def _perform(perform: Perform) -> list[Outcome]:
    return perform()


def _imported() -> Any:
    try:
        import ray
    except ImportError:
        message = "This needs Ray, which is not installed: pip install 'kagejax[sweep]'."
        raise ConfigError(Problem(Where("--engine ray"), "", message)) from None
    return ray
