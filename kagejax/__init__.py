"""kagejax: pixel benchmarks for reinforcement learning that run wholly on an accelerator."""

from kagejax import envs  # registers the environments
from kagejax.config.loader import load_config
from kagejax.config.making import ids, make, make_batch
from kagejax.config.problems import ConfigError, DeadKeyWarning

__version__ = "0.1.0"

__all__ = ["ConfigError", "DeadKeyWarning", "envs", "ids", "load_config", "make", "make_batch"]
