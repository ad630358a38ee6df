import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.keypoints import read_keypoints
from poselift.skeleton import COCO17, H36M17


def objects(frames):
    array = np.empty((len(frames), 2), object)
    for index, people in enumerate(frames):
        array[index, 0], array[index, 1] = [], people
    return array


def detectron(points, logits=0.0, score=0.8):
    """Rows x, y, logit, probability of one person, and the box."""
    rows = np.stack([points[:, 0], points[:, 1], np.full(17, logits), points[:, 2] / 10])
    return rows[None].astype(np.float32), np.array([[1, 2, 3, 4, score]], np.float32)


def save(path, frames, **metadata):
    keypoints, boxes = objects([f[0] for f in frames]), objects([f[1] for f in frames])
    np.savez(path, boxes=boxes, segments=[None] * len(frames), keypoints=keypoints, metadata=metadata)
    return path


def test_what_detectron2_found(tmp_path, body):
    points = body()
    path = save(tmp_path / "clip.mp4.npz", [detectron(points), ([], []), detectron(points)], w=640, h=480)
    file = read_keypoints(path)
    assert (file.format, file.skeleton, file.image_size, file.people) == ("videopose3d", COCO17, (640, 480), None)
    assert [len(file.frames[number]) for number in (0, 1, 2)] == [1, 0, 1]
    (observation,) = file.frames[2]
    np.testing.assert_allclose(observation.points, points[:, :2], rtol=1e-6)
    np.testing.assert_allclose(observation.scores, points[:, 2] / 10 * 4, rtol=1e-6)
    np.testing.assert_array_equal(observation.box, [1, 2, 3, 4])
    assert observation.box_score == pytest.approx(0.8)


def test_where_detectron2_draws_a_joint_it_is_used(tmp_path, body):
    """From 0.05 on, as against the 0.2 from which on joints are used here."""
    points = body()
    points[:2, 2] = 0.49, 0.51
    scores = read_keypoints(save(tmp_path / "a.npz", [detectron(points)])).frames[0][0].scores
    assert scores[0] < 0.2 < scores[1]


def test_the_first_detectron_goes_by_its_logits(tmp_path, body):
    path = save(tmp_path / "a.npz", [detectron(body(), 1.9), detectron(body(), 2.1)])
    frames = read_keypoints(path).frames
    assert frames[0] == []
    assert (frames[1][0].scores == 1).all()


@pytest.mark.parametrize(("layout", "skeleton"), [("coco", COCO17), ("h36m", H36M17)])
def test_a_custom_data_set(tmp_path, body, layout, skeleton):
    points = np.stack([body(seed=seed)[:, :2] for seed in range(3)]).astype(np.float32)
    points[1, 4] = np.nan
    metadata = {"layout_name": layout, "num_joints": 17, "video_metadata": {"clip.mp4": {"w": 640, "h": 480}}}
    path = tmp_path / "data_2d_custom_x.npz"
    np.savez(path, positions_2d={"clip.mp4": {"custom": [points]}}, metadata=metadata)
    file = read_keypoints(path)
    assert (file.skeleton, file.image_size, file.people) == (skeleton, (640, 480), {"1": 1})
    np.testing.assert_array_equal(file.frames[2][0].points, points[2])
    assert file.frames[1][0].seen.tolist() == [joint != 4 for joint in range(17)]


def test_broken_files(tmp_path, body):
    keypoints, boxes = detectron(body())
    with pytest.raises(InputError, match=r"'keypoints' has the shape \(1, 3, 17\) in frame 0"):
        read_keypoints(save(tmp_path / "rows.npz", [(keypoints[:, :3], boxes)]))
    with pytest.raises(InputError, match="frame 0: 1 people in 'keypoints', 0 in 'boxes'"):
        read_keypoints(save(tmp_path / "boxes.npz", [(keypoints, [])]))
    np.savez(tmp_path / "key.npz", boxes=objects([boxes]), keypoints=objects([keypoints]))
    with pytest.raises(InputError, match="no array 'metadata'"):
        read_keypoints(tmp_path / "key.npz")
    np.savez(tmp_path / "shape.npz", positions_2d={"a": {"custom": [np.zeros((3, 17))]}}, metadata={})
    with pytest.raises(InputError, match=r"'positions_2d' has the shape \(3, 17\)"):
        read_keypoints(tmp_path / "shape.npz")
