"""What the arguments of `kagejax spatial` name: puzzles, and lists of numbers. Raises ConfigError for a user's mistake."""

import pathlib
import typing
from collections.abc import Sequence
from typing import Any

from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean, listing

from ._arguments import require

HUB = "hub"


def sets() -> tuple[str, ...]:
    """Names of the sets that come with kagejax."""
    from kagejax.envs.spatial import config

    return typing.get_args(config.Set)


def puzzles_of(source: str) -> tuple[Any, ...]:
    """The puzzles of a file, a folder, a set that comes with kagejax, or the public ones."""
    from kagejax.envs.spatial import puzzles

    path = pathlib.Path(source)
    if source in sets() and not path.exists():
        from kagejax.envs.spatial import build

        return build.public(source)
    require_source(source)
    try:
        return puzzles.hub() if source == HUB else puzzles.read(path)
    except puzzles.RecordError as problem:
        raise ConfigError(Problem(Where(problem.where), problem.field, problem.message)) from None
    except (OSError, ImportError) as problem:
        raise ConfigError(Problem(Where(source), "", str(problem))) from None


def require_source(source: str) -> None:
    """That there is such a file or folder, or that it is a name."""
    names = (*sets(), HUB)
    message = f"There is no such file or folder; sets by name are {listing(names)}.{did_you_mean(source, names)}"
    require(source in names or pathlib.Path(source).exists(), source, message)


def chosen_of(found: Sequence[Any], index: int, id: str) -> list[int]:
    """Which puzzles are meant: the one at an index, the one with an id, or all."""
    require(index < 0 or not id, "--id", "Choose a puzzle by --index or by --id, not by both.")
    require(-1 <= index < len(found), "--index", f"Found {index}; allowed: 0 to {len(found) - 1}, or -1 for all.")
    if not id:
        return list(range(len(found))) if index < 0 else [index]
    places = [place for place, puzzle in enumerate(found) if puzzle.id == id]
    ids = [puzzle.id for puzzle in found]
    message = f"Found {id!r}; none of the {len(ids)} puzzles has this id.{did_you_mean(id, ids)}"
    require(bool(places), "--id", message)
    return places


def facts(puzzle: Any) -> str:
    """A puzzle in a line."""
    counts = {
        kind: sum(symbol.kind == kind for symbol in puzzle.symbols) for kind in ("square", "star", "triangle", "poly", "ylop")
    }
    counts = {"dot": len(puzzle.dots), "gap": len(puzzle.gaps)} | counts
    there = ", ".join(plural(count, kind) for kind, count in counts.items() if count) or "no symbols"
    known = plural(len(puzzle.solutions), "solution") if puzzle.solutions else "no stored solution"
    return f"{puzzle.id}: {puzzle.cells_w}x{puzzle.cells_h}, level {puzzle.level} ({puzzle.score:.2f}), {known}; {there}"


def plural(count: int, name: str) -> str:
    """'1 dot', '2 dots'."""
    return f"{count:,} {name}" if count == 1 else f"{count:,} {name}s"


def words(text: str, option: str, allowed: Sequence[str]) -> list[str] | None:
    """Words with commas between them, each one of `allowed`, none twice; None for an empty text."""
    found = [word.strip() for word in text.split(",")] if text else None
    for word in found or ():
        require(word in allowed, option, f"Found {word!r}; allowed: {listing(allowed)}.{did_you_mean(word, allowed)}")
    require_once(found or (), option)
    return found


def require_once(found: Sequence[str], option: str) -> None:
    """That nothing is named twice."""
    twice = next((word for place, word in enumerate(found) if word in found[:place]), "")
    require(not twice, option, f"Found {twice!r} twice; name each once.")


def pairs(text: str, option: str) -> list[tuple[int, int]] | None:
    """Sizes such as 2x3,4x4; None for an empty text."""
    found = []
    for word in text.split(",") if text else ():
        sides = word.strip().split("x")
        fine = len(sides) == 2 and all(side.isascii() and side.isdigit() for side in sides)
        require(fine, option, f"Found {word.strip()!r}; sizes are cells across and down, such as 2x3,4x4.")
        found.append((int(sides[0]), int(sides[1])))
    require_once([f"{width}x{height}" for width, height in found], option)
    return found or None


def span(text: str, option: str) -> tuple[int, int]:
    """A range such as 1:50, or one number for both ends."""
    ends = text.split(":")
    fine = len(ends) in (1, 2) and all(end.isascii() and end.isdigit() for end in ends)
    require(fine, option, f"Found {text!r}; allowed: a number, or least and most, such as 1:50.")
    return int(ends[0]), int(ends[-1])
