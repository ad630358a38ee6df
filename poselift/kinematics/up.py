"""Up, estimated from bodies, and axes that follow from it. A single camera does not know how it was held."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float

from poselift.core.errors import InputError
from poselift.core.safe_parsing import real_number
from poselift.structures import Motion

CAMERA_UP = np.array([0.0, -1.0, 0.0])
"""Up of a level camera, in its frame."""

CAMERA_RIGHT = np.array([1.0, 0.0, 0.0])
"""Right of a camera, in its frame."""

_UPRIGHT = np.cos(np.deg2rad(45))
"""Cosine of the largest angle between an upright body and the camera's up."""

_MAX_TILT = np.deg2rad(25)
"""Largest angle between the estimated up and the camera's up."""


def rotation_to_y_up(motions: Sequence[Motion]) -> Float[np.ndarray, "3 3"]:
    """The rotation to a frame with Y up.

    It turns the motions' frame, and is the identity for world motions.

    Raises:
        InputError: the motions are not all in the same frame.
    """
    frames = {motion.frame for motion in motions}
    if len(frames) > 1:
        raise InputError(f"motions of one scene must share a frame; these are in {sorted(frames)}")
    return np.eye(3) if frames == {"world"} else level_axes(estimate_up(motions))


def check_tilt(tilt: object, world: bool) -> None:
    """Checks a tilt, if any, and that it is for the world.

    Raises:
        InputError: it is no number of degrees from -90 to 90, or the result is in the camera frame.
    """
    if tilt is None:
        return
    number = real_number(tilt)
    if number is None or not -90 <= number <= 90:
        raise InputError(f"the camera's tilt is {tilt!r:.40}; give degrees that it looks down, from -90 to 90")
    if not world:
        raise InputError("a tilt is for the world frame; add --world, or world=True in Python")


def up_of_tilt(tilt: float) -> Float[np.ndarray, "3"]:
    """Up in the frame of a camera that looks down, unrolled. The angle is in radians, the vector has length 1."""
    return np.array([0.0, -np.cos(tilt), -np.sin(tilt)])


def level_axes(up: Float[np.ndarray, "3"], right: Float[np.ndarray, "3"] = CAMERA_RIGHT) -> Float[np.ndarray, "3 3"]:
    """A level frame's axes, as rows, with Y up.

    They are the rotation from the camera frame to it. X is the camera's right, made level, and Z points towards the
    camera.

    Args:
        up: unit vector in the camera frame.
        right: what becomes X when it is level, not along `up`; the camera's right if nothing else is given.
    """
    x = right - (right @ up) * up
    x /= np.linalg.norm(x)
    return np.stack([x, up, np.cross(x, up)])


def find_upright(
    axes: Float[np.ndarray, "t 3"], cosine: float = _UPRIGHT, reference: Float[np.ndarray, "3"] = CAMERA_UP
) -> Bool[np.ndarray, " t"]:
    """Frames in which a body is upright; without a body, not.

    Args:
        axes: from the feet to the shoulders, of any length (`Motion.body_axis`); NaN where unknown.
        cosine: of the largest angle between an upright body and the reference.
        reference: unit vector; the camera's up if nothing else is known.
    """
    return axes @ reference > cosine * np.linalg.norm(axes, axis=-1)


def estimate_up(motions: Sequence[Motion]) -> Float[np.ndarray, "3"]:
    """Up in the camera frame: the bodies' median axis. A unit vector; see `median_up`."""
    axes = [np.zeros((0, 3)), *(axis for motion in motions if (axis := motion.body_axis()) is not None)]
    return median_up(np.concatenate(axes))


def median_up(axes: Float[np.ndarray, "n 3"]) -> Float[np.ndarray, "3"]:
    """Unit vector up in the camera frame: the median body axis.

    Only upright bodies count; without any, the result is the camera's own up. It leans at most 25 degrees from that.

    Args:
        axes: of bodies, of any length.
    """
    upright = axes[find_upright(axes)]
    if not len(upright):
        return CAMERA_UP
    up = np.median(upright / np.linalg.norm(upright, axis=-1, keepdims=True), axis=0)
    up /= np.linalg.norm(up)
    if up @ CAMERA_UP >= np.cos(_MAX_TILT):
        return up
    sideways = up - (up @ CAMERA_UP) * CAMERA_UP
    return np.cos(_MAX_TILT) * CAMERA_UP + np.sin(_MAX_TILT) * sideways / np.linalg.norm(sideways)
