import numpy as np
import pytest

from poselift.skeleton import COCO17, H36M17
from poselift.viz import draw_skeleton_2d, person_colors

COLORS = person_colors(2)


@pytest.fixture
def points(body):
    """Keypoints of a person 330 pixels high in a picture of 640 x 480."""
    return body[:, :2] * 200 + [320, 240]


def _middle(points, start, end):
    x, y = (points[H36M17.index(start)] + points[H36M17.index(end)]) / 2
    return round(float(y)), round(float(x))


def _draw(image, points, scores=None, **options):
    scores = np.ones(len(points)) if scores is None else scores
    draw_skeleton_2d(image, points, scores, H36M17, COLORS, **options)
    return image


def test_limbs_have_the_colour_of_their_side(gray, points):
    _draw(gray, points)
    assert tuple(gray[_middle(points, "left_elbow", "left_wrist")]) == COLORS.left
    assert tuple(gray[_middle(points, "right_elbow", "right_wrist")]) == COLORS.right
    assert tuple(gray[_middle(points, "left_knee", "left_ankle")]) == COLORS.left
    assert tuple(gray[_middle(points, "pelvis", "spine")]) == COLORS.middle
    assert tuple(gray[5, 5]) == (128, 128, 128)


def test_low_scores_and_unseen_joints_are_left_out(gray, points):
    scores = np.ones(17)
    scores[H36M17.index("left_wrist")] = 0.29
    points[H36M17.index("right_ankle")] = np.nan
    _draw(gray, points, scores, threshold=0.3)
    assert tuple(gray[_middle(points, "left_elbow", "left_wrist")]) == (128, 128, 128)
    assert tuple(gray[_middle(points, "left_shoulder", "left_elbow")]) == COLORS.left
    assert tuple(gray[_middle(points, "right_hip", "right_knee")]) == COLORS.right
    knee_down = gray[round(float(points[H36M17.index("right_knee"), 1])) + 20 :, :300]
    assert (knee_down == 128).all()


def test_nobody_seen_draws_nothing(gray, points):
    _draw(gray, points, np.zeros(17), label="3")
    _draw(gray, np.full_like(points, np.nan), label="3")
    assert (gray == 128).all()


def test_label_stands_above_the_head(gray, points):
    unlabelled = _draw(gray.copy(), points)
    labelled = _draw(gray.copy(), points, label="4")
    rows, columns = np.nonzero((labelled != unlabelled).any(-1))
    head = points[H36M17.index("head_top")]
    assert 0 < rows.max() < head[1]
    assert columns.mean() == pytest.approx(float(head[0]), abs=2)
    assert (labelled[rows.min() : rows.max()] == COLORS.middle).all(-1).sum() > 50


def test_lines_grow_with_the_person(gray, points):
    def thickness(scale):
        sized = (points - [320, 240]) * scale + [320, 240]
        image = _draw(gray.copy(), sized)
        row, _ = _middle(sized, "left_hip", "left_knee")
        return (image[row] == COLORS.left).all(-1).sum()

    assert thickness(0.25) < thickness(1.4)


def test_coco_has_a_trunk_and_a_neck(gray, points):
    coco = np.full((17, 2), np.nan)
    for joint in COCO17.joints:
        if joint in H36M17.joints:
            coco[COCO17.index(joint)] = points[H36M17.index(joint)]
    coco[COCO17.index("nose")] = points[H36M17.index("neck_base")] - [0, 20]
    draw_skeleton_2d(gray, coco, np.ones(17), COCO17, COLORS)
    assert tuple(gray[_middle(points, "left_hip", "right_hip")]) == COLORS.middle
    x, y = (coco[COCO17.index("nose")] + points[H36M17.index("thorax")]) / 2
    assert tuple(gray[round(float(y)), round(float(x))]) == COLORS.middle


def test_a_joint_far_outside_does_no_harm(gray, points):
    points[H36M17.index("left_wrist")] = 1e9
    _draw(gray, points)
    assert tuple(gray[5, 5]) == (128, 128, 128)
