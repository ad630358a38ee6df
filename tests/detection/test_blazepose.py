import numpy as np
import pytest

from poselift.core.errors import InputError
from poselift.core.registry import RegistryEntry
from poselift.detection import MoveNet
from poselift.detection.blazepose import BlazePose, place
from poselift.samples import demo_video
from poselift.skeleton import COCO17, COCO_WHOLEBODY23
from poselift.video import VideoReader


@pytest.fixture(scope="module")
def frame():
    return next(iter(VideoReader(demo_video()))).image


@pytest.fixture(scope="module")
def people(frame):
    return MoveNet("cpu").detect([frame])[0]


@pytest.fixture(scope="module")
def blazepose():
    return BlazePose("cpu")


@pytest.mark.slow
def test_it_sees_the_joints_that_movenet_sees_and_feet_below_the_ankles(blazepose, frame, people):
    assert len(people) == 2
    for points, scores in zip(people.keypoints, people.scores, strict=True):
        found = blazepose.look_at(frame, points, scores)
        assert found.box_scores[0] > 0.9
        size = np.ptp(points, axis=0).max()
        apart = np.linalg.norm(found.keypoints[0, : len(COCO17)] - points, axis=-1) / size
        assert np.median(apart) < 0.04
        joints = dict(zip(COCO_WHOLEBODY23.joints, found.keypoints[0], strict=True))
        for side in ("left", "right"):
            ankle, heel, toe = (joints[f"{side}_{joint}"] for joint in ("ankle", "heel", "big_toe"))
            assert max(heel[1], toe[1]) > ankle[1], "the sole is below the ankle"
            assert 0.02 < np.linalg.norm(heel - toe) / size < 0.25
            assert np.isnan(joints[f"{side}_small_toe"]).all()


@pytest.mark.parametrize("turns", [1, 2, 3])
@pytest.mark.slow
def test_a_turned_picture_gives_the_same_joints_turned(blazepose, frame, people, turns):
    height, width = frame.shape[:2]
    plain = blazepose.look_at(frame, people.keypoints[0], people.scores[0])
    turned, points = np.ascontiguousarray(np.rot90(frame, turns)), people.keypoints[0].copy()
    expected = plain.keypoints[0].copy()
    for _ in range(turns):  # counterclockwise: the new x is the old y
        points, expected = (np.stack([each[:, 1], width - 1 - each[:, 0]], -1) for each in (points, expected))
        width, height = height, width
    found = blazepose.look_at(turned, points, people.scores[0])
    apart = np.linalg.norm(found.keypoints[0] - expected, axis=-1) / np.ptp(points, axis=0).max()
    assert np.nanmedian(apart) < 0.01


def test_nobody_without_a_trunk(blazepose, frame, people):
    points = people.keypoints[0].copy()
    points[COCO17.indices(["left_hip", "right_hip"])] = np.nan
    assert place(points, people.scores[0]) is None
    found = blazepose.look_at(frame, points, people.scores[0])
    assert found.box_scores[0] == 0
    assert np.isnan(found.keypoints).all()


def test_a_crop_without_a_person_has_no_joints(blazepose, people):
    """Some would score 0.97."""
    sky = np.full((540, 960, 3), (120, 170, 230), np.uint8)
    found = blazepose.look_at(sky, people.keypoints[0], people.scores[0])
    assert found.box_scores[0] < 0.5
    assert np.isnan(found.keypoints).all()
    assert not found.scores.any()


@pytest.mark.parametrize(("content", "message"), [(None, "is missing; reinstall"), (b"damaged", "is damaged")])
def test_a_model_that_is_missing_or_damaged(monkeypatch, tmp_path, content, message):
    path = tmp_path / "pose_landmark_heavy.onnx"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(
        "poselift.detection.blazepose.published", lambda name: RegistryEntry(name, "", "", "0", shipped=path)
    )
    with pytest.raises(InputError, match=rf"pose_landmark_heavy\.onnx {message}"):
        BlazePose("cpu")
