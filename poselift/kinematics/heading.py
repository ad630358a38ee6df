"""Where a person faces, and motions turned by it."""

from dataclasses import replace

import numpy as np

from poselift.kinematics.inverse import points_y_up
from poselift.structures import Motion

_CLEAR = 0.2
"""Length of the mean of the headings, each of length 1, below which a person has none: who turns around or lies."""


def face_along_x(motion: Motion) -> Motion:
    """The motion upright, facing along +X on the mean.

    It is turned about the vertical by one angle for all frames. OpenSim's users walk along +X. Its models turn the
    pelvis about the axes of the ground first, so that tilt and list are those of the person only in this direction. A
    person without a mean heading is not turned.

    Args:
        motion: of one person, with hips. In the camera frame, up is that of a level camera.

    Returns:
        In the world frame, Y up.
    """
    points = points_y_up(motion)
    joints, root = points - points[:, :1], points[:, 0]
    left, right = (joints[:, motion.skeleton.index(f"{side}_hip")] for side in ("left", "right"))
    ahead = np.cross(left - right, [0.0, 1.0, 0.0])[motion.posed]
    mean = (ahead / np.maximum(np.linalg.norm(ahead, axis=-1, keepdims=True), 1e-9)).mean(0) if len(ahead) else ahead
    turn = np.eye(3)
    if len(ahead) and np.linalg.norm(mean) > _CLEAR:
        x, _, z = mean / np.linalg.norm(mean)
        turn = np.array([[x, 0.0, z], [0.0, 1.0, 0.0], [-z, 0.0, x]])
    upright = np.eye(3) if motion.frame == "world" else np.diag([1.0, -1.0, -1.0])
    return replace(
        motion,
        hands=None if motion.hands is None else motion.hands.turn(turn @ upright),
        joints=(joints @ turn.T).astype(motion.joints.dtype),
        root=(root @ turn.T).astype(motion.root.dtype),
        frame="world",
    )
