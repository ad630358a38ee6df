"""Which way is up, as far as the bodies say: a single camera does not know how it was held."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from poselift.structures import Motion

_UPRIGHT = np.deg2rad(45)  # a body that leans further from the camera's up says nothing about where up is
_MAX_TILT = np.deg2rad(25)  # of the estimated up against the camera's own
_CAMERA_UP = np.array([0.0, -1.0, 0.0])
_TO_Y_UP = np.diag([1.0, -1.0, -1.0])


def rotation_to_y_up(motions: Sequence[Motion]) -> Float[np.ndarray, "3 3"]:
    """The rotation from the motions' frame to one whose Y is up.

    World motions have it already. For camera motions the camera's axes are turned over (y down to Y up), and
    then by the smallest angle that brings `estimate_up` to Y.

    Raises:
        ValueError: the motions are not all in the same frame.
    """
    frames = {motion.frame for motion in motions}
    if len(frames) > 1:
        raise ValueError(f"motions of one scene must share a frame, these are in {sorted(frames)}")
    if frames == {"world"}:
        return np.eye(3)
    x, y, z = _TO_Y_UP @ estimate_up(motions)
    # Rodrigues' formula for the axis (x, y, z) cross (0, 1, 0), whose angle has the cosine y.
    cross = np.array([[0, -x, 0], [x, 0, z], [0, -z, 0]])
    turn = np.eye(3) + cross + cross @ cross / (1 + y)
    return turn @ _TO_Y_UP


def estimate_up(motions: Sequence[Motion]) -> Float[np.ndarray, "3"]:
    """A unit vector in the camera frame: the median direction from the ankles to the shoulders.

    Only upright bodies count; without any it is the camera's own up. It never leans further than 25 degrees
    from that.
    """
    axes = [np.zeros((0, 3))]
    for motion in motions:
        if {"left_shoulder", "right_shoulder", "left_ankle", "right_ankle"} <= set(motion.skeleton.joints):
            shoulders = motion.joints[:, motion.skeleton.indices(["left_shoulder", "right_shoulder"])].mean(1)
            ankles = motion.joints[:, motion.skeleton.indices(["left_ankle", "right_ankle"])].mean(1)
            axis = (shoulders - ankles).astype(np.float64)
            axes.append(axis / np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-9))
    upright = np.concatenate(axes)
    upright = upright[upright @ _CAMERA_UP > np.cos(_UPRIGHT)]  # NaN is not
    if not len(upright):
        return _CAMERA_UP
    up = np.median(upright, axis=0)
    up /= np.linalg.norm(up)
    if up @ _CAMERA_UP >= np.cos(_MAX_TILT):
        return up
    sideways = up - (up @ _CAMERA_UP) * _CAMERA_UP
    return np.cos(_MAX_TILT) * _CAMERA_UP + np.sin(_MAX_TILT) * sideways / np.linalg.norm(sideways)
