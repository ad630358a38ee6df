import numpy as np
import pytest

from poselift.skeleton import H36M17
from poselift.viz.colors import person_colors
from poselift.viz.draw2d import draw_skeleton_2d

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
