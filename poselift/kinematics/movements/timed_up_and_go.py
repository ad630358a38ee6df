"""Timed up and go: chair, walk, turn, back, chair."""

from dataclasses import dataclass

import numpy as np

from poselift.core.errors import InputError
from poselift.kinematics.movements.course import hip_courses
from poselift.structures import Motion

_SMOOTH = 0.1
"""Standard deviation in seconds of the Gaussian over the hips' height."""

_UP = 0.1
"""Share of the way from sitting to standing at which somebody has left the seat, or has it again."""

_RISE = 0.15
"""Least way from sitting to standing, as a share of the leg's length."""

_LEAST_WALK = 1.0
"""Metres that somebody walks at least."""


@dataclass(frozen=True)
class UpAndGo:
    """The times of one test, seconds.

    Attributes:
        start: when the hips leave the seat.
        stood: when they have come up.
        turned: when the person is farthest from the chair.
        sitting: when they go down again.
        end: when they have the seat again.
        distance: of the farthest place from the chair, metres, by the person's size.
        uncertainty: of the total, half-width of the 90 % interval: one frame at each end.
    """

    start: float
    stood: float
    turned: float
    sitting: float
    end: float
    distance: float
    uncertainty: float

    @property
    def total(self) -> float:
        """Seconds from seat to seat. A watch that starts at "go" shows more."""
        return self.end - self.start


def time_up_and_go(motion: Motion) -> UpAndGo:
    """The times of a timed up and go.

    Args:
        motion: of one person in the world frame, who sits at the start and at the end.

    Raises:
        InputError: nobody stands up, walks at least a metre and sits down again, or the motion is not in the world
            frame.
    """
    courses = hip_courses(motion, _SMOOTH)
    course = max(courses, key=lambda each: len(each.times), default=None)
    if course is None:
        raise InputError("no timed up and go: fewer than four frames with a pose in a row")
    height = course.height
    tall = float(np.percentile(height, 90))
    seats = (
        float(np.percentile(height[: max(1, len(height) // 8)], 25)),
        float(height[-max(1, len(height) // 8) :].min()),
    )
    if tall - max(seats) < _RISE * course.leg:
        raise InputError("no timed up and go: the person does not sit at the start and at the end, and stand between")
    up = np.flatnonzero(height > seats[0] + _UP * (tall - seats[0]))
    stood = np.flatnonzero(height > seats[0] + (1 - _UP) * (tall - seats[0]))
    down = np.flatnonzero(height > seats[1] + _UP * (tall - seats[1]))
    lowering = np.flatnonzero(height > seats[1] + (1 - _UP) * (tall - seats[1]))
    if not len(up) or not len(stood) or not len(lowering):
        raise InputError("no timed up and go: the person does not stand up and sit down again")
    times = course.times
    root = np.stack(
        [np.interp(times, motion.timestamps[motion.posed], motion.root[motion.posed, axis]) for axis in (0, 2)]
    )
    away = np.linalg.norm(root - root[:, up[0]][:, None], axis=0)
    far = int(away.argmax())
    if away[far] < _LEAST_WALK:
        raise InputError(f"no timed up and go: the person walks {away[far]:.1f} m, less than {_LEAST_WALK:g} m")
    moments = (times[up[0]], times[stood[0]], times[far], times[lowering[-1]], times[down[-1]])
    start, risen, turned, sitting, end = map(float, moments)
    return UpAndGo(start, risen, turned, sitting, end, float(away[far]), 1.35 * course.interval)
