"""One puzzle, played by a model or a baseline: what was asked, what was said, where the line went, and what it came to."""

import dataclasses
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kagejax.envs.spatial.names import CAUSES
from kagejax.envs.spatial.puzzles import Path, Puzzle

from . import lines, parsing, prompts
from .exchange import Attempt, Player, Reply, Request

if TYPE_CHECKING:  # it loads jax, which those who only read logs need not
    from .stage import Stage

OUTCOMES = ("solved", "rules broken", "line broken", "no path", "stuck", "step limit", "invalid reply", "request failed")
"""What an episode comes to. "line broken" and "no path" occur in whole answers, "stuck" to "invalid reply" step by step; "rules
broken" is a finished line of which a symbol or dot complains."""

NO_PATH, INVALID_REPLY, REQUEST_FAILED = "no path", "invalid reply", "request failed"


@dataclasses.dataclass(frozen=True)
class Turn:
    """One question and its reply."""

    prompt: str
    reply: str
    reasoning: str = ""
    finish: str = ""
    action: int | None = None  # what the strict parser read, step by step
    lenient_action: int | None = None
    legal: tuple[int, ...] = ()
    step: int = 0  # steps done before
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()
    failure: str = ""


@dataclasses.dataclass(frozen=True)
class Episode:
    """One puzzle, once."""

    puzzle: str
    digest: str  # of the puzzle, see `digest`
    sample: int
    level: int
    kinds: tuple[str, ...]  # of rules in the puzzle
    outcome: str  # one of OUTCOMES
    solved: bool
    solved_leniently: bool | None  # whole answers: as the lenient parser reads them; None: not defined
    path: Path | None  # the line in the end
    lenient_path: Path | None  # where the lenient parser reads another one
    line: dict[str, bool]  # see `lines.analyze`
    rules: dict[str, bool] | None  # by name, for a line that could be judged
    steps: int  # moves of a whole answer; steps taken, illegal ones too, step by step
    illegal: int
    backtracks: int
    walk: Path  # positions after each step, the start first; empty for whole answers
    system: str
    turns: tuple[Turn, ...]
    seconds: float
    began: str  # date and time, UTC

    @property
    def finished(self) -> bool:
        """Whether it was played to its end, and not given up for a request that failed."""
        return self.outcome != REQUEST_FAILED


def to_json(episode: Episode) -> dict[str, Any]:
    """The fields of an episode, for JSON. `dataclasses.asdict` would copy a path position by position, however long it is."""
    return vars(episode) | {"turns": [dataclasses.asdict(turn) for turn in episode.turns]}


def from_json(fields: Mapping[str, Any]) -> Episode:
    """An episode from what `to_json` made of one, also after JSON. Raises ValueError, in full sentences, for anything else."""
    _require_fields(Episode, fields, "")
    for name, kind in {"puzzle": str, "sample": int, "level": int, "solved": bool, "line": dict, "steps": int}.items():
        if not isinstance(fields[name], kind):
            raise ValueError(f"The field {name} holds {fields[name]!r:.60}; it must be of the type {kind.__name__}.")
    outcome, absent = fields["outcome"], [name for name in (*lines.PUBLISHED, *lines.OURS) if name not in fields["line"]]
    if outcome not in OUTCOMES:
        raise ValueError(f"The field outcome holds {outcome!r:.60}; allowed: {', '.join(OUTCOMES)}.")
    if fields["solved"] != (outcome == "solved"):
        raise ValueError(f"The outcome is {outcome!r}, but solved is {json.dumps(fields['solved'])}: the line was edited.")
    if absent:
        raise ValueError(f"The field line.{absent[0]} is missing.")
    try:
        turns = tuple(_turn(turn, f"turns[{place}].") for place, turn in enumerate(fields["turns"]))
        paths = {name: _path(fields[name]) for name in ("path", "lenient_path", "walk")}
        return Episode(**fields | paths | {"turns": turns, "kinds": tuple(fields["kinds"])})
    except TypeError as problem:
        raise ValueError(f"A field holds something else than it should: {problem}.") from None


def _turn(fields: Mapping[str, Any], place: str) -> Turn:
    _require_fields(Turn, fields, place)
    for number, attempt in enumerate(fields["attempts"]):
        _require_fields(Attempt, attempt, f"{place}attempts[{number}].")
    tries = tuple(Attempt(**attempt) for attempt in fields["attempts"])
    return Turn(**fields | {"attempts": tries, "legal": tuple(fields["legal"])})


def _require_fields(kind: type, fields: Mapping[str, Any], place: str) -> None:
    """That all fields of a dataclass are there, and no others; `place`: of the fields in the episode, with a full stop."""
    if not isinstance(fields, Mapping):
        raise ValueError(f"The field {place[:-1]} holds {fields!r:.60}; it must be an object with fields.")
    known = [field.name for field in dataclasses.fields(kind)]
    for name in known:
        if name not in fields:
            raise ValueError(f"The field {place}{name} is missing.")
    for name in fields:
        if name not in known:
            raise ValueError(f"The field {place}{name} is not known.")


def _path(positions: Sequence[Sequence[int]] | None) -> Path | None:
    return None if positions is None else tuple((x, y) for x, y in positions)


def digest(puzzle: Puzzle) -> str:
    """What tells puzzles apart that have one id and other contents; solutions and difficulty do not enter."""
    shapes = sorted((name, shape) for name, shape in puzzle.shapes.items())
    text = json.dumps([puzzle.grid, shapes], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


async def one_shot(stage: "Stage", index: int, sample: int, player: Player) -> Episode:
    """One whole answer to puzzle `index`."""
    puzzle, record = stage.puzzles[index], _Record(stage, index, sample, player)
    reply = await record.ask(prompts.question(puzzle, stage.protocol), (puzzle.start,), ())
    path = parsing.path(reply.content, puzzle.end)
    lenient = parsing.lenient_path(reply.content, puzzle.start, puzzle.end)
    line = lines.analyze(path, puzzle)
    rules = stage.verdict(index, path) if line["line_valid"] else None
    if reply.failure:
        outcome = REQUEST_FAILED
    elif path is None:
        outcome = NO_PATH
    elif rules is None:
        outcome = "line broken"
    else:
        outcome = "solved" if all(rules.values()) else "rules broken"
    solved = outcome == "solved"
    if not solved and lenient != path and lines.analyze(lenient, puzzle)["line_valid"]:
        also = all(stage.verdict(index, lenient).values())
    else:
        also = solved
    return record.episode(
        outcome=outcome,
        solved_leniently=also,
        path=path,
        lenient_path=None if lenient == path else lenient,
        line=line,
        rules=rules,
        steps=len(path or (None,)) - 1,
    )


async def step_by_step(stage: "Stage", index: int, sample: int, player: Player) -> Episode:
    """An episode of one question a step, on puzzle `index`."""
    puzzle, protocol, record = stage.puzzles[index], stage.protocol, _Record(stage, index, sample, player)
    snapshot = stage.session.start(index)
    walk, illegal, backtracks, invalid, unread, outcome = [snapshot.path[-1]], 0, 0, 0, False, ""
    while not outcome and not snapshot.over:
        prompt = prompts.step(puzzle, protocol, snapshot.path, snapshot.legal, snapshot.steps + 1)
        if unread and protocol.history:
            prompt = prompts.REMINDER
        elif unread:
            prompt = f"{prompt}\n\n{prompts.REMINDER}"
        reply = await record.ask(prompt, snapshot.path, snapshot.legal, snapshot.steps)
        turn = record.turns[-1]
        action = turn.action if protocol.parser == "strict" else turn.lenient_action
        unread = action is None
        if reply.failure:
            outcome = REQUEST_FAILED
        elif unread:
            invalid += 1
            outcome = INVALID_REPLY if invalid > protocol.invalid_replies else ""
        else:
            illegal += action not in snapshot.legal
            before, snapshot = len(snapshot.path), stage.session.act(snapshot, action)
            backtracks += len(snapshot.path) < before
            walk.append(snapshot.path[-1])
    return record.episode(
        outcome=outcome or _ending(snapshot),
        solved_leniently=None,
        path=snapshot.path,
        lenient_path=None,
        line=lines.analyze(snapshot.path, puzzle),
        rules=stage.verdict(index, snapshot.path) if snapshot.terminated else None,
        steps=snapshot.steps,
        illegal=illegal,
        backtracks=backtracks,
        walk=tuple(walk),
    )


def _ending(snapshot: Any) -> str:
    if snapshot.terminated:
        return "solved" if snapshot.solved else "rules broken"
    return {"no legal move": "stuck", "step limit": "step limit"}[CAUSES[snapshot.cause]]


def opening(stage: "Stage", index: int) -> dict[str, Any]:
    """The first question on puzzle `index`, as a message of a chat."""
    puzzle, protocol = stage.puzzles[index], stage.protocol
    if not protocol.stepwise:
        return _question(stage, index, prompts.question(puzzle, protocol), (puzzle.start,))
    legal = stage.session.start(index).legal
    return _question(stage, index, prompts.step(puzzle, protocol, (puzzle.start,), legal, 1), (puzzle.start,))


def _question(stage: "Stage", index: int, prompt: str, path: Path) -> dict[str, Any]:
    """A message, with the picture of the line `path` where boards are shown so."""
    if stage.protocol.view == "text" or prompt == prompts.REMINDER:
        return {"role": "user", "content": prompt}
    picture = {"type": "image_url", "image_url": {"url": stage.picture_url(index, path)}}
    return {"role": "user", "content": [picture, {"type": "text", "text": prompt}]}


class _Record:
    """An episode under way: what is said, and how it is asked."""

    def __init__(self, stage: "Stage", index: int, sample: int, player: Player):
        self.stage, self.index, self.sample, self.player = stage, index, sample, player
        self.puzzle = stage.puzzles[index]
        self.system = prompts.system(self.puzzle, stage.protocol)
        self.turns: list[Turn] = []
        self._talk: list[dict[str, Any]] = []  # what was said before, as messages
        self._began, self._clock = time.gmtime(), time.monotonic()

    async def ask(self, prompt: str, path: Path, legal: tuple[int, ...], step: int = 0) -> Reply:
        """The reply to a question about the line `path`, noted as a turn."""
        protocol, question = self.stage.protocol, _question(self.stage, self.index, prompt, path)
        messages = ({"role": "system", "content": self.system}, *self._talk, question)
        reply = await self.player(Request(messages, self.puzzle, path, legal, len(self.turns), self.sample))
        if protocol.history:
            # What was thought is not part of a conversation, and an empty message is refused by some endpoints.
            said = reply.content.rpartition("</think>")[2].strip() or "(no answer)"
            self._talk += [question, {"role": "assistant", "content": said}]
        read = protocol.stepwise and not reply.failure
        self.turns.append(
            Turn(
                prompt=prompt,
                reply=reply.content,
                action=parsing.step(reply.content) if read else None,
                lenient_action=parsing.lenient_step(reply.content) if read else None,
                legal=legal,
                step=step,
                **{name: getattr(reply, name) for name in _TAKEN},
            )
        )
        return reply

    def episode(self, outcome: str, **fields: Any) -> Episode:
        """The episode, with what it came to."""
        nothing: dict[str, Any] = {"illegal": 0, "backtracks": 0, "walk": ()}
        return Episode(
            puzzle=self.puzzle.id,
            digest=digest(self.puzzle),
            sample=self.sample,
            level=self.puzzle.level,
            kinds=tuple(sorted(self.puzzle.kinds)),
            outcome=outcome,
            solved=outcome == "solved",
            system=self.system,
            turns=tuple(self.turns),
            seconds=time.monotonic() - self._clock,
            began=time.strftime("%Y-%m-%dT%H:%M:%SZ", self._began),
            **nothing | fields,
        )


_TAKEN = (
    "reasoning", "finish", "prompt_tokens", "completion_tokens", "reasoning_tokens", "seconds", "attempts", "failure",
)  # fmt: skip
