"""Which training runs the pairs of suites take: pairs that train on the same configuration share one.

Training never depends on what is evaluated. So pairs whose train sides are equal, but for keys that change nothing, need one
run between them, evaluated under all their eval sides. The equality is read from the configurations and proven by playing.
"""

import fnmatch
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kagejax.config.loader import load
from kagejax.config.making import make
from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean
from kagejax.config.schema import ConfigModel
from kagejax.config.suites import ALIASES, Pair, Suite, suites

EPISODES, STEPS = 4, 640
"""Environments and steps of a proof: past the end of an episode, so that resets are compared too."""


class PlannedPair(NamedTuple):
    """A pair, and the run that it reads."""

    pair: str  # 'kage/background/1'
    axis: str  # 'background'
    title: str  # 'black -> noise'
    own_train: str  # its train side: 'kage/background/1/train'
    train: str  # the id of that configuration in the run's evaluations; another one's where the run is shared
    eval: str  # 'kage/background/1/eval'
    run: str


class PlannedRun(NamedTuple):
    """A training configuration, and everything evaluated on what it trains."""

    run: str  # name of its folder: 'kage-background-1'
    train: str
    evaluate: tuple[str, ...]
    pairs: tuple[str, ...]


class Plan(NamedTuple):
    """Pairs and the runs that they take."""

    pairs: tuple[PlannedPair, ...]
    runs: tuple[PlannedRun, ...]
    shared: bool
    proofs: Mapping[str, Mapping[str, Any]]  # by train side of a pair that reads another's run: what was compared

    def content(self) -> dict[str, Any]:
        """The plan as JSON holds it: lists and mappings."""
        pairs = [pair._asdict() for pair in self.pairs]
        runs = [run._asdict() | {"evaluate": list(run.evaluate), "pairs": list(run.pairs)} for run in self.runs]
        return {"shared": self.shared, "pairs": pairs, "runs": runs, "proofs": {id: dict(of) for id, of in self.proofs.items()}}


def find_suites(names: Sequence[str]) -> list[Suite]:
    """Suites by name, in order, each once: an environment ('kage': its suites that are no experiments), or a suite
    ('kage/background'). Raises ConfigError with the nearest name."""
    found: dict[str, Suite] = {}
    rooms = list(dict.fromkeys(id.partition("/")[0] for id in suites()))
    known = [*rooms, *suites(), *ALIASES]
    for name in names:
        chosen = [suites()[ALIASES.get(name, name)]] if ALIASES.get(name, name) in suites() else []
        if name in rooms:
            chosen = [suite for suite in suites().values() if suite.id.startswith(f"{name}/") and not suite.experiment]
        if name not in known or not chosen:
            near = did_you_mean(name, known)
            raise ConfigError(
                Problem(Where("suite"), "", f"There is no suite {name!r}; `kagejax suites list` lists them.{near}")
            )
        found |= {suite.id: suite for suite in chosen}
    return list(found.values())


def choose(chosen: Sequence[Suite], keys: Sequence[str] = ()) -> list[tuple[Suite, Pair]]:
    """The pairs of `chosen` that `keys` name, all for none: '5', 'background/5' or 'background/*'. Raises ConfigError for a key
    that names no pair, and for a bare number where there are several suites."""
    everything = [(suite, pair) for suite in chosen for pair in suite.pairs]
    if not keys:
        return everything
    wanted: set[str] = set()
    for key in keys:
        if "/" not in key and len(chosen) > 1:
            message = (
                f"Found {key!r}, but there are {len(chosen)} suites; write SUITE/{key}, such as {_short(chosen[0])}/{key}."
            )
            raise ConfigError(Problem(Where("pairs"), "", message))
        pattern = key if "/" in key else f"{_short(chosen[0])}/{key}"
        ids = [pair.id for _, pair in everything if fnmatch.fnmatchcase(pair.id.partition("/")[2], pattern) or pair.id == key]
        if not ids:
            names = [pair.id.rpartition("/")[2] if "/" not in key else pair.id.partition("/")[2] for _, pair in everything]
            shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
            raise ConfigError(
                Problem(Where("pairs"), "", f"There is no pair {key!r}; there are {shown}.{did_you_mean(key, names)}")
            )
        wanted |= set(ids)
    return [(suite, pair) for suite, pair in everything if pair.id in wanted]


def _short(suite: Suite) -> str:
    return suite.id.partition("/")[2]


def plan(
    pairs: Sequence[tuple[Suite, Pair]],
    overrides: Mapping[str, Any] | None = None,
    share: bool = True,
    prove: bool = True,
    say: Callable[[str], None] = lambda text: None,
) -> Plan:
    """The runs that `pairs` take, the first pair of a shared run giving it its name; `overrides` apply to all configurations.

    What shares a run is proven to train alike (`prove`) by playing: a pair for which that fails gets a run of its own, and the
    proof says so. `say` hears what is being proven. Raises ConfigError or AssetError for a configuration that cannot be made.
    """
    overrides = overrides or {}
    groups: dict[Any, list[tuple[Suite, Pair]]] = {}
    proofs: dict[str, Mapping[str, Any]] = {}
    configs = {pair.id: load(f"{pair.id}/train", overrides) for _, pair in pairs}
    for suite, pair in pairs:
        key: Any = pair.id if not share else in_effect(configs[pair.id])
        if share and prove and key in groups:
            first = groups[key][0][1]
            say(f"{pair.id}/train trains as {first.id}/train does: comparing frames and games")
            proof = prove_equal(f"{first.id}/train", f"{pair.id}/train", configs[first.id], configs[pair.id])
            proofs[f"{pair.id}/train"] = proof
            key = key if proof["equal"] else pair.id
        groups.setdefault(key, []).append((suite, pair))
    runs, planned = [], {}
    for members in groups.values():
        first = members[0][1]
        run, train = first.id.replace("/", "-"), f"{first.id}/train"
        ids = tuple(pair.id for _, pair in members)
        runs.append(PlannedRun(run, train, tuple(f"{id}/eval" for id in ids), ids))
        for suite, pair in members:
            planned[pair.id] = PlannedPair(
                pair.id, _short(suite), pair.title, f"{pair.id}/train", train, f"{pair.id}/eval", run
            )
    return Plan(tuple(planned[pair.id] for _, pair in pairs), tuple(runs), share, proofs)


def in_effect(config: ConfigModel) -> tuple[Any, ...]:
    """What a configuration comes to: its environment, and the values (with the folders of files) of the keys that are in use.
    Equal for configurations that are equal but for keys that change nothing."""
    unused = config.inert()
    used = [(path, repr(value), str(config.base_dir(path))) for path, value in config.flat().items() if path not in unused]
    return (type(config).__name__, *used)


def prove_equal(first: str, second: str, ours: ConfigModel, theirs: ConfigModel) -> dict[str, Any]:
    """Whether two configurations give the same frames and games, bit for bit, when played from the same keys with the same
    actions; and what was compared."""
    from . import episodes, pairs

    sides = make(ours), make(theirs)
    policy = "scripted" if "scripted" in episodes.actors(sides[0][0]) else "random"
    report = pairs.compare(*sides, (first, second), EPISODES, STEPS, seed=0, policy=policy)
    apart = [*report.params_differ, *report.latents_differ]
    left, right = ours.flat(), theirs.flat()
    return {
        "shares": first,
        "equal": not apart and report.frames_differ == 0,
        "unused_keys_differ": [path for path in left if left[path] != right[path]],
        "episodes": report.episodes,
        "steps": report.steps,
        "policy": policy,
        "frames": report.episodes * report.steps // pairs.FRAME_EVERY,
        "frames_differ": report.frames_differ,
        "latents_differ": apart,
    }
