"""What is measured of one motion."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poselift.kinematics import (
    Angles,
    Cycles,
    Gait,
    Stride,
    add_uncertainty,
    cut_gait_cycles,
    measure_gait,
    measure_joint_angles,
    measure_segment_angles,
    steps_with,
)
from poselift.structures import FEET, Height, Motion

SIDES = tuple(foot.removesuffix("_foot") for foot in FEET)
"""The person's own left and right, as columns of `FEET`."""

_NO_WORLD = "No steps: they need the direction of up; lift with --world."
_NO_LEGS = "No steps: the skeleton lacks hips, knees or ankles."
_NO_STEPS = "No steps: fewer than two foot strikes are followed by one of the other foot within 0.2 to 1.5 s."


@dataclass(frozen=True)
class Trial:
    """One motion and its measurements.

    Attributes:
        name: of the file without its ending, after that of its folder.
        joints: joint angles, with their uncertainty.
        segments: angles of segments in space, likewise.
        gait: None without steps.
        why: says why there are no steps.
        cycles: joint and segment angles over the strides.
        height: of the person; None if unknown.
        unused_belt: speed of a belt that was given for somebody who walks over ground, m/s; None otherwise.
    """

    name: str
    joints: Angles
    segments: Angles
    gait: Gait | None
    why: str
    cycles: list[Cycles]
    height: Height | None
    unused_belt: float | None = None


def measure_trial(path: Path, motion: Motion, belt: float | None = None) -> Trial:
    """The measurements of a motion.

    Args:
        path: of the motion.
        motion: of one person; all times are by its clock.
        belt: speed of a treadmill's belt, m/s.

    Raises:
        InputError: the skeleton lacks joints, or no frame has a pose.
    """
    found, why = None, ""
    if motion.frame != "world":
        why = _NO_WORLD
    elif not steps_with(motion.skeleton):
        why = _NO_LEGS
    else:
        found = measure_gait(motion, belt)
        if not found.steps:
            why, found = found.why or _NO_STEPS, None
    joints, segments = (add_uncertainty(angles, motion) for angles in (measure_joint_angles, measure_segment_angles))
    cycles = [] if found is None else [*cut_gait_cycles(joints, found), *cut_gait_cycles(segments, found)]
    name = f"{path.parent.name}/{path.stem}" if path.parent.name else path.stem
    unused = belt if found is not None and found.belt is None else None
    return Trial(name, joints, segments, found, why, cycles, motion.height, unused)


def measure_spread(gait: Gait, stride: Stride) -> float:
    """Half-width of the 90 % interval of a stride's length, metres, with that of the person's size if it is known."""
    return float(np.hypot(stride.noise, np.nan_to_num(gait.stride_scale) * stride.length))


def summarise_gait(gait: Gait) -> dict[str, float]:
    """Means over the steps and strides, with units and half-widths of 90 % intervals in the names."""
    strides, steps = gait.strides, gait.steps
    length, time = (np.array([getattr(stride, name) for stride in strides]) for name in ("length", "seconds"))
    noise = np.array([stride.noise for stride in strides])
    values: dict[str, float] = {"steps": len(steps), "strides": len(strides)}
    values |= {"cadence_per_min": gait.cadence, "cadence_90_per_min": gait.cadence_uncertainty}
    values |= {"stride_time_s": average_known(time), "stride_length_m": average_known(length)}
    size = np.nan_to_num(gait.stride_scale)
    # The noise of strides in a row is shared by neighbours; as if independent it would be too small by a little.
    error = np.hypot(average_known(noise) / np.sqrt(max(len(strides), 1)), size * average_known(length))
    values |= {"stride_length_90_m": float(error)}
    speed = average_known(length / time)
    spread = float(error / average_known(length) * speed) if gait.belt is None else 0.0
    values |= {"speed_m_per_s": speed, "speed_90_m_per_s": spread}
    for column, side in enumerate(SIDES):
        own = [step for step in steps if step.foot == column]
        values[f"{side}_step_length_m"] = average_known(np.array([step.length for step in own]))
        values[f"{side}_step_time_s"] = average_known(np.array([step.end - step.start for step in own]))
        stance = average_known(np.array([stride.stance for stride in strides if stride.foot == column]))
        values |= {f"{side}_stance_percent": 100 * stance, f"{side}_swing_percent": 100 - 100 * stance}
    values["step_width_m"] = average_known(np.array([step.width for step in steps]))
    double = 100 * average_known(np.array([stride.double_support for stride in strides]))
    values["double_support_percent"] = max(double, 0.0) if np.isfinite(double) else double
    values["flight_percent"] = max(-double, 0.0) if np.isfinite(double) else double
    values["size_90_percent"] = 100 * gait.scale
    return values


def average_known(values: np.ndarray) -> float:
    """Mean of the known values; NaN without any."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")
