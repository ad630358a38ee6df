import math

import pytest
import torch
from torch.testing import assert_close

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
    assert_close(F.pck2d(pred, target, torch.tensor(50.0), 0.1), number(200 / 3))
    assert_close(F.pckh(pred, target, torch.tensor(10.0)), number(200 / 3))
    assert_close(F.pckh(pred, target, torch.tensor(10.0), threshold=1.0), number(100.0))


@pytest.mark.parametrize("size", [0.0, math.nan])
def test_a_person_without_a_size_does_not_count(size):
    points = torch.zeros(2, 3, 2)
    assert_close(F.pck2d(points, points, torch.tensor([size, 10.0]), 0.1), number(100.0))
    assert F.pck2d(points[:1], points[:1], torch.tensor([size]), 0.1).isnan()


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
