"""The frame rate of one lifted motion."""

import numpy as np
from jaxtyping import Float

from poselift.core.times import usual_interval

FASTEST = 50.0
"""Highest frame rate of one lifted motion: at 60 frames a second two interleaved motions of 30 err less than one of 60
(benchmarks/lifter_log.md)."""

_SLACK = 0.01
"""Share of the highest frame rate by which a rate may be above it: timestamps are rounded."""


def count_interleaved(timestamps: Float[np.ndarray, " t"], fastest: float = FASTEST) -> int:
    """Number k of interleaved motions of every k-th frame of which none has more than so many frames a second.

    Args:
        timestamps: seconds, increasing.
        fastest: highest frame rate of a motion.

    Example:
        >>> count_interleaved(np.arange(9) / 50), count_interleaved(np.arange(9) / 60), count_interleaved(np.zeros(1))
        (1, 2, 1)
    """
    interval = usual_interval(timestamps)
    return max(1, int(np.ceil(1 / interval / fastest - _SLACK))) if interval else 1
