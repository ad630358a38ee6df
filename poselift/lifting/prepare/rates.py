"""The frame rates for the lifter: neither slow nor fast."""

import math

FASTEST = 50.0
"""Highest frame rate of one lifted motion: at 60 frames a second two interleaved motions of 30 err less than one of 60
(benchmarks/lifter_log.md)."""

SLOWEST = 20.0
"""Frames a second that the lifter gets at least, where keypoints are near enough to interpolate. More frames gain
nothing for a real person (benchmarks/real.md)."""

SLACK = 0.01
"""Share of a rate or interval by which frames may miss it: timestamps are rounded."""


def count_interleaved(interval: float, fastest: float = FASTEST) -> int:
    """Number of interleaved motions that keeps each below a frame rate.

    The k-th one has every k-th frame.

    Args:
        interval: usual time between two frames, seconds; 0 if there is one frame.
        fastest: highest frame rate of a motion.

    Example:
        >>> count_interleaved(1 / 50), count_interleaved(1 / 60), count_interleaved(0.0)
        (1, 2, 1)
    """
    return max(1, math.ceil(1 / interval / fastest - SLACK)) if interval else 1


def is_slow(interval: float) -> bool:
    """Whether these are fewer than `SLOWEST` frames a second.

    Args:
        interval: usual time between two frames, seconds.
    """
    return interval * SLOWEST > 1 + SLACK
