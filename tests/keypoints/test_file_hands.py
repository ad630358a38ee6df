import json

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import KeypointClip, read_keypoints
from poselift.skeleton.hand import HAND21
from tests.keypoints.test_mediapipe import landmarks

SIZE = (640, 480)


def hand(seed):
    """x, y and score of 21 joints."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.uniform(200, 300, (21, 2)), rng.uniform(0.5, 1, (21, 1))], -1)


LEFT, RIGHT = hand(1), hand(2)


def points_of(values):
    """The same as landmarks of MediaPipe, which have no scores."""
    return [{"x": x / SIZE[0], "y": y / SIZE[1], "z": 0.0} for x, y, _ in values.tolist()]


def whole_body(body, count, first):
    """Joints of a body with a face, and hands from index `first`."""
    points = body(count, 0)
    points[first : first + 21], points[first + 21 : first + 42] = LEFT, RIGHT
    return points.ravel().tolist()


def hands_in(path, frames=3):
    clip = KeypointClip(read_keypoints(path), fps=25, image_size=SIZE)
    tracker = clip.tracker()
    for people, time in clip.people():
        tracker.update(people, time)
    (track,) = tracker.tracks()
    assert len(track) == frames
    return clip.hands_of(track)


def alphapose(body, count, first):
    entry = {"category_id": 1, "keypoints": whole_body(body, count, first), "score": 3.0}
    return [{"image_id": f"{frame}.jpg", **entry} for frame in range(3)]


def coco(body, **hands):
    images = [{"id": frame, "file_name": f"{frame}.jpg", "width": 640, "height": 480} for frame in range(3)]
    person = {"keypoints": body(17, 0).ravel().tolist(), "category_id": 1, **hands}
    annotations = [{"id": frame, "image_id": frame, **person} for frame in range(3)]
    return {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "person"}]}


CONTENTS = {
    "Halpe-136": lambda body: alphapose(body, 136, 94),
    "COCO-WholeBody": lambda body: alphapose(body, 133, 91),
    "annotations of COCO-WholeBody": lambda body: coco(
        body, lefthand_kpts=LEFT.ravel().tolist(), righthand_kpts=RIGHT.ravel().tolist()
    ),
    "MMPose": lambda body: [
        {
            "frame_id": frame,
            "instances": [
                {
                    "keypoints": np.array(whole_body(body, 133, 91)).reshape(-1, 3)[:, :2].tolist(),
                    "keypoint_scores": np.array(whole_body(body, 133, 91))[2::3].tolist(),
                }
            ],
        }
        for frame in range(3)
    ],
    "OpenPose": lambda body: [
        {
            "people": [
                {
                    "pose_keypoints_2d": body(18, 0).ravel().tolist(),
                    "hand_left_keypoints_2d": LEFT.ravel().tolist(),
                    "hand_right_keypoints_2d": RIGHT.ravel().tolist(),
                }
            ],
            "canvas_width": 640,
            "canvas_height": 480,
        }
        for _ in range(3)
    ],
    "Holistic of the web": lambda body: [
        {"poseLandmarks": landmarks(body), "leftHandLandmarks": points_of(LEFT), "rightHandLandmarks": points_of(RIGHT)}
        for _ in range(3)
    ],
    "Holistic of Python": lambda body: [
        {
            "pose_landmarks": {"landmark": landmarks(body)},
            "left_hand_landmarks": {"landmark": points_of(LEFT)},
            "right_hand_landmarks": {"landmark": points_of(RIGHT)},
        }
        for _ in range(3)
    ],
    "HolisticLandmarker": lambda body: [
        {
            "poseLandmarks": [landmarks(body)],
            "leftHandLandmarks": [points_of(LEFT)],
            "rightHandLandmarks": [points_of(RIGHT)],
        }
        for _ in range(3)
    ],
}


@pytest.mark.parametrize("name", CONTENTS)
def test_hands_go_along_with_their_body_in_2d(write, body, name):
    hands = hands_in(write("a.json", CONTENTS[name](body)))
    for row, expected in enumerate((LEFT, RIGHT)):
        np.testing.assert_allclose(hands.keypoints[:, row], np.tile(expected[:, :2], (3, 1, 1)), atol=1e-9)
    assert not hands.in_3d
    score = 1.0 if "Holistic" in name else LEFT[:, 2].mean()
    np.testing.assert_allclose(hands.scores[:, 0], score)


def test_world_landmarks_are_hands_in_3d_from_the_wrist(write, body):
    metric = np.random.default_rng(3).normal(scale=0.05, size=(21, 3))
    frame = {
        "poseLandmarks": landmarks(body),
        "rightHandLandmarks": points_of(RIGHT),
        "rightHandWorldLandmarks": [dict(zip("xyz", point, strict=True)) for point in metric.tolist()],
        "leftHandLandmarks": None,
    }
    hands = hands_in(write("a.json", [frame] * 3))
    assert hands.seen.tolist() == [[False, True]] * 3
    np.testing.assert_allclose(hands.joints[1, 1], metric - metric[0])
    assert (hands.scores[:, 0] == 0).all()


def test_hands_of_a_mirror_image_change_sides(write, body):
    path = write("a.json", CONTENTS["Holistic of the web"](body))
    clip = KeypointClip(read_keypoints(path), fps=25, image_size=SIZE, mirrored=True)
    tracker = clip.tracker()
    for people, time in clip.people():
        tracker.update(people, time)
    hands = clip.hands_of(tracker.tracks()[0])
    np.testing.assert_allclose(hands.keypoints[0, 0], [SIZE[0] - 1, 0] + RIGHT[:, :2] * [-1, 1])


def test_bodies_without_hands_have_none(write, body):
    assert hands_in(write("a.json", [landmarks(body)] * 3)) is None


def test_damaged_hands_are_refused(write, body):
    frame = {"poseLandmarks": landmarks(body), "leftHandLandmarks": points_of(LEFT)[:5]}
    with pytest.raises(InputError, match="frame 0: a left hand has 5 joints; give 21"):
        read_keypoints(write("a.json", [frame]))
    frame["leftHandLandmarks"] = [{"x": 0.5}] * 21
    with pytest.raises(InputError, match="left_hand_landmarks in frame 0 has no x, y"):
        read_keypoints(write("b.json", [frame]))
    broken = json.loads(json.dumps(CONTENTS["OpenPose"](body)))
    broken[1]["people"][0]["hand_left_keypoints_2d"] = [1.0, 2.0, 0.5]
    with pytest.raises(InputError, match="a left hand has 1 joints; give 21; write the file again"):
        read_keypoints(write("c.json", broken))


def test_the_order_of_joints_is_that_of_coco_wholebody():
    """https://github.com/jin-s13/COCO-WholeBody, imgs/Fig2_anno.png: the root, then thumb to little finger."""
    assert HAND21.joints[0] == "wrist"
    assert [HAND21.joints[4 * finger] for finger in range(1, 6)] == [
        "thumb_tip",
        "index_tip",
        "middle_tip",
        "ring_tip",
        "pinky_tip",
    ]
