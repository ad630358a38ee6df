"""Legs whose segments point in the picture as keypoints do.

Segments are thighs and shanks. A lifter gives likely poses, averaged towards usual ones. How a leg points in the
picture is measured, in each frame: of a leg that moves across the view, the 2D says more than the 3D. So each thigh and
shank turns about the camera's ray by what the two differ, which changes neither depth nor lengths. The two are weighed
by their variances: keypoints that are noisy differ from the lifted leg by more than the lifter errs, and then the leg
turns part of the way.

It is for angles. Feet of the turned legs do not rest in the world, so the motion itself stays as it is.
"""

import math
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from poselift.geometry.camera import Camera
from poselift.geometry.products import rotate
from poselift.geometry.rotation import axis_angle_to_matrix
from poselift.kinematics.directions import unit
from poselift.kinematics.filtering import gaussian_means
from poselift.structures import Motion, Recording, see_from_camera

_BONES = [
    (f"{side}_{top}", f"{side}_{end}")
    for side in ("left", "right")
    for top, end in (("hip", "knee"), ("knee", "ankle"))
]
"""From the hip down: a shank moves with its thigh. Arms are not among them: the keypoints of elbows and wrists err by
more than the lifted arm (benchmarks/lifter_log.md)."""

_OWN = math.radians(1.5)
"""Standard deviation of how lifted thighs and shanks point in the picture, beside exact keypoints: 1.3 and 1.1 degrees
on the children of split train (benchmarks/gait_lab.py)."""

_MEMORY = 0.05
"""Standard deviation in seconds of the Gaussian over the differences."""

_OUTLIER = math.radians(20.0)
"""Difference at which keypoints count half: left and right may be exchanged, or a joint may be another one's."""

_DOUBT = 0.1
"""Weight of no difference, beside at most 1 of a limb that is seen in its full length."""


def legs_as_seen(recording: Recording) -> Recording:
    """The recording with everybody's legs turned to the picture, to measure angles.

    Several cameras have joined their rays already, so their recording stays as it is.
    """
    if len(recording.cameras) != 1:
        return recording
    return replace(
        recording, people=tuple(turn_legs_to_picture(motion, recording.camera) for motion in recording.people)
    )


def turn_legs_to_picture(motion: Motion, camera: Camera) -> Motion:
    """The motion with thighs and shanks turned to their keypoints.

    They turn as far as the keypoints can be trusted.

    Args:
        motion: of one person, in the frame of the camera or in its world; joints that the keypoints lack stay. A
            filtered motion stays as it is, because keypoints would bring the noise back.
        camera: that saw the keypoints.
    """
    rows = np.flatnonzero(motion.posed)
    keypoints, skeleton = motion.keypoints, motion.skeleton
    bones = [bone for bone in _BONES if set(bone) <= set(keypoints.skeleton.joints) & set(skeleton.joints)]
    if not len(rows) or not bones or motion.filters:
        return motion
    times = motion.timestamps[rows]
    placed = see_from_camera(motion, camera)
    points = (placed.joints + placed.root[:, None])[rows].astype(np.float64)
    seen = (keypoints.scores[rows] >= motion.threshold) & np.isfinite(keypoints.keypoints[rows]).all(-1)
    seeing = camera if camera.times is None else camera.at(times)
    rays = seeing.rays(np.where(seen[..., None], keypoints.keypoints[rows], 0.0).astype(np.float64))
    turned = points.copy()
    for start, end in bones:
        top, low = skeleton.index(start), skeleton.index(end)
        bone = points[:, low] - points[:, top]
        ray = unit(points[:, low] + points[:, top])
        lifted = _project(points[:, low], ray) - _project(points[:, top], ray)
        own = [keypoints.skeleton.index(joint) for joint in (start, end)]
        shown = _project(rays[:, own[1]], ray) - _project(rays[:, own[0]], ray)
        known = seen[:, own].all(-1) & np.isfinite(shown).all(-1)
        shown = np.where(known[:, None], shown, 0.0)
        away = np.arctan2((np.cross(lifted, shown) * ray).sum(-1), (lifted * shown).sum(-1))
        # A limb that points to the camera has no direction in the picture.
        across = 1 - (unit(bone) * ray).sum(-1) ** 2
        weights = known * across / (1 + (away / _OUTLIER) ** 2)
        means = gaussian_means(np.stack([away * weights, weights], 1), times, _MEMORY)
        angle = means[:, 0] / (means[:, 1] + _DOUBT)
        variance = (weights * angle**2).sum() / max(weights.sum(), 1e-9)
        share = min(1.0, _OWN**2 / max(variance, 1e-12))
        moved = turned[:, top] + rotate(axis_angle_to_matrix(share * angle[:, None] * ray), bone) - turned[:, low]
        turned[:, _below(low, skeleton.parent_indices)] += moved[:, None]
    joints = motion.joints.copy()
    change = turned - points
    if motion.frame == "world":
        change = change @ seeing.extrinsics[0]
    joints[rows] += change.astype(joints.dtype)
    return replace(motion, joints=joints)


def _project(points: Float[np.ndarray, "t 3"], ray: Float[np.ndarray, "t 3"]) -> Float[np.ndarray, "t 3"]:
    """Places in the plane at distance 1 across a ray."""
    depth = (points * ray).sum(-1, keepdims=True)
    return points / np.where(depth > 1e-9, depth, np.nan) - ray


def _below(joint: int, parents: tuple[int, ...]) -> list[int]:
    """A joint and all that hang on it."""
    found = [joint]
    for row, parent in enumerate(parents):
        if parent in found:
            found.append(row)
    return found
