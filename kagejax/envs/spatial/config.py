"""The configuration of path puzzles: every key with its type, default, range, unit and reach."""

from typing import Any, Literal

from kagejax.config.schema import Complaint, ConfigModel, Integer, Integers, Number, Section, setting

from .lattice import Lattice
from .tracks import tracks

MOST_CELLS = 15
LEAST_CELL, LEAST_LANE = 5, 3
"""px; on smaller ones no symbol can be told from another."""
Set = Literal["balanced", "balanced-test", "first-steps", "first-steps-test"]


def look(default: Any, about: str, **more: Any) -> Any:
    """A setting of the observation alone."""
    return setting(default, about, "render", ours=True, **more)


def game(default: Any, about: str, **more: Any) -> Any:
    """A setting of the dynamics, the reward or the horizon."""
    return setting(default, about, "control", ours=True, **more)


class Puzzles(Section):
    """Which puzzles episodes draw from."""

    source: Literal["set", "file", "hub"] = game(
        "set", "A set that comes with kagejax, files of your own, or the public data set."
    )
    set: Set = game("balanced", "Set of generated puzzles.")
    file: str | None = game(None, "File of JSON lines, or a folder of them, for source file.", asset=True)
    hub_config: str = game("all", "Configuration of the public data set, for source hub.", min_length=1)
    hub_split: str = game("test", "Its split.", min_length=1)
    levels: Integers = game((), "Difficulty levels to use, 1 to 5; empty: all.")
    first: Integer = game(0, "First puzzle to use, after the choice of levels.", ge=0)
    count: Integer | None = game(None, "How many puzzles to use; null: all from the first.", ge=1)


class LatticeSize(Section):
    """Room for the largest puzzle; arrays and pictures have this size for all of them."""

    cells_w: Integer = game(6, "Cells across.", unit="cells", ge=1, le=MOST_CELLS)
    cells_h: Integer = game(6, "Cells down.", unit="cells", ge=1, le=MOST_CELLS)


class Play(Section):
    """The line and the end of an episode."""

    traceback: bool = game(False, "The last move may be taken back.")
    max_steps: Integer = game(100, "Steps after which an episode is cut.", unit="steps", ge=1)


class Reward(Section):
    """What a step earns."""

    win: Number = game(1.0, "Of the step that ends an episode with a valid line.")
    lose: Number = game(-1.0, "Of the step that ends an episode without one.")
    shaping: Literal["upstream", "potential", "none"] = game(
        "upstream", "Of other moves: whether the line is the beginning of a stored solution, its growth along one, or nothing."
    )
    scale: Number = game(0.01, "Of the shaping, for each move.", ge=0)


class Observation(Section):
    """What the agent sees."""

    kind: Literal["layers", "picture"] = look("layers", "Layers of 0 and 1 on the lattice, or a picture.")
    shapes: bool = look(True, "Layers show the shapes of polys and ylops, in 16 layers more.")
    height: Integer = look(128, "Of the picture.", unit="px", ge=16, le=4096)
    width: Integer = look(128, "Of the picture.", unit="px", ge=16, le=4096)


class SpatialConfig(ConfigModel):
    """Path puzzles with composed rules, for spatial reasoning."""

    puzzles: Puzzles = Puzzles()
    lattice: LatticeSize = LatticeSize()
    play: Play = Play()
    reward: Reward = Reward()
    observation: Observation = Observation()

    def complaints(self) -> list[Complaint]:
        found: list[Complaint] = []
        if self.puzzles.source == "file" and not self.puzzles.file:
            found.append((("puzzles.file", "puzzles.source"), "Source file needs the file."))
        if self.puzzles.source != "file" and self.puzzles.file:
            found.append((("puzzles.file", "puzzles.source"), "A file is given, but it is not the source; write source: file."))
        wrong = [level for level in self.puzzles.levels if not 1 <= level <= 5]
        if wrong:
            found.append((("puzzles.levels",), f"Levels are 1 to 5; found {wrong[0]}."))
        picture, size = self.observation, self.lattice
        if picture.kind == "picture":
            place = tracks(Lattice(size.cells_w, size.cells_h), picture.height, picture.width)
            if place.cell < LEAST_CELL or place.lane < LEAST_LANE:
                paths = ("observation.height", "observation.width", "lattice.cells_w", "lattice.cells_h")
                sides = [3 * (3 * cells + 2) for cells in (size.cells_h, size.cells_w)]
                room = f"{sides[0]}x{sides[1]} px hold {size.cells_w}x{size.cells_h} cells"
                found.append((paths, f"The picture is too small for its cells; {room}. Enlarge it, or lessen the cells."))
        return found

    def inert(self) -> frozenset[str]:
        sources = {"set": {"puzzles.set"}, "file": {"puzzles.file"}, "hub": {"puzzles.hub_config", "puzzles.hub_split"}}
        off = set().union(*(keys for source, keys in sources.items() if source != self.puzzles.source))
        off |= {"observation.shapes"} if self.observation.kind == "picture" else {"observation.height", "observation.width"}
        if self.reward.shaping == "none":
            off.add("reward.scale")
        return frozenset(off)
