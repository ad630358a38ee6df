"""Joined motions and cameras in a world, at true size. The ground is at Y = 0, or it is the world of a calibration."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poselift.core.errors import InputError
from poselift.geometry.camera import Camera
from poselift.kinematics.foot_contacts import find_contacts
from poselift.kinematics.ground import find_ground
from poselift.kinematics.height import Height, enlarge, estimate_height
from poselift.kinematics.up import level_axes
from poselift.several_views.calibration import Calibration
from poselift.structures import Motion, move


def in_world(
    motions: Sequence[Motion], cameras: Sequence[Camera]
) -> tuple[list[Motion], tuple[Camera, ...], float, bool]:
    """Motions and cameras in the world, with contacts. The uncertainty of up; and whether feet were seen."""
    ground = find_ground(motions)
    R = level_axes(ground.up)
    first = next((motion.root[known.argmax()] for motion in motions if (known := motion.posed).any()), np.zeros(3))
    below = first.astype(np.float64) + (ground.height - first @ ground.up) * ground.up
    t = -R @ below
    placed = []
    for motion in motions:
        down = find_contacts(motion, ground.up)
        contacts = None if down is None else np.any(down, axis=-1)
        placed.append(replace(move(motion, R, t, "world"), contacts=contacts))
    moved = tuple(camera.with_pose(R @ camera.R, R @ camera.t + t) for camera in cameras)
    return placed, moved, ground.uncertainty, ground.feet_seen


def in_own_world(motions: Sequence[Motion], cameras: Sequence[Camera]) -> tuple[list[Motion], tuple[Camera, ...]]:
    """Motions and cameras in the calibration's world, Y nearest to up."""
    first = cameras[0]
    ground = find_ground(motions)
    up = first.R @ ground.up
    axis = int(np.abs(up).argmax())
    turn = np.eye(3)
    if axis != 1 or up[1] < 0:
        y = np.sign(up[axis]) * np.eye(3)[axis]
        x = np.eye(3)[0] if axis != 0 else np.eye(3)[1]
        turn = np.stack([x, y, np.cross(x, y)])
    placed = []
    for motion in motions:
        down = find_contacts(motion, ground.up)
        contacts = None if down is None else np.any(down, axis=-1)
        placed.append(replace(move(motion, turn @ first.R, turn @ first.t, "world"), contacts=contacts))
    return placed, tuple(camera.with_pose(turn @ camera.R, turn @ camera.t) for camera in cameras)


def take_heights(
    motions: list[Motion], cameras: Sequence[Camera], given: Sequence[float | None], calibrated: bool
) -> tuple[list[Motion], tuple[Camera, ...]]:
    """Everything scaled to the given heights, on the mean. A given calibration keeps its size."""
    ratios = [
        height / estimate_height(motion.joints, motion.skeleton).metres
        for motion, height in zip(motions, given, strict=False)
        if height is not None
    ]
    if calibrated or not ratios:
        return motions, tuple(cameras)
    scale = float(np.exp(np.mean(np.log(ratios))))
    grown = [enlarge(motion, scale) for motion in motions]
    return grown, tuple(camera.with_pose(camera.R, camera.t * scale) for camera in cameras)


def final_height(motion: Motion, given: float | None, calibration: Calibration) -> Height | None:
    """A joined motion's height: the given one, else estimated. The estimate has the doubt of the calibration's size."""
    if given is not None:
        return Height(given, 0.0, "given")
    try:
        found = estimate_height(motion.joints, motion.skeleton)
    except InputError:
        return None
    return Height(found.metres, min(found.spread, float(np.hypot(calibration.size, 0.03)) * found.metres))
