"""Repetitions of squats, sitting down and standing up. All of them go down and up again."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.kinematics.angles import measure_joint_angles
from poselift.kinematics.gait_summary import compute_symmetry
from poselift.kinematics.movements.course import Course, hip_courses
from poselift.structures import Motion

_SMOOTH = 0.08
"""Standard deviation in seconds of the Gaussian over the hips' height."""

_DEEP = 0.15
"""Least way down, as a share of the leg's length."""

_DEPTH = 0.22
"""Half-width of the 90 % interval of a depth for a known size, as a share: of four people's 73 repetitions 95 % are
within, of each one's 50 to 100 (docs/angles.md)."""

_EDGE = 0.1
"""Share of the way at which a movement starts and ends."""


@dataclass(frozen=True)
class Repetition:
    """Down and up again, or, from a seat, up alone.

    Attributes:
        start: seconds when the hips have gone down by a tenth of the way; NaN where the clip begins below.
        low: seconds when they start up again.
        end: seconds when they have come up to a tenth of the way; NaN where the clip ends below.
        depth: way of the hips, metres.
        depth_uncertainty: half-width of its 90 % interval, with that of the person's size.
        down: seconds on the way down; NaN likewise.
        up: seconds on the way up; NaN likewise.
        knees: largest flexion of the left and of the right knee, degrees; NaN where unknown.
    """

    start: float
    low: float
    end: float
    depth: float
    depth_uncertainty: float
    down: float
    up: float
    knees: tuple[float, float]

    @property
    def knee_symmetry(self) -> float:
        """The knees' symmetry index, percent; positive if the left bends more."""
        return compute_symmetry(*self.knees)


def find_repetitions(motion: Motion) -> list[Repetition]:
    """The repetitions of a motion, in time; each lowest place is one.

    Args:
        motion: of one person in the world frame; of one camera, that of `hips_as_seen`.

    Raises:
        InputError: the motion is not in the world frame, its skeleton lacks joints, or no frame has a pose.
    """
    angles = measure_joint_angles(motion)
    knees = [angles.of(f"{side}_knee_flexion") for side in ("left", "right")]
    found = []
    for course in hip_courses(motion, _SMOOTH):
        for first, low_first, low_last, last in _valleys(course):
            height = course.height
            bottom = float(height[low_first : low_last + 1].min())
            tops = [float(height[row]) for row in (first, last)]
            depth = max(tops) - bottom
            down = _crossing(height[first : low_first + 1], bottom, tops[0])
            up = _crossing(height[low_last : last + 1][::-1], bottom, tops[1])
            starts = course.times[first] + down[0] if np.isfinite(down[0]) else np.nan
            ends = course.times[last] - up[0] if np.isfinite(up[0]) else np.nan
            low = course.times[low_last : last + 1][0]
            if np.isfinite(up[1]):
                low = course.times[last] - up[1]
            span = (motion.timestamps >= course.times[first]) & (motion.timestamps <= course.times[last])
            bent = [float(np.nanmax(each[span])) if np.isfinite(each[span]).any() else np.nan for each in knees]
            found.append(
                Repetition(
                    float(starts),
                    float(low),
                    float(ends),
                    depth,
                    float(np.hypot(_DEPTH, course.size)) * depth,
                    float(down[1] - down[0]),
                    float(up[1] - up[0]),
                    (bent[0], bent[1]),
                )
            )
    return found


def _valleys(course: Course) -> list[tuple[int, int, int, int]]:
    """Samples of each way down and up. Each has the top before, the first and last low sample, and the top after."""
    height, deep = course.height, _DEEP * course.leg
    # Turning points that stand out by `deep`: a top is confirmed by a fall, a bottom by a rise.
    turns: list[tuple[int, bool]] = []
    best, rising = 0, None
    low = high = 0
    for row in range(1, len(height)):
        if rising is None:
            low, high = (row if height[row] < height[low] else low), (row if height[row] > height[high] else high)
            if height[row] - height[low] > deep:
                turns.append((low, False))
                best, rising = row, True
            elif height[high] - height[row] > deep:
                turns.append((high, True))
                best, rising = row, False
        elif rising:
            best = row if height[row] > height[best] else best
            if height[best] - height[row] > deep:
                turns.append((best, True))
                best, rising = row, False
        else:
            best = row if height[row] < height[best] else best
            if height[row] - height[best] > deep:
                turns.append((best, False))
                best, rising = row, True
    if rising is not None:
        turns.append((best, rising))
    valleys = []
    for number, (row, is_top) in enumerate(turns):
        if is_top:
            continue
        before = turns[number - 1][0] if number else row
        after = turns[number + 1][0] if number + 1 < len(turns) else row
        near = np.flatnonzero(height[before : after + 1] <= height[row] + _EDGE * deep) + before
        inside = near if len(near) else np.array([row])
        valleys.append((before, int(inside[0]), int(inside[-1]), after))
    return valleys


def _crossing(height: Float[np.ndarray, " n"], bottom: float, top: float) -> tuple[float, float]:
    """Seconds until a tenth and until nine tenths of the way.

    The way is from the first sample down; NaN without any.
    """
    if len(height) < 2 or top - bottom <= 0:
        return np.nan, np.nan
    share = (top - height) / (top - bottom)
    first = np.flatnonzero(share <= _EDGE)
    last = np.flatnonzero(share >= 1 - _EDGE)
    if not len(first) or not len(last):
        return np.nan, np.nan
    return float(first[-1] if first[-1] < last[0] else first[0]) / 100, float(last[0]) / 100
