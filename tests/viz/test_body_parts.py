import numpy as np
import pytest

from poselift.skeleton import CMU28, H36M17, SKELETONS
from poselift.viz.body_parts import joints_to_draw, parts_of
from tests.kinematics.conftest import pose
from tests.recordings.conftest import with_hands


@pytest.mark.parametrize("skeleton", SKELETONS.values(), ids=SKELETONS)
def test_every_skeleton_has_parts_of_known_points(skeleton):
    figure = parts_of(skeleton)
    joints = np.random.default_rng(0).normal(size=(len(skeleton), 3))
    points = figure.points(joints, 0.0)
    np.testing.assert_array_equal(points[: len(skeleton)], joints)
    assert figure.ends.max() < len(points)
    assert len(figure.ends) == len(figure.radii) == len(figure.sides) > 5
    assert (figure.radii > 0).all()


def test_feet_are_drawn_where_the_skeleton_has_none(body):
    upright = body * [1, -1, -1] + [0, 0.88 + 0.075, 0]  # Y up; the person faces +Z
    toes = parts_of(H36M17).points(upright, 0.0)[-4:].reshape(2, 2, 3)
    ankles = upright[H36M17.indices(["left_ankle", "right_ankle"])]
    assert (toes[:, 0, 2] > ankles[:, 2] + 0.1).all()
    assert (toes[:, 1, 2] < ankles[:, 2]).all()
    np.testing.assert_allclose(toes[..., 1], 0.03, atol=0.01)
    assert not len(parts_of(CMU28).legs)
    assert parts_of(CMU28).sole < parts_of(H36M17).sole


def test_fingers_are_drawn_instead_of_the_end_of_a_hand_without_any():
    motion = with_hands(pose(frames=6))
    joints, skeleton = joints_to_draw(motion)
    left, right = (joints[:, skeleton.index(f"{side}_hand")] for side in ("left", "right"))
    assert np.isfinite(left).all(1).tolist() == [False, True, False, False, False, False]
    assert np.isfinite(right).all()
    wrist, tip = (joints[:, skeleton.index(f"left_{joint}")] for joint in ("wrist", "hand_thumb_tip"))
    np.testing.assert_allclose(tip - wrist, motion.hands.joints[:, 0, 4], atol=1e-6)
    bare = pose()
    assert joints_to_draw(bare)[1] == bare.skeleton
