"""How sure a figure is."""

import math

NORMAL_95 = 1.959963984540054
"""Between minus and plus this many deviations a normal variable is 95 times in 100."""


def wilson(successes: float, trials: int, deviations: float = NORMAL_95) -> tuple[float, float]:
    """Wilson's interval of a rate of which `successes` of `trials` were seen; by default at 95 %. (0, 1) for no trials."""
    if not trials:
        return 0.0, 1.0
    rate, weight = successes / trials, deviations**2 / trials
    middle = (rate + weight / 2) / (1 + weight)
    reach = math.sqrt(rate * (1 - rate) * weight + weight**2 / 4) / (1 + weight)
    return max(0.0, middle - reach), min(1.0, middle + reach)
