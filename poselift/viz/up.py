"""The up direction of a scene, estimated from bodies: a single camera does not know how it was held."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from poselift.structures import Motion

_UPRIGHT = np.deg2rad(45)
"""Largest angle between an upright body and the camera's up."""
_MAX_TILT = np.deg2rad(25)
"""Largest angle between the estimated up and the camera's up."""
_CAMERA_UP = np.array([0.0, -1.0, 0.0])
_TO_Y_UP = np.diag([1.0, -1.0, -1.0])


def rotation_to_y_up(motions: Sequence[Motion]) -> Float[np.ndarray, "3 3"]:
    """The rotation from the motions' frame to one with Y up.

    World motions have Y up already. For camera motions, y down is flipped to Y up, and then the smallest rotation turns
    `estimate_up` to Y.

    Raises:
        ValueError: the motions are not all in the same frame.
    """
    frames = {motion.frame for motion in motions}
    if len(frames) > 1:
        raise ValueError(f"motions of one scene must share a frame; these are in {sorted(frames)}")
    if frames == {"world"}:
        return np.eye(3)
    return rotation_from(estimate_up(motions))


def rotation_from(up: Float[np.ndarray, "3"]) -> Float[np.ndarray, "3 3"]:
    """The rotation from the camera frame to one with Y up, for a unit vector up in the camera frame."""
    x, y, z = _TO_Y_UP @ up
    # Rodrigues' formula for the axis (x, y, z) x (0, 1, 0), whose angle has the cosine y.
    cross = np.array([[0, -x, 0], [x, 0, z], [0, -z, 0]])
    turn = np.eye(3) + cross + cross @ cross / (1 + y)
    return turn @ _TO_Y_UP


def estimate_up(motions: Sequence[Motion]) -> Float[np.ndarray, "3"]:
    """Unit vector up in the camera frame: the median body axis.

    Only upright bodies count; without any, the result is the camera's own up. It leans at most 25 degrees from that.
    """
    axes = [np.zeros((0, 3)), *(axis for motion in motions if (axis := motion.body_axis()) is not None)]
    return up_of_bodies(np.concatenate(axes))


def up_of_bodies(bodies: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "3"]:
    """Unit vector up in the camera frame from body axes of any length; see `estimate_up`."""
    bodies = bodies / np.maximum(np.linalg.norm(bodies, axis=-1, keepdims=True), 1e-9)
    upright = bodies[bodies @ _CAMERA_UP > np.cos(_UPRIGHT)]  # false for NaN
    if not len(upright):
        return _CAMERA_UP
    up = np.median(upright, axis=0)
    up /= np.linalg.norm(up)
    if up @ _CAMERA_UP >= np.cos(_MAX_TILT):
        return up
    sideways = up - (up @ _CAMERA_UP) * _CAMERA_UP
    return np.cos(_MAX_TILT) * _CAMERA_UP + np.sin(_MAX_TILT) * sideways / np.linalg.norm(sideways)
