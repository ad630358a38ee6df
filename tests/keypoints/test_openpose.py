import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import read_keypoints
from poselift.skeleton import BODY25, BODY25B, COCO17, COCO18, HALPE26
from tests.keypoints.test_which_skeleton import walking


def person(points, number=-1):
    return {"person_id": [number], "pose_keypoints_2d": np.ravel(points).tolist(), "face_keypoints_2d": []}


def write_folder(write, frames, name="clip_{:012d}_keypoints.json"):
    for number, people in frames.items():
        path = write("json/" + name.format(number), {"version": 1.3, "people": people})
    return path.parent


@pytest.mark.parametrize(("joints", "skeleton"), [(18, COCO18), (26, HALPE26)])
def test_points_and_scores_are_those_of_the_file(write, body, joints, skeleton):
    first, second = body(joints, 1), body(joints, 2)
    file = read_keypoints(write_folder(write, {0: [person(first), person(second)], 1: [], 2: [person(second)]}))
    assert (file.format, file.skeleton, sorted(file.frames)) == ("openpose", skeleton, [0, 1, 2])
    assert [len(file.frames[number]) for number in (0, 1, 2)] == [2, 0, 1]
    np.testing.assert_array_equal(file.frames[0][1].points, second[:, :2])
    np.testing.assert_array_equal(file.frames[0][0].scores, first[:, 2])
    assert file.people is None, "-1 is nobody in particular"


@pytest.mark.parametrize("number", [7, [7]])
def test_a_person_has_the_number_of_older_and_newer_versions(write, body, number):
    file = read_keypoints(write_folder(write, {0: [person(body(18)) | {"person_id": number}]}))
    assert file.people == {"7": 7}


def test_zeros_are_a_joint_that_was_not_found(write, body):
    points = body(18)
    points[4] = 0
    file = read_keypoints(write_folder(write, {0: [person(points)]}))
    found = file.detections(file.fit((640, 480)))[0]
    assert np.isnan(found.keypoints[0, 4]).all()
    assert found.scores[0, 4] == 0
    assert np.isfinite(np.delete(found.keypoints[0], 4, 0)).all()
    np.testing.assert_allclose(found.boxes[0, :2], np.delete(points, 4, 0)[:, :2].min(0))


def test_the_users_word_goes_before(write):
    folder = write_folder(write, {0: [person(walking(BODY25, 0)[0])]})
    assert read_keypoints(folder, BODY25B).skeleton == BODY25B
    with pytest.raises(InputError, match="25 joints, but coco17 has 17"):
        read_keypoints(folder, COCO17)


def test_a_scale_of_0_to_1_is_brought_to_pixels(write, body):
    points = body(25)
    normal = points.copy()
    normal[:, :2] = points[:, :2] / (639, 479)
    file = read_keypoints(write_folder(write, {0: [person(normal)]}))
    np.testing.assert_allclose(file.detections(file.fit((640, 480)))[0].keypoints[0], points[:, :2])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"people": {}}, "clip_0_keypoints.json: it has no list 'people'"),
        ({"people": [{"pose_keypoints_2d": [1, 2, 3, 4]}]}, "'pose_keypoints_2d': not a list of x, y, score"),
        ({"people": [{"pose_keypoints_2d": [1.0] * 66}]}, "people of 22 joints are unknown.*--keypoint-set"),
    ],
)
def test_broken_files(write, content, message):
    folder = write("json/clip_0_keypoints.json", content).parent
    with pytest.raises(InputError, match=message):
        read_keypoints(folder)


def test_files_that_do_not_belong_together(write, body):
    folder = write_folder(write, {0: [person(body(18))], 1: [person(body(25))]})
    with pytest.raises(InputError, match="different skeletons, coco18 and body25"):
        read_keypoints(folder)
    write("json/readme.json", {"people": []})
    with pytest.raises(InputError, match=r"the file 'readme\.json' has no number; name it by its frame number"):
        read_keypoints(folder)


def test_dwposes_list_of_frames_has_the_size_of_its_canvas(write, body):
    def frame(*people):
        return {"people": list(people), "canvas_width": 640, "canvas_height": 480}

    hands = {"pose_keypoints_2d": None, "hand_left_keypoints_2d": [1.0, 2.0, 1.0]}
    frames = [frame(person(body(18))), frame(hands), frame(person(body(18, 1)), person(body(18, 2)))]
    file = read_keypoints(write("dwpose.json", frames))
    assert (file.format, file.skeleton, file.image_size) == ("openpose", COCO18, (640, 480))
    assert [len(there) for there in file.frames.values()] == [1, 0, 2]
    np.testing.assert_array_equal(file.frames[2][1].points, body(18, 2)[:, :2])
    each = [write(f"each/pose_{number:05d}.json", [one]) for number, one in enumerate(frames, start=1)]
    assert sorted(read_keypoints(each[0].parent).frames) == [1, 2, 3], "a folder with a list of one each"
    with pytest.raises(InputError, match="its frames have 2 sizes of the canvas"):
        read_keypoints(write("mixed.json", [*frames, {**frame(), "canvas_width": 64}]))
    with pytest.raises(InputError, match=r"a\.json, frame 1: it has no list 'people'"):
        read_keypoints(write("a.json", [frames[0], {}]))
