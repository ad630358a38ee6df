"""Jumps: how long and how high.

Somebody is in the air while both ankles are higher than a stretched foot lifts them. The time in the air gives the
height of the flight by the fall of bodies alone, whatever the size of the person. How far the hips rise over their
place while standing gives what a tape at the belt would show; it is larger by the stretch of the feet, about a tenth of
a leg. benchmarks/movements.py has the errors of both.
"""

from dataclasses import dataclass

import numpy as np

from poselift.kinematics.movements.course import hip_courses
from poselift.structures import Motion

_GRAVITY = 9.81

_STRETCH = 0.09
"""Height of the ankles at take-off and landing over that while standing, as a share of the leg's length."""

_STANDS = 20
"""Percentile of the lower ankle's height that is its height while standing."""

_LEAST_FLIGHT = 0.1
"""Seconds of the shortest flight."""

_FLAT, _UPRIGHT = 0.03, 90
"""The hips stand as high as this percentile of the frames whose lower ankle is up to so far over its rest, as a share
of the leg's length: in hops, most frames are in the air or on bent knees."""

_LONGER = 0.05
"""Metres that a flight may be higher by its time than by the hips. Beyond it somebody stands on the toes or hangs."""

_RISE, _FLIGHT = 0.018, 0.045
"""Half-widths of 90 % intervals of the hips' rise for a known size, metres, and of the flight, seconds."""


@dataclass(frozen=True)
class Jump:
    """One jump.

    Attributes:
        start: seconds of take-off.
        end: seconds of landing.
        rise: of the hips over their place while standing, metres.
        rise_uncertainty: half-width of its 90 % interval, with that of the person's size.
        height: of the flight by its time, metres.
        height_uncertainty: half-width of its 90 % interval, with an error of half a frame at each end.
    """

    start: float
    end: float
    rise: float
    rise_uncertainty: float
    height: float
    height_uncertainty: float

    @property
    def flight(self) -> float:
        """Seconds in the air."""
        return self.end - self.start


def find_jumps(motion: Motion) -> list[Jump]:
    """The jumps of a motion in time, if whole in it.

    Args:
        motion: of one person in the world frame, who stands before, between or after the jumps; of one camera, that
            of `hips_as_seen`. Its frame rate decides how well flights are timed.

    Raises:
        InputError: the motion is not in the world frame, its skeleton has no legs, or no frame has a pose.
    """
    jumps = []
    for course in hip_courses(motion, 0.0):
        rest = float(np.percentile(course.ankle, _STANDS))
        flat = course.ankle <= rest + _FLAT * course.leg
        stand = float(np.percentile(course.height[flat], _UPRIGHT))
        up = np.concatenate([[False], course.ankle > rest + _STRETCH * course.leg, [False]])
        edges = np.flatnonzero(np.diff(up.astype(int)))
        for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            flight = float(course.times[end - 1] - course.times[first])
            rise = float(course.height[first:end].max() - stand)
            if first == 0 or end == len(course.times) or flight < _LEAST_FLIGHT or rise <= 0:
                continue
            height = _GRAVITY * flight**2 / 8
            if height > rise + _LONGER:
                continue
            # Both ends are within half a frame, evenly: 90 % of their difference are within 0.68 frames.
            error = float(np.hypot(_FLIGHT, 0.68 * course.interval))
            jumps.append(
                Jump(
                    float(course.times[first]),
                    float(course.times[end - 1]),
                    rise,
                    float(np.hypot(_RISE, course.size * rise)),
                    height,
                    _GRAVITY * flight / 4 * error,
                )
            )
    return jumps
