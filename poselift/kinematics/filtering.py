"""The Butterworth filter of biomechanics: forwards and backwards, so that it does not delay."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float
from scipy.interpolate import CubicSpline

from poselift.core.errors import InputError
from poselift.core.times import usual_interval
from poselift.kinematics.rate import split_at_gaps
from poselift.structures import Motion

_ORDER = 2
"""Of one pass; both passes together are of the fourth order, without lag (Winter 2009, chapter 3.4)."""

_SHORTEST = 4
"""Frames in a row that are needed for filtering; fewer stay as they are."""


def butterworth(motion: Motion, cutoff: float) -> Motion:
    """The motion with joints and root filtered.

    Empty frames stay empty, and nothing is filtered across them or across missing frames. Frames at uneven times are
    filtered on an even grid. Bone lengths change a little.

    Args:
        motion: of one person.
        cutoff: frequency in Hz that both passes together weaken by 3 dB; 6 Hz is usual for walking.

    Raises:
        InputError: the cutoff is not between 0 and half of the frame rate.
    """
    interval = usual_interval(motion.timestamps)
    check_cutoff(cutoff, 1 / interval if interval > 0 else np.inf)
    joints, root = motion.joints.copy(), motion.root.copy()
    for part in split_at_gaps(motion.posed, motion.timestamps):
        if len(part) >= _SHORTEST:
            times = motion.timestamps[part]
            joints[part] = _filter(joints[part], times, cutoff, interval)
            root[part] = _filter(root[part], times, cutoff, interval)
    return replace(motion, joints=joints, root=root)


def check_cutoff(cutoff: float, fps: float = np.inf) -> None:
    """Checks that a filter can have this cutoff.

    Args:
        cutoff: Hz.
        fps: frames a second; infinite if unknown.

    Raises:
        InputError: it is not between 0 and half of the frame rate.
    """
    if not 0 < cutoff < fps / 2:
        limit = f" and less than {fps / 2:.4g} Hz, half the frame rate" if fps < np.inf else ""
        raise InputError(f"cutoff {cutoff:g} Hz: give more than 0{limit}; 6 is usual for walking")


def _filter(
    values: Float[np.ndarray, "t *c"], times: Float[np.ndarray, " t"], cutoff: float, interval: float
) -> Float[np.ndarray, "t *c"]:
    """A run of frames without gaps, filtered on an even grid if its times are uneven."""
    even = times[0] + interval * np.arange(int(np.ceil((times[-1] - times[0]) / interval - 1e-6)) + 1)
    uneven = len(even) != len(times) or np.abs(even - times).max() > 0.05 * interval
    samples = CubicSpline(times, values)(np.minimum(even, times[-1])) if uneven else values
    # Two passes weaken the cutoff of each by 6 dB; a higher one makes it 3 dB at the stated frequency.
    single = np.tan(np.pi * cutoff * interval) / (np.sqrt(2) - 1) ** (0.5 / _ORDER)
    from scipy.signal import butter, sosfiltfilt  # it loads all of scipy.stats, which few commands need

    sections = butter(_ORDER, min(2 * np.arctan(single) / np.pi, 0.999), output="sos")
    reach = min(int(3 / (cutoff * interval)), len(samples) - 1)
    smooth = sosfiltfilt(sections, samples, axis=0, padlen=reach)
    out: np.ndarray = CubicSpline(even, smooth)(times) if uneven else smooth
    return out.astype(values.dtype)


def gaussian_means(
    values: Float[np.ndarray, "t *c"], times: Float[np.ndarray, " t"], memory: float
) -> Float[np.ndarray, "t *c"]:
    """Gaussian means over time, for frames at any time stamps.

    Args:
        values: finite.
        times: seconds, increasing.
        memory: standard deviation of the Gaussian, seconds.
    """
    rows = values.reshape(len(values), -1)
    total, weight = rows.copy(), np.ones((len(times), 1))
    for step in range(1, len(times)):
        near = np.exp(-0.5 * ((times[step:] - times[:-step]) / memory) ** 2)[:, None]
        if near.max() < 0.01:
            break
        total[step:] += near * rows[:-step]
        total[:-step] += near * rows[step:]
        weight[step:] += near
        weight[:-step] += near
    return (total / weight).reshape(values.shape)
