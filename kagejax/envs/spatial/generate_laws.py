"""The numbers by which new puzzles are made like the public ones.

What is called a share was counted there. Weights and chances are of the draw: by the solver and the levels some draws are kept
more often than others, so they were chosen by trial such that what is kept has the public shares (`census.py` lays both side by
side). Tables by level begin with level 1. Weights need not add up to 1.
"""

from .names import COLORS

LEVEL_SHARES = (86, 118, 121, 86, 89)
"""Of levels, in 500 puzzles."""

SIZES = {
    (2, 2): 47, (2, 3): 31, (2, 4): 30, (2, 5): 32, (2, 6): 28,
    (3, 2): 36, (3, 3): 38, (3, 4): 16, (3, 5): 27, (3, 6): 15,
    (4, 2): 26, (4, 3): 27, (4, 4): 16, (4, 5): 12, (4, 6): 6,
    (5, 2): 26, (5, 3): 20, (5, 4): 13, (5, 5): 4, (5, 6): 3,
    (6, 2): 20, (6, 3): 14, (6, 4): 8, (6, 5): 2, (6, 6): 3,
}  # fmt: skip
"""Boards, cells across and down, in 500 puzzles."""

AREA_LEVELS = {
    4: (27, 6, 14, 0, 0), 6: (30, 25, 7, 3, 1), 8: (14, 17, 19, 4, 2), 9: (7, 12, 14, 2, 3), 10: (6, 26, 19, 6, 1),
    12: (1, 30, 24, 26, 10), 15: (0, 1, 22, 14, 10), 16: (0, 0, 0, 13, 3), 18: (0, 0, 3, 8, 19), 20: (0, 0, 0, 10, 15),
    24: (0, 0, 0, 0, 14), 25: (0, 0, 0, 0, 4), 30: (0, 0, 0, 0, 5), 36: (0, 0, 0, 0, 3),
}  # fmt: skip
"""How many of those boards are of which level, by the number of cells."""

KIND_CHANCES = {
    "square": (0.64, 0.62, 0.66, 0.79, 0.94),
    "star": (0.07, 0.45, 0.50, 0.57, 0.68),
    "triangle": (0.33, 0.34, 0.46, 0.54, 0.59),
    "poly": (0.71, 0.75, 0.70, 0.80, 0.43),
    "ylop": (0.00, 0.00, 0.33, 0.58, 0.50),
}
"""By level: that a kind of symbol is planned."""
EMPTY_CHANCE = 0.35
"""That a plan without symbols is used."""
MOST_SYMBOLS = 13
"""In a puzzle of the public mixture."""

COUNT_WEIGHTS = {
    "square": (33, 26, 14, 12, 5, 5, 1, 4),
    "star": (41, 29, 20, 7, 1, 3),
    "triangle": (62, 28, 6, 2, 1, 1, 1),
    "poly": (14, 5, 5, 17, 1, 2, 55),
    "ylop": (35, 6, 58),
}
"""Of planning 1, 2, ... symbols of a kind. Regions take what fits them, so that fewer polys come out."""

DOT_WEIGHTS = (
    (32, 19, 16, 21, 12, 1, 0, 0),
    (47, 24, 13, 12, 1, 3, 0, 0),
    (58, 15, 13, 7, 3, 4, 0, 1),
    (53, 20, 14, 6, 3, 1, 1, 1),
    (48, 30, 8, 9, 2, 2, 0, 1),
)
"""By level: of 0, 1, ... dots."""

GAP_WEIGHTS = (
    (37, 31, 12, 9, 5, 3, 3, 0),
    (36, 23, 16, 17, 6, 1, 0, 0),
    (49, 27, 12, 9, 1, 1, 0, 1),
    (40, 25, 15, 12, 4, 1, 3, 0),
    (40, 21, 20, 12, 6, 0, 2, 0),
)
"""By level: of 0, 1, ... gaps."""
BORDER_GAP_WEIGHT = 1.5
"""Of an edge on the border to be a gap, against 1 for others."""

COLOR_WEIGHTS = (34, 22, 11, 9, 7, 2, 15)
"""Of 1, 2, ... colours to choose from."""
FRESH_COLOR_CHANCE = 0.5
"""That a symbol gets one that was not used yet."""
PALETTE = tuple(COLORS)

START_SHARES, END_SHARES = (146, 138, 216), (132, 133, 235)
"""How often a line starts and ends at a corner of the board, at another vertex of its border, and on an edge of it."""
LINES = 6
"""Random lines of which the longest is taken."""
WRAPPING_CHANCE = 0.29
"""That a line with triangles winds around the cell of a start or end on an edge, so that a triangle there has count 4."""

TRIANGLE_WEIGHTS = (5, 1, 0, 50)
"""Of a cell to get a triangle, by the count it would have. None has 3, as in the public puzzles, though the rules know it."""

STAR_WEIGHTS = (10, 1)
"""Of a place for one star, beside a symbol of its colour, and of one for two stars."""

POLY_SIZES = (64, 111, 169, 202, 84)
"""Weights of polys of 1, 2, ... cells, as long as there is room."""
POLY_CHANCES = (0.04, 0.14, 0.42, 1.0, 1.0)
"""That a poly of so many cells is let into a puzzle: those that fill up what others left would be too many."""
PARTITIONS = 6
"""Tries to cut a region into polys."""
YLOP_SIZES = (0, 20, 4, 5)
"""Weights of ylops of 1, 2, ... cells."""
CANCELLING_CHANCE = 1 / 25
"""That ylops take back all the polys of their region."""

SOLUTION_COUNTS = (1, 50)
"""Least and most solutions of a puzzle."""
SOLUTION_CHANCES = ((1, 0.85), (2, 1.0), (9, 0.7), (50, 0.45))
"""That a puzzle of the public mixture is kept which has no more solutions than the first number."""
