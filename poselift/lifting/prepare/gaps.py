"""Frames without keypoints: interpolated, lifted, or where a clip splits.

A clip of few frames a second lacks the frames between them.
"""

from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.lifting.prepare.rates import SLACK, SLOWEST
from poselift.numerics.curves import interpolate_monotone

MAX_GAP = 1.0
"""Seconds without keypoints that are bridged. Frames of longer gaps stay empty."""

NEAR = 0.3
"""Longest time in seconds between two frames with keypoints over which keypoints are interpolated: in longer gaps the
lifter guesses better than a curve (benchmarks/lifter_log.md)."""

WIDENING = 2.0
"""Growth of the uncertainty per second without keypoints: 9 of 10 joints stay within (benchmarks/robustness.md)."""

_STEP = 0.1
"""Seconds between the frames of a longer gap that the lifter gets empty: the lowest frame rate of its training
(benchmarks/lifter_log.md)."""


def find_segments(
    seen: Bool[np.ndarray, " t"], times: Float[np.ndarray, " t"], interval: float
) -> list[tuple[int, int]]:
    """Runs of frames (first, end) without gaps above `MAX_GAP` seconds.

    Both ends have keypoints.

    Args:
        seen: frames with keypoints.
        times: seconds, increasing. Frames that the clip itself lacks are a gap too.
        interval: usual time between two frames, seconds.
    """
    frames = np.flatnonzero(seen)
    if len(frames) == 0:
        return []
    # A gap of n frames lasts n intervals.
    lasts = np.diff(times[frames]) - interval
    breaks = np.flatnonzero(lasts > MAX_GAP + 1e-6)
    firsts = [int(frames[0]), *(int(frames[k + 1]) for k in breaks)]
    ends = [*(int(frames[k]) + 1 for k in breaks), int(frames[-1]) + 1]
    return list(zip(firsts, ends, strict=True))


def fill_gaps(
    pixels: Float[np.ndarray, "t j 2"], scores: Float[np.ndarray, "t j"], times: Float[np.ndarray, " t"]
) -> tuple[Float[np.ndarray, "t j 2"], Float[np.ndarray, "t j"]]:
    """Keypoints, interpolated in frames that have none.

    Each joint moves along a monotone cubic curve (Fritsch and Carlson 1980) through the frames in which it was seen, if
    they are at most `NEAR` seconds apart. Its score is the lower one of the two. Frames with keypoints stay as they
    are.

    Args:
        pixels: of one person; NaN for joints that were not seen.
        scores: 0 for the same joints.
        times: seconds, increasing.
    """
    seen = scores > 0
    empty = np.flatnonzero(~seen.any(-1))
    pixels, scores = pixels.copy(), scores.copy()
    for joint in range(pixels.shape[1] if len(empty) else 0):
        known = np.flatnonzero(seen[:, joint])
        place = np.searchsorted(known, empty)
        between = (place > 0) & (place < len(known))
        rows, before, after = empty[between], known[place[between] - 1], known[place[between]]
        near = times[after] - times[before] <= NEAR + 1e-6
        if near.any():
            rows, before, after = rows[near], before[near], after[near]
            pixels[rows, joint] = interpolate_monotone(
                times[known], pixels[known, joint].astype(np.float64), times[rows]
            )
            scores[rows, joint] = np.minimum(scores[before, joint], scores[after, joint])
    return pixels, scores


def add_frames_between(
    pixels: Float[np.ndarray, "t j 2"], scores: Float[np.ndarray, "t j"], times: Float[np.ndarray, " t"]
) -> tuple[Float[np.ndarray, "n j 2"], Float[np.ndarray, "n j"], Float[np.ndarray, " n"], Bool[np.ndarray, " n"]]:
    """Keypoints with interpolated frames, for at least 20 a second.

    Args:
        pixels: of one person; NaN for joints that were not seen.
        scores: 0 for the same joints.
        times: seconds, increasing.

    Returns:
        Pixels, scores and times of all frames, and which of them were given. Between two frames all intervals are the
        same. Frames in which no joint can be interpolated are left out.

    Example:
        >>> pixels, scores = np.zeros((3, 1, 2)), np.ones((3, 1))
        >>> _, _, times, given = add_frames_between(pixels, scores, np.array([0.0, 0.125, 0.25]))
        >>> times.round(3).tolist(), given.tolist()
        ([0.0, 0.042, 0.083, 0.125, 0.167, 0.208, 0.25], [True, False, False, True, False, False, True])
    """
    intervals = np.diff(times)
    parts = np.ceil(intervals * SLOWEST - SLACK).astype(int).clip(min=1)
    parts[intervals > NEAR + 1e-6] = 1
    parts = np.append(parts, 1)[: len(times)]  # the last frame has none after it
    before = np.repeat(np.arange(len(times)), parts)
    given = np.diff(before, prepend=-1) > 0
    share = (np.arange(len(before)) - np.flatnonzero(given)[before]) / parts[before]
    times = times[before] + share * np.append(intervals, 0.0)[before]
    between = ~given[:, None]
    pixels, scores = fill_gaps(
        np.where(between[..., None], np.nan, pixels[before]), np.where(between, 0, scores[before]), times
    )
    kept = given | np.any(scores > 0, axis=-1)
    return pixels[kept], scores[kept], times[kept], given[kept]


def choose_frames(known: Bool[np.ndarray, " t"], times: Float[np.ndarray, " t"]) -> Int[np.ndarray, " n"]:
    """Indices of the frames that the lifter gets; the others are interpolated.

    These are the frames with keypoints, the first and the last frame, and a few frames of each gap.

    Args:
        known: frames with keypoints.
        times: seconds, increasing.

    Example:
        >>> choose_frames(np.arange(12) < 4, np.arange(12) / 30).tolist()
        [0, 1, 2, 3, 6, 8, 11]
    """
    ends = np.union1d(np.flatnonzero(known), [0, len(known) - 1])
    lifted = [ends]
    for before, after in pairwise(ends):
        if after - before > 1:
            lasts = times[after] - times[before]
            ticks = np.linspace(times[before], times[after], round(lasts / _STEP) + 1)[1:-1]
            gap = np.arange(before + 1, after)
            lifted.append(gap[np.abs(times[gap, None] - ticks).argmin(0)])
    return np.unique(np.concatenate(lifted))
