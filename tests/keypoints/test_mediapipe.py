import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import KeypointClip, read_keypoints
from poselift.skeleton import COCO17, COCO_WHOLEBODY23

NAMES = {
    "nose": 0,
    "left_eye": 2,
    "right_ear": 8,
    "left_wrist": 15,
    "right_hip": 24,
    "left_heel": 29,
    "right_big_toe": 32,
}
"""Some of MediaPipe's landmarks, from its own list."""


def landmarks(body, seed=0):
    shares = body(33, seed) / [640, 480, 1]
    return [{"x": x, "y": y, "z": 0.1, "visibility": score} for x, y, score in shares.tolist()]


LAYOUTS = {
    "bare": lambda person: person,
    "landmarks of the web": lambda person: {"landmarks": [person], "worldLandmarks": [person]},
    "legacy": lambda person: {"pose_landmarks": {"landmark": person}},
    "camel case": lambda person: {"poseLandmarks": person},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_frames_as_results_become_json(write, body, layout):
    frames = [LAYOUTS[layout](landmarks(body, seed)) for seed in range(3)]
    frames.insert(1, None)
    file = read_keypoints(write("pose.json", frames))
    assert (file.format, file.skeleton, sorted(file.frames)) == ("mediapipe", COCO_WHOLEBODY23, [0, 1, 2, 3])
    assert [len(there) for there in file.frames.values()] == [1, 0, 1, 1]
    found = file.detections(file.fit((640, 480)))[3]
    for joint, landmark in NAMES.items():
        at = COCO_WHOLEBODY23.index(joint)
        np.testing.assert_allclose(found.keypoints[0, at], body(33, 2)[landmark, :2])
        assert found.scores[0, at] == pytest.approx(body(33, 2)[landmark, 2])
    assert np.isnan(found.keypoints[0, COCO_WHOLEBODY23.index("left_small_toe")]).all()


def test_its_numbers_and_times(write, body):
    frames = [{"frame": 4, "timestamp_ms": 160, "landmarks": landmarks(body)}]
    frames.append({"frame": 2, "timestamp_ms": 80, "landmarks": landmarks(body)})
    file = read_keypoints(write("pose.json", {"fps": 25, "frames": frames}))
    assert file.timestamps == {4: 0.16, 2: 0.08}
    clip = KeypointClip(file, image_size=(640, 480))
    assert [time for _, time in clip.people()] == [0.08, 0.16]


def test_broken_files(write, body):
    person = landmarks(body)
    with pytest.raises(InputError, match="two frames have the number 1"):
        read_keypoints(write("a.json", [{"frame": 1, "landmarks": person}, {"frame": 1, "landmarks": person}]))
    with pytest.raises(InputError, match="'frame' is 'x'"):
        read_keypoints(write("b.json", [{"frame": "x", "landmarks": person}]))
    with pytest.raises(InputError, match="landmarks in frame 0: missing, or not a list of numbers"):
        read_keypoints(write("c.json", [[{**person[0], "x": "left"}, *person[1:]]]))
    for damaged in (person[:-1], [*person, person[0]], [None, *person[1:]]):
        with pytest.raises(InputError, match="frame 1 has no 33 landmarks with x and y; write it again, or null"):
            read_keypoints(write("e.json", [person, {"landmarks": [damaged]}]))
    with pytest.raises(InputError, match="frame 1 is 'x'; give landmarks, or null for nobody"):
        read_keypoints(write("f.json", [person, "x"]))
    with pytest.raises(InputError, match="leave --keypoint-set out"):
        read_keypoints(write("d.json", [person]), COCO17)
