"""What is wrong with a configuration, said for people: where, what was found, what is allowed, what to do."""

import dataclasses
import difflib
import reprlib
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

WIDTH = 78
"""Columns that a message fills before it wraps."""


@dataclasses.dataclass(frozen=True)
class Where:
    """The place that a value came from: a line of a file, or something else that has a name (an override, a default)."""

    name: str
    line: int | None = None  # from 1; None for what has no lines

    def __str__(self) -> str:
        return self.name if self.line is None else f"{self.name}:{self.line}"


@dataclasses.dataclass(frozen=True)
class Problem:
    """One thing that is wrong: its place, its dotted path (empty for a whole file) and a message of full sentences."""

    where: Where
    path: str
    message: str

    def __str__(self) -> str:
        head = f"{self.where}: {self.path}" if self.path else f"{self.where}:"
        lines = self.message.splitlines()
        wrap = textwrap.TextWrapper(WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
        return "\n".join([head, *(wrapped for line in lines for wrapped in wrap.wrap(line))])


class ConfigError(ValueError):
    """A configuration that cannot be used. `problems` has everything that was found, in the order of the file's lines."""

    def __init__(self, problems: Iterable[Problem] | Problem):
        found = [problems] if isinstance(problems, Problem) else list(problems)
        self.problems: tuple[Problem, ...] = tuple(sorted(found, key=lambda p: (p.where.name, p.where.line or 0)))
        super().__init__(str(self))

    def __str__(self) -> str:
        count = len(self.problems)
        title = "The configuration has a problem:" if count == 1 else f"The configuration has {count} problems:"
        return "\n".join([title, *(str(problem) for problem in self.problems)])

    def __reduce__(self):
        return ConfigError, (self.problems,)


class DeadKeyWarning(UserWarning):
    """Keys that are accepted, because published files have them, and that change nothing."""


class _ShortRepr(reprlib.Repr):
    """`repr` that stays on a line, whatever a file holds, in the words of YAML."""

    def __init__(self):
        super().__init__()
        self.maxstring = self.maxother = 60
        self.maxlist = self.maxtuple = self.maxdict = 6
        self.maxlevel = 3

    def repr1(self, x: Any, level: int) -> str:
        constant = {True: "true", False: "false", None: "null"}
        return constant[x] if x is None or isinstance(x, bool) else super().repr1(x, level)

    def repr_tuple(self, x: tuple, level: int) -> str:
        return self.repr_list(list(x), level)

    def repr_int(self, x: int, level: int) -> str:
        return str(x) if abs(x) < 10**20 else f"an integer of {x.bit_length()} bits"


show = _ShortRepr().repr
"""A value as text: short, on one line, `true`, `false` and `null` as in YAML."""


def found(value: Any) -> str:
    """What was found, with its kind where that is the point of the message."""
    if value is None or isinstance(value, bool):
        return show(value)
    for kind, name in ((str, "text"), (int, "an integer"), (float, "a number"), (list | tuple, "a list"), (dict, "a mapping")):
        if isinstance(value, kind):
            return f"{show(value)} ({name})"
    return f"{show(value)} ({type(value).__name__})"


def nearest(word: str, words: Iterable[str], count: int = 1) -> list[str]:
    """The known words most like `word`, letter case aside; empty if none is alike."""
    by_folded: dict[str, str] = {}
    for known in words:
        by_folded.setdefault(known.casefold(), known)
    folded = word.casefold()[:80]
    longer = [known for known in by_folded if len(folded) > 2 and known.startswith(folded)]
    close = longer or difflib.get_close_matches(folded, list(by_folded), n=count, cutoff=0.6)
    return [by_folded[known] for known in close[:count]]


def did_you_mean(word: Any, words: Iterable[str]) -> str:
    """' Did you mean ...?' for the nearest known word, or nothing."""
    close = nearest(word, words) if isinstance(word, str) else []
    return f" Did you mean {close[0]}?" if close else ""


def listing(words: Sequence[str], last: str = "or") -> str:
    """'a, b or c'."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
