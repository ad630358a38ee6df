"""Joints as markers at a constant rate with Y up, as programs of motion capture read them."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.core.times import usual_interval
from poselift.kinematics import upright
from poselift.structures import Motion

_UNEVEN = 0.1
"""Share of an interval by which a frame may be early or late before all are interpolated."""

_GAP = 2.5
"""Intervals without a frame that are a gap."""


@dataclass(frozen=True)
class Markers:
    """Positions of markers at a constant rate.

    Attributes:
        names: of the markers.
        positions: millimetres, right-handed, Y up; NaN in empty frames.
        radii: of the ball that holds the joint in 90 % of cases, millimetres; NaN where it is unknown.
        rate: frames a second.
        start: seconds of the first frame.
        resampled: whether the motion's frames were at uneven times, and these are interpolated.
    """

    names: tuple[str, ...]
    positions: Float[np.ndarray, "t j 3"]
    radii: Float[np.ndarray, "t j"]
    rate: float
    start: float
    resampled: bool

    @property
    def times(self) -> Float[np.ndarray, " t"]:
        """Seconds of each frame."""
        return self.start + np.arange(len(self.positions)) / self.rate


def markers(motion: Motion) -> Markers:
    """The joints of a motion as markers.

    Frames at uneven times are interpolated linearly on an even grid. Nothing is interpolated across empty frames and
    gaps.

    Raises:
        InputError: no frame has a pose.
    """
    times = motion.timestamps
    points = upright(motion)
    if not np.isfinite(points).all((1, 2)).any():
        raise InputError(f"person {motion.keypoints.person} has no frame with a pose; choose another person")
    radii = np.full(points.shape[:2], np.nan) if motion.uncertainty is None else motion.uncertainty.astype(np.float64)
    # A single frame has no rate; 30 stands for it.
    interval = usual_interval(times) or 1 / 30
    grid = times[0] + interval * np.arange(round((times[-1] - times[0]) / interval) + 1)
    resampled = len(grid) != len(times) or bool(np.abs(grid - times).max() > _UNEVEN * interval)
    if resampled:
        points, radii = (_at(grid, times, values, _GAP * interval) for values in (points, radii))
    return Markers(motion.skeleton.joints, 1000 * points, 1000 * radii, 1 / interval, float(times[0]), resampled)


def _at(
    grid: Float[np.ndarray, " n"], times: Float[np.ndarray, " t"], values: Float[np.ndarray, "t *c"], gap: float
) -> Float[np.ndarray, "n *c"]:
    """Values between frames; NaN where a frame beside is empty, or none is near."""
    after = np.clip(np.searchsorted(times, grid), 1, len(times) - 1)
    before = after - 1
    share = np.clip((grid - times[before]) / (times[after] - times[before]), 0.0, 1.0)
    share[np.abs(share) < 1e-6], share[np.abs(share - 1) < 1e-6] = 0.0, 1.0
    weight = share.reshape(-1, *[1] * (values.ndim - 1))
    between = (1 - weight) * values[before] + weight * values[after]
    between[(times[after] - times[before] > gap) & (share > 0) & (share < 1)] = np.nan
    # A frame that is met needs no neighbour.
    between[share == 0], between[share == 1] = values[before[share == 0]], values[after[share == 1]]
    return between
