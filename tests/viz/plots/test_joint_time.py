from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from poselift.kinematics import measure_joint_angles
from poselift.skeleton import H36M17
from poselift.viz.plots.joint_time import joint_distances, joint_plot

KNEES = ["left_knee", "right_knee"]


@pytest.fixture
def motion(make_motion):
    made = make_motion()
    return replace(made, uncertainty=np.full(made.joints.shape[:2], 0.04, np.float32))


def moved(motion, joint, by):
    """The motion with one joint elsewhere."""
    joints = motion.joints.copy()
    joints[:, H36M17.index(joint)] += by
    return replace(motion, joints=joints)


def test_the_error_is_the_distance_in_mm_and_unknown_without_a_reference(motion):
    reference = moved(motion, "left_knee", [0.03, 0.04, 0])
    part = replace(reference, joints=np.where(np.arange(50)[:, None, None] < 30, reference.joints, np.nan))
    errors = joint_distances(motion, part)
    assert_allclose(errors[:30, H36M17.index("left_knee")], 50, atol=1e-3)
    assert_allclose(errors[:30, H36M17.index("right_knee")], 0, atol=1e-3)
    assert np.isnan(errors[31:]).all()


def test_a_reference_of_another_rate_is_interpolated(motion):
    slow = replace(
        motion,
        **{
            name: getattr(motion, name)[::2] for name in ("joints", "root", "timestamps", "interpolated", "uncertainty")
        },
        keypoints=motion.keypoints[::2],
    )
    errors = joint_distances(motion, slow)
    assert np.nanmax(errors) < 10  # the wrists swing; without interpolation 70
    assert np.isfinite(errors[:49]).all()


def test_uncertainty_and_angles_without_a_reference(motion, check_texts, check_legend):
    figure = joint_plot(motion, KNEES, measure_joint_angles(motion))
    radii, angles = figure.axes
    assert_allclose([line.get_ydata() for line in radii.lines], 40, atol=1e-3)
    assert len(angles.lines) == 2
    check_legend(figure)
    assert {"left knee", "right knee", "uncertainty (mm)", "time (s)"} <= set(check_texts(figure))


def test_error_band_and_reference_angles(motion, check_texts, check_legend):
    reference = moved(motion, "left_knee", [0.06, 0, 0])
    figure = joint_plot(motion, KNEES, measure_joint_angles(motion), reference, measure_joint_angles(reference))
    errors, angles = figure.axes
    mean, left, right = (line.get_ydata() for line in errors.lines)
    assert_allclose(left, 60, atol=1e-3)
    assert_allclose(right, 0, atol=1e-3)
    assert_allclose(mean, 60 / 16, atol=1e-3)
    assert len(errors.collections) == 2
    assert [line.get_linestyle() for line in angles.lines] == ["-", "-", "--", "--"]
    check_legend(figure)
    assert {"error (mm)", "reference", "uncertainty"} <= set(check_texts(figure))
