"""How models are asked: the protocol, and what is sent along with each request."""

import dataclasses
from collections.abc import Mapping
from typing import Any

MODES = ("one-shot", "step", "traceback")
VIEWS = ("text", "picture")
WORDINGS = ("reference", "paper")
PARSERS = ("strict", "lenient")


@dataclasses.dataclass(frozen=True)
class Protocol:
    """What a model is shown and how its replies are taken. Raises ValueError for what is not allowed."""

    mode: str = "one-shot"  # MODES; traceback: step by step, and the line may be taken back
    view: str = "text"  # VIEWS; picture: the board is shown as a picture alone
    wording: str = "reference"  # WORDINGS; paper: the rules as they were first published, which contradict some solutions
    history: bool = False  # step by step: one conversation; else every step is asked anew, without what was said before
    parser: str = "strict"  # PARSERS; which reading of a reply moves the line, step by step
    max_steps: int = 100
    invalid_replies: int = 2  # step by step: so many replies without an action are asked again in an episode; one more ends it
    picture_size: int = 512  # pixels, height and width

    def __post_init__(self):
        for field, allowed in (("mode", MODES), ("view", VIEWS), ("wording", WORDINGS), ("parser", PARSERS)):
            if getattr(self, field) not in allowed:
                raise ValueError(f"{field} is {getattr(self, field)!r}; allowed: {', '.join(allowed)}.")
        for field, least in (("max_steps", 1), ("invalid_replies", 0), ("picture_size", 32)):
            if getattr(self, field) < least:
                raise ValueError(f"{field} is {getattr(self, field)}; allowed: {least} or more.")

    @property
    def stepwise(self) -> bool:
        """Whether a model is asked for each move."""
        return self.mode != "one-shot"

    @property
    def traceback(self) -> bool:
        """Whether the line may be taken back."""
        return self.mode == "traceback"


OWN_FIELDS = ("model", "messages", "stream", "n", "seed", "temperature", "max_tokens")
"""Fields of a request that `Sampling.extra` may not set, since they are set elsewhere or would break the accounting."""


@dataclasses.dataclass(frozen=True)
class Sampling:
    """What is sent with each request; None: the endpoint's own default."""

    model: str
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None  # of sample 0; sample i gets seed + i
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # further fields of the request's body

    def __post_init__(self):
        taken = sorted(set(self.extra) & set(OWN_FIELDS))
        if taken:
            raise ValueError(f"extra holds {', '.join(taken)}; these fields are not set there.")

    def body(self, sample: int) -> dict[str, Any]:
        """The fields of a request, all but its messages."""
        fields = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        fields["seed"] = None if self.seed is None else self.seed + sample
        return {"model": self.model} | {name: value for name, value in fields.items() if value is not None}
