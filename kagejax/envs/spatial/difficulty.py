"""How hard a puzzle is, by the formula recovered from the public ones. SPEC 2.4."""

import math

LEVELS = (1, 2, 3, 4, 5)


def score(cells: int, occupied: int, kinds: int) -> float:
    """Between 0 and 5, for a board of `cells` rule cells of which `occupied` hold a symbol, of so many different kinds.

    Kinds are those of `names.KINDS`: triangles of all counts are one. Dots, gaps and colours do not enter.
    """
    density = occupied / cells
    weight = kinds + 4 * density + kinds * density + occupied / 4 + 25 * cells / 48 - 182 / 15
    return 5 * _normal(120 / 527 * weight)


def level(score: float) -> int:
    """1 to 5: the unit interval that a score lies in; 5 itself, which boards beyond 6x6 round to, is in the last."""
    return min(math.floor(score), LEVELS[-1] - 1) + 1


def _normal(z: float) -> float:
    """The standard normal distribution function."""
    return 0.5 * math.erfc(-z / math.sqrt(2))
