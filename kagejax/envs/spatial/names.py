"""The vocabulary of path puzzles, said once: actions, colours, kinds, rules, limits. Loads no array library."""

from typing import NamedTuple


class Action(NamedTuple):
    """One unit step on the lattice; y grows downwards."""

    name: str
    dx: int
    dy: int

    @property
    def letter(self) -> str:
        """R, U, L or D."""
        return self.name[0]


ACTIONS = (Action("RIGHT", 1, 0), Action("UP", 0, -1), Action("LEFT", -1, 0), Action("DOWN", 0, 1))
"""By number. Prompts, renderers, logs and the environment all read this one table."""
RIGHT, UP, LEFT, DOWN = range(4)
SOLUTION_ORDER = (LEFT, RIGHT, UP, DOWN)
"""Stored lists of solutions are in depth-first order with this preference. SPEC section 2."""

KINDS = ("square", "star", "triangle", "poly", "ylop")
COLORS = {"red": "R", "blue": "B", "yellow": "Y", "green": "G", "black": "K", "purple": "P", "orange": "O", "white": "W"}
"""Colour names and their letters in records; the code of a colour in arrays is its place here, from 1 on. SPEC section 6.1."""
MAX_COUNT = 4  # triangles
SHAPE_SIDE = 4  # cells of the box that holds a shape

RULES = (
    "reached_target",
    "path_not_crossing",
    "no_gap_violations",
    "all_dots_collected",
    "square_color_separation",
    "star_pairing_exact",
    "triangles_edge_count",
    "poly_ylop_area",
)
"""Order and names of the verdicts. SPEC section 8."""

CAUSES = ("going on", "reached the end", "no legal move", "step limit")
"""Why an episode is over, by code."""
