"""Shared set-up: one persistent compilation cache for all test processes."""

import os
import pathlib
import signal

import jax

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # a shell's background job; what is interrupted in tests must hear it
    signal.signal(signal.SIGINT, signal.default_int_handler)
CACHE = pathlib.Path(os.environ.get("KAGEJAX_TEST_CACHE", pathlib.Path(__file__).parent.parent / ".cache" / "xla"))
jax.config.update("jax_compilation_cache_dir", str(CACHE))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.3)
