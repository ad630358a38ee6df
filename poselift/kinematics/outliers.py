"""The Hampel filter: single frames that jump away are set back to the median around them."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from poselift.core.annotations import check_annotations
from poselift.core.errors import InputError
from poselift.kinematics.rate import split_at_gaps
from poselift.structures import Motion

_LIMIT = 3.0
"""Standard deviations from the median beyond which a value is an outlier, as is usual (Hampel, JASA 1974; Pearson et
al., EURASIP J. Adv. Signal Process. 2016)."""

_TO_DEVIATION = 1.4826
"""From the median of the distances to the median to the standard deviation, for normal errors."""

_LEAST = 0.002
"""Metres that a joint may be off in any case: a body at rest has no spread to compare with."""

_WIDEST = 5.0
"""Seconds."""


@check_annotations
def hampel(motion: Motion, window: float) -> Motion:
    """The motion whose joints and root are set to the median where they jump away from it.

    A joint that is farther from the median of the frames around it than three standard deviations, which are estimated
    from the median distance, takes the median's place. Empty frames stay empty, and no window reaches across them.

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
    return replace(motion, joints=joints, root=root, filters=(*motion.filters, done))


def _without_outliers(
    points: Float[np.ndarray, "t j 3"], times: Float[np.ndarray, " t"], window: float
) -> Float[np.ndarray, "t j 3"]:
    """Points of a run of frames without gaps."""
    out = points.copy()
    first = np.searchsorted(times, times - window - 1e-6)
    last = np.searchsorted(times, times + window + 1e-6)
    for row, (start, end) in enumerate(zip(first, last, strict=True)):
        around = points[start:end].astype(np.float64)
        median = np.median(around, axis=0)
        spread = _TO_DEVIATION * np.median(np.linalg.norm(around - median, axis=-1), axis=0)
        far = np.linalg.norm(points[row] - median, axis=-1) > np.maximum(_LIMIT * spread, _LEAST)
        out[row, far] = median[far]
    return out
