"""Matching of tracks and detections: gated costs, and the best assignment."""

from collections.abc import Sequence

import numpy as np
from lap import lapjv

from poselift.tracking.track import Difference

_NO_MATCH = 1e4


def cost(difference: Difference | None, elapsed: float) -> float:
    """Cost of assigning two poses to one person; infinite if they cannot be one.

    The cost of a displacement decreases with the time since the person was last seen: the error of a prediction is a
    tenth of a body length at first, and grows by a body length per second. So a person who comes out of hiding is
    assigned to the track that was hidden there, not to a neighbour who was visible one frame ago and would have to
    jump.

    Args:
        difference: between the predicted pose and the detected one; None if they have no joint in common.
        elapsed: seconds since the person was last seen. The gates open by 1.5 body lengths per second, the speed of a
            person who starts to run.
    """
    if difference is None:
        return np.inf
    if difference.shift > min(0.3 + 1.5 * elapsed, 1.5) or difference.size > 0.5 + min(elapsed, 0.5):
        return np.inf
    return difference.shift / (0.1 + elapsed) + 2 * difference.shape + difference.size


def assign(costs: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs (row, column): as many as possible, of the least total cost, none of infinite cost."""
    table = np.array(costs, dtype=float)
    if table.size == 0:
        return []
    _, columns, _ = lapjv(np.where(np.isfinite(table), table, _NO_MATCH), extend_cost=True)
    pairs = enumerate(columns.tolist())  # -1 for a row without a column
    return [(row, column) for row, column in pairs if column >= 0 and np.isfinite(table[row, column])]
