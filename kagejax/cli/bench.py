"""`kagejax bench`: the throughput benchmark, wherever kagejax is installed."""

import importlib
import importlib.util
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `kagejax bench ARGUMENTS` and gives the exit status. Raises ConfigError for a user's mistake."""
    # A checkout that is not installed has benchmarks/ beside kagejax/, not inside it.
    package = "kagejax.benchmarks" if importlib.util.find_spec("kagejax.benchmarks") else "benchmarks"
    return importlib.import_module(f"{package}.throughput").main(arguments, prog="kagejax bench")
