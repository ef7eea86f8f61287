"""Shared set-up: one persistent compilation cache for all test processes."""

import os
import pathlib

import jax

CACHE = pathlib.Path(os.environ.get("KAGEJAX_TEST_CACHE", pathlib.Path(__file__).parent.parent / ".cache" / "xla"))
jax.config.update("jax_compilation_cache_dir", str(CACHE))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.3)
