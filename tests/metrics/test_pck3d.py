import torch
from torch.testing import assert_close

from poselift import metrics as M
from tests.metrics.scalar import number


def at(*millimetres: float) -> tuple[torch.Tensor, torch.Tensor]:
    """One pose whose joints are off by so much."""
    target = torch.zeros(len(millimetres), 3, dtype=torch.float64)
    pred = target.clone()
    pred[:, 2] = torch.tensor(millimetres, dtype=torch.float64) / 1000
    return pred, target


def test_a_joint_at_the_threshold_is_not_correct():
    assert_close(M.correct_joints(*at(0, 149.999, 150, 151)).mean(), number(50.0))
    assert_close(M.correct_joints(*at(0, 99, 100, 151), threshold_mm=100.0).mean(), number(50.0))


def test_auc_is_the_mean_over_31_thresholds():
    # 12 mm is less than 15, 20, ..., 150: 28 of the 31.
    assert_close(M.joint_areas(*at(12)).mean(), number(100 * 28 / 31))
    assert_close(M.joint_areas(*at(0)).mean(), number(100 * 30 / 31))
    assert_close(M.joint_areas(*at(150)).mean(), number(0.0))
    pred, target = at(3, 40, 77, 200)
    curve = [M.correct_joints(pred, target, threshold_mm=float(threshold)).mean() for threshold in range(0, 151, 5)]
    assert_close(M.joint_areas(pred, target).mean(), torch.stack(curve).mean())
    assert_close(M.correct_joints_by_threshold(pred, target).mean(1), torch.stack(curve))
