"""A motion at another frame rate, on whole frames."""

from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from poselift.core.annotations import check_annotations
from poselift.core.errors import InputError
from poselift.numerics.curves import interpolate_spline
from poselift.numerics.times import check_span, count_even_frames, median_interval
from poselift.structures import Motion

_GAP = 2.5
"""Intervals without a frame that are a gap."""

_FASTEST = 1000.0
"""Frames a second."""


@check_annotations
def resample_motion(motion: Motion, rate: float) -> Motion:
    """The motion at times n / rate, within its own times.

    Joints and root are interpolated by cubic splines, but not across empty frames and gaps: frames there are empty.
    Uncertainty, contacts, hands and keypoints are those of the nearest frame.

    Args:
        motion: of one person.
        rate: frames a second.

    Raises:
        InputError: the rate is not usable, or no frame with a pose is left.
    """
    if not 0 < rate <= _FASTEST:
        raise InputError(f"{rate:g} frames a second: give more than 0 and at most {_FASTEST:g}")
    times = motion.timestamps
    check_span(times)
    count_even_frames(float(times[-1] - times[0]), 1 / rate, len(times))
    slack = 1e-6 * rate
    grid = np.arange(np.ceil(times[0] * rate - slack), np.floor(times[-1] * rate + slack) + 1) / rate
    if len(times) == 1:
        grid = np.round(times * rate) / rate
    nearest = np.searchsorted((times[1:] + times[:-1]) / 2, grid)
    joints = np.full((len(grid), *motion.joints.shape[1:]), np.nan, motion.joints.dtype)
    root = np.full((len(grid), 3), np.nan, motion.root.dtype)
    for part in split_at_gaps(motion.posed, times):
        inside = (grid >= times[part[0]] - 1e-6) & (grid <= times[part[-1]] + 1e-6)
        for values, source in ((joints, motion.joints), (root, motion.root)):
            alone = len(part) == 1
            values[inside] = (
                source[nearest[inside]] if alone else interpolate_spline(times[part], source[part], grid[inside])
            )
    seen = motion.keypoints
    keypoints = replace(
        seen, keypoints=seen.keypoints[nearest], scores=seen.scores[nearest], timestamps=grid.astype(times.dtype)
    )
    taken: dict[str, Any] = {
        name: None if (array := getattr(motion, name)) is None else array[nearest]
        for name in ("interpolated", "uncertainty", "contacts", "hands")
    }
    changed = replace(motion, joints=joints, root=root, timestamps=grid, keypoints=keypoints, **taken)
    if not changed.posed.any():
        raise InputError(
            f"person {seen.person} has no frame with a pose at {rate:g} frames a second; choose a higher rate"
        )
    return changed


def split_at_gaps(known: Bool[np.ndarray, " t"], times: Float[np.ndarray, " t"]) -> list[Int[np.ndarray, " n"]]:
    """Frames of each run of known frames without a gap in time."""
    breaks = np.diff(known) | (np.diff(times) > _GAP * median_interval(times))
    parts = np.split(np.arange(len(known)), np.flatnonzero(breaks) + 1)
    return [part for part in parts if len(part) and known[part[0]]]
