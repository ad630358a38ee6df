"""Steps, cadence and stride length from foot contacts."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from poselift.core.errors import InputError
from poselift.core.times import usual_interval
from poselift.structures import FEET, Motion

_SHORTEST, _LONGEST = 0.2, 1.5
"""Seconds between two foot strikes of a walk or run: feet of a jump land together, and somebody who stands waits."""

_TO_LINE = 1.645 / 2.5003
"""From the radius that holds a joint in 90 % of cases to the half-width for one coordinate, for normal errors."""


@dataclass(frozen=True)
class Gait:
    """Events of a walk and what follows from them.

    Attributes:
        strikes: frame and foot (its column of `FEET`) of each foot strike, in time. A foot that is down in the first
            frame has none.
        steps: frames of each step: from the strike of one foot to that of the other.
        step_time: seconds of each step.
        cadence: steps a minute; NaN without steps.
        cadence_uncertainty: likewise; one frame of error over the time of all steps.
        strides: frames of each stride: from a strike of a foot to its next one.
        stride_feet: column of `FEET` of each stride's foot.
        stride_length: metres over the ground of each stride.
        stride_uncertainty: half-width of the 90 % interval of each stride's length, metres, if the errors of both ends
            are independent; NaN if the lifter gives no uncertainty.
    """

    strikes: Int[np.ndarray, "n 2"]
    steps: Int[np.ndarray, "k 2"]
    step_time: Float[np.ndarray, " k"]
    cadence: float
    cadence_uncertainty: float
    strides: Int[np.ndarray, "m 2"]
    stride_feet: Int[np.ndarray, " m"]
    stride_length: Float[np.ndarray, " m"]
    stride_uncertainty: Float[np.ndarray, " m"]


def gait(motion: Motion) -> Gait:
    """The gait of a motion with foot contacts.

    Raises:
        InputError: the motion is not in the world frame or has no contacts.
    """
    if motion.contacts is None or motion.frame != "world":
        raise InputError("gait events need foot contacts and the ground; lift with --world")
    times = motion.timestamps
    frames, feet = np.nonzero(motion.contacts[1:] & ~motion.contacts[:-1])
    known = np.isfinite(motion.root[frames + 1]).all(1) & np.isfinite(motion.root[frames]).all(1)
    strikes = np.stack([frames[known] + 1, feet[known]], 1)
    pairs = np.stack([strikes[:-1], strikes[1:]], 1)
    between = np.diff(times[strikes[:, 0]])
    stepped = (between > _SHORTEST) & (between < _LONGEST) & (np.diff(strikes[:, 1]) != 0)
    steps = pairs[stepped, :, 0]
    step_time = np.diff(times[steps], axis=1)[:, 0]
    total = step_time.sum()
    cadence = 60 * len(steps) / total if total > 0 else np.nan

    # A stride is two steps in a row: left, right, left.
    firsts = np.flatnonzero(stepped[:-1] & stepped[1:])
    strides = np.stack([strikes[firsts, 0], strikes[firsts + 2, 0]], 1)
    ankles = np.array(motion.skeleton.indices([f"{foot.removesuffix('_foot')}_ankle" for foot in FEET]))
    feet = strikes[firsts, 1]
    ankle = ankles[feet]
    ends = motion.joints[strides, ankle[:, None]] + motion.root[strides]
    length = np.linalg.norm((ends[:, 1] - ends[:, 0])[:, [0, 2]], axis=-1).astype(np.float64)
    uncertainty = np.full(len(strides), np.nan)
    if motion.uncertainty is not None:
        radii = motion.uncertainty[strides, ankle[:, None]].astype(np.float64)
        uncertainty = _TO_LINE * np.sqrt((radii**2).sum(1))
    error = cadence * usual_interval(times) / total if total > 0 else np.nan
    return Gait(strikes, steps, step_time, float(cadence), float(error), strides, feet, length, uncertainty)
