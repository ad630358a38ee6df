"""Frames without keypoints: which are bridged, and which split a clip into segments."""

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.times import usual_interval

MAX_GAP = 1.0
"""Seconds without keypoints that are bridged. Frames of longer gaps stay empty."""


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


def longest_gap(seen: Bool[np.ndarray, " t"]) -> int:
    """Number of frames in the longest run without keypoints."""
    edges = np.flatnonzero(np.concatenate(([True], seen, [True])))
    return int(np.diff(edges).max()) - 1
