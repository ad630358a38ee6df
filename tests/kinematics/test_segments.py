import numpy as np
import pytest

from poselift.kinematics import measure_joint_angles, measure_segment_angles
from tests.kinematics.conftest import pose, turn


@pytest.mark.parametrize("heading", [0.0, 70.0, -160.0])
def test_leans_are_in_the_heading_of_the_body(heading):
    """A body that leans ahead by 20 degrees and to the right by none, one knee bent and one arm abducted."""
    turns = {"left_hip": turn("x", -30.0), "left_knee": turn("x", 50.0), "left_shoulder": turn("z", -60.0)}
    found = measure_segment_angles(pose(turns, 3, world=turn("y", heading) @ turn("x", 20.0)))
    expected = {
        "trunk_lean_ahead": 20,
        "trunk_lean_right": 0,
        "left_thigh_lean_ahead": 10,  # 30 ahead of a pelvis that tilts by 20
        "left_shank_lean_ahead": -40,
        "right_thigh_lean_ahead": -20,
    }
    for name, degrees in expected.items():
        np.testing.assert_allclose(found.of(name), degrees, atol=0.5, err_msg=name)
    assert (found.of("left_upper_arm_lean_out") > 20).all()


def test_trunk_lean_holds_what_the_split_of_the_back_shares():
    bent = pose({"spine": turn("x", 25.0)}, 3, world=turn("x", 10.0))
    split = measure_joint_angles(bent)
    assert split.of("pelvis_tilt") + split.of("trunk_flexion") == pytest.approx([35.0] * 3, abs=1)
    assert (measure_segment_angles(bent).of("trunk_lean_ahead") > 20).all()


def test_who_lies_on_the_side_has_no_heading():
    lying = measure_segment_angles(pose(frames=3, world=turn("z", 90.0)))
    assert np.isnan(lying.of("trunk_lean_ahead")).all()


def test_arms_that_are_raised_to_overhead_lean_by_0_to_180():
    """The noise of a lifter crosses 180 degrees, where leans jumped to -179."""
    raised = np.concatenate([np.linspace(0, 185, 40), 180 + 4 * np.sin(np.arange(20))])
    arms = measure_segment_angles(pose({"left_shoulder": turn("x", -raised) @ turn("z", -90.0)}, 60))
    lean = arms.of("left_forearm_lean_ahead")
    assert np.abs(np.diff(lean)).max() < 10
    assert lean.min() == pytest.approx(0, abs=10)
    assert lean.max() == pytest.approx(184, abs=10)


def test_leans_in_the_plane_that_a_segment_leaves_are_unknown():
    """An arm that is held out to the side has no lean ahead, and overhead it leans by 180 outwards, not by -180."""
    raised = np.linspace(0, 178, 60)
    arms = measure_segment_angles(pose({"left_shoulder": turn("z", raised - 90.0)}, 60))
    out, ahead = arms.of("left_upper_arm_lean_out"), arms.of("left_upper_arm_lean_ahead")
    assert np.isnan(ahead[np.abs(out - 90) < 10]).all()
    assert np.isfinite(ahead[(out < 60) | (out > 120)]).all()
    assert np.nanmin(out) > -20
    assert np.nanmax(out) < 200


def test_a_roll_goes_on_past_half_a_turn():
    rolled = measure_segment_angles(pose(frames=60, world=turn("x", np.linspace(0, 360, 60))))
    lean = rolled.of("trunk_lean_ahead")
    assert np.abs(np.diff(lean)).max() < 10
    assert np.ptp(lean) == pytest.approx(360, abs=5)
