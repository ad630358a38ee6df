"""A motion or a streamed pose in another frame."""

from dataclasses import replace
from typing import TypeVar

import numpy as np
from jaxtyping import Float

from poselift.core.unchecked import replace_unchecked
from poselift.geometry.camera import Camera
from poselift.structures.motion import Motion
from poselift.structures.streamed import StreamedPose

Posed = TypeVar("Posed", Motion, StreamedPose)


def move(posed: Posed, R: Float[np.ndarray, "3 3"], t: Float[np.ndarray, "3"], frame: str) -> Posed:
    """The motion or pose, moved from x to R x + t.

    Args:
        posed: joints and hands, which turn, and a root, which turns and moves.
        R: rotation.
        t: metres.
        frame: name of the frame, "camera" or "world".
    """
    joints, root = posed.joints @ R.T, posed.root @ R.T + t
    dtypes = posed.joints.dtype, posed.root.dtype
    moved = replace(posed, joints=joints.astype(dtypes[0]), root=root.astype(dtypes[1]), frame=frame)
    return moved if moved.hands is None else replace_unchecked(moved, hands=moved.hands.turn(R))


def see_from_camera(motion: Motion, camera: Camera) -> Motion:
    """The motion in the frame of a camera.

    Args:
        motion: in the world or camera frame.
        camera: with its pose in the world, at every time of the motion if it moves.
    """
    if motion.frame == "camera":
        return motion
    camera = camera.at(motion.timestamps)
    R, t = camera.extrinsics
    joints = motion.joints @ R.swapaxes(-1, -2)
    root = (R @ motion.root[..., None])[..., 0] + t
    dtypes = motion.joints.dtype, motion.root.dtype
    hands = None if motion.hands is None else motion.hands.turn(R)
    return replace(motion, joints=joints.astype(dtypes[0]), root=root.astype(dtypes[1]), frame="camera", hands=hands)
