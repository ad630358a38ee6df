"""The measures of a trial, one number each, for comparing trials."""

import numpy as np

from poselift.core.errors import InputError
from poselift.kinematics.angles import measure_joint_angles
from poselift.kinematics.cycles import cut_gait_cycles
from poselift.kinematics.footfalls import steps_with
from poselift.kinematics.gait import Gait, measure_gait
from poselift.kinematics.gait_summary import summarise_gait
from poselift.kinematics.ground import UPRIGHT
from poselift.kinematics.segments import measure_segment_angles
from poselift.structures import Motion

_GAIT = (
    "cadence_per_min",
    "stride_time_s",
    "stride_length_m",
    "speed_m_per_s",
    "left_step_length_m",
    "right_step_length_m",
    "left_step_time_s",
    "right_step_time_s",
    "left_stance_percent",
    "right_stance_percent",
    "double_support_percent",
    "step_width_m",
    "step_length_symmetry_percent",
    "step_time_symmetry_percent",
    "stance_symmetry_percent",
)
"""Means of a gait that count as measures; swing and flight say nothing more."""

_UNCERTAIN = ("plane", "rotation", "forearm_lean_out")
"""Parts of names of angles that one camera hardly shows: they are no measures."""

_SEEN = 0.7
"""Least share of the posed frames in which an angle must be known. The lowest and highest values of one that is hidden
for longer are guesses: lifts of one take then differ in them by far more than lifts in which it is seen."""


def measure_numbers(motion: Motion, belt: float | None = None) -> dict[str, float]:
    """The measures of a trial by name; the unit ends the name.

    Of a walk or run they are the means over its steps, and of each angle the lowest and highest value and the range of
    its mean over the strides of the same side. Of other movements they are those of each angle over the trial, from the
    2nd to the 98th percentile. Unknown ones are left out, and angles whose joints are hidden for a third of the time.

    Args:
        motion: of one person. Steps need the world frame.
        belt: speed of a treadmill's belt, m/s.

    Raises:
        InputError: the skeleton lacks joints, or no frame has a pose.
    """
    gait = find_gait(motion, belt)
    values: dict[str, float] = {}
    if gait is not None:
        found = summarise_gait(gait)
        values |= {name: found[name] for name in _GAIT}
    for angles in (measure_joint_angles(motion), measure_segment_angles(motion)):
        shown = np.isfinite(angles.degrees[motion.posed]).mean(0)
        seen = dict(zip(angles.names, shown.tolist(), strict=True))
        cycles = [] if gait is None else cut_gait_cycles(angles, gait)
        curves = {f"{each.side}_{each.angle}": each.mean for each in cycles}
        for name in angles.names:
            if any(part in name for part in _UNCERTAIN) or seen[name] < _SEEN:
                continue
            if gait is None:
                curve = angles.of(name)
            else:
                curve = curves.get(name, curves.get(f"left_{name}", np.full(1, np.nan)))
            known = curve[np.isfinite(curve)]
            if len(known) < 2:
                continue
            ends = (known.min(), known.max()) if gait is not None else np.percentile(known, (2, 98))
            low, high = map(float, ends)
            values |= {f"{name}_lowest_deg": low, f"{name}_highest_deg": high, f"{name}_range_deg": high - low}
    return {name: float(value) for name, value in values.items() if np.isfinite(value)}


def find_gait(motion: Motion, belt: float | None = None) -> Gait | None:
    """A motion's gait; None without whole strides or up.

    Args:
        motion: of one person.
        belt: speed of a treadmill's belt, m/s.

    Raises:
        InputError: no belt has the speed.
    """
    try:
        gait = measure_gait(motion, belt)
    except InputError:
        if motion.frame == "world":
            raise
        return None
    return gait if gait.strides else None


def explain_no_gait(motion: Motion, steps: bool = False) -> str:
    """Why a motion has no whole stride, as one sentence.

    Args:
        motion: of one person, for which `find_gait` gives None.
        steps: say why there are no steps instead.
    """
    what = "No steps" if steps else "No whole stride"
    if motion.frame != "world":
        return f"{what}: they need the direction of up; lift with --world."
    if not steps_with(motion.skeleton):
        return f"{what}: the skeleton lacks hips, knees or ankles."
    if why := measure_gait(motion).why:
        return why
    if hidden := explain_hidden_feet(motion):
        return f"{what}: {hidden}."
    axis = motion.body_axis()
    if axis is not None:
        upright = axis[:, 1] > UPRIGHT * np.linalg.norm(axis, axis=-1)  # false for NaN
        if upright[motion.posed].mean() < 1 - _SEEN:
            return f"{what}: the person lies, or does not stand upright."
    if steps:
        return f"{what}: fewer than two foot strikes are followed by one of the other foot within 0.2 to 1.5 s."
    return f"{what}: no foot strikes twice with a strike of the other one between; film two steps or more."


def explain_hidden_feet(motion: Motion) -> str:
    """That the feet are out of sight too often, or "".

    Args:
        motion: of one person with ankles, and with a pose in some frame.
    """
    ankles = motion.skeleton.indices(["left_ankle", "right_ankle"])
    seen = float(motion.in_sight()[motion.posed][:, ankles].all(-1).mean())
    if seen >= _SEEN:
        return ""
    return f"the feet are in sight in {100 * seen:.0f} % of the frames; film the whole person"
