"""Pictures of path puzzles for people."""

import pathlib
from collections.abc import Sequence
from typing import Any

from PIL import Image

from kagejax.config.problems import ConfigError, Problem, Where
from kagejax.envs.spatial import pictures
from kagejax.raster.sheet import contact_sheet


def write_sheet(
    path: pathlib.Path, found: Sequence[Any], places: Sequence[int], solution: bool, size: int, columns: int
) -> None:
    """The boards at `places`, each with its place and level, with the first solution drawn or with the start alone."""
    from .spatial import first_solution

    drawn = []
    for place in places:
        line = first_solution(found[place]) if solution else ()
        try:
            drawn.append(pictures.picture(found[place], line, size, size))
        except ValueError as problem:
            raise ConfigError(Problem(Where("--size"), "", f"Puzzle {place}: {problem}")) from None
    labels = [f"{place} level {found[place].level}" for place in places]
    Image.fromarray(contact_sheet(drawn, min(columns, len(drawn)), labels)).save(path)
