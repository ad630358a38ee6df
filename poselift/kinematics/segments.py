"""Angles of segments in space: leans from the vertical.

The leans are in the body's heading. A joint angle has the errors of two segments in it. One camera shows where the
pelvis ends and the back begins poorly, so the lean of the whole trunk is known better than its split into pelvis and
lumbar spine (docs/angles.md).
"""

import numpy as np
from jaxtyping import Float

from poselift.core.errors import InputError
from poselift.kinematics.angles import Angles, Shown, unwrap_degrees
from poselift.kinematics.inverse import points_y_up
from poselift.structures import Motion

_LEVEL = 0.3
"""Horizontal share of the line from hip to hip below which the body has no heading: the person lies on one side."""

_SHORT = 0.25
"""Share of a segment's length that lies in the plane of a lean, below which the segment is nearly at right angles to
the plane and its lean there means nothing: it is unknown."""

_LOWEST = -120.0
"""Degrees; the middle of a run of known leans lies from here up to a turn more. Arms that point up lean by 180, not by
-180, and a shank that is pulled up behind by -100."""

_BOTH = ("left", "right")

_LIMBS = {
    "thigh": ("hip", "knee"),
    "shank": ("knee", "ankle"),
    "upper_arm": ("shoulder", "elbow"),
    "forearm": ("elbow", "wrist"),
}
"""Segments whose lower end moves ahead, from the upper joint to the lower one."""


def measure_segment_angles(motion: Motion) -> Angles:
    """Leans of segments from the vertical, degrees.

    The segments are trunk, thighs, shanks, upper arms, forearms and feet. Of each there is the lean ahead, in the plane
    in which the body faces, and that to the side. The trunk is the line from the middle of the hips to that of the
    shoulders: positive leans forwards and to the right. A limb is positive where its lower end is ahead, and away from
    the body. A foot is positive where the toes are above the heel, relative to the horizontal. Leans have no steps of
    360 degrees: an arm that is raised to overhead has 0 to 180. The lean of a segment that is nearly at right angles to
    its plane is NaN.

    Args:
        motion: of a skeleton with hips, knees, ankles, shoulders, elbows and wrists. In the camera frame the vertical
            is that of a level camera.

    Raises:
        InputError: the skeleton lacks joints.
    """
    joints = motion.skeleton.joints
    needed = {f"{side}_{joint}" for side in _BOTH for limb in _LIMBS.values() for joint in limb}
    if missing := sorted(needed - set(joints)):
        raise InputError(f"{motion.skeleton.name} lacks {', '.join(missing)}, which angles of segments need")
    known = np.where(motion.posed[:, None, None], points_y_up(motion), np.nan)
    places = dict(zip(joints, known.swapaxes(0, 1), strict=True))
    across = places["left_hip"] - places["right_hip"]
    left = across * [1.0, 0.0, 1.0]
    length = np.linalg.norm(left, axis=-1, keepdims=True)
    left = np.where(length > _LEVEL * np.linalg.norm(across, axis=-1, keepdims=True), left / length, np.nan)
    ahead = np.cross(left, [0.0, 1.0, 0.0])
    hips, shoulders = ((places[f"left_{joint}"] + places[f"right_{joint}"]) / 2 for joint in ("hip", "shoulder"))
    angles = {
        "trunk_lean_ahead": _lean(shoulders - hips, ahead, 1),
        "trunk_lean_right": _lean(shoulders - hips, -left, 1),
    }
    for side, outwards in zip(_BOTH, (left, -left), strict=True):
        for name, (upper, lower) in _LIMBS.items():
            along = places[f"{side}_{lower}"] - places[f"{side}_{upper}"]
            angles[f"{side}_{name}_lean_ahead"] = _lean(along, ahead, -1)
            angles[f"{side}_{name}_lean_out"] = _lean(along, outwards, -1)
        if {f"{side}_heel", f"{side}_big_toe"} <= set(joints):
            sole = places[f"{side}_big_toe"] - places[f"{side}_heel"]
            angles[f"{side}_foot_pitch"] = np.arctan2(sole[:, 1], np.hypot(sole[:, 0], sole[:, 2]))
    degrees = np.degrees(np.stack([*angles.values()], 1))
    shown = Shown(motion)
    degrees[~np.stack([shown.all(_needs(name)) for name in angles], 1)] = np.nan
    degrees = np.stack([_unwrap_runs(column) for column in degrees.T], 1)
    return Angles(tuple(angles), degrees, motion.timestamps)


def _needs(name: str) -> list[str]:
    """The joints of a segment's lean; the hips give the heading."""
    hips = ["left_hip", "right_hip"]
    side, _, part = name.partition("_")
    if side not in _BOTH:
        return [*hips, "left_shoulder", "right_shoulder"]
    limb = part.partition("_lean")[0]
    return [*hips, *(f"{side}_{joint}" for joint in _LIMBS.get(limb, ("ankle", "big_toe")))]


def _unwrap_runs(degrees: Float[np.ndarray, " t"]) -> Float[np.ndarray, " t"]:
    """Leans without steps of 360 degrees, run by run. A gap does not tell how it was passed."""
    out = degrees.copy()
    for run in np.split(np.arange(len(degrees)), np.flatnonzero(np.diff(np.isfinite(degrees))) + 1):
        if len(run) and np.isfinite(degrees[run[0]]):
            smooth = unwrap_degrees(degrees[run])
            out[run] = smooth - 360.0 * np.floor((np.median(smooth) - _LOWEST) / 360.0)
    return out


def _lean(along: Float[np.ndarray, "t 3"], towards: Float[np.ndarray, "t 3"], up: int) -> Float[np.ndarray, " t"]:
    """Angle from the vertical towards a horizontal direction, radians. The angle lies in the plane of both."""
    ahead, upwards = (along * towards).sum(-1), up * along[:, 1]
    leaned: np.ndarray = np.arctan2(ahead, upwards)
    leaned[np.hypot(ahead, upwards) < _SHORT * np.linalg.norm(along, axis=-1)] = np.nan
    return leaned
