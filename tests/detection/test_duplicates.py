import math

import numpy as np
import pytest

from poselift.detection.duplicates import (
    ALIKE,
    SIGMA_DISTANCE,
    SIGMA_SCORE,
    SPATIAL,
    join_passes,
    pose_nms,
    pose_similarity,
)


def pose(x, y, size, seed=0):
    return np.array([x, y]) + size * np.random.default_rng(seed).random((17, 2))


def test_far_people_are_the_fine_passes():
    coarse = np.array([[100.0, 100, 150, 200]])
    fine = np.array([[102.0, 98, 149, 205], [900, 500, 920, 550]])
    keep_coarse, keep_fine = join_passes(coarse, fine, 1920)
    assert keep_coarse.tolist() == [False]
    assert keep_fine.tolist() == [True, True]


def test_the_coarse_pass_adds_who_was_missed():
    keep_coarse, keep_fine = join_passes(np.array([[100.0, 100, 150, 200]]), np.array([[400.0, 100, 450, 200]]), 1920)
    assert keep_coarse.tolist() == [True]
    assert keep_fine.tolist() == [True]


def test_pieces_of_somebody_who_fills_the_picture_are_dropped():
    whole = np.array([[300.0, 20, 800, 1060]])
    pieces = np.array([[350.0, 30, 700, 500], [400, 500, 780, 1050], [1500, 300, 1600, 600]])
    keep_coarse, keep_fine = join_passes(whole, pieces, 1920)
    assert keep_coarse.tolist() == [True]
    assert keep_fine.tolist() == [False, False, True]


def similarity_by_loop(keypoints, scores, boxes):
    """The paper's formulas 9 to 11, joint by joint, as means, in units of the smaller box."""
    n, joints = scores.shape
    similarity = np.zeros((n, n))
    for i in range(n):
        for other in range(n):
            size = min(max(boxes[k, 2] - boxes[k, 0], boxes[k, 3] - boxes[k, 1]) for k in (i, other))
            terms = []
            for joint in range(joints):
                if math.isnan(keypoints[i, joint, 0]) or math.isnan(keypoints[other, joint, 0]):
                    continue
                x, y = (keypoints[i, joint] - keypoints[other, joint]) / size
                term = SPATIAL * math.exp(-(x * x + y * y) / SIGMA_DISTANCE)
                if abs(x) <= 0.05 and abs(y) <= 0.05:
                    one, two = (scores[k, joint] / scores[k].max() / SIGMA_SCORE for k in (i, other))
                    term += math.tanh(one) * math.tanh(two)
                terms.append(term)
            similarity[i, other] = sum(terms) / len(terms) if terms else 0
    return similarity


def test_somebody_small_beside_somebody_large_is_no_double():
    # A woman, and a man who bends in front of her: MoveNet's joints in one frame of Pose2Sim's demo.
    small = """
        265 595 270 580 248 583 269 581 220 591 308 627 197 637 372 664 122 662 394 694 137 602 339
        774 259 785 361 898 279 905 350 965 259 990
    """
    large = """
        266 595 273 581 250 584 278 577 219 588 330 641 448 619 386 795 577 529 386 669 500 436 504
        852 583 801 486 1014 637 849 560 1190 700 920
    """
    scores = np.array(
        [
            [0.9, 0.9, 0.9, 0.8, 0.9, 0.9, 0.8, 0.7, 0.7, 0.4, 0.9, 0.8, 0.8, 0.9, 0.9, 0.6, 0.8],
            [0.7, 0.5, 0.7, 0.5, 0.7, 0.4, 0.3, 0.1, 0.8, 0.3, 0.5, 0.7, 0.7, 0.9, 0.7, 0.8, 0.9],
        ]
    )
    poses = np.array([small.split(), large.split()], float).reshape(2, 17, 2)
    boxes = np.concatenate([poses.min(1), poses.max(1)], -1)
    for order in ([0.8, 0.6], [0.6, 0.8]):
        assert len(pose_nms(poses, scores, boxes, np.array(order))) == 2


def test_similarity_is_the_papers_formula():
    rng = np.random.default_rng(0)
    poses = np.stack([pose(0, 0, 100), pose(3, 2, 100), pose(8, 0, 100, seed=1), pose(300, 0, 50)])
    poses += rng.normal(0, 3, poses.shape)
    scores = rng.uniform(0.1, 0.9, (4, 17))
    poses[1, :5], scores[1, :5] = np.nan, 0
    boxes = np.array([[0.0, 0, 60, 100], [3, 2, 123, 102], [8, 0, 108, 100], [300, 0, 350, 50]])
    similarity = pose_similarity(poses, scores, boxes)
    assert similarity == pytest.approx(similarity_by_loop(poses, scores, boxes), abs=1e-12)


def test_similarity_does_not_depend_on_how_high_scores_or_how_large_people_are():
    poses = np.stack([pose(0, 0, 100), pose(4, 3, 100)])
    scores = np.random.default_rng(1).uniform(0.2, 1, (2, 17))
    boxes = np.tile([0.0, 0, 80, 100], (2, 1))
    similarity = pose_similarity(poses, scores, boxes)
    assert pose_similarity(poses, 0.3 * scores, boxes) == pytest.approx(similarity)
    assert pose_similarity(7 * poses, scores, 7 * boxes) == pytest.approx(similarity)


def test_of_two_detections_of_one_pose_the_better_is_kept():
    poses = np.stack([pose(0, 0, 100), pose(2, 1, 100), pose(300, 0, 100)])
    boxes = np.array([[0.0, 0, 100, 100], [2, 1, 102, 101], [300, 0, 400, 100]])
    assert pose_nms(poses, np.full((3, 17), 0.6), boxes, np.array([0.4, 0.6, 0.5])) == [1, 2]


def test_two_people_in_one_place_are_two():
    poses = np.stack([pose(0, 0, 100, seed=1), pose(0, 0, 100, seed=2)])
    boxes = np.array([[0.0, 0, 100, 100], [0, 0, 100, 100]])
    assert pose_nms(poses, np.full((2, 17), 0.6), boxes, np.array([0.6, 0.4])) == [0, 1]


def test_half_a_pose_is_enough_if_the_rest_is_unsure():
    poses = np.stack([pose(0, 0, 100), pose(0, 0, 100)])
    poses[1, :8] += 30
    scores = np.full((2, 17), 0.8)
    boxes = np.tile([0.0, 0, 100, 100], (2, 1))
    assert pose_nms(poses, scores, boxes, np.array([0.6, 0.4])) == [0]
    poses[1, 8:14] += 30  # three joints at one place are none of a person's
    assert pose_nms(poses, scores, boxes, np.array([0.6, 0.4])) == [0, 1]


def test_who_was_dropped_drops_nobody():
    """Of a row of people, each near the next, every other one is kept."""
    poses = np.stack([pose(shift, 0, 100) for shift in (0, 4.5, 9)])
    scores, boxes = np.full((3, 17), 0.6), np.tile([0.0, 0, 100, 100], (3, 1))
    alike = pose_similarity(poses, scores, boxes) >= ALIKE
    assert alike.tolist() == [[True, True, False], [True, True, True], [False, True, True]]
    assert pose_nms(poses, scores, boxes, np.array([0.6, 0.5, 0.4])) == [0, 2]


def test_joints_that_only_one_pose_has_do_not_count():
    upper, whole = pose(0, 0, 100), pose(1, 1, 100)
    upper[11:] = np.nan
    scores = np.where(np.isfinite(np.stack([upper, whole])).all(-1), 0.6, 0.0)
    boxes = np.tile([0.0, 0, 100, 100], (2, 1))
    assert pose_nms(np.stack([upper, whole]), scores, boxes, np.array([0.4, 0.6])) == [1]


def test_joints_without_a_score_are_not_in_common():
    """Two poses in one place, each of other joints."""
    scores = np.zeros((2, 17))
    scores[0, :8] = scores[1, 8:] = 0.9
    similarity = pose_similarity(np.stack([pose(0, 0, 100)] * 2), scores, np.array([[0.0, 0, 100, 100]] * 2))
    assert similarity[0, 1] == similarity[1, 0] == 0
