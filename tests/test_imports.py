"""Who may import whom, and how little importing kagejax costs."""

import ast
import pathlib
import subprocess
import sys

import pytest

REPOSITORY = pathlib.Path(__file__).parents[1]
BELOW = {
    "core": set(),
    "config": {"core"},
    "raster": {"core"},
    "assets": {"core"},
    "envs": {"raster", "assets", "config", "core"},
    "evaluation": {"envs", "raster", "assets", "config", "core"},
    "learning": {"envs", "raster", "assets", "config", "core"},
    "adapters": {"envs", "raster", "assets", "config", "core"},
    "explorer": {"evaluation", "envs", "raster", "assets", "config", "core"},
    "play": {"evaluation", "envs", "raster", "assets", "config", "core"},
}
"""What each folder of kagejax may import beside itself and the face of the library."""

OPTIONAL = [
    "matplotlib", "numba", "imageio", "imageio_ffmpeg", "gymnasium", "torch", "openai", "datasets", "verifiers", "ray",
    "submitit", "tensorboardX", "wandb", "starlette", "uvicorn", "playwright", "pygame", "stable_baselines3", "pytest",
    "hypothesis",
]  # fmt: skip


def imported(file):
    """Dotted names of all modules that a file imports, whether at its top or inside a function."""
    package = file.relative_to(REPOSITORY).parent.parts
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = (*package[: len(package) - node.level + 1], node.module or "") if node.level else (node.module,)
            stem = ".".join(part for part in parts if part)
            yield stem
            yield from (f"{stem}.{alias.name}" for alias in node.names)


def files(folder):
    return sorted((REPOSITORY / "kagejax" / folder).rglob("*.py"))


@pytest.mark.parametrize("folder", BELOW)
def test_imports_point_downwards(folder):
    forbidden = {*BELOW, "cli", "agents", "benchmarks"} - BELOW[folder] - {folder}
    wrong = [
        f"{file.relative_to(REPOSITORY)} imports {name}"
        for file in files(folder)
        for name in imported(file)
        if name.split(".")[:2] in [["kagejax", above] for above in forbidden]
    ]
    assert wrong == []


def test_no_environment_imports_another():
    rooms = [folder.name for folder in (REPOSITORY / "kagejax" / "envs").iterdir() if folder.is_dir()]
    wrong = [
        f"{file.relative_to(REPOSITORY)} imports {name}"
        for room in rooms
        for file in files(f"envs/{room}")
        for name in imported(file)
        if name.startswith("kagejax.envs.") and name.split(".")[2] in set(rooms) - {room}
    ]
    assert wrong == []


def run(code):
    return subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, timeout=300)


def test_importing_kagejax_creates_no_device_array_and_needs_nothing_optional():
    code = f"""
import sys
import kagejax, kagejax.core, kagejax.config, kagejax.envs, kagejax.envs.kage.config
found = [name for name in {OPTIONAL} if name in sys.modules]
assert not found, found
import jax
assert not jax.live_arrays(), jax.live_arrays()
"""
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_reading_a_configuration_does_not_load_jax():
    code = "import sys, kagejax; kagejax.load_config('kage/background/1/eval'); assert 'jax' not in sys.modules"
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_every_module_of_kagejax_imports_alone():
    names = [
        ".".join(file.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")
        for file in sorted((REPOSITORY / "kagejax").rglob("*.py"))
    ]
    rooms = ("kagejax.envs.sokoban.", "kagejax.envs.spatial.")
    compiled = [name for name in names if name.startswith(rooms) and name.endswith("kernels")]
    assert len(compiled) == 6  # these are numba through and through; the others load them when they are first called
    adapters = [f"kagejax.adapters.{name}" for name in ("gymnasium", "spaces", "stable_baselines3", "vector")]
    assert set(adapters) < set(names)  # their classes are those packages' own; nothing loads them but who asks for them
    names = [name for name in names if name not in [*compiled, *adapters]]
    code = f"""
import importlib, sys
for name in {names}:
    importlib.import_module(name)
found = [name for name in {OPTIONAL} if name in sys.modules]
assert not found, found
import jax
assert not jax.live_arrays()
print("all of them")
"""
    done = run(code)
    assert done.stdout == "all of them\n", done.stderr
