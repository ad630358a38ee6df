"""The Butterworth filter of biomechanics: both ways, without delay."""

import math
from typing import Any

import numpy as np
from jaxtyping import Float

from poselift.core.annotations import check_annotations
from poselift.core.arrays import Array, array_namespace
from poselift.core.errors import InputError
from poselift.core.unchecked import replace_unchecked
from poselift.kinematics.rate import split_at_gaps
from poselift.numerics.curves import interpolate_spline
from poselift.numerics.times import median_interval
from poselift.structures import Motion

_ORDER = 2
"""Of one pass; both passes together are of the fourth order, without lag (Winter 2009, chapter 3.4)."""

_HIGHEST = float(np.tan(0.999 * np.pi / 2))
"""Tangent of half the angle per sample of the highest cutoff, close to half the frame rate."""

_SHORTEST = 4
"""Frames in a row that are needed for filtering; fewer stay as they are."""

_LEAST_WEIGHT = 0.01
"""Weight of the farthest frame in a Gaussian mean, against 1 of the frame itself."""

BLOCK = 128
"""Frames in a block of a tensor; a Gaussian mean reaches over one block on either side."""

_NEVER = 1e9
"""Time of frames before the first and after the last one, seconds: far away from all others."""


@check_annotations
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
    interval = median_interval(motion.timestamps)
    check_cutoff(cutoff, 1 / interval if interval > 0 else np.inf)
    joints, root = motion.joints.copy(), motion.root.copy()
    for part in split_at_gaps(motion.posed, motion.timestamps):
        if len(part) >= _SHORTEST:
            times = motion.timestamps[part]
            joints[part] = _filter(joints[part], times, cutoff, interval)
            root[part] = _filter(root[part], times, cutoff, interval)
    filters = (*motion.filters, describe_filter(cutoff))
    return replace_unchecked(motion, joints=joints, root=root, filters=filters)


def describe_filter(cutoff: float) -> dict[str, Any]:
    """What `Motion.filters` says of the filter."""
    return {"name": "Butterworth, dual pass", "order": 4, "cutoff_hz": cutoff}


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
    """A run without gaps, filtered on an even grid if necessary."""
    even = times[0] + interval * np.arange(int(np.ceil((times[-1] - times[0]) / interval - 1e-6)) + 1)
    uneven = len(even) != len(times) or np.abs(even - times).max() > 0.05 * interval
    samples = interpolate_spline(times, values, np.minimum(even, times[-1])) if uneven else values
    # Two passes weaken the cutoff of each by 6 dB; a higher one makes it 3 dB at the stated frequency.
    single = np.tan(np.pi * cutoff * interval) / (np.sqrt(2) - 1) ** (0.5 / _ORDER)
    reach = min(int(3 / (cutoff * interval)), len(samples) - 1)
    # Half a turn about both ends: what the filter takes to settle is cut off again.
    ends = 2 * samples[0] - samples[reach:0:-1], 2 * samples[-1] - samples[-2 : -reach - 2 : -1]
    longer = np.concatenate([ends[0], samples, ends[1]]).astype(np.float64)
    for _ in range(2):
        longer = _filter_once(longer, min(single, _HIGHEST))[::-1]
    smooth = longer[reach : len(longer) - reach]
    out: np.ndarray = interpolate_spline(even, smooth, times) if uneven else smooth
    return out.astype(values.dtype)


def _filter_once(values: Float[np.ndarray, "n *c"], cutoff: float) -> Float[np.ndarray, "n *c"]:
    """The Butterworth filter of second order.

    It starts as if the first value had always been there.

    Args:
        values: at even times.
        cutoff: the tangent of half its angle per sample (bilinear transform), at 3 dB.
    """
    scale = 1 / (1 + np.sqrt(2) * cutoff + cutoff**2)
    gain, first, second = scale * cutoff**2, 2 * scale * (cutoff**2 - 1), scale * (1 - np.sqrt(2) * cutoff + cutoff**2)
    out = np.empty_like(values)
    one, two = (1 - gain) * values[0], (gain - second) * values[0]
    for row, value in enumerate(values):
        out[row] = here = gain * value + one
        one, two = 2 * gain * value - first * here + two, gain * value - second * here
    return out


def gaussian_means(values: Float[Array, "t *c"], times: Float[Array, " t"], memory: float) -> Float[Array, "t *c"]:
    """Gaussian means over time, for frames at any time stamps.

    Args:
        values: finite.
        times: seconds, increasing.
        memory: standard deviation of the Gaussian, seconds.

    Tensors must have a multiple of `BLOCK` frames, of which three memories may not have more than one block.
    """
    if not isinstance(values, np.ndarray):
        return _means_in_blocks(values, times, memory)
    rows = values.reshape(len(values), -1)
    total, weight = rows.copy(), np.ones((len(times), 1))
    for step in range(1, len(times)):
        near = np.exp(-0.5 * ((times[step:] - times[:-step]) / memory) ** 2)[:, None]
        if near.max() < _LEAST_WEIGHT:
            break
        total[step:] += near * rows[:-step]
        total[:-step] += near * rows[step:]
        weight[step:] += near
        weight[:-step] += near
    return (total / weight).reshape(values.shape)


def _means_in_blocks(values: Array, times: Array, memory: float) -> Array:
    """The same by blocks and their neighbours, for graphs. A graph can hold no loop of unknown length."""
    xp = array_namespace(values)
    rows = values.reshape(-1, BLOCK, math.prod(values.shape[1:]))
    stamps = times.reshape(-1, BLOCK)

    def with_neighbours(x: Array, fill: float) -> Array:
        none = 0 * x[:1] + fill
        return xp.concat((xp.concat((none, x[:-1])), x, xp.concat((x[1:], none))), axis=1)

    apart = (stamps[:, :, None] - with_neighbours(stamps, _NEVER)[:, None]) / memory
    near = xp.exp(-0.5 * apart**2)
    near = xp.where(near < _LEAST_WEIGHT, 0.0, near)
    mean = near @ with_neighbours(rows, 0.0) / near.sum(-1)[..., None]
    return mean.reshape(values.shape)
