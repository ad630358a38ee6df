"""Bodies moved so that their hips lie where the picture shows them.

A lifter averages over time, so the hips of a fast jump rise less in 3D than in the picture. Where a hip is across the
camera's ray is measured in each frame. So the whole body moves across the ray, most of the way to the keypoints of the
hips, which keeps its depth and its pose.

It is for short movements such as jumps. Keypoints bring their noise, which a sway would count.
"""

from dataclasses import replace

import numpy as np

from poselift.geometry.camera import Camera
from poselift.structures import Motion, Recording, see_from_camera

_SHARE = 0.7
"""Share of the way to the keypoints. The rise of a real person's hips is then 1 mm too large in 27 jumps on the spot
and 11 mm too small in hops of 0.2 s (benchmarks/movements.py); without it 12 and 27 mm too small."""

_OUTLIER = 0.1
"""Metres off at which keypoints count half: left and right may be exchanged, or a hip may be another person's."""

_HIPS = ("left_hip", "right_hip")


def hips_as_seen(recording: Recording) -> Recording:
    """The recording with everybody moved to the picture.

    Jumps and repetitions are measured there. Several cameras have joined their rays already, so their recording stays
    as it is.
    """
    if len(recording.cameras) != 1:
        return recording
    people = tuple(move_hips_to_picture(motion, recording.camera) for motion in recording.people)
    return replace(recording, people=people)


def move_hips_to_picture(motion: Motion, camera: Camera) -> Motion:
    """The motion moved towards the keypoints of its hips.

    It moves across the camera's rays alone.

    Args:
        motion: of one person, in the frame of the camera or in its world. Without keypoints of the hips it stays, and
            so does a filtered motion, because keypoints would bring the noise back.
        camera: that saw the keypoints.
    """
    rows, keypoints, skeleton = np.flatnonzero(motion.posed), motion.keypoints, motion.skeleton
    if not set(_HIPS) <= set(keypoints.skeleton.joints) & set(skeleton.joints) or motion.filters or not len(rows):
        return motion
    times = motion.timestamps[rows]
    placed = see_from_camera(motion, camera)
    hips = (placed.joints[:, skeleton.indices(_HIPS)] + placed.root[:, None])[rows].astype(np.float64)  # (n, 2, 3)
    own = keypoints.skeleton.indices(_HIPS)
    shown = keypoints.keypoints[rows][:, own].astype(np.float64)
    seen = np.asarray(((keypoints.scores[rows][:, own] >= motion.threshold) & np.isfinite(shown).all(-1)).all(-1))
    if not seen.any():
        return motion
    seeing = camera if camera.times is None else camera.at(times)
    rays = seeing.rays(np.where(seen[:, None, None], shown, 0.0))
    away = (rays / rays[..., 2:] * hips[..., 2:] - hips).mean(1)
    away *= _SHARE / (1 + ((away**2).sum(-1, keepdims=True) / _OUTLIER**2))
    moved = np.stack([np.interp(times, times[seen], column[seen]) for column in away.T], 1)
    root = motion.root.copy()
    root[rows] += _to_frame(moved, motion, seeing).astype(root.dtype)
    return replace(motion, root=root)


def _to_frame(vectors: np.ndarray, motion: Motion, camera: Camera) -> np.ndarray:
    """Vectors of the camera in the frame of the motion; (n, 3)."""
    if motion.frame != "world":
        return vectors
    R = camera.extrinsics[0]
    turned: np.ndarray = (vectors[:, None] @ R)[:, 0]
    return turned
