import numpy as np
import pytest

from benchmarks.duplicates import half_guessed, left_and_lost, parametric_pose_nms, pose_likeness
from poselift.data.scenes import make_scene
from poselift.skeleton import COCO17
from poselift.structures import Detections


def test_the_likeness_of_poses_by_hand():
    # A box of 100 px: joints match within 10 px. Distances: 0, 5, 20 px, and one joint that only the first has.
    pose = np.array([[0.0, 0], [10, 0], [20, 0], [30, 0]])
    other = np.array([[0.0, 0], [10, 5], [20, 20], [np.nan, np.nan]])
    likeness = pose_likeness(pose, other, np.array([1.0, 0.5, 1.0, 1.0]), np.array([1.0, 0.8, 1.0, 0.0]), 100.0)
    # tanh(1)² = 0.58002, tanh(0.5) tanh(0.8) = 0.46212 x 0.66404 = 0.30686
    # exp(0) = 1, exp(-0.25 / 2.65) = 0.90998, exp(-4 / 2.65) = 0.22102
    by_hand = (0.58002 + 0.30686 + 1.7 * (1 + 0.90998 + 0.22102)) / 3
    assert likeness == pytest.approx(by_hand, abs=1e-4)


def test_poses_without_a_joint_in_common_are_not_alike():
    nothing = np.full((4, 2), np.nan)
    assert pose_likeness(np.zeros((4, 2)), nothing, np.ones(4), np.zeros(4), 100.0) == 0


def detections(shifts, box_scores, scores=0.8):
    pose = 100 * np.random.default_rng(0).random((17, 2))
    poses = np.stack([pose + np.array([shift, 0.0]) for shift in shifts])
    boxes = np.tile([0.0, 0, 100, 100], (len(shifts), 1)) + np.array(shifts)[:, None] * [1, 0, 1, 0]
    return Detections(boxes, np.array(box_scores), poses, np.full(poses.shape[:2], scores), COCO17)


def test_the_surest_of_each_person_is_kept():
    # At 5 px: tanh(0.8)² + 1.7 exp(-0.25 / 2.65) = 0.441 + 1.547 > 1.322; at 12 px: 1.7 exp(-1.44 / 2.65) = 0.987.
    assert parametric_pose_nms(detections([0, 5, 60], [0.5, 0.9, 0.7])) == [1, 2]
    assert parametric_pose_nms(detections([0, 12], [0.9, 0.5])) == [0, 1]


def test_what_is_left_and_lost_is_counted(corpus):
    scene = make_scene(corpus, people=3, seed=1, seconds=3.0)
    left, lost = left_and_lost([scene], lambda found: range(len(found)))
    assert (left, lost) == (100.0, 0.0)
    assert left_and_lost([scene], lambda found: [])[1] == 100.0


def test_half_guessed_changes_only_who_is_found_twice(corpus):
    scene = make_scene(corpus, people=3, seed=1, seconds=3.0)
    changed = half_guessed(scene)
    number = 0
    for before, after, owners in zip(scene.detections, changed.detections, scene.owners, strict=True):
        for i in range(len(before)):
            if not np.array_equal(before.keypoints[i], after.keypoints[i], equal_nan=True):
                assert (owners == owners[i]).sum() > 1
                number += 1
    assert number > 0
