import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import read_keypoints
from poselift.skeleton import COCO17, COCO18, HALPE26


def entry(picture, points, **more):
    return {"image_id": picture, "category_id": 1, "keypoints": np.ravel(points).tolist(), "score": 2.9, **more}


@pytest.mark.parametrize(("joints", "skeleton"), [(26, HALPE26), (136, HALPE26)])
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
    found = file.detections(file.fit((640, 480)))[0]
    np.testing.assert_array_equal(found.boxes[0], [10, 20, 40, 60])
    assert found.box_scores[0] == 1
    for named in (skeleton, None):
        assert read_keypoints(write("again.json", content), named).skeleton == skeleton


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
        ([{"image_id": "0.jpg", "keypoints": [1, 2]}], "'keypoints' of 0.jpg: not a list of x, y, score"),
        ([{"image_id": "0.jpg", "keypoints": [1.0] * n} for n in (51, 78)], "different skeletons, coco17 and halpe26"),
        ({"0.jpg": {"people": []}, "1.jpg": 3}, "1.jpg has no list 'people' or 'bodies'; write the file again"),
    ],
)
def test_broken_files(write, content, message):
    with pytest.raises(InputError, match=message):
        read_keypoints(write("a.json", content))


def test_poseflows_tracked_file(write, body):
    first, second = body(seed=1), body(seed=2)
    content = {
        "0.jpg": [{"keypoints": first.ravel().tolist(), "scores": 2.8, "idx": 4}],
        "1.jpg": [],
        "2.jpg": [{"keypoints": second.ravel().tolist(), "scores": 2.8, "idx": 4}],
    }
    file = read_keypoints(write("alphapose-results-forvis-tracked.json", content))
    assert (file.format, file.skeleton, file.people, sorted(file.frames)) == ("alphapose", COCO17, {"4": 4}, [0, 2])
    np.testing.assert_array_equal(file.frames[2][0].points, second[:, :2])
    assert file.frames[0][0].box_score == 2.8
    with pytest.raises(InputError, match=r"'keypoints' of 0\.jpg: missing"):
        read_keypoints(write("b.json", {"0.jpg": [{"keypoints": None, "idx": 1}]}))


def test_all_scores_0_are_told(write, body):
    points = body() * [1, 1, 0]
    with pytest.raises(InputError, match=r"a\.json: all scores are 0, so no joint counts as detected"):
        read_keypoints(write("a.json", [entry("0.jpg", points), entry("1.jpg", points)]))
    file = read_keypoints(write("b.json", [entry("0.jpg", points), entry("1.jpg", body())]))
    assert [len(file.frames[number]) for number in (0, 1)] == [0, 1]
