"""Training: steps per second of agents/ppo.py beside a hand-written baseline, and what an iteration's time goes into.

    python benchmarks/training.py --json training.json
    python benchmarks/training.py --config kage/background/9/train --agents full --threads one
    python -m kagejax.benchmarks.training --agents quick

The baseline (naive.py) plays the same game with the same settings, draws layer by layer and learns with plain convolutions on
stored frames. Blocks of all programs take turns in one process, so that a busy machine slows all alike; the ratio is between
blocks of one turn.
"""

import dataclasses
import functools
import importlib.resources
import os
import pathlib
import statistics
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any, Literal

if not __package__:  # run as a file: its neighbours are modules of the package that its folder is
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    __package__ = "benchmarks"

import jax
import tyro

import kagejax
from kagejax.assets.errors import AssetError
from kagejax.config import registry
from kagejax.config.problems import ConfigError, Problem, Where
from kagejax.learning import settings
from kagejax.learning.run import write_json

STEPS = {"full": 2**11, "quick": 2**14}
"""Agents, and environment steps per update at most. Rollouts are shortened to fit; minibatches keep their size, so that a step
costs what it does in a run but for the one forward pass that an update makes behind its rollout."""


@dataclasses.dataclass(frozen=True)
class Options:
    """What to measure, and where to put it."""

    config: str = "kage/background/1/train"
    """An id or a YAML file of kage, with backgrounds, ground, NPCs and agent alone."""
    agents: str = "full,quick"
    """Of full (configs/agents/ppo_kage.yaml: 128x128 frames) and quick (ppo_kage_quick.yaml: 32x32)."""
    threads: Literal["all", "one"] = "all"
    """all: as a run of one seed has them. one: as each of several seeds, with a core to itself."""
    envs: int = 128
    """Environments."""
    steps: int = 0
    """Environment steps per update; 0: 2,048 (full), 16,384 (quick)."""
    blocks: int = 5
    """Timed blocks per program, at least 3."""
    seconds: float = 1.0
    """Length of a block; at least one iteration."""
    baseline: Literal["unrolled", "scanned", "none"] = "unrolled"
    """The baseline's loop over minibatches. scanned: as such trainers have it, many times slower on a CPU (use few --steps)."""
    memory: bool = True
    """Whether to compile updates as long as a run's too, for the memory that they need."""
    json: Annotated[str, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = ""
    """File for the figures, as JSON."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs from the command line; gives the exit status. Raises ConfigError for a user's mistake."""
    options = tyro.cli(Options, prog="training.py", description=__doc__, args=arguments, use_underscores=True)
    agents = [name.strip() for name in options.agents.split(",")]
    if not set(agents) <= set(STEPS) or options.blocks < 3 or min(options.seconds, options.envs) <= 0 or options.steps < 0:
        message = "--agents is of full and quick, --blocks at least 3, --seconds and --envs above 0, --steps at least 0."
        raise ConfigError(Problem(Where("command line"), "", message))
    if options.json and not pathlib.Path(options.json).resolve().parent.is_dir():
        raise ConfigError(Problem(Where("--json"), options.json, "The folder does not exist."))
    if options.threads == "one" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before JAX begins, whose threads it is to hold for
    with warnings.catch_warnings(action="ignore", category=kagejax.DeadKeyWarning):
        env, params = kagejax.make(options.config)
    rows = []
    for agent in agents:
        try:
            rows.append(measure(options, agent, env, params))
        except ValueError as problem:
            raise ConfigError(Problem(Where("--config"), options.config, f"It cannot be measured: {problem}.")) from None
        print(f"{report(rows[-1])}\n", flush=True)
        if options.json:
            write_json(options.json, rows)
    return 0


def configure(agent: str, envs: int, steps: int | None) -> Any:
    """Settings of `agent` for `envs` environments, with updates of at most `steps` environment steps (None: as in a run)."""
    from . import _learner

    file = _learner.SETTINGS[{"full": "ppo_full", "quick": "ppo"}[agent]]
    with importlib.resources.as_file(registry.packaged().joinpath(file)) as path:
        config = settings.load(_learner.agent("ppo").Config, path)
    rollout = config.rollout_steps if steps is None else min(config.rollout_steps, max(1, steps // envs))
    batch = envs * rollout
    count = next(n for n in range(max(1, batch // config.minibatch_size), 0, -1) if batch % n == 0)
    return dataclasses.replace(config, num_envs=envs, rollout_steps=rollout, minibatches=count)


def measure(options: Options, agent: str, env: Any, params: Any) -> dict:
    """All figures of one agent. Raises ValueError for a configuration that network or baseline cannot take."""
    from . import _learner, _machine, _phases

    if type(env).__name__ != "KageEnv":
        raise ValueError("the baseline plays kage alone")
    config = configure(agent, options.envs, options.steps or STEPS[agent])
    trial = _phases.Trial(_learner.agent("ppo"), config, env, params, options.threads, options.baseline)
    makers = _phases.learners(trial) | _phases.parts(trial)
    programs, tell = {}, functools.partial(print, file=sys.stderr, flush=True)
    for name, make in makers.items():
        tell(f"{agent}: compiling {name}")
        programs[name] = make()
    blocks = _phases.take_turns(
        programs, options.blocks, options.seconds, functools.partial(print, file=sys.stderr, flush=True)
    )
    row = {
        "config": options.config,
        "agent": agent,
        "threads": options.threads,
        "baseline": options.baseline,
        "blocks": options.blocks,
    }
    row |= {name: getattr(config, name) for name in (*_learner.SHOWN, "minibatch_size")}
    row["us_per_step"] = {name: spread([block.micros for block in found]) for name, found in blocks.items()}
    row["cores_busy"] = {name: statistics.median(block.cores for block in found) for name, found in blocks.items()}
    if options.baseline != "none":
        turns = zip(blocks["naive"], blocks["ours"], strict=True)
        row["ratio"] = spread([theirs.micros / ours.micros for theirs, ours in turns])
    row["shares"] = shares({name: found["median"] for name, found in row["us_per_step"].items()})
    full = trial._replace(config=configure(agent, options.envs, None))
    row["stored_bytes"] = stored_bytes(full)
    if options.memory:
        unrun = _phases.learners(full._replace(baseline="none" if options.baseline == "none" else "scanned"))
        row["program_bytes"] = {name: make().bytes for name, make in unrun.items()}
    return row | _machine.describe(jax.devices()[:1])


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median and extremes."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def shares(micros: dict[str, float]) -> dict[str, float]:
    """Parts of an iteration's time: pictures as timed alone, policy and rules as the rollout less those, learning as the
    iteration less the rollout."""
    whole, played, drawn = micros["ours"], micros["rollout"], micros["rendering"]
    found = {"rendering": drawn / whole, "rollout": (played - drawn) / whole, "update": (whole - played) / whole}
    if "naive" in micros:
        found["naive_rendering"] = micros["naive_rendering"] / micros["naive"]
    return found


def stored_bytes(trial: Any) -> dict[str, dict[str, float]]:
    """Bytes that a rollout keeps per environment step: of what the policy saw, and of everything else."""
    from . import _programs

    found = {}
    for storage in ("frames", "latents"):
        config = trial.storing(storage)
        state = jax.eval_shape(functools.partial(trial.ppo.start, config, trial.env), trial.params, jax.random.key(0))
        batch = jax.eval_shape(functools.partial(trial.ppo.rollout, config, trial.env), trial.params, state)[1]
        seen, every = (_programs.nbytes(part) / config.batch_size for part in (batch.seen, batch))
        found[storage] = {"seen": seen, "other": every - seen}
    return found


def report(row: dict) -> str:
    """The figures of one agent for people, in Markdown."""
    threads = {"all": f"{row['cores']} threads", "one": "one thread"}[row["threads"]]
    size, shape = row["frame_size"], f"{row['num_envs']} x {row['rollout_steps']} steps"
    shape = f"{size}x{size} frames, {shape}, minibatches of {row['minibatch_size']:,}"
    lines = [
        f"{row['config']}, {row['agent']}, {threads}, median of {row['blocks']} blocks: {shape}",
        "",
        "| program | steps/s | min..max | us per step | cores busy | memory of a run's update |",
        "|---|---|---|---|---|---|",
    ]
    for name, took in row["us_per_step"].items():
        low, middle, high = (1e6 / took[which] for which in ("max", "median", "min"))
        memory = f"{row['program_bytes'][name] / 2**20:,.0f} MiB" if name in row.get("program_bytes", {}) else ""
        rates = f"{middle:,.0f} | {low:,.0f}..{high:,.0f}"
        lines.append(f"| {name} | {rates} | {took['median']:,.2f} | {row['cores_busy'][name]:.2f} | {memory} |")
    parts = ", ".join(f"{name.replace('_', ' ')} {share:.2%}" for name, share in row["shares"].items())
    lines += ["", f"Shares of an iteration: {parts}."]
    if "ratio" in row:
        lines.append("Ours / baseline: {median:.2f} ({min:.2f}..{max:.2f}).".format(**row["ratio"]))
    kept = (f"{name} {part['seen']:,.0f} + {part['other']:,.0f} B" for name, part in row["stored_bytes"].items())
    return "\n".join([*lines, f"A rollout keeps per step: {', '.join(kept)}."])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ConfigError, AssetError) as error:
        print(f"training.py: {error}", file=sys.stderr)
        sys.exit(2)
