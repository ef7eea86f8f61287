"""Throughput: environment steps per second of dynamics, of frames that are kept, with resets, and of training.

    python benchmarks/throughput.py --config simplest --envs 256 --tiers dynamics,frames,frames_reset,ppo --json out.json
    python benchmarks/throughput.py --preset gpu --json gpu.json --plot gpu.png
    kagejax bench --config simplest,default --envs 2^0..2^12 --tiers frames

Frames are drawn at every step and written whole into memory, which is checked in the compiled program; a row whose frames the
compiler removed is refused. README.md beside this file says what each number means.
"""

import dataclasses
import importlib.util
import os
import pathlib
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

if not __package__:  # run as a file: its neighbours are modules of the package that its folder is
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    __package__ = "benchmarks"

import rich.console
import tyro

from kagejax import envs  # noqa: F401  (registers the environments)
from kagejax.assets.errors import AssetError
from kagejax.config import loader, registry
from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean

TIERS = ("dynamics", "frames", "frames_reset", "ppo", "ppo_full")
ENVIRONMENT_TIERS = TIERS[:3]
MOST_ENVS = 2**24
_file = tyro.conf.arg(metavar="FILE", help_behavior_hint="")


class Job(NamedTuple):
    """Rows that share their configuration and number of environments."""

    config: str
    envs: int
    tiers: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Options:
    """What to measure, and where to put it."""

    config: str = "simplest"
    """simplest, default, hardest, an id or a YAML file; several with commas."""
    envs: str = "256"
    """Numbers of environments: 256, or 1,16,256, or 2^0..2^12."""
    tiers: str = "dynamics,frames,frames_reset,ppo"
    """Of dynamics, frames, frames_reset, ppo (a small network at 32x32), ppo_full (the full network at full size)."""
    preset: Literal["none", "cpu", "gpu"] = "none"
    """A whole study instead of the three above: cpu (about 5 minutes), gpu (2^0 to 2^20 environments, under 8 minutes)."""
    env: str = "kage"
    """The environment that simplest, default and hardest are taken from."""
    json: Annotated[str, _file] = ""
    """File for the rows, as JSON; written after every row."""
    plot: Annotated[str, _file] = ""
    """File for a log-log plot (PNG, PDF or SVG); needs matplotlib."""
    blocks: Annotated[int, tyro.conf.arg(metavar="N")] = 5
    """Timed blocks per row, at least 5."""
    seconds: float = 0.4
    """Length of a timed block."""
    budget: float = 0.0
    """Seconds for everything; no row begins that would end later. 0: 420 for a preset, else no limit."""
    devices: int = 0
    """How many devices to use; 0: all. On a CPU each core is a device."""


def main(arguments: Sequence[str] | None = None, prog: str = "throughput.py") -> int:
    """Runs from the command line; gives the exit status. Raises ConfigError for a user's mistake."""
    options = tyro.cli(Options, prog=prog, description=_description(), args=arguments, use_underscores=True)
    jobs = plan(options)
    check_outputs(options)
    from . import _machine

    _machine.use_all_cores()
    return run(options, jobs)


def _description() -> str:
    text = __doc__.partition("\n\n")
    return f"{text[0]}\n\nFor example:\n" + "\n".join(line[2:] for line in text[2].splitlines() if line.startswith("    "))


def plan(options: Options) -> list[Job]:
    """What to measure, what matters most first. Raises ConfigError for options that cannot be met."""
    if options.blocks < 5 or options.seconds <= 0 or options.budget < 0 or options.devices < 0:
        message = "--blocks is at least 5, --seconds above 0, --budget and --devices at least 0."
        raise ConfigError(Problem(Where("command line"), "", message))
    registry.room(options.env, Where("--env"))
    if options.preset != "none":
        jobs = list(gpu_study() if options.preset == "gpu" else cpu_study())
    else:
        tiers = _tiers(options.tiers)
        jobs = [Job(config, count, tiers) for config in _parts(options.config, "--config") for count in counts(options.envs)]
    for config in dict.fromkeys(job.config for job in jobs):
        loader.load_config(source(config, options.env))
    return jobs


def gpu_study() -> Iterator[Job]:
    """2^16 environments first, then wider and narrower, so that a budget that ends early leaves the headline standing."""
    for config in ("simplest", "default", "hardest"):
        yield Job(config, 2**16, ENVIRONMENT_TIERS)
    yield Job("simplest", 2**10, (*ENVIRONMENT_TIERS, "ppo", "ppo_full"))
    for exponent in (18, 0, 12, 8, 4, 14, 20, 17):
        yield Job("simplest", 2**exponent, (*ENVIRONMENT_TIERS, *(["ppo"] if exponent in (12, 14) else [])))
    for config, exponents in (("default", (12, 8, 0, 14, 18)), ("hardest", (12, 8, 14))):
        for exponent in exponents:
            yield Job(config, 2**exponent, ENVIRONMENT_TIERS)
    for exponent in (2, 6, 15, 19, 13, 11, 9, 7, 5, 3, 1):
        yield Job("simplest", 2**exponent, ENVIRONMENT_TIERS)


def cpu_study() -> Iterator[Job]:
    """256 environments first, where the figures of the README are taken."""
    yield Job("simplest", 256, (*ENVIRONMENT_TIERS, "ppo", "ppo_full"))
    yield Job("default", 256, ENVIRONMENT_TIERS)
    yield Job("hardest", 256, ENVIRONMENT_TIERS)
    for exponent in (0, 12, 4):
        for config in ("simplest", "default"):
            yield Job(config, 2**exponent, ENVIRONMENT_TIERS)
    for exponent in (0, 4, 10):
        yield Job("hardest", 2**exponent, ENVIRONMENT_TIERS)


def counts(text: str) -> list[int]:
    """Numbers of environments from text such as `256`, `1,16,2^8` or `2^0..2^12`. Raises ConfigError for any other."""
    found: list[int] = []
    for part in _parts(text, "--envs"):
        low, dots, high = part.partition("..")
        try:
            first = _number(low)
            last = _number(high) if dots else first
        except ValueError:
            first, last = 0, 0
        if not 1 <= first <= last <= MOST_ENVS:
            message = f"Found {part!r}; allowed: whole numbers from 1 to 2^24, such as 256, 1,16,2^8, or 2^0..2^12 (doubling)."
            raise ConfigError(Problem(Where("--envs"), "", message))
        while first <= last:
            found.append(first)
            first *= 2
    return list(dict.fromkeys(found))


def _number(text: str) -> int:
    base, power, exponent = text.strip().partition("^")
    return int(base) ** min(int(exponent), 64) if power else int(base)


def _tiers(text: str) -> tuple[str, ...]:
    names = _parts(text, "--tiers")
    for name in names:
        if name not in TIERS:
            message = f"Unknown tier {name!r}; allowed: {', '.join(TIERS)}.{did_you_mean(name, TIERS)}"
            raise ConfigError(Problem(Where("--tiers"), "", message))
    return tuple(tier for tier in TIERS if tier in names)


def _parts(text: str, option: str) -> list[str]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise ConfigError(Problem(Where(option), "", "It is empty; name at least one, several with commas."))
    return list(dict.fromkeys(parts))


def source(config: str, env: str) -> str:
    """The id or file that `--config` means: simplest, default and hardest are those of `env`."""
    return {"simplest": f"{env}/simplest", "default": env, "hardest": f"{env}/hardest"}.get(config, config)


def check_outputs(options: Options) -> None:
    """Raises ConfigError for a file that cannot be written, and for a plot without matplotlib, before anything is measured."""
    for option, path in (("--json", options.json), ("--plot", options.plot)):
        folder = pathlib.Path(path).resolve().parent
        if path and not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise ConfigError(Problem(Where(option), path, f"The folder {folder} does not exist or cannot be written to."))
    if options.plot and importlib.util.find_spec("matplotlib") is None:
        message = "A plot needs matplotlib, which is not installed: pip install 'kagejax[plot]'. Or leave --plot out."
        raise ConfigError(Problem(Where("--plot"), options.plot, message))
    if options.plot and pathlib.Path(options.plot).suffix not in (".png", ".pdf", ".svg"):
        raise ConfigError(Problem(Where("--plot"), options.plot, "The name must end in .png, .pdf or .svg."))


def run(options: Options, jobs: list[Job]) -> int:
    """Measures, prints and writes. The exit status is 1 if a row was refused."""
    import jax

    from kagejax.learning.run import write_json

    from . import _report

    devices = jax.devices()
    devices = devices[: options.devices or len(devices)]
    rows, refused = [], []
    for row in measure(options, jobs, devices, refused):
        rows.append(row)
        rows.sort(key=lambda row: _order(row, jobs))
        if options.json:
            write_json(options.json, rows)
    console = rich.console.Console()
    if rows:
        _report.print_tables(rows, console)
        if options.plot:
            _report.plot(rows, options.plot)
    for line in refused:
        console.print(line, style="yellow", highlight=False, soft_wrap=True)
    for kind, path in (("Rows", options.json), ("Plot", options.plot)):
        if path and rows:
            console.print(f"{kind}: {path}", highlight=False, soft_wrap=True)
    return 1 if any(line.startswith("Refused") for line in refused) else 0


def _order(row: dict, jobs: list[Job]) -> tuple:
    configs = list(dict.fromkeys(job.config for job in jobs))
    return configs.index(row["config"]), row["envs"], TIERS.index(row["tier"])


def measure(options: Options, jobs: list[Job], devices: list, refused: list[str]) -> Iterator[dict]:
    """Rows as they come; what could not be measured, and why, is added to `refused`."""
    import kagejax

    from . import _measure, _proof

    timing = _measure.Timing(options.blocks, options.seconds)
    budget = options.budget or (float("inf") if options.preset == "none" else 420.0)
    began, made, cost = time.monotonic(), {}, {}
    console = rich.console.Console(stderr=True)
    with console.status("starting") as status:
        for number, job in enumerate(jobs, 1):
            left = budget - (time.monotonic() - began)
            expected = cost.get((job.config, len(job.tiers)), max(cost.values(), default=0.0))
            if left < expected:
                refused.append(f"Left out: {job.config} with {job.envs:,} environments: the budget of {budget:.0f} s is spent.")
                continue
            start = time.monotonic()
            if job.config not in made:
                with warnings.catch_warnings(action="ignore", category=kagejax.DeadKeyWarning):  # `plan` has given them
                    made[job.config] = kagejax.make(source(job.config, options.env))

            def say(tier: str, job: Job = job, number: int = number) -> None:
                status.update(f"{number}/{len(jobs)}  {job.config}, {job.envs:,} environments: {tier}")

            try:
                for row in _measure.measure(job.config, *made[job.config], job.envs, job.tiers, devices, timing, say):
                    yield row
                    _announce(console, row)
            except _proof.FramesNotDrawn as problem:
                refused.append(f"Refused: {job.config} with {job.envs:,} environments. {problem}")
            except (_measure.LeftOut, ValueError) as problem:
                refused.append(f"Left out: {job.config} with {job.envs:,} environments: {problem}.")
            except RuntimeError as problem:
                if not _measure.out_of_memory(problem):
                    raise
                refused.append(f"Left out: {job.config} with {job.envs:,} environments: more than the memory holds.")
            cost[job.config, len(job.tiers)] = time.monotonic() - start


def _announce(console: rich.console.Console, row: dict[str, Any]) -> None:
    from . import _report

    what = f"{_report.name(row['config'])}  {row['envs']:,} envs  {_report.TITLES[row['tier']]}"
    console.print(f"{what}: {_report.count(row['steps_per_s'])} steps/s", highlight=False, style="dim")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ConfigError, AssetError) as error:
        print(f"throughput.py: {error}", file=sys.stderr)
        sys.exit(2)
