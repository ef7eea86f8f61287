"""Whether an entry's folder is complete, says what it must, and keeps to the limits that it tells of. SPEC section 1."""

import json
import math
import pathlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml

from .submission import (
    ARTEFACTS,
    DATASET,
    EVALUATION,
    LEAST_SEEDS,
    MOST_CALLS,
    MOST_HOURS,
    MOST_MILLISECONDS,
    MOST_PARAMETERS,
    MOST_SAMPLES,
    RESULTS,
    SECTIONS,
    SHEET,
    STEPS,
    TRAINING_SEEDS,
    Problem,
)

Check = tuple[Callable[[Any], bool], str]
"""What a value must be, as a question and in words."""


def _number(least: float, most: float = math.inf, whole: bool = False) -> Check:
    def fits(value: Any) -> bool:
        is_number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        return is_number and least <= value <= most and value < math.inf

    upper = "" if most == math.inf else f" to {most:,}"
    return fits, f"a {'whole ' if whole else ''}number of {least:,}{upper or ' or more'}"


def _filled(kind: type, words: str) -> Check:
    return (lambda value: isinstance(value, kind) and bool(value)), words


TEXT = _filled(str, "a text")
COMMIT = (lambda value: isinstance(value, str) and len(value) >= 7 and set(value) <= set("0123456789abcdef")), "a git commit"
SEED = (lambda value: value in TRAINING_SEEDS and not isinstance(value, bool)), f"one of {', '.join(map(str, TRAINING_SEEDS))}"
MODE = (lambda value: value in (DATASET, STEPS)), f"{DATASET!r} or {STEPS!r}"
PARAMETERS, HOURS = _number(1, MOST_PARAMETERS, whole=True), _number(0, MOST_HOURS)
COUNT = _number(0, whole=True)
IN_RESULTS: dict[str, Check] = {
    "entrant": TEXT,
    "git_commit": COMMIT,
    "random_seed": SEED,
    "parameter_count": PARAMETERS,
    "training_samples": COUNT,
    "training_time_hours": HOURS,
    "planner": TEXT,
    "planning_horizon": COUNT,
    "average_planning_time_ms": _number(0, MOST_MILLISECONDS),
}
IN_SHEET: dict[str, Check] = {
    "seed": SEED,
    "config": _filled(dict, "the whole configuration, as an object"),
    "dependencies": _filled(dict, "versions by name, as an object"),
    "data_mode": MODE,
    "dataset_version": TEXT,
    "train_command": TEXT,
    "evaluate_command": TEXT,
    "git_commit": COMMIT,
    "parameter_count": PARAMETERS,
    "training_time_hours": HOURS,
    "training_samples": COUNT,
}
SAME = {
    "seed": "random_seed",
    "git_commit": "git_commit",
    "parameter_count": "parameter_count",
    "training_time_hours": "training_time_hours",
    "training_samples": "training_samples",
}
"""Keys of SHEET that say the same as keys of RESULTS."""


def check_submission(folder: str | pathlib.Path) -> list[Problem]:
    """All that is wrong with the entry in `folder`: a file, a key in it, and what is expected there. Empty for one in order.

    Limits on memory, on the pages of a report and on what the code does are for reviewers.
    """
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        return [Problem(str(folder), "", "a folder")]
    problems = list(_missing(folder))
    results, found = _object(folder, RESULTS)
    problems += found or _wrong(RESULTS, results, IN_RESULTS)
    sheet, found = _object(folder, SHEET)
    problems += found or _wrong(SHEET, sheet, IN_SHEET)
    problems += _at_odds(results, sheet)
    problems += _configurations(folder)
    problems += _report(folder)
    if (folder / EVALUATION).exists():
        evaluation, found = _object(folder, EVALUATION)
        problems += found or _evaluated(evaluation, results)
    return problems


def _matches(folder: pathlib.Path, name: str) -> list[pathlib.Path]:
    return sorted({path for pattern in (name, *ARTEFACTS[name]) for path in folder.glob(pattern)})


def _missing(folder: pathlib.Path) -> Iterator[Problem]:
    for name in ARTEFACTS:
        found = _matches(folder, name)
        if not found:
            yield Problem(name, "", f"to be there, or one of {', '.join(ARTEFACTS[name])}")
        elif all(_is_empty(path) for path in found):
            yield Problem(found[0].name, "", "not to be empty")


def _is_empty(path: pathlib.Path) -> bool:
    return not any(path.iterdir()) if path.is_dir() else path.stat().st_size == 0


def _object(folder: pathlib.Path, name: str) -> tuple[dict, list[Problem]]:
    """The object in a JSON file, or nothing and what is wrong with the file."""
    try:
        content = json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, [Problem(name, "", "to be there")]
    except UnicodeDecodeError:
        return {}, [Problem(name, "", "JSON in UTF-8")]
    except json.JSONDecodeError as error:
        return {}, [Problem(name, "", f"JSON, which ends at line {error.lineno}, column {error.colno}: {error.msg}")]
    if not isinstance(content, dict):
        return {}, [Problem(name, "", "a JSON object")]
    return content, []


def _wrong(file: str, content: Mapping[str, Any], checks: Mapping[str, Check]) -> list[Problem]:
    def found(key: str) -> str:
        return f"found {json.dumps(content[key])[:60]}" if key in content else "it is missing"

    return [
        Problem(file, key, f"{words}; {found(key)}")
        for key, (fits, words) in checks.items()
        if key not in content or not fits(content[key])
    ]


def _at_odds(results: Mapping[str, Any], sheet: Mapping[str, Any]) -> Iterator[Problem]:
    for key, other in SAME.items():
        if key in sheet and other in results and sheet[key] != results[other]:
            expected = f"{json.dumps(results[other])}, as {RESULTS} says for {other}; found {json.dumps(sheet[key])}"
            yield Problem(SHEET, key, expected)
    samples = results.get("training_samples")
    if sheet.get("data_mode") == STEPS and COUNT[0](samples) and samples > MOST_SAMPLES:
        expected = f"at most {MOST_SAMPLES:,} generated transitions in mode {STEPS!r}; found {samples:,}"
        yield Problem(RESULTS, "training_samples", expected)


def _configurations(folder: pathlib.Path) -> Iterator[Problem]:
    for path in _matches(folder, "config.yaml"):
        try:
            content = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (UnicodeDecodeError, yaml.YAMLError) as error:
            yield Problem(path.name, "", f"YAML; {' '.join(str(error).split())}")
            continue
        if not isinstance(content, dict):
            yield Problem(path.name, "", "keys with values, in YAML")


def _report(folder: pathlib.Path) -> Iterator[Problem]:
    found = _matches(folder, "report.md")
    if not found or any(path.suffix == ".pdf" for path in found):
        return  # a PDF is for people
    text = " ".join(path.read_text(encoding="utf-8", errors="replace").lower() for path in found)
    for word in SECTIONS:
        if word not in text:
            yield Problem(found[0].name, word, "a section about it")


def _evaluated(evaluation: Mapping[str, Any], results: Mapping[str, Any]) -> Iterator[Problem]:
    checks: dict[str, Check] = {
        "seeds": (
            (lambda seeds: isinstance(seeds, list) and len({str(seed) for seed in seeds}) >= LEAST_SEEDS),
            f"{LEAST_SEEDS} or more seeds",
        ),
        "call_cap": _number(0, MOST_CALLS, whole=True),
        "strict_calls": ((lambda strict: strict is True), "true"),
        "splits": _filled(dict, "figures by split, as an object"),
    }
    yield from _wrong(EVALUATION, evaluation, checks)
    if evaluation.get("forbidden") is not None:
        yield Problem(EVALUATION, "forbidden", f"an agent that may be entered; {evaluation['forbidden']}")
    counted, said = evaluation.get("parameter_count"), results.get("parameter_count")
    if counted is not None and said is not None and counted != said:
        yield Problem(RESULTS, "parameter_count", f"{json.dumps(counted)}, as counted by the harness; found {json.dumps(said)}")
