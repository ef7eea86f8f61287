"""Text puzzles: how a text is cut into tiles, and boards of them as token ids. Host side, but for `read`. SPEC 7.5."""

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from .rules import Grid

LONGEST = 1.5
"""A piece that is extended to the end of its word may be this much longer than its share."""


def split(text: str, grid: Grid, word_separator: str, row_separator: str) -> list[str]:
    """N strings in reading order: along the separators if they fit the grid, else word by word, else letter by letter."""
    rows = [row.strip().split(word_separator) for row in text.split(row_separator)]
    if len(rows) == grid.rows and all(len(row) == grid.columns for row in rows):
        return [cell.strip() for row in rows for cell in row]
    words = text.split()
    if len(words) >= grid.cells:
        return [" ".join(cell) for row in _shared_out(words, grid.rows) for cell in _shared_out(row, grid.columns)]
    return _pieces(text, grid.cells)


def _shared_out(items: Sequence[str], parts: int) -> list[Sequence[str]]:
    """Consecutive items in as even `parts` as can be, the longer ones first."""
    each, more = divmod(len(items), parts)
    firsts = [part * each + min(part, more) for part in range(parts)]
    return [items[first : first + each + (part < more)] for part, first in enumerate(firsts)]


def _pieces(text: str, parts: int) -> list[str]:
    """Letters in parts of one length, each to the end of the word it cuts; beginnings stay where they are, so parts overlap."""
    length = len(text) // parts
    pieces = []
    for first in range(0, (parts - 1) * length, length):
        end = first + length
        while end < len(text) and not text[end].isspace() and not text[end - 1].isspace():
            end += 1
        if end - first > LONGEST * length:
            end = first + length
        pieces.append(text[first:end].strip())
    return [*pieces, text[(parts - 1) * length :].strip()]


class Tokens(NamedTuple):
    """Texts as arrays. Token 0 stands for nothing, token k for character k - 1 of the alphabet."""

    tiles: np.ndarray | jax.Array  # i32 [texts, N, longest tile]; entry 0 of a text is its blank
    lengths: np.ndarray | jax.Array  # i32 [texts, N]
    separators: np.ndarray | jax.Array  # i32 [2, longest]: between words, between rows
    separator_lengths: np.ndarray | jax.Array  # i32 [2]


def separators(part: object) -> tuple[str, str]:
    """What stands between cells and between rows, for a configuration's section `text`."""
    given = (part.word_separator, part.row_separator)
    return tuple(f" {separator.strip()} " for separator in given) if part.compat_separators else given


def tiles_of(part: object, grid: Grid) -> list[list[str]]:
    """For each text of the section `text` its strings by tile: the blank's, then 1 .. N - 1."""
    return [
        [part.blank_text, *split(words, grid, part.word_separator, part.row_separator)[: grid.cells - 1]]
        for words in part.texts
    ]


def alphabet(parts: Sequence[object]) -> str:
    """Every character that the sections `text` can show, in code point order."""
    return "".join(
        sorted({letter for part in parts for words in (*part.texts, part.blank_text, *separators(part)) for letter in words})
    )


def tokens(part: object, grid: Grid, letters: str, longest: int) -> Tokens:
    """The section `text` as arrays over the alphabet `letters`, tiles padded to `longest`."""
    strings, between = tiles_of(part, grid), separators(part)
    return Tokens(
        np.stack([_encoded(tiles, letters, longest) for tiles in strings]),
        np.array([[len(tile) for tile in tiles] for tiles in strings], np.int32),
        _encoded(between, letters, longest),
        np.array([len(separator) for separator in between], np.int32),
    )


def longest_tile(parts: Sequence[object], grid: Grid) -> int:
    """Characters of the longest tile or separator."""
    return max(len(tile) for part in parts for tiles in (*tiles_of(part, grid), separators(part)) for tile in tiles)


def longest_reading(parts: Sequence[object], grid: Grid) -> int:
    """Characters of the longest board."""

    def length(part: object) -> int:
        word, row = (len(separator) for separator in separators(part))
        between = word * grid.rows * (grid.columns - 1) + row * (grid.rows - 1)
        return between + max(sum(len(tile) for tile in tiles) for tiles in tiles_of(part, grid))

    return max(length(part) for part in parts)


def _encoded(strings: Sequence[str], letters: str, longest: int) -> np.ndarray:
    codes = np.zeros((len(strings), longest), np.int32)
    for row, string in zip(codes, strings, strict=True):
        row[: len(string)] = [letters.index(letter) + 1 for letter in string]
    return codes


def decode(codes: Sequence[int], letters: str) -> str:
    """The string of token ids."""
    return "".join(letters[code - 1] for code in np.asarray(codes).tolist() if code)


def read(board: jax.Array, which: jax.Array, table: Tokens, grid: Grid, length: int) -> jax.Array:
    """Token ids of a board of text `which`, i32 [length], padded with 0."""
    cells = grid.cells
    tile_codes, tile_lengths = table.tiles[which][board], table.lengths[which][board]
    ends_row = np.arange(cells) % grid.columns == grid.columns - 1
    kind = np.where(ends_row, 1, 0)
    after = jnp.where(np.arange(cells) == cells - 1, 0, table.separator_lengths[kind])
    ends = jnp.cumsum(tile_lengths + after, dtype=jnp.int32)
    place = jnp.arange(length, dtype=jnp.int32)
    cell = jnp.minimum((place[:, None] >= ends[None, :]).sum(1, dtype=jnp.int32), cells - 1)
    at = place - (ends - tile_lengths - after)[cell]
    longest = tile_codes.shape[-1]
    in_tile = tile_codes[cell, jnp.clip(at, 0, longest - 1)]
    in_separator = table.separators[jnp.asarray(kind)[cell], jnp.clip(at - tile_lengths[cell], 0, longest - 1)]
    return jnp.where(place < ends[-1], jnp.where(at < tile_lengths[cell], in_tile, in_separator), 0)
