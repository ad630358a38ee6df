import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import read_keypoints
from poselift.skeleton import COCO17, HALPE26


def labels(people, images=None, names=COCO17.joints):
    images = images or [{"id": 70, "file_name": "v/frame_0004.jpg", "width": 640, "height": 480}]
    category = {"id": 1, "name": "person", **({"keypoints": list(names)} if names else {})}
    return {"images": images, "annotations": people, "categories": [category]}


def test_flags_say_what_was_labelled(write, body):
    points = body()
    points[:, 2] = 2
    points[3], points[5, 2] = 0, 1
    person = {"image_id": 70, "keypoints": points.ravel().tolist(), "bbox": [1, 2, 3, 4], "track_id": 8}
    file = read_keypoints(write("labels.json", labels([person])))
    assert (file.format, file.skeleton, file.image_size, file.people) == ("coco", COCO17, (640, 480), {"8": 8})
    (observation,) = file.frames[4]
    np.testing.assert_array_equal(observation.points, points[:, :2])
    np.testing.assert_array_equal(observation.scores, [0 if joint == 3 else 1 for joint in range(17)])
    np.testing.assert_array_equal(observation.box, [1, 2, 4, 6])
    assert np.isnan(file.detections((640, 480))[4].keypoints[0, 3]).all()


def test_joints_are_told_by_their_names(write, body):
    points = body(26)
    points[:, 2] = 2
    turned = HALPE26.joints[::-1]
    person = {"image_id": 70, "keypoints": points[::-1].ravel().tolist()}
    file = read_keypoints(write("labels.json", labels([person], names=turned)))
    assert file.skeleton == HALPE26
    np.testing.assert_array_equal(file.frames[4][0].points, points[:, :2])


def test_pictures_without_people_are_frames_too(write, body):
    images = [{"id": number, "file_name": f"{number}.png", "frame_id": number - 100} for number in (100, 101, 102)]
    person = {"image_id": 101, "keypoints": np.where(body() > 0, body(), 0).ravel().tolist()}
    unlabelled = {"image_id": 102, "keypoints": [0] * 51}
    file = read_keypoints(write("labels.json", labels([person, unlabelled], images)))
    assert {number: len(observations) for number, observations in file.frames.items()} == {0: 0, 1: 1, 2: 0}
    assert file.image_size is None


def test_results_have_scores(write, body):
    points = body()
    points[7, 2] = 0
    content = [
        {"image_id": 5, "category_id": 1, "keypoints": points.ravel().tolist(), "score": 0.7},
        {"image_id": 6, "category_id": 1, "keypoints": body(17, 3).ravel().tolist(), "score": 0.8},
    ]
    file = read_keypoints(write("results.json", content))
    assert sorted(file.frames) == [5, 6]
    np.testing.assert_array_equal(file.frames[5][0].scores, points[:, 2])
    assert (file.frames[6][0].box_score, file.people) == (0.8, None)
    assert not file.frames[5][0].seen[7]


PERSON = {"image_id": 70, "keypoints": [1.0] * 51}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"images": [], "annotations": [', "cannot be read as JSON"),
        (labels([], [{"file_name": "1.jpg"}]), "'images' has a picture without 'id'"),
        (labels([{"image_id": 71, "keypoints": [1.0] * 51}]), "person 0 has no 'image_id', or that of no picture"),
        (labels([{**PERSON, "keypoints": [1.0] * 50}]), "'keypoints' of person 0, image 70: not a list of x, y"),
        ('[{"image_id": 1, "keypoints": [1, Infinity, 1]}]', "'keypoints' of person 0, image 1: has NaN or inf"),
        (labels([PERSON], names=[f"p{n}" for n in range(17)]), "are not those of a person"),
        (labels([]), "nobody has 'keypoints'"),
        (labels([PERSON], [{"id": 70, "width": "w", "height": 9}]), "'images' has a 'width' or 'height'"),
    ],
)
def test_broken_files(write, content, message):
    path = write("labels.json", content)
    if message is None:  # names that are not as many as the joints are not asked
        assert read_keypoints(path).skeleton == COCO17
        return
    with pytest.raises(InputError, match=message):
        read_keypoints(path)
