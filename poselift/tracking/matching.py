"""Which track goes on as which: costs with gates, and the best assignment of all."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from poselift.tracking.track import Difference

_NO_MATCH = 1e6


def cost(difference: Difference | None, elapsed: float) -> float:
    """What it costs to believe that two poses are one person's, infinite where they cannot be.

    A displacement costs the less the longer the person was not seen: a prediction is good to a tenth of a body length
    at once, and to a body length more with each second. So who comes out of hiding is given to the person who was
    hidden there, and not to somebody near by who was seen in the frame before and would have to jump.

    Args:
        difference: of the predicted pose from the one that is there.
        elapsed: seconds since the person was last seen. The gates open with it: by 1.5 body lengths a second,
            which is a run that the prediction knew nothing of.
    """
    if difference is None:
        return np.inf
    if difference.shift > min(0.3 + 1.5 * elapsed, 1.5) or difference.size > 0.5 + min(elapsed, 0.5):
        return np.inf
    return difference.shift / (0.1 + elapsed) + 2 * difference.shape + difference.size


def assign(costs: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs (row, column) with the most matches first and then the least cost in sum; infinite ones never."""
    table = np.array(costs, dtype=float)
    if table.size == 0:
        return []
    rows, columns = linear_sum_assignment(np.where(np.isfinite(table), table, _NO_MATCH))
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    return [(row, column) for row, column in pairs if np.isfinite(table[row, column])]
