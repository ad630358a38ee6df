"""Gaps filled from the person's own repeated movement.

Who walks or waves does the same again before or after. The poses before and after a gap are compared with the rest of
the clip. Where they match well at some other time, what the person did between is taken from there.
"""

from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float

from poselift.lifting.prepare.gaps import NEAR
from poselift.numerics.times import interpolate

_CONTEXT = 0.2
"""Seconds before and after a gap that are compared."""

_LONGEST = 1.5
"""Seconds of the longest gap that is filled. `lift` leaves frames empty in gaps above `MAX_GAP`, but for evaluation."""

_REACH = 20.0
"""Seconds before and after a gap in which a repetition is looked for."""

_MATCH = 0.07
"""Mean distance of the joints, metres, at which a repetition has a weight of 1/e. 0.05 to 0.1 m are about the same."""

_TICK = 1 / 30
"""Shortest seconds between the poses that are compared."""

_LEAST = 0.5
"""Least share of the compared poses that must be known."""


def fill_from_repetitions(
    joints: Float[np.ndarray, "t j 3"], known: Bool[np.ndarray, " t"], times: Float[np.ndarray, " t"], interval: float
) -> Float[np.ndarray, "t j 3"]:
    """Joints whose gaps follow the person's own repetition, where one matches.

    Args:
        joints: relative to the root, metres; NaN in gaps that stay empty.
        known: frames with keypoints, interpolated ones too.
        times: seconds, increasing.
        interval: usual time between two frames, seconds.
    """
    rows = np.flatnonzero(known)
    filled = joints
    for before, after in pairwise(rows):
        bridged = np.isfinite(joints[before : after + 1]).all()
        if after - before > 1 and times[after] - times[before] <= _LONGEST and bridged:
            near = rows[(times[rows] >= times[before] - _REACH) & (times[rows] <= times[after] + _REACH)]
            gap = slice(int(before), int(after) + 1)
            found = _repetition(joints[near].astype(np.float64), times[near], times[gap], max(interval, _TICK))
            if found is not None:
                poses, weight = found
                filled = joints.copy() if filled is joints else filled
                filled[gap] = weight * poses + (1 - weight) * joints[gap]
    return filled


def _repetition(
    joints: Float[np.ndarray, "n j 3"], times: Float[np.ndarray, " n"], gap: Float[np.ndarray, " g"], interval: float
) -> tuple[Float[np.ndarray, "g j 3"], float] | None:
    """A gap's poses from the best repetition, and its weight.

    None if there is nothing to compare.

    Args:
        joints: in the known frames around the gap.
        times: of these frames, seconds.
        gap: times from the frame before the gap to the frame after it.
        interval: seconds between the poses that are compared.
    """
    around, inside = round(_CONTEXT / interval), round((gap[-1] - gap[0]) / interval)
    first = int((gap[0] - times[0]) / interval)
    grid = gap[0] + interval * np.arange(-first, int((times[-1] - gap[0]) / interval) + 1)
    after = np.searchsorted(times, grid - 1e-6).clip(1, len(times) - 1)
    usable = times[after] - times[after - 1] <= NEAR + 1e-6
    poses = interpolate(joints, times, grid)
    ticks = np.array([*range(-around, 1), *range(inside, inside + around + 1)])
    ticks = ticks[(first + ticks >= 0) & (first + ticks < len(grid))]
    ticks = ticks[usable[first + ticks] | (ticks == 0) | (ticks == inside)]
    if len(ticks) < _LEAST * 2 * (around + 1):
        return None
    low, high = min(ticks[0], 0), max(ticks[-1], inside)
    starts = np.arange(-low, len(grid) - high)
    broken = np.concatenate([[0], np.cumsum(~usable)])
    starts = starts[broken[starts + high + 1] == broken[starts + low]]
    if not len(starts):
        return None
    apart = np.zeros(len(starts))
    for tick in ticks:
        apart += np.linalg.norm(poses[starts + tick] - poses[first + tick], axis=-1).mean(-1)
    best = int(apart.argmin())
    shift = interval * (starts[best] - first)
    found = interpolate(joints, times, gap + shift)
    ends = interpolate(joints, times, gap[[0, -1]]) - found[[0, -1]]
    share = ((gap - gap[0]) / (gap[-1] - gap[0]))[:, None, None]
    weight = float(np.exp(-((apart[best] / len(ticks) / _MATCH) ** 2)))
    return found + (1 - share) * ends[0] + share * ends[1], weight
