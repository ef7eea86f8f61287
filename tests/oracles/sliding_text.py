"""Oracle of text puzzles: how a text is cut into tiles, and how a board of them reads."""

from collections.abc import Sequence

from .sliding import Grid


def split(text: str, grid: Grid, word_separator: str = " ", row_separator: str = "\n") -> list[str]:
    """N strings, that of tile v at place v - 1: by separators if they fit the grid, else by words, else by characters.

    Raises ValueError if the text has fewer than N characters.
    """
    if len(text) < grid.cells:
        raise ValueError(f"{len(text)} characters for {grid.cells} tiles")
    tiles = _by_separators(text, grid, word_separator, row_separator)
    if tiles is not None:
        return tiles
    words = text.split()
    return _by_words(words, grid) if len(words) >= grid.cells else _by_characters(text, grid.cells)


def _by_separators(text: str, grid: Grid, word_separator: str, row_separator: str) -> list[str] | None:
    rows = [row.strip().split(word_separator) for row in text.split(row_separator)]
    if len(rows) != grid.rows or any(len(row) != grid.columns for row in rows):
        return None
    return [piece.strip() for row in rows for piece in row]


def _by_words(words: list[str], grid: Grid) -> list[str]:
    return [" ".join(cell) for row in shares(words, grid.rows) for cell in shares(row, grid.columns)]


def shares(items: list[str], count: int) -> list[list[str]]:
    """`items` in `count` runs of even length; the first ones get what is left over."""
    length, extra = divmod(len(items), count)
    ends = [i * length + min(i, extra) for i in range(count + 1)]
    return [items[start:end] for start, end in zip(ends, ends[1:], strict=False)]


def _by_characters(text: str, cells: int) -> list[str]:
    length = len(text) // cells
    pieces = [text[i * length : _end_of_piece(text, i * length, length)] for i in range(cells - 1)]
    return [piece.strip() for piece in [*pieces, text[(cells - 1) * length :]]]


def _end_of_piece(text: str, start: int, length: int) -> int:
    """End of a piece: after the word that it would cut, unless that makes it longer than half as much again."""
    end = start + length
    while end < len(text) and not text[end].isspace() and not text[end - 1].isspace():
        end += 1
    return end if end - start <= 1.5 * length else start + length


def read(
    tiles: Sequence[str],
    board: Sequence[int],
    grid: Grid,
    blank_text: str = "---",
    word_separator: str = " ",
    row_separator: str = "\n",
    compat_separators: bool = False,
) -> str:
    """The board as one string: cells joined by the word separator, rows by the row separator.

    With `compat_separators` each separator is stripped and set between two spaces: white space, line ends too, becomes two.
    """
    if compat_separators:
        word_separator, row_separator = (f" {separator.strip()} " for separator in (word_separator, row_separator))
    cells = [tiles[value - 1] if value else blank_text for value in board]
    rows = [cells[start : start + grid.columns] for start in range(0, grid.cells, grid.columns)]
    return row_separator.join(word_separator.join(row) for row in rows)
