"""Matching of tracks and detections: gated costs, and the best assignment."""

from collections.abc import Sequence

import numpy as np
from lap import lapjv

from poselift.tracking.track import PoseDifference

_NO_MATCH = 1e4
"""Cost of a pair that may not be: above all gated costs together; at 1e6 lapjv loses the small differences."""

_SHIFT_GATE = 0.3, 1.5, 1.5
"""Largest displacement, lengths: at once, more for each second, and at most. People start to run at this speed."""

_SIZE_GATE = 0.5, 0.5
"""Largest logarithm of the ratio of sizes: at once, and more after a while."""

_DOUBT = 0.1
"""Error of a prediction at once, lengths; it grows by one length a second."""

_SHAPE = 2.0
"""Weight of a difference of shape, against one of size."""


def cost(difference: PoseDifference | None, elapsed: float) -> float:
    """Cost of assigning two poses to one person; infinite if impossible.

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
    (near, faster, far), (size, more) = _SHIFT_GATE, _SIZE_GATE
    if difference.shift > min(near + faster * elapsed, far) or difference.size > size + min(elapsed, more):
        return np.inf
    return difference.shift / (_DOUBT + elapsed) + _SHAPE * difference.shape + difference.size


def assign(costs: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs (row, column), as many as possible, of least total cost. None has an infinite cost."""
    table = np.array(costs, dtype=float)
    if table.size == 0:
        return []
    _, columns, _ = lapjv(np.where(np.isfinite(table), table, _NO_MATCH), extend_cost=True)
    pairs = enumerate(columns.tolist())  # -1 for a row without a column
    return [(row, column) for row, column in pairs if column >= 0 and np.isfinite(table[row, column])]
