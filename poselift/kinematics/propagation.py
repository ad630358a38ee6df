"""Uncertainty of angles from that of the joints.

Each joint is moved by its uncertainty along the camera's ray and across it, and the changes of the angles add up as
squares: the propagation of errors of the first order, with joints that err independently. A lifter errs farther along
the ray, where a picture shows nothing. Joints of one limb err together, and angles are biased, so each angle has a
factor with which 90 % of the values are within (benchmarks/angles.py; docs/angles.md has the shares). A lifter knows
walks best, so some angles of walkers have smaller ones. The size of the body is in no angle, and its tilt is in
the factors of those in space, so both are taken off the joints.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from poselift.kinematics.angles import Angles
from poselift.kinematics.footfalls import steps_with
from poselift.kinematics.gait import measure_gait
from poselift.kinematics.whole_body import TO_90, relative_to_body
from poselift.numerics.times import median_interval
from poselift.skeleton.skeleton import strip_side
from poselift.structures import Motion

_TOGETHER = (
    ("left_hip", "nose"),
    ("right_hip", "left_eye"),
    ("spine", "left_heel", "right_heel"),
    ("thorax", "left_big_toe", "right_big_toe"),
    ("neck_base",),
    ("left_shoulder",),
    ("right_shoulder",),
    ("left_knee", "right_knee", "left_elbow", "right_elbow", "head_top"),
    ("left_ankle", "right_ankle", "left_wrist", "right_wrist", "left_ear"),
    ("right_eye",),
    ("right_ear",),
)
"""Joints that are moved in one go, because no angle depends on two of one group."""

_ALONG = 2.0
"""How many times farther a lifter errs along the camera's ray than across it."""

_RADIUS = 3.65
"""Radius of the ball that holds 90 % of normal errors, over the standard deviation across the ray, for `_ALONG`."""

_MOVED = 0.4
"""Share of the radius by which joints are moved: about one standard deviation, as angles are not linear."""

_EVERY = 0.1
"""Seconds between the frames of which half-widths are computed; they lie between these in the others."""

_FACTORS = {
    "pelvis_tilt": 0.8,
    "pelvis_list": 0.95,
    "pelvis_rotation": 1.0,
    "trunk_flexion": 0.5,
    "trunk_bending": 0.75,
    "trunk_rotation": 0.6,
    "neck_flexion": 0.25,
    "neck_bending": 0.35,
    "hip_flexion": 1.05,
    "hip_adduction": 0.8,
    "hip_rotation": 0.4,
    "knee_flexion": 0.75,
    "ankle_dorsiflexion": 0.5,
    "shoulder_elevation": 0.95,
    "shoulder_plane": 0.85,
    "shoulder_rotation": 0.8,
    "elbow_flexion": 0.85,
    "trunk_lean_ahead": 1.0,
    "trunk_lean_right": 0.7,
    "thigh_lean_ahead": 0.9,
    "thigh_lean_out": 0.95,
    "shank_lean_ahead": 0.5,
    "shank_lean_out": 0.4,
    "upper_arm_lean_ahead": 0.95,
    "upper_arm_lean_out": 0.8,
    "forearm_lean_ahead": 0.75,
    "forearm_lean_out": 0.75,
}
"""By angle without its side, the factor with which 90 % of the values are within: the mean of bench_val.npz, of
bench_test.npz and of the real person of benchmarks/angles.py; the ankle's with --feet, of the first two. 1 for the
others."""

_WALKING = {
    "hip_flexion": 0.85,
    "hip_adduction": 1.03,
    "knee_flexion": 0.83,
    "ankle_dorsiflexion": 0.83,
    "pelvis_tilt": 0.75,
    "pelvis_list": 1.14,
    "trunk_lean_ahead": 1.11,
    "trunk_lean_right": 0.96,
    "thigh_lean_ahead": 1.03,
    "thigh_lean_out": 0.75,
    "shank_lean_ahead": 1.08,
    "shank_lean_out": 1.18,
    "elbow_flexion": 0.75,
    "shoulder_elevation": 0.88,
}
"""Of walkers, the part of the half-width with which 90 % of the values are within, on the mean of 24 people (13 for hip
flexion and pelvis tilt; benchmarks/walking_angles.py). The angles that are left out were not measured on them."""

_PEOPLE = {"pelvis_tilt": 8.0, "trunk_flexion": 13.0}
"""Half-widths, degrees, of what differs between people: where the pelvis ends and the lumbar spine begins. One camera
does not show it, so a person's error is nearly the same in all frames and views."""


def add_uncertainty(angles_of: Callable[[Motion], Angles], motion: Motion, cameras: int = 1) -> Angles:
    """A motion's angles with half-widths of 90 % intervals.

    Args:
        angles_of: `measure_joint_angles` or `measure_segment_angles`. It runs about 30 times.
        motion: of one person. Without uncertainty, that of the angles is None.
        cameras: number of the cameras that saw it; the smaller intervals of walkers are those of one.

    Raises:
        InputError: the skeleton lacks joints, or no frame has a pose.
    """
    angles = angles_of(motion)
    interval = median_interval(motion.timestamps)
    sampled = motion[:: max(1, round(_EVERY / interval)) if interval > 0 else 1]
    if motion.uncertainty is None or not sampled.posed.any():
        return angles
    half = _half_widths(angles_of, relative_to_body(sampled))
    if cameras <= 1 and _walks(motion):
        half *= [_WALKING.get(strip_side(name), 1.0) for name in angles.names]
    for column in half.T:
        known = np.isfinite(column)
        if known.any():
            column[:] = np.interp(sampled.timestamps, sampled.timestamps[known], column[known])
    between = [np.interp(motion.timestamps, sampled.timestamps, column) for column in half.T]
    return replace(angles, uncertainty=np.where(np.isfinite(angles.degrees), np.stack(between, 1), np.nan))


def _walks(motion: Motion) -> bool:
    """Whether a motion has whole strides of a walk. Only one in the world shows them."""
    if motion.frame != "world" or not steps_with(motion.skeleton):
        return False
    gait = measure_gait(motion)
    return bool(gait.strides) and not (gait.running or gait.on_the_spot)


def _half_widths(angles_of: Callable[[Motion], Angles], motion: Motion) -> Float[np.ndarray, "t a"]:
    """Half-widths of the 90 % intervals, degrees; NaN if unknown."""
    assert motion.uncertainty is not None
    angles = angles_of(motion)
    joints = motion.skeleton.joints
    uncertainty = motion.uncertainty.astype(np.float64)[..., None]
    squares = np.zeros_like(angles.degrees)
    for group in _TOGETHER:
        if not (rows := [joints.index(joint) for joint in group if joint in joints]):
            continue
        for axis, sigma in zip(camera_axes(motion), (_ALONG / _RADIUS, 1 / _RADIUS, 1 / _RADIUS), strict=True):
            moved = motion.joints.astype(np.float64)
            moved[:, rows] += _MOVED * uncertainty[:, rows] * axis[:, None]
            change = angles_of(replace(motion, joints=moved)).degrees - angles.degrees
            # Angles are continuous by themselves, so they may differ by turns; one that a move hides counts nothing.
            change -= 360 * np.round(change / 360)
            squares += np.nan_to_num(sigma / _MOVED * change) ** 2
    factors = [_FACTORS.get(strip_side(name), 1.0) for name in angles.names]
    people = [_PEOPLE.get(name, 0.0) for name in angles.names]
    half = np.minimum(np.hypot(TO_90 * np.array(factors) * np.sqrt(squares), people), 180.0)
    return np.where(np.isfinite(angles.degrees), half, np.nan)


def camera_axes(motion: Motion) -> tuple[Float[np.ndarray, "t 3"], ...]:
    """Unit vectors along the camera's ray to the person and across it.

    In the world frame z points to the camera, as far as a level camera looks straight at the person.
    """
    if motion.frame == "world":
        along = np.broadcast_to([0.0, 0.0, 1.0], motion.root.shape)
    else:
        along = motion.root / np.maximum(np.linalg.norm(motion.root, axis=-1, keepdims=True), 1e-9)
    right = np.cross([0.0, 1.0, 0.0], along)
    right /= np.linalg.norm(right, axis=-1, keepdims=True)
    return along, right, np.cross(along, right)
