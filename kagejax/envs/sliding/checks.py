"""Rules between the keys of a sliding configuration."""

from typing import Any

from . import rules, solver, text
from .params import CROP

Complaint = tuple[tuple[str, ...], str]
PICTURES = ("image", "board")
TABLE_CELLS = 9
"""Most cells of a grid whose optimal lengths are tabulated."""


def complaints(config: Any) -> list[Complaint]:
    """What does not fit together."""
    return [*_grid(config), *_play(config), *_reward(config), *_start(config), *_observation(config), *_sources(config)]


def _grid(config: Any) -> list[Complaint]:
    rows, columns = config.grid.rows, config.grid.columns
    if rows * columns < 2:
        return [(("grid.rows", "grid.columns"), "A puzzle has at least 2 cells.")]
    return []


def _play(config: Any) -> list[Complaint]:
    found: list[Complaint] = []
    if config.play.joystick and config.play.noop:
        message = "A stick at rest does nothing already; play.noop is for numbered actions. Keep one."
        found.append((("play.joystick", "play.noop"), message))
    if config.play.optimality and config.grid.rows * config.grid.columns > TABLE_CELLS:
        message = (
            f"Optimal lengths are tabulated for up to {TABLE_CELLS} cells; kagejax.envs.sliding.solver solves larger boards."
        )
        found.append((("play.optimality", "grid.rows", "grid.columns"), message))
    return found


def _reward(config: Any) -> list[Complaint]:
    part = config.reward
    if part.mode != "sparse":
        return []
    same = [name for name in ("win", "invalid") if getattr(part, name) == part.move]
    return [((f"reward.{name}", "reward.move"), "They must differ in mode sparse.") for name in same]


def _start(config: Any) -> list[Complaint]:
    part, grid = config.start, rules.Grid(config.grid.rows, config.grid.columns)
    if part.mode != "board":
        return []
    if part.board is None:
        return [(("start.board", "start.mode"), f"Give the {grid.cells} cells of the board, 0 for the blank.")]
    why = solver.why_stuck(part.board, grid, config.play.circular)
    if why is None or (part.allow_unsolvable and sorted(part.board) == list(range(grid.cells))):
        return []
    hint = " start.allow_unsolvable accepts it." if sorted(part.board) == list(range(grid.cells)) else ""
    return [(("start.board",), f"No moves lead from this board to the goal. {why}{hint}" if hint else why)]


def _observation(config: Any) -> list[Complaint]:
    part, grid = config.observation, config.grid
    if part.kind == "text":
        return _texts(config)
    if part.kind not in PICTURES:
        return []
    found: list[Complaint] = []
    for given, cells, key in ((part.height, grid.rows, "height"), (part.width, grid.columns, "width")):
        side = round(given * CROP) if "crop" in part.augment else given
        if (cells - 1) * -(-side // cells) >= side:
            lines = "rows" if key == "height" else "columns"
            message = f"{side} px do not hold {cells} {lines} of {-(-side // cells)} px each: the last would lie outside."
            found.append(((f"observation.{key}", f"grid.{lines}"), message))
    if len(set(part.augment)) < len(part.augment):
        found.append((("observation.augment",), "Each change can be named once."))
    return found


def _texts(config: Any) -> list[Complaint]:
    part, grid = config.text, rules.Grid(config.grid.rows, config.grid.columns)
    if not part.texts:
        return [(("text.texts",), "At least one text is needed.")]
    if not part.word_separator or not part.row_separator:
        return [(("text.word_separator", "text.row_separator"), "A separator has at least one character.")]
    short = [words for words in part.texts if len(words) < grid.cells]
    if short:
        return [(("text.texts",), f"{short[0]!r} has {len(short[0])} characters; {grid.cells} cells need one each.")]
    empty = [words for words in part.texts if not all(text.split(words, grid, part.word_separator, part.row_separator))]
    return [(("text.texts",), f"{empty[0]!r} leaves a cell empty; use a longer text.")] if empty else []


def _sources(config: Any) -> list[Complaint]:
    part = config.pictures
    if config.observation.kind != "image":
        return []
    if part.source in ("folder", "imagenet", "diffusiondb") and not part.folder:
        return [(("pictures.folder", "pictures.source"), f"Source {part.source} needs the folder where its pictures are.")]
    if part.source == "list" and not part.paths:
        return [(("pictures.paths", "pictures.source"), "Source list needs at least one file.")]
    if part.source == "list" and part.split == "held_out":
        return [(("pictures.split", "pictures.source"), "A list is used whole; list the held-out pictures instead.")]
    if part.split == "held_out" and part.pool_size is None and part.source != "procedural":
        message = "Without a size the pool is every file, and none is left to hold out; give the size of the pool trained on."
        return [(("pictures.pool_size", "pictures.split"), message)]
    if part.fresh and part.source != "procedural":
        return [(("pictures.fresh", "pictures.source"), "Only procedural pictures can be new in every episode.")]
    return []


def inert(config: Any) -> frozenset[str]:
    """Paths whose value changes nothing, given the others."""
    off: set[str] = set()
    kind, part = config.observation.kind, config.pictures
    if kind != "image":
        off |= {f"pictures.{name}" for name in type(part).model_fields}
    if kind not in PICTURES:
        off |= {
            f"observation.{name}" for name in ("height", "width", "channels_first", "scaled", "background_color", "augment")
        }
    if kind != "text":
        off |= {f"text.{name}" for name in type(config.text).model_fields}
    if kind not in ("raw", "normalized"):
        off.add("observation.blank_value")
    if kind != "coordinates":
        off.add("observation.normalize_coordinates")
    if part.source != "procedural":
        off |= {"pictures.fresh", "pictures.visual_difficulty"}
    if part.source not in ("folder", "imagenet", "diffusiondb"):
        off.add("pictures.folder")
    if part.source != "list":
        off.add("pictures.paths")
    if part.source == "procedural" and part.fresh:
        off |= {f"pictures.{name}" for name in ("pool_size", "pool_seed", "split", "held_out_size")}
    if part.split == "train":
        off.add("pictures.held_out_size")
    elif part.source == "procedural":
        off.add("pictures.pool_size")
    if config.start.mode != "scramble":
        off |= {"start.scramble_steps", "start.scramble_target"}
    if config.start.mode != "board":
        off |= {"start.board", "start.allow_unsolvable"}
    if not config.play.joystick:
        off.add("play.joystick_threshold")
    return frozenset(off)
