import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import read_keypoints
from poselift.skeleton import COCO17, HALPE26


def instance(points, **more):
    return {"keypoints": points[:, :2].tolist(), "keypoint_scores": points[:, 2].tolist(), **more}


def test_a_video_of_the_inferencer(write, body):
    first, second = body(26, 1), body(26, 2)
    content = [
        {"frame_id": 0, "instances": [instance(first, bbox=[[1, 2, 3, 4]], bbox_score=0.8)]},
        {"frame_id": 1, "instances": []},
        {"frame_id": 2, "instances": [instance(second, bbox=[[1, 2, 3, 4]], bbox_score=[0.7])]},
    ]
    file = read_keypoints(write("clip.json", content))
    assert (file.format, file.skeleton, file.people) == ("mmpose", HALPE26, None)
    assert {number: len(observations) for number, observations in file.frames.items()} == {0: 1, 1: 0, 2: 1}
    np.testing.assert_array_equal(file.frames[2][0].points, second[:, :2])
    np.testing.assert_array_equal(file.frames[0][0].scores, first[:, 2])
    np.testing.assert_array_equal(file.frames[0][0].box, [1, 2, 3, 4])
    assert [file.frames[number][0].box_score for number in (0, 2)] == [0.8, 0.7]


def test_a_demo_counts_from_1_and_names_the_joints(write, body):
    points = body()
    order = np.random.default_rng(0).permutation(17)
    names = {str(place): COCO17.joints[joint] for place, joint in enumerate(order)}
    content = {
        "meta_info": {"dataset_name": "coco", "keypoint_id2name": names},
        "instance_info": [{"frame_id": 1, "instances": [instance(points[order], track_id=4)]}],
    }
    file = read_keypoints(write("results_clip.json", content))
    assert (file.skeleton, list(file.frames), file.people) == (COCO17, [0], {"4": 4})
    np.testing.assert_array_equal(file.frames[0][0].points, points[:, :2])
    np.testing.assert_array_equal(file.frames[0][0].scores, points[:, 2])


def test_one_file_a_picture(write, body):
    write("out/img_0003.json", [instance(body())])
    folder = write("out/img_0002.json", []).parent
    file = read_keypoints(folder)
    assert {number: len(observations) for number, observations in file.frames.items()} == {2: 0, 3: 1}
    one = read_keypoints(folder / "img_0003.json")
    np.testing.assert_array_equal(one.frames[0][0].points, body()[:, :2])


GOOD = {"keypoints": [[1.0, 2.0]] * 17, "keypoint_scores": [0.5] * 17}
MORE = {"keypoints": [[1.0, 2.0]] * 25, "keypoint_scores": [0.5] * 25}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([{"frame_id": 0, "instances": [GOOD]}, {"frame_id": 1}], "frame 1 has no list 'instances'"),
        ([{"frame_id": 0, "instances": [{**GOOD, "keypoint_scores": [1]}]}], "'keypoint_scores' one for each"),
        ([{"frame_id": 0, "instances": [{**GOOD, "keypoints": [[1, 2, 3]] * 17}]}], "'keypoints' must be pairs"),
        ([{"frame_id": 0, "instances": [GOOD, MORE]}], "different skeletons, coco17 and body25"),
    ],
)
def test_broken_files(write, content, message):
    with pytest.raises(InputError, match=message):
        read_keypoints(write("clip.json", content))
