"""The layers of the tensor observation: one bit of a code per position, spread when it is observed. Host names, no state."""

from .names import COLORS, KINDS, MAX_COUNT, SHAPE_SIDE

ALL_KINDS = ("dot", "gap", *KINDS)
"""What a puzzle may hold, in the order of `Lines.kinds`."""
LAYERS = (
    "visited",
    "gap",
    "agent",
    "target",
    "dot",
    *KINDS,
    "inside",
    *COLORS,
    *(f"count {count}" for count in range(1, MAX_COUNT + 1)),
)
"""Channels of an observation, in order; with shapes, those of SHAPE_LAYERS follow. All are 0 or 1."""
SHAPE_LAYERS = tuple(f"shape {row} {column}" for row in range(SHAPE_SIDE) for column in range(SHAPE_SIDE))
"""The 4x4 box of a poly or ylop, at its cell."""

CODE = {name: k for k, name in enumerate(LAYERS)}
"""Bit of each layer in a code."""
WALKABLE = 31
"""Bit of a code that no layer shows: a line may go here."""
