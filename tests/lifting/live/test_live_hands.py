"""Hands of a stream: who is looked at when, and what stands until the next crop."""

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.detection.hands import Hand, HandModel
from poselift.geometry.camera import camera_for
from poselift.lifting.live.live_hands import LiveHands
from poselift.skeleton import COCO17, H36M17, Skeleton

SIZE = (640, 480)
CAMERA = camera_for(SIZE)
IMAGE = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
SHAPE = np.random.default_rng(0).normal(scale=0.05, size=(21, 3))
SHAPE -= SHAPE[0]


class Seen(HandModel):
    """Sees a hand of this shape at each wrist that it is asked for, and remembers the wrists."""

    def __init__(self):
        self.asked, self.shape, self.place = [], SHAPE, None

    def look_at(self, frame, elbow, wrist, body):
        self.asked.append(wrist[0])
        at = wrist if self.place is None else self.place
        return None if self.shape is None else Hand(at + 500 * self.shape[:, :2], self.shape, 0.9)


def body(x=320.0, right=True):
    """Keypoints with the left wrist at (x + 60, 240), the right one 120 pixels to the left of it."""
    points = np.tile([[x, 200.0]], (17, 1))
    points[COCO17.indices(["left_elbow", "right_elbow"])] = (x + 40, 200), (x - 40, 200)
    points[COCO17.indices(["left_wrist", "right_wrist"])] = (x + 60, 240), (x - 60, 240)
    points[COCO17.index("left_ankle")] = x, 400
    scores = np.ones(17)
    scores[COCO17.index("right_wrist")] = right
    return points, scores


def run(hands, frames, people=lambda time: {1: body(right=False)}, start=0):
    return [hands.look(IMAGE, people(row / 25), row / 25) for row in range(start, start + frames)]


def test_a_hand_shows_from_the_second_look_that_agrees():
    first, second, *later = run(LiveHands(Seen(), CAMERA, COCO17), 6)
    assert not first[1].seen.any()
    for hands in (second[1], *(frame[1] for frame in later)):
        assert hands.seen.tolist() == [[True, False]]
        np.testing.assert_allclose(hands.keypoints[0, 0], [380, 240] + 500 * SHAPE[:, :2])
        assert hands.scores[0, 0] == pytest.approx(0.9)
        ray = CAMERA.rays(np.array([[380.0, 240]]))[0]
        # What was along the optical axis is along the ray.
        np.testing.assert_allclose(hands.joints[0, 0] @ (ray / np.linalg.norm(ray)), SHAPE[:, 2], atol=1e-6)


def test_hands_take_turns_one_look_a_frame():
    model = Seen()
    run(LiveHands(model, CAMERA, COCO17), 8, lambda time: {1: body(), 2: body(500.0)})
    assert model.asked == [380, 260, 560, 440] * 2


def test_between_its_looks_a_hand_moves_with_the_wrist():
    model = Seen()
    hands = LiveHands(model, CAMERA, COCO17)
    run(hands, 4, lambda time: {1: body()})
    asked = len(model.asked)
    (moved,) = run(hands, 1, lambda time: {1: body(330.0)}, start=4)
    assert model.asked[asked:] == [390], "the left one is looked at"
    np.testing.assert_allclose(moved[1].keypoints[0, 1, 0], (270, 240))


@pytest.mark.parametrize("then", ["none", "flipped"])
def test_a_look_that_finds_none_or_another_hand_ends_it(then):
    model = Seen()
    hands = LiveHands(model, CAMERA, COCO17)
    assert run(hands, 3)[-1][1].seen.any()
    model.shape = None if then == "none" else SHAPE * [-1, 1, 1]
    assert not run(hands, 1, start=3)[0][1].seen.any()
    assert run(hands, 1, start=4)[0][1].seen.any() == (then == "flipped"), "seen twice, it is the hand"


def test_a_hand_is_not_held_for_longer_than_half_a_second():
    hands = LiveHands(Seen(), CAMERA, COCO17)
    run(hands, 3)
    assert not hands.look(IMAGE, {1: body(right=False)}, 2.0)[1].seen.any(), "the crop before is too old to agree"
    hidden = body()[0], np.zeros(17)
    run(hands, 2, start=51)
    assert not hands.look(IMAGE, {1: hidden}, 2.2)[1].seen.any(), "a wrist that is not seen has no hand"


def test_the_hand_of_a_nearer_wrist_is_nobody_elses():
    model = Seen()
    model.place = np.array([380.0, 240])
    people = {1: body(right=False), 2: body(330.0, right=False)}
    frames = run(LiveHands(model, CAMERA, COCO17), 8, lambda time: people)
    assert frames[-1][1].seen.any()
    assert not any(frame[2].seen.any() for frame in frames[4:])


def test_hands_of_earlier_frames_are_there_for_poses_that_waited_and_those_who_left_are_forgotten():
    hands = LiveHands(Seen(), CAMERA, COCO17)
    frames = run(hands, 5)
    assert hands.at(1, 2 / 25) is frames[2][1]
    assert not hands.at(1, 0.05).seen.any()
    assert not hands.at(7, 2 / 25).seen.any()
    hands.look(IMAGE, {}, 10.0)
    assert not hands.at(1, 2 / 25).seen.any()


def test_keypoints_without_elbows_are_refused():
    bare = Skeleton("bare", ("left_wrist", "right_wrist"), (None, None))
    with pytest.raises(InputError, match="hands need a left_elbow, which keypoints of bare lack"):
        LiveHands(Seen(), CAMERA, bare)
    LiveHands(Seen(), CAMERA, H36M17)
