"""What a path puzzle is on the device: static plan, numbers of a configuration, the bank of puzzles, and the state."""

from typing import NamedTuple

import jax

from .lattice import Lattice


class Symbols(NamedTuple):
    """What the rules read of each puzzle. P puzzles, K words, N slots for polys and ylops, sorted so that equal ones adjoin."""

    board: jax.Array  # u32 [P, K], cells there are
    colors: jax.Array  # u32 [P, 8, K], cells with a symbol of each colour
    squares: jax.Array  # u32 [P, K]
    stars: jax.Array  # u32 [P, K]
    triangles: jax.Array  # u32 [P, 4, K], cells with a triangle of count 1 to 4
    piece_cells: jax.Array  # u32 [P, N, K], the one cell of each poly and ylop; nothing in an empty slot
    piece_shapes: jax.Array  # i32 [P, N], entry of Shapes
    piece_sizes: jax.Array  # i32 [P, N], cells
    piece_after: jax.Array  # u32 [P, N], slots behind this one that hold another shape or sign
    ylops: jax.Array  # u32 [P], slots that hold a ylop


class Shapes(NamedTuple):
    """The distinct shapes of the bank, each at every place of the padded board."""

    covers: jax.Array  # u32 [shapes, places, K], cells it covers with its first one there; nothing where it sticks out


class Lines(NamedTuple):
    """What the line and the observation read of each puzzle."""

    codes: jax.Array  # u32 [P, positions], bit c: static layer c of `layers.LAYERS` is set
    boxes: jax.Array | None  # u32 [P, positions], the 4x4 box of a poly or ylop, bit 4 * row + column
    start: jax.Array  # i32 [P], position
    end: jax.Array  # i32 [P], position
    size: jax.Array  # i32 [P, 2], cells across and down
    level: jax.Array  # i32 [P], 1 to 5
    kinds: jax.Array  # i32 [P], bit k: kind k of `layers.ALL_KINDS` is there


class Solutions(NamedTuple):
    """The stored solutions of every puzzle as one tree: a node is a beginning that some solution has."""

    root: jax.Array  # i32 [P], node of the empty beginning
    count: jax.Array  # i32 [P], 0: none is stored
    shortest: jax.Array  # i32 [P], moves; 0: none is stored
    children: jax.Array  # i32 [nodes, 4], node after each action; -1: no solution goes on so
    parent: jax.Array  # i32 [nodes], -1 for a root


class Pictures(NamedTuple):
    """Tiles, and which of them each cell shows."""

    tiles: jax.Array  # u8 [tiles, cell px, 3 * cell px]; narrow ones stand at the top left
    cells: jax.Array  # u16 [P, cells_h * cells_w], tile of each cell
    boards: jax.Array | None  # u8 [P, height, 3 * width], pictures without a line; None where they would take too much memory
    ground: jax.Array  # u8 [3], around the board


class Bank(NamedTuple):
    """All puzzles of a batch of configurations, shared by all its environments."""

    symbols: Symbols
    shapes: Shapes
    lines: Lines
    solutions: Solutions
    pictures: Pictures | None


class Control(NamedTuple):
    """What the game reads."""

    first_puzzle: jax.Array  # i32, in the bank
    puzzles: jax.Array  # i32, how many
    max_steps: jax.Array  # i32
    traceback: jax.Array  # bool, the last move may be taken back
    win: jax.Array  # f32
    lose: jax.Array  # f32
    scale: jax.Array  # f32, of the shaping
    upstream: jax.Array  # bool, shaping by moves on and off a solution; else by the change of the matched beginning


class Params(NamedTuple):
    """Every number of a configuration."""

    control: Control
    bank: Bank


class Plan(NamedTuple):
    """Static facts. Configurations of one batch agree on them but for the counts, which join by max."""

    lattice: Lattice
    kind: str  # of observation
    boxes: bool  # layers show shapes
    height: int  # px
    width: int  # px
    most_ylops: int  # in one puzzle


class Episode(NamedTuple):
    """Fixed until the next reset."""

    puzzle: jax.Array  # i32, entry of the bank


class Tick(NamedTuple):
    """What moves at each step. The line is a stack of moves: stepping back takes the last one off."""

    position: jax.Array  # i32
    visited: jax.Array  # bool [positions]
    moves: jax.Array  # u32 [words], 2 bits each, the first one lowest
    length: jax.Array  # i32, moves on the stack
    node: jax.Array  # i32, of `Solutions`: the longest beginning of the line that some solution has
    matched: jax.Array  # i32, its moves
    t: jax.Array  # i32, steps
    backtracks: jax.Array  # i32
    invalid: jax.Array  # i32, actions that were not legal


class State(NamedTuple):
    """One environment."""

    episode: Episode
    tick: Tick


def union(first: Plan, second: Plan) -> Plan:
    """The plan that serves both. Raises ValueError, naming what differs, if there is none."""
    if first.kind != second.kind:
        raise ValueError(f"configurations of one batch must share observation.kind; found {first.kind!r} and {second.kind!r}")
    if (first.height, first.width) != (second.height, second.width):
        sizes = " and ".join(f"{plan.height}x{plan.width}" for plan in (first, second))
        raise ValueError(f"configurations of one batch must share the size of their pictures; found {sizes}")
    if first.lattice != second.lattice:
        sizes = " and ".join(f"{plan.lattice.cells_w}x{plan.lattice.cells_h}" for plan in (first, second))
        raise ValueError(f"configurations of one batch must share lattice.cells_w and cells_h; found {sizes}")
    if first.boxes != second.boxes:
        raise ValueError("configurations of one batch must share observation.shapes; found true and false")
    return first._replace(most_ylops=max(first.most_ylops, second.most_ylops))
