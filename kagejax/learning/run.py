"""Run directories: one folder per run with everything needed to understand and repeat it."""

import dataclasses
import hashlib
import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess
import sys
import time
from typing import Any

import jax

from .loggers import plain

PACKAGES = ("kagejax", "jax", "jaxlib", "flax", "optax", "orbax-checkpoint", "numpy")
CAPTURED = ("XLA_FLAGS", "JAX_", "XLA_PYTHON_CLIENT_", "CUDA_VISIBLE_DEVICES")


def prepare(exact: str, root: str, name: str, again: bool = False) -> pathlib.Path:
    """The folder of a run, made where it is missing: `exact` if that is given, else a new one in `root` called after `name`.

    Raises FileExistsError if `exact` holds a run already, unless it is to be gone on with `again`.
    """
    if not exact:
        return create(root, name)
    path = pathlib.Path(exact)
    if (path / "metrics.jsonl").exists() and not again:
        raise FileExistsError(f"{path} holds a run already; choose another run_dir, or resume={path} into a new one")
    path.mkdir(parents=True, exist_ok=True)
    return path


def create(root: str | pathlib.Path, name: str) -> pathlib.Path:
    """A new folder `root/name-DATE-TIME`, with a number behind it where two runs begin in the same second."""
    stem = pathlib.Path(root) / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    for number in range(1000):
        path = stem.with_name(stem.name + (f"-{number}" if number else ""))
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        return path
    raise FileExistsError(f"{stem}-0 to -999 all exist")


def describe(config: Any, environments: dict[str, Any], seeds: tuple[int, ...]) -> dict[str, Any]:
    """The content of `run.json`: resolved config (a dataclass) and environments with their hashes, versions, device, flags,
    seeds, and the state of the source repository where there is one."""
    config = dataclasses.asdict(config)
    device = jax.devices()[0]
    return {
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "command": sys.argv,
        "seeds": list(seeds),
        "config": config,
        "config_hash": fingerprint(config),
        "environments": environments,
        "environments_hash": fingerprint(environments),
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in PACKAGES}},
        "system": {"platform": platform.platform(), "cores": os.cpu_count(), "cpu": _cpu()},
        "device": {"kind": device.device_kind, "platform": device.platform, "count": jax.device_count()},
        "flags": {
            "environment": {name: value for name, value in sorted(os.environ.items()) if name.startswith(CAPTURED)},
            "jax_enable_x64": jax.config.jax_enable_x64,
            "jax_default_prng_impl": jax.config.jax_default_prng_impl,
            "jax_threefry_partitionable": jax.config.jax_threefry_partitionable,
            "jax_default_matmul_precision": jax.config.jax_default_matmul_precision,
        },
        "git": _git(),
    }


def write_json(path: str | pathlib.Path, content: Any) -> None:
    """Writes `content` as JSON; the file appears complete or not at all."""
    path = pathlib.Path(path)
    draft = path.with_name(path.name + ".part")
    draft.write_text(json.dumps(plain(content), indent=2, default=str) + "\n")
    os.replace(draft, path)


def fingerprint(content: Any) -> str:
    """First 16 hexadecimal digits of the SHA-256 of `content` as sorted JSON."""
    return hashlib.sha256(json.dumps(plain(content), sort_keys=True, default=str).encode()).hexdigest()[:16]


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpu() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor())


def _git() -> dict[str, Any] | None:
    """Commit and uncommitted changes of the repository that holds this file; None outside of one."""
    folder = pathlib.Path(__file__).resolve().parent

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", __file__)  # an installed copy may lie inside of somebody else's repository
        return {
            "commit": git("rev-parse", "HEAD"),
            "changed": git("status", "--porcelain", "--untracked-files=no").splitlines(),
        }
    except (OSError, subprocess.SubprocessError):
        return None
