"""Configurations: YAML text to validated models. Knows no environment."""

from .loader import load_config
from .parameters import Parameter, parameters
from .problems import ConfigError, DeadKeyWarning, Problem
from .registry import register
from .schema import ConfigModel

__all__ = ["ConfigError", "ConfigModel", "DeadKeyWarning", "Parameter", "Problem", "load_config", "parameters", "register"]
