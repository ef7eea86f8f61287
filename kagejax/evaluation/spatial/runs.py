"""All puzzles, several at a time: what is not in the log yet is played, and logged as soon as it is over."""

import asyncio
import dataclasses
import hashlib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from kagejax.envs.spatial.names import ACTIONS
from kagejax.envs.spatial.puzzles import Puzzle

from . import episodes, logs, prompts
from .endpoint import EndpointError
from .episodes import Episode
from .exchange import Player
from .logs import Key, Log
from .settings import Protocol, Sampling


class Plan(NamedTuple):
    """What a run has to play."""

    puzzles: tuple[Puzzle, ...]
    samples: int
    protocol: Protocol

    def places(self) -> list[tuple[int, int]]:
        """(puzzle by its place, sample), all puzzles of a sample before the next sample."""
        return [(index, sample) for sample in range(self.samples) for index in range(len(self.puzzles))]


def in_turns(puzzles: Iterable[Puzzle]) -> list[Puzzle]:
    """Puzzles with their levels taking turns, in their own order within a level: the first few are of all levels."""
    before: dict[int, int] = {}
    ranked = []
    for place, puzzle in enumerate(puzzles):
        before[puzzle.level] = before.get(puzzle.level, 0) + 1
        ranked.append((before[puzzle.level], puzzle.level, place, puzzle))
    return [puzzle for *_, puzzle in sorted(ranked, key=lambda entry: entry[:3])]


def settings_of(agent: str, protocol: Protocol, sampling: Sampling | None = None, seed: int | None = None) -> dict[str, Any]:
    """What must not change within a log. `prompts` stands for all their sentences, `agent` for who plays."""
    told = prompts.system(prompts.EXAMPLE, protocol)
    if not protocol.stepwise:
        told += prompts.question(prompts.EXAMPLE, protocol)
    else:
        silent = dataclasses.replace(protocol, view="picture")
        told += prompts.step(prompts.EXAMPLE, silent, (prompts.EXAMPLE.start,), range(len(ACTIONS)), 1) + prompts.REMINDER
    settings = {"agent": agent} | dataclasses.asdict(protocol)
    settings |= {} if sampling is None else dataclasses.asdict(sampling) | {"extra": dict(sampling.extra)}
    settings |= {} if seed is None else {"seed": seed}
    return settings | {"prompts": hashlib.sha256(told.encode()).hexdigest()[:16]}


def pending(plan: Plan, log: Log, retry_failed: bool = False) -> list[tuple[int, int]]:
    """What is left to play: (puzzle by its place, sample). Raises LogError if the log knows other puzzles by the same ids."""
    digests = {puzzle.id: episodes.digest(puzzle) for puzzle in plan.puzzles}
    for (puzzle, _), episode in log.episodes.items():
        if digests.get(puzzle, episode.digest) != episode.digest:
            raise logs.LogError(f"The log has another puzzle of the id {puzzle!r}. Choose another folder.")

    def done(index: int, sample: int) -> bool:
        episode = log.episodes.get((plan.puzzles[index].id, sample))
        return episode is not None and (episode.finished or not retry_failed)

    return [key for key in plan.places() if not done(*key)]


def played(plan: Plan, log: Log) -> list[Episode]:
    """The episodes of a plan that are over."""
    keys: list[Key] = [(plan.puzzles[index].id, sample) for index, sample in plan.places()]
    return [log.episodes[key] for key in keys if key in log.episodes]


def passed_over(plan: Plan, log: Log) -> dict[str, int]:
    """How many episodes of a log a plan leaves out: those on other puzzles, and further samples of its own."""
    own = {puzzle.id for puzzle in plan.puzzles}
    other = sum(puzzle not in own for puzzle, _ in log.episodes)
    return {"other_puzzles": other, "further_samples": len(log.episodes) - other - len(played(plan, log))}


async def play(
    plan: Plan,
    log: Log,
    player: Player,
    *,
    concurrency: int = 8,
    retry_failed: bool = False,
    stop_after: int = 10,
    say: Callable[[Episode], None] = lambda episode: None,
) -> None:
    """Plays what is left, `concurrency` puzzles at a time, and logs it. When it is broken off, what is over is in the log.

    stop_after: gives up when so many episodes in a row ended with a failed request; 0: never. Raises EndpointError then, and
    where no request can succeed, and LogError.
    """
    from .stage import Stage

    left = pending(plan, log, retry_failed)
    if not left:
        return
    stage, waiting, failures = Stage(plan.puzzles, plan.protocol), iter(left), 0
    stage.warm(index for index, _ in left)  # while it compiles, no answer is heard, and a request might seem late
    play_one = episodes.step_by_step if plan.protocol.stepwise else episodes.one_shot

    async def work() -> None:
        nonlocal failures
        for index, sample in waiting:
            episode = await play_one(stage, index, sample, player)
            log.add(episode)
            say(episode)
            failures = 0 if episode.finished else failures + 1
            if stop_after and failures >= stop_after:
                raise EndpointError(
                    f"The requests of {failures} episodes in a row failed, the last one with: {episode.turns[-1].failure}. "
                    "What is over is in the log; run the same command with --retry-failed to go on."
                )

    workers = [asyncio.create_task(work()) for _ in range(min(concurrency, len(left)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
