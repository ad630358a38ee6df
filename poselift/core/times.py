"""Time stamps of frames."""

import numpy as np
from jaxtyping import Float
from numpy.lib.stride_tricks import sliding_window_view

_SPAN = 10
"""Intervals over which one is measured, in clips of more than twice as many."""


def usual_interval(times: Float[np.ndarray, " t"]) -> float:
    """Seconds from one frame to the next: the median over short runs of frames.

    Frames that come in bursts, as from a network camera stamped on arrival, have most of their intervals near nothing,
    and frames that a clip lacks make a few intervals long; neither is how often frames come. A run with an interval
    that is longer than all others together has such a gap in it, and counts only where all have.

    Args:
        times: seconds, increasing.

    Returns:
        The interval; 0 where there are less than two frames.
    """
    if len(times) < 2:
        return 0.0
    span = _SPAN if len(times) > 2 * _SPAN else 1
    runs = sliding_window_view(np.diff(times), span)
    lasts = runs.sum(1)
    even = 2 * runs.max(1) <= lasts
    return float(np.median(lasts[even] if even.any() else lasts)) / span
