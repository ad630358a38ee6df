import numpy as np

from poselift.detection.duplicates import join_passes, without_duplicates

NOBODY = np.zeros((0, 4))


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


def test_nobody_in_either_pass():
    keep_coarse, keep_fine = join_passes(NOBODY, NOBODY, 1920)
    assert len(keep_coarse) == len(keep_fine) == 0
    assert join_passes(NOBODY, np.array([[0.0, 0, 10, 10]]), 1920)[1].tolist() == [True]
    assert join_passes(np.array([[0.0, 0, 10, 10]]), NOBODY, 1920)[0].tolist() == [True]


def test_of_two_detections_of_one_pose_the_better_is_kept():
    poses = np.stack([pose(0, 0, 100), pose(2, 1, 100), pose(300, 0, 100)])
    boxes = np.array([[0.0, 0, 100, 100], [2, 1, 102, 101], [300, 0, 400, 100]])
    assert without_duplicates(poses, boxes, np.array([0.4, 0.6, 0.5])) == [1, 2]


def test_two_people_in_one_place_are_two():
    poses = np.stack([pose(0, 0, 100, seed=1), pose(0, 0, 100, seed=2)])
    boxes = np.array([[0.0, 0, 100, 100], [0, 0, 100, 100]])
    assert without_duplicates(poses, boxes, np.array([0.6, 0.4])) == [0, 1]


def test_poses_are_one_up_to_a_median_distance_of_eight_hundredths_of_the_box():
    one = pose(0, 0, 100)
    boxes = np.tile([0.0, 0, 60, 100], (2, 1))
    for shift, kept in ((7.9, [1]), (8.1, [1, 0])):
        moved = one + np.array([shift, 0])
        moved[:8] += 1000  # 8 of 17: the median is with the others
        assert without_duplicates(np.stack([one, moved]), boxes, np.array([0.4, 0.6])) == kept


def test_joints_that_only_one_pose_has_do_not_count():
    upper, whole = pose(0, 0, 100), pose(1, 1, 100)
    upper[11:] = np.nan
    boxes = np.tile([0.0, 0, 100, 100], (2, 1))
    assert without_duplicates(np.stack([upper, whole]), boxes, np.array([0.4, 0.6])) == [1]


def test_poses_without_a_joint_in_common_are_two():
    upper, lower = pose(0, 0, 100), pose(0, 0, 100)
    upper[11:], lower[:11] = np.nan, np.nan
    boxes = np.tile([0.0, 0, 100, 100], (2, 1))
    assert without_duplicates(np.stack([upper, lower]), boxes, np.array([0.6, 0.4])) == [0, 1]
