"""The configuration of sliding puzzles: every key with its type, default, range, unit and reach."""

from typing import Any, ClassVar, Literal

from kagejax.config.schema import Colour, Complaint, ConfigModel, Integer, Integers, Number, Paths, Section, names, setting

from . import checks

Kind = Literal["image", "board", "raw", "onehot", "normalized", "coordinates", "text"]
Augmentation = Literal["crop", "shift", "channel_shuffle", "grayscale", "inversion"]


def look(default: Any, about: str, **more: Any) -> Any:
    """A setting of the observation alone."""
    return setting(default, about, "render", ours=True, **more)


def game(default: Any, about: str, **more: Any) -> Any:
    """A setting of the dynamics, the reward or the horizon."""
    return setting(default, about, "control", ours=True, **more)


class GridSize(Section):
    """How many cells there are."""

    rows: Integer = game(3, "Rows of cells.", ge=1, le=32)
    columns: Integer = game(3, "Columns of cells.", ge=1, le=32)


class Play(Section):
    """Actions and the end of an episode."""

    max_steps: Integer | None = game(1000, "Steps after which an episode is cut; null: never.", unit="steps", ge=1)
    noop: bool = game(False, "A fifth action that does nothing and costs no step.")
    circular: bool = game(False, "Moves off an edge exchange the blank with the tile at the opposite edge.")
    joystick: bool = game(False, "Actions are a stick (vertical, horizontal) in -1 to 1 instead of a number.")
    joystick_threshold: Number = game(0.0, "Deflection up to which the stick does nothing.", ge=0, lt=1)
    optimality: bool = setting(
        False, "Report the least number of moves from each start; for up to 9 cells.", "metric", ours=True
    )
    compat_sticky_termination: bool = game(
        False, "As in the published environment: after a solved episode, invalid moves end the next one as solved."
    )


class Reward(Section):
    """What a move earns."""

    mode: Literal["distances", "percent_solved", "sparse"] = game(
        "distances", "Of a valid move that does not solve: minus the share of the greatest distance, of wrong cells, or `move`."
    )
    win: Number = game(1.0, "Of the move that solves.", ge=0)
    move: Number = game(-0.1, "Of other valid moves in mode sparse, and the first `last reward`.", le=0)
    invalid: Number | None = game(-1.0, "Of a move off the grid; null: the last reward again.", lt=0)
    exponential: bool = game(False, "Give exp(reward) instead.")


class Start(Section):
    """The first board of an episode."""

    mode: Literal["uniform", "scramble", "board"] = game(
        "uniform", "Any solvable board alike, random moves from the goal, or the board given."
    )
    scramble_steps: Integer = game(100, "Random moves of mode scramble.", ge=0)
    scramble_target: Number | None = game(None, "Dense reward at which a scramble stops earlier.", lt=0)
    board: Integers | None = game(None, "Cells in reading order, 0 for the blank, for mode board.")
    allow_unsolvable: bool = game(False, "Accept a board from which the goal cannot be reached.")


class Observation(Section):
    """What the agent sees of a board."""

    kind: Kind = look("image", "Picture tiles, numbered tiles, vectors of the board, or tokens of a text.")
    height: Integer = look(84, "Height of the picture.", unit="px", ge=1)
    width: Integer = look(84, "Width of the picture.", unit="px", ge=1)
    channels_first: bool = look(False, "Pictures as [3, height, width].")
    scaled: bool = look(False, "Pictures as floats from 0 to 1.")
    background_color: Colour = look((0, 0, 0), "Red, green, blue of the blank.")
    augment: names(Augmentation) = look((), "Changes to each picture, in this order, drawn anew at every step.")
    blank_value: Integer = look(-1, "Stands for the blank in raw and normalized.", le=0)
    normalize_coordinates: bool = look(True, "Coordinates from 0 to 1.")


class Pictures(Section):
    """Pictures that boards are cut from."""

    source: Literal["procedural", "folder", "list", "imagenet", "diffusiondb"] = look(
        "procedural", "Made from a key, the files of a folder, files by name, or a data set as its users unpack it."
    )
    folder: str | None = look(None, "Folder of pictures, sub-folders too.", asset=True)
    paths: Paths = look((), "Pictures of source list, taken as they come.", asset=True)
    pool_size: Integer | None = look(None, "Pictures drawn from the source; null: all files, or 1 procedural one.", ge=1)
    pool_seed: Integer = look(0, "Of the draw.", ge=0)
    split: Literal["train", "held_out"] = look("train", "The pool, or pictures that are in no pool of this seed.")
    held_out_size: Integer = look(100, "Pictures that are held out.", ge=1)
    fresh: bool = look(False, "A procedural picture never seen before in each episode, without a pool.")
    visual_difficulty: Number = look(1.0, "How far procedural pictures differ; at 0 they are all the same.", ge=0, le=1)


class Texts(Section):
    """Texts that boards of kind text are cut from."""

    texts: Paths = look(("The quick brown fox jumps over the lazy dog",), "One is drawn for each episode.")
    blank_text: str = look("---", "Shown for the blank.")
    word_separator: str = look(" ", "Between the cells of a row.")
    row_separator: str = look("\n", "Between rows.")
    compat_separators: bool = look(False, "As published: separators lose their white space and get a blank on each side.")


class SlidingConfig(ConfigModel):
    """Sliding puzzles cut from pictures: the same puzzle, ever more pictures."""

    exclusive: ClassVar[tuple[tuple[str, ...], ...]] = ()

    grid: GridSize = GridSize()
    play: Play = Play()
    reward: Reward = Reward()
    start: Start = Start()
    observation: Observation = Observation()
    pictures: Pictures = Pictures()
    text: Texts = Texts()

    def complaints(self) -> list[Complaint]:
        return checks.complaints(self)

    def inert(self) -> frozenset[str]:
        return checks.inert(self)
