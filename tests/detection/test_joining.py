import numpy as np
import pytest

from poselift.detection.joining import FULL_FACTORS, HEAVY_FACTORS, compare, join
from poselift.skeleton import COCO17, COCO_WHOLEBODY23

RNG = np.random.default_rng(0)
FIRST = RNG.uniform(0, 100, (17, 2))
FIRST[0], FIRST[16] = (0, 0), (100, 100)  # the body is 100 pixels long
SCORES = np.full(17, 0.8)
FEET = COCO_WHOLEBODY23.indices([f"{side}_{joint}" for side in ("left", "right") for joint in ("heel", "big_toe")])
PLAIN = [row for row, joint in enumerate(COCO17.joints) if not joint.endswith(("shoulder", "elbow", "hip", "ankle"))]
"""Joints of which the scores alone decide."""


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
    np.testing.assert_allclose(keypoints[PLAIN], FIRST[PLAIN] + (2, 0))
    np.testing.assert_allclose(own[:17], SCORES)
    less, _ = joined(points, scores / 3)
    np.testing.assert_allclose(less[PLAIN], FIRST[PLAIN] + (1, 0))


@pytest.mark.parametrize(
    ("factors", "joint", "share"),
    [
        (HEAVY_FACTORS, "shoulder", 0.9),
        (HEAVY_FACTORS, "elbow", 0.4 / 1.4),
        (HEAVY_FACTORS, "hip", 0.375),
        (HEAVY_FACTORS, "ankle", 0.0),
        (FULL_FACTORS, "shoulder", 0.5),
        (FULL_FACTORS, "ankle", 0.25),
    ],
)
def test_some_joints_are_rather_those_of_one_model(factors, joint, share):
    keypoints, _ = join(FIRST, SCORES, compare(FIRST, SCORES, *second(4.0), factors))
    rows = COCO17.indices([f"left_{joint}", f"right_{joint}"])
    np.testing.assert_allclose(keypoints[rows], FIRST[rows] + (4 * share, 0))


def test_joints_that_differ_stay_where_the_first_model_sees_them_and_count_less():
    points, scores = second()
    points[9] += (30, 0)
    keypoints, own = joined(points, scores)
    np.testing.assert_allclose(keypoints[9], FIRST[9])
    np.testing.assert_allclose(own[9], 0.6 * SCORES[9])
    np.testing.assert_allclose(np.delete(own[:17], 9), 0.8)


def test_between_agreement_and_difference_nothing_jumps():
    keypoints = [joined(*second(shift))[0][5, 0] for shift in np.arange(0, 12, 0.1)]
    assert np.abs(np.diff(keypoints)).max() < 0.3


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
    """The second model gives all joints, but for those outside the picture."""
    points, scores = second(4.0)
    points[9], scores[9] = np.nan, 0
    first, first_scores = FIRST.copy(), SCORES.copy()
    first[16], first_scores[16] = np.nan, 0
    keypoints, own = joined(points, scores, first, first_scores)
    np.testing.assert_allclose(keypoints[9], FIRST[9])
    assert own[9] == pytest.approx(0.2)
    hidden = COCO_WHOLEBODY23.indices(["right_ankle", "right_heel", "right_big_toe"])
    assert np.isnan(keypoints[hidden]).all()
    assert (own[hidden] == 0).all()


def test_without_a_second_model_the_first_one_stands():
    keypoints, own = join(FIRST, SCORES, None)
    np.testing.assert_array_equal(keypoints[:17], FIRST)
    np.testing.assert_array_equal(own, np.append(SCORES, np.zeros(6)))


def test_nobody_is_compared_with_nobody():
    nobody = np.full((17, 2), np.nan)
    keypoints, own = joined(*second(), nobody, np.zeros(17))
    assert np.isnan(keypoints).all()
    assert (own == 0).all()


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_between_two_frames_the_difference_is_interpolated(share):
    early, late = (compare(FIRST, SCORES, *second(shift)) for shift in (0.0, 4.0))
    keypoints, _ = join(FIRST, SCORES, early.towards(late, share))
    np.testing.assert_allclose(keypoints[PLAIN], FIRST[PLAIN] + (2 * share, 0))


def test_a_foot_that_only_one_of_two_frames_shows_is_taken_from_it():
    points, scores = second()
    bare, none = points.copy(), scores.copy()
    bare[FEET], none[FEET] = np.nan, 0
    one, other = compare(FIRST, SCORES, points, scores), compare(FIRST, SCORES, bare, none)
    for difference in (one.towards(other, 0.7), other.towards(one, 0.3)):
        keypoints, own = join(FIRST, SCORES, difference)
        np.testing.assert_allclose(keypoints[FEET], points[FEET])
        assert (own[FEET] > 0.5).all()


WRIST = COCO17.index("left_wrist")


def difference(first_away=0.0, second_away=0.0, moved=0.0):
    """What a second model changes in a body that has moved; the models see the wrist so many pixels to the right."""
    first, (points, scores) = FIRST + (moved, 0), second()
    points = points + (moved, 0)
    first[WRIST] += (first_away, 0)
    points[WRIST] += (second_away, 0)
    return compare(first, SCORES, points, scores)


@pytest.mark.parametrize(
    ("here", "before", "after", "factor"),
    [
        (difference(second_away=30), difference(), difference(), 1.0),  # the second model has jumped
        (difference(second_away=30), difference(), None, 1.0),
        (
            difference(second_away=30, moved=25),
            difference(),
            difference(moved=50),
            1.0,
        ),  # from the hips the wrist is where it was
        (difference(first_away=30), difference(), difference(), 0.6),  # the first one has jumped
        (difference(first_away=30, second_away=-30), difference(), difference(), 0.6),  # both have
        (difference(second_away=30), None, None, 0.6),  # nothing is known
        (difference(second_away=30), difference(second_away=30), difference(first_away=30), 0.6),  # they never agreed
        (difference(first_away=30, second_away=30), difference(), difference(), 1.0),  # both saw it move
    ],
)
def test_what_both_said_before_and_after_decides_how_far_a_joint_counts(here, before, after, factor):
    others = [(seconds, each) for seconds, each in ((-0.1, before), (0.1, after)) if each is not None]
    decided = here.decide(others)
    assert decided.score_factors[WRIST] == pytest.approx(factor)
    np.testing.assert_allclose(np.delete(decided.score_factors[:17], WRIST), 1)
    np.testing.assert_array_equal(decided.offsets, here.offsets)


def test_the_nearest_frames_at_which_both_agree_decide():
    here, was, away = difference(second_away=30), difference(), difference(first_away=40, second_away=40)
    disagreed = difference(first_away=40)
    assert here.decide([(-0.1, was), (-0.2, away)]).score_factors[WRIST] == 1
    assert here.decide([(-0.1, away), (-0.2, was)]).score_factors[WRIST] == pytest.approx(0.6)
    assert here.decide([(-0.1, disagreed), (-0.2, was)]).score_factors[WRIST] == 1
    half_way = difference(first_away=20, second_away=50)
    assert half_way.decide([(-0.1, was), (0.1, away)]).score_factors[WRIST] == 1


def test_a_limb_beyond_the_edge_of_the_picture_is_doubted_whatever_was_before():
    points, scores = second()
    points[WRIST], scores[WRIST] = np.nan, 0
    decided = compare(FIRST, SCORES, points, scores).decide([(-0.1, difference()), (0.1, difference())])
    assert decided.score_factors[WRIST] == pytest.approx(0.25)


def test_a_second_model_that_sees_nobody_changes_nothing():
    keypoints, own = joined(np.full((23, 2), np.nan), np.zeros(23))
    np.testing.assert_array_equal(keypoints[:17], FIRST)
    np.testing.assert_array_equal(own[:17], SCORES)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_no_joint_lies_between_two_places(share):
    """One frame agrees, the other one is at somebody else's wrist."""
    agreed, elsewhere = difference(second_away=4), difference(second_away=60)
    keypoints, _ = join(FIRST, SCORES, agreed.towards(elsewhere, share))
    assert np.linalg.norm(keypoints[WRIST] - FIRST[WRIST]) <= 2.01


def test_a_joint_that_both_lost_is_not_made_up():
    first, first_scores, (points, scores) = FIRST.copy(), SCORES.copy(), second()
    first[WRIST], first_scores[WRIST], points[WRIST], scores[WRIST] = np.nan, 0, np.nan, 0
    decided = compare(first, first_scores, points, scores).decide([(-0.1, difference()), (0.1, difference())])
    np.testing.assert_allclose(np.delete(decided.score_factors[:17], WRIST), 1)
    keypoints, own = join(first, first_scores, decided)
    assert np.isnan(keypoints[WRIST]).all()
    assert own[WRIST] == 0
    np.testing.assert_allclose(own[:9], 0.8)
