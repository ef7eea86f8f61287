"""The folder of an entry: what is in it, and whether it is complete and within the limits. Host side. SPEC section 1."""

import contextlib
import json
import os
import pathlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

RESULTS, SHEET, EVALUATION = "results.json", "reproducibility.json", "evaluation.json"
DATASET, STEPS = "Fixed Dataset", "Fixed Environment-Steps"
MOST_PARAMETERS, MOST_HOURS, MOST_MILLISECONDS, MOST_CALLS, MOST_SAMPLES = 20_000_000, 12, 500, 256, 2_000_000
TRAINING_SEEDS = (13, 42, 137)
LEAST_SEEDS = 3
ARTEFACTS = {
    "README.md": ("README", "README.*"),
    "requirements.txt": ("requirements*.txt", "pyproject.toml", "uv.lock"),
    "config.yaml": ("*.yaml", "*.yml"),
    "checkpoint": ("checkpoint*",),
    "train.py": ("train*.py", "train*.sh"),
    "evaluate.py": ("eval*.py", "eval*.sh"),
    "report.md": ("report*.md", "report*.pdf", "report*.txt", "report*.tex", "report*.html"),
}
"""What an entry consists of beside RESULTS and SHEET, by the usual name, and names that it may have."""
SECTIONS = (
    "architecture", "objective", "collapse", "data", "planner", "goal", "improvements", "failed", "weaknesses", "results"
)  # fmt: skip
"""Words that a report must have, for its sections."""


class Results(NamedTuple):
    """What RESULTS says of an entry."""

    entrant: str
    git_commit: str
    random_seed: int  # of training
    parameter_count: int
    training_samples: int  # transitions generated, whether the loss saw them or not
    training_time_hours: float  # on a GPU, of the final run
    planner: str
    planning_horizon: int
    average_planning_time_ms: float


class Sheet(NamedTuple):
    """What SHEET says: enough to do it again."""

    seed: int
    config: Mapping[str, Any]  # all of it
    dependencies: Mapping[str, str]  # versions by name
    data_mode: str  # DATASET or STEPS
    dataset_version: str
    train_command: str
    evaluate_command: str
    git_commit: str
    parameter_count: int
    training_time_hours: float
    training_samples: int
    loss_samples: int | None = None  # transitions that the loss saw


class Problem(NamedTuple):
    """What is wrong with an entry."""

    file: str
    key: str  # empty where the file as a whole is meant
    expected: str

    def __str__(self) -> str:
        return f"{self.file}{': ' if self.key else ''}{self.key}: expected {self.expected}"


def write_json(path: str | pathlib.Path, content: Any) -> None:
    """Writes `content`; the file appears complete or not at all. Raises ValueError for numbers that JSON does not have."""
    path = pathlib.Path(path)
    draft = path.with_name(path.name + ".part")
    draft.write_text(json.dumps(content, indent=2, default=_plain, allow_nan=False) + "\n", encoding="utf-8")
    os.replace(draft, path)


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} cannot be written as JSON")


def write_submission(
    folder: str | pathlib.Path,
    results: Results,
    sheet: Sheet,
    files: Mapping[str, str | pathlib.Path],
    evaluation: Mapping[str, Any] | None = None,
) -> None:
    """Writes an entry: `files` are copied, files or folders, under the names that they have here, such as "train.py".

    `evaluation`: the report of the harness. The folder appears complete or not at all. Raises FileExistsError if it is there
    already, FileNotFoundError for a file that is not, ValueError for a name that leads out of the folder.
    """
    folder = pathlib.Path(folder).absolute()
    if folder.exists():
        raise FileExistsError(f"{folder} is there already; entries are not overwritten.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _draft(folder) as draft:
        for name, source in files.items():
            target = (draft / name).resolve()
            if not target.is_relative_to(draft.resolve()) or target == draft.resolve():
                raise ValueError(f"The name {name!r} leads out of the entry.")
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if pathlib.Path(source).is_dir() else shutil.copyfile)(source, target)
        write_json(draft / RESULTS, results._asdict())
        write_json(draft / SHEET, {key: value for key, value in sheet._asdict().items() if value is not None})
        if evaluation is not None:
            write_json(draft / EVALUATION, evaluation)


@contextlib.contextmanager
def _draft(folder: pathlib.Path) -> Iterator[pathlib.Path]:
    """A folder beside `folder` that takes its name in the end, or is gone if that is not reached."""
    draft = pathlib.Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        yield draft
        draft.chmod(0o755)
        os.rename(draft, folder)
    except BaseException:
        shutil.rmtree(draft)
        raise
