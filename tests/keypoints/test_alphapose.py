import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import read_keypoints
from poselift.skeleton import COCO17, COCO18, COCO_WHOLEBODY23, HALPE26


def entry(picture, points, **more):
    return {"image_id": picture, "category_id": 1, "keypoints": np.ravel(points).tolist(), "score": 2.9, **more}


@pytest.mark.parametrize(("joints", "skeleton"), [(17, COCO17), (26, HALPE26), (136, HALPE26), (133, COCO_WHOLEBODY23)])
def test_points_and_scores_are_those_of_the_file(write, body, joints, skeleton):
    first, second = body(joints, 1), body(joints, 2)
    content = [
        entry("0.jpg", first, box=[10, 20, 30, 40], idx=0),
        entry("10.jpg", second, idx=0),
        entry("2.jpg", second),
    ]
    file = read_keypoints(write("alphapose-results.json", content))
    assert (file.format, file.skeleton, sorted(file.frames)) == ("alphapose", skeleton, [0, 2, 10])
    np.testing.assert_array_equal(file.frames[0][0].points, first[: len(skeleton), :2])
    np.testing.assert_array_equal(file.frames[10][0].scores, second[: len(skeleton), 2])
    assert file.people is None, "0 is everybody where nobody was followed"
    found = file.detections((640, 480))[0]
    np.testing.assert_array_equal(found.boxes[0], [10, 20, 40, 60])
    assert found.box_scores[0] == 1


@pytest.mark.parametrize(("list_", "key"), [("people", "pose_keypoints_2d"), ("bodies", "joints")])
def test_its_open_and_cmu_formats(write, body, list_, key):
    points = body(18)
    content = {"3.jpg": {"version": "AlphaPose v0.3", list_: [{key: points.ravel().tolist()}]}}
    file = read_keypoints(write("a.json", content))
    assert (file.format, file.skeleton) == ("alphapose", COCO18)
    np.testing.assert_array_equal(file.frames[3][0].points, points[:, :2])
    content["3.jpg"] = dict.fromkeys(("people", "bodies")) | content["3.jpg"]
    assert list(read_keypoints(write("b.json", content)).frames) == [3]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[{"image_id": "0.jpg", "keypoi', r"a\.json cannot be read as JSON"),
        ([{"image_id": "0.jpg", "keypoints": [1, 2]}], "'keypoints' of 0.jpg: not a list of x, y, score"),
        ('[{"image_id": "0.jpg", "keypoints": [NaN, 1, 1]}]', "'keypoints' of 0.jpg: has NaN"),
        ([{"image_id": "cover.jpg", "keypoints": [1, 2, 3]}], "'cover.jpg' has no number"),
        ([{"image_id": "0.jpg", "keypoints": [1.0] * n} for n in (51, 78)], "different skeletons, coco17 and halpe26"),
    ],
)
def test_broken_files(write, content, message):
    with pytest.raises(InputError, match=message):
        read_keypoints(write("a.json", content))
