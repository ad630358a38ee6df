import math

import pytest
import torch
from torch.testing import assert_close

from poselift import metrics as M
from poselift.skeleton import H36M17
from tests.metrics.scalar import number


def person(**places) -> torch.Tensor:
    points = torch.zeros(len(H36M17), len(places["right_hip"]), dtype=torch.float64)
    for joint, place in places.items():
        points[H36M17.index(joint)] = torch.tensor(place, dtype=torch.float64)
    return points


BODY = person(right_hip=(0.0, 0.0), left_shoulder=(60.0, 80.0))


def test_the_torso_is_from_right_hip_to_left_shoulder():
    assert_close(M.torso_diameter(BODY, H36M17), number(100.0))
    hidden = torch.ones(17, dtype=torch.bool)
    hidden[H36M17.index("right_hip")] = False
    assert M.torso_diameter(BODY, H36M17, hidden).isnan()
    assert M.detected_joints(BODY, BODY, H36M17, (0.2,), hidden).mean().isnan()


@pytest.mark.parametrize("size", [0.0, math.nan])
def test_a_person_without_a_size_does_not_count(size):
    people = torch.stack((size * BODY, BODY))
    found = M.detected_joints(people.nan_to_num(), people, H36M17, (0.2,))
    assert found.counts.sum((1, 2)).tolist() == [0, 17]
    assert_close(found.mean(), number(100.0))


def test_joints_within_each_threshold():
    pred = BODY.clone()
    pred[H36M17.index("left_wrist"), 0] += 15
    pred[H36M17.index("right_wrist"), 0] += 20  # at the threshold: detected
    found = M.detected_joints(pred, BODY, H36M17, (0.1, 0.19, 0.2))
    assert_close(found.mean(1), 100 * torch.tensor([15, 16, 17], dtype=torch.float64) / 17)
