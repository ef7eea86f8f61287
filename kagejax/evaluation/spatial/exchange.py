"""What goes to whoever plays, and what comes back: a model behind an endpoint, or a baseline in our own process."""

import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any

from kagejax.envs.spatial.puzzles import Path, Puzzle


@dataclasses.dataclass(frozen=True)
class Request:
    """One question."""

    messages: tuple[dict[str, Any], ...]  # as a chat endpoint takes them
    puzzle: Puzzle
    path: Path  # the line so far
    legal: tuple[int, ...]  # actions; empty when a whole path is asked for
    number: int  # of the request in its episode, from 0
    sample: int


@dataclasses.dataclass(frozen=True)
class Attempt:
    """A request that failed, and how long was waited before the next one."""

    error: str
    seconds: float
    waited: float


@dataclasses.dataclass(frozen=True)
class Reply:
    """An answer, or the failure to get one."""

    content: str = ""
    reasoning: str = ""  # a field of its own, where an endpoint gives one; never parsed
    finish: str = ""  # "stop", "length" and so on, as the endpoint says
    prompt_tokens: int = 0
    completion_tokens: int = 0  # reasoning included
    reasoning_tokens: int = 0
    seconds: float = 0.0  # of all attempts, with the waits
    attempts: tuple[Attempt, ...] = ()  # those that failed
    failure: str = ""  # why there is no answer; empty if there is one


Player = Callable[[Request], Awaitable[Reply]]
