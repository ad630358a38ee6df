"""Time stamps of frames, and values at other times than theirs."""

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.safe_parsing import real_number

_SPAN = 10
"""Intervals per run, in clips of more than two runs."""

_LONGEST = 100_000.0
"""Seconds that any clip may span: more than a day, and than the 26.5 hours of the clock of MPEG-TS."""
_SPARSE = 100
"""Times the duration of its frames that a longer clip may span."""
_EVEN = 100_000
"""Frames that any file of evenly spaced frames may have; one with more has at most 100 times those of its clip."""
_SLOWEST = 1.0
"""Largest interval between frames that counts as their duration, seconds: longer ones have another unit."""
HIGHEST_RATE = 1000.0
_RATES = 1.0, HIGHEST_RATE
"""Lowest and highest number of frames a second: time stamps with others have another unit."""
ENOUGH = 10
"""Least number of frames to tell a rate that is too high: a few may come in a burst."""

_MET = 1e-6
"""Share of the time between two values by which a wanted time may miss one and still count as its own."""


def median_interval(times: Float[np.ndarray, " t"]) -> float:
    """Typical interval between frames, seconds: the median over short runs.

    Single intervals can mislead: frames in bursts, as from a network camera that stamps on arrival, have most intervals
    near 0, and missing frames make some intervals long. A run whose longest interval exceeds the sum of the others has
    such a gap, and counts only if all runs have one.

    Args:
        times: seconds, increasing.

    Returns:
        The interval; 0 for fewer than two frames.

    Example:
        >>> round(median_interval(np.array([0.0, 0.04, 0.08, 0.12, 0.28, 0.32])), 3)
        0.04
    """
    if len(times) < 2:
        return 0.0
    span = _SPAN if len(times) > 2 * _SPAN else 1
    steps = np.diff(times)
    runs = np.stack([steps[first : len(steps) - span + 1 + first] for first in range(span)])
    lasts = runs.sum(0)
    even = 2 * runs.max(0) <= lasts
    return float(np.median(lasts[even] if even.any() else lasts)) / span


def check_times(timestamps: np.ndarray) -> None:
    """Checks that timestamps increase and are of one clip.

    Raises:
        InputError: they do not increase, one is not finite, or the frames lie too far apart.
    """
    steps = np.diff(timestamps)
    if len(wrong := np.flatnonzero(~(steps > 0))):
        first = int(wrong[0])
        times = ", ".join(f"{time:g}" for time in timestamps[first : first + 2])
        raise InputError(f"timestamps must increase; frames {first} and {first + 1} have {times} s")
    if not np.isfinite(timestamps).all():
        raise InputError("a timestamp is not a finite number; give seconds")
    check_span(timestamps)


def check_span(times: Float[np.ndarray, " t"]) -> None:
    """Checks that time stamps can be those of one clip.

    Gaps of hours can; years and other units cannot. A grid over a span without frames takes more memory than there is.

    Args:
        times: seconds, increasing.

    Raises:
        InputError: the frames lie too far apart.
    """
    span = float(times[-1] - times[0]) if len(times) else 0.0
    if span > _LONGEST and span > _SPARSE * len(times) * min(median_interval(times), _SLOWEST):
        raise InputError(
            f"the {len(times)} frames have time stamps from {times[0]:.10g} to {times[-1]:.10g} s, too far apart for "
            "one clip; give seconds, and correct wrong ones"
        )


def count_even_frames(span: float, interval: float, frames: int) -> int:
    """The number of evenly spaced frames that a file without gaps needs.

    Args:
        span: from the first frame to the last one, seconds.
        interval: between frames, seconds.
        frames: number of frames that the clip has.

    Raises:
        InputError: nearly all of them would stand for a gap, and there would be too many.

    Example:
        >>> count_even_frames(2.0, 0.04, 45)
        51
    """
    count = round(span / interval) + 1
    if count > max(_EVEN, _SPARSE * frames):
        raise InputError(
            f"{frames} frames in {span:.10g} s would be {count} evenly spaced ones, because this file has no gaps; "
            "correct wrong time stamps, or lift shorter spans with --start and --end"
        )
    return count


def check_bounds(start: float | int | None, end: float | int | None) -> None:
    """Checks the ends of a span, seconds; None is open.

    Raises:
        InputError: the span is empty, or an end is no finite number.
    """
    for name, value in (("start", start), ("end", end)):
        number = 0.0 if value is None else real_number(value)
        if number is None or not np.isfinite(number):
            raise InputError(f"{name} is {value} s; give seconds, or leave it out")
    if not (-np.inf if start is None else start) < (np.inf if end is None else end):
        raise InputError(f"start is {start or 0:g} s and end {end} s; give an end after the start")


def check_rate(fps: object, name: str) -> float:
    """The frame rate, after checking that it is one.

    Args:
        fps: frames per second.
        name: of the value, for the message.

    Raises:
        InputError: it is no number from 1 to 1,000.
    """
    low, high = _RATES
    rate = real_number(fps)
    if rate is None or not low <= rate <= high:
        raise InputError(f"{name} is {fps}; give frames per second, from {low:g} to {high:g}")
    return rate


def check_intervals(times: Float[np.ndarray, " t"], lowest: float = _RATES[0]) -> None:
    """Checks that time stamps are in seconds, by the rate of frames.

    Frames may be missing: the rate is too low only if no two frames in a row are less than a second apart.

    Args:
        times: increasing, in seconds.
        lowest: number of frames a second.

    Raises:
        InputError: there are fewer than `lowest` or more than 1,000 frames a second.
    """
    high = _RATES[1]
    steps = np.diff(times)
    if len(steps) < 2:
        return
    # A little slack, because time stamps are rounded.
    if steps.min() > 1.01 / lowest:
        median = median_interval(times)
        raise InputError(
            f"the timestamps are {median:.4g} s apart, {1 / median:.3g} frames a second; give seconds: divide "
            f"milliseconds by 1,000 (rates are from {lowest:g} to {high:g})"
        )
    rate = len(steps) / float(times[-1] - times[0])
    if len(times) >= ENOUGH and rate > 1.01 * high:
        raise InputError(
            f"the timestamps are {1 / rate:.3g} s apart, {rate:.4g} frames a second; give seconds (rates are from "
            f"{lowest:g} to {high:g})"
        )


def interpolate(
    values: Float[np.ndarray, "n *c"],
    times: Float[np.ndarray, " n"],
    wanted: Float[np.ndarray, " m"],
    longest: float = np.inf,
) -> Float[np.ndarray, "m *c"]:
    """Values at other times, linearly interpolated.

    They are constant before the first and after the last.

    Args:
        values: of any shape after time; at least one.
        times: of the values, seconds, increasing.
        wanted: times of the result, seconds.
        longest: times between two values further apart than this are NaN, seconds.

    Returns:
        The values, in their own precision. NaN between a NaN and its neighbours, but a finite value stays at its time.

    Example:
        >>> interpolate(np.array([0.0, 2.0, np.nan]), np.array([0.0, 1.0, 2.0]), np.array([-1, 0.25, 1, 1.5])).tolist()
        [0.0, 0.5, 2.0, nan]
    """
    if np.array_equal(times, wanted):
        return values
    after = np.searchsorted(times, wanted).clip(max=len(times) - 1)
    before = np.maximum(after - 1, 0)
    span = times[after] - times[before]
    share = ((wanted - times[before]) / np.where(span > 0, span, 1.0)).clip(0.0, 1.0)
    # A time that is met but for rounding needs no neighbour, which may be NaN.
    share[share < _MET], share[share > 1 - _MET] = 0.0, 1.0
    share = np.where((span > longest) & (share > 0) & (share < 1), np.nan, share)
    weight = share.reshape(-1, *[1] * (values.ndim - 1))
    between = (1 - weight) * values[before] + weight * values[after]
    exact = np.where(weight == 0, values[before], np.where(weight == 1, values[after], between))
    return exact.astype(values.dtype, copy=False)


def half_interval(times: Float[np.ndarray, " t"]) -> float:
    """Half of the median frame interval, seconds; 1/60 for one frame."""
    return median_interval(times) / 2 if len(times) > 1 else 1 / 60


def frame_at(times: Float[np.ndarray, " t"], half: float, time: float) -> int | None:
    """Index of the frame nearest to a time.

    None if it is further away than half an interval.

    Args:
        times: seconds, increasing.
        half: of `half_interval`.
        time: seconds.

    Example:
        >>> frame_at(np.array([0.0, 0.04, 0.08]), 0.02, 0.05)
        1
    """
    if not len(times):
        return None
    after = int(np.searchsorted(times, time))
    nearest = min(range(max(after - 1, 0), min(after + 1, len(times))), key=lambda i: abs(times[i] - time))
    return nearest if abs(times[nearest] - time) <= half + 1e-6 else None
