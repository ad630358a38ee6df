"""The Hampel filter about a local line, against single jumps.

Frames that jump away are set back to the frames around them. The plain filter compares a value with the median around
it. A limb in swing moves far in a tenth of a second, and hides jumps; so each value is compared with the line from the
median before it to the median after it.
"""

import numpy as np
from jaxtyping import Float

from poselift.core.annotations import check_annotations
from poselift.core.errors import InputError
from poselift.core.unchecked import replace_unchecked
from poselift.kinematics.rate import split_at_gaps
from poselift.structures import Motion

_LIMIT = 3.0
"""Standard deviations beyond which a value is an outlier, as is usual (Hampel, JASA 1974; Pearson et
al., EURASIP J. Adv. Signal Process. 2016)."""

_TO_DEVIATION = 1.4826
"""From the median of the distances to the median to the standard deviation, for normal errors."""

_LEAST = 0.01
"""Metres that a joint may be off in any case: a body at rest has no spread to compare with."""

_WIDEST = 5.0
"""Seconds."""


@check_annotations
def hampel(motion: Motion, window: float) -> Motion:
    """The motion with jumps of joints and root set back.

    The frames around them give the values. A joint that is farther from the line through the medians before and after
    it than three standard deviations, which are estimated from the median distance, is put onto it. Empty frames stay
    empty, and no window reaches across them.

    Args:
        motion: of one person.
        window: seconds before and after each frame that count; a tenth is usual for jumps of single frames.

    Raises:
        InputError: the window is not between 0 and 5 seconds.
    """
    if not 0 < window <= _WIDEST:
        raise InputError(f"a window of {window:g} s: give more than 0 and at most {_WIDEST:g} s; 0.1 is usual")
    joints, root = motion.joints.copy(), motion.root.copy()
    for part in split_at_gaps(motion.posed, motion.timestamps):
        times = motion.timestamps[part]
        joints[part] = _without_outliers(joints[part], times, window)
        root[part] = _without_outliers(root[part][:, None], times, window)[:, 0]
    done = {"name": "Hampel", "window_s": window, "limit": _LIMIT}
    return replace_unchecked(motion, joints=joints, root=root, filters=(*motion.filters, done))


def _without_outliers(
    points: Float[np.ndarray, "t j 3"], times: Float[np.ndarray, " t"], window: float
) -> Float[np.ndarray, "t j 3"]:
    """Points of a run of frames without gaps."""
    out = points.copy()
    first = np.searchsorted(times, times - window - 1e-6)
    last = np.searchsorted(times, times + window + 1e-6)
    for row, (start, end) in enumerate(zip(first, last, strict=True)):
        if row - start < 1 or end - row < 2:
            continue  # the first and the last frame have no line
        around, since = points[start:end].astype(np.float64), times[start:end, None, None] - times[row]
        before, after = np.median(around[: row - start], axis=0), np.median(around[row - start + 1 :], axis=0)
        early, late = float(np.median(since[: row - start])), float(np.median(since[row - start + 1 :]))
        line = before + (after - before) * (since - early) / (late - early)
        distances = np.linalg.norm(around - line, axis=-1)
        spread = _TO_DEVIATION * np.median(distances, axis=0)
        far = distances[row - start] > np.maximum(_LIMIT * spread, _LEAST)
        out[row, far] = line[row - start, far]
    return out
