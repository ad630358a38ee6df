import dataclasses

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.kinematics import solve
from tests.kinematics.conftest import pose, turn


def test_bone_lengths_and_positions_are_kept_while_a_knee_bends_and_the_body_turns(skeleton):
    bent = np.linspace(0, 120, 60)
    motion = pose({"left_knee": turn("x", bent), "pelvis": turn("y", np.linspace(0, 720, 60))}, 60, skeleton)
    rigged = solve(motion)
    assert np.nanmax(rigged.residuals) < 1e-3
    steps = rigged.rotations[1:].swapaxes(-1, -2) @ rigged.rotations[:-1]
    angle = np.degrees(np.arccos(np.clip((np.trace(steps, axis1=-2, axis2=-1) - 1) / 2, -1, 1)))
    assert angle.max() < 30


def test_a_straight_leg_that_trembles_does_not_spin():
    rng = np.random.default_rng(3)
    motion = pose(frames=60)
    noisy = dataclasses.replace(motion, joints=motion.joints + rng.normal(0, 0.002, motion.joints.shape))
    rigged = solve(noisy)
    hip = rigged.rotations[:, rigged.rig.names.index("left_hip")]
    steps = hip[1:].swapaxes(-1, -2) @ hip[:-1]
    angle = np.degrees(np.arccos(np.clip((np.trace(steps, axis1=-2, axis2=-1) - 1) / 2, -1, 1)))
    assert angle.max() < 10


def test_empty_frames_are_nan_and_a_motion_without_poses_is_an_error():
    motion = pose(frames=6)
    joints, root = motion.joints.copy(), motion.root.copy()
    joints[2], root[2] = np.nan, np.nan
    rigged = solve(dataclasses.replace(motion, joints=joints, root=root))
    assert np.isnan(rigged.rotations[2]).all()
    assert np.isfinite(np.delete(rigged.rotations, 2, 0)).all()
    with pytest.raises(InputError, match="no frame with a pose"):
        solve(dataclasses.replace(motion, joints=np.full_like(joints, np.nan), root=np.full_like(root, np.nan)))
