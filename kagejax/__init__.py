"""kagejax: pixel benchmarks for reinforcement learning that run wholly on an accelerator."""

from kagejax import envs  # registers the environments
from kagejax.adapters import registration
from kagejax.config.loader import load_config
from kagejax.config.making import ids, make, make_batch, make_batches
from kagejax.config.problems import ConfigError, DeadKeyWarning

__version__ = "0.1.0"

__all__ = ["ConfigError", "DeadKeyWarning", "envs", "ids", "load_config", "make", "make_batch", "make_batches", "verify_pair"]

registration.announce()


def __getattr__(name: str):
    """`verify_pair` runs environments, so it is imported when asked for: `import kagejax` alone does not load jax."""
    if name == "verify_pair":
        from kagejax.evaluation.pairs import verify_pair

        return verify_pair
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
