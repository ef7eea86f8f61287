"""Shared set-up: one persistent compilation cache for all test processes."""

import gc
import os
import pathlib
import signal

import jax
import pytest

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # a shell's background job; what is interrupted in tests must hear it
    signal.signal(signal.SIGINT, signal.default_int_handler)
CACHE = pathlib.Path(os.environ.get("KAGEJAX_TEST_CACHE", pathlib.Path(__file__).parent.parent / ".cache" / "xla"))
jax.config.update("jax_compilation_cache_dir", str(CACHE))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.3)

MAPPED = 25_000
"""Pieces of memory after which compiled programs are forgotten: a process may have 65,530, and each program takes several."""
LONG = {
    "test_notebooks.py", "test_contract.py", "test_parallel.py", "test_latents.py", "test_resume.py", "test_server.py",
    "test_episodes_against_oracle.py", "test_spatial_baselines.py", "test_planning.py",
}  # fmt: skip
"""Files with tests of half a minute and more. They come first, so that workers do not wait for one of them at the end."""


def pytest_configure(config):
    if hasattr(config.option, "loadscopereorder"):  # xdist's own order has the files with the fewest tests last: these
        config.option.loadscopereorder = False


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name not in LONG)


@pytest.fixture(scope="module", autouse=True)
def _programs_are_forgotten_in_time():
    yield
    maps = pathlib.Path("/proc/self/maps")
    if maps.exists() and maps.read_bytes().count(b"\n") > MAPPED:
        jax.clear_caches()  # the next module finds them again in the cache on disk
        gc.collect()
