"""The file sweep.json: what a sweep's folder holds. Written when a sweep begins, and binding from then on."""

import json
import pathlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kagejax.config.loader import load
from kagejax.config.problems import ConfigError, Problem, Where, found
from kagejax.evaluation import planning
from kagejax.learning import run

FILE = "sweep.json"
BINDING = ("shared", "program", "agent")
"""Entries that cannot change once a run may have begun."""


def read(folder: pathlib.Path) -> dict[str, Any] | None:
    """What the folder holds; None where it holds no sweep. Raises ConfigError for a file that cannot be read."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        content = json.loads(path.read_text())
        if not isinstance(content, dict) or not {"pairs", "runs", "seeds", "agent", "configurations"} <= content.keys():
            raise ValueError("it is not what kagejax sweep writes")
    except (OSError, ValueError) as problem:
        raise ConfigError(Problem(Where(str(path)), "", f"It cannot be read: {problem}. Choose another out=FOLDER.")) from None
    return content


def asked(words: Any, agent: Mapping[str, Any], overrides: Mapping[str, Any], share: bool) -> dict[str, Any]:
    """What is asked for, as sweep.json has it, without plan and proofs."""
    ids = [f"{pair.id}/{side}" for _, pair in words.pairs for side in ("train", "eval")]
    return {
        "suite": list(words.suite),
        "seeds": list(words.seeds),
        "agent": run.plain(agent),
        "agent_file": words.agent_name,
        "program": str(words.program) if words.program else "ppo",
        "shared": share,
        "configurations": {id: run.fingerprint(planning.in_effect(load(id, overrides))) for id in ids},
    }


def there(folder: pathlib.Path, wanted: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the folder holds of the sweep that is asked for; None where it holds none. Raises ConfigError for another sweep."""
    content = read(folder)
    if content is not None:
        _require_same(folder, content, wanted)
    return content


def planned(folder: pathlib.Path, wanted: Mapping[str, Any], plan: Callable[[], planning.Plan], write: bool) -> dict[str, Any]:
    """The content of sweep.json: of the folder's, with seeds added to it, else new by `plan`. Raises ConfigError as `there`."""
    old = there(folder, wanted)
    if old is None:
        content = {**wanted, "created": time.strftime("%Y-%m-%dT%H:%M:%S%z"), **plan().content()}
    else:
        content = old | {"seeds": sorted({*old["seeds"], *wanted["seeds"]})}
    if write and content != old:
        folder.mkdir(parents=True, exist_ok=True)
        run.write_json(folder / FILE, content)
    return content


def _require_same(folder: pathlib.Path, there: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    different = [f"{key} is {_shown(there.get(key))} there" for key in BINDING[:2] if there.get(key) != wanted[key]]
    old, new = there["agent"], wanted["agent"]
    different += [
        f"{key} is {_shown(old.get(key))} there and {_shown(new.get(key))} here"
        for key in dict.fromkeys((*old, *new))
        if old.get(key) != new.get(key)
    ]
    ours, theirs = wanted["configurations"], there["configurations"]
    if ours.keys() != theirs.keys():
        there_are, asked_for = (len({id.rpartition("/")[0] for id in ids}) for ids in (theirs, ours))
        different.append(f"its {there_are} pairs are not the {asked_for} asked for")
    else:
        changed = [id for id in ours if ours[id] != theirs[id]]
        different += [f"the configuration {id} is not what it was" for id in changed[:3]]
    if different:
        message = (
            f"This folder holds another sweep: {'; '.join(different)}. Choose another out=FOLDER; only seeds can be added."
        )
        raise ConfigError(Problem(Where(str(folder)), "", message))


def _shown(value: Any) -> str:
    return "not given" if value is None else found(value).partition(" (")[0]


def runs(content: Mapping[str, Any]) -> Sequence[tuple[str, str, list[str]]]:
    """The runs of a sweep: name, configuration trained on, those evaluated."""
    return [(entry["run"], entry["train"], entry["evaluate"]) for entry in content["runs"]]
