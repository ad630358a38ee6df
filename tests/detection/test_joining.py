import numpy as np
import pytest

from poselift.detection.joining import compare, join
from poselift.skeleton import COCO17, COCO_WHOLEBODY23

RNG = np.random.default_rng(0)
FIRST = RNG.uniform(0, 100, (17, 2))
FIRST[0], FIRST[16] = (0, 0), (100, 100)  # the body is 100 pixels long
SCORES = np.full(17, 0.8)
FEET = COCO_WHOLEBODY23.indices([f"{side}_{joint}" for side in ("left", "right") for joint in ("heel", "big_toe")])


def second(shift=0.0):
    """The first model's joints, moved to the right, with feet 10 pixels below the ankles."""
    points = np.full((23, 2), np.nan)
    points[:17] = FIRST + (shift, 0)
    for row in FEET:
        side = COCO_WHOLEBODY23.joints[row].partition("_")[0]
        points[row] = FIRST[COCO17.index(f"{side}_ankle")] + (shift, 10)
    return points, np.where(np.isfinite(points[:, 0]), 0.8, 0.0)


def joined(points, scores, first=FIRST, first_scores=SCORES):
    return join(first, first_scores, compare(first, first_scores, points, scores))


def test_joints_that_agree_are_averaged_by_their_scores():
    points, scores = second(4.0)
    keypoints, own = joined(points, scores)
    np.testing.assert_allclose(keypoints[:17], FIRST + (2, 0))
    np.testing.assert_allclose(own[:17], SCORES)
    less, _ = joined(points, scores / 3)
    np.testing.assert_allclose(less[:17], FIRST + (1, 0))


def test_joints_that_differ_stay_where_the_first_model_sees_them_and_count_less():
    points, scores = second()
    points[9] += (30, 0)
    keypoints, own = joined(points, scores)
    np.testing.assert_allclose(keypoints[9], FIRST[9])
    np.testing.assert_allclose(own[9], 0.6 * SCORES[9])
    np.testing.assert_allclose(np.delete(own[:17], 9), 0.8)


def test_between_agreement_and_difference_nothing_jumps():
    keypoints = [joined(*second(shift))[0][5, 0] for shift in np.arange(0, 12, 0.1)]
    assert np.abs(np.diff(keypoints)).max() < 0.2


def test_exchanged_sides_are_those_of_the_first_model():
    points, scores = second(1.0)
    swapped = points.copy()
    legs = [
        row
        for row, joint in enumerate(COCO_WHOLEBODY23.joints)
        if joint.endswith(("hip", "knee", "ankle", "heel", "toe"))
    ]
    swapped[legs] = points[np.array(COCO_WHOLEBODY23.flip_indices)[legs]]
    for ours, wanted in zip(joined(swapped, scores), joined(points, scores), strict=True):
        np.testing.assert_allclose(ours, wanted)


def test_feet_come_from_the_second_model_and_are_no_surer_than_their_ankles():
    points, scores = second()
    first_scores = SCORES.copy()
    first_scores[COCO17.index("left_ankle")] = 0.3
    keypoints, own = joined(points, scores, first_scores=first_scores)
    np.testing.assert_allclose(keypoints[FEET], points[FEET])
    np.testing.assert_allclose(own[FEET], [0.3, 0.3, 0.8 * 0.7, 0.8 * 0.8])
    assert np.isnan(keypoints[COCO_WHOLEBODY23.index("left_small_toe")]).all()
    assert own[COCO_WHOLEBODY23.index("left_small_toe")] == 0


def test_a_foot_at_another_ankle_is_doubted():
    points, scores = second()
    for row in (COCO17.index("left_ankle"), *FEET[:2]):
        points[row] += (40, 0)
    _, own = joined(points, scores)
    assert (own[FEET[:2]] < 0.2).all()
    assert (own[FEET[2:]] > 0.5).all()


def test_joints_that_one_of_them_does_not_see():
    points, scores = second(4.0)
    points[9], scores[9] = np.nan, 0
    first, first_scores = FIRST.copy(), SCORES.copy()
    first[16], first_scores[16] = np.nan, 0
    keypoints, own = joined(points, scores, first, first_scores)
    np.testing.assert_allclose(keypoints[9], FIRST[9])
    assert own[9] == 0.8
    hidden = COCO_WHOLEBODY23.indices(["right_ankle", "right_heel", "right_big_toe"])
    assert np.isnan(keypoints[hidden]).all()
    assert (own[hidden] == 0).all()


def test_without_a_second_look_the_first_one_stands():
    keypoints, own = join(FIRST, SCORES, None)
    np.testing.assert_array_equal(keypoints[:17], FIRST)
    np.testing.assert_array_equal(own, np.append(SCORES, np.zeros(6)))


def test_nobody_is_compared_with_nobody():
    nobody = np.full((17, 2), np.nan)
    keypoints, own = joined(*second(), nobody, np.zeros(17))
    assert np.isnan(keypoints).all()
    assert (own == 0).all()


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_between_two_looks_the_difference_is_interpolated(share):
    early, late = (compare(FIRST, SCORES, *second(shift)) for shift in (0.0, 4.0))
    keypoints, _ = join(FIRST, SCORES, early.towards(late, share))
    np.testing.assert_allclose(keypoints[:17], FIRST + (2 * share, 0))


def test_a_foot_that_only_one_of_two_looks_shows_is_taken_from_it():
    points, scores = second()
    bare, none = points.copy(), scores.copy()
    bare[FEET], none[FEET] = np.nan, 0
    one, other = compare(FIRST, SCORES, points, scores), compare(FIRST, SCORES, bare, none)
    for difference in (one.towards(other, 0.7), other.towards(one, 0.3)):
        keypoints, own = join(FIRST, SCORES, difference)
        np.testing.assert_allclose(keypoints[FEET], points[FEET])
        assert (own[FEET] > 0.5).all()
