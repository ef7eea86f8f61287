"""The configuration of Sokoban: every key with its type, default, range, unit and reach."""

from typing import Any, Literal

from kagejax.config.schema import Complaint, ConfigModel, Integer, Number, Section, setting

SPLIT_LEVELS = 100
"""Levels of each public split."""
Split = Literal["W", "S", "A", "B", "C", "D", "E", "B-plus", "C-plus", "D-hard", "hidden-style"]
ThemeLaw = Literal["default", "level", "classic", "plus"]


def look(default: Any, about: str, **more: Any) -> Any:
    """A setting of the observation alone."""
    return setting(default, about, "render", ours=True, **more)


def game(default: Any, about: str, **more: Any) -> Any:
    """A setting of the dynamics, the reward or the horizon."""
    return setting(default, about, "control", ours=True, **more)


class Levels(Section):
    """Which levels episodes draw from."""

    source: Literal["split", "file"] = game("split", "A public split, or a file of your own.")
    split: Split = game("A", "Public split of 100 levels.")
    file: str | None = game(None, "Level text (.txt, .sok, .xsb) or a split file (.json), for source file.", asset=True)
    first: Integer = game(0, "First level to use.", ge=0)
    count: Integer | None = game(None, "How many levels to use; null: all from the first.", ge=1)


class Play(Section):
    """The end of an episode."""

    max_steps: Integer | None = game(None, "Steps after which an episode is cut; null: as each level says.", unit="steps", ge=1)


class Reward(Section):
    """What a step earns."""

    win: Number = game(1.0, "Of the move that solves.")
    step_cost: Number = game(0.0, "Taken from every step.")
    shaping: Number = game(0.0, "Weight of the change of the share of boxes on goals; nothing is won by going back.", ge=0)
    gamma: Number = game(1.0, "Discount of the shaping; that of the learner keeps its best policies.", gt=0, le=1)


class Observation(Section):
    """What the agent sees."""

    kind: Literal["pictures", "board", "symbolic"] = look(
        "pictures", "Pictures of the board and of its goal, the first alone, or planes of walls, goals, boxes and player."
    )


class Theme(Section):
    """How boards look."""

    law: ThemeLaw = look("level", "As a split file says, the default, or drawn by the law of split B or a wider one.")
    seed: Integer = look(0, "Of drawn themes.", ge=0)
    count: Integer | None = look(None, "How many drawn themes the levels take in turn; null: one each.", ge=1)


class SokobanConfig(ConfigModel):
    """Sokoban from pixels, for models that plan."""

    levels: Levels = Levels()
    play: Play = Play()
    reward: Reward = Reward()
    observation: Observation = Observation()
    theme: Theme = Theme()

    def complaints(self) -> list[Complaint]:
        levels = self.levels
        if levels.source == "file":
            return [] if levels.file else [(("levels.file", "levels.source"), "Source file needs the file.")]
        if levels.first + (levels.count or 1) > SPLIT_LEVELS:
            paths = ("levels.first",) if levels.count is None else ("levels.count", "levels.first")
            return [(paths, f"{levels.split} has {SPLIT_LEVELS} levels, 0 to {SPLIT_LEVELS - 1}; ask for no others.")]
        return []

    def inert(self) -> frozenset[str]:
        off = {"levels.file"} if self.levels.source == "split" else {"levels.split"}
        if self.theme.law not in ("classic", "plus"):
            off |= {"theme.seed", "theme.count"}
        if self.observation.kind == "symbolic":
            off |= {"theme.law", "theme.seed", "theme.count"}
        if not self.reward.shaping:
            off.add("reward.gamma")
        return frozenset(off)
