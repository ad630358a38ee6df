"""The hips' height over time, evenly sampled, to find movements."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.kinematics.filtering import gaussian_means
from poselift.kinematics.footfalls import steps_with
from poselift.kinematics.rate import split_at_gaps
from poselift.kinematics.whole_body import TO_90
from poselift.numerics.times import median_interval
from poselift.structures import Motion

RATE = 100.0
"""Samples a second."""


@dataclass(frozen=True)
class Course:
    """A run of known frames.

    Attributes:
        times: seconds, evenly.
        height: of the middle of the hips over the ground, metres.
        ankle: height of the lower ankle, metres.
        leg: length of a straight leg from hip to ankle, metres.
        size: half-width of the 90 % interval of all lengths, as a share; 0 for a given height.
        interval: seconds between two frames of the motion.
    """

    times: Float[np.ndarray, " n"]
    height: Float[np.ndarray, " n"]
    ankle: Float[np.ndarray, " n"]
    leg: float
    size: float
    interval: float


def hip_courses(motion: Motion, smooth: float) -> list[Course]:
    """The courses of the hips in each run of known frames.

    Args:
        motion: of one person in the world frame.
        smooth: standard deviation of the Gaussian over the heights, seconds.

    Raises:
        InputError: the motion is not in the world frame, its skeleton has no legs, or no frame has a pose.
    """
    if motion.frame != "world":
        raise InputError("this measure needs the direction of up; lift with --world")
    if not steps_with(motion.skeleton):
        raise InputError(f"{motion.skeleton.name} lacks hips, knees or ankles, which this measure needs")
    if not motion.posed.any():
        raise InputError(f"person {motion.keypoints.person} has no frame with a pose; choose another person")
    points = (motion.joints + motion.root[:, None]).astype(np.float64)
    place = {name: points[:, row] for row, name in enumerate(motion.skeleton.joints)}
    middle = (place["left_hip"] + place["right_hip"])[:, 1] / 2
    lower = np.minimum(place["left_ankle"], place["right_ankle"])[:, 1]
    chains = [[place[f"{side}_{joint}"][motion.posed] for joint in ("hip", "knee", "ankle")] for side in _SIDES]
    leg = float(np.mean([np.median(np.linalg.norm(np.diff(chain, axis=0), axis=-1).sum(0)) for chain in chains]))
    size = TO_90 * motion.height.spread / motion.height.metres if motion.height is not None else 0.0
    interval = median_interval(motion.timestamps)
    courses = []
    for part in split_at_gaps(motion.posed, motion.timestamps):
        if len(part) < 4:
            continue
        seconds = motion.timestamps[part]
        times = np.arange(seconds[0], seconds[-1], 1 / RATE)
        smoothed = gaussian_means(middle[part], seconds, smooth) if smooth else middle[part]
        height, ankle = (np.interp(times, seconds, values) for values in (smoothed, lower[part]))
        courses.append(Course(times, height, ankle, leg, float(size), interval))
    return courses


_SIDES = ("left", "right")
