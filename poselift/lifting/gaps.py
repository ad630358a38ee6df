"""Frames without keypoints: which the lifter gets, which are interpolated, and which split a clip into segments."""

from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.core.times import usual_interval

MAX_GAP = 1.0
"""Seconds without keypoints that are bridged. Frames of longer gaps stay empty."""

_LEFT_OUT = 0.2
"""Longest time in seconds between two frames with keypoints whose frames in between are left out of the lifter's
input. Where every second frame is empty, empty frames in the input raise the error by 54 % (`small`) and 28 % (`tiny`),
and leaving them out by under 1 %. In longer gaps the lifter knows better than a straight line how a body moves. With
`tiny`, limits from 0.1 to 0.3 s give the same error on the CMU val views (benchmarks/robustness.md), but with 0.3 s
the uncertainty holds only 83 % of the joints in gaps of 0.25 s, instead of 91 %."""

_STEP = 0.1
"""Seconds between the frames of a longer gap that the lifter gets: the lowest frame rate that lifters are trained at.
The lifter's joints in a gap of 0.5 s are 69 mm off with 0.1 s, 70 mm with 0.05 s, 72 mm with 0.15 s, and 73 mm where
it gets all 50 frames a second (`tiny`, CMU val views). For `small`, 0.1 s and all frames are the same."""


def find_segments(
    seen: Bool[np.ndarray, " t"], timestamps: Float[np.ndarray, " t"], max_gap: float = MAX_GAP
) -> list[tuple[int, int]]:
    """Runs of frames (first, end) without a long gap; both ends have keypoints.

    Args:
        seen: frames with keypoints.
        timestamps: seconds, increasing. Frames that the clip itself lacks are a gap too.
        max_gap: longest gap within a segment, seconds.
    """
    frames = np.flatnonzero(seen)
    if len(frames) == 0:
        return []
    # A gap of n frames lasts n intervals.
    lasts = np.diff(timestamps[frames]) - usual_interval(timestamps)
    breaks = np.flatnonzero(lasts > max_gap + 1e-6)
    firsts = [int(frames[0]), *(int(frames[k + 1]) for k in breaks)]
    ends = [*(int(frames[k]) + 1 for k in breaks), int(frames[-1]) + 1]
    return list(zip(firsts, ends, strict=True))


def lifted_frames(seen: Bool[np.ndarray, " t"], timestamps: Float[np.ndarray, " t"]) -> Int[np.ndarray, " n"]:
    """Indices of the frames that the lifter gets; the others are interpolated.

    These are the frames with keypoints, the first and the last frame, and a few frames of each gap that is too long
    to be left out.

    Args:
        seen: frames with keypoints.
        timestamps: seconds, increasing.

    Example:
        >>> lifted_frames(np.arange(12) % 4 == 0, np.arange(12) / 60).tolist()
        [0, 4, 8, 11]
    """
    ends = np.union1d(np.flatnonzero(seen), [0, len(seen) - 1])
    lifted = [ends]
    for before, after in pairwise(ends):
        lasts = timestamps[after] - timestamps[before]
        if after - before > 1 and lasts > _LEFT_OUT + 1e-6:
            ticks = np.linspace(timestamps[before], timestamps[after], round(lasts / _STEP) + 1)[1:-1]
            gap = np.arange(before + 1, after)
            lifted.append(gap[np.abs(timestamps[gap, None] - ticks).argmin(0)])
    return np.unique(np.concatenate(lifted))
