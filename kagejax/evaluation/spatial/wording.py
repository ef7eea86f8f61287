"""The sentences that models are given: board, moves, legend, rules. SPEC sections 3, 3.10 and 10.

All of it is made from one table of actions and one text for each rule. The wording "reference" says what the stored solutions
obey. "paper" says what the first publication said of stars, polys and ylops, so that its conditions can be had again; the two
differ there, and the line is judged by the reference in any case.
"""

from kagejax.envs.spatial.names import ACTIONS, COLORS
from kagejax.envs.spatial.puzzles import Puzzle, Shape

from .settings import Protocol

EXPERT = "You are good at path puzzles on grids, and you check a line against every rule before you trust it."

ACTION_TABLE = ", ".join(f"{number}={action.name}" for number, action in enumerate(ACTIONS))
"""0=RIGHT, 1=UP, 2=LEFT, 3=DOWN."""


def board(puzzle: Puzzle) -> str:
    """Sizes and coordinates."""
    return (
        f"The board has {puzzle.cells_w} columns and {puzzle.cells_h} rows of cells, with lanes around every cell. Positions "
        f"are written (x, y): x runs from 0 at the left to {puzzle.lattice_w - 1} at the right, y from 0 at the top to "
        f"{puzzle.lattice_h - 1} at the bottom. Where x and y are both odd there is a cell; all other positions are on the "
        "lanes. From one cell to the next the distance is 2."
    )


def line(protocol: Protocol) -> str:
    """What a line is."""
    twice = "It may not visit a position twice."
    if protocol.traceback:
        twice = (
            "It may not visit a position twice, but it may be taken back: a move to the position before the last one removes "
            "the last one from the line, and that position is free again. There is no other way to return to a position."
        )
    return (
        "Draw one line along the lanes, from the start to the end, so that every rule below holds for the finished line. Each "
        f"move changes x or y by exactly 1. The line stays on the board and never enters a cell. {twice} It is finished when "
        "it reaches the end, and not before."
    )


def moves() -> str:
    """The actions."""
    signs = {1: "+ 1", -1: "- 1"}
    told = [
        f"{number}={action.name} ({'x ' + signs[action.dx] if action.dx else 'y ' + signs[action.dy]})"
        for number, action in enumerate(ACTIONS)
    ]
    return f"The moves are {', '.join(told)}."


def rules(protocol: Protocol) -> str:
    """Every rule, one a line."""
    told = {
        "Regions": "The finished line divides the cells into regions. Two cells side by side are connected if the position "
        "between them is not on the line; a region is all cells that are connected, directly or through others. A gap that is "
        "not on the line, as it must be, separates nothing.",
        "Dots": "The line passes through every dot.",
        "Gaps": "The line passes through no gap.",
        "Squares": "All squares in a region have the same colour. Other symbols do not matter here, and several regions may "
        "have squares of one colour.",
        "Stars": _STARS,
        "Triangles": "A triangle has a number from 1 to 4. Of the four positions right next to its cell (left, right, above, "
        "below) the line passes through exactly that many; its start and its end count too, corners do not.",
        "Polys": _POLYS,
        "Ylops": _YLOPS,
    }
    if protocol.wording == "paper":
        told |= _paper(protocol)
    return "\n".join(f"- {name}: {text}" for name, text in told.items())


_STARS = (
    "If a region holds a star, it holds exactly two symbols of the star's colour, the star itself among them. Symbols of every "
    "kind count: squares, stars, triangles, polys and ylops. A colour without a star in the region is free."
)
_POLYS = (
    "A poly shows a shape made of cells. In a region with polys and no ylops, the shapes of all its polys together cover the "
    "region exactly: every cell of it once, and nothing outside it. Shapes are shifted as needed, but never rotated or "
    "mirrored. Their colours do not matter here."
)
_YLOPS = (
    "A ylop shows a shape that is taken away. In a region with ylops, add up the cells of its polys and subtract those of its "
    "ylops: the difference must be 0 or the number of cells of the region. And all these shapes must fit on the board "
    "together, shifted, never rotated or mirrored, none sticking out of the board. If the difference is 0, every cell of the "
    "board is covered by as many polys as ylops. Otherwise every cell of the region is covered by one poly more than ylops, "
    "and every other cell by as many polys as ylops; so shapes may lie outside the region where they cancel. Colours do not "
    "matter here."
)


def _paper(protocol: Protocol) -> dict[str, str]:
    """Rules as first published, which depended on the mode."""
    partner = "one other element" if protocol.stepwise else "one partner, a star or a square,"
    turned = "In general shapes may be rotated." if protocol.traceback else "Shapes may not be rotated."
    return {
        "Stars": f"Each star has exactly {partner} of its own colour in its region.",
        "Polys": f"A poly shows a shape made of cells; its region must have room for that shape. {turned}",
        "Ylops": "A ylop shows a shape that is taken away: it cancels a poly of exactly the same shape and the same colour in "
        "its region.",
    }


def legend(protocol: Protocol) -> str:
    """How a board looks, in symbols or in a picture."""
    lines = _PICTURE if protocol.view == "picture" else _SYMBOLS
    if protocol.stepwise:
        lines = lines + (_PICTURE_LINE if protocol.view == "picture" else _SYMBOLS_LINE)
    return "\n".join(lines)


_SYMBOLS = (
    '- "S" start, "E" end, "+" a free position of the lanes, "." a dot, "G" a gap',
    '- "N" a cell without a symbol',
    '- "o-C" a square, "*-C" a star, "A-C", "B-C", "C-C", "D-C" a triangle with the number 1, 2, 3, 4',
    '- "P-C-n" a poly and "Y-C-n" a ylop whose shape is the one called n',
    f"- C stands for a colour: {', '.join(f'{letter} {color}' for color, letter in COLORS.items())}",
)
_SYMBOLS_LINE = ('- "V" the line so far, "L" its head, where you are; before the first move you are at "S"',)
_PICTURE = (
    "- Cells are light, the lanes around them dark. A white disc on a lane is the start, a white ring the end.",
    "- A dark hexagon on a lane is a dot. A lane with an opening in its middle is a gap.",
    "- In the cells: a plain square is a square, a figure with many points a star, one to four small triangles are a triangle "
    "with that number, filled blocks are a poly and show its shape, hollow blocks are a ylop and show its shape.",
)
_PICTURE_LINE = ("- The line so far is white and runs along the lanes; its head, where you are, is a wide white disc.",)


def shapes(puzzle: Puzzle) -> str:
    """The shapes of a puzzle, `#` for their cells; empty if it has none."""
    return "\n".join(f"shape {name}:\n{drawn(shape)}" for name, shape in puzzle.shapes.items())


def drawn(shape: Shape) -> str:
    """A shape without empty rows and columns around it."""
    rows = [y for y, row in enumerate(shape) if any(row)]
    columns = [x for x in range(len(shape)) if any(row[x] for row in shape)]
    return "\n".join(
        "  " + "".join(".#"[shape[y][x]] for x in range(columns[0], columns[-1] + 1)) for y in range(rows[0], rows[-1] + 1)
    )
