import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.detection.hands import Hand, HandModel
from poselift.geometry.camera import camera_for
from poselift.lifting.find_hands import find_hands, with_hands
from poselift.skeleton import COCO17
from poselift.structures import Keypoints2D
from poselift.video import Frame
from tests.kinematics.conftest import pose

TIMES, SIZE = np.arange(10) / 30, (640, 480)
SHAPE = np.random.default_rng(0).normal(scale=0.05, size=(21, 3))


class Seen(HandModel):
    """Sees a hand at each wrist that it is asked for."""

    def __init__(self):
        self.asked = []

    def look_at(self, frame, elbow, wrist, body):
        self.asked.append((elbow, wrist, body))
        if not np.isfinite(wrist).all():
            return None
        joints = SHAPE - SHAPE[0]
        return Hand(wrist + 500 * joints[:, :2], joints, 0.9)


def person(x=320.0):
    """Somebody who stands, with the left wrist at (x + 60, 240) and an unseen right one."""
    points = np.tile([[x, 200.0]], (17, 1))
    points[COCO17.index("left_elbow")] = x + 40, 200
    points[COCO17.index("left_wrist")] = x + 60, 240
    points[COCO17.index("left_ankle")] = x, 400
    points[COCO17.index("right_wrist")] = np.nan
    points = np.tile(points, (10, 1, 1))
    scores = np.where(np.isfinite(points[..., 0]), 0.9, 0.0)
    return Keypoints2D(points, scores, TIMES, COCO17, SIZE)


def frames():
    return [Frame(np.zeros((480, 640, 3), np.uint8), float(time), row) for row, time in enumerate(TIMES)]


def test_hands_are_looked_for_at_the_wrists_that_are_seen():
    model = Seen()
    (hands,) = find_hands(frames(), [person()], camera_for(SIZE), model)
    assert hands.seen[:, 0].all()
    assert not hands.seen[:, 1].any()
    np.testing.assert_allclose(hands.keypoints[:, 0, 0], [[380.0, 240]] * 10)
    elbow, wrist, body = model.asked[0]
    assert (elbow.tolist(), wrist.tolist(), body) == ([360, 200], [380, 240], 200)


def test_a_hand_beside_the_middle_is_turned_to_its_ray():
    camera = camera_for(SIZE)
    (hands,) = find_hands(frames(), [person()], camera, Seen())
    ray = camera.rays(np.array([[380.0, 240]]))[0]
    turned = hands.joints[5, 0] @ (ray / np.linalg.norm(ray))
    # What was along the optical axis is along the ray.
    np.testing.assert_allclose(turned, (SHAPE - SHAPE[0])[:, 2], atol=1e-6)


def test_one_hand_is_not_two():
    """Somebody's wrist lies behind the hand of another, whose own wrist is nearer to it."""

    class One(Seen):
        def look_at(self, frame, elbow, wrist, body):
            seen = super().look_at(frame, elbow, np.array([380.0, 240]), body)
            return seen if np.linalg.norm(wrist - (380, 240)) < 20 else None

    first, second = find_hands(frames(), [person(328.0), person(320.0)], camera_for(SIZE), One())
    assert second.seen[:, 0].all()
    assert not first.seen.any()


def test_hands_are_turned_into_the_axes_of_their_motion():
    """A camera that rolls by a quarter turn a frame."""
    (hands,) = find_hands(frames(), [person()], camera_for(SIZE), Seen())
    motion = pose(frames=len(TIMES))
    assert with_hands(motion, hands, None).hands is hands
    assert with_hands(motion, None, np.tile(np.eye(3), (len(TIMES), 1, 1))).hands is None
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    R = np.array([np.linalg.matrix_power(quarter, row) for row in range(len(TIMES))])
    turned = with_hands(motion, hands, R).hands
    np.testing.assert_allclose(turned.joints[1, 0], hands.joints[1, 0][:, [1, 0, 2]] * [-1, 1, 1], atol=1e-6)
    np.testing.assert_array_equal(turned.keypoints, hands.keypoints)


def test_keypoints_without_elbows_are_refused():
    whole = person()
    rows = [row for row, joint in enumerate(COCO17.joints) if "elbow" not in joint]
    skeleton = type(COCO17)("bare", tuple(COCO17.joints[row] for row in rows), (None,) * len(rows))
    bare = Keypoints2D(whole.keypoints[:, rows], whole.scores[:, rows], TIMES, skeleton, SIZE)
    with pytest.raises(InputError, match="hands need a left_elbow, which keypoints of bare lack"):
        find_hands(frames(), [bare], camera_for(SIZE), Seen())
