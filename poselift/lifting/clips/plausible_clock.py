"""Whether a motion's clock fits how fast its legs move."""

import numpy as np
from jaxtyping import Float

from poselift.structures import Motion

_FASTEST_STEPS = 280.0
"""Steps a minute that sprinters reach."""
_SLOWEST_STEPS = 40.0
"""Steps a minute below which nobody walks evenly; the slowest measured gaits of patients are near."""
_FASTEST = 12.0
"""Speed of the fastest joint relative to the pelvis, metres a second, median over time: a sprinter's feet reach 10."""
_FEWEST = 5
"""Least number of steps that show a pace."""
_STRIDE = 0.12
"""Least standard deviation of the distance between the ankles, metres: less is no gait."""
_UNEVEN = 0.3
"""Largest coefficient of variation of the steps' durations of an even gait."""
_SMOOTH = 1.9
"""Largest speed of the ankles relative to that of a swing without a pause; slow exercises pause between quick steps."""


def doubt_clock(motion: Motion) -> str | None:
    """Why a motion's clock is likely wrong, or None.

    Slow motion shows in an even gait that is slower than anybody's. Steps are counted by the ankles relative to each
    other, so neither the ground nor the camera matters.

    Args:
        motion: in any frame.
    """
    known = np.isfinite(motion.joints).all((1, 2))
    joints, times = motion.joints[known].astype(np.float64), motion.timestamps[known]
    if len(times) < 3 or not {"left_ankle", "right_ankle"} <= set(motion.skeleton.joints):
        return None
    speeds = np.linalg.norm(np.diff(joints, axis=0), axis=-1) / np.diff(times)[:, None]
    if (fastest := float(np.median(speeds.max(1)))) > _FASTEST:
        return f"moves its joints at {fastest:.0f} m/s, faster than people"
    ankles = joints[:, motion.skeleton.indices(["left_ankle", "right_ankle"])]
    apart = _swing(ankles[:, 0] - ankles[:, 1])
    steps = _crossings(apart, times)
    if len(steps) < _FEWEST or apart.std() < _STRIDE:
        return None
    lasts = np.diff(steps)
    pace = 60.0 / float(lasts.mean())
    if pace > _FASTEST_STEPS:
        return f"takes {pace:.0f} steps a minute, faster than people"
    smooth = np.percentile(np.abs(np.diff(apart) / np.diff(times)), 95) < _SMOOTH * np.sqrt(2) * apart.std() * np.pi * (
        pace / 60.0
    )
    if pace < _SLOWEST_STEPS and lasts.std() < _UNEVEN * lasts.mean() and smooth:
        return f"takes {pace:.0f} even steps a minute, slower than people walk"
    return None


def _swing(apart: Float[np.ndarray, "t 3"]) -> Float[np.ndarray, " t"]:
    """The vector between the ankles along its main direction, without its mean."""
    centred = apart - apart.mean(0)
    return np.asarray(centred @ np.linalg.svd(centred, full_matrices=False)[2][0])


def _crossings(values: Float[np.ndarray, " t"], times: Float[np.ndarray, " t"]) -> Float[np.ndarray, " n"]:
    """Times at which the values cross 0, well to both sides."""
    far = np.flatnonzero(np.abs(values) > values.std() / 2)
    changes = np.flatnonzero(np.diff(np.sign(values[far])))
    return np.asarray((times[far[changes]] + times[far[changes + 1]]) / 2)
