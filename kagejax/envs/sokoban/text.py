"""Levels as text: single ones, and files of many as they are passed around. Host side. SPEC 2.

    #  wall      @  player      $  box      .  goal      *  box on a goal      +  player on a goal      blank - _  floor

Short rows end in floor. In files of many levels, whatever is no row stands between levels: empty lines, comments behind `;`,
titles. A line is a row if its first mark is a wall, or if it is mostly marks and one of them is a wall, a box or a player.
"""

import pathlib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn

import numpy as np

WALL, BOX, BOX_ON_GOAL, PLAYER, PLAYER_ON_GOAL, GOAL, FLOOR = "#$*@+. "
FLOORS = " -_"
MARKS = "#$*@+." + FLOORS
TELLING = "#$@+"
"""Marks that no ornament between levels is made of."""
COMMENT = ";"

FIELD = re.compile(r"(\w+):\s*(.*)")
"""A line such as `Author: somebody`."""


class Level(NamedTuple):
    """One puzzle."""

    walls: np.ndarray  # bool [rows, columns]
    goals: np.ndarray  # bool [rows, columns]
    boxes: np.ndarray  # bool [rows, columns]
    player: int  # cell in reading order
    title: str = ""  # as its text has it


class LevelError(ValueError):
    """A text that is no level. The message begins with FILE:LINE:COLUMN, both counted from 1."""


class _Board(NamedTuple):
    title: str
    first_line: int
    rows: list[str]


def parse(text: str, name: str = "text", lenient: bool = False) -> Level:
    """The one level of `text`; `name` stands for the file in messages.

    Raises LevelError if a character means nothing, if there is not exactly one player, if it can walk out of the board, if
    there is no box, if there are more or fewer boxes than goals, and if the text has no level or several.

    `lenient` takes what the reference takes: the whole text is one level, empty lines are dropped, characters without a meaning
    are floor, the last of several players counts. Only a text without a player is an error then.
    """
    if lenient:
        return _leniently(text, name)
    boards = list(_boards(text))
    if not boards:
        _fail(name, 1, 1, "there is no level")
    if len(boards) > 1:
        _fail(name, boards[1].first_line, 1, "a second level begins here, where one was expected")
    return _checked(boards[0], name)


def parse_all(text: str, name: str = "text") -> list[Level]:
    """All levels of `text`, each under the rules of `parse`. Raises LevelError, also if there is none.

    A level's title is the value of a line `Title: ...` right below its last row; otherwise that of such a line above, or the
    last comment or line of text above, whatever is nearest. Ornaments and other lines of the form `Word: ...` are no titles.
    """
    levels = [_checked(board, name) for board in _boards(text)]
    if not levels:
        _fail(name, 1, 1, "there is no level")
    return levels


def read(path: str | pathlib.Path) -> list[Level]:
    """All levels of a file, as `parse_all` gives them. Raises LevelError, and OSError if the file cannot be read."""
    # Rows are ASCII; a name in another encoding is no reason to refuse the levels.
    return parse_all(pathlib.Path(path).read_text(encoding="utf-8-sig", errors="replace"), str(path))


def write(level: Level) -> str:
    """The rows of a level joined by line ends, without its title; `parse` gives the level back."""
    marks = np.full(level.walls.shape, FLOOR)
    marks[level.goals] = GOAL
    player = np.unravel_index(level.player, marks.shape)
    marks[player] = PLAYER_ON_GOAL if level.goals[player] else PLAYER
    marks[level.boxes] = np.where(level.goals, BOX_ON_GOAL, BOX)[level.boxes]
    marks[level.walls] = WALL
    return "\n".join("".join(row) for row in marks)


def _boards(text: str) -> Iterator[_Board]:
    """Runs of rows with their titles, not checked."""
    heading, rows, waiting, adjoining = "", [], None, False
    for number, line in enumerate([*_lines(text), ""], 1):
        if _is_row(line):
            rows.append(line)
            continue
        if rows:
            if waiting:
                yield waiting
            waiting, heading, rows = _Board(heading, number - len(rows), rows), "", []
            adjoining = True
        words = line.strip().lstrip(COMMENT).strip()
        field = FIELD.fullmatch(words)
        if not line.strip():
            adjoining = False
        elif field is None:
            heading = words if any(character.isalnum() for character in words) else heading
        elif field[1].lower() == "title":
            if adjoining:
                waiting = waiting._replace(title=field[2])
            else:
                heading = field[2]
    if waiting:
        yield waiting


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _is_row(line: str) -> bool:
    start = line.lstrip(FLOORS + "\t")
    if start.startswith((WALL, COMMENT)):
        return start.startswith(WALL)
    marks = sum(mark in MARKS for mark in line)
    return 2 * marks > len(line) and any(mark in TELLING for mark in line)


def _checked(board: _Board, name: str) -> Level:
    first = board.first_line
    for number, row in enumerate(board.rows, first):
        for column, mark in enumerate(row, 1):
            if mark == "\t":
                _fail(name, number, column, "a tab has no fixed width; write blanks")
            if mark not in MARKS:
                _fail(name, number, column, f"{mark!r} is no mark of a level; marks are # $ * @ + . - _ and blank")
    marks = _grid(board.rows)
    players = np.argwhere(_is_any(marks, PLAYER, PLAYER_ON_GOAL))
    if not len(players):
        _fail(name, first, 1, "the level has no player (@, or + on a goal)")
    if len(players) > 1:
        row, column = players[1]
        _fail(name, first + row, column + 1, "a second player")
    level = _level(marks, board.title)
    exits = _exits(level)
    if exits:
        row, column = exits[0]
        _fail(name, first + row, column + 1, "the player can leave the board here; close it with walls")
    boxes, goals = int(level.boxes.sum()), int(level.goals.sum())
    if boxes != goals:
        _fail(name, first, 1, f"the level needs as many boxes as goals, and has {boxes} and {goals}")
    if not boxes:
        _fail(name, first, 1, "the level has no box")
    return level


def _leniently(text: str, name: str) -> Level:
    rows = [row for row in text.split("\n") if row]
    if not any(mark in row for row in rows for mark in (PLAYER, PLAYER_ON_GOAL)):
        _fail(name, 1, 1, "the level has no player (@, or + on a goal)")
    return _level(_grid(rows), "")


def _grid(rows: Sequence[str]) -> np.ndarray:
    """Marks as an array [rows, columns] of single characters."""
    columns = max(map(len, rows))
    return np.array([list(row.ljust(columns)) for row in rows])


def _is_any(marks: np.ndarray, *wanted: str) -> np.ndarray:
    return np.isin(marks, wanted)


def _level(marks: np.ndarray, title: str) -> Level:
    return Level(
        walls=marks == WALL,
        goals=_is_any(marks, GOAL, BOX_ON_GOAL, PLAYER_ON_GOAL),
        boxes=_is_any(marks, BOX, BOX_ON_GOAL),
        player=int(np.flatnonzero(_is_any(marks, PLAYER, PLAYER_ON_GOAL))[-1]),
        title=title,
    )


def _exits(level: Level) -> list[tuple[int, int]]:
    """Cells on the edge of the board that the player can reach if boxes are no obstacle, in reading order."""
    rows, columns = level.walls.shape
    start = divmod(level.player, columns)
    seen, frontier = {start}, [start]
    while frontier:
        row, column = frontier.pop()
        for cell in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            inside = 0 <= cell[0] < rows and 0 <= cell[1] < columns
            if inside and cell not in seen and not level.walls[cell]:
                seen.add(cell)
                frontier.append(cell)
    return sorted(cell for cell in seen if cell[0] in (0, rows - 1) or cell[1] in (0, columns - 1))


def _fail(name: str, line: int, column: int, reason: str) -> NoReturn:
    raise LevelError(f"{name}:{line}:{column}: {reason}")
