import numpy as np
import pytest

from poselift.kinematics import joint_angles, solve
from tests.kinematics.conftest import pose, turn

POSES = [
    ("left_hip", "x", -40.0, "left_hip_flexion", 40.0),
    ("right_knee", "x", 70.0, "right_knee_flexion", 70.0),
    ("left_elbow", "y", -60.0, "left_elbow_flexion", 60.0),
    ("right_elbow", "y", 60.0, "right_elbow_flexion", 60.0),
    ("left_ankle", "x", -15.0, "left_ankle_dorsiflexion", 15.0),
]


@pytest.mark.parametrize(("joint", "axis", "degrees", "name", "expected"), POSES)
@pytest.mark.parametrize("lying", [0.0, 90.0, 180.0])
def test_closed_form_poses_upright_lying_and_upside_down(joint, axis, degrees, name, expected, lying):
    motion = pose({joint: turn(axis, degrees)}, world=turn("x", lying))
    assert solve(motion).residuals.max() < 1e-6
    np.testing.assert_allclose(joint_angles(motion).of(name), expected, atol=0.1)
