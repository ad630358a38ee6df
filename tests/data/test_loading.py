import numpy as np
import pytest
import torch

from poselift.data.loading import intrinsics, recorded_view
from poselift.skeleton import COCO17, SMPL24


def view(keypoints, points, **changes):
    settings = {
        "fps": 25.0,
        "K": intrinsics(500.0, 510.0, 320.0, 240.0),
        "image_size": (640, 480),
        "keypoint_skeleton": COCO17,
        "skeleton": SMPL24,
    }
    return recorded_view("a", "S1", keypoints, points, **settings | changes)


@pytest.fixture
def recorded():
    rng = np.random.default_rng(0)
    return rng.uniform(0, 400, (6, 17, 2)), rng.normal(0, 1, (6, 24, 3)) + [0, 0, 5]


def test_joints_are_apart_from_their_root(recorded):
    keypoints, points = recorded
    found = view(keypoints, points, action="Walking", camera="C1")
    torch.testing.assert_close(found.root, torch.tensor(points[:, 0]).float())
    torch.testing.assert_close(found.joints, torch.tensor(points - points[:, :1]).float())
    torch.testing.assert_close(found.times, torch.arange(6) / 25)
    assert found.scores.min() == 1
    assert found.K.tolist() == [[500, 0, 320], [0, 510, 240], [0, 0, 1]]
    assert (found.image_size.tolist(), found.action, found.camera) == ([640, 480], "Walking", "C1")
    assert {tensor.dtype for tensor in vars(found).values() if isinstance(tensor, torch.Tensor)} == {torch.float32}


def test_a_skeleton_without_a_pelvis_has_its_root_between_the_hips(recorded):
    _, points = recorded
    found = view(np.zeros((6, 17, 2)), points[:, :17], skeleton=COCO17)
    middle = (points[:, COCO17.index("left_hip")] + points[:, COCO17.index("right_hip")]) / 2
    torch.testing.assert_close(found.root, torch.tensor(middle).float())


def test_missing_keypoints_have_no_score_and_no_place(recorded):
    keypoints, points = recorded
    keypoints[0, 3, 1] = np.nan
    scores = np.full((6, 17), 0.7)
    scores[2, 5] = 0
    found = view(keypoints, points, scores=scores)
    for frame, joint in ((0, 3), (2, 5)):
        assert found.keypoints[frame, joint].isnan().all()
        assert found.scores[frame, joint] == 0
    assert found.keypoints.isnan().sum() == 4
    assert (found.scores == 0).sum() == 2


def test_frames_that_do_not_count_have_no_joints(recorded):
    keypoints, points = recorded
    counted = np.array([True, False, True, True, False, True])
    found = view(keypoints, points, counted=counted)
    assert (found.joints.isfinite().all((1, 2)).numpy() == counted).all()
    assert (found.root.isfinite().all(1).numpy() == counted).all()
    assert found.keypoints.isfinite().all()
