"""What the report says in words of how it was made, and of what it lacks."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from . import metrics
from .document import Notice
from .metrics import Metric
from .published import SOURCE
from .summary import Bootstrap
from .sweep import Pair, Seed, Sweep
from .tables import Cell, Table

FEW = 5
"""Seeds below which a bootstrap is known to give intervals that are too narrow."""

CURVES = (
    "Lines are means over the finished seeds, bands one standard error; thin lines are single seeds, dotted ones seeds "
    "that do not count."
)
"""What learning curves show."""
RETURNS = (
    "Read success together with return: a policy that always runs and jumps succeeds in about 60 % of the episodes, at a "
    "return of about -5,000."
)
"""What success alone does not tell in kage."""


def plural(count: int, word: str) -> str:
    """ "1 run", "2 runs", "2 axes"."""
    many = "axes" if word == "axis" else f"{word}s"
    return f"{count:,} {word if count == 1 else many}"


def scope(sweep: Sweep) -> str:
    """How large the sweep is, and how much of it is there."""
    axes = len({pair.axis for pair in sweep.pairs})
    asked, lost = len(sweep.runs) * len(sweep.seeds), len(sweep.unusable)
    finished = f"all {asked:,} finished" if not lost else f"{asked - lost:,} of {asked:,} finished"
    return (
        f"{plural(len(sweep.pairs), 'pair')} along {plural(axes, 'axis')}, from {plural(len(sweep.runs), 'training run')} "
        f"with {plural(len(sweep.seeds), 'seed')} each: {finished}."
    )


def protocol(sweep: Sweep) -> str:
    """Agent, length and evaluations, as found in the runs."""
    told = evaluations(sweep)
    return f"Agent {_agent(sweep)}." + (f" {told[0].upper()}{told[1:]}." if told else "")


def evaluations(sweep: Sweep) -> str:
    """How long the finished runs are and how they were evaluated; nothing where there are none."""
    seeds = [seed for run in sweep.runs for seed in run.usable]
    if not seeds:
        return ""
    steps = _range([seed.evaluations[-1].step for seed in seeds])
    count = _range([len(seed.evaluations) for seed in seeds])
    episodes = _range([evaluation.episodes for seed in seeds for evaluation in seed.evaluations])
    return f"{steps} steps a run, {count} evaluations of {episodes} episodes in each configuration"


def _agent(sweep: Sweep) -> str:
    return sweep.agent_file.replace("\\", "/").rpartition("/")[2] or "not stated"


def _settings(sweep: Sweep, named: bool) -> str:
    """The settings of the agent that a sweep's plan states."""
    of = f"{sweep.name}: " if named else ""
    return f"{of}Settings of the agent: {', '.join(f'{key}={_flat(value)}' for key, value in sweep.agent.items())}."


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flat(entry)}" for key, entry in value.items()) + "}"
    return str(value)


def _range(values: Sequence[int]) -> str:
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def notices(sweep: Sweep, prefix: str = "") -> list[Notice]:
    """What is missing, and which seeds are stuck. `prefix` says of which method."""
    found = []
    asked = len(sweep.runs) * len(sweep.seeds)
    if sweep.unusable:
        text = f"{prefix}{len(sweep.unusable)} of {plural(asked, 'run')} count nowhere below: {_listed(sweep.unusable)}."
        found.append(Notice("bad", "Incomplete.", text))
    empty = [pair for pair in sweep.pairs if not pair.run.usable]
    if empty:
        names = ", ".join(pair.id for pair in empty)
        found.append(Notice("bad", "Pairs without a finished run.", f"{prefix}{names}. They are in no mean."))
    if sweep.trapped:
        stuck = ", ".join(f"{seed.run} seed {seed.seed}" for seed in sweep.trapped)
        text = (
            f"{prefix}{stuck}. Their policies never jump and pace left and right, and do not come out of it. Their figures "
            "count like those of any other seed."
        )
        found.append(Notice("odd", "Trapped seeds.", text))
    return found


def _listed(seeds: Sequence[Seed], most: int = 12) -> str:
    shown = "; ".join(f"{seed.run} seed {seed.seed} ({textwrap.shorten(seed.told, 120)})" for seed in seeds[:most])
    more = len(seeds) - most
    return shown + (f"; and {more} more, listed under Runs" if more > 0 else "")


def few_seeds(sweeps: Sequence[Sweep]) -> str:
    """A warning where there are few seeds; nothing else."""
    counts = [len(run.usable) for sweep in sweeps for run in sweep.runs if run.usable]
    if not counts or min(counts) >= FEW:
        return ""
    lack = " A single seed has no interval." if min(counts) == 1 else ""
    few = plural(min(counts), "finished seed")
    return f"Some runs have only {few}: a bootstrap of so few is too narrow, and says more of these seeds than of others.{lack}"


def method(
    sweeps: Sequence[Sweep], value: str, chosen: Sequence[Metric], partial: Sequence[Metric], by: Bootstrap
) -> list[str]:
    """How the figures were computed, a paragraph each."""
    said = "; ".join(f"{name}, the {about}" for name, about in metrics.VALUES.items())
    parts = [
        f"Value of a run: {value}. There are three: {said}. The maximum is what the paper reports. It is the largest of "
        "several noisy means, so it is biased upwards, and the more so the more evaluations there are.",
        "Per pair: mean over seeds ± standard error (sample deviation over the root of the number of seeds). Per axis: "
        "mean over the means of its pairs ± standard error across pairs. A gap is (train - eval) / train of these means, "
        "in per cent; that of the return is |train - eval|. There is none where the train side is not above 0.",
        f"Brackets are 95 % percentile intervals of a stratified bootstrap ({by.replicates:,} replicates, generator seed "
        f"{by.seed}): the seeds of each training run are drawn anew with replacement. Both sides of a pair keep together, "
        "so that gaps are paired by seed. They tell how much other seeds would change a figure, not other pairs or more "
        "episodes. A star: in some replicates the train side was 0, so that there was no gap; the interval is that of the "
        "others.",
        "IQM is the mean of the middle half of all runs; the optimality gap is how far runs fall short of the target of 1 "
        "on average; a performance profile is the share of runs above each score (Agarwal et al., NeurIPS 2021).",
    ]
    parts += [_sharing(sweep, len(sweeps) > 1) for sweep in sweeps if sweep.shared]
    parts += [_settings(sweep, len(sweeps) > 1) for sweep in sweeps if sweep.agent]
    warning = few_seeds(sweeps)
    parts += [warning] if warning else []
    if partial:
        names = ", ".join(metric.title for metric in partial)
        parts.append(f"Not shown, since only some of the runs measured it: {names}.")
    if any(metric.name == "return" for metric in chosen) and any(pair.id.startswith("kage/") for pair in sweeps[0].pairs):
        parts.append(RETURNS)
    return parts


def _sharing(sweep: Sweep, named: bool) -> str:
    of = f"{sweep.name}: " if named else ""
    proofs = [proof for proof in sweep.proofs.values() if proof.get("equal")]
    proven = ""
    if proofs:
        frames = sum(int(proof.get("frames", 0)) for proof in proofs)
        alike = plural(len(proofs), "configuration")
        proven = f" That they train alike was proven by playing ({alike}, {frames:,} frames compared)."
    pairs, runs = plural(len(sweep.pairs), "pair"), plural(len(sweep.runs), "training run")
    return (
        f"{of}{pairs} read {runs} per seed, since many pairs train on the same configuration.{proven} Pairs that share runs "
        "are not independent: the bootstrap draws the seeds of a run once for all of its pairs, and the standard error "
        "across the pairs of an axis, which takes them as independent, is to be read with care."
    )


def published_note() -> str:
    """Where published figures are from."""
    return f"Published: {SOURCE}; PPO-CNN, 128x128 frames, 25 M steps, 10 seeds, maximum over evaluations."


def runs_table(sweep: Sweep, title: str) -> Table:
    """What became of every seed."""
    pairs: dict[str, list[Pair]] = {run.name: [pair for pair in sweep.pairs if pair.run.name == run.name] for run in sweep.runs}
    rows = [[run.name, str(len(pairs[run.name])), *(_state(seed) for seed in run.seeds)] for run in sweep.runs]
    return Table(title, ["run", "pairs", *(f"seed {seed}" for seed in sweep.seeds)], rows)


def _state(seed: Seed) -> Cell:
    if seed.usable:
        return Cell("trapped", tone="odd") if seed.trapped else Cell("finished", tone="good")
    return Cell(seed._replace(note="").told, tone="bad")


def trouble_table(sweep: Sweep, title: str) -> Table | None:
    """Why runs do not count, one a line; None where all do."""
    rows = [[seed.run, str(seed.seed), seed.told] for seed in sweep.unusable]
    return Table(title, ["run", "seed", "state"], rows, texts=3) if rows else None


def sharing_table(sweep: Sweep, title: str) -> Table:
    """Which pairs read which run."""
    rows = [
        [run.name, run.train, ", ".join(pair.id for pair in sweep.pairs if pair.run.name == run.name)] for run in sweep.runs
    ]
    return Table(title, ["run", "trained on", "pairs"], rows, texts=3, folded=True)
