"""Time stamps of frames."""

import numpy as np
from jaxtyping import Float

_SPAN = 10
"""Intervals over which one is measured, in clips of more than twice as many."""


def usual_interval(times: Float[np.ndarray, " t"]) -> float:
    """Seconds from one frame to the next: the median over short runs of frames.

    Frames that come in bursts, as from a network camera stamped on arrival, have most of their intervals near nothing,
    and frames that a clip lacks make a few intervals long; neither is how often frames come.

    Args:
        times: seconds, increasing.

    Returns:
        The interval; 0 where there are less than two frames.
    """
    if len(times) < 2:
        return 0.0
    span = _SPAN if len(times) > 2 * _SPAN else 1
    return float(np.median(times[span:] - times[:-span])) / span
