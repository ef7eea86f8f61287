"""Tasks as jobs of SLURM, through submitit. The sweep's folder must be seen under the same path on every node."""

import contextlib
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from kagejax.config.problems import ConfigError, Problem, Where

from .local import per_gpu, share
from .tasks import FAILED, INTERRUPTED, QUEUE, Task
from .work import Outcome, Perform

TIMEOUT = 24 * 60
"""Minutes of a job, unless said. One that runs into it is queued again by submitit, and goes on from its checkpoint."""


class SlurmJob:
    """Tasks that a job of SLURM has."""

    def __init__(self, job: Any, count: int, stop: pathlib.Path):
        self._job, self._count, self._stop, self._asked = job, count, stop, False

    def poll(self) -> Sequence[Outcome] | None:
        """The outcomes, also where SLURM lost the job."""
        if not self._job.done():
            return None
        try:
            return self._job.result()
        except Exception as problem:  # submitit has several, and hands on whatever the job raised
            lines = [line for line in str(problem).splitlines() if line.strip()]
            state = INTERRUPTED if self._asked else FAILED
            error = f"job {self._job.job_id} ({self._job.state}): {lines[-1] if lines else type(problem).__name__}"
            return [Outcome(state, error)] * self._count

    def interrupt(self) -> None:
        """Takes a job that waits from the queue, and raises the sign that a running one looks for."""
        self._asked = True
        self._stop.parent.mkdir(parents=True, exist_ok=True)
        self._stop.touch()
        if self._job.state == "PENDING":
            self._job.cancel()

    def record(self) -> dict[str, Any] | None:
        """Where the job is found again: it goes on when our process has ended."""
        if type(self._job).__name__ != "SlurmJob":
            return None
        return {"id": self._job.job_id, "folder": str(self._job.paths.folder), "stop": str(self._stop)}


class SlurmEngine:
    """Jobs of SLURM, one GPU each (`gpu_fraction` below 1: so many runs share it; 0: no GPU, one run a job).

    `parameters` go to submitit: `slurm_partition`, `timeout_min`, `mem_gb`, `slurm_additional_parameters`, ... `jobs`: so many
    in SLURM's queue at once, 0: all. `cluster` 'local' runs the same on this machine, without SLURM. Raises ConfigError where
    submitit or SLURM is missing, or knows no such parameter.
    """

    name = "slurm"

    def __init__(
        self,
        sweep: str,
        gpu_fraction: float | None = None,
        jobs: int = 0,
        parameters: Mapping[str, Any] | None = None,
        cluster: str = "slurm",
    ):
        self._submitit, self._most = _imported(), jobs
        folder = pathlib.Path(sweep) / QUEUE / "slurm"
        fraction = 1.0 if gpu_fraction is None else gpu_fraction
        self.width = per_gpu(fraction) if fraction else 1
        self._environment = share(fraction)
        self._stop = pathlib.Path(sweep) / QUEUE / f"stop-{os.getpid()}-{os.urandom(4).hex()}"
        usual = {"timeout_min": TIMEOUT, "gpus_per_node": max(round(fraction), int(fraction > 0)), "cpus_per_task": self.width}
        try:
            self._executor = self._submitit.AutoExecutor(folder=folder, cluster=cluster)
            self._executor.update_parameters(**{"name": "kagejax", **usual, **(parameters or {})})
        except RuntimeError as problem:
            message = f"SLURM cannot be used from here ({problem}). Run this where `sbatch` and `srun` are found."
            raise ConfigError(Problem(Where("--engine slurm"), "", message)) from None
        except (NameError, AssertionError, TypeError) as problem:
            said = str(problem).partition("\n")[0].rstrip(".")
            raise ConfigError(Problem(Where("--slurm"), "", f"submitit does not take this: {said}.")) from None

    def room(self, going: int) -> bool:
        """Whether fewer jobs are in the queue than may be."""
        return not self._most or going < self._most

    def start(self, tasks: Sequence[Task], attempts: Sequence[int]) -> SlurmJob:
        """Submits a job."""
        perform = Perform(tasks, attempts, self._environment, str(self._stop))
        return SlurmJob(self._executor.submit(perform), len(tasks), self._stop)

    def adopt(self, record: Any, tasks: Sequence[Task]) -> SlurmJob | None:
        """The job with that number, if SLURM still has it."""
        job = self._submitit.SlurmJob(record["folder"], record["id"])
        return None if job.done(force_check=True) else SlurmJob(job, len(tasks), pathlib.Path(record["stop"]))

    def close(self) -> None:
        """Takes the sign to stop away."""
        with contextlib.suppress(FileNotFoundError):
            self._stop.unlink()


def _imported() -> Any:
    try:
        import submitit
    except ImportError:
        message = "This needs submitit, which is not installed: pip install 'kagejax[sweep]'."
        raise ConfigError(Problem(Where("--engine slurm"), "", message)) from None
    return submitit
