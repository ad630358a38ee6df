import json

import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import read_keypoints
from poselift.skeleton import BODY25, COCO17
from tests.core.unfinished import leave_unfinished
from tests.keypoints.writers import Person, poselift_npz


@pytest.fixture
def clip(body):
    """Two people, the second in the last two of three frames."""
    first, second = (body(17, seed) for seed in (1, 2))
    one, two = Person(first[:, :2], first[:, 2], 3), Person(second[:, :2], second[:, 2], 7)
    one.points[4], one.scores[4] = np.nan, 0
    return [[one], [one, two], [one, two]]


def test_a_folder_of_people(tmp_path, clip):
    file = read_keypoints(poselift_npz(tmp_path / "out", clip, COCO17, (640, 480), 25.0))
    assert (file.format, file.skeleton, file.image_size) == ("poselift", COCO17, (640, 480))
    assert (file.people, file.timestamps) == ({"3": 3, "7": 7}, {0: 0.0, 1: 0.04, 2: 0.08})
    assert [len(file.frames[number]) for number in (0, 1, 2)] == [1, 2, 2]
    one, two = file.frames[1]
    np.testing.assert_array_equal(two.points, clip[1][1].points.astype(np.float32))
    np.testing.assert_array_equal(one.scores, clip[1][0].scores.astype(np.float32))
    assert not one.seen[4]


def test_a_smoothed_motion_or_exported_files_beside_it_are_nobody_else(tmp_path, clip):
    folder = poselift_npz(tmp_path / "out", clip, COCO17, (640, 480), 25.0)
    (folder / "person_3.trc").write_text("PathFileType\t4\t(X/Y/Z)\tperson_3.trc\n")
    for suffix in ("npz", "json"):
        (folder / f"person_3_smooth.{suffix}").write_bytes((folder / f"person_3.{suffix}").read_bytes())
    assert read_keypoints(folder).people == {"3": 3, "7": 7}
    assert read_keypoints(folder / "person_3_smooth.npz").people == {"3": 3}


def test_a_result_of_several_videos_is_ours(tmp_path, clip):
    folder = poselift_npz(tmp_path / "out", clip, COCO17, (640, 480), 25.0)
    # Its report has a key of OpenPose's frames.
    (folder / "calibration.json").write_text(json.dumps({"people": [{"video": "left", "numbers": {"3": [1]}}]}))
    assert (read_keypoints(folder).format, read_keypoints(folder).people) == ("poselift", {"3": 3, "7": 7})


def test_files_that_do_not_belong_together(tmp_path, clip):
    folder = poselift_npz(tmp_path / "out", clip, COCO17, (640, 480), 25.0)
    with pytest.raises(InputError, match="its JSON names the skeleton coco17"):
        read_keypoints(folder, BODY25)
    right = json.loads((folder / "person_7.json").read_text())
    for wrong in ({"person": 3}, {"keypoints": {**right["keypoints"], "image_size": [1, 1]}}):
        (folder / "person_7.json").write_text(json.dumps({**right, **wrong}))
        with pytest.raises(InputError, match=r"person_7\.npz has the person, skeleton or picture size of another"):
            read_keypoints(folder)
    (folder / "person_7.json").unlink()
    with pytest.raises(InputError, match=r"no such file: .*person_7\.json"):
        read_keypoints(folder)


def test_files_on_their_way_to_their_places(tmp_path, clip):
    folder = poselift_npz(tmp_path / "out", clip, COCO17, (640, 480), 25.0)
    leave_unfinished(folder, "person_7.json", moved=["person_3.npz"])
    assert read_keypoints(folder).people == {"3": 3, "7": 7}
    for person in ("3", "7"):
        assert read_keypoints(folder / f"person_{person}.npz").people == {person: int(person)}
