import math
import warnings
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from poselift.detection.mmpose.compat import mmpose_imports
from poselift.metrics import functional as F
from poselift.skeleton import H36M17, HUMANEVA15, MPII16


def number(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


def person(skeleton, **places) -> torch.Tensor:
    points = torch.zeros(len(skeleton), 2, dtype=torch.float64)
    for joint, place in places.items():
        points[skeleton.index(joint)] = torch.tensor(place, dtype=torch.float64)
    return points


def test_sizes_by_hand():
    points = torch.tensor([[0.0, 0], [3, 1], [1, 4], [math.nan, 9]])
    mask = torch.tensor([True, True, True, False])
    assert_close(F.bbox_diagonal(points, mask), number(5.0))
    assert F.bbox_diagonal(points, torch.zeros(4, dtype=torch.bool)).isnan()
    body = person(MPII16, right_hip=(0, 0), left_shoulder=(30, -40), neck_base=(0, 10), head_top=(0, 2))
    assert_close(F.torso_diameter(body, MPII16), number(50.0))
    assert_close(F.head_length(body, MPII16), number(8.0))
    hidden = torch.ones(16, dtype=torch.bool)
    hidden[MPII16.index("right_hip")] = False
    assert F.torso_diameter(body, MPII16, hidden).isnan()


def test_a_joint_at_the_threshold_is_correct():
    target = torch.zeros(3, 2)
    pred = torch.tensor([[0.0, 0], [0, 5], [0, 5.01]])
    assert_close(F.pck(pred, target, torch.tensor(50.0), 0.1), number(200 / 3))
    assert_close(F.pckh(pred, target, torch.tensor(10.0)), number(200 / 3))
    assert_close(F.pckh(pred, target, torch.tensor(10.0), threshold=1.0), number(100.0))


@pytest.mark.parametrize("size", [0.0, math.nan])
def test_a_person_without_a_size_does_not_count(size):
    points = torch.zeros(2, 3, 2)
    assert_close(F.pck(points, points, torch.tensor([size, 10.0]), 0.1), number(100.0))
    assert F.pck(points[:1], points[:1], torch.tensor([size]), 0.1).isnan()


def test_pdj_is_by_the_torso_from_right_hip_to_left_shoulder():
    target = person(H36M17, right_hip=(0, 0), left_shoulder=(60, 80))
    pred = target.clone()
    pred[H36M17.index("left_wrist"), 0] += 15
    pred[H36M17.index("right_wrist"), 0] += 25
    assert_close(F.pdj(pred, target, H36M17), number(100 * 16 / 17))
    curve = F.pdj_curve(pred, target, H36M17, (0.1, 0.2, 0.3))
    assert_close(curve, 100 * torch.tensor([15, 16, 17], dtype=torch.float64) / 17)


def test_a_missing_joint_of_the_skeleton_is_named():
    points = torch.zeros(15, 2)
    with pytest.raises(ValueError, match="neck_base"):
        F.head_length(points, HUMANEVA15)


def test_mmposes_own_function(random_poses):
    """Its mean is over joints, of the means over people; with every joint seen that is the mean over all."""
    if find_spec("mmpose") is None:
        pytest.skip("needs MMPose: see tools/install_mmpose.sh")
    with warnings.catch_warnings(), mmpose_imports():
        warnings.simplefilter("ignore")
        from mmpose.evaluation.functional import keypoint_pck_accuracy
    pred, target, _ = random_poses(0, 40, 17, 2)
    size = F.bbox_diagonal(target)
    _, expected, _ = keypoint_pck_accuracy(
        pred.numpy(), target.numpy(), np.ones((40, 17), bool), 0.02, size.numpy()[:, None].repeat(2, 1)
    )
    assert 0.1 < expected < 0.9
    assert_close(F.pck(pred, target, size, 0.02), number(100 * float(expected)))


def test_in_3d_too():
    target = torch.zeros(len(H36M17), 3, dtype=torch.float64)
    target[H36M17.index("left_shoulder")] = torch.tensor([0.2, 0.4, 0.4], dtype=torch.float64)
    pred = target.clone()
    pred[H36M17.index("left_wrist"), 2] = 0.13  # the torso is 0.6 m
    assert_close(F.torso_diameter(target, H36M17), number(0.6))
    assert_close(F.bbox_diagonal(target), number(0.6))
    assert_close(F.pdj_curve(pred, target, H36M17, (0.2, 0.22)), 100 * torch.tensor([16 / 17, 1], dtype=torch.float64))
