"""A sweep folder, read: which runs were asked for, what became of each, and what they measured.

Nothing is left out in silence. A seed that is not finished, or cannot be read, is there with its state and the reason; only
what is wrong with the plan itself (`sweep.json`) is an error.
"""

import json
import math
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from kagejax.config.problems import ConfigError, Problem, Where, listing

from .metrics import CHOOSERS, METRICS, read_off

FINISHED, RUNNING, INTERRUPTED, FAILED = "finished", "running", "interrupted", "failed"
"""What `status.json` says of a seed."""
MISSING, UNKNOWN, DAMAGED = "not started", "no status", "damaged"
"""A seed without a folder, one that says nothing of its state, and one whose files cannot be used."""


class Evaluation(NamedTuple):
    """One evaluation of one seed."""

    step: int  # environment steps trained
    episodes: int  # in each configuration
    means: Mapping[str, Mapping[str, float]]  # configuration -> metric -> mean over episodes


class Seed(NamedTuple):
    """One seed of one training run."""

    run: str
    seed: int
    state: str
    note: str = ""  # why it cannot be used, where there is more to say than its state
    step: int = 0
    total_steps: int = 0
    trapped: bool = False  # stuck, by its last line of metrics
    evaluations: tuple[Evaluation, ...] = ()  # by step

    @property
    def usable(self) -> bool:
        """Whether its figures count."""
        return self.state == FINISHED

    @property
    def told(self) -> str:
        """Its state in words."""
        known = self.total_steps and self.state in (RUNNING, INTERRUPTED)
        part = f" at {100 * self.step / self.total_steps:.0f} %" if known else ""
        return f"{self.state}{part}" + (f": {self.note}" if self.note else "")

    def curve(self, configuration: str, metric: str) -> np.ndarray:
        """Means of a metric in a configuration, float [evaluations]."""
        return np.array([evaluation.means[configuration][metric] for evaluation in self.evaluations])

    @property
    def steps(self) -> np.ndarray:
        """Environment steps trained at each evaluation, [evaluations]."""
        return np.array([evaluation.step for evaluation in self.evaluations])

    def measured(self) -> frozenset[str]:
        """Metrics that every evaluation has in every configuration."""
        return frozenset.intersection(*(frozenset(means) for each in self.evaluations for means in each.means.values()))


class Run(NamedTuple):
    """A training run, which several pairs may share, with all its seeds."""

    name: str
    train: str  # the configuration trained on
    evaluate: tuple[str, ...]
    seeds: tuple[Seed, ...]

    @property
    def usable(self) -> tuple[Seed, ...]:
        """The seeds that count."""
        return tuple(seed for seed in self.seeds if seed.usable)


class Pair(NamedTuple):
    """A train and an eval configuration, and the run that serves it."""

    id: str
    axis: str
    title: str
    eval: str
    run: Run

    @property
    def train(self) -> str:
        """The configuration trained on. Where pairs share a run it looks like the pair's own, and has the name of another's."""
        return self.run.train

    @property
    def suite(self) -> str:
        """The suite that it is a pair of: 'kage/background' of 'kage/background/1'."""
        return self.id.rpartition("/")[0]

    def sides(self, metric: str, value: str) -> np.ndarray:
        """Train and eval values of the seeds that count, float [2, seeds]."""
        found = []
        for seed in self.run.usable:
            chooser = next(name for name in CHOOSERS if name in seed.measured())
            read = ((self.train, metric), (self.eval, metric), (self.train, chooser))
            found.append(read_off(*(seed.curve(*what) for what in read), value))
        return np.array(found, np.float64).reshape(-1, 2).T


class Sweep(NamedTuple):
    """All of a folder."""

    name: str
    suite: tuple[str, ...]
    seeds: tuple[int, ...]
    agent_file: str
    agent: Mapping[str, Any]
    pairs: tuple[Pair, ...]
    runs: tuple[Run, ...]
    proofs: Mapping[str, Mapping[str, Any]]  # by train side of a pair that reads another's run: what was compared

    @property
    def shared(self) -> bool:
        """Whether any pairs share a run."""
        return len({pair.run.name for pair in self.pairs}) < len(self.pairs)

    @property
    def unusable(self) -> list[Seed]:
        """Seeds that were asked for and do not count."""
        return [seed for run in self.runs for seed in run.seeds if not seed.usable]

    @property
    def trapped(self) -> list[Seed]:
        """Seeds that count and are stuck."""
        return [seed for run in self.runs for seed in run.usable if seed.trapped]


def read(folder: str | pathlib.Path, name: str = "") -> Sweep:
    """The sweep in `folder`, called `name` (by default as the folder). Raises ConfigError for a plan that cannot be used."""
    folder = pathlib.Path(folder)
    plan = _Plan(folder / "sweep.json")
    seeds = tuple(plan.field(plan.content, "", "seeds", list))
    if not seeds or not all(isinstance(seed, int) for seed in seeds):
        plan.wrong("seeds", f"Found {list(seeds)}; allowed: a list of whole numbers that is not empty.")
    runs: dict[str, Run] = {}
    for place, entry in enumerate(plan.field(plan.content, "", "runs", list)):
        path = f"runs[{place}]"
        label, train = (plan.field(entry, path, key, str) for key in ("run", "train"))
        evaluate = tuple(plan.field(entry, path, "evaluate", list))
        if label in runs:
            plan.wrong(f"{path}.run", f"Found {label!r}, which is the name of an earlier run.")
        wanted = tuple(dict.fromkeys((train, *evaluate)))
        found = tuple(_seed(folder / label / f"seed-{seed}", label, seed, train, wanted) for seed in seeds)
        runs[label] = Run(label, train, evaluate, found)
    pairs = [
        _pair(plan, f"pairs[{place}]", entry, runs) for place, entry in enumerate(plan.field(plan.content, "", "pairs", list))
    ]
    if not pairs:
        plan.wrong("pairs", "There is no pair, so that there is nothing to report.")
    suite = plan.content.get("suite") or []
    return Sweep(
        name=name or folder.resolve().name,
        suite=tuple(suite) if isinstance(suite, list) else (str(suite),),
        seeds=seeds,
        agent_file=str(plan.content.get("agent_file") or ""),
        agent=plan.content.get("agent") or {},
        pairs=tuple(pairs),
        runs=tuple(runs.values()),
        proofs=plan.content.get("proofs") or {},
    )


class _Plan:
    """`sweep.json`, with errors that say where."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        if not path.is_file():
            message = "There is no such file, so this is no folder of a sweep. `kagejax sweep` makes one."
            raise ConfigError(Problem(Where(str(path)), "", message))
        try:
            self.content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            raise ConfigError(Problem(Where(str(path)), "", f"It cannot be read: {problem}.")) from None
        if not isinstance(self.content, dict):
            self.wrong("", "It must hold a JSON object.")

    def field(self, entry: Any, path: str, key: str, kind: type) -> Any:
        where = f"{path}.{key}" if path else key
        value = entry.get(key) if isinstance(entry, dict) else None
        if not isinstance(value, kind):
            self.wrong(where, f"Found {value!r}; it must be a {'list' if kind is list else 'text'}.")
        return value

    def wrong(self, path: str, message: str) -> None:
        raise ConfigError(Problem(Where(str(self.path)), path, message))


def _pair(plan: _Plan, path: str, entry: Any, runs: Mapping[str, Run]) -> Pair:
    id, axis, title, evaluation, name = (plan.field(entry, path, key, str) for key in ("pair", "axis", "title", "eval", "run"))
    if name not in runs:
        plan.wrong(f"{path}.run", f"Found {name!r}; allowed: {listing(list(runs))}.")
    run = runs[name]
    if evaluation not in (run.train, *run.evaluate):
        plan.wrong(f"{path}.eval", f"Found {evaluation!r}, which run {name!r} does not evaluate.")
    return Pair(id, axis, title, evaluation, run)


def _seed(folder: pathlib.Path, run: str, seed: int, train: str, wanted: Sequence[str]) -> Seed:
    """What became of a seed. Its evaluations are read in any state, for its curve; they are whole if it is finished."""
    if not folder.is_dir():
        return Seed(run, seed, MISSING)
    status = _status(folder / "status.json")
    state, note = status.get("state", UNKNOWN), status.get("error") or ""
    try:
        evaluations = _evaluations(folder / "evaluations.jsonl", train, wanted)
        lines = _lines(folder / "metrics.jsonl")
    except ValueError as problem:
        evaluations, lines = (), []
        state, note = (DAMAGED, str(problem)) if state == FINISHED else (state, note or str(problem))
    if state == FINISHED and not evaluations:
        state, note = DAMAGED, "it is finished, and evaluations.jsonl has no evaluation"
    found = Seed(
        run=run,
        seed=seed,
        state=state,
        note=" ".join(str(note).split()),
        step=int(status.get("step") or 0),
        total_steps=int(status.get("total_steps") or 0),
        trapped=bool(lines and lines[-1].get("trapped")),
        evaluations=evaluations,
    )
    if found.usable and not found.measured() & set(CHOOSERS):
        return found._replace(state=DAMAGED, note=f"not all of its evaluations have {' or '.join(CHOOSERS)}")
    return found


def _status(path: pathlib.Path) -> dict[str, Any]:
    """The status of a seed; nothing where there is none yet."""
    if not path.is_file():
        return {}
    try:
        status = json.loads(path.read_text(encoding="utf-8"))
        if status["state"] in (FINISHED, RUNNING, INTERRUPTED, FAILED):
            return status
        return {"state": DAMAGED, "error": f"{path.name} says {status['state']!r}"}
    except (ValueError, TypeError, KeyError):
        return {"state": DAMAGED, "error": f"{path.name} cannot be read"}


def _evaluations(path: pathlib.Path, train: str, wanted: Sequence[str]) -> tuple[Evaluation, ...]:
    """Evaluations by step. Where a step is there twice, as after a run was killed and taken up again, the last one counts.

    Raises ValueError for lines that cannot be used.
    """
    found: dict[int, Evaluation] = {}
    for number, line in enumerate(_lines(path), 1):
        where = f"{path.name}:{number}"
        try:
            step, episodes, trained, configurations = (line[key] for key in ("step", "episodes", "train", "configurations"))
            means = {name: {metric: entry["mean"] for metric, entry in configurations[name].items()} for name in wanted}
        except (KeyError, TypeError, AttributeError) as problem:
            raise ValueError(
                f"{where} lacks {problem}" if isinstance(problem, KeyError) else f"{where} is no evaluation"
            ) from None
        if trained != train:
            raise ValueError(f"{where} is of a run trained on {trained!r}, not on {train!r}")
        found[step] = Evaluation(step, episodes, {name: _finite(entries, name, where) for name, entries in means.items()})
    return tuple(found[step] for step in sorted(found))


def _finite(entries: Mapping[str, Any], configuration: str, where: str) -> dict[str, float]:
    """The metrics that have a value. Raises ValueError if one that is reported has none."""
    values = {name: math.nan if value is None else float(value) for name, value in entries.items()}
    for name, value in values.items():
        if name in METRICS and not math.isfinite(value):
            raise ValueError(f"{where} has no number as {name} of {configuration}")
    return {name: value for name, value in values.items() if math.isfinite(value)}


def _lines(path: pathlib.Path) -> list[dict[str, Any]]:
    """The lines of a log; a last one that was only written in part is passed over. Raises ValueError for a broken one."""
    if not path.is_file():
        return []
    found = []
    for number, line in enumerate(path.read_bytes().rpartition(b"\n")[0].splitlines(), 1):
        try:
            found.append(json.loads(line))
        except ValueError:
            raise ValueError(f"{path.name}:{number} is broken") from None
    return found
