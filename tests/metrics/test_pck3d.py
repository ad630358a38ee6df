import math

import torch
from torch.testing import assert_close

from poselift.metrics import functional as F


def at(*millimetres: float) -> tuple[torch.Tensor, torch.Tensor]:
    """One pose whose joints are off by so much."""
    target = torch.zeros(len(millimetres), 3, dtype=torch.float64)
    pred = target.clone()
    pred[:, 2] = torch.tensor(millimetres, dtype=torch.float64) / 1000
    return pred, target


def number(value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


def test_a_joint_at_the_threshold_is_not_correct():
    assert_close(F.pck3d(*at(0, 149.999, 150, 151)), number(50.0))
    assert_close(F.pck3d(*at(0, 99, 100, 151), threshold_mm=100.0), number(50.0))


def test_auc_is_the_mean_over_31_thresholds():
    # 12 mm is less than 15, 20, ..., 150: 28 of the 31.
    assert_close(F.auc3d(*at(12)), number(100 * 28 / 31))
    assert_close(F.auc3d(*at(0)), number(100 * 30 / 31))
    assert_close(F.auc3d(*at(150)), number(0.0))
    pred, target = at(3, 40, 77, 200)
    curve = [F.pck3d(pred, target, threshold_mm=float(threshold)) for threshold in range(0, 151, 5)]
    assert_close(F.auc3d(pred, target), torch.stack(curve).mean())


def test_masks_and_nan():
    pred, target = at(0, 500)
    assert_close(F.pck3d(pred, target, torch.tensor([True, False])), number(100.0))
    assert F.pck3d(pred, target, torch.tensor([False, False])).isnan()
    assert F.auc3d(pred, target, torch.tensor([False, False])).isnan()
    pred[1] = math.nan
    assert F.pck3d(pred, target).isnan()
    assert F.auc3d(pred, target).isnan()
