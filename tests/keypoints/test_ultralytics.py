import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import read_keypoints
from poselift.skeleton import COCO17


def person(points, **more):
    x, y, scores = points.T.tolist()
    box = dict(zip(("x1", "y1", "x2", "y2"), (1.0, 2.0, 3.0, 4.0), strict=True))
    return {"name": "person", "class": 0, "confidence": 0.8, "box": box, **more} | {
        "keypoints": {"x": x, "y": y, "visible": scores}
    }


def test_a_folder_with_a_file_per_frame(write, body):
    write("json/frame_00000.json", [])
    for number in (1, 2):
        path = write(f"json/frame_{number:05d}.json", [person(body(seed=number), track_id=7)])
    file = read_keypoints(path.parent)
    assert (file.format, file.skeleton, file.people, sorted(file.frames)) == (
        "ultralytics",
        COCO17,
        {"7": 7},
        [0, 1, 2],
    )
    (observation,) = file.frames[2]
    np.testing.assert_array_equal(observation.points, body(seed=2)[:, :2])
    np.testing.assert_array_equal(observation.scores, body(seed=2)[:, 2])
    np.testing.assert_array_equal(observation.box, [1, 2, 3, 4])
    assert (observation.box_score, file.frames[0], file.normalised) == (0.8, [], False)


def test_a_list_of_frames_and_a_single_one(write, body):
    file = read_keypoints(write("all.json", [[], [person(body())], [person(body(seed=1)), person(body(seed=2))]]))
    assert {number: len(there) for number, there in file.frames.items()} == {0: 0, 1: 1, 2: 2}
    assert file.people is None
    assert len(read_keypoints(write("one.json", [person(body())])).frames[0]) == 1


def test_a_joint_at_the_origin_was_not_found(write, body):
    points = body()
    points[4, :2] = 0
    (found,) = read_keypoints(write("one.json", [person(points)])).frames[0]
    assert found.seen.tolist() == [joint != 4 for joint in range(17)]


def test_shares_of_the_picture_become_pixels(write, body):
    points = body()
    shares = points / [640, 480, 1]
    file = read_keypoints(write("one.json", [person(shares)]))
    np.testing.assert_allclose(file.detections(file.fit((640, 480)))[0].keypoints[0], points[:, :2])


@pytest.mark.parametrize("more", ["", " 0.75", " 0.75 3", " 3"], ids=["plain", "score", "score and track", "track"])
def test_text_files(write, body, more):
    points = body()
    shares = points / [640, 480, 1]
    for number in (2, 1, 4):
        line = f"0 0.5 0.5 0.1 0.2 {' '.join(f'{value:.9f}' for value in shares.ravel())}{more}"
        path = write(f"labels/clip_{number}.txt", line + "\n")
    file = read_keypoints(path.parent)
    assert (file.format, file.skeleton, sorted(file.frames)) == ("ultralytics", COCO17, [1, 2, 4])
    found = file.detections(file.fit((640, 480)))[4]
    np.testing.assert_allclose(found.keypoints[0], points[:, :2], atol=1e-5)
    assert found.box_scores[0] == pytest.approx(0.75 if "0.75" in more else points[:, 2].mean())
    assert file.people == ({"3": 3} if more.endswith("3") else None)


def test_people_of_26_and_136_joints_are_halpe(write, body):
    frames = [[person(body(26), track_id=7.0)], [person(body(136), track_id=7)], [person(body(136), track_id=None)]]
    file = read_keypoints(write("all.json", frames))
    assert [there[0].person for there in file.frames.values()] == ["7", "7", None]
    assert [len(there[0].points) == len(file.skeleton) for there in file.frames.values()] == [True] * 3


GOOD = {"keypoints": {"x": [1.0] * 17, "y": [2.0] * 17}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([GOOD, {"name": "person"}], "frame 0 has an entry without 'keypoints'; write the file with a model for poses"),
        ([{"keypoints": {"x": [1, 2], "y": [1]}}], "'x', 'y' and 'visible' differ in length"),
        ([[GOOD], [{"keypoints": {"x": [1.0] * 5, "y": [1.0] * 5}}]], "people of 5 joints are unknown"),
        ([{"keypoints": {"x": [], "y": []}}], "people of 0 joints are unknown"),
        ([{**GOOD, "track_id": 1.5}], "'track_id' in frame 0 is 1.5; give each person a whole number, or a name"),
    ],
)
def test_broken_files(write, content, message):
    with pytest.raises(InputError, match=message):
        read_keypoints(write("a.json", content))


@pytest.mark.parametrize("line", ["0 0.5 0.5 0.1 0.2 0.1", "0 nan 0.5 0.1 0.2" + " 0.5" * 51])
def test_broken_text(write, line):
    good = "0 0.5 0.5 0.1 0.2" + " 0.5" * 51
    write("labels/clip_1.txt", good)
    folder = write("labels/clip_2.txt", f"{good}\n{line}\n").parent
    with pytest.raises(InputError, match=r"clip_2\.txt, line 2: .*; write the file again"):
        read_keypoints(folder)
