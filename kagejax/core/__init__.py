"""The contract: environments, spaces, batches. Knows no environment, no YAML, no agent."""

from .batching import anywhere, batch_aware, batch_size, first_of
from .check import check_env
from .environment import Environment, Transition
from .spaces import Box, Dict, Discrete, Space, Text
from .stacking import FrameStack
from .vector import Statistics, VectorEnvironment, VectorState

__all__ = [
    "Box",
    "Dict",
    "Discrete",
    "Environment",
    "FrameStack",
    "Space",
    "Statistics",
    "Text",
    "Transition",
    "VectorEnvironment",
    "VectorState",
    "anywhere",
    "batch_aware",
    "batch_size",
    "check_env",
    "first_of",
]
