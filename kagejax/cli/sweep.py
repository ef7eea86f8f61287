"""`kagejax sweep`: all training runs that a table takes, on this machine, a Ray cluster or SLURM."""

import contextlib
import pathlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import tyro

from kagejax import envs  # noqa: F401  (registers the environments)
from kagejax.config.problems import ConfigError, Problem, Where

from ._arguments import require
from .config import Settings, overrides

SWITCHES = ("-h", "--help", "--dry-run", "--share", "--no-share")
"""Options without a value."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `kagejax sweep ARGUMENTS` and gives the exit status. Raises ConfigError for a user's mistake."""
    return tyro.cli(sweep, prog="kagejax sweep", args=arguments and _words_first(arguments), use_underscores=False)


def _words_first(arguments: Sequence[str]) -> list[str]:
    """The words before the options: people write them in any order, and tyro wants what has no name in one piece."""
    words, options, left = [], [], list(arguments)
    while left:
        argument = left.pop(0)
        if not argument.startswith("-"):
            words.append(argument)
            continue
        options.append(argument)
        if argument not in SWITCHES and "=" not in argument and left:
            options.append(left.pop(0))
    return words + options


def sweep(
    words: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="WORD=VALUE")],
    settings: Settings = (),
    *,
    dry_run: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
    share: bool = True,
    engine: Literal["local", "ray", "slurm"] = "local",
    jobs: int = 0,
    gpu_fraction: float = -1.0,
    seeds_per_run: int = 1,
    retries: int = 2,
    stop_after: int = 10,
    steps_per_s: float = 0.0,
    address: str = "",
    slurm: Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="KEY=VALUE")] = (),
) -> int:
    """Run all training runs of a benchmark, and go on with what is not finished.

    A finished run is never repeated: the same command again goes on. Pairs that train on the same configuration share runs.
    Ctrl-C lets the runs save and ends. Status 0: all is finished, 1: something failed, 130: interrupted.

    Words:
      suite=kage           an environment, one of its suites (kage/background), a protocol (kage-mini), or several with commas
      pairs=1,2            pairs of it; with several suites background/1,filters/1..3; otherwise all
      seeds=1..10          whole numbers; 1..10 unless said
      agent=FILE.yaml      settings of the agent, or the name of one that comes with kagejax; ppo_kage unless said
      out=FOLDER           where to; runs/SUITE unless said
      program=FILE.py      another agent, with the command line of agents/ppo.py

    For example:
      kagejax sweep suite=kage seeds=1..10 --dry-run --steps-per-s 50000
      kagejax sweep suite=kage/background pairs=1,2 seeds=1 agent=ppo_kage_quick --set total_steps=1000000
      kagejax sweep suite=kage-mini out=runs/mini
      kagejax sweep suite=kage --engine ray --gpu-fraction 0.5
      kagejax sweep suite=kage --engine slurm --slurm slurm_partition=gpu --slurm timeout_min=600

    Args:
        words: What to run.
        settings: Set a key of the agent to a value (in YAML) on top; may be given several times.
        dry_run: Print the plan and what it will cost, and do nothing.
        share: Whether pairs that train on the same configuration share runs.
        engine: Where runs go: processes of this machine, a Ray cluster, or SLURM.
        jobs: So many at once at most; 0 is as many as there is room for.
        gpu_fraction: GPU per run: 0.5 is two runs per GPU, 0 none; -1 is one where there are GPUs.
        seeds_per_run: Seeds trained together in one run.
        retries: Attempts of a run beyond the first.
        stop_after: Give up when so many attempts in a row have failed; 0 is never.
        steps_per_s: Environment steps per second of a seed, for the estimate; 0 is as measured in this folder.
        address: Ray cluster to join, such as auto; empty is RAY_ADDRESS, or else one on this machine.
        slurm: Parameter of submitit, such as slurm_partition=gpu; may be given several times.
    """
    from kagejax.learning.sweeps.board import Board
    from kagejax.learning.sweeps.queue import Queue

    from . import _sweep_folder, _sweep_plan, _sweep_words

    asked = _sweep_words.parse(words)
    on_top = {**asked.settings, **overrides(settings)}
    _check(on_top, engine, jobs, gpu_fraction, seeds_per_run, retries, stop_after, steps_per_s, address, slurm)
    agent = _sweep_plan.read_agent(asked, on_top)
    wanted = _sweep_folder.asked(asked, agent.values, agent.overrides, share)

    def plan() -> Any:
        return _sweep_plan.make(asked.pairs, agent.overrides, share, prove=not dry_run)

    fraction = None if gpu_fraction < 0 else gpu_fraction
    if dry_run:
        content = _sweep_folder.planned(asked.out, wanted, plan, write=False)
        tasks = _sweep_plan.tasks(asked, content, agent, seeds_per_run)
        print(_sweep_plan.told(asked, content, tasks, steps_per_s, engine, fraction, jobs, seeds_per_run))
        return 0
    _sweep_folder.there(asked.out, wanted)
    with _alone(asked.out):
        place = _engine(engine, str(asked.out.resolve()), fraction, jobs, address, slurm)
        try:
            content = _sweep_folder.planned(asked.out, wanted, plan, write=True)
            tasks = _sweep_plan.tasks(asked, content, agent, seeds_per_run)
        except BaseException:
            place.close()
            raise
        result = Queue(tasks, place, Board(), retries, stop_after).run()
    print(_sweep_plan.conclusion(asked.out, result))
    return result.status


@contextlib.contextmanager
def _alone(folder: pathlib.Path) -> Iterator[None]:
    """Keeps other sweeps out of a folder. Raises ConfigError where one is at work."""
    from kagejax.learning.sweeps.tasks import QUEUE
    from kagejax.learning.sweeps.work import Lock

    lock = Lock([folder / QUEUE / "sweep.lock"])
    try:
        taken = lock.take()
    except OSError as problem:
        raise ConfigError(Problem(Where("out"), "", f"{folder} cannot be written to: {problem.strerror}.")) from None
    if not taken:
        message = "Another `kagejax sweep` is at work in this folder. Let it end, or stop it."
        raise ConfigError(Problem(Where(str(folder)), "", message))
    try:
        yield
    finally:
        lock.release()


def _engine(name: str, out: str, fraction: float | None, jobs: int, address: str, slurm: Sequence[str]) -> Any:
    if name == "ray":
        from kagejax.learning.sweeps.ray_engine import RayEngine

        return RayEngine(out, address, fraction, jobs)
    if name == "slurm":
        from kagejax.learning.sweeps.slurm_engine import SlurmEngine

        return SlurmEngine(out, fraction, jobs, _pairs_of(slurm))
    from kagejax.learning.sweeps.local import LocalEngine, slots

    room = slots(jobs, fraction)
    require(bool(room), "--gpu-fraction", f"Found {fraction}; this machine has fewer GPUs than that.")
    return LocalEngine(room)


def _pairs_of(texts: Sequence[str]) -> dict[str, Any]:
    try:
        return overrides(texts)
    except ConfigError as error:
        raise ConfigError([Problem(Where("--slurm"), problem.path, problem.message) for problem in error.problems]) from None


def _check(
    on_top: Mapping[str, Any],
    engine: str,
    jobs: int,
    gpu_fraction: float,
    seeds_per_run: int,
    retries: int,
    stop_after: int,
    steps_per_s: float,
    address: str,
    slurm: Sequence[str],
) -> None:
    from ._sweep_words import RESERVED

    for key in on_top:
        message = "A sweep sets this itself; say it with words, such as seeds=1..3 or out=FOLDER."
        require(key not in RESERVED, f"--set {key}", message)
    require(jobs >= 0, "--jobs", f"Found {jobs}; allowed: 1 or more, or 0 for as many as there is room for.")
    whole = gpu_fraction == round(gpu_fraction)
    message = f"Found {gpu_fraction:g}; allowed: 0 to 1, a whole number of GPUs, or -1 for one where there are GPUs."
    require(gpu_fraction == -1 or 0 <= gpu_fraction <= 1 or (gpu_fraction > 1 and whole), "--gpu-fraction", message)
    require(seeds_per_run >= 1, "--seeds-per-run", f"Found {seeds_per_run}; allowed: 1 or more.")
    require(retries >= 0, "--retries", f"Found {retries}; allowed: 0 or more.")
    require(stop_after >= 0, "--stop-after", f"Found {stop_after}; allowed: 1 or more, or 0 for never.")
    require(0 <= steps_per_s < float("inf"), "--steps-per-s", f"Found {steps_per_s:g}; allowed: a finite number of at least 0.")
    require(not address or engine == "ray", "--address", f"This is for --engine ray; the engine is {engine}.")
    require(not slurm or engine == "slurm", "--slurm", f"This is for --engine slurm; the engine is {engine}.")


if __name__ == "__main__":
    sys.exit(main())
