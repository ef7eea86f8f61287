"""Path puzzles as an environment for the library verifiers, to evaluate and to train language models with its tools.

    pip install 'kagejax[verifiers]'
    eval kagejax-spatial --env.taskset.puzzles puzzles.jsonl --env.taskset.mode step --env.player.runtime.type subprocess

It asks as `kagejax spatial eval` does: the same prompts, parsers and rules. Step by step it keeps one conversation for an
episode, as verifiers does with all of them; `--history` of `kagejax spatial eval` is the same protocol.
Written against verifiers 0.4.0. It needs openai below 3, which `kagejax spatial eval` works with, too.
"""

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any, Literal

import verifiers.v1 as vf

from kagejax.envs.spatial import puzzles as records
from kagejax.evaluation.spatial import episodes, metrics, prompts, runs
from kagejax.evaluation.spatial.episodes import Episode
from kagejax.evaluation.spatial.exchange import Reply, Request
from kagejax.evaluation.spatial.settings import Protocol
from kagejax.evaluation.spatial.stage import Stage

__all__ = ["SpatialEnv", "SpatialTaskset"]


class SpatialConfig(vf.TasksetConfig):
    """Which puzzles, and how they are asked; see `kagejax.evaluation.spatial.settings.Protocol`."""

    puzzles: str = "hub"
    """A file of records (JSON lines) or a folder of such files; hub: the public data set."""
    split: str = "test"
    """Of the public data set."""
    levels: list[int] | None = None
    """Only these."""
    mode: Literal["one-shot", "step", "traceback"] = "step"
    view: Literal["text", "picture"] = "text"
    wording: Literal["reference", "paper"] = "reference"
    parser: Literal["strict", "lenient"] = "strict"
    max_steps: int = 100
    invalid_replies: int = 2
    picture_size: int = 512

    def protocol(self) -> Protocol:
        """The protocol that is asked by."""
        names = [field.name for field in dataclasses.fields(Protocol) if field.name != "history"]
        return Protocol(history=True, **{name: getattr(self, name) for name in names})


class SpatialData(vf.TaskData):
    """A puzzle, as a run records it."""

    puzzle: str
    """Its id."""
    level: int


class SpatialTask(vf.Task[SpatialData, vf.State, vf.TaskConfig]):
    """One puzzle, once. Rewards are recorded by the environment."""

    @property
    def key(self) -> str:
        """The puzzle, wherever it stands in its file."""
        return self.data.puzzle


class SpatialTaskset(vf.Taskset[SpatialTask, SpatialConfig]):
    """The puzzles, the levels taking turns, so that the first ones are of all levels."""

    @functools.cached_property
    def stage(self) -> Stage:
        """All puzzles, to play on."""
        config = self.config
        found = records.hub(split=config.split) if config.puzzles == "hub" else records.read(config.puzzles)
        chosen = [puzzle for puzzle in found if config.levels is None or puzzle.level in config.levels]
        if not chosen:
            raise ValueError(f"No puzzle of {config.puzzles!r} has a level of {config.levels}.")
        return Stage(runs.in_turns(chosen), config.protocol())

    def load(self) -> Iterator[SpatialTask]:
        """The tasks. The first question is the prompt of each."""
        protocol = self.stage.protocol
        for index, puzzle in enumerate(self.stage.puzzles):
            asked = episodes.opening(self.stage, index)
            data = SpatialData(
                id=puzzle.id,
                name=f"level {puzzle.level}: {puzzle.id}",
                puzzle=puzzle.id,
                level=puzzle.level,
                system_prompt=prompts.system(puzzle, protocol),
                prompt=[vf.UserMessage.model_validate(asked)],
            )
            yield SpatialTask(data, self.config.task)


class SpatialEnvConfig(vf.EnvConfig):
    """One player, who only talks."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"})


class SpatialEnv(vf.Env[SpatialEnvConfig]):
    """The environment is the user of the conversation: it tells what the board looks like, and judges the line."""

    async def run(self, task: SpatialTask, agents: vf.Agents) -> None:
        """One episode."""
        stage: Stage = self.taskset.stage
        index = next(i for i, puzzle in enumerate(stage.puzzles) if puzzle.id == task.data.puzzle)
        play = episodes.step_by_step if stage.protocol.stepwise else episodes.one_shot
        async with agents.player.interaction(task) as interaction:
            episode = await play(stage, index, 0, functools.partial(_turn, interaction))
        record(interaction.trace, episode)


async def _turn(interaction: Any, request: Request) -> Reply:
    """A `Player`. The task itself holds the first question; later ones are sent alone, since the conversation is kept."""
    segment = await (interaction.turn() if request.number == 0 else interaction.turn([request.messages[-1]]))
    return Reply(failure="the run ended") if segment.terminated else Reply(content=segment.last_reply)


def record(trace: vf.Trace, episode: Episode) -> None:
    """Writes the reward (1 for a solved puzzle, else 0) and what else is known of an episode into its trace."""
    trace.record_reward("solved", float(episode.solved), 1.0)
    lenient = episode.solved if episode.solved_leniently is None else episode.solved_leniently
    figures = {
        "solved_leniently": lenient,
        "steps": episode.steps,
        "illegal_moves": episode.illegal,
        "moves_back": episode.backtracks,
        "invalid_replies": sum(turn.action is None for turn in episode.turns) if episode.walk else episode.path is None,
        "reached_end": metrics.reached_end(episode),
        "line_valid": episode.line["line_valid"],
        "level": episode.level,
    }
    trace.record_metrics({name: float(value) for name, value in figures.items()})
    trace.info["outcome"] = episode.outcome
