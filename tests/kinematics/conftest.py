"""A body whose joint rotations are known."""

import numpy as np
import pytest
import torch

from poselift.geometry import forward_kinematics, rotation_x, rotation_y, rotation_z
from poselift.skeleton import CMU28, H36M17
from poselift.structures import Keypoints2D, Motion

_REST = {
    "left_hip": (0.1, -0.05, 0),
    "left_knee": (0, -0.42, 0),
    "left_ankle": (0, -0.4, 0),
    "spine": (0, 0.23, 0),
    "thorax": (0, 0.25, 0),
    "neck_base": (0, 0.1, 0),
    "head_top": (0, 0.2, 0),
    "left_shoulder": (0.16, 0, 0),
    "left_elbow": (0.29, 0, 0),
    "left_wrist": (0.25, 0, 0),
    "left_big_toe": (0, -0.06, 0.16),
    "left_heel": (0, -0.06, -0.05),
    "left_hand": (0.15, 0, 0),
    "nose": (0, 0.1, 0.12),
    "left_eye": (0.03, 0.13, 0.1),
    "left_ear": (0.07, 0.11, 0),
}


def turn(axis, degrees):
    """Rotation about an axis; (3, 3), or (t, 3, 3) for angles over time."""
    about = {"x": rotation_x, "y": rotation_y, "z": rotation_z}[axis]
    return about(torch.deg2rad(torch.as_tensor(degrees, dtype=torch.float64)))


def pose(turns=None, frames=5, skeleton=CMU28, fps=30.0, world=None, root=None, **about):
    """A motion with given rotations of joints relative to their parents, in a T-pose without any.

    Args:
        turns: rotations by joint.
        frames: number of them.
        skeleton: its skeleton.
        fps: frames a second.
        world: rotation of everything.
        root: of the pelvis, metres.
        **about: further fields of the motion.
    """
    offsets = torch.zeros(len(skeleton), 3, dtype=torch.float64)
    for name, offset in _REST.items():
        for joint, sign in ((name, 1), (name.replace("left_", "right_"), -1)):
            if joint in skeleton.joints:
                offsets[skeleton.index(joint)] = torch.tensor([sign * offset[0], *offset[1:]])
    rotations = torch.eye(3, dtype=torch.float64).repeat(frames, len(skeleton), 1, 1)
    for joint, turned in (turns or {}).items():
        rotations[:, skeleton.index(joint)] = turned
    if world is not None:
        rotations[:, 0] = world @ rotations[:, 0]
    start = torch.zeros(frames, 3, dtype=torch.float64) if root is None else torch.as_tensor(root)
    positions, _ = forward_kinematics(
        rotations, offsets.expand(frames, -1, -1), torch.zeros_like(start), skeleton.parent_indices
    )
    times = np.arange(frames) / fps
    seen = np.full((frames, len(skeleton), 2), 9.0)
    keypoints = Keypoints2D(seen, np.ones(seen.shape[:2]), times, skeleton, (640, 480))
    values = {"frame": "world", "interpolated": np.zeros(frames, bool)} | about
    return Motion(
        joints=positions.numpy(),
        root=start.numpy(),
        timestamps=times,
        skeleton=skeleton,
        keypoints=keypoints,
        **values,
    )


@pytest.fixture(params=[CMU28, H36M17], ids=lambda skeleton: skeleton.name)
def skeleton(request):
    return request.param
