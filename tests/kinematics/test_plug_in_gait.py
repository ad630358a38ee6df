from dataclasses import replace

import numpy as np
import pytest

from poselift.kinematics import Angles, as_plug_in_gait
from poselift.kinematics.plug_in_gait import DIFFERENCES, side_view
from tests.kinematics.walker import walker

NAMES = ("left_knee_flexion", "neck_flexion", "elbow_flexion", "right_hip_rotation", "pelvis_tilt")


def measured(motion, half=10.0):
    shape = len(motion), len(NAMES)
    uncertainty = None if half is None else np.full(shape, half)
    return Angles(NAMES, np.full(shape, 30.0), motion.timestamps, uncertainty)


def test_a_constant_is_taken_off_and_other_angles_are_left_out():
    motion = walker(seconds=1.0)
    found = as_plug_in_gait(measured(motion), motion)
    assert found.names == ("left_knee_flexion", "elbow_flexion", "pelvis_tilt")
    np.testing.assert_allclose(found.degrees[0], [30 - DIFFERENCES["knee_flexion"].constants[0], 30, 30])
    assert as_plug_in_gait(measured(motion, None), motion).uncertainty is None


@pytest.mark.parametrize(("turn", "side"), [(0.0, 0.0), (np.pi / 2, 1.0), (-np.pi / 2, 1.0), (np.pi, 0.0)])
def test_the_interval_is_that_of_the_view_joined_with_the_spread_of_people(turn, side):
    """The world's z points to the camera, and a walker with turn 0 comes towards it."""
    motion = walker(turn=turn, seconds=1.0)
    np.testing.assert_allclose(side_view(motion), side, atol=1e-9)
    knee = DIFFERENCES["knee_flexion"]
    within = 10 * knee.factors[int(side)]
    found = as_plug_in_gait(measured(motion), motion)
    np.testing.assert_allclose(found.degrees[:, 0], 30 - knee.constants[int(side)])
    np.testing.assert_allclose(found.uncertainty[:, 0], np.hypot(within, 1.645 * knee.people))


def test_frames_without_a_pose_have_no_interval():
    motion = walker(seconds=1.0)
    joints = motion.joints.copy()
    joints[3] = np.nan
    angles, gap = measured(motion), replace(motion, joints=joints)
    angles.degrees[3], angles.uncertainty[3] = np.nan, np.nan
    found = as_plug_in_gait(angles, gap)
    assert np.isnan(found.uncertainty[3]).all()
    assert np.isfinite(found.uncertainty[4]).all()
