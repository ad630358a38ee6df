import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import read_keypoints
from poselift.skeleton import COCO17, COCO_WHOLEBODY23, HALPE26


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
    assert np.isnan(file.detections(file.fit((640, 480)))[4].keypoints[0, 3]).all()


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


def test_numbers_of_posetrack_begin_with_the_video(write, body):
    images = [{"id": 10**10 + n, "frame_id": 10**10 + n, "file_name": f"val/000342_x/{n:06d}.jpg"} for n in (8, 9)]
    people = [{"image_id": image["id"], "keypoints": (body() * [1, 1, 2]).ravel().tolist()} for image in images]
    assert list(read_keypoints(write("labels.json", labels(people, images))).frames) == [8, 9]


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


@pytest.mark.parametrize("more", [["left_elbow_1", "right_lip"], ["LKneeM", "LKneeL"], ["head", "head_top"]])
def test_other_markers_beside_joints_are_left_out(write, more):
    names = [*COCO17.joints[:15], *more]
    skeleton = read_keypoints(write("labels.json", labels([PERSON], names=names))).skeleton
    assert skeleton.joints[:15] == COCO17.joints[:15]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (labels([], [{"file_name": "1.jpg"}]), "'images' has a picture without 'id'"),
        (labels([{**PERSON, "keypoints": [1.0] * 50}]), "'keypoints' of person 0, image 70: not a list of x, y"),
        (labels([PERSON], names=[f"p{n}" for n in range(17)]), "are not those of a person"),
        (labels([PERSON], names=[*COCO17.joints[:16], "LKnee"]), "it names the joint 'left_knee' twice"),
        (labels([PERSON], names=[*COCO17.joints[:16], "right_ankel"]), "'right_ankel'; did you mean 'right_ankle'"),
        (labels([{**PERSON, "track_id": [1, 2]}]), r"'track_id' of person 0 is \[1, 2\]; give each person a whole"),
        (
            labels([PERSON], [{"id": 70 + n, "file_name": f"{name}.jpg"} for n, name in enumerate(("a1f", "b2c"))]),
            "which number in the file_name is the frame's",
        ),
    ],
)
def test_broken_files(write, content, message):
    path = write("labels.json", content)
    with pytest.raises(InputError, match=message):
        read_keypoints(path)


def test_frames_are_in_the_order_of_the_number_that_runs_on(write, body):
    """As Roboflow names pictures: a hash comes last."""
    names = {3: "9a1f77", 1: "2b0c13", 2: "e4d2"}
    images = [{"id": n, "file_name": f"walk_mp4-{n:04d}_jpg.rf.{code}.jpg"} for n, code in names.items()]
    people = [{"image_id": n, "keypoints": (body(17, n) * [1, 1, 2]).ravel().tolist()} for n in names]
    file = read_keypoints(write("labels.json", labels(people, images)))
    assert sorted(file.frames) == [1, 2, 3]
    for n in names:
        np.testing.assert_array_equal(file.frames[n][0].points, body(17, n)[:, :2])


def test_pictures_without_names_are_in_the_order_of_the_list(write, body):
    people = [{"image_id": 9, "keypoints": body().ravel().tolist()}]
    file = read_keypoints(write("labels.json", labels(people, [{"id": 12}, {"id": 9}])))
    assert [len(file.frames[number]) for number in (0, 1)] == [0, 1]


def test_names_are_those_of_the_persons_category(write, body):
    order = np.random.default_rng(0).permutation(17)
    names = [COCO17.joints[joint] for joint in order]
    points = body() * [1, 1, 0] + [0, 0, 2]
    person = {"image_id": 70, "category_id": 1, "keypoints": points[order].ravel().tolist()}
    content = labels([person, {"image_id": 70, "category_id": 0, "bbox": [1, 2, 3, 4]}])
    content["categories"] = [{"id": 0, "name": "people"}, {"id": 1, "name": "person", "keypoints": names}]
    file = read_keypoints(write("labels.json", content))
    assert (file.skeleton, len(file.frames[4])) == (COCO17, 1)
    np.testing.assert_array_equal(file.frames[4][0].points, points[:, :2])


def test_feet_of_coco_wholebody(write, body):
    points, feet = body(17) * [1, 1, 0] + [0, 0, 2], body(6, 1) * [1, 1, 0] + [0, 0, 1]
    person = {"image_id": 70, "keypoints": points.ravel().tolist(), "foot_kpts": feet.ravel().tolist()}
    file = read_keypoints(write("labels.json", labels([{**person, "face_kpts": [0] * 204}])))
    assert file.skeleton == COCO_WHOLEBODY23
    np.testing.assert_array_equal(file.frames[4][0].points, np.concatenate([points, feet])[:, :2])


def test_results_may_name_their_pictures(write, body):
    content = [{"image_id": 5, "keypoints": body().ravel().tolist()}]
    for name in ("walk_0007_a3f.jpg", "walk_0009_7bc.jpg"):
        content.append({"image_id": name, "keypoints": body().ravel().tolist()})
    assert sorted(read_keypoints(write("results.json", content)).frames) == [5, 7, 9]
