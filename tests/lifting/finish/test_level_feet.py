from dataclasses import replace

import numpy as np
import pytest

from poselift.lifting.finish.level_feet import level_feet
from poselift.skeleton import CMU28, COCO17, H36M17, Skeleton
from tests.lifting.walking import render, standing_pose

TIMES = np.arange(60) / 30


def _standing(skeleton=CMU28, pitch=0.2, roll=0.0, raised=0.0):
    """Somebody who stands, with the left foot raised."""
    joints = np.repeat(standing_pose()[None], len(TIMES), 0)
    rows = [CMU28.index(f"left_{part}") for part in ("ankle", "heel", "big_toe")]
    joints[:, rows, 1] += raised
    return render(joints, TIMES, skeleton=skeleton, pitch=pitch, roll=roll).motion


def _with_left_foot_moved(motion, metres):
    """The foot further away along its line of sight."""
    skeleton, joints = motion.skeleton, motion.joints.copy()
    ankle = joints[:, skeleton.index("left_ankle")] + motion.root
    parts = [row for row, name in enumerate(skeleton.joints) if name in {"left_ankle", "left_heel", "left_big_toe"}]
    joints[:, parts] += (metres * ankle / np.linalg.norm(ankle, axis=-1, keepdims=True))[:, None]
    return replace(motion, joints=joints)


@pytest.mark.parametrize("skeleton", [CMU28, H36M17, COCO17], ids=["cmu28", "h36m17", "coco17"])
@pytest.mark.parametrize("metres", [0.15, -0.15])
def test_a_standing_foot_goes_to_the_depth_where_both_feet_are_level(skeleton, metres):
    true = _standing(skeleton)
    moved = _with_left_foot_moved(true, metres)
    ankles = skeleton.indices(["left_ankle", "right_ankle"])
    between = [motion[:, ankles[0]] - motion[:, ankles[1]] for motion in (true.joints, level_feet(moved))]
    assert np.linalg.norm(between[1] - between[0], axis=-1)[5:-5].max() < 0.75 * abs(metres)
    others = [row for row, name in enumerate(skeleton.joints) if not name.endswith(("knee", "ankle", "heel", "toe"))]
    np.testing.assert_array_equal(level_feet(moved)[:, others], moved.joints[:, others])


def test_a_foot_on_a_box_stays_there():
    motion = _standing(raised=0.45)
    np.testing.assert_allclose(level_feet(motion), motion.joints, atol=0.01)


def test_where_up_is_not_known_nothing_moves():
    rolled = _with_left_foot_moved(_standing(roll=1.0), 0.15)
    np.testing.assert_array_equal(level_feet(rolled), rolled.joints)
    lying = replace(rolled, joints=rolled.joints[..., [1, 0, 2]])
    np.testing.assert_array_equal(level_feet(lying), lying.joints)


def test_feet_that_nobody_saw_and_bodies_without_feet_stay_as_they_are():
    moved = _with_left_foot_moved(_standing(), 0.15)
    unseen = replace(moved, keypoints=replace(moved.keypoints, scores=np.zeros_like(moved.keypoints.scores)))
    np.testing.assert_array_equal(level_feet(unseen), moved.joints)
    upper = Skeleton("upper", ("pelvis", "neck_base"), (None, "pelvis"))
    motion = replace(moved, joints=moved.joints[:, :2], skeleton=upper)
    np.testing.assert_array_equal(level_feet(motion), motion.joints)
